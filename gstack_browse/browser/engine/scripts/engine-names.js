// Accessible names: accname 1.2, with html-aam for what HTML elements bring along. Letters in comments are its steps.

import {
  childElementCountOf,
  containsNode,
  dataOf,
  firstChildOf,
  lateGetter,
  lateMethod,
  localNameOf,
  method,
  namespaceOf,
  nodeTypeOf,
  queryAll,
  queryOne,
  rootOf,
  textContentOf,
} from './engine-accessors.js';
import {
  attr,
  childrenOf,
  cleanText,
  exported,
  hasAttr,
  hasAttrs,
  HTML,
  isElement,
  isSlot,
  isText,
  NEEDS_WORK,
  OfTrees,
  parentOf,
  queryTree,
  referenced,
  shadowRootOf,
  shadowsMet,
  siblingsFrom,
  SVG,
  treeOf,
  withTag,
} from './engine-dom.js';
import { mustBeExposed, NAME_PROHIBITED, roleOf } from './engine-roles.js';
import { hiddenness, isClosedOff, isHidden, styleOf } from './engine-hidden.js';
import { counterText } from './engine-counters.js';
import { isSecret } from './engine-states.js';
import { writtenIn } from './engine-values.js';
import { kindOf } from './engine-kinds.js';
import { isUnseen } from './engine-unseen.js';

// Long enough for any name that a person wrote; a name made of a whole page is cut while it is being computed.
const MAX_NAME = 10000;

const FROM_CONTENT = new Set(`button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox
  menuitemradio option radio row rowheader sectionhead switch tab tooltip treeitem doc-backlink doc-biblioref
  doc-glossref doc-noteref`.split(/\s+/));
const RANGES = new Set(['slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar']);

// `seen`: without the words that nobody can see. Names of controls keep them, as those who act by names hear them.
function nameOf(element, role = roleOf(element), seen = false) {
  if (NAME_PROHIBITED.has(role) && !isNamedAnyway(element)) return abbreviated(element);
  const budget = { left: MAX_NAME, visited: new Set() };
  try {
    return cleanName(nameFrom(element, role, budget, { top: true, seen }));
  } catch (error) {
    if (error instanceof RangeError) return cleanName(textContentOf(element).slice(0, MAX_NAME)); // absurdly deep
    throw error;
  }
}

// Characters of private use are the pictures of icon fonts: nobody can read them, a tooltip says more.
const PICTURES = /[\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;
const cleanName = (text) => NEEDS_WORK.test(text) ? cleanText(text.replace(PICTURES, '')) : text;
function saysNothing(text) {
  const trimmed = text.trim();
  return trimmed === '' || trimmed.charCodeAt(0) >= 0xd800 && trimmed.replace(PICTURES, '').trim() === '';
}

// What an abbreviation stands for is a name, though never a line of its own: its letters are part of a sentence.
const abbreviated = (element) => localNameOf(element) === 'abbr' ? cleanName(tooltip(element)) : '';

// Authors name generics in spite of the rule, and Chromium tells the name: an aria-label on a div is worth having.
const isNamedAnyway = (element) =>
  hasAttrs(element) && (hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby'));

// One node of the recursion. `how`: top (the element asked for), referenced (by labelledby), child (in a traversal).
function nameFrom(element, role, budget, how) {
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
  if (plain || isDecoration && localNameOf(element) === 'img') return blank;
  return tooltip(element) || blank; // I
}

// The text of labels by themselves: asked by who needs to know whether there is any.
const labelledByText = (element, labels) => {
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
const isFormField = (element) => {
  const name = localNameOf(element);
  return name === 'input' || name === 'select' || name === 'textarea';
};

// Inside a name these speak for themselves or not at all.
const isOpaque = (element, role) =>
  role === 'listbox' || role === 'combobox' || role === 'menu' || role === 'textbox' && !isEditable(element)
  || localNameOf(element) === 'select' || localNameOf(element) === 'iframe' || localNameOf(element) === 'video'
  || localNameOf(element) === 'audio';
const isEditable = (element) => element.isContentEditable === true;

// C: a control within a label counts with its value, unless the value is a secret.
function embeddedValue(element, role, budget) {
  if (role === 'textbox' || role === 'searchbox') {
    if (isSecret(element)) return '';
    return isFormField(element) ? element.value : writtenIn(element);
  }
  if (role === 'combobox' || role === 'listbox') return chosenText(element, role, budget);
  if (RANGES.has(role)) {
    return attr(element, 'aria-valuetext') || attr(element, 'aria-valuenow')
      || (isFormField(element) || isGauge(element) ? String(element.value) : null);
  }
  return null;
}

const FIELD = 'input:not([type=hidden]),textarea';

// What is chosen in a list, or shown by the closed one.
function chosenText(element, role, budget) {
  if (localNameOf(element) === 'select') {
    return [...element.selectedOptions].map((option) => option.label || option.text).join(' ');
  }
  if (isFormField(element)) return element.value;
  const chosen = [...queryAll(element, '[role=option][aria-selected=true]')];
  if (chosen.length || role === 'listbox')
    return chosen.map((option) => nameFrom(option, 'option', budget, {})).join(' ');
  const field = queryOne(element, FIELD);
  if (field) return isSecret(field) ? '' : field.value;
  return queryOne(element, '[role=listbox],[role=option]') ? '' : contentName(element, budget, {});
}

// E: what the element's own markup says; null where HTML has nothing to say.
function nativeName(element, role, budget, how) {
  const name = localNameOf(element);
  if (namespaceOf(element) === SVG) return svgName(element, name);
  switch (name) {
    case 'input':
      return inputName(element, budget, how);
    case 'select':
    case 'textarea':
    case 'meter':
    case 'progress':
    case 'output':
      return labelText(element, budget) || (how.top ? attr(element, 'title') || attr(element, 'placeholder') : '')
        || null;
    case 'button':
      return labelText(element, budget) || null;
    case 'img':
      return attr(element, 'alt')
        || (how.top && role !== '' ? attr(element, 'title') || captionOf(element, budget) : '') || '';
    case 'area':
      return attr(element, 'alt') || (how.top ? attr(element, 'title') : null);
    case 'iframe':
    case 'frame':
      return attr(element, 'title');
    case 'optgroup':
      return attr(element, 'label');
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

// What names an element of any tag for its role: the placeholder of an editor, the heading of a dialog (accname 1.3).
function ownedWords(element, role, budget) {
  if (role === 'textbox') return attr(element, 'aria-placeholder');
  if (role !== 'dialog' && role !== 'alertdialog') return null;
  const heading = queryOne(element, 'h1,h2,h3,h4,h5,h6,[role=heading]');
  return heading && !isHidden(heading) ? attr(element, 'title') || nameFrom(heading, 'heading', budget, {}) : null;
}

// html-aam: an image without any name of its own, and alone with a caption in its figure, is called by that.
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

// Form-associated custom elements are labelled like any field.
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
    if (budget.visited.has(label) || isHidden(label) && !isHidden(element)) return '';
    return nameFrom(label, '', budget, { labels: control });
  }).filter(Boolean).join(' ');
  budget.labelled.delete(element);
  return text;
}

// A field in a shadow tree is what the labels of its host are about: a custom element that takes part in forms.
function labelledAs(element) {
  if (!shadowsMet || !isFormField(element) || labelsOf(element).length) return element;
  return rootOf(element).host ?? element;
}

// The labels of each control in a tree, found from the labels: `element.labels` looks through the whole document
// every time, which makes a page of n fields cost n².
const NO_LABELS = [];
const labelsOf = (element) => labelMaps.of(treeOf(element)).get(element) || NO_LABELS;
const labelMaps = new OfTrees(labelMapOf);
const queryInDocument = method(Document, 'querySelectorAll');
const queryInFragment = lateMethod('DocumentFragment', 'querySelectorAll');
const controlOf = lateGetter('HTMLLabelElement', 'control');

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

// F: before, the children in order, after. Blocks are set off by blanks, inline pieces are not.
function contentName(element, budget, how) {
  const only = onlyText(element);
  if (only !== null && !hasGenerated(element)) {
    budget.left -= only.length;
    return how.evenHidden ? only : shownText(only, element);
  }
  const parts = [generated(element, '::before')];
  for (const child of childrenForName(element)) {
    if (budget.left <= 0) break;
    parts.push(isText(child) ? textName(child, element, budget, how) : childName(child, budget, how));
  }
  parts.push(generated(element, '::after'));
  return parts.join('');
}

// In its own place nothing is told that aria-owns has moved to another.
function* childrenForName(element) {
  const owned = ownedBeside(element);
  if (owned === null) {
    yield* childrenOf(element);
    return;
  }
  for (const child of childrenOf(element)) if (!owned.has(child)) yield child;
  if (hasAttrs(element) && hasAttr(element, 'aria-owns')) {
    for (const node of referenced(element, 'aria-owns')) if (owned.get(node) === element) yield node;
  }
}

// Elements that aria-owns moves, and to whom; null in a tree that has none, as most have.
const ownedBeside = (element) => ownedInTrees.of(treeOf(element))?.map ?? null;
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
    if (isHidden(owner)) continue;
    for (const node of referenced(owner, 'aria-owns')) {
      if (!owned.has(node) && node !== owner && !containsNode(node, owner)) owned.set(node, owner);
    }
  }
  return { map: owned };
}

// The text of an element that holds nothing else, else null: by far the most frequent case, and cheap without its nodes.
function onlyText(element) {
  if (childElementCountOf(element) > 0 || shadowRootOf(element) !== null || isSlot(element)) return null;
  return hasAttrs(element) && hasAttr(element, 'aria-owns') ? null : textContentOf(element);
}

function textName(node, parent, budget, how) {
  const text = dataOf(node);
  budget.left -= text.length;
  return how.evenHidden ? text : shownText(text, parent);
}

// Text as it is read: in the letters that `text-transform` makes of it, as Chromium tells it too.
function shownText(text, element) {
  return isTransforming(element) ? transformed(text, styleOf(element).textTransform) : text;
}

function transformed(text, how) {
  switch (how) {
    case 'uppercase':
      return text.toUpperCase();
    case 'lowercase':
      return text.toLowerCase();
    case 'capitalize':
      return text.replace(/(?<![\p{L}\p{N}\p{M}_'’])\p{L}/gu, (letter) => letter.toUpperCase());
    default:
      return text;
  }
}

function childName(child, budget, how) {
  if (!isElement(child) || budget.visited.has(child)) return '';
  if (child === how.labels) return hiddenness(child) === 'none' ? '' : ' '; // its place stays
  const tag = localNameOf(child);
  if (tag === 'br' || tag === 'wbr') return tag === 'br' ? ' ' : '';
  if (how.branch && isBranchOf(child) || how.seen && isUnseen(child)) return '';
  if (how.withoutControls && kindOf(roleOf(child)).operable) return ' ';
  if (tag === 'script' || tag === 'style' || tag === 'template' || tag === 'noscript') return '';
  const hidden = how.evenHidden ? '' : hiddenness(child);
  if (hidden === 'none' || !how.evenHidden && hasAttrs(child) && isClosedOff(child)) return '';
  const text = hidden === 'self'
    ? visiblePartsOf(child, budget, how)
    : nameFrom(child, roleOf(child), budget, { ...how, top: false, referenced: false, self: false });
  return isInline(child) ? text : ` ${text} `;
}

// A tree item is called by its own line, not by all that is below it.
const isBranchOf = (child) => {
  const role = roleOf(child);
  return role === 'group' || role === 'treeitem';
};

// visibility:hidden with visible children: only those speak.
function visiblePartsOf(element, budget, how) {
  return [...childrenOf(element)].filter(isElement).map((child) => childName(child, budget, how)).join('');
}

function isInline(element) {
  const display = styleOf(element).display;
  return display === 'inline' || display === 'contents' || display === '';
}

const tooltip = (element) => attr(element, 'title') || '';

// Generated content. Asking for the style of a pseudo-element is dear (about 2 µs), so only where a sheet has one.
function generated(element, pseudo) {
  if (!hasGenerated(element)) return '';
  const style = styleOf(element, pseudo);
  const content = style.content;
  if (
    !content || content === 'none' || content === 'normal' || style.display === 'none' || style.visibility !== 'visible'
  ) return '';
  const text = transformed(generatedText(element, pseudo, content), style.textTransform);
  return style.display === 'inline' ? text : ` ${text} `;
}

// `content: url(x) / "alternative"`: after the slash comes what is said instead.
function generatedText(element, pseudo, content) {
  if (content === 'open-quote') return '“';
  if (content === 'close-quote') return '”';
  const slash = content.search(/\/\s*(?:"|attr|counter)/);
  const spoken = slash < 0 || insideQuotes(content, slash) ? content : content.slice(slash + 1);
  let text = '';
  for (const [, quoted, kind, inside] of spoken.matchAll(GENERATED)) {
    if (quoted !== undefined) text += quoted.replace(/\\(.)/g, '$1');
    else if (kind) text += counterText(element, pseudo.slice(2), kind, inside);
  }
  if (!spoken.includes('counter')) return text;
  return pseudo === '::before' ? text.replace(/\w$/, '$& ') : text.replace(/^\w/, ' $&'); // a number is no part of a word
}

// A text, a counter, or another function, which says nothing.
const GENERATED = /"((?:[^"\\]|\\.)*)"|(counters?)\(((?:"[^"]*"|[^)"])*)\)|[a-z-]+\((?:"(?:[^"\\]|\\.)*"|[^")])*\)/g;

function insideQuotes(content, index) {
  return (content.slice(0, index).match(/(?<!\\)"/g) || []).length % 2 === 1;
}

// What the sheets of a tree do to names: asked of the sheets, since asking every element is dear.
const effectsOn = (element) => rootEffects.of(treeOf(element));
const rootEffects = new OfTrees((root) => effectsIn(root));
const hasGenerated = (element) => effectsOn(element).generates || localNameOf(element) === 'q';
const isTransforming = (element) => effectsOn(element).transforms;

const sheetsOf = (root) => sheetsInTrees.of(root);
const sheetsInTrees = new OfTrees((root) => listed(root.styleSheets).concat(listed(root.adoptedStyleSheets)));
const listed = (sheets) => sheets && sheets.length > 0 ? Array.from(sheets) : [];
const effectsIn = (root) => ({
  generates: sheetsOf(root).some((sheet) => effectsOf(sheet).generates),
  transforms: transformsIn(root),
});
const BY_STYLE = '[style*="text-transform"]';
// A transform is inherited, also by a shadow tree.
function transformsIn(root) {
  if (sheetsOf(root).some((sheet) => effectsOf(sheet).transforms)) return true;
  if (queryTree(root, BY_STYLE) !== null) return true;
  return nodeTypeOf(root) === 11 && Boolean(root.host) && isTransforming(root.host);
}

const knownEffects = new WeakMap();
const ALL_EFFECTS = { generates: true, transforms: true };
const GENERATES = /:(?:before|after)/;

// Sheets change: every call looks again at how many rules there are, which is cheap. What was found once stays found.
function effectsOf(sheet) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return ALL_EFFECTS; // of another origin
  }
  const known = knownEffects.get(sheet);
  if (known && (known.count === rules.length || known.generates && known.transforms)) return known;
  const found = { count: rules.length, generates: false, transforms: false, ...known };
  found.count = rules.length;
  noteEffects(rules, found);
  knownEffects.set(sheet, found);
  return found;
}

function noteEffects(rules, found) {
  for (const rule of rules) {
    if (found.generates && found.transforms) return;
    if (rule.selectorText) {
      found.generates ||= GENERATES.test(rule.selectorText);
      found.transforms ||= rule.style.textTransform !== '';
    }
    if (rule.styleSheet) {
      const imported = effectsOf(rule.styleSheet);
      found.generates ||= imported.generates;
      found.transforms ||= imported.transforms;
    }
    if (rule.cssRules && rule.cssRules.length) noteEffects(rule.cssRules, found);
  }
}

Object.assign(exported, {
  nameOf,
  labelTextOf: (element) => cleanText(labelText(element, { left: MAX_NAME, visited: new Set() })),
});

export {
  chosenText,
  contentName,
  controlOf,
  FIELD,
  hasGenerated,
  isEditable,
  isFormField,
  isNamedAnyway,
  labelledByText,
  labelsOf,
  MAX_NAME,
  nameOf,
  NO_LABELS,
  onlyText,
  ownedBeside,
  queryInDocument,
  queryInFragment,
  RANGES,
  sheetsOf,
  shownText,
};
