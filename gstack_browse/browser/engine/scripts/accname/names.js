// Accessible names by accname 1.2 and HTML-AAM. Single letters in comments are steps of accname.

import { ignoresRoleNone, NAME_PROHIBITED, roleAttributeOf, roleOf, tagOf } from './roles.js';
import { contentName } from './contents.js';
import { isSecret } from './states.js';
import { editableText, LIST_POPUP_ROLES, ROLES_OUTSIDE_CHOICE } from './values.js';
import {
  containsNode,
  dataOf,
  firstChildOf,
  isContentEditable,
  localNameOf,
  makeLateGetter,
  namespaceOf,
  nodeTypeOf,
  queryAll,
  queryInDocument,
  queryInFragment,
  queryOne,
  rootOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  attr,
  cleanKeepingNoBreakSpaces,
  cleanText,
  elementsByTag,
  exported,
  hasAttr,
  hasAttrs,
  hasShadowTrees,
  HTML,
  isElement,
  isSlot,
  isText,
  NEEDS_CLEANING,
  NO_BREAK_SPACE,
  parentOf,
  PerCallCache,
  referencedElements,
  resolveReferenceTarget,
  siblingsFrom,
  SVG,
  treeOf,
} from '../dom/dom.js';
import { hiddenExtent, isHidden } from '../visibility/hidden.js';
import { RANGES } from './kinds.js';

export const MAX_NAME = 10000; // characters; a name made of a whole page is cut while it is computed

const NAMED_FROM_CONTENT = new Set(`button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox
  menuitemradio option radio row rowheader sectionhead switch tab tooltip treeitem doc-backlink doc-biblioref
  doc-glossref doc-noteref`.split(/\s+/));

/**
 * Return the accessible name of an element as snapshots print it and selectors take it: one blank for each run of white space.
 * `visibleOnly`: without invisible text.
 */
export function nameOf(element, role = roleOf(element), visibleOnly = false) {
  const name = exactNameOf(element, role, visibleOnly);
  return name.includes(NO_BREAK_SPACE) ? cleanText(name) : name;
}

/**
 * Return the accessible name of an element, with no-break spaces as the page has them. `visibleOnly`: without invisible text, which screen
 * readers read.
 */
export function exactNameOf(element, role, visibleOnly = false) {
  if (NAME_PROHIBITED.has(role) && !hasAriaNameAttribute(element)) return abbreviationTitle(element);
  const budget = { left: MAX_NAME, visited: new Set() };
  try {
    return cleanExactName(computeName(element, role, budget, { top: true, visibleOnly }));
  } catch (error) {
    if (error instanceof RangeError) return cleanExactName(textContentOf(element).slice(0, MAX_NAME)); // absurdly deep
    throw error;
  }
}

// Characters of private use: icon fonts draw icons for them.
const ICON_FONT_CHARACTERS = /[\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;
/** Clean a name for printing, without characters of icon fonts. */
export const cleanName = (text) => NEEDS_CLEANING.test(text) ? cleanText(text.replace(ICON_FONT_CHARACTERS, '')) : text;
/** Clean a name for printing, without characters of icon fonts; no-break spaces stay. */
const cleanExactName = (text) =>
  NEEDS_CLEANING.test(text) ? cleanKeepingNoBreakSpaces(text.replace(ICON_FONT_CHARACTERS, '')) : text;
/** Return whether a name has only white space and characters of icon fonts. */
function isBlankName(text) {
  const trimmed = text.trim();
  return trimmed === '' || trimmed.charCodeAt(0) >= 0xd800 && trimmed.replace(ICON_FONT_CHARACTERS, '').trim() === '';
}

/** Return the `title` of an `<abbr>`, which is its name although it has no role; "" for any other element. */
const abbreviationTitle = (element) => localNameOf(element) === 'abbr' ? cleanName(tooltip(element)) : '';

/**
 * Return whether an element has an `aria-label` or `aria-labelledby`. Chromium exposes such a name even for roles that ARIA prohibits it
 * for.
 */
export const hasAriaNameAttribute = (element) =>
  hasAttrs(element) && (hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby'));

/**
 * What may still be read for a name. `left`: number of characters; `visited`: labels whose names are being computed; `labelled`: fields
 * whose labels are being read.
 * @typedef {{ left: number, visited: Set<Element>, labelled?: Set<Element> }} NameBudget
 */

/**
 * How the name of an element is computed:
 *
 * - top: it is the element whose name is wanted; self: its own `aria-labelledby` refers to it
 * - noLabelledby: ignore `aria-labelledby`; evenHidden: include hidden content; visibleOnly: leave out invisible text
 * - withoutControls, withoutRoles: leave out such elements; branch: the tree item being named, leave out items nested in it
 * - labelled: the control in a `<label>` that the label is for
 *
 * @typedef {{ top?: boolean, self?: boolean, noLabelledby?: boolean, evenHidden?: boolean, visibleOnly?: boolean,
 *   withoutControls?: boolean, withoutRoles?: Set<string>, branch?: Element, labelled?: Element | null }} NameOptions
 */

/** Compute an element's name, or what it adds to another's: a step of accname. `budget`, `options`: `NameBudget`, `NameOptions`. */
export function computeName(element, role, budget, options) {
  if (budget.left <= 0) return '';
  const bare = !hasAttrs(element);
  if (!bare && !options.noLabelledby) { // B
    const text = labelledByName(element, budget, options);
    if (!isBlankName(text)) return text;
  }
  if (!options.top && !options.self) { // C
    const value = embeddedValue(element, role, budget);
    if (value !== null) return value;
  }
  if (!bare && !isSlot(element)) { // D
    const label = attr(element, 'aria-label');
    if (label && !isBlankName(label)) return label;
  }
  const isDecoration = isPresentational(element, bare);
  if (!isDecoration) { // E
    const native = nativeName(element, role, budget, options);
    if (native !== null && !isBlankName(native)) return native;
    if (native !== null && options.top) return role && tooltip(element);
  }
  let blank = '';
  if (NAMED_FROM_CONTENT.has(role) && !isFormField(element) || !options.top && !hidesContentFromName(element, role)) { // F
    const text = contentName(element, budget, role === 'treeitem' ? { ...options, branch: element } : options);
    if (!isBlankName(text)) return text;
    if (text !== '') blank = ' ';
  }
  return nameFromTooltip(element, role, bare || isDecoration && localNameOf(element) === 'img', options.top) || blank; // I
}

/**
 * Return the name by `title` (accname step 2I). `ignoresTitle`: its own `title` does not count; `isTop`: it is the element whose name is
 * computed, so the `title` of an image in it counts, too.
 */
const nameFromTooltip = (element, role, ignoresTitle, isTop) =>
  (ignoresTitle ? '' : tooltip(element)) || (isTop && NAMED_FROM_CONTENT.has(role) ? tooltipOfImage(element) : '');

/** Return the name by `aria-labelledby` (accname step 2B); "" without any. `budget`, `options`: `NameBudget`, `NameOptions`. */
function labelledByName(element, budget, options) {
  const labels = referencedElements(element, 'aria-labelledby').filter((label) =>
    options.top || !containsNode(label, element)
  );
  return labels.map((label) => referencedName(label, budget, label === element)).join(' ');
}

/**
 * Return the tooltip of the first image in a control: `<button><img alt="" title="Save"></button>`; "" for none.
 */
function tooltipOfImage(element) {
  const picture = queryOne(element, 'img[title]');
  return picture && !isHidden(picture) ? tooltip(picture) : '';
}

/** Return the names of the elements `labels`, which name or describe `element`, joined by blanks. */
export const textOfLabels = (element, labels) => {
  const budget = { left: 200, visited: new Set([element]) };
  return labels.map((label) => referencedName(label, budget, false)).join(' ');
};

/**
 * Return what the element `label`, to which an `aria-labelledby` refers, contributes to a name. A hidden one gives all of its text; a
 * visible one only what is not hidden. `budget`: a `NameBudget`; `self`: the element refers to itself.
 */
function referencedName(label, budget, self) {
  if (budget.visited.has(label)) return '';
  budget.visited.add(label);
  const options = { noLabelledby: true, evenHidden: isHidden(label), self };
  return computeName(label, roleOf(label), budget, options);
}

/** Return whether an element has `role=none` or `role=presentation`, and ARIA does not ignore that. `bare`: it has no attributes. */
const isPresentational = (element, bare) => {
  if (bare) return false;
  const role = roleAttributeOf(element);
  return (role === 'none' || role === 'presentation') && !ignoresRoleNone(element);
};

/** Return whether an element is a `<progress>` or `<meter>`. */
const isGauge = (element) => localNameOf(element) === 'progress' || localNameOf(element) === 'meter';
/** Return whether an element is an `<input>`, `<select>` or `<textarea>`. */
export const isFormField = (element) => {
  const name = localNameOf(element);
  return name === 'input' || name === 'select' || name === 'textarea';
};

/** Return whether an element, such as a listbox, contributes to the name of its ancestor at most its value, never its content. */
const hidesContentFromName = (element, role) =>
  role === 'listbox' || role === 'combobox' || role === 'menu' || role === 'textbox' && !isEditable(element)
  || localNameOf(element) === 'select' || localNameOf(element) === 'iframe' || localNameOf(element) === 'video'
  || localNameOf(element) === 'audio';
/** Return whether the content of an element can be edited (`contenteditable`). */
export const isEditable = (element) => isContentEditable(element) === true;

/**
 * Return the text that a control inside a label contributes to the name (accname step 2C): its value, "" for a secret, null if it has no
 * value. `budget`: a `NameBudget`.
 */
function embeddedValue(element, role, budget) {
  if (isSecret(element)) return '';
  if (role === 'textbox' || role === 'searchbox') {
    return isFormField(element) ? element.value : editableText(element);
  }
  if (role === 'combobox' || role === 'listbox') return chosenOptionText(element, role, budget);
  if (RANGES.has(role)) {
    return attr(element, 'aria-valuetext') || attr(element, 'aria-valuenow')
      || (isFormField(element) || isGauge(element) ? String(element.value) : null);
  }
  return null;
}

export const FIELD = 'input:not([type=hidden]),textarea';

/** Return the value of a field; "" if it is secret, such as a password. */
const valueUnlessSecret = (field) => isSecret(field) ? '' : field.value;

/** Return the text of the selected options of a list, or the text that the closed list shows. `budget`: a `NameBudget`. */
export function chosenOptionText(element, role, budget) {
  if (localNameOf(element) === 'select') {
    const chosen = element.selectedOptions;
    return chosen.length === 1 ? chosen[0].label : Array.from(chosen, (option) => option.label).join(' ');
  }
  if (isFormField(element)) return valueUnlessSecret(element);
  const chosen = [...queryAll(element, '[role=option i][aria-selected=true]')];
  if (chosen.length || role === 'listbox')
    return chosen.map((option) => computeName(option, 'option', budget, {})).join(' ');
  const field = queryOne(element, FIELD);
  if (field) return valueUnlessSecret(field);
  const copy = { left: budget.left, visited: new Set(budget.visited) }; // so that a second reading finds all elements unvisited
  return contentName(element, copy, { withoutRoles: ROLES_OUTSIDE_CHOICE }).trim()
    || contentName(element, budget, { withoutRoles: LIST_POPUP_ROLES });
}

/** Return the `title` of an element, or "". */
const tooltip = (element) => attr(element, 'title') || '';

exported.nameOf = nameOf;

// Names by HTML and SVG markup: HTML-AAM, SVG-AAM.

const LABELLABLE_TAGS = new Set(['select', 'textarea', 'meter', 'progress', 'output']);
const NAMING_ATTRIBUTE_BY_TAG = new Map([['iframe', 'title'], ['frame', 'title'], ['optgroup', 'label']]);

/**
 * Return the name that the markup gives by HTML-AAM (accname step 2E), such as `alt` or a `<label>`; null where HTML defines none.
 * `budget`, `options`: `NameBudget`, `NameOptions`.
 */
function nativeName(element, role, budget, options) {
  const name = localNameOf(element);
  if (namespaceOf(element) === SVG) return svgName(element, name);
  if (LABELLABLE_TAGS.has(name))
    return labelText(element, budget) || (options.top ? attr(element, 'title') || attr(element, 'placeholder') : '')
      || null;
  const attribute = NAMING_ATTRIBUTE_BY_TAG.get(name);
  if (attribute !== undefined) return attr(element, attribute);
  switch (name) {
    case 'input':
      return inputName(element, budget, options);
    case 'button':
      return labelText(element, budget) || null;
    case 'img':
      return attr(element, 'alt')
        || (options.top && role !== '' ? attr(element, 'title') || figureCaptionOf(element, budget) : '') || '';
    case 'area':
      return attr(element, 'alt') || (options.top ? attr(element, 'title') : null);
    case 'option':
      return attr(element, 'label') || element.text;
    case 'fieldset':
      return nameOfFirstChild(element, 'legend', budget);
    case 'table':
      return nameOfFirstChild(element, 'caption', budget) || attr(element, 'summary');
    default:
      // a custom element may be form-associated, and then has labels
      return name.includes('-') && labelText(element, budget)
        || (options.top ? roleSpecificName(element, role, budget) : null);
  }
}

/**
 * Return the name by markup that depends on the role: the placeholder of an editor, the title or heading of a dialog (accname 1.3). Null
 * for none. `budget`: a `NameBudget`.
 */
function roleSpecificName(element, role, budget) {
  if (role === 'textbox') return attr(element, 'aria-placeholder');
  if (role !== 'dialog' && role !== 'alertdialog') return null;
  const heading = queryOne(element, 'h1,h2,h3,h4,h5,h6,[role=heading i]');
  return heading && !isHidden(heading) ? attr(element, 'title') || computeName(heading, 'heading', budget, {}) : null;
}

/** Return the caption of the figure that contains only this image (HTML-AAM); "" for none or with `alt`. `budget`: a `NameBudget`. */
function figureCaptionOf(image, budget) {
  const figure = hasAttr(image, 'alt') ? null : parentOf(image);
  if (!figure || localNameOf(figure) !== 'figure') return '';
  const beside = [...siblingsFrom(firstChildOf(figure))].filter((node) =>
    node !== image && (isElement(node) || isText(node) && dataOf(node).trim())
  );
  return beside.length === 1 && isElement(beside[0]) && localNameOf(beside[0]) === 'figcaption'
    ? computeName(beside[0], '', budget, {})
    : '';
}

const DEFAULT_LABELS = { submit: 'Submit', reset: 'Reset', image: 'Submit' };
/** Return the name that HTML-AAM gives an `<input>` of its type: label, value, `alt` …; null for none. `options`: `NameOptions`. */
function inputName(element, budget, options) {
  const type = element.type;
  if (type === 'submit' || type === 'reset' || type === 'button') {
    return labelText(element, budget) || element.value || attr(element, 'title')
      || (hasAttr(element, 'value') ? '' : DEFAULT_LABELS[type] || '');
  }
  if (type === 'image') {
    return labelText(element, budget) || attr(element, 'alt') || attr(element, 'title') || attr(element, 'value')
      || 'Submit';
  }
  const label = labelText(element, budget);
  if (label) return label;
  if (type === 'file') return attr(element, 'title') || (element.multiple ? 'Choose Files' : 'Choose File'); // as Chromium draws it
  if (!options.top) return null;
  return attr(element, 'title') || attr(element, 'placeholder') || attr(element, 'aria-placeholder') || null;
}

/** Return the names of the `<label>`s of a field, joined by blanks; "" for none. `budget`: a `NameBudget`. */
function labelText(element, budget) {
  const control = labelTargetOf(element);
  const labels = labelsOf(control);
  if (!labels.length || budget.labelled?.has(element)) return '';
  (budget.labelled ??= new Set()).add(element);
  const text = Array.from(labels, (label) => {
    if (budget.visited.has(label) || isLabelHidden(label, element)) return '';
    return computeName(label, '', budget, { labelled: hostInTreeOf(control, label) });
  }).filter(Boolean).join(' ');
  budget.labelled.delete(element);
  return text;
}

/** Return the control itself, or the shadow host around it, whichever is in the same document or shadow tree as the label. */
function hostInTreeOf(control, label) {
  let beside = control;
  while (treeOf(beside) !== treeOf(label)) beside = rootOf(beside).host;
  return beside;
}

/** Return whether the label of a control is hidden, and the control is not: an ancestor that hides both does not count. */
const isLabelHidden = (label, element) =>
  (containsNode(label, element) ? hiddenExtent(label) !== '' : isHidden(label)) && !isHidden(element);

/**
 * Return the accessible name of the first child element with a tag, such as "legend"; null for none, or a hidden one. `budget`: a
 * `NameBudget`.
 */
function nameOfFirstChild(element, tag, budget) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isElement(child) && localNameOf(child) === tag)
      return isHidden(child) ? null : computeName(child, '', budget, {});
  }
  return null;
}

/** Return the name of an SVG element: the text of its `<title>`, or `xlink:title` of an `<a>`; null for none. `tag`: its tag name. */
function svgName(element, tag) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isElement(child) && localNameOf(child) === 'title') return textContentOf(child);
  }
  return tag === 'a' ? attr(element, 'xlink:title') : null;
}

// Relations between elements of a tree: labels of controls, and owners by `aria-owns`.

/**
 * Return the element that the labels of a field are for: the field itself, or without labels the host of its shadow tree, which may be a
 * form-associated custom element.
 */
function labelTargetOf(element) {
  if (!hasShadowTrees || !isFormField(element) || labelsOf(element).length) return element;
  return rootOf(element).host ?? element;
}

export const NO_LABELS = [];
/**
 * Return the `<label>`s of a control, from a map made once for each tree: `element.labels` searches the whole document each time. The
 * labels of a shadow host with a `referenceTarget` are those of that control.
 */
export function labelsOf(element) {
  if (!hasShadowTrees) return labelsInSameTree(element);
  return resolveReferenceTarget(element) === element ? labelsOfReferenceTarget(element) : NO_LABELS;
}
/** Return the `<label>`s of a control that are in the same document or shadow tree. */
const labelsInSameTree = (element) => labelMaps.of(treeOf(element)).get(element) || NO_LABELS;

/** Return the `<label>`s of a control, and of the shadow hosts whose `referenceTarget` it is, in document order. */
function labelsOfReferenceTarget(element) {
  const own = labelsInSameTree(element);
  const host = rootOf(element).host;
  if (!host || resolveReferenceTarget(host) !== resolveReferenceTarget(element)) return own;
  const outer = labelsOfReferenceTarget(host);
  /** Return whether a label comes before the shadow host in the document. */
  const isBefore = (label) => (label.compareDocumentPosition(host) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return [...outer.filter(isBefore), ...own, ...outer.filter((label) => !isBefore(label))];
}
const labelMaps = new PerCallCache(mapLabels);
export const controlOf = makeLateGetter('HTMLLabelElement', 'control');

/** Map each labelled control in a document or shadow root to its `<label>`s. */
function mapLabels(root) {
  const map = new Map();
  const type = nodeTypeOf(root);
  const labels = type === 9 ? elementsByTag(root, 'label') : type === 11 ? queryInFragment(root, 'label') : [];
  for (const label of labels) {
    const control = namespaceOf(label) === HTML ? controlOf(label) : null;
    if (!control) continue;
    if (map.has(control)) map.get(control).push(label);
    else map.set(control, [label]);
  }
  return map;
}

/** Return a Map of all elements that `aria-owns` moves, in the document or shadow tree of an element, to their owners; null for none. */
export const ownersByElement = (element) => ownersInTrees.of(treeOf(element));
const ownersInTrees = new PerCallCache(mapOwners);
/** Map each element in a document or shadow root that `aria-owns` moves to its owner; null if there is no `aria-owns`. */
function mapOwners(root) {
  const type = nodeTypeOf(root);
  const owners = type === 9
    ? queryInDocument(root, '[aria-owns]')
    : type === 11
    ? queryInFragment(root, '[aria-owns]')
    : [];
  if (!owners.length) return null;
  const map = new Map();
  for (const owner of owners) {
    if (isHidden(owner) || cannotOwn(owner)) continue;
    for (const node of referencedElements(owner, 'aria-owns')) {
      if (!map.has(node) && node !== owner && !containsNode(node, owner) && !isOpenedBy(owner, node))
        map.set(node, owner);
    }
  }
  return map;
}

/**
 * Return whether the `aria-owns` of an element is ignored: fields and frames cannot own elements. Chromium, too, does not move the list of
 * an ARIA 1.0 combobox.
 */
const cannotOwn = (owner) => tagOf(owner).opaque || tagOf(owner).frame || localNameOf(owner) === 'select';

/**
 * Return whether `node` is a menu or dialog that the button `owner` opens. Vuetify's buttons own their menus, which are no part of their
 * names.
 */
const isOpenedBy = (owner, node) =>
  (hasAttr(owner, 'aria-haspopup') || hasAttr(owner, 'aria-expanded')) && !containsNode(owner, node)
  && (hasAttr(owner, 'role') ? OPENING_ROLES.has(roleAttributeOf(owner)) : OPENING_TAGS.has(localNameOf(owner)));
const OPENING_ROLES = new Set(['button', 'link']);
const OPENING_TAGS = new Set(['button', 'a', 'summary']);
