// Values: what a field holds, as a person sees it, and the editors that draw their text beside the field that takes the keys.

import { MEASURES } from './kinds.js';
import { contentName } from './contents.js';
import { isSign, ligatureIconName, trimCrosses } from './hints.js';
import { chosenOptionText, FIELD, isEditable, isNamedAnyway, labelsOf, MAX_NAME, nameOf } from './names.js';
import { roleOf } from './roles.js';
import { isSecret, MASK } from './states.js';
import {
  childElementCountOf,
  closest,
  dataOf,
  isContentEditable,
  localNameOf,
  matches,
  newRange,
  offsetWidthOf,
  queryAll,
  queryOne,
  rectOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  hasAttr,
  hasAttrs,
  isElement,
  isText,
  parentOf,
  referencedElements,
  shadowRootOf,
} from '../dom/dom.js';
import { settledStyle } from '../visibility/animations.js';
import { hiddenness, isClosedOff, styleOf } from '../visibility/hidden.js';
import { hidesAllInside } from '../visibility/unseen.js';

const VALUED_INPUTS = new Set(['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'hidden']);
export const MAX_WRITTEN = 20000; // of an editor's text: what is printed is far less

/** Return the value of a field or widget as it is printed; "" for none. */
export function valueOf(element, role, tag) {
  if (tag === 'input')
    return VALUED_INPUTS.has(element.type)
      ? ''
      : inputValue(element) || (role === 'combobox' ? textDrawnOver(element) : '');
  if (tag === 'textarea')
    return isSecret(element) ? maskSecret(element.value) : codeEditorText(element) ?? element.value;
  if (tag === 'select') return role === 'combobox' ? chosenOptionText(element, role) : '';
  if (tag === 'progress' || tag === 'meter') return hasAttr(element, 'value') ? String(element.value) : '';
  if (MEASURES.has(role)) return rangeValue(element, role);
  if (role === 'combobox' && !isEditable(element))
    return queryOne(element, FIELD)
      ? chipTexts(element).join(', ')
      : cleanText(chosenOptionText(element, role, { left: MAX_NAME, visited: new Set() }));
  if (role === 'button') return chosenInButton(element);
  if (role === 'textbox' || role === 'searchbox' || role === 'combobox')
    return codeEditorText(element) ?? displayedText(element);
  return '';
}

/** Return the value of a slider, meter, spin button or the like, as text. */
const rangeValue = (element, role) =>
  attr(element, 'aria-valuetext')
  || (role === 'spinbutton' && isContentEditable(element) ? displayedText(element) : '')
  || attr(element, 'aria-valuenow') || (role === 'spinbutton' ? displayedText(element) : '');

// The list that is chosen from is no part of what is chosen, nor are the crosses of chips.
export const OPENED_LISTS = new Set(['dialog', 'grid', 'listbox', 'menu', 'option', 'tree']);
export const NO_CHOICE = new Set([...OPENED_LISTS, 'button']);

const NO_CHIPS = new Set([...NO_CHOICE, 'textbox', 'searchbox', 'combobox', 'tooltip', 'status', 'alert', 'log']);
/** Return the texts of the choices (chips) beside the search field of a list, as in ARIA 1.1. The field's content is its own value. */
export function chipTexts(list) {
  const visited = new Set(referencedElements(list, 'aria-describedby'));
  const words = contentName(list, { left: MAX_NAME, visited }, { seen: true, without: NO_CHIPS });
  const chips = words.split(/\s{2,}/).map(trimCrosses).filter(Boolean);
  return nameOf(list).includes(chips.join(' ')) ? [] : chips;
}

/** Whether an element says that it opens something: a list, menu or dialog. */
const opensSomething = (element) =>
  (attr(element, 'aria-haspopup') ?? 'false') !== 'false' || hasAttr(element, 'aria-expanded');
/** Whether a button may show a chosen value as its text: it opens something, and its name comes from elsewhere. */
export const mayShowChoice = (button) =>
  opensSomething(button) && (isNamedAnyway(button) || labelsOf(button).length > 0);
/** Return the chosen value that a button shows; "" for an icon, or a text that is part of its name. */
function chosenInButton(element) {
  const text = cleanText(contentName(element, { left: MAX_NAME, visited: new Set() }, { seen: true }));
  if (isSign(text) || text === ligatureIconName(element)) return ''; // an icon
  return nameOf(element, 'button').toLowerCase().includes(text.toLowerCase()) ? '' : text;
}

/** Return the mask for a secret that is not empty. */
const maskSecret = (value) => value ? MASK : '';

/** Return the value of an `<input>`: secrets masked, files by name. */
function inputValue(element) {
  if (isSecret(element)) return maskSecret(element.value);
  if (element.type === 'file') return Array.from(element.files || [], (file) => file.name).join(', ');
  return element.value;
}

// The words drawn over the empty field of a searchable list: the choice, as React Select and Element Plus show it. The field itself
// has no such words; `fill` and `value` do not know them.
const LEVELS_OF_BOX = 4;
const TALLEST_BOX = 80; // pixels
const NO_VALUES =
  'label,legend,button,[role=button],[role=listbox],[role=option],[role=menu],[aria-live],[role=tooltip]';
/**
 * Return the text drawn over the empty field of a searchable list: its choice, as React Select and Element Plus show it. The field itself
 * has no such text; `fill` and `value` do not know it.
 */
function textDrawnOver(field) {
  const skipped = new Set([field, ...referencedElements(field, 'aria-describedby')]);
  const box = boxOfField(field);
  for (const outer of [...ancestorsOf(field)].slice(0, LEVELS_OF_BOX)) {
    if (rectOf(outer).height > TALLEST_BOX || queryAll(outer, `${FIELD},select`).length > 1) return '';
    for (const part of childrenOf(outer)) {
      const texts = [...visibleTextNodes(part, skipped)];
      if (!texts.some((text) => overlaps(text, box))) continue;
      const words = cleanText(texts.map(dataOf).join(''));
      return nameOf(field).includes(words) ? '' : words; // a label that floats into the empty field
    }
    skipped.add(outer);
  }
  return '';
}

/**
 * Return the rectangle of a field's box: the outermost element around the field alone, since the field may be no wider than the text
 * typed so far.
 */
function boxOfField(field) {
  let outermost = field;
  for (const outer of ancestorsOf(field)) {
    if (childElementCountOf(outer) > 2 || textContentOf(outer).trim() !== '' || rectOf(outer).height > TALLEST_BOX)
      break;
    outermost = outer;
  }
  return rectOf(outermost);
}

/** Yield the visible text nodes in a node, except in elements `skipped` and in those that hold no value. */
function* visibleTextNodes(node, skipped) {
  if (isText(node)) yield node;
  if (!isElement(node) || skipped.has(node) || matches(node, NO_VALUES) || settledStyle(node).opacity === '0') return;
  if (hidesAllInside(node)) return;
  for (const child of childrenOf(node)) yield* visibleTextNodes(child, skipped);
}

/** Whether a text node is drawn over a rectangle. */
function overlaps(text, box) {
  const range = newRange(document);
  range.selectNode(text);
  return [...range.getClientRects()].some(({ left, right, top, bottom }) =>
    right - left > 1 && left < box.right && right > box.left && top < box.bottom && bottom > box.top
  );
}

// The text of an editor that is made of elements: each block in it is a line. `innerText` would tell an empty block as two.
// White space that collapses is one blank between words, and none at either end of a line: https://www.w3.org/TR/css-text-3/#white-space-phase-2
const LINES_OF_AN_EDITOR = new Set(
  `address article aside blockquote dd div dl dt figure figcaption footer h1 h2 h3 h4 h5 h6 header hr li ol p pre
  section table tbody tr ul`.split(/\s+/),
);
/** Return the text of an editor as a person sees it. White space that collapses is one blank. */
export const displayedText = (element) => textInLines(element, true);

/** Return the text of an editor with all its white space, to be compared with the text that was to be written. */
export const editableText = (element) => textInLines(element, false);

/** Return the text of an editor, each block a line. `isAsSeen`: collapse white space as CSS does. */
function textInLines(element, isAsSeen) {
  if (childElementCountOf(element) === 0 && !shadowRootOf(element)) {
    const data = textContentOf(element).slice(0, MAX_WRITTEN);
    return isAsSeen && collapses(data, element)
      ? collapseWhiteSpace(data).replace(/^ | $/g, '')
      : withoutSourceBreaks(data, element);
  }
  const text = { lines: [], line: null, blank: false, left: MAX_WRITTEN, isAsSeen, isWidget: false };
  collectLines(element, text);
  if (text.line !== null) endLine(text);
  return text.lines.join('\n');
}

/** End the current line of a text being collected (see `textInLines`). */
function endLine(text) {
  text.lines.push(text.line ?? '');
  text.line = null;
  text.blank = false;
}

/**
 * Collect the text below an element, line by line, into `text` (made in `textInLines`). `text.line`: the open line, null before its
 * first word; `text.blank`: a blank is due before the next word; `text.left`: characters that may still be read.
 */
function collectLines(parent, text) {
  for (const node of childrenOf(parent)) {
    if (text.left <= 0) return;
    if (isText(node)) {
      const data = text.isAsSeen ? dataOf(node) : withoutSourceBreaks(dataOf(node), parent);
      text.left -= data.length;
      if (text.isAsSeen && collapses(data, parent)) appendCollapsed(collapseWhiteSpace(data), text);
      else if (text.line !== null || data.trim() !== '' || data !== '' && preservesWhiteSpace(parent))
        appendToLine(data, text);
    } else if (isElement(node) && !(hasAttrs(node) && isClosedOff(node))) {
      const around = text.isWidget;
      if (hasAttrs(node) && hasAttr(node, 'contenteditable')) text.isWidget = attr(node, 'contenteditable') === 'false';
      if (!(text.isWidget && isInvisiblePart(node))) collectElementLines(node, text);
      text.isWidget = around;
    }
  }
}

/** Append characters to the open line. */
function appendToLine(data, text) {
  text.line = (text.line ?? '') + (text.blank ? ' ' : '') + data;
  text.blank = false;
}

/** Append a text whose white space is collapsed: a blank at its edge counts only between two words. */
function appendCollapsed(data, text) {
  const words = data.replace(/^ | $/g, '');
  text.blank ||= data.startsWith(' ') && text.line !== null && !/\s$/.test(text.line);
  if (words === '' || words.trim() === '' && text.line === null) return;
  appendToLine(words, text);
  text.blank = data.endsWith(' ');
}

/**
 * Whether a part of an editor is not visible. That counts only for parts that an editor inserted and nobody can edit; text that was
 * written counts though hidden.
 */
const isInvisiblePart = (part) => hiddenness(part) === 'none' || hidesAllInside(part);

/** Collect the text of an element into `text`: a block is a line, a table cell is set off by a tab. */
function collectElementLines(element, text) {
  const name = localNameOf(element);
  if (name === 'svg') return; // a drawing: the blanks between its tags are none of the text
  if ((name === 'td' || name === 'th') && text.line !== null) {
    text.line += '\t';
    text.blank = false;
  }
  const block = LINES_OF_AN_EDITOR.has(name);
  if ((block || name === 'br') && (text.line !== null || name === 'br')) endLine(text);
  collectLines(element, text);
  if (block && text.line !== null) endLine(text);
}

/** Whether white space in an element is displayed as it is in the source. */
function preservesWhiteSpace(parent) {
  const { whiteSpace } = styleOf(parent);
  return whiteSpace.startsWith('pre') || whiteSpace === 'break-spaces';
}
/** Return text without line breaks of the source, unless its element preserves white space. */
const withoutSourceBreaks = (data, parent) =>
  data.includes('\n') && !preservesWhiteSpace(parent) ? data.replace(/\n/g, ' ') : data;
/** Whether white space in this text collapses when it is displayed. */
const collapses = (data, parent) => /^[ \t\n]|[ \t\n]$|[\t\n]| {2}/.test(data) && !preservesWhiteSpace(parent);
/** Replace each run of white space by one blank. */
const collapseWhiteSpace = (data) => data.replace(/[ \t\n]+/g, ' ');

const LINE_BREAK = '⏎';
const MAX_INDENT = 16;
/** Return a value on one line: ⏎ stands for a line break. Indentation is kept, since code needs it. */
export function onOneLine(value) {
  if (!value.includes('\n')) return cleanText(value);
  return value.replace(/^\s*\n|\s+$/g, '').split(/\r?\n/).map((line) => {
    const [blank] = /^[ \t\u00a0]*/.exec(line) ?? [''];
    const indent = blank.replace(/\t/g, '    ').length;
    return ' '.repeat(Math.min(indent, MAX_INDENT)) + cleanText(line);
  }).join(LINE_BREAK);
}

// Finds editors that take their keys in an invisible field, and draw their text beside it, each line in a box of its own.

// An editor's outermost element, and the lines in it.
const LINES = new Map([
  ['.monaco-editor', '.view-lines > .view-line'],
  ['.CodeMirror', '.CodeMirror-code .CodeMirror-line'],
  ['.ace_editor', '.ace_text-layer .ace_line'],
]);
const ANY_EDITOR = [...LINES.keys()].join();
const MAX_FIELD = 8; // CSS pixels: a field this narrow, or in a box this narrow, is for keys only
const MAX_LINES = 500;

/**
 * Return the code editor (Monaco, CodeMirror, Ace) that a field takes keys for; null for none. An editor's search field is a field like
 * any other.
 */
export function codeEditorOf(field) {
  if (localNameOf(field) !== 'textarea' && !field.editContext) return null;
  const editor = closest(field, ANY_EDITOR);
  return editor !== null && Math.min(offsetWidthOf(field), parentOf(field)?.offsetWidth ?? 0) <= MAX_FIELD
    ? editor
    : null;
}

/**
 * Return the lines that a code editor shows, for its field; null for any other field. Lines are sorted by place, since their order in the
 * markup may be any.
 */
export function codeEditorText(field) {
  const editor = codeEditorOf(field);
  if (editor === null) return null;
  const [, selector] = [...LINES].find(([outermost]) => editor.matches(outermost)) ?? [];
  const lines = [...queryAll(editor, selector)].slice(0, MAX_LINES).map((
    line,
  ) => [rectOf(line).top, textContentOf(line)]);
  return lines.sort((one, other) => one[0] - other[0])
    .map(([, text]) => text.replace(/\u200b/g, '').replace(/\u00a0/g, ' ')).join('\n');
}

/** Return the role of an element; "textbox" for an editing host without a role. */
export function contentRole(element) {
  const role = roleOf(element);
  return role === '' && hasAttrs(element) && isEditingHost(element) ? 'textbox' : role;
}

/**
 * Whether an element is made editable by its own `contenteditable`, whatever its role: headings of EditorJS 2.31, cells of CKEditor 5's
 * tables.
 */
export function isEditingHost(element) {
  const editable = attr(element, 'contenteditable');
  return editable !== null && editable !== 'false' && editable !== 'inherit';
}
