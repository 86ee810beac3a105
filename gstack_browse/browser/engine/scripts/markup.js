// Writes a page as markup with headings, lists, tables and links only. Changes nothing.

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
} from './engine-accessors.js';
import { attr, childrenOf, cleanText, exported, isElement, parentOf, shadowRootOf, treeOf } from './engine-dom.js';
import { nodeFor } from './engine-table.js';
import { meetHost } from './engine-closed.js';
import { beginReading, mayRead, readOfMore } from './engine-budget.js';
import { explicitRoleOf } from './engine-explicit-roles.js';
import { laysNothingOut, lengthOf, SEEN, sightOf, sightWithin } from './engine-unseen.js';
import { spansFrom, spansIn } from './table-spans.js';
import { hasStyled, suspectsIn } from './engine-suspects.js';

{
  const SKIPPED = new Set([
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
  const TABLE_PARTS = new Set(['table', 'tr', 'td', 'th']);
  const BREAKS = /^(?:block|flex|grid|list-item|table|table-row|table-caption|flow-root)$/;
  const IN_CELLS = new Set(['a', 'strong', 'em', 's', 'code']);
  const MOST_DEPTH = 60; // of the markup: whoever reads it may do so by recursion
  const MOST_CHARACTERS = 500000;

  /**
   * The state of the writer: `at` says what the text stands in.
   * @type {{ out: string[], size: number, depth: number, hidden: number, now: number, suspects: any, spans: any, at: any }}
   */
  const reading = {
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
    Object.assign(reading, {
      out: [],
      size: 0,
      depth: 0,
      hidden: 0,
      suspects: suspectsOf(treeOf(root)),
      now: parent ? sightWithin(parent) : SEEN,
      spans: spansFrom(root),
      at: { link: false, cell: false, layout: false },
    });
    write(root);
    return {
      text: reading.out.join(''),
      hidden: reading.hidden,
      cut: readOfMore(),
      isLong: reading.size > MOST_CHARACTERS,
    };
  };

  /** The elements of a tree that may have invisible text; null for none. */
  function suspectsOf(root) {
    const suspects = suspectsIn(root);
    return suspects.areRare && !hasStyled(root) ? null : suspects;
  }

  function write(element) {
    const tag = localNameOf(element);
    if (SKIPPED.has(tag) || reading.size > MOST_CHARACTERS || !mayRead()) return;
    const style = getComputedStyle(element);
    if (style.display === 'none' || laysNothingOut(style)) return;
    const around = reading.now;
    if (reading.suspects !== null || around !== SEEN)
      reading.now = sightOf(element, { name: tag }, false, around, reading.suspects);
    if (tag === 'br') put(reading.at.cell ? ' ' : '<br>');
    else if (tag === 'img') writePicture(element, style);
    else writeKept(element, tag, style);
    reading.now = around;
  }

  function put(markup) {
    reading.size += markup.length;
    reading.out.push(markup);
  }

  /** A blank between two words, and not where nothing has been said yet. */
  function space() {
    const last = reading.out[reading.out.length - 1] || '';
    if (!/^<[a-z]|\s$/.test(last)) put(' ');
  }

  function writePicture(element, style) {
    const words = cleanText(attr(element, 'alt') || '');
    const isShown = words && reading.now === SEEN && style.visibility === 'visible';
    if (isShown) put(`<img alt="${escaped(words)}" src="${escaped(safeAddress(element.currentSrc || element.src))}">`);
  }

  function writeKept(element, tag, style) {
    const { at } = reading;
    const kept = reading.depth < MOST_DEPTH ? keptOf(element, tag) : '';
    const address = kept === 'a' ? safeAddress(element.href) : '';
    reading.at = inside(element, kept, address);
    const isWritten = kept && !(kept === 'a' && (!address || at.link)) && (!(at.cell || at.link) || IN_CELLS.has(kept));
    const apart = isWritten
      ? ''
      : BREAKS.test(style.display)
      ? (at.cell || at.link ? ' ' : 'div')
      : /^inline-/.test(style.display)
      ? ' '
      : '';
    if (isWritten && reading.spans !== null && (kept === 'td' || kept === 'th')) fillUpTo(element, kept);
    if (isWritten) put(address ? `<a href="${escaped(address)}">` : `<${kept}${startOf(element, kept)}>`);
    else if (apart === ' ') space();
    else if (apart && reading.depth < MOST_DEPTH) put('<div>');
    reading.depth++;
    if (kept === 'table' || kept === 'tr') writeTable(element, kept, tag, style);
    else if (kept !== 'hr') writeChildren(element, tag, style);
    reading.depth--;
    if (isWritten && kept !== 'hr') put(`</${kept}>`);
    else if (apart === ' ') space();
    else if (apart && reading.depth < MOST_DEPTH) put('</div>');
    reading.at = at;
  }

  /** A table, or a row of one. Markdown knows no spans: empty cells take the places of the columns that a cell spans. */
  function writeTable(element, kept, tag, style) {
    const { spans } = reading;
    if (kept === 'table') reading.spans = spansIn(element);
    else if (spans !== null) startRow(element, spans);
    writeChildren(element, tag, style);
    if (kept === 'tr' && spans !== null) endRow(element, spans);
    reading.spans = spans;
  }

  function startRow(row, spans) {
    spans.startRow(row);
    spans.written = 0;
  }

  /** The first row says how many columns the table has. */
  function endRow(row, spans) {
    const table = closest(row, 'table');
    if (table && table.rows[0] === row) {
      const most = Math.max(...Array.from(table.rows, ({ cells }) => cells.length));
      const last = localNameOf(row.lastElementChild ?? row) === 'th' ? 'th' : 'td';
      fill(Math.min(spans.width, Math.max(most, spans.written)), last);
    }
    spans.endRow();
  }

  function fillUpTo(cell, kept) {
    fill(reading.spans.columnOf(cell) ?? 0, kept);
    reading.spans.written++;
  }

  function fill(column, kept) {
    for (const { spans } = reading; spans.written < column; spans.written++) put(`<${kept}></${kept}>`);
  }

  /** The tag that stands for an element; "" for one that says nothing by itself. */
  function keptOf(element, tag) {
    const role = explicitRoleOf(element);
    if (role && WITHOUT.has(role)) return '';
    if (role === 'heading')
      return `h${Math.min(Math.max(Number(attr(element, 'aria-level')) || Number(tag[1]) || 2, 1), 6)}`;
    const kept = role && BY_ROLE.get(role) || KEPT.get(tag) || '';
    if (TABLE_PARTS.has(kept) && reading.at.layout) return '';
    return kept === 'table' && isLayout(element) ? '' : kept;
  }

  /** A table that has another one in it is a way to place things. */
  const isLayout = (table) => queryOne(table, 'table') !== null;

  function inside(element, kept, address) {
    const { at } = reading;
    const isLayoutTable = localNameOf(element) === 'table' && kept !== 'table';
    return {
      link: at.link || Boolean(address),
      cell: at.cell || kept === 'td' || kept === 'th',
      layout: kept === 'table' ? false : at.layout || isLayoutTable,
    };
  }

  const startOf = (element, kept) => kept === 'ol' && element.start > 1 ? ` start="${element.start}"` : '';

  function writeChildren(element, tag, style) {
    const isVisible = style.visibility === 'visible';
    if (tag !== 'slot' && tag !== 'details' && !shadowRootOf(element)) {
      const first = firstChildOf(element);
      meetHost(element, tag, first);
      for (let child = first; child; child = nextSiblingOf(child)) writeNode(child, isVisible);
      return;
    }
    const { suspects } = reading;
    for (const child of shownChildren(element)) {
      reading.suspects = suspectsOf(treeOf(child));
      writeNode(child, isVisible);
    }
    reading.suspects = suspects;
  }

  /** Children as rendered; of a closed details only its summary. */
  function shownChildren(node) {
    if (localNameOf(node) !== 'details' || node.open) return childrenOf(node);
    return [...childrenOf(node)].filter((child) => isElement(child) && localNameOf(child) === 'summary').slice(0, 1);
  }

  function writeNode(node, isVisible) {
    if (nodeTypeOf(node) === 1) write(node);
    else if (nodeTypeOf(node) === 3 && isVisible) {
      if (reading.now === SEEN) put(wordsOf(dataOf(node)));
      else reading.hidden += lengthOf(dataOf(node));
    }
  }

  /** Text as it stands there; a bar would end a cell of Markdown. */
  const wordsOf = (text) => escaped(reading.at.cell ? text.replace(/\|/g, '\\|') : text);

  /** An address that leads to a page or a picture; "" for code, and for data that would be longer than the page. */
  const safeAddress = (address) => /^(?:https?|mailto|tel|file):/.test(String(address)) ? String(address) : '';

  const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  const escaped = (text) => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter]);
}
