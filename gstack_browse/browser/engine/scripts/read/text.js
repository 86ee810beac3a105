// The text of a page as a person sees it. Changes nothing.

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
  queryTree,
  shadowRootOf,
  treeOf,
} from '../dom/dom.js';
import { meetHost } from '../dom/internals.js';
import { beginReading, mayRead, readOfMore, withinMost } from '../dom/invoke.js';
import { nodeFor } from '../dom/node-table.js';
import { mayBeSaid } from '../dom/style-sheets.js';
import { isRenderedOnceSettled } from '../visibility/animations.js';
import { isDrawnAway, wordsDrawnBy } from '../visibility/drawings.js';
import { hasStyled, suspectsIn } from '../visibility/suspects.js';
import { laysNothingOut, lengthOf, SEEN, sightOf, sightWithin } from '../visibility/unseen.js';
import { showsFallback } from '../visibility/visible.js';
import { keepsDistance, LEFT, RIGHT } from '../walk/flow.js';

const BREAKS = new Set(['block', 'flex', 'grid', 'list-item', 'table', 'table-row', 'flow-root', 'table-caption']);
const TABLE_PARTS = new Set([
  'table',
  'table-row',
  'table-row-group',
  'table-header-group',
  'table-footer-group',
  'table-column',
  'table-column-group',
]);
const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const SPACED = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'meta', 'link', 'datalist']);

const REPLACED = new Set([
  'img',
  'input',
  'select',
  'textarea',
  'canvas',
  'video',
  'audio',
  'iframe',
  'object',
  'embed',
  'progress',
  'meter',
]);

/** SVG elements that are drawn only if another one refers to them, or never. HTML knows no elements of these names. */
const UNDRAWN = new Set(
  'defs symbol clipPath mask pattern marker linearGradient radialGradient filter metadata desc'.split(' '),
);

/**
 * Rendered text of an element (0: the document): what is visible, shadow roots included, a line per block.
 *
 * Most of its time goes into computed styles, so a property is read once, and only where the answer depends on it.
 */
export const textById = (id) => readText(id, false).text;
exported.text = textById;

/** The text of an element (see `text`), and the number of its invisible characters; or only these (`unseen`). */
function readText(id, unseen) {
  const root = id ? nodeFor(id) : bodyOf(document) || rootElementOf(document);
  if (!root) return { text: '', hidden: 0, cut: 0 };
  beginReading();
  const writer = newWriter();
  begin(root, unseen);
  if (['input', 'select', 'textarea'].includes(localNameOf(root))) writeField(root, writer);
  else writeElement(root, writer);
  const all = writer.out.join('');
  const text = withinMost(all);
  return {
    text: text.replace(/[ \t]+\n/g, '\n').replace(/\n{3,}/g, '\n\n').replace(unseen ? /^\s+/ : /^\s*\n|^[^\S\t]+/, '')
      .trimEnd(),
    hidden: sight.hidden,
    cut: readOfMore(),
    isLong: text !== all,
  };
}
exported.reading = readText;

/** The elements of a tree that may have invisible text; null for none. */
function suspectsForText(root) {
  const suspects = suspectsIn(root);
  return suspects.areRare && !hasStyled(root) ? null : suspects;
}

/**
 * Whether what is being read can be seen, which elements may not be, and what is written: the seen or the unseen.
 * `plain`: nothing in the tree veils words or changes their letters, so that no element is asked for that.
 * `spans`: of the table, where cells of it span columns or rows.
 * @type {{ now: number, suspects: any, plain: boolean, unseen: boolean, hidden: number, spans: any }}
 */
const sight = { now: SEEN, suspects: null, plain: false, unseen: false, hidden: 0, spans: null };

function begin(root, unseen) {
  const parent = parentOf(root);
  const suspects = suspectsForText(treeOf(root));
  Object.assign(sight, {
    suspects,
    plain: suspects === null && isPlain(root),
    now: parent ? sightWithin(parent) : SEEN,
    unseen,
    hidden: 0,
    spans: spansFrom(root),
  });
}

const VEILS = ['visibility', 'text-transform'];

/** Whether words in an element are shown as they stand there, for all that rules and attributes say. Nothing in its tree has a style of its own. */
function isPlain(root) {
  const tree = treeOf(root);
  if (mayBeSaid(tree, VEILS) || queryTree(tree, '[visibility],mphantom') !== null) return false;
  const look = new Look(root, getComputedStyle(root));
  return look.isVisible && look.transform === 'none';
}

/**
 * The text written so far, and the white space due before the next word: blank lines, tabs behind cells, a space, or one that edges may make.
 * `column`: of the last cell on the line, empty or not; `next`: of the one behind that.
 */
const newWriter = () => ({ out: [], gap: 0, tabs: 0, space: false, edges: [], column: 0, next: 0 });

function writeField(field, writer) {
  if (isSecret(field)) return writeText(MASK, writer, '');
  if (localNameOf(field) === 'select') return writeText(shownOptions(field), writer, 'all');
  return writeText(field.value, writer, 'all');
}

/** The visible text of a list: all of it when it stands open, else the choice. */
function shownOptions(list) {
  const isOpen = list.multiple || list.size > 1;
  const labels = [...(isOpen ? list.options : list.selectedOptions)].map((option) => option.label);
  return labels.join(isOpen ? '\n' : ', ');
}

function writeElement(element, writer) {
  const tag = localNameOf(element);
  if (SKIPPED.has(tag) || (UNDRAWN.has(tag) && element instanceof SVGElement) || !mayRead()) return;
  if (tag === 'br') {
    breakLine(writer, 1, true);
    return;
  }
  // Each property of a computed style costs 0.1 to 0.25 µs: the others are read only where they may matter.
  const style = getComputedStyle(element);
  const display = style.display;
  if (display === 'none') return;
  if (laysOutNothing(element, tag, style, display)) return;
  const around = sight.now;
  if (sight.suspects !== null || around !== SEEN)
    sight.now = sightOf(element, { name: tag }, false, around, sight.suspects);
  if (sight.now === SEEN || sight.unseen) writeShown(element, tag, writer, style, display);
  else writeAside(element, tag, writer, style, display);
  sight.now = around;
}

/**
 * Whether an element lays out none of its content. Asked only if a rule or an attribute may do that: one more property of all elements
 * costs a seventh of the time.
 */
function laysOutNothing(element, tag, style, display) {
  if (display.startsWith('table-column')) return true;
  const isSaid = hasAttr(element, 'hidden')
    || sight.suspects !== null && sight.suspects.has(element, { name: tag }, false);
  return isSaid && laysNothingOut(style);
}

/** Write an invisible element. If it writes nothing, and is positioned absolutely, it leaves no gap. */
function writeAside(element, tag, writer, style, display) {
  const { gap, space, out: { length } } = writer;
  writeShown(element, tag, writer, style, display);
  if (writer.out.length === length && /absolute|fixed/.test(style.position)) Object.assign(writer, { gap, space });
}

function writeShown(element, tag, writer, style, display) {
  if (REPLACED.has(tag) && !showsFallback(element)) standApart(writer);
  else if (BREAKS.has(display) && isCellByRole(element)) writeCell(element, tag, writer, style);
  else if (BREAKS.has(display) || display === 'contents' && attr(element, 'role') === 'row') {
    const gap = SPACED.has(tag) ? 2 : 1;
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

/** Whether an element that is laid out as a block is a cell of a grid, whose row is a line as that of a table is. */
function isCellByRole(element) {
  if (!hasAttr(element, 'role') || !CELL_ROLES.has(attr(element, 'role') ?? '')) return false;
  const row = parentOf(element);
  return row !== null && isElement(row) && attr(row, 'role') === 'row';
}

/** The way in which text right inside an element is shown: whether at all, and how its letters and white space are changed. */
class Look {
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

  /** Which white space counts: "all", "lines" or none. */
  get white() {
    return this.#white ??= whiteOf(this.#style.whiteSpace);
  }
}

function whiteOf(value) {
  if (value === 'normal' || value === 'nowrap') return '';
  return value === 'pre-line' ? 'lines' : /^(pre|pre-wrap|break-spaces)$/.test(value) ? 'all' : '';
}

function withTransform(text, transform) {
  if (transform === 'uppercase') return text.toUpperCase();
  if (transform === 'lowercase') return text.toLowerCase();
  if (transform === 'capitalize')
    return text.replace(/(^|[\s(-])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
  return text;
}

/** Whether the edge of one of the inline elements passed keeps a visible distance (buttons, badges). */
function isAnyApart(edges) {
  for (let index = 0; index < edges.length; index += 2)
    if (keepsDistance(edges[index], edges[index + 1])) return true;
  return false;
}

function standApart(writer) {
  if (!writer.gap) writer.space = true;
}

function writeChildren(element, tag, writer, style, display) {
  const look = TABLE_PARTS.has(display) ? null : new Look(element, style);
  if (tag === 'use') {
    writeUsed(element, writer);
    return;
  }
  if (tag === 'slot' || tag === 'details' || shadowRootOf(element)) {
    writeFromTrees(element, tag, writer, look);
    return;
  }
  const first = firstChildOf(element);
  meetHost(element, tag, first);
  for (let child = first; child; child = nextSiblingOf(child)) writeNode(child, writer, look);
}

/** Write the text that a drawing takes from elsewhere by `<use>`. */
function writeUsed(element, writer) {
  const words = wordsDrawnBy(element);
  const isSeen = words !== '' && sight.now === SEEN
    && !isDrawnAway(element, getComputedStyle(element), rectOf(element));
  if (!isSeen) sight.hidden += words.length;
  if (words !== '' && isSeen !== sight.unseen) {
    standApart(writer);
    writeText(words, writer, '');
    standApart(writer);
  }
}

/** Children that may be of another tree, whose style sheets say of them whether they can be seen. */
function writeFromTrees(element, tag, writer, look) {
  const { suspects, now, plain } = sight;
  sight.plain = false;
  if (suspects === null && now === SEEN) sight.now = sightOf(element, { name: tag }, false, now, null);
  for (const child of shownChildren(element)) {
    sight.suspects = suspectsForText(treeOf(child));
    writeNode(child, writer, look);
  }
  Object.assign(sight, { suspects, now, plain });
}

/** Text that reads differently if its white space collapses. */
const SPACED_OUT = /^\s|\s$|[\t\n\f\r]| {2}/;

/** `look` is that of text here, null where it has no place to stand: between the rows of a table. */
function writeNode(node, writer, look) {
  const type = nodeTypeOf(node);
  if (type === 1) writeElement(node, writer);
  else if (type === 3 && look && (sight.plain || look.isVisible)) {
    if (sight.now !== SEEN) sight.hidden += lengthOf(dataOf(node));
    if ((sight.now === SEEN) === sight.unseen) return;
    const text = sight.plain ? dataOf(node) : withTransform(dataOf(node), look.transform);
    if (SPACED_OUT.test(text)) writeText(text, writer, look.white);
    else if (text) write(text, writer, false);
  }
}

/** Children as rendered; of a closed details only its summary. */
export function shownChildren(node) {
  if (localNameOf(node) === 'details' && !node.open) {
    const summary = [...childrenOf(node)].find((child) => isElement(child) && localNameOf(child) === 'summary');
    return summary ? [summary] : [];
  }
  return childrenOf(node);
}

/** A table, or a row of one. What spans columns or rows leaves the others in their columns. */
function writeTable(element, tag, writer, style, display) {
  const { spans } = sight;
  if (display !== 'table-row') sight.spans = spansIn(element);
  else if (spans !== null) spans.startRow(element);
  writeChildren(element, tag, writer, style, display);
  if (display === 'table-row' && spans !== null) spans.endRow();
  sight.spans = spans;
}

const LONGEST_CELL = 200;

/** A cell stands on the line of its row, unless it is the frame of a whole layout. */
function writeCell(cell, tag, writer, style) {
  const inner = newWriter();
  writeChildren(cell, tag, inner, style, 'table-cell');
  const text = inner.out.join('').trim();
  const column = sight.spans?.columnOf(cell) ?? writer.next;
  if (column > writer.column) {
    writer.tabs += column - writer.column;
    writer.space = false;
  }
  writer.column = column;
  writer.next = column + 1;
  const isData = text.length <= LONGEST_CELL && text.includes('\n') && !queryOne(cell, 'table');
  writeText(isData ? text.replace(/\s*\n\s*/g, ' ') : text, writer, 'all');
}

function breakLine(writer, lines, hard) {
  writer.gap = hard ? writer.gap + lines : Math.max(writer.gap, lines);
  writer.space = false;
  writer.column = writer.next = writer.tabs = 0;
  writer.edges.length = 0;
}

/** Write text as shown: `white` says which white space counts, "all", "lines" or none. */
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
    standApart(writer);
    return;
  }
  const isSpaced = !white && shown.startsWith(' ');
  write(white ? shown : withoutEnds(shown), writer, isSpaced);
  writer.space = !white && shown.endsWith(' ');
}

/** Write words, which begin with a blank where `isSpaced`. */
function write(words, writer, isSpaced) {
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
  const glued = !last || isBlank(last.charCodeAt(last.length - 1));
  const leading = !glued && (isSpaced || writer.space || isAnyApart(writer.edges)) ? ' ' : ''; // edges only where it matters: they are slow
  writer.edges.length = 0;
  writer.out.push(leading + words);
  writer.space = false;
}

const isBlank = (code) =>
  code <= 32 ? /\s/.test(String.fromCharCode(code)) : code > 127 && /\s/.test(String.fromCharCode(code));

/** Without the blank at either end. A no-break space is no such blank: it is a word to CSS. */
function withoutEnds(text) {
  const start = text[0] === ' ' ? 1 : 0;
  const end = text.length - (text[text.length - 1] === ' ' ? 1 : 0);
  return start === 0 && end === text.length ? text : text.slice(start, Math.max(end, start));
}

// In which column a cell stands, where cells of a table span columns or rows, as CSS lays them out: what is not rendered takes no place.
// https://html.spec.whatwg.org/#algorithm-for-processing-rows

class Spans {
  #section = null;
  #row = null;
  /** How many more rows the cell above reaches down, by column; and how many rows the cells of this row have. */
  #below = [];
  #rows = [];
  #next = 0;
  /** How many columns of the row have been written, for callers that write them all. */
  written = 0;

  /** Rows come in their order. */
  startRow(row) {
    const section = parentNodeOf(row);
    if (section !== this.#section) [this.#section, this.#below] = [section, []]; // no cell reaches into the next section
    this.#row = row;
    this.#rows = [];
    this.#next = 0;
  }

  /** The column that the next cell of the row begins in; null for a cell that is right in no row, as where a row is laid out as a block. */
  columnOf(cell) {
    if (parentNodeOf(cell) !== this.#row) return null;
    while (this.#below[this.#next] > 0) this.#next++;
    const column = this.#next;
    const { colSpan = 1, rowSpan = 1 } = cell;
    for (; this.#next < column + colSpan; this.#next++) this.#rows[this.#next] = rowSpan === 0 ? Infinity : rowSpan;
    return column;
  }

  /** How many columns the row has had so far. */
  get width() {
    return this.#next;
  }

  endRow() {
    const width = Math.max(this.#below.length, this.#rows.length);
    for (let at = 0; at < width; at++)
      this.#below[at] = Math.max(this.#below[at] ?? 0, this.#rows[at] ?? 0, 1) - 1;
    this.#row = null;
  }
}

/** The spans of a table's cells; null if none spans anything. */
export const spansIn = (table) => queryOne(table, '[colspan],[rowspan]') === null ? null : new Spans();

/** The spans for the rows from an element of the table on; null if none spans anything, and for elements in no table. */
export function spansFrom(element) {
  const table = closest(element, 'table');
  const spans = table && table !== element ? spansIn(table) : null;
  if (spans === null || localNameOf(element) !== 'tr') return spans;
  for (const row of parentNodeOf(element).children) {
    if (row === element) break;
    if (isLaidOut(row)) passRow(row, spans);
  }
  return spans;
}

function passRow(row, spans) {
  spans.startRow(row);
  for (const cell of row.children) if (isLaidOut(cell)) spans.columnOf(cell);
  spans.endRow();
}

const isLaidOut = (element) => getComputedStyle(element).display !== 'none';
