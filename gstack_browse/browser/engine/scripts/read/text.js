// Reads the text of a page as a person sees it.

import { explicitRoleOf } from '../accname/roles.js';
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
  textContentOf,
} from '../dom/accessors.js';
import {
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
import { hasVisibleGap, LEFT, RIGHT, showsFallback } from '../layout/visible.js';
import { isRenderedOnceSettled } from '../visibility/animations.js';
import { isSvgTextInvisible, textDrawnByUse } from '../visibility/drawings.js';
import { hasStylingAttributes, invisibleTextCandidatesIn } from '../visibility/invisible-text-candidates.js';
import { mayRulesSet } from '../visibility/style-sheets.js';
import {
  laysOutNoText,
  lengthOf,
  TEXT_VISIBLE,
  textVisibilityInside,
  textVisibilityOf,
} from '../visibility/text-visibility.js';

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
export const readVisibleText = (id) => readText(id, false).text;

/**
 * Return the visible text of an element (0: the document), or with `onlyInvisible` only its invisible text, as { text, hidden: number of
 * invisible characters, cut: number of elements read if there are too many to read all, else 0, isLong: the text was cut }.
 */
function readText(id, onlyInvisible) {
  const root = id ? nodeFor(id) : bodyOf(document) || rootElementOf(document);
  if (!root) return { text: '', hidden: 0, cut: 0 };
  beginReading();
  const writer = new TextWriter();
  resetTextState(root, onlyInvisible);
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

/**
 * Return a filter (`InvisibleTextCandidates`) of those elements of a document or shadow root whose text may be invisible; null if certainly
 * all text is visible.
 */
export function makeInvisibleTextFilter(root) {
  const suspects = invisibleTextCandidatesIn(root);
  return suspects.isByAttributesOnly && !hasStylingAttributes(root) ? null : suspects;
}

/**
 * The state of `readText`. `visibility`: text visibility at the current element; `suspects`: see `makeInvisibleTextFilter`; `isUnchanged`:
 * all text of the tree is displayed as in the markup, so that no element is asked for that; `onlyInvisible`: write invisible text, else
 * visible; `spans`: `CellSpans` of the current table, null if no cell spans columns or rows; `depth`: of the current element.
 * @type {{ visibility: number, suspects: any, isUnchanged: boolean, onlyInvisible: boolean, hiddenCharacters: number, spans: any, depth: number }}
 */
const textState = {
  visibility: TEXT_VISIBLE,
  suspects: null,
  isUnchanged: false,
  onlyInvisible: false,
  hiddenCharacters: 0,
  spans: null,
  depth: 0,
};

/** Set `textState` up to read the text of an element. `onlyInvisible`: its invisible text instead of the visible. */
function resetTextState(root, onlyInvisible) {
  const parent = parentOf(root);
  const suspects = makeInvisibleTextFilter(treeOf(root));
  Object.assign(textState, {
    suspects,
    isUnchanged: suspects === null && showsTextUnchanged(root),
    visibility: parent ? textVisibilityOf(parent) : TEXT_VISIBLE,
    onlyInvisible,
    hiddenCharacters: 0,
    spans: createSpansFrom(root),
    depth: 0,
  });
}

const TEXT_CHANGING_PROPERTIES = ['visibility', 'text-transform'];

/**
 * Return whether all text in an element is displayed as in the markup: no rule of a style sheet hides it by `visibility` or changes its
 * case. False if not sure. Called if nothing in the tree has a `style` attribute.
 */
function showsTextUnchanged(root) {
  const tree = treeOf(root);
  if (mayRulesSet(tree, TEXT_CHANGING_PROPERTIES) || queryOneIn(tree, '[visibility],mphantom') !== null) return false;
  const style = new TextStyle(root, getComputedStyle(root));
  return style.isVisible && style.transform === 'none';
}

/**
 * Write the value of a field whose own text was asked for to `writer` (a `TextWriter`): a secret masked, of a `<select>` its visible
 * options.
 */
function writeField(field, writer) {
  if (isSecret(field)) return writer.writeText(MASK, '');
  if (localNameOf(field) === 'select') return writer.writeText(shownOptions(field), 'all');
  return writer.writeText(field.value, 'all');
}

/** Return the visible text of a `<select>`: all options if it shows several lines, else the selected one. */
function shownOptions(list) {
  const isOpen = list.multiple || list.size > 1;
  const labels = [...(isOpen ? list.options : list.selectedOptions)].map((option) => option.label);
  return labels.join(isOpen ? '\n' : ', ');
}

export const MAX_TEXT_DEPTH = 700; // levels: deeper recursion could exhaust the stack; text below is written as it is in the markup

/** Write the text of an element with all its content to `writer` (a `TextWriter`); nothing for elements that display no text. */
function writeElement(element, writer) {
  const tag = localNameOf(element);
  if (SKIPPED_TAGS.has(tag) || (UNDRAWN_SVG_TAGS.has(tag) && element instanceof SVGElement) || !mayRead()) return;
  if (tag === 'br') {
    writer.breakLine(1, true);
    return;
  }
  // Each property of a computed style costs 0.1 to 0.25 µs: the others are read only where they may matter.
  const style = getComputedStyle(element);
  const display = style.display;
  if (display === 'none') return;
  if (isContentSkipped(element, tag, style, display)) return;
  const around = textState.visibility;
  if (textState.suspects !== null || around !== TEXT_VISIBLE)
    textState.visibility = textVisibilityInside(element, { name: tag }, false, around, textState.suspects);
  textState.depth++;
  if (textState.visibility === TEXT_VISIBLE || textState.onlyInvisible)
    writeByDisplay(element, tag, writer, style, display);
  else countInvisibleText(element, tag, writer, style, display);
  textState.depth--;
  textState.visibility = around;
}

/**
 * Return whether none of an element's content is laid out (`content-visibility`, table columns). `tag`, `style`, `display`: its tag name,
 * computed style and the `display` of that. `content-visibility` is read only if a rule or an attribute may set it: for all elements that
 * would take a seventh more time.
 */
function isContentSkipped(element, tag, style, display) {
  if (display.startsWith('table-column')) return true;
  const maySet = hasAttr(element, 'hidden')
    || textState.suspects !== null && textState.suspects.has(element, { name: tag }, false);
  return maySet && laysOutNoText(style);
}

/**
 * Count the characters of an invisible element, instead of writing them to `writer`. An absolutely positioned one leaves no gap. `tag`,
 * `style`, `display`: its tag name, computed style and the `display` of that.
 */
function countInvisibleText(element, tag, writer, style, display) {
  const { gap, space, out: { length } } = writer;
  writeByDisplay(element, tag, writer, style, display);
  if (writer.out.length === length && /absolute|fixed/.test(style.position)) Object.assign(writer, { gap, space });
}

/**
 * Write the text of an element to `writer` (a `TextWriter`) by its display: a block on lines of its own, a cell, a table, or inline. `tag`,
 * `style`, `display`: its tag name, computed style and the `display` of that.
 */
function writeByDisplay(element, tag, writer, style, display) {
  if (REPLACED_TAGS.has(tag) && !showsFallback(element)) writer.requestSpace();
  else if (BLOCK_DISPLAYS.has(display) && isCellByRole(element)) writeCell(element, tag, writer, style);
  else if (BLOCK_DISPLAYS.has(display) || display === 'contents' && explicitRoleOf(element) === 'row') {
    const gap = TAGS_WITH_BLANK_LINES.has(tag) ? 2 : 1;
    writer.breakLine(gap, false);
    if (tag === 'table' || display.startsWith('table')) writeTable(element, tag, writer, style, display);
    else writeChildren(element, tag, writer, style, display);
    writer.breakLine(gap, false);
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

/** Return whether an element that is laid out as a block is a cell of a row by its role. */
function isCellByRole(element) {
  if (!hasAttr(element, 'role') || !CELL_ROLES.has(explicitRoleOf(element))) return false;
  const row = parentOf(element);
  return row !== null && isElement(row) && explicitRoleOf(row) === 'row';
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

  /** Whether the element is rendered, and not `visibility: hidden`, at the end of its animations. */
  get isVisible() {
    return this.#isVisible ??= this.#style.visibility === 'visible' || isRenderedOnceSettled(this.#element);
  }

  /** The value of `text-transform`, such as "uppercase". */
  get transform() {
    return this.#transform ??= this.#style.textTransform;
  }

  /** Which white space is displayed as in the source: "all", "lines" (line breaks) or "" for none. */
  get white() {
    return this.#white ??= preservedWhiteSpace(this.#style.whiteSpace);
  }
}

/** Return which white space is displayed as in the source, by a value of CSS `white-space`: "all", "lines" (line breaks) or "". */
function preservedWhiteSpace(value) {
  if (value === 'normal' || value === 'nowrap') return '';
  return value === 'pre-line' ? 'lines' : /^(pre|pre-wrap|break-spaces)$/.test(value) ? 'all' : '';
}

/** Return a text as a value of CSS `text-transform`, such as "uppercase", displays it. */
function applyTextTransform(text, transform) {
  if (transform === 'uppercase') return text.toUpperCase();
  if (transform === 'lowercase') return text.toLowerCase();
  if (transform === 'capitalize')
    return text.replace(/(^|[\s(-])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
  return text;
}

/**
 * Write the text of an element's content to `writer` (a `TextWriter`): of its children, slotted nodes or shadow tree, or what a `<use>`
 * draws. `tag`, `style`, `display`: its tag name, computed style and the `display` of that.
 */
function writeChildren(element, tag, writer, style, display) {
  const textStyle = TABLE_PARTS.has(display) ? null : new TextStyle(element, style);
  if (textState.depth > MAX_TEXT_DEPTH) {
    writeTextData(textContentOf(element), writer, textStyle);
    return;
  }
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

/** Write the text that a `<use>` of SVG (`element`) draws from elsewhere to `writer` (a `TextWriter`). */
function writeUseText(element, writer) {
  const text = textDrawnByUse(element);
  const isSeen = text !== '' && textState.visibility === TEXT_VISIBLE
    && !isSvgTextInvisible(element, getComputedStyle(element), rectOf(element));
  if (!isSeen) textState.hiddenCharacters += text.length;
  if (text !== '' && isSeen !== textState.onlyInvisible) {
    writer.requestSpace();
    writer.writeText(text, '');
    writer.requestSpace();
  }
}

/**
 * Write the text of the children of an element with a shadow tree or slotted nodes to `writer` (a `TextWriter`). Each is judged by the
 * style sheets of its own tree. `tag`: its tag name; `textStyle`: the `TextStyle` of text in it, null where text is not displayed.
 */
function writeChildrenOfTrees(element, tag, writer, textStyle) {
  const { suspects, visibility, isUnchanged } = textState;
  textState.isUnchanged = false;
  if (suspects === null && visibility === TEXT_VISIBLE)
    textState.visibility = textVisibilityInside(element, { name: tag }, false, visibility, null);
  for (const child of shownChildren(element)) {
    textState.suspects = makeInvisibleTextFilter(treeOf(child));
    writeNode(child, writer, textStyle);
  }
  Object.assign(textState, { suspects, visibility, isUnchanged });
}

// Text that changes if its white space collapses.
const MAY_COLLAPSE = /^\s|\s$|[\t\n\f\r]| {2}/;

/**
 * Write the text of an element or a text node to `writer` (a `TextWriter`). `textStyle`: the `TextStyle` of text here, null where text is
 * not displayed, as between rows of a table.
 */
function writeNode(node, writer, textStyle) {
  const type = nodeTypeOf(node);
  if (type === 1) writeElement(node, writer);
  else if (type === 3) writeTextData(dataOf(node), writer, textStyle);
}

/**
 * Write a text of the page, `data`, to `writer` (a `TextWriter`), and count it if it is invisible. `textStyle`: its `TextStyle`, null where
 * text is not displayed.
 */
function writeTextData(data, writer, textStyle) {
  if (!textStyle || !(textState.isUnchanged || textStyle.isVisible)) return;
  if (textState.visibility !== TEXT_VISIBLE) textState.hiddenCharacters += lengthOf(data);
  if ((textState.visibility === TEXT_VISIBLE) === textState.onlyInvisible) return;
  const text = textState.isUnchanged ? data : applyTextTransform(data, textStyle.transform);
  if (MAY_COLLAPSE.test(text)) writer.writeText(text, textStyle.white);
  else if (text) writer.writePiece(text, false);
}

/** Return the children of a node in the flat tree, as they are rendered; of a closed `<details>` only its summary. */
export function shownChildren(node) {
  if (localNameOf(node) === 'details' && !node.open) {
    const summary = [...childrenOf(node)].find((child) => isElement(child) && localNameOf(child) === 'summary');
    return summary ? [summary] : [];
  }
  return childrenOf(node);
}

/**
 * Write the text of a table or a row to `writer` (a `TextWriter`), cells separated by tabs. If one spans columns or rows, the others still
 * get the tabs of their own columns. `tag`, `style`, `display`: its tag name, computed style and the `display` of that.
 */
function writeTable(element, tag, writer, style, display) {
  const { spans } = textState;
  if (display !== 'table-row') textState.spans = createSpans(element);
  else if (spans !== null) spans.startRow(element);
  writeChildren(element, tag, writer, style, display);
  if (display === 'table-row' && spans !== null) spans.endRow();
  textState.spans = spans;
}

const MAX_CELL = 200;

/**
 * Write the text of a cell to `writer` (a `TextWriter`), on the line of its row. Its own line breaks become blanks, unless it is long or
 * contains a table. `tag`, `style`: its tag name and computed style.
 */
function writeCell(cell, tag, writer, style) {
  const inner = new TextWriter();
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
  writer.writeText(isData ? text.replace(/\s*\n\s*/g, ' ') : text, 'all');
}

/** Collects the text of a page piece by piece, with the white space that is due between two pieces. */
class TextWriter {
  /** @type {string[]} */
  out = []; // the pieces so far
  gap = 0; // line breaks before the next piece
  tabs = 0; // tabs before the next piece, after the cells before it
  space = false; // whether a blank comes before the next piece
  /** @type {any[]} */
  edges = []; // [style, LEFT or RIGHT, style, …] of inline elements that begin or end before the next piece: an edge may be a visible gap
  column = 0; // of the last cell on the line
  next = 0; // column after that

  /** Have the next piece of text begin after `lines` line breaks. `adds`: these add to earlier ones, as those of `<br>`. */
  breakLine(lines, adds) {
    this.gap = adds ? this.gap + lines : Math.max(this.gap, lines);
    this.space = false;
    this.column = this.next = this.tabs = 0;
    this.edges.length = 0;
  }

  /** Have the next piece of text begin with a space, unless it begins a line. */
  requestSpace() {
    if (!this.gap) this.space = true;
  }

  /** Write a text. `white`: which of its white space is displayed as in the source: "all", "lines" (line breaks) or "" for none. */
  writeText(text, white) {
    if (white === 'lines') {
      text.split('\n').forEach((line, index) => {
        if (index) this.breakLine(1, true);
        this.writeText(line, '');
      });
      return;
    }
    const shown = !white && /[\t\r\n\f]| {2}/.test(text) ? text.replace(/[ \t\r\n\f]+/g, ' ') : text;
    if (!shown) return;
    if (!white && shown === ' ') {
      this.requestSpace();
      return;
    }
    const isSpaced = !white && shown.startsWith(' ');
    this.writePiece(white ? shown : trimOneBlank(shown), isSpaced);
    this.space = !white && shown.endsWith(' ');
  }

  /** Write a piece of text after the white space that is due. `isSpaced`: a blank comes before it. */
  writePiece(piece, isSpaced) {
    if (this.gap) {
      if (this.out.length) this.out.push('\n'.repeat(Math.min(this.gap, 2)));
      this.gap = 0;
      this.space = false;
    }
    if (this.tabs) {
      this.out.push('\t'.repeat(this.tabs));
      this.tabs = 0;
    }
    const last = this.out.length ? this.out[this.out.length - 1] : '';
    const glued = !last || isWhiteSpaceCode(last.charCodeAt(last.length - 1));
    const leading = !glued && (isSpaced || this.space || this.hasVisibleGap()) ? ' ' : ''; // edges last: they are slow to read
    this.edges.length = 0;
    this.out.push(leading + piece);
    this.space = false;
  }

  /** Return whether one of the edges before the next piece is a visible gap: a margin, border or padding. */
  hasVisibleGap() {
    for (let index = 0; index < this.edges.length; index += 2)
      if (hasVisibleGap(this.edges[index], this.edges[index + 1])) return true;
    return false;
  }
}

/** Return whether a character, given by its code, is white space. */
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
    this.written = 0;
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

/** Return a new `CellSpans`, which computes the column of each cell, for a table; null if no cell spans columns or rows. */
export const createSpans = (table) => queryOne(table, '[colspan],[rowspan]') === null ? null : new CellSpans();

/**
 * Return the `CellSpans`, which computes the column of each cell, of the table around an element, at that element's row. Null for an
 * element outside of tables, or if no cell of the table spans columns or rows.
 */
export function createSpansFrom(element) {
  const table = closest(element, 'table');
  const spans = table && table !== element ? createSpans(table) : null;
  if (spans === null || localNameOf(element) !== 'tr') return spans;
  for (const row of parentNodeOf(element).children) {
    if (row === element) break;
    if (isLaidOut(row)) skipRow(row, spans);
  }
  return spans;
}

/** Have `spans` (a `CellSpans`) count the cells of a row without writing them. */
function skipRow(row, spans) {
  spans.startRow(row);
  for (const cell of row.children) if (isLaidOut(cell)) spans.columnOf(cell);
  spans.endRow();
}

/** Return whether an element itself has no `display: none`. */
const isLaidOut = (element) => getComputedStyle(element).display !== 'none';
