// Accessible names: accname 1.2. Letters in comments are its steps.

import { containsNode, isContentEditable, localNameOf, queryAll, queryOne, textContentOf } from './engine-accessors.js';
import {
  attr,
  cleanKeepingBreaks,
  cleanText,
  exported,
  hasAttr,
  hasAttrs,
  isSlot,
  NEEDS_WORK,
  NO_BREAK,
  referenced,
} from './engine-dom.js';
import { mustBeExposed, NAME_PROHIBITED, roleOf } from './engine-roles.js';
import { isHidden } from './engine-hidden.js';
import { contentName } from './engine-contents.js';
import { labelText, nativeName } from './engine-native-names.js';
import { isSecret } from './engine-states.js';
import { NO_CHOICE, OPENED_LISTS, RANGES, writtenIn } from './engine-values.js';

// Long enough for any name that a person wrote; a name made of a whole page is cut while it is being computed.
export const MAX_NAME = 10000;

const FROM_CONTENT = new Set(`button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox
  menuitemradio option radio row rowheader sectionhead switch tab tooltip treeitem doc-backlink doc-biblioref
  doc-glossref doc-noteref`.split(/\s+/));

// The name with a blank for each white space, as it is printed and typed.
export function nameOf(element, role = roleOf(element), seen = false) {
  const name = exactNameOf(element, role, seen);
  return name.includes(NO_BREAK) ? cleanText(name) : name;
}

// The name with the page's no-break spaces. `seen`: without invisible words. Names of controls keep these, as those who act by name hear them.
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

// The long form of an abbreviation is a name, though never a line of its own: its letters are part of a sentence.
const abbreviated = (element) => localNameOf(element) === 'abbr' ? cleanName(tooltip(element)) : '';

// Authors name generics in spite of the rule, and Chromium tells the name: an aria-label on a div is worth having.
export const isNamedAnyway = (element) =>
  hasAttrs(element) && (hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby'));

// Compute one node of the recursion. `how`: top (the element asked for), referenced (by labelledby), child (in a traversal).
export function nameFrom(element, role, budget, how) {
  if (budget.left <= 0) return '';
  const plain = !hasAttrs(element);
  if (!plain && !how.noLabelledby) { // B
    const labels = referenced(element, 'aria-labelledby').filter((label) => how.top || !containsNode(label, element));
    if (labels.length) {
      const text = labels.map((label) => referencedName(label, budget, label === element)).join(' ');
      if (!saysNothing(text)) return text;
    }
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
    if (native !== null && how.top) return role === '' ? '' : tooltip(element);
  }
  let blank = '';
  if (FROM_CONTENT.has(role) && !isFormField(element) || !how.top && !isOpaque(element, role)) { // F
    const text = contentName(element, budget, role === 'treeitem' ? { ...how, branch: element } : how);
    if (!saysNothing(text)) return text;
    if (text !== '') blank = ' ';
  }
  const tip = plain || isDecoration && localNameOf(element) === 'img' ? '' : tooltip(element); // I
  return tip || (how.top && FROM_CONTENT.has(role) ? pictureTip(element) : '') || blank;
}

// The tooltip of a picture in a control that nothing else names, also of one that is said to be decoration.
function pictureTip(element) {
  const picture = queryOne(element, 'img[title]');
  return picture && !isHidden(picture) ? tooltip(picture) : '';
}

// The text of labels by themselves: asked by who needs to know whether there is any.
export const labelledByText = (element, labels) => {
  const budget = { left: 200, visited: new Set([element]) };
  return labels.map((label) => referencedName(label, budget, false)).join(' ');
};

// A label that is itself hidden still names, with all of its text; inside a visible one the hidden parts are left out.
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

// Inside a name these speak for themselves or not at all.
const isOpaque = (element, role) =>
  role === 'listbox' || role === 'combobox' || role === 'menu' || role === 'textbox' && !isEditable(element)
  || localNameOf(element) === 'select' || localNameOf(element) === 'iframe' || localNameOf(element) === 'video'
  || localNameOf(element) === 'audio';
export const isEditable = (element) => isContentEditable(element) === true;

// C: a control within a label counts with its value, unless the value is a secret.
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

// The chosen text of a list, or the text that the closed list shows.
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

Object.assign(exported, {
  nameOf,
  labelTextOf: (element) => cleanText(labelText(element, { left: MAX_NAME, visited: new Set() })),
});
