// Accessible names: accname 1.2, and html-aam for what markup brings along. Letters in comments are steps of accname.

import { RANGES } from './kinds.js';
import { contentName } from './contents.js';
import { mustBeExposed, NAME_PROHIBITED, roleOf, tagOf } from './roles.js';
import { isSecret } from './states.js';
import { NO_CHOICE, OPENED_LISTS, writtenIn } from './values.js';
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
  OfTrees,
  parentOf,
  referenced,
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

/** The name with a blank for each white space, as it is printed and typed. */
export function nameOf(element, role = roleOf(element), seen = false) {
  const name = exactNameOf(element, role, seen);
  return name.includes(NO_BREAK) ? cleanText(name) : name;
}

/** The name with the page's no-break spaces. `seen`: without invisible words. Names of controls keep these, as those who act by name hear them. */
export function exactNameOf(element, role, seen = false) {
  if (NAME_PROHIBITED.has(role) && !isNamedAnyway(element)) return abbreviated(element);
  const budget = { left: MAX_NAME, visited: new Set() };
  try {
    return exactly(nameFrom(element, role, budget, { top: true, seen }));
  } catch (error) {
    if (error instanceof RangeError) return exactly(textContentOf(element).slice(0, MAX_NAME)); // absurdly deep
    throw error;
  }
}

// Characters of private use are the pictures of icon fonts: they cannot be read, and a tooltip says more.
const PICTURES = /[\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;
export const cleanName = (text) => NEEDS_WORK.test(text) ? cleanText(text.replace(PICTURES, '')) : text;
const exactly = (text) => NEEDS_WORK.test(text) ? cleanKeepingBreaks(text.replace(PICTURES, '')) : text;
function saysNothing(text) {
  const trimmed = text.trim();
  return trimmed === '' || trimmed.charCodeAt(0) >= 0xd800 && trimmed.replace(PICTURES, '').trim() === '';
}

/** The long form of an abbreviation is a name, though never a line of its own: its letters are part of a sentence. */
const abbreviated = (element) => localNameOf(element) === 'abbr' ? cleanName(tooltip(element)) : '';

/** Authors name generics in spite of the rule, and Chromium tells the name: an aria-label on a div is worth having. */
export const isNamedAnyway = (element) =>
  hasAttrs(element) && (hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby'));

/** Compute one node of the recursion. `how`: top (the element asked for), referenced (by labelledby), child (in a traversal). */
export function nameFrom(element, role, budget, how) {
  if (budget.left <= 0) return '';
  const plain = !hasAttrs(element);
  if (!plain && !how.noLabelledby) { // B
    const text = wordsOfLabels(element, budget, how);
    if (!saysNothing(text)) return text;
  }
  if (!how.top && !how.self) { // C
    const value = embeddedValue(element, role, budget);
    if (value !== null) return value;
  }
  if (!plain && !isSlot(element)) { // D
    const label = attr(element, 'aria-label');
    if (label && !saysNothing(label)) return label;
  }
  const isDecoration = isPresentational(element, plain);
  if (!isDecoration) { // E
    const native = nativeName(element, role, budget, how);
    if (native !== null && !saysNothing(native)) return native;
    if (native !== null && how.top) return tipOfRole(element, role);
  }
  let blank = '';
  if (FROM_CONTENT.has(role) && !isFormField(element) || !how.top && !isOpaque(element, role)) { // F
    const text = contentName(element, budget, role === 'treeitem' ? { ...how, branch: element } : how);
    if (!saysNothing(text)) return text;
    if (text !== '') blank = ' ';
  }
  return tipOf(element, role, plain || isDecoration && localNameOf(element) === 'img', how.top) || blank; // I
}

const tipOfRole = (element, role) => role === '' ? '' : tooltip(element);

const tipOf = (element, role, isWithout, isTop) =>
  (isWithout ? '' : tooltip(element)) || (isTop && FROM_CONTENT.has(role) ? pictureTip(element) : '');

function wordsOfLabels(element, budget, how) {
  const labels = referenced(element, 'aria-labelledby').filter((label) => how.top || !containsNode(label, element));
  return labels.map((label) => referencedName(label, budget, label === element)).join(' ');
}

/** The tooltip of a picture in a control that nothing else names, also of one that is said to be decoration. */
function pictureTip(element) {
  const picture = queryOne(element, 'img[title]');
  return picture && !isHidden(picture) ? tooltip(picture) : '';
}

/** The text of labels by themselves: asked by who needs to know whether there is any. */
export const labelledByText = (element, labels) => {
  const budget = { left: 200, visited: new Set([element]) };
  return labels.map((label) => referencedName(label, budget, false)).join(' ');
};

/** A label that is itself hidden still names, with all of its text; inside a visible one the hidden parts are left out. */
function referencedName(label, budget, self) {
  if (budget.visited.has(label)) return '';
  budget.visited.add(label);
  const how = { noLabelledby: true, referenced: true, evenHidden: isHidden(label), self };
  return nameFrom(label, roleOf(label), budget, how);
}

const isPresentational = (element, plain) => {
  if (plain) return false;
  const role = explicitRole(element);
  return (role === 'none' || role === 'presentation') && !mustBeExposed(element);
};
const explicitRole = (element) => (attr(element, 'role') || '').trim().toLowerCase();

const isGauge = (element) => localNameOf(element) === 'progress' || localNameOf(element) === 'meter';
export const isFormField = (element) => {
  const name = localNameOf(element);
  return name === 'input' || name === 'select' || name === 'textarea';
};

/** Inside a name these speak for themselves or not at all. */
const isOpaque = (element, role) =>
  role === 'listbox' || role === 'combobox' || role === 'menu' || role === 'textbox' && !isEditable(element)
  || localNameOf(element) === 'select' || localNameOf(element) === 'iframe' || localNameOf(element) === 'video'
  || localNameOf(element) === 'audio';
export const isEditable = (element) => isContentEditable(element) === true;

/** C: a control within a label counts with its value, unless the value is a secret. */
function embeddedValue(element, role, budget) {
  if (isSecret(element)) return '';
  if (role === 'textbox' || role === 'searchbox') {
    return isFormField(element) ? element.value : writtenIn(element);
  }
  if (role === 'combobox' || role === 'listbox') return chosenText(element, role, budget);
  if (RANGES.has(role)) {
    return attr(element, 'aria-valuetext') || attr(element, 'aria-valuenow')
      || (isFormField(element) || isGauge(element) ? String(element.value) : null);
  }
  return null;
}

export const FIELD = 'input:not([type=hidden]),textarea';

/** The chosen text of a list, or the text that the closed list shows. */
export function chosenText(element, role, budget) {
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

const tooltip = (element) => attr(element, 'title') || '';

exported.nameOf = nameOf;

// Names that HTML and SVG markup brings along: html-aam.

const LABELLED_FIELDS = new Set(['select', 'textarea', 'meter', 'progress', 'output']);
const NAMED_BY = new Map([['iframe', 'title'], ['frame', 'title'], ['optgroup', 'label']]);

/** E: what the element's own markup says; null where HTML has nothing to say. */
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
        || (how.top && role !== '' ? attr(element, 'title') || captionOf(element, budget) : '') || '';
    case 'area':
      return attr(element, 'alt') || (how.top ? attr(element, 'title') : null);
    case 'option':
      return attr(element, 'label') || element.text;
    case 'fieldset':
      return childText(element, 'legend', budget);
    case 'table':
      return childText(element, 'caption', budget) || attr(element, 'summary');
    default:
      return labelled(element, budget) || (how.top ? ownedWords(element, role, budget) : null);
  }
}

/** The name of an element of any tag by its role: the placeholder of an editor, the heading of a dialog (accname 1.3). */
function ownedWords(element, role, budget) {
  if (role === 'textbox') return attr(element, 'aria-placeholder');
  if (role !== 'dialog' && role !== 'alertdialog') return null;
  const heading = queryOne(element, 'h1,h2,h3,h4,h5,h6,[role=heading]');
  return heading && !isHidden(heading) ? attr(element, 'title') || nameFrom(heading, 'heading', budget, {}) : null;
}

/** html-aam: an image without any name of its own, and alone with a caption in its figure, is called by that. */
function captionOf(image, budget) {
  const figure = hasAttr(image, 'alt') ? null : parentOf(image);
  if (!figure || localNameOf(figure) !== 'figure') return '';
  const beside = [...siblingsFrom(firstChildOf(figure))].filter((node) =>
    node !== image && (isElement(node) || isText(node) && dataOf(node).trim())
  );
  return beside.length === 1 && isElement(beside[0]) && localNameOf(beside[0]) === 'figcaption'
    ? nameFrom(beside[0], '', budget, {})
    : '';
}

/** Form-associated custom elements are labelled like any field. */
function labelled(element, budget) {
  if (!localNameOf(element).includes('-')) return null;
  return labelText(element, budget) || null;
}

const DEFAULT_LABELS = { submit: 'Submit', reset: 'Reset', image: 'Submit' };
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

const fileButtonText = (element) => element.multiple ? 'Choose Files' : 'Choose File';

function labelText(element, budget) {
  const control = labelledAs(element);
  const labels = labelsOf(control);
  if (!labels.length || budget.labelled?.has(element)) return '';
  (budget.labelled ??= new Set()).add(element);
  const text = Array.from(labels, (label) => {
    if (budget.visited.has(label) || isHiddenBeside(label, element)) return '';
    return nameFrom(label, '', budget, { labels: besideLabel(control, label) });
  }).filter(Boolean).join(' ');
  budget.labelled.delete(element);
  return text;
}

/** The element of a label's own tree that is its control, or has that in a shadow tree. */
function besideLabel(control, label) {
  let beside = control;
  while (treeOf(beside) !== treeOf(label)) beside = rootOf(beside).host;
  return beside;
}

/** An element that closes off a label closes off the control in it, too: there only the label's own visibility is asked. */
const isHiddenBeside = (label, element) =>
  (containsNode(label, element) ? hiddenness(label) !== '' : isHidden(label)) && !isHidden(element);

function childText(element, tag, budget) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isElement(child) && localNameOf(child) === tag) return isHidden(child) ? null : nameFrom(child, '', budget, {});
  }
  return null;
}

function svgName(element, name) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isElement(child) && localNameOf(child) === 'title') return textContentOf(child);
  }
  return name === 'a' ? attr(element, 'xlink:title') : null;
}

// Finds relations of elements in a tree, whatever is between them: labels of controls, and owners by aria-owns.

/** A field in a shadow tree is what the labels of its host are about: a custom element that takes part in forms. */
function labelledAs(element) {
  if (!shadowsMet || !isFormField(element) || labelsOf(element).length) return element;
  return rootOf(element).host ?? element;
}

// The labels of each control in a tree, found from the labels: `element.labels` looks through the whole document
// every time, which makes a page of n fields cost n².
export const NO_LABELS = [];
export const labelsOf = (element) => shadowsMet ? labelsOutside(element) : labelsBeside(element);
const labelsBeside = (element) => labelMaps.of(treeOf(element)).get(element) || NO_LABELS;

/** Labels of the host of a shadow tree are those of the element in it that the tree names as the target of references. */
function labelsOutside(element) {
  return targetOf(element) === element ? labelsOfTarget(element) : NO_LABELS;
}
function labelsOfTarget(element) {
  const own = labelsBeside(element);
  const host = rootOf(element).host;
  if (!host || targetOf(host) !== targetOf(element)) return own;
  const outer = labelsOfTarget(host);
  const isBefore = (label) => (label.compareDocumentPosition(host) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return [...outer.filter(isBefore), ...own, ...outer.filter((label) => !isBefore(label))];
}
const labelMaps = new OfTrees(labelMapOf);
export const controlOf = lateGetter('HTMLLabelElement', 'control');

function labelMapOf(root) {
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

/** Elements that aria-owns moves, and to whom; null in a tree that has none, as most have. */
export const ownedBeside = (element) => ownedInTrees.of(treeOf(element))?.map ?? null;
const ownedInTrees = new OfTrees(ownedIn);
const NOTHING_OWNED = { map: null };
function ownedIn(root) {
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
    for (const node of referenced(owner, 'aria-owns')) {
      if (!owned.has(node) && node !== owner && !containsNode(node, owner) && !isOpenedBy(owner, node))
        owned.set(node, owner);
    }
  }
  return { map: owned };
}

/** A field cannot own elements: Chromium, too, leaves the list of an ARIA 1.0 combobox in its place. */
const cannotOwn = (owner) => tagOf(owner).opaque || tagOf(owner).frame || localNameOf(owner) === 'select';

/** A menu or dialog that a button opens beside itself is no part of the button's name: Vuetify's owns its menu. */
const isOpenedBy = (owner, node) =>
  (hasAttr(owner, 'aria-haspopup') || hasAttr(owner, 'aria-expanded')) && !containsNode(owner, node)
  && (hasAttr(owner, 'role') ? OPENING_ROLES.has(attr(owner, 'role')) : OPENING_TAGS.has(localNameOf(owner)));
const OPENING_ROLES = new Set(['button', 'link']);
const OPENING_TAGS = new Set(['button', 'a', 'summary']);
