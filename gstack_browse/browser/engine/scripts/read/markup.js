// Writes a page as markup with headings, lists, tables and links only. Changes nothing.

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
} from '../dom/accessors.js';
import { attr, cleanText, exported, parentOf, shadowRootOf, treeOf } from '../dom/dom.js';
import { meetHost } from '../dom/internals.js';
import { beginReading, mayRead, readOfMore } from '../dom/invoke.js';
import { nodeFor } from '../dom/node-table.js';
import { shownChildren, spansFrom, spansIn } from './text.js';
import { hasStyled, suspectsIn } from '../visibility/suspects.js';
import { laysNothingOut, lengthOf, SEEN, sightOf, sightWithin } from '../visibility/unseen.js';
import { showsFallback } from '../visibility/visible.js';

const UNWRITTEN = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'title',
  'meta',
  'link',
  'datalist',
  'input',
  'select',
  'textarea',
  'canvas',
  'video',
  'audio',
  'iframe',
  'object',
  'embed',
  'desc',
  'metadata',
]);
const KEPT = new Map([
  ...[
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'p',
    'ul',
    'ol',
    'li',
    'blockquote',
    'pre',
    'table',
    'tr',
    'td',
    'th',
    'a',
    'code',
    'hr',
  ]
    .map((tag) => /** @type {[string, string]} */ ([tag, tag])),
  ['strong', 'strong'],
  ['b', 'strong'],
  ['em', 'em'],
  ['i', 'em'],
  ['del', 's'],
  ['s', 's'],
]);
const BY_ROLE = new Map([
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
const WITHOUT = new Set(['presentation', 'none']);
const TABLE_TAGS = new Set(['table', 'tr', 'td', 'th']);
const BREAKING_DISPLAY = /^(?:block|flex|grid|list-item|table|table-row|table-caption|flow-root)$/;
const IN_CELLS = new Set(['a', 'strong', 'em', 's', 'code']);
const MOST_DEPTH = 60; // of the markup: whoever reads it may do so by recursion
const MOST_CHARACTERS = 500000;

/**
 * The state of the writer: `at` says what the text stands in.
 * @type {{ out: string[], size: number, depth: number, hidden: number, now: number, suspects: any, spans: any, at: any }}
 */
const writing = {
  out: [],
  size: 0,
  depth: 0,
  hidden: 0,
  now: SEEN,
  suspects: null,
  spans: null, // of the table, where cells of it span columns or rows
  at: { link: false, cell: false, layout: false },
};

/** Markup of an element (0: of the document). `hidden`: the number of invisible characters. `cut` and `isLong` as of `reading`. */
exported.markup = (id) => {
  const root = id ? nodeFor(id) : bodyOf(document) || rootElementOf(document);
  if (!root) return { text: '', hidden: 0, cut: 0, isLong: false };
  beginReading();
  const parent = parentOf(root);
  Object.assign(writing, {
    out: [],
    size: 0,
    depth: 0,
    hidden: 0,
    suspects: suspectsForMarkup(treeOf(root)),
    now: parent ? sightWithin(parent) : SEEN,
    spans: spansFrom(root),
    at: { link: false, cell: false, layout: false },
  });
  writeMarkup(root);
  return {
    text: writing.out.join(''),
    hidden: writing.hidden,
    cut: readOfMore(),
    isLong: writing.size > MOST_CHARACTERS,
  };
};

// For a script that copies what can be seen of a page.
exported.reader = {
  beginReading,
  mayRead,
  readOfMore,
  shownChildren,
  SEEN,
  sightOf,
  suspectsOf: suspectsForMarkup,
  laysNothingOut,
  treeOf,
};

/** The elements of a tree that may have invisible text; null for none. */
function suspectsForMarkup(root) {
  const suspects = suspectsIn(root);
  return suspects.areRare && !hasStyled(root) ? null : suspects;
}

/** Write the visible content of an element as markup that Markdown can say. */
function writeMarkup(element) {
  const tag = localNameOf(element);
  if (UNWRITTEN.has(tag) && !showsFallback(element) || writing.size > MOST_CHARACTERS || !mayRead()) return;
  const style = getComputedStyle(element);
  if (style.display === 'none' || laysNothingOut(style)) return;
  const around = writing.now;
  if (writing.suspects !== null || around !== SEEN)
    writing.now = sightOf(element, { name: tag }, false, around, writing.suspects);
  if (tag === 'br') putMarkup(writing.at.cell ? ' ' : '<br>');
  else if (tag === 'img') writeImage(element, style);
  else writeElementMarkup(element, tag, style);
  writing.now = around;
}

/** Append a piece of markup. */
function putMarkup(markup) {
  writing.size += markup.length;
  writing.out.push(markup);
}

/** Append a blank between two words, unless nothing was written before. */
function putSpace() {
  const last = writing.out[writing.out.length - 1] || '';
  if (!/^<[a-z]|\s$/.test(last)) putMarkup(' ');
}

/** Write a visible image that has an alternative text. */
function writeImage(element, style) {
  const words = cleanText(attr(element, 'alt') || '');
  const isShown = words && writing.now === SEEN && style.visibility === 'visible';
  if (isShown)
    putMarkup(
      `<img alt="${escapeMarkup(words)}" src="${escapeMarkup(safeAddress(element.currentSrc || element.src))}">`,
    );
}

/** Write an element in the tag that stands for it, or only its content. */
function writeElementMarkup(element, tag, style) {
  const { at } = writing;
  const kept = writing.depth < MOST_DEPTH ? markupTagOf(element, tag) : '';
  const address = kept === 'a' ? safeAddress(element.href) : '';
  writing.at = contextInside(element, kept, address);
  const isWritten = kept && !(kept === 'a' && (!address || at.link)) && (!(at.cell || at.link) || IN_CELLS.has(kept));
  const apart = isWritten ? '' : gapAround(style, at);
  if (isWritten && writing.spans !== null && (kept === 'td' || kept === 'th')) fillCellsBefore(element, kept);
  if (isWritten)
    putMarkup(address ? `<a href="${escapeMarkup(address)}">` : `<${kept}${startAttribute(element, kept)}>`);
  else if (apart === ' ') putSpace();
  else if (apart && writing.depth < MOST_DEPTH) putMarkup('<div>');
  writing.depth++;
  if (kept === 'table' || kept === 'tr') writeTableMarkup(element, kept, tag, style);
  else if (kept !== 'hr') writeChildrenMarkup(element, tag, style);
  writing.depth--;
  if (isWritten && kept !== 'hr') putMarkup(`</${kept}>`);
  else if (apart === ' ') putSpace();
  else if (apart && writing.depth < MOST_DEPTH) putMarkup('</div>');
  writing.at = at;
}

/** Return the gap between an unwritten element and what is around it: "div" for a box of its own, " " or "". */
function gapAround(style, at) {
  if (BREAKING_DISPLAY.test(style.display)) return at.cell || at.link ? ' ' : 'div';
  return /^inline-/.test(style.display) ? ' ' : '';
}

/** A table, or a row of one. Markdown knows no spans: empty cells take the places of the columns that a cell spans. */
function writeTableMarkup(element, kept, tag, style) {
  const { spans } = writing;
  if (kept === 'table') writing.spans = spansIn(element);
  else if (spans !== null) beginTableRow(element, spans);
  writeChildrenMarkup(element, tag, style);
  if (kept === 'tr' && spans !== null) endTableRow(element, spans);
  writing.spans = spans;
}

/** Begin a row of a table. */
function beginTableRow(row, spans) {
  spans.startRow(row);
  spans.written = 0;
}

/** End a row of a table. The first row is filled up, since it says how many columns the table has. */
function endTableRow(row, spans) {
  const table = closest(row, 'table');
  if (table && table.rows[0] === row) {
    const most = Math.max(...Array.from(table.rows, ({ cells }) => cells.length));
    const last = localNameOf(row.lastElementChild ?? row) === 'th' ? 'th' : 'td';
    fillCells(Math.min(spans.width, Math.max(most, spans.written)), last);
  }
  spans.endRow();
}

/** Write empty cells for the columns before a cell that others span. */
function fillCellsBefore(cell, kept) {
  fillCells(writing.spans.columnOf(cell) ?? 0, kept);
  writing.spans.written++;
}

/** Write empty cells up to a column. */
function fillCells(column, kept) {
  for (const { spans } = writing; spans.written < column; spans.written++) putMarkup(`<${kept}></${kept}>`);
}

/** Return the tag that stands for an element; "" for one that says nothing by itself. */
function markupTagOf(element, tag) {
  const role = explicitRoleOf(element);
  if (role && WITHOUT.has(role)) return '';
  if (role === 'heading')
    return `h${Math.min(Math.max(Number(attr(element, 'aria-level')) || Number(tag[1]) || 2, 1), 6)}`;
  const kept = role && BY_ROLE.get(role) || KEPT.get(tag) || '';
  if (TABLE_TAGS.has(kept) && writing.at.layout) return '';
  return kept === 'table' && containsTable(element) ? '' : kept;
}

/** Whether a table contains another one, and so only places things. */
const containsTable = (table) => queryOne(table, 'table') !== null;

/** Return the context for what is inside of an element: whether in a link, a cell, a layout table. */
function contextInside(element, kept, address) {
  const { at } = writing;
  const isLayoutTable = localNameOf(element) === 'table' && kept !== 'table';
  return {
    link: at.link || Boolean(address),
    cell: at.cell || kept === 'td' || kept === 'th',
    layout: kept === 'table' ? false : at.layout || isLayoutTable,
  };
}

/** Return the `start` attribute of a numbered list, with a blank before it; "" for none. */
const startAttribute = (element, kept) => kept === 'ol' && element.start > 1 ? ` start="${element.start}"` : '';

/** Write the children of an element. */
function writeChildrenMarkup(element, tag, style) {
  const isVisible = style.visibility === 'visible';
  if (tag !== 'slot' && tag !== 'details' && !shadowRootOf(element)) {
    const first = firstChildOf(element);
    meetHost(element, tag, first);
    for (let child = first; child; child = nextSiblingOf(child)) writeNodeMarkup(child, isVisible);
    return;
  }
  const { suspects } = writing;
  for (const child of shownChildren(element)) {
    writing.suspects = suspectsForMarkup(treeOf(child));
    writeNodeMarkup(child, isVisible);
  }
  writing.suspects = suspects;
}

/** Write an element, or a visible text node; characters that cannot be seen are counted. */
function writeNodeMarkup(node, isVisible) {
  if (nodeTypeOf(node) === 1) writeMarkup(node);
  else if (nodeTypeOf(node) === 3 && isVisible) {
    if (writing.now === SEEN) putMarkup(escapeText(dataOf(node)));
    else writing.hidden += lengthOf(dataOf(node));
  }
}

/** Escape a text for markup; a bar would end a cell of Markdown. */
const escapeText = (text) => escapeMarkup(writing.at.cell ? text.replace(/\|/g, '\\|') : text);

/** An address that leads to a page or a picture; "" for code, and for data that would be longer than the page. */
const safeAddress = (address) => /^(?:https?|mailto|tel|file):/.test(String(address)) ? String(address) : '';

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Escape the characters that mean something in markup. */
const escapeMarkup = (text) => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter]);
