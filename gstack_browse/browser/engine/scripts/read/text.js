// The text of a page as a person sees it.

import { isSecret, MASK } from '../accname/states.js';
import {
  bodyOf,
  closest,
  dataOf,
  firstChildOf,
  localNameOf,
  nextSiblingOf,
  nodeTypeOf,
  parentNodeOf,
  queryOne,
  rectOf,
  rootElementOf,
} from '../dom/accessors.js';
import {
  attr,
  childrenOf,
  exported,
  hasAttr,
  isElement,
  parentOf,
  queryOneIn,
  shadowRootOf,
  treeOf,
  wordSet,
} from '../dom/dom.js';
import { noteHostCandidate } from '../dom/internals.js';
import { beginReading, elementsReadBeforeLimit, limitLength, mayRead } from '../dom/invoke.js';
import { nodeFor } from '../dom/node-table.js';
import { mayRulesSet } from '../dom/style-sheets.js';
import { isRenderedOnceSettled } from '../visibility/animations.js';
import { isSvgTextInvisible, textDrawnByUse } from '../visibility/drawings.js';
import { hasStylingAttributes, suspectsIn } from '../visibility/suspects.js';
import { laysOutNoText, lengthOf, TEXT_VISIBLE, textVisibilityInside, textVisibilityOf } from '../visibility/unseen.js';
import { showsFallback } from '../visibility/visible.js';
import { hasVisibleGap, LEFT, RIGHT } from '../walk/flow.js';

const BLOCK_DISPLAYS = new Set([
  'block',
  'flex',
  'grid',
  'list-item',
  'table',
  'table-row',
  'flow-root',
  'table-caption',
]);
const TABLE_PARTS = wordSet(
  `table table-row table-row-group table-header-group table-footer-group table-column table-column-group`,
);
const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const TAGS_WITH_BLANK_LINES = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const SKIPPED_TAGS = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'meta', 'link', 'datalist']);

const REPLACED_TAGS = wordSet('img input select textarea canvas video audio iframe object embed progress meter');

// SVG elements that are drawn only if another one refers to them, or never.
const UNDRAWN_SVG_TAGS = new Set(
  'defs symbol clipPath mask pattern marker linearGradient radialGradient filter metadata desc'.split(' '),
);

/**
 * Return the visible text of an element (0: the document), shadow trees included, with a line for each block.
 *
 * Computed styles take most of the time, so a property is read once, and only if the result depends on it.
 */
export const textById = (id) => readText(id, false).text;
exported.text = textById;

/**
 * Return the visible text of an element (0: the document), or with `onlyInvisible` only its invisible text, as { text, hidden: number of
 * invisible characters, cut: see `elementsReadBeforeLimit`, isLong: the text was cut }.
 */
function readText(id, onlyInvisible) {
  const root = id ? nodeFor(id) : bodyOf(document) || rootElementOf(document);
  if (!root) return { text: '', hidden: 0, cut: 0 };
  beginReading();
  const writer = newWriter();
  beginText(root, onlyInvisible);
  if (['input', 'select', 'textarea'].includes(localNameOf(root))) writeField(root, writer);
  else writeElement(root, writer);
  const whole = writer.out.join('');
  const text = limitLength(whole);
  return {
    text: text.replace(/[ \t]+\n/g, '\n').replace(/\n{3,}/g, '\n\n').replace(
      onlyInvisible ? /^\s+/ : /^\s*\n|^[^\S\t]+/,
      '',
    )
      .trimEnd(),
    hidden: textState.hiddenCharacters,
    cut: elementsReadBeforeLimit(),
    isLong: text !== whole,
  };
}
exported.readText = readText;

/** Return the `Suspects` of a tree; null if it certainly has no invisible text. */
export function suspectsToCheck(root) {
  const suspects = suspectsIn(root);
  return suspects.isByAttributesOnly && !hasStylingAttributes(root) ? null : suspects;
}

/**
 * The state of `readText`. `visibility`: text visibility at the current element; `suspects`: see `suspectsToCheck`; `isUnchanged`: all text
 * of the tree is displayed as in the markup, so that no element is asked for that; `onlyInvisible`: write invisible text, else visible;
 * `spans`: `CellSpans` of the current table, null if no cell spans columns or rows.
 * @type {{ visibility: number, suspects: any, isUnchanged: boolean, onlyInvisible: boolean, hiddenCharacters: number, spans: any }}
 */
const textState = {
  visibility: TEXT_VISIBLE,
  suspects: null,
  isUnchanged: false,
  onlyInvisible: false,
  hiddenCharacters: 0,
  spans: null,
};

/** Set up the state for the text of an element. */
function beginText(root, onlyInvisible) {
  const parent = parentOf(root);
  const suspects = suspectsToCheck(treeOf(root));
  Object.assign(textState, {
    suspects,
    isUnchanged: suspects === null && showsTextUnchanged(root),
    visibility: parent ? textVisibilityOf(parent) : TEXT_VISIBLE,
    onlyInvisible,
    hiddenCharacters: 0,
    spans: spansFrom(root),
  });
}

const TEXT_CHANGING_PROPERTIES = ['visibility', 'text-transform'];

/**
 * Whether all text in an element is displayed as in the markup, by the rules of its tree. Called if nothing in the tree has a `style`
 * attribute.
 */
function showsTextUnchanged(root) {
  const tree = treeOf(root);
  if (mayRulesSet(tree, TEXT_CHANGING_PROPERTIES) || queryOneIn(tree, '[visibility],mphantom') !== null) return false;
  const style = new TextStyle(root, getComputedStyle(root));
  return style.isVisible && style.transform === 'none';
}

/**
 * Return an empty writer. `out`: pieces of text so far. White space due before the next piece: `gap` line breaks, `tabs` after cells,
 * `space`, and `edges` of inline elements that may have a visible gap. `column`: that of the last cell on the line; `next`: the one after
 * it.
 */
const newWriter = () => ({ out: [], gap: 0, tabs: 0, space: false, edges: [], column: 0, next: 0 });

/** Write the value of a field that was requested itself: secrets masked, of a list its visible options. */
function writeField(field, writer) {
  if (isSecret(field)) return writeText(MASK, writer, '');
  if (localNameOf(field) === 'select') return writeText(shownOptions(field), writer, 'all');
  return writeText(field.value, writer, 'all');
}

/** Return the visible text of a `<select>`: all options if it shows several lines, else the chosen one. */
function shownOptions(list) {
  const isOpen = list.multiple || list.size > 1;
  const labels = [...(isOpen ? list.options : list.selectedOptions)].map((option) => option.label);
  return labels.join(isOpen ? '\n' : ', ');
}

/** Write an element with its content, unless it has no visible text. */
function writeElement(element, writer) {
  const tag = localNameOf(element);
  if (SKIPPED_TAGS.has(tag) || (UNDRAWN_SVG_TAGS.has(tag) && element instanceof SVGElement) || !mayRead()) return;
  if (tag === 'br') {
    breakLine(writer, 1, true);
    return;
  }
  // Each property of a computed style costs 0.1 to 0.25 µs: the others are read only where they may matter.
  const style = getComputedStyle(element);
  const display = style.display;
  if (display === 'none') return;
  if (laysOutNoContent(element, tag, style, display)) return;
  const around = textState.visibility;
  if (textState.suspects !== null || around !== TEXT_VISIBLE)
    textState.visibility = textVisibilityInside(element, { name: tag }, false, around, textState.suspects);
  if (textState.visibility === TEXT_VISIBLE || textState.onlyInvisible)
    writeByDisplay(element, tag, writer, style, display);
  else writeInvisible(element, tag, writer, style, display);
  textState.visibility = around;
}

/**
 * Whether an element lays out none of its content (`content-visibility`, table columns). The property is read only if a rule or an
 * attribute may set it: for all elements it would take a seventh more time.
 */
function laysOutNoContent(element, tag, style, display) {
  if (display.startsWith('table-column')) return true;
  const maySet = hasAttr(element, 'hidden')
    || textState.suspects !== null && textState.suspects.has(element, { name: tag }, false);
  return maySet && laysOutNoText(style);
}

/** Go through an invisible element, to count its characters. An absolutely positioned one leaves no gap. */
function writeInvisible(element, tag, writer, style, display) {
  const { gap, space, out: { length } } = writer;
  writeByDisplay(element, tag, writer, style, display);
  if (writer.out.length === length && /absolute|fixed/.test(style.position)) Object.assign(writer, { gap, space });
}

/** Write an element by its display: a block on lines of its own, a cell, a table, or inline. */
function writeByDisplay(element, tag, writer, style, display) {
  if (REPLACED_TAGS.has(tag) && !showsFallback(element)) requestSpace(writer);
  else if (BLOCK_DISPLAYS.has(display) && isCellByRole(element)) writeCell(element, tag, writer, style);
  else if (BLOCK_DISPLAYS.has(display) || display === 'contents' && attr(element, 'role') === 'row') {
    const gap = TAGS_WITH_BLANK_LINES.has(tag) ? 2 : 1;
    breakLine(writer, gap, false);
    if (tag === 'table' || display.startsWith('table')) writeTable(element, tag, writer, style, display);
    else writeChildren(element, tag, writer, style, display);
    breakLine(writer, gap, false);
  } else {
    writer.edges.push(style, LEFT);
    if (display === 'table-cell') writeCell(element, tag, writer, style);
    else {
      if (display === 'inline-table') writeTable(element, tag, writer, style, display);
      else writeChildren(element, tag, writer, style, display);
      writer.edges.push(style, RIGHT);
    }
  }
}

/** Whether an element that is laid out as a block is a cell of a row by its role. */
function isCellByRole(element) {
  if (!hasAttr(element, 'role') || !CELL_ROLES.has(attr(element, 'role') ?? '')) return false;
  const row = parentOf(element);
  return row !== null && isElement(row) && attr(row, 'role') === 'row';
}

/**
 * How text that is a child of an element is displayed: whether it is visible, its `text-transform` and white space. Reads styles on demand.
 */
class TextStyle {
  #element;
  #style;
  /** @type {string | null} */
  #white = null;
  #transform = null;
  /** @type {boolean | null} */
  #isVisible = null;

  constructor(element, style) {
    this.#element = element;
    this.#style = style;
  }

  get isVisible() {
    return this.#isVisible ??= this.#style.visibility === 'visible' || isRenderedOnceSettled(this.#element);
  }

  get transform() {
    return this.#transform ??= this.#style.textTransform;
  }

  /** Which white space is displayed: "all", "lines" (line breaks) or "" for none. */
  get white() {
    return this.#white ??= whiteSpaceKept(this.#style.whiteSpace);
  }
}

/** Return which white space a value of `white-space` displays: "all", "lines" (line breaks) or "" for none. */
function whiteSpaceKept(value) {
  if (value === 'normal' || value === 'nowrap') return '';
  return value === 'pre-line' ? 'lines' : /^(pre|pre-wrap|break-spaces)$/.test(value) ? 'all' : '';
}

/** Apply a value of `text-transform` to a text. */
function withTransform(text, transform) {
  if (transform === 'uppercase') return text.toUpperCase();
  if (transform === 'lowercase') return text.toLowerCase();
  if (transform === 'capitalize')
    return text.replace(/(^|[\s(-])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
  return text;
}

/** Whether one of the edges has a visible gap. `edges`: [style, LEFT or RIGHT, style, …]. */
function hasAnyVisibleGap(edges) {
  for (let index = 0; index < edges.length; index += 2)
    if (hasVisibleGap(edges[index], edges[index + 1])) return true;
  return false;
}

/** Have the next piece of text begin with a space, unless it begins a line. */
function requestSpace(writer) {
  if (!writer.gap) writer.space = true;
}

/** Write the content of an element: children, slotted nodes, shadow tree, or what a `<use>` draws. */
function writeChildren(element, tag, writer, style, display) {
  const textStyle = TABLE_PARTS.has(display) ? null : new TextStyle(element, style);
  if (tag === 'use') {
    writeUseText(element, writer);
    return;
  }
  if (tag === 'slot' || tag === 'details' || shadowRootOf(element)) {
    writeChildrenOfTrees(element, tag, writer, textStyle);
    return;
  }
  const first = firstChildOf(element);
  noteHostCandidate(element, tag, first);
  for (let child = first; child; child = nextSiblingOf(child)) writeNode(child, writer, textStyle);
}

/** Write the text that a `<use>` of SVG draws from elsewhere. */
function writeUseText(element, writer) {
  const text = textDrawnByUse(element);
  const isSeen = text !== '' && textState.visibility === TEXT_VISIBLE
    && !isSvgTextInvisible(element, getComputedStyle(element), rectOf(element));
  if (!isSeen) textState.hiddenCharacters += text.length;
  if (text !== '' && isSeen !== textState.onlyInvisible) {
    requestSpace(writer);
    writeText(text, writer, '');
    requestSpace(writer);
  }
}

/** Write children that may be of another tree, with the `Suspects` of that. */
function writeChildrenOfTrees(element, tag, writer, textStyle) {
  const { suspects, visibility, isUnchanged } = textState;
  textState.isUnchanged = false;
  if (suspects === null && visibility === TEXT_VISIBLE)
    textState.visibility = textVisibilityInside(element, { name: tag }, false, visibility, null);
  for (const child of shownChildren(element)) {
    textState.suspects = suspectsToCheck(treeOf(child));
    writeNode(child, writer, textStyle);
  }
  Object.assign(textState, { suspects, visibility, isUnchanged });
}

// Text that changes if its white space collapses.
const MAY_COLLAPSE = /^\s|\s$|[\t\n\f\r]| {2}/;

/** Write an element or a text node. `textStyle`: that of text here, null where text is not displayed, as between rows of a table. */
function writeNode(node, writer, textStyle) {
  const type = nodeTypeOf(node);
  if (type === 1) writeElement(node, writer);
  else if (type === 3 && textStyle && (textState.isUnchanged || textStyle.isVisible)) {
    if (textState.visibility !== TEXT_VISIBLE) textState.hiddenCharacters += lengthOf(dataOf(node));
    if ((textState.visibility === TEXT_VISIBLE) === textState.onlyInvisible) return;
    const text = textState.isUnchanged ? dataOf(node) : withTransform(dataOf(node), textStyle.transform);
    if (MAY_COLLAPSE.test(text)) writeText(text, writer, textStyle.white);
    else if (text) write(text, writer, false);
  }
}

/** Return the children in the flat tree; of a closed `<details>` only its summary. */
export function shownChildren(node) {
  if (localNameOf(node) === 'details' && !node.open) {
    const summary = [...childrenOf(node)].find((child) => isElement(child) && localNameOf(child) === 'summary');
    return summary ? [summary] : [];
  }
  return childrenOf(node);
}

/** Write a table or a row. If a cell spans columns or rows, the other cells still get the tabs of their own columns. */
function writeTable(element, tag, writer, style, display) {
  const { spans } = textState;
  if (display !== 'table-row') textState.spans = spansIn(element);
  else if (spans !== null) spans.startRow(element);
  writeChildren(element, tag, writer, style, display);
  if (display === 'table-row' && spans !== null) spans.endRow();
  textState.spans = spans;
}

const MAX_CELL = 200;

/** Write a cell on the line of its row. Its own line breaks become blanks, unless it is long or contains a table. */
function writeCell(cell, tag, writer, style) {
  const inner = newWriter();
  writeChildren(cell, tag, inner, style, 'table-cell');
  const text = inner.out.join('').trim();
  const column = textState.spans?.columnOf(cell) ?? writer.next;
  if (column > writer.column) {
    writer.tabs += column - writer.column;
    writer.space = false;
  }
  writer.column = column;
  writer.next = column + 1;
  const isData = text.length <= MAX_CELL && text.includes('\n') && !queryOne(cell, 'table');
  writeText(isData ? text.replace(/\s*\n\s*/g, ' ') : text, writer, 'all');
}

/** Have the next piece of text begin after `lines` line breaks. `adds`: these add to earlier ones, as those of `<br>`. */
function breakLine(writer, lines, adds) {
  writer.gap = adds ? writer.gap + lines : Math.max(writer.gap, lines);
  writer.space = false;
  writer.column = writer.next = writer.tabs = 0;
  writer.edges.length = 0;
}

/** Write a text. `white`: which of its white space is displayed, see `whiteSpaceKept`. */
function writeText(text, writer, white) {
  if (white === 'lines') {
    text.split('\n').forEach((line, index) => {
      if (index) breakLine(writer, 1, true);
      writeText(line, writer, '');
    });
    return;
  }
  const shown = !white && /[\t\r\n\f]| {2}/.test(text) ? text.replace(/[ \t\r\n\f]+/g, ' ') : text;
  if (!shown) return;
  if (!white && shown === ' ') {
    requestSpace(writer);
    return;
  }
  const isSpaced = !white && shown.startsWith(' ');
  write(white ? shown : trimOneBlank(shown), writer, isSpaced);
  writer.space = !white && shown.endsWith(' ');
}

/** Write a piece of text after the white space that is due. `isSpaced`: a blank comes before it. */
function write(piece, writer, isSpaced) {
  if (writer.gap) {
    if (writer.out.length) writer.out.push('\n'.repeat(Math.min(writer.gap, 2)));
    writer.gap = 0;
    writer.space = false;
  }
  if (writer.tabs) {
    writer.out.push('\t'.repeat(writer.tabs));
    writer.tabs = 0;
  }
  const last = writer.out.length ? writer.out[writer.out.length - 1] : '';
  const glued = !last || isWhiteSpaceCode(last.charCodeAt(last.length - 1));
  const leading = !glued && (isSpaced || writer.space || hasAnyVisibleGap(writer.edges)) ? ' ' : ''; // edges last: they are slow to read
  writer.edges.length = 0;
  writer.out.push(leading + piece);
  writer.space = false;
}

/** Whether a character code is white space. */
const isWhiteSpaceCode = (code) =>
  code <= 32 ? /\s/.test(String.fromCharCode(code)) : code > 127 && /\s/.test(String.fromCharCode(code));

/** Remove one blank from either end of a text. A no-break space stays, as in CSS. */
function trimOneBlank(text) {
  const start = text[0] === ' ' ? 1 : 0;
  const end = text.length - (text[text.length - 1] === ' ' ? 1 : 0);
  return start === 0 && end === text.length ? text : text.slice(start, Math.max(end, start));
}

/**
 * Computes the columns of cells in a table with cells that span columns or rows. Call `startRow`, `columnOf` for each cell, `endRow` for
 * all rows in order; elements that are not rendered take no place. https://html.spec.whatwg.org/#algorithm-for-processing-rows
 */
class CellSpans {
  #section = null;
  #row = null;
  #below = []; // column → number of further rows that a cell from above spans
  #rows = []; // column → number of rows that the cell of this row spans
  #next = 0; // column of the next cell
  /** Number of columns that `appendEmptyCells` has written in this row. */
  written = 0;

  /** Begin a row. */
  startRow(row) {
    const section = parentNodeOf(row);
    if (section !== this.#section) [this.#section, this.#below] = [section, []]; // cells do not span sections
    this.#row = row;
    this.#rows = [];
    this.#next = 0;
  }

  /** Return the column of the next cell of the row; null for a cell that is no child of the row. */
  columnOf(cell) {
    if (parentNodeOf(cell) !== this.#row) return null;
    while (this.#below[this.#next] > 0) this.#next++;
    const column = this.#next;
    const { colSpan = 1, rowSpan = 1 } = cell;
    for (; this.#next < column + colSpan; this.#next++) this.#rows[this.#next] = rowSpan === 0 ? Infinity : rowSpan;
    return column;
  }

  /** The number of columns that the row has so far. */
  get width() {
    return this.#next;
  }

  /** End a row. */
  endRow() {
    const width = Math.max(this.#below.length, this.#rows.length);
    for (let at = 0; at < width; at++)
      this.#below[at] = Math.max(this.#below[at] ?? 0, this.#rows[at] ?? 0, 1) - 1;
    this.#row = null;
  }
}

/** Return new `CellSpans` for a table; null if no cell spans columns or rows. */
export const spansIn = (table) => queryOne(table, '[colspan],[rowspan]') === null ? null : new CellSpans();

/** Return the `CellSpans` of the table around an element, with the rows before it done; null for no table, or without spanning cells. */
export function spansFrom(element) {
  const table = closest(element, 'table');
  const spans = table && table !== element ? spansIn(table) : null;
  if (spans === null || localNameOf(element) !== 'tr') return spans;
  for (const row of parentNodeOf(element).children) {
    if (row === element) break;
    if (isLaidOut(row)) skipRow(row, spans);
  }
  return spans;
}

/** Take the cells of a row into account without writing it. */
function skipRow(row, spans) {
  spans.startRow(row);
  for (const cell of row.children) if (isLaidOut(cell)) spans.columnOf(cell);
  spans.endRow();
}

/** Whether an element is displayed. */
const isLaidOut = (element) => getComputedStyle(element).display !== 'none';
