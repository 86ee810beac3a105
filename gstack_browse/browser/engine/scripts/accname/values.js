// Values of fields and widgets as a person sees them, those of code editors included; and how an element takes text.

import { roleOf } from './roles.js';
import { contentName } from './contents.js';
import { isOnlySymbols, ligatureIconName, trimCrosses } from './hints.js';
import { chosenOptionText, FIELD, hasAriaNameAttribute, isEditable, labelsOf, MAX_NAME, nameOf } from './names.js';
import { isSecret, MASK } from './states.js';
import {
  childElementCountOf,
  closest,
  dataOf,
  isContentEditable,
  isRendered,
  localNameOf,
  matches,
  newRange,
  offsetWidthOf,
  parentElementOf,
  queryAll,
  queryOne,
  rectOf,
  styleOf,
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
import { hiddenExtent, isHiddenByAttribute } from '../visibility/hidden.js';
import { hidesAllInside } from '../visibility/text-visibility.js';
import { MEASURES } from './kinds.js';

const VALUED_INPUTS = new Set(['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'hidden']);
export const MAX_EDITOR_TEXT = 20000; // characters that are read

/** Return the value of a field or widget as snapshots print it, with secrets masked; "" for none. `tag`: its tag name. */
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
    return queryOne(element, FIELD) ? chipTexts(element).join(', ') : textOfClosedList(element);
  if (role === 'button') return chosenInButton(element);
  if (role === 'textbox' || role === 'searchbox' || role === 'combobox')
    return codeEditorText(element) ?? displayedText(element);
  return '';
}

/** Return the value of a slider, meter, spin button or another range by its ARIA attributes, as text; "" for none. */
const rangeValue = (element, role) =>
  attr(element, 'aria-valuetext')
  || (role === 'spinbutton' && isContentEditable(element) ? displayedText(element) : '')
  || attr(element, 'aria-valuenow') || (role === 'spinbutton' ? displayedText(element) : '');

/**
 * Return the text that a closed list (a combobox without a field) shows as chosen, without the list's labels; with them if it has no other.
 */
function textOfClosedList(list) {
  const labels = [...referencedElements(list, 'aria-labelledby')];
  /** Return the chosen text without that of the elements `excluded`. */
  const textWithout = (excluded) =>
    cleanText(chosenOptionText(list, 'combobox', { left: MAX_NAME, visited: new Set(excluded) }));
  return labels.length > 0 && textWithout(labels) || textWithout([]);
}

// Roles inside of a combobox whose text is not that of the chosen option: the open list, and the remove buttons of chips.
export const LIST_POPUP_ROLES = new Set(['dialog', 'grid', 'listbox', 'menu', 'option', 'tree']);
export const ROLES_OUTSIDE_CHOICE = new Set([...LIST_POPUP_ROLES, 'button']);

const ROLES_OUTSIDE_CHIPS = new Set([
  ...ROLES_OUTSIDE_CHOICE,
  'textbox',
  'searchbox',
  'combobox',
  'tooltip',
  'status',
  'alert',
  'log',
]);
/**
 * Return an array of the texts of the chosen options (chips) in the combobox `list`, beside its search field. [] for none, or if they are
 * in its name.
 */
export function chipTexts(list) {
  const visited = new Set(referencedElements(list, 'aria-describedby'));
  const text = contentName(list, { left: MAX_NAME, visited }, { visibleOnly: true, withoutRoles: ROLES_OUTSIDE_CHIPS });
  const chips = text.split(/\s{2,}/).map(trimCrosses).filter(Boolean);
  return nameOf(list).includes(chips.join(' ')) ? [] : chips;
}

/** Return whether an element opens a list, menu or dialog (`aria-haspopup`, `aria-expanded`). */
const opensPopup = (element) =>
  (attr(element, 'aria-haspopup') ?? 'false') !== 'false' || hasAttr(element, 'aria-expanded');
/** Return whether a button may show a chosen value as its text: it opens a list, menu or dialog, and is named by ARIA or a label. */
export const mayShowChoice = (button) =>
  opensPopup(button) && (hasAriaNameAttribute(button) || labelsOf(button).length > 0);
/** Return the chosen value that a button shows as its text; "" for an icon, or a text that is part of its name. */
function chosenInButton(element) {
  const text = cleanText(contentName(element, { left: MAX_NAME, visited: new Set() }, { visibleOnly: true }));
  if (isOnlySymbols(text) || text === ligatureIconName(element)) return ''; // an icon
  return nameOf(element, 'button').toLowerCase().includes(text.toLowerCase()) ? '' : text;
}

/** Return MASK ("[redacted]") in place of the value of a secret field; "" for an empty value. */
const maskSecret = (value) => value ? MASK : '';

/** Return the value of an `<input>`: secrets masked, files by name. */
function inputValue(element) {
  if (isSecret(element)) return maskSecret(element.value);
  if (element.type === 'file') return Array.from(element.files || [], (file) => file.name).join(', ');
  return (element.type === 'range' ? attr(element, 'aria-valuetext') : '') || element.value;
}

const MAX_FIELD_BOX_LEVELS = 4;
const MAX_FIELD_BOX_HEIGHT = 80; // pixels
const ELEMENTS_WITHOUT_VALUE =
  'label,legend,button,[role=button i],[role=listbox i],[role=option i],[role=menu i],[aria-live],[role=tooltip i]';
/**
 * Return the text that a page draws over the empty field of a searchable list: the chosen option (React Select, Element Plus). The commands
 * `fill` and `value` ignore it.
 */
function textDrawnOver(field) {
  const skipped = new Set([field, ...referencedElements(field, 'aria-describedby')]);
  const box = boxOfField(field);
  for (const outer of [...ancestorsOf(field)].slice(0, MAX_FIELD_BOX_LEVELS)) {
    if (rectOf(outer).height > MAX_FIELD_BOX_HEIGHT || queryAll(outer, `${FIELD},select`).length > 1) return '';
    for (const part of childrenOf(outer)) {
      const texts = [...visibleTextNodes(part, skipped)];
      if (!texts.some((text) => isDrawnOver(text, box))) continue;
      const drawn = cleanText(texts.map(dataOf).join(''));
      return nameOf(field).includes(drawn) ? '' : drawn; // it may be a floating label
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
    if (
      childElementCountOf(outer) > 2 || textContentOf(outer).trim() !== ''
      || rectOf(outer).height > MAX_FIELD_BOX_HEIGHT
    )
      break;
    outermost = outer;
  }
  return rectOf(outermost);
}

/** Yield the visible text nodes in a node, except in the elements `skipped`, labels, buttons and lists. */
function* visibleTextNodes(node, skipped) {
  if (isText(node)) yield node;
  if (
    !isElement(node) || skipped.has(node) || matches(node, ELEMENTS_WITHOUT_VALUE) || settledStyle(node).opacity === '0'
  ) return;
  if (hidesAllInside(node)) return;
  for (const child of childrenOf(node)) yield* visibleTextNodes(child, skipped);
}

/** Return whether a text node is drawn over a rectangle of the window, at least in part. */
function isDrawnOver(textNode, rect) {
  const range = newRange(document);
  range.selectNode(textNode);
  return [...range.getClientRects()].some(({ left, right, top, bottom }) =>
    right - left > 1 && left < rect.right && right > rect.left && top < rect.bottom && bottom > rect.top
  );
}

// The text of a rich text editor: each block is a line, while `innerText` has two line breaks for an empty block.
// White space collapses by https://www.w3.org/TR/css-text-3/#white-space-phase-2
const EDITOR_BLOCK_TAGS = new Set(
  `address article aside blockquote dd div dl dt figure figcaption footer h1 h2 h3 h4 h5 h6 header hr li ol p pre
  section table tbody tr ul`.split(/\s+/),
);
/** Return the text of an editor with its white space collapsed, as it is displayed. */
export const displayedText = (element) => textInLines(element, true);

/** Return the text of an editor with all its white space, to compare it with a text that was written. */
export const editableText = (element) => textInLines(element, false);

/** Return the text of an editor, a line for each block. `asDisplayed`: collapse white space as CSS does. */
function textInLines(element, asDisplayed) {
  if (childElementCountOf(element) === 0 && !shadowRootOf(element)) {
    const data = textContentOf(element).slice(0, MAX_EDITOR_TEXT);
    return asDisplayed && hasCollapsibleSpace(data, element)
      ? collapseWhiteSpace(data).replace(/^ | $/g, '')
      : withoutSourceBreaks(data, element);
  }
  const reader = new EditorTextReader(asDisplayed);
  reader.readChildren(element);
  if (reader.line !== null) reader.endLine();
  return reader.lines.join('\n');
}

/** Return whether white space in an element is displayed as it is in the source (`white-space: pre` and the like). */
function preservesWhiteSpace(parent) {
  const { whiteSpace } = styleOf(parent);
  return whiteSpace.startsWith('pre') || whiteSpace === 'break-spaces';
}
/** Return a text with blanks for line breaks of the source, unless `parent`, which contains it, preserves white space. */
const withoutSourceBreaks = (data, parent) =>
  data.includes('\n') && !preservesWhiteSpace(parent) ? data.replace(/\n/g, ' ') : data;
/**
 * Return whether a text has white space that is not displayed as in the source: two blanks become one. `parent`: the element that contains
 * it.
 */
const hasCollapsibleSpace = (data, parent) =>
  /^[ \t\n]|[ \t\n]$|[\t\n]| {2}/.test(data) && !preservesWhiteSpace(parent);
/** Replace each run of white space by one blank. */
const collapseWhiteSpace = (data) => data.replace(/[ \t\n]+/g, ' ');

const LINE_BREAK = '⏎';
const MAX_INDENT = 16;
/** Return a value on one line, with ⏎ for line breaks. Indentation is kept, up to 16 blanks. */
export function onOneLine(value) {
  if (!value.includes('\n')) return cleanText(value);
  return value.replace(/^\s*\n|\s+$/g, '').split(/\r?\n/).map((line) => {
    const [blank] = /^[ \t\u00a0]*/.exec(line) ?? [''];
    const indent = blank.replace(/\t/g, '    ').length;
    return ' '.repeat(Math.min(indent, MAX_INDENT)) + cleanText(line);
  }).join(LINE_BREAK);
}

// Code editors: they take keys in an invisible field, and draw their text beside it, each line in a box of its own.

// Selector of an editor's outermost element → selector of its lines.
const LINE_SELECTOR_BY_EDITOR = new Map([
  ['.monaco-editor', '.view-lines > .view-line'],
  ['.CodeMirror', '.CodeMirror-code .CodeMirror-line'],
  ['.ace_editor', '.ace_text-layer .ace_line'],
]);
const ANY_EDITOR = [...LINE_SELECTOR_BY_EDITOR.keys()].join();
const MAX_FIELD = 8; // CSS pixels: so narrow is a field that only takes keys, or its box
const MAX_EDITOR_LINES = 500;

/**
 * Return the code editor (Monaco, CodeMirror, Ace) that a field takes keys for; null for any other field, such as an editor's search field.
 */
export function codeEditorOf(field) {
  if (localNameOf(field) !== 'textarea' && !field.editContext) return null;
  const editor = closest(field, ANY_EDITOR);
  return editor !== null && Math.min(offsetWidthOf(field), parentOf(field)?.offsetWidth ?? 0) <= MAX_FIELD
    ? editor
    : null;
}

/**
 * Return the text that a code editor displays, for its field; null for any other field. Lines are sorted by position, since their order in
 * the markup may differ.
 */
export function codeEditorText(field) {
  const editor = codeEditorOf(field);
  if (editor === null) return null;
  const [, lineSelector] = [...LINE_SELECTOR_BY_EDITOR].find(([editorSelector]) => matches(editor, editorSelector))
    ?? [];
  const lines = [...queryAll(editor, lineSelector)].slice(0, MAX_EDITOR_LINES).map((
    line,
  ) => [rectOf(line).top, textContentOf(line)]);
  return lines.sort((one, other) => one[0] - other[0])
    .map(([, text]) => text.replace(/\u200b/g, '').replace(/\u00a0/g, ' ')).join('\n');
}

// How an element takes text.

const TEXT_TYPES = new Set(['', 'text', 'search', 'email', 'url', 'tel', 'password', 'number']);
const SET_TYPES = new Set(['color', 'date', 'time', 'datetime-local', 'month', 'week', 'range']);

/**
 * Return how the command `fill` fills an element: "text": as a text field; "set": its value is set by script, as of a date or colour;
 * "rich": as a contenteditable element; "keys": as a code editor; "terminal": by keys, since a terminal's field keeps no text; "": not at
 * all.
 */
export function fillKind(element) {
  if (codeEditorOf(element)) return 'keys';
  if (localNameOf(element) === 'textarea') return isTerminalInput(element) ? 'terminal' : 'text';
  if (localNameOf(element) === 'input') {
    if (TEXT_TYPES.has(element.type)) return 'text';
    return SET_TYPES.has(element.type) ? 'set' : '';
  }
  return isContentEditable(element) ? 'rich' : '';
}

/** Return the role of an element; "textbox" for one without a role that has `contenteditable` itself. */
export function contentRole(element) {
  const role = roleOf(element);
  return role === '' && hasAttrs(element) && isEditingHost(element) ? 'textbox' : role;
}

/** Return whether an element has `contenteditable` itself, whatever its role: headings of EditorJS 2.31, table cells of CKEditor 5. */
export function isEditingHost(element) {
  const editable = attr(element, 'contenteditable');
  return editable !== null && editable !== 'false' && editable !== 'inherit';
}

// Between nested editors there is an element that is not editable.
/** Return the editor that an element is in: the outermost contenteditable element around it without a break; else the element itself. */
export function editingHostOf(element) {
  let host = element;
  for (let around = element; around && isContentEditable(around); around = parentElementOf(around)) host = around;
  return host;
}

const MAX_TERMINAL_INPUT_SIZE = 24; // pixels

/**
 * Return whether a `<textarea>` is as small as a letter: a terminal in a page reads its keys from such a one, and empties it at once. One
 * that grows with its text (`field-sizing: content`) is small while it is empty.
 */
function isTerminalInput(element) {
  const { width, height } = rectOf(element);
  return width <= MAX_TERMINAL_INPUT_SIZE && height <= MAX_TERMINAL_INPUT_SIZE && isRendered.call(element)
    && getComputedStyle(element).fieldSizing !== 'content';
}

/** Return whether a field is read-only: by HTML for `<input>` and `<textarea>`, by ARIA for any other element. */
export function isReadOnlyField(element) {
  if (localNameOf(element) === 'input' || localNameOf(element) === 'textarea') return element.readOnly;
  return attr(element, 'aria-readonly') === 'true';
}

// Reads the text of an editor, line by line. `asDisplayed`: collapse white space as CSS does.
class EditorTextReader {
  /** @type {string[]} */
  lines = []; // that have ended
  /** @type {string | null} */
  line = null; // the open line; null before its first word
  hasBlank = false; // a blank comes before the next word
  left = MAX_EDITOR_TEXT; // characters that may still be read
  isInWidget = false; // inside of `contenteditable=false`

  constructor(asDisplayed) {
    this.asDisplayed = asDisplayed;
  }

  /** Read the text below an element. */
  readChildren(parent) {
    for (const node of childrenOf(parent)) {
      if (this.left <= 0) return;
      if (isText(node)) this.readText(node, parent);
      else if (isElement(node) && !(hasAttrs(node) && isHiddenByAttribute(node))) {
        const around = this.isInWidget;
        if (hasAttrs(node) && hasAttr(node, 'contenteditable'))
          this.isInWidget = attr(node, 'contenteditable') === 'false';
        // the editor's own text counts even if hidden, a part that cannot be edited only if visible
        const isSkipped = this.isInWidget && (hiddenExtent(node) === 'all' || hidesAllInside(node));
        if (!isSkipped) this.readElement(node);
        this.isInWidget = around;
      }
    }
  }

  /** Read a text node. */
  readText(node, parent) {
    const data = this.asDisplayed ? dataOf(node) : withoutSourceBreaks(dataOf(node), parent);
    this.left -= data.length;
    if (this.asDisplayed && hasCollapsibleSpace(data, parent)) this.appendCollapsed(collapseWhiteSpace(data));
    else if (this.line !== null || data.trim() !== '' || data !== '' && preservesWhiteSpace(parent)) this.append(data);
  }

  /** Read an element: a block is a line, a table cell begins with a tab. */
  readElement(element) {
    const name = localNameOf(element);
    if (name === 'svg') return;
    if ((name === 'td' || name === 'th') && this.line !== null) {
      this.line += '\t';
      this.hasBlank = false;
    }
    const isBlock = EDITOR_BLOCK_TAGS.has(name);
    if ((isBlock || name === 'br') && (this.line !== null || name === 'br')) this.endLine();
    this.readChildren(element);
    if (isBlock && this.line !== null) this.endLine();
  }

  /** Append characters to the open line. */
  append(data) {
    this.line = (this.line ?? '') + (this.hasBlank ? ' ' : '') + data;
    this.hasBlank = false;
  }

  /** Append a text with collapsed white space: a blank at its edge counts only between two words. */
  appendCollapsed(data) {
    const words = data.replace(/^ | $/g, '');
    this.hasBlank ||= data.startsWith(' ') && this.line !== null && !/\s$/.test(this.line);
    if (words === '' || words.trim() === '' && this.line === null) return;
    this.append(words);
    this.hasBlank = data.endsWith(' ');
  }

  /** End the open line. */
  endLine() {
    this.lines.push(this.line ?? '');
    this.line = null;
    this.hasBlank = false;
  }
}
