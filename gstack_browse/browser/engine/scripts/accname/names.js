// Accessible names: accname 1.2, and html-aam for what markup brings along. Letters in comments are steps of accname.

import { RANGES } from './kinds.js';
import { contentName } from './contents.js';
import { mustBeExposed, NAME_PROHIBITED, roleOf, tagOf } from './roles.js';
import { isSecret } from './states.js';
import { editableText, NO_CHOICE, OPENED_LISTS } from './values.js';
import {
  containsNode,
  dataOf,
  firstChildOf,
  isContentEditable,
  lateGetter,
  localNameOf,
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
  cleanKeepingBreaks,
  cleanText,
  exported,
  hasAttr,
  hasAttrs,
  HTML,
  isElement,
  isSlot,
  isText,
  NEEDS_WORK,
  NO_BREAK,
  parentOf,
  PerCallCache,
  referencedElements,
  shadowsMet,
  siblingsFrom,
  SVG,
  targetOf,
  treeOf,
  withTag,
} from '../dom/dom.js';
import { hiddenness, isHidden } from '../visibility/hidden.js';

// Long enough for any name that a person wrote; a name made of a whole page is cut while it is being computed.
export const MAX_NAME = 10000;

const FROM_CONTENT = new Set(`button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox
  menuitemradio option radio row rowheader sectionhead switch tab tooltip treeitem doc-backlink doc-biblioref
  doc-glossref doc-noteref`.split(/\s+/));

/**
 * Return the accessible name of an element as it is printed and typed: one blank for each run of white space. `seen`: without text that
 * cannot be seen.
 */
export function nameOf(element, role = roleOf(element), seen = false) {
  const name = exactNameOf(element, role, seen);
  return name.includes(NO_BREAK) ? cleanText(name) : name;
}

/**
 * Return the accessible name with the page's no-break spaces. `seen`: without words that cannot be seen, which names of controls
 * otherwise keep, since screen readers read them.
 */
export function exactNameOf(element, role, seen = false) {
  if (NAME_PROHIBITED.has(role) && !isNamedAnyway(element)) return abbreviationTitle(element);
  const budget = { left: MAX_NAME, visited: new Set() };
  try {
    return cleanExactName(nameFrom(element, role, budget, { top: true, seen }));
  } catch (error) {
    if (error instanceof RangeError) return cleanExactName(textContentOf(element).slice(0, MAX_NAME)); // absurdly deep
    throw error;
  }
}

// Characters of private use are the pictures of icon fonts: they cannot be read, and a tooltip says more.
const PICTURES = /[\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;
/** Clean a name for printing: without characters of private use, which are the pictures of icon fonts. */
export const cleanName = (text) => NEEDS_WORK.test(text) ? cleanText(text.replace(PICTURES, '')) : text;
/** Clean a name, and keep its no-break spaces. */
const cleanExactName = (text) => NEEDS_WORK.test(text) ? cleanKeepingBreaks(text.replace(PICTURES, '')) : text;
/** Whether a name is empty but for white space and the pictures of icon fonts. */
function isBlankName(text) {
  const trimmed = text.trim();
  return trimmed === '' || trimmed.charCodeAt(0) >= 0xd800 && trimmed.replace(PICTURES, '').trim() === '';
}

/** Return the long form of an `<abbr>`: its name, though never a line of its own, since its letters are part of a sentence. */
const abbreviationTitle = (element) => localNameOf(element) === 'abbr' ? cleanName(tooltip(element)) : '';

/**
 * Whether an element has an `aria-label` or `aria-labelledby`. Authors name generic elements in spite of ARIA, and Chromium exposes that
 * name.
 */
export const isNamedAnyway = (element) =>
  hasAttrs(element) && (hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby'));

/**
 * Compute the name of an element, as one step of accname's recursion. `how`: `top` (the element asked for), `referencedElements` (by
 * aria-labelledby), `self` (it references itself).
 */
export function nameFrom(element, role, budget, how) {
  if (budget.left <= 0) return '';
  const plain = !hasAttrs(element);
  if (!plain && !how.noLabelledby) { // B
    const text = labelledByName(element, budget, how);
    if (!isBlankName(text)) return text;
  }
  if (!how.top && !how.self) { // C
    const value = embeddedValue(element, role, budget);
    if (value !== null) return value;
  }
  if (!plain && !isSlot(element)) { // D
    const label = attr(element, 'aria-label');
    if (label && !isBlankName(label)) return label;
  }
  const isDecoration = isPresentational(element, plain);
  if (!isDecoration) { // E
    const native = nativeName(element, role, budget, how);
    if (native !== null && !isBlankName(native)) return native;
    if (native !== null && how.top) return tooltipUnlessGeneric(element, role);
  }
  let blank = '';
  if (FROM_CONTENT.has(role) && !isFormField(element) || !how.top && !hidesContentFromName(element, role)) { // F
    const text = contentName(element, budget, role === 'treeitem' ? { ...how, branch: element } : how);
    if (!isBlankName(text)) return text;
    if (text !== '') blank = ' ';
  }
  return nameFromTooltip(element, role, plain || isDecoration && localNameOf(element) === 'img', how.top) || blank; // I
}

/** Return the tooltip of an element that has a role; "" for a generic one. */
const tooltipUnlessGeneric = (element, role) => role === '' ? '' : tooltip(element);

/**
 * Return the name by `title` (accname step 2I). `isWithout`: the `title` does not count; `isTop`: the element is the one asked for, so
 * an image in it may give the name.
 */
const nameFromTooltip = (element, role, isWithout, isTop) =>
  (isWithout ? '' : tooltip(element)) || (isTop && FROM_CONTENT.has(role) ? tooltipOfImage(element) : '');

/** Return the name by `aria-labelledby` (accname step 2B); "" without any. */
function labelledByName(element, budget, how) {
  const labels = referencedElements(element, 'aria-labelledby').filter((label) =>
    how.top || !containsNode(label, element)
  );
  return labels.map((label) => referencedName(label, budget, label === element)).join(' ');
}

/**
 * Return the tooltip of the first image in a control that has no other name, even of a decorative one:
 * `<button><img alt="" title="Save"></button>`.
 */
function tooltipOfImage(element) {
  const picture = queryOne(element, 'img[title]');
  return picture && !isHidden(picture) ? tooltip(picture) : '';
}

/** Return the text of label elements, joined. Asked also to learn whether they have any. */
export const labelledByText = (element, labels) => {
  const budget = { left: 200, visited: new Set([element]) };
  return labels.map((label) => referencedName(label, budget, false)).join(' ');
};

/**
 * Return the name of an element that `aria-labelledby` refers to. A hidden one gives all of its text; inside a visible one hidden parts
 * are left out.
 */
function referencedName(label, budget, self) {
  if (budget.visited.has(label)) return '';
  budget.visited.add(label);
  const how = { noLabelledby: true, referenced: true, evenHidden: isHidden(label), self };
  return nameFrom(label, roleOf(label), budget, how);
}

/** Whether an element is `role=none` or `presentation`, and nothing forces it to be exposed. `plain`: it has no attributes. */
const isPresentational = (element, plain) => {
  if (plain) return false;
  const role = roleAttributeOf(element);
  return (role === 'none' || role === 'presentation') && !mustBeExposed(element);
};
/** Return the `role` attribute in lower case. */
const roleAttributeOf = (element) => (attr(element, 'role') || '').trim().toLowerCase();

/** Whether an element is a `<progress>` or `<meter>`. */
const isGauge = (element) => localNameOf(element) === 'progress' || localNameOf(element) === 'meter';
/** Whether an element is an `<input>`, `<select>` or `<textarea>`. */
export const isFormField = (element) => {
  const name = localNameOf(element);
  return name === 'input' || name === 'select' || name === 'textarea';
};

/** Whether an element inside a name contributes its value or nothing, never its content, such as a listbox. */
const hidesContentFromName = (element, role) =>
  role === 'listbox' || role === 'combobox' || role === 'menu' || role === 'textbox' && !isEditable(element)
  || localNameOf(element) === 'select' || localNameOf(element) === 'iframe' || localNameOf(element) === 'video'
  || localNameOf(element) === 'audio';
/** Whether the content of an element can be edited (`contenteditable`). */
export const isEditable = (element) => isContentEditable(element) === true;

/** Return the value of a control inside a label (accname step 2C): "" for a secret, null for an element without a value. */
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

/** Return the text of the selected options of a list, or the text that the closed list shows. */
export function chosenOptionText(element, role, budget) {
  if (localNameOf(element) === 'select') {
    const chosen = element.selectedOptions;
    return chosen.length === 1 ? chosen[0].label : Array.from(chosen, (option) => option.label).join(' ');
  }
  if (isFormField(element)) return isSecret(element) ? '' : element.value;
  const chosen = [...queryAll(element, '[role=option][aria-selected=true]')];
  if (chosen.length || role === 'listbox')
    return chosen.map((option) => nameFrom(option, 'option', budget, {})).join(' ');
  /** @type {any} */
  const field = queryOne(element, FIELD);
  if (field) return isSecret(field) ? '' : field.value;
  const apart = { left: budget.left, visited: new Set(budget.visited) };
  return contentName(element, apart, { without: NO_CHOICE }).trim()
    || contentName(element, budget, { without: OPENED_LISTS });
}

/** Return the `title` of an element, or "". */
const tooltip = (element) => attr(element, 'title') || '';

exported.nameOf = nameOf;

// Names that HTML and SVG markup brings along: html-aam.

const LABELLED_FIELDS = new Set(['select', 'textarea', 'meter', 'progress', 'output']);
const NAMED_BY = new Map([['iframe', 'title'], ['frame', 'title'], ['optgroup', 'label']]);

/** Return the name that the markup gives by HTML-AAM (accname step 2E), such as `alt` or a `<label>`; null where HTML defines none. */
function nativeName(element, role, budget, how) {
  const name = localNameOf(element);
  if (namespaceOf(element) === SVG) return svgName(element, name);
  if (LABELLED_FIELDS.has(name))
    return labelText(element, budget) || (how.top ? attr(element, 'title') || attr(element, 'placeholder') : '')
      || null;
  const attribute = NAMED_BY.get(name);
  if (attribute !== undefined) return attr(element, attribute);
  switch (name) {
    case 'input':
      return inputName(element, budget, how);
    case 'button':
      return labelText(element, budget) || null;
    case 'img':
      return attr(element, 'alt')
        || (how.top && role !== '' ? attr(element, 'title') || figureCaptionOf(element, budget) : '') || '';
    case 'area':
      return attr(element, 'alt') || (how.top ? attr(element, 'title') : null);
    case 'option':
      return attr(element, 'label') || element.text;
    case 'fieldset':
      return childText(element, 'legend', budget);
    case 'table':
      return childText(element, 'caption', budget) || attr(element, 'summary');
    default:
      return customElementLabel(element, budget) || (how.top ? roleSpecificName(element, role, budget) : null);
  }
}

/** Return the name that a role allows for any tag: the placeholder of an editor, the heading of a dialog (accname 1.3). Null for none. */
function roleSpecificName(element, role, budget) {
  if (role === 'textbox') return attr(element, 'aria-placeholder');
  if (role !== 'dialog' && role !== 'alertdialog') return null;
  const heading = queryOne(element, 'h1,h2,h3,h4,h5,h6,[role=heading]');
  return heading && !isHidden(heading) ? attr(element, 'title') || nameFrom(heading, 'heading', budget, {}) : null;
}

/** Return the caption of the figure that contains only this image (HTML-AAM); "" for none, or for an image with `alt`. */
function figureCaptionOf(image, budget) {
  const figure = hasAttr(image, 'alt') ? null : parentOf(image);
  if (!figure || localNameOf(figure) !== 'figure') return '';
  const beside = [...siblingsFrom(firstChildOf(figure))].filter((node) =>
    node !== image && (isElement(node) || isText(node) && dataOf(node).trim())
  );
  return beside.length === 1 && isElement(beside[0]) && localNameOf(beside[0]) === 'figcaption'
    ? nameFrom(beside[0], '', budget, {})
    : '';
}

/** Return the label of a form-associated custom element, which is labelled like any field; null for none. */
function customElementLabel(element, budget) {
  if (!localNameOf(element).includes('-')) return null;
  return labelText(element, budget) || null;
}

const DEFAULT_LABELS = { submit: 'Submit', reset: 'Reset', image: 'Submit' };
/** Return the name of an `<input>` by its type (HTML-AAM); null for none. */
function inputName(element, budget, how) {
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
  if (type === 'file') return attr(element, 'title') || fileButtonText(element);
  if (!how.top) return null;
  return attr(element, 'title') || attr(element, 'placeholder') || attr(element, 'aria-placeholder') || null;
}

/** Return the text that Chromium draws on the button of a file field. */
const fileButtonText = (element) => element.multiple ? 'Choose Files' : 'Choose File';

/** Return the text of the `<label>`s of a field, joined; "" for none. */
function labelText(element, budget) {
  const control = labelTargetOf(element);
  const labels = labelsOf(control);
  if (!labels.length || budget.labelled?.has(element)) return '';
  (budget.labelled ??= new Set()).add(element);
  const text = Array.from(labels, (label) => {
    if (budget.visited.has(label) || isLabelHidden(label, element)) return '';
    return nameFrom(label, '', budget, { labels: hostInTreeOf(control, label) });
  }).filter(Boolean).join(' ');
  budget.labelled.delete(element);
  return text;
}

/** Return the control itself, or its outermost shadow host that is in the same tree as the label. */
function hostInTreeOf(control, label) {
  let beside = control;
  while (treeOf(beside) !== treeOf(label)) beside = rootOf(beside).host;
  return beside;
}

/** Whether a label is hidden, and its control is not. What hides the control too, such as an ancestor of both, does not count. */
const isLabelHidden = (label, element) =>
  (containsNode(label, element) ? hiddenness(label) !== '' : isHidden(label)) && !isHidden(element);

/** Return the name of the first child with a tag, such as a `<legend>`; null for none, or a hidden one. */
function childText(element, tag, budget) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isElement(child) && localNameOf(child) === tag) return isHidden(child) ? null : nameFrom(child, '', budget, {});
  }
  return null;
}

/** Return the name of an SVG element: the text of its `<title>`; null for none. */
function svgName(element, name) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isElement(child) && localNameOf(child) === 'title') return textContentOf(child);
  }
  return name === 'a' ? attr(element, 'xlink:title') : null;
}

// Finds relations of elements in a tree, whatever is between them: labels of controls, and owners by aria-owns.

/**
 * Return the element that the labels of a field refer to: its host, where the field is in the shadow tree of a form-associated custom
 * element.
 */
function labelTargetOf(element) {
  if (!shadowsMet || !isFormField(element) || labelsOf(element).length) return element;
  return rootOf(element).host ?? element;
}

// The labels of each control in a tree, found from the labels: `element.labels` looks through the whole document
// every time, which makes a page of n fields cost n².
export const NO_LABELS = [];
/**
 * Return the `<label>`s of a control. `element.labels` would search the whole document each time, n² for a page of n fields; one map for
 * each tree does not.
 */
export const labelsOf = (element) => shadowsMet ? labelsAcrossShadow(element) : labelsInSameTree(element);
/** Return the labels of a control that are in the same tree. */
const labelsInSameTree = (element) => labelMaps.of(treeOf(element)).get(element) || NO_LABELS;

/** Return the labels of a control, those of its shadow hosts included if their trees name it as the reference target. */
function labelsAcrossShadow(element) {
  return targetOf(element) === element ? labelsOfReferenceTarget(element) : NO_LABELS;
}
/** Return the labels of a control and of the hosts that it is the reference target of, in document order. */
function labelsOfReferenceTarget(element) {
  const own = labelsInSameTree(element);
  const host = rootOf(element).host;
  if (!host || targetOf(host) !== targetOf(element)) return own;
  const outer = labelsOfReferenceTarget(host);
  /** Whether a label stands before the host. */
  const isBefore = (label) => (label.compareDocumentPosition(host) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return [...outer.filter(isBefore), ...own, ...outer.filter((label) => !isBefore(label))];
}
const labelMaps = new PerCallCache(mapLabels);
export const controlOf = lateGetter('HTMLLabelElement', 'control');

/** Map each labelled control in a document or shadow root to its `<label>`s. */
function mapLabels(root) {
  const map = new Map();
  const type = nodeTypeOf(root);
  const labels = type === 9 ? withTag(root, 'label') : type === 11 ? queryInFragment(root, 'label') : [];
  for (const label of labels) {
    const control = namespaceOf(label) === HTML ? controlOf(label) : null;
    if (!control) continue;
    if (map.has(control)) map.get(control).push(label);
    else map.set(control, [label]);
  }
  return map;
}

/**
 * Return a map for the tree of an element: each element that `aria-owns` moves → its owner. Null in a tree without `aria-owns`, as most
 * are.
 */
export const ownersByElement = (element) => ownedInTrees.of(treeOf(element))?.map ?? null;
const ownedInTrees = new PerCallCache(findOwned);
const NOTHING_OWNED = { map: null };
/** Find the elements in a document or shadow root that `aria-owns` moves. */
function findOwned(root) {
  const type = nodeTypeOf(root);
  const owners = type === 9
    ? queryInDocument(root, '[aria-owns]')
    : type === 11
    ? queryInFragment(root, '[aria-owns]')
    : [];
  if (!owners.length) return NOTHING_OWNED;
  const owned = new Map();
  for (const owner of owners) {
    if (isHidden(owner) || cannotOwn(owner)) continue;
    for (const node of referencedElements(owner, 'aria-owns')) {
      if (!owned.has(node) && node !== owner && !containsNode(node, owner) && !isOpenedBy(owner, node))
        owned.set(node, owner);
    }
  }
  return { map: owned };
}

/**
 * Whether `aria-owns` is ignored on an element: a field cannot own elements. Chromium, too, leaves the list of an ARIA 1.0 combobox in
 * its place.
 */
const cannotOwn = (owner) => tagOf(owner).opaque || tagOf(owner).frame || localNameOf(owner) === 'select';

/**
 * Whether `node` is a menu or dialog that the button `owner` opens, and no part of the button's name, though it owns it: Vuetify's
 * buttons own their menus.
 */
const isOpenedBy = (owner, node) =>
  (hasAttr(owner, 'aria-haspopup') || hasAttr(owner, 'aria-expanded')) && !containsNode(owner, node)
  && (hasAttr(owner, 'role') ? OPENING_ROLES.has(attr(owner, 'role')) : OPENING_TAGS.has(localNameOf(owner)));
const OPENING_ROLES = new Set(['button', 'link']);
const OPENING_TAGS = new Set(['button', 'a', 'summary']);
