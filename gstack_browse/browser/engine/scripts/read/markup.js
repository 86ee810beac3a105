// Writes a page as markup with headings, lists, tables and links only, to be converted to Markdown.

import { explicitRoleOf } from '../accname/roles.js';
import {
  bodyOf,
  closest,
  dataOf,
  firstChildOf,
  localNameOf,
  nextSiblingOf,
  nodeTypeOf,
  queryOne,
  rootElementOf,
  textContentOf,
} from '../dom/accessors.js';
import { attr, cleanText, exported, parentOf, shadowRootOf, treeOf, wordSet } from '../dom/dom.js';
import { noteHostCandidate } from '../dom/internals.js';
import { beginReading, elementsReadBeforeLimit, mayRead } from '../dom/invoke.js';
import { nodeFor } from '../dom/node-table.js';
import { showsFallback } from '../layout/visible.js';
import { linkAddressOf } from './elements.js';
import { createSpans, createSpansFrom, makeInvisibleTextFilter, MAX_TEXT_DEPTH, shownChildren } from './text.js';
import {
  laysOutNoText,
  lengthOf,
  TEXT_VISIBLE,
  textVisibilityInside,
  textVisibilityOf,
} from '../visibility/text-visibility.js';

const TAGS_LEFT_OUT = wordSet(
  `script style noscript template head title meta link datalist input select textarea canvas video audio iframe
  object embed desc metadata`,
);
const MARKUP_TAG_BY_TAG = new Map([['b', 'strong'], ['i', 'em'], ['del', 's']]);
const TAGS_KEPT = wordSet('h1 h2 h3 h4 h5 h6 p ul ol li blockquote pre table tr td th a code hr strong em s');
const MARKUP_TAG_BY_ROLE = new Map([
  ['list', 'ul'],
  ['listitem', 'li'],
  ['table', 'table'],
  ['grid', 'table'],
  ['row', 'tr'],
  ['cell', 'td'],
  ['gridcell', 'td'],
  ['columnheader', 'th'],
  ['rowheader', 'th'],
  ['blockquote', 'blockquote'],
  ['paragraph', 'p'],
  ['code', 'code'],
]);
const REMOVING_ROLES = new Set(['presentation', 'none']);
const TABLE_TAGS = new Set(['table', 'tr', 'td', 'th']);
const BREAKING_DISPLAY = /^(?:block|flex|grid|list-item|table|table-row|table-caption|flow-root)$/;
const TAGS_ALLOWED_IN_CELLS = new Set(['a', 'strong', 'em', 's', 'code']);
const MAX_MARKUP_DEPTH = 60; // the parser of the markup may be recursive
const MAX_MARKUP_CHARACTERS = 500000;

/**
 * The state of the writer. `context`: whether the current element is inside of a link, a table cell, a layout table.
 * @type {{ out: string[], size: number, depth: number, hidden: number, visibility: number, suspects: any, spans: any, context: any }}
 */
const markupState = {
  out: [],
  size: 0,
  depth: 0,
  hidden: 0,
  visibility: TEXT_VISIBLE,
  suspects: null,
  spans: null, // `CellSpans` of the current table
  context: { link: false, cell: false, layout: false },
};

/**
 * Return the visible content of an element (0: the document) as simple markup, to be converted to Markdown: { text: the markup, hidden:
 * number of invisible characters, cut: number of elements read if there are too many to read all, else 0, isLong: the markup was cut }.
 */
exported.readMarkup = (id) => {
  const root = id ? nodeFor(id) : bodyOf(document) || rootElementOf(document);
  if (!root) return { text: '', hidden: 0, cut: 0, isLong: false };
  beginReading();
  const parent = parentOf(root);
  Object.assign(markupState, {
    out: [],
    size: 0,
    depth: 0,
    hidden: 0,
    suspects: makeInvisibleTextFilter(treeOf(root)),
    visibility: parent ? textVisibilityOf(parent) : TEXT_VISIBLE,
    spans: createSpansFrom(root),
    context: { link: false, cell: false, layout: false },
  });
  writeMarkup(root);
  return {
    text: markupState.out.join(''),
    hidden: markupState.hidden,
    cut: elementsReadBeforeLimit(),
    isLong: markupState.size > MAX_MARKUP_CHARACTERS,
  };
};

/** Append the visible content of an element to the markup, in those tags that Markdown has an equivalent for. */
function writeMarkup(element) {
  const tag = localNameOf(element);
  if (TAGS_LEFT_OUT.has(tag) && !showsFallback(element) || markupState.size > MAX_MARKUP_CHARACTERS || !mayRead())
    return;
  const style = getComputedStyle(element);
  if (style.display === 'none' || laysOutNoText(style)) return;
  const around = markupState.visibility;
  if (markupState.suspects !== null || around !== TEXT_VISIBLE)
    markupState.visibility = textVisibilityInside(element, { name: tag }, false, around, markupState.suspects);
  if (tag === 'br') appendMarkup(markupState.context.cell ? ' ' : '<br>');
  else if (tag === 'img') writeImage(element, style);
  else writeElementMarkup(element, tag, style);
  markupState.visibility = around;
}

/** Append a piece of markup to the answer. */
function appendMarkup(markup) {
  markupState.size += markup.length;
  markupState.out.push(markup);
}

/** Append a blank to the markup, unless its last piece is a start tag or ends with white space. */
function appendSpace() {
  const last = markupState.out[markupState.out.length - 1] || '';
  if (!/^<[a-z]|\s$/.test(last)) appendMarkup(' ');
}

/** Append an image to the markup, if it is visible and has an alternative text. `style`: its computed style. */
function writeImage(element, style) {
  const alt = cleanText(attr(element, 'alt') || '');
  const isShown = alt && markupState.visibility === TEXT_VISIBLE && style.visibility === 'visible';
  if (isShown)
    appendMarkup(
      `<img alt="${escapeMarkup(alt)}" src="${escapeMarkup(safeAddress(element.currentSrc || element.src))}">`,
    );
}

/**
 * Append an element with its content to the markup, or only its content if Markdown has no equivalent of the element. `tag`, `style`: its
 * tag name and computed style.
 */
function writeElementMarkup(element, tag, style) {
  const { context } = markupState;
  const markupTag = markupState.depth < MAX_MARKUP_DEPTH ? markupTagOf(element, tag) : '';
  const address = markupTag === 'a' ? safeAddress(linkAddressOf(element)) : '';
  markupState.context = contextInside(element, markupTag, address);
  const isWritten = markupTag && !(markupTag === 'a' && (!address || context.link))
    && (!(context.cell || context.link) || TAGS_ALLOWED_IN_CELLS.has(markupTag));
  const separator = isWritten ? '' : separatorAround(style, context);
  if (isWritten && markupState.spans !== null && (markupTag === 'td' || markupTag === 'th'))
    appendSpannedCells(element, markupTag);
  if (isWritten)
    appendMarkup(
      address ? `<a href="${escapeMarkup(address)}">` : `<${markupTag}${startAttribute(element, markupTag)}>`,
    );
  else if (separator === ' ') appendSpace();
  else if (separator && markupState.depth < MAX_MARKUP_DEPTH) appendMarkup('<div>');
  markupState.depth++;
  if (markupTag === 'table' || markupTag === 'tr') writeTableMarkup(element, markupTag, tag, style);
  else if (markupTag !== 'hr') writeChildrenMarkup(element, tag, style);
  markupState.depth--;
  if (isWritten && markupTag !== 'hr') appendMarkup(`</${markupTag}>`);
  else if (separator === ' ') appendSpace();
  else if (separator && markupState.depth < MAX_MARKUP_DEPTH) appendMarkup('</div>');
  markupState.context = context;
}

/**
 * Return what is written around the content of an element that gets no markup tag: "div" for a block, " " or "" (nothing). `context`: {
 * link, cell }, whether the element is inside of a link or a table cell.
 */
function separatorAround(style, context) {
  if (BREAKING_DISPLAY.test(style.display)) return context.cell || context.link ? ' ' : 'div';
  return /^inline-/.test(style.display) ? ' ' : '';
}

/**
 * Append the content of a table or a row to the markup. Markdown has no spanning cells: empty cells are written for the further columns or
 * rows of one. `markupTag`: "table" or "tr"; `tag`, `style`: the element's tag name and computed style.
 */
function writeTableMarkup(element, markupTag, tag, style) {
  const { spans } = markupState;
  if (markupTag === 'table') markupState.spans = createSpans(element);
  else if (spans !== null) spans.startRow(element);
  writeChildrenMarkup(element, tag, style);
  if (markupTag === 'tr' && spans !== null) endTableRow(element, spans);
  markupState.spans = spans;
}

/**
 * End a row of a table that has spanning cells. The first row is filled up with empty cells, since it defines the number of columns in
 * Markdown. `spans`: the `CellSpans` (column of each cell) of the table.
 */
function endTableRow(row, spans) {
  const table = closest(row, 'table');
  if (table && table.rows[0] === row) {
    const most = Math.max(...Array.from(table.rows, ({ cells }) => cells.length));
    const last = localNameOf(row.lastElementChild ?? row) === 'th' ? 'th' : 'td';
    appendEmptyCells(Math.min(spans.width, Math.max(most, spans.written)), last);
  }
  spans.endRow();
}

/** Append empty cells to the markup for the columns before `cell` that a cell above or before it spans. `markupTag`: "td" or "th". */
function appendSpannedCells(cell, markupTag) {
  appendEmptyCells(markupState.spans.columnOf(cell) ?? 0, markupTag);
  markupState.spans.written++;
}

/** Append empty cells to a row until it has `column` cells. `markupTag`: "td" or "th". */
function appendEmptyCells(column, markupTag) {
  for (const { spans } = markupState; spans.written < column; spans.written++)
    appendMarkup(`<${markupTag}></${markupTag}>`);
}

/**
 * Return the tag in which an element is written to the markup, by its role or its tag name `tag`, such as "h2"; "" if only its content is
 * written.
 */
function markupTagOf(element, tag) {
  const role = explicitRoleOf(element);
  if (role && REMOVING_ROLES.has(role)) return '';
  if (role === 'heading')
    return `h${Math.min(Math.max(Number(attr(element, 'aria-level')) || Number(tag[1]) || 2, 1), 6)}`;
  const markupTag = role && MARKUP_TAG_BY_ROLE.get(role) || MARKUP_TAG_BY_TAG.get(tag)
    || (TAGS_KEPT.has(tag) ? tag : '');
  if (TABLE_TAGS.has(markupTag) && markupState.context.layout) return '';
  const isForLayout = markupTag === 'table' && queryOne(element, 'table') !== null; // it contains another table
  return isForLayout ? '' : markupTag;
}

/**
 * Return { link, cell, layout }: whether the content of an element is inside of a link, a table cell, a table for layout. `markupTag`: the
 * tag in which the element is written, "" for none; `address`: the URL of a link, else "".
 */
function contextInside(element, markupTag, address) {
  const { context } = markupState;
  const isLayoutTable = localNameOf(element) === 'table' && markupTag !== 'table';
  return {
    link: context.link || Boolean(address),
    cell: context.cell || markupTag === 'td' || markupTag === 'th',
    layout: markupTag === 'table' ? false : context.layout || isLayoutTable,
  };
}

/** Return the attribute `start` of a numbered list, such as ` start="3"`; "" for a list that starts with 1 and any other element. */
const startAttribute = (element, markupTag) =>
  markupTag === 'ol' && element.start > 1 ? ` start="${element.start}"` : '';

/** Append the content of an element to the markup. `tag`, `style`: its tag name and computed style. */
function writeChildrenMarkup(element, tag, style) {
  const isVisible = style.visibility === 'visible';
  if (markupState.depth > MAX_TEXT_DEPTH) {
    writeTextMarkup(textContentOf(element), isVisible);
    return;
  }
  if (tag !== 'slot' && tag !== 'details' && !shadowRootOf(element)) {
    const first = firstChildOf(element);
    noteHostCandidate(element, tag, first);
    for (let child = first; child; child = nextSiblingOf(child)) writeNodeMarkup(child, isVisible);
    return;
  }
  const { suspects } = markupState;
  for (const child of shownChildren(element)) {
    markupState.suspects = makeInvisibleTextFilter(treeOf(child));
    writeNodeMarkup(child, isVisible);
  }
  markupState.suspects = suspects;
}

/**
 * Append an element or a visible text node to the markup; count the characters of invisible text. `isVisible`: the parent is not
 * `visibility: hidden`.
 */
function writeNodeMarkup(node, isVisible) {
  if (nodeTypeOf(node) === 1) writeMarkup(node);
  else if (nodeTypeOf(node) === 3) writeTextMarkup(dataOf(node), isVisible);
}

/**
 * Append a text of the page, `data`, to the markup; if the state's text visibility says that nobody sees it, only count its characters. If
 * not `isVisible` (its parent is `visibility: hidden`), do neither.
 */
function writeTextMarkup(data, isVisible) {
  if (!isVisible) return;
  if (markupState.visibility === TEXT_VISIBLE) appendMarkup(escapeText(data));
  else markupState.hidden += lengthOf(data);
}

/** Escape a text for markup; in a table cell also the bar, which would end a cell of Markdown. */
const escapeText = (text) => escapeMarkup(markupState.context.cell ? text.replace(/\|/g, '\\|') : text);

/** Return a URL of the web, a file, or for mail or telephone; "" for any other, such as code (`javascript:`) and data. */
const safeAddress = (address) => /^(?:https?|mailto|tel|file):/.test(String(address)) ? String(address) : '';

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Replace the characters `&`, `<`, `>` and `"` of a text by character references, so that it can stand in markup. */
const escapeMarkup = (text) => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter]);

/** Functions for reading/scripts/article.js, which copies the visible content of a page. */
exported.reader = {
  beginReading,
  mayRead,
  elementsReadBeforeLimit,
  shownChildren,
  TEXT_VISIBLE,
  textVisibilityInside,
  suspectsOf: makeInvisibleTextFilter,
  laysOutNoText,
  treeOf,
  escapeMarkup,
  safeAddress,
  linkAddressOf,
};
