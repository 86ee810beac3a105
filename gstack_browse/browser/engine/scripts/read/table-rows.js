// Reads the rows of a table, grid or list, by HTML or ARIA, also of those that draw only some of their rows; and finds the control that
// turns its page.

import { nameOf } from '../accname/names.js';
import { closest, localNameOf, matches, queryOne, rectOf } from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  isElement,
  openTreesOf,
  queryAllIn,
  shadowRootOf,
} from '../dom/dom.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { heightSpan } from '../layout/hit-testing.js';
import { isVisible } from '../layout/visible.js';
import { displayedValueOf } from './page.js';
import { createSpans, readVisibleText } from './text.js';

const TABLES = 'table,[role=table i],[role=grid i],[role=treegrid i]';
const ROW_LISTS = 'ul,ol,[role=list i],[role=listbox i],[role=feed i]';
const TABLE_ROWS = 'tr,[role=row i]';
const ROW_ITEMS = 'li,article,[role=listitem i],[role=option i],[role=article i]';
const ROW_CELLS = 'td,th,[role=cell i],[role=gridcell i],[role=columnheader i],[role=rowheader i]';
const HEADER_CELLS = 'th,[role=columnheader i]';
const ROW_NUMBER_ATTRIBUTES = [
  'aria-rowindex',
  'aria-posinset',
  'row-index',
  'data-row-index',
  'data-rowindex',
  'data-index',
];
const NEXT_PAGE_NAME =
  /^(go to )?(the )?next( page)?$|^(nächste|folgende)( seite)?$|^weiter$|^(page )?suivante?$|^(página )?siguiente$|^older$/i;
const NEXT_PAGE_SYMBOL = /^[›»>→❯⟩▶]$/u;

/**
 * `id`: the table; 0 where there is none; `height`: of all rows that are drawn, in pixels; `rows`: each with the number that the page
 * states, whether it is a header, and its cells.
 * @typedef {{ id: number, height: number, rows: [string, boolean, string[]][] }} TableRows
 */

/**
 * Return the visible rows of the table, grid or list that an element is, contains or is in: { id: of the table, 0 for none, height: of all
 * rows in pixels, rows: for each [row number that the page states, whether it is a header, texts of the cells] }.
 * @returns {TableRows}
 */
exported.readTableRows = (id) => {
  const root = nodeFor(id);
  const table = root && findTable(root);
  if (!table) return { id: 0, height: 0, rows: [] };
  const isList = matches(table, ROW_LISTS);
  const elements = [...(isList ? matchesBelow(table, ROW_ITEMS, ROW_LISTS) : matchesBelow(table, TABLE_ROWS, TABLES))]
    .filter(
      isVisible,
    );
  const rows = isList ? rowItemsOf(elements) : sortRows(rowsOf(table, elements));
  return { id: idOf(table), height: elements.length ? heightSpan(elements.map(rectOf)) : 0, rows };
};

const MOST_TABLES = 50;

/**
 * `name`: its caption or accessible name; `heads`: of its first columns, at most 8; `rows`: how many are drawn, without heads.
 * @typedef {{ id: number, name: string, heads: string[], rows: number }} ShownTable
 */

/**
 * Return the visible tables and grids of the document, at most 50, to name them in a message.
 * @returns {ShownTable[]}
 */
exported.listVisibleTables = () => {
  const found = [];
  for (const tree of openTreesOf(document)) {
    for (const table of queryAllIn(tree, TABLES)) {
      if (found.length === MOST_TABLES) return found;
      if (!isVisible(table)) continue;
      const rows = [...matchesBelow(table, TABLE_ROWS, TABLES)].filter(isVisible);
      const heads = rows.filter((row) =>
        cellsOf(row).length > 0 && cellsOf(row).every((cell) => matches(cell, HEADER_CELLS))
      );
      found.push({
        id: idOf(table),
        name: cleanText(nameOf(table)),
        heads: heads.length ? cellsOf(heads[0]).slice(0, 8).map(textOfCell).filter(Boolean) : [],
        rows: rows.length - heads.length,
      });
    }
  }
  return found;
};

/** Return the cells of a row, by HTML or ARIA, in order. */
const cellsOf = (row) => [...matchesBelow(row, ROW_CELLS, TABLE_ROWS)];

/** Return the table, grid or list that an element is, contains or is in; null for none. */
const findTable = (root) =>
  matches(root, `${TABLES},${ROW_LISTS}`)
    ? root
    : firstVisible(root, TABLES) ?? firstVisible(root, ROW_LISTS) ?? closest(root, TABLES) ?? closest(root, ROW_LISTS);

/** Return the first visible element below `root`, shadow trees included, that matches a selector; null for none. */
function firstVisible(root, selector) {
  for (const found of matchesBelow(root, selector, '')) if (isVisible(found)) return found;
  return null;
}

/**
 * Yield the outermost elements below a root that match `selector`, shadow trees included, in order. Elements that match the selector
 * `notInside` ("" for none) are not searched.
 */
function* matchesBelow(root, selector, notInside) {
  for (const child of childrenOf(shadowRootOf(root) ?? root)) {
    if (!isElement(child)) continue;
    if (matches(child, selector)) yield child;
    else if (notInside === '' || !matches(child, notInside)) yield* matchesBelow(child, selector, notInside);
  }
}

/**
 * Return the rows (elements) of a table, each as { number: that the page states, "" for none, isHead: whether it is a header, cells:
 * [column from 0 or -1, text] of each }.
 */
function rowsOf(table, rows) {
  const spans = localNameOf(table) === 'table' ? createSpans(table) : null;
  const found = [];
  for (const row of rows) {
    spans?.startRow(row);
    const cells = cellsOf(row).filter((cell) => localNameOf(cell) !== 'td' || isVisible(cell));
    found.push({
      number: numberOfRow(row),
      isHead: cells.length > 0 && cells.every((cell) => matches(cell, HEADER_CELLS)),
      cells: cells.map((cell) => [columnOf(cell, spans), textOfCell(cell)]),
    });
    spans?.endRow();
  }
  return found;
}

/** Return the row number that a row states by ARIA (`aria-rowindex`) or an attribute of a grid library, as text; "" for none. */
const numberOfRow = (element) =>
  ROW_NUMBER_ATTRIBUTES.map((name) => attr(element, name)).find((value) => /^\d{1,9}$/.test(value ?? '')) ?? '';

/**
 * Return the column of a cell, counted from 0, by ARIA or the `CellSpans` of its table; -1 if unknown, so that it follows the cell before
 * it.
 */
function columnOf(cell, spans) {
  const index = Number(attr(cell, 'aria-colindex'));
  return index > 0 ? index - 1 : spans?.columnOf(cell) ?? -1;
}

/**
 * Return rows (`number`, `isHead`, `cells`) as [number, isHead, texts of the cells], in order of their numbers. Those with the same number
 * are joined: a grid may have pinned columns in rows of their own, and reuse elements as it is scrolled.
 */
function sortRows(rows) {
  const byNumber = new Map();
  for (const row of rows) {
    const other = row.number ? byNumber.get(row.number) : undefined;
    if (other) other.cells.push(...row.cells);
    else byNumber.set(row.number || row, row);
  }
  const all = [...byNumber.values()];
  if (all.every((row) => row.number || row.isHead)) {
    all.sort((one, other) => Number(other.isHead) - Number(one.isHead) || Number(one.number) - Number(other.number));
  }
  return all.map((row) => [row.number, row.isHead, arrangeCells(row.cells)]);
}

/**
 * Return an array of the texts of a row's cells. If all columns are known, each text is at its column, with "" between; else they are in
 * their order. `cells`: [column, text] of each, -1 for an unknown column.
 */
function arrangeCells(cells) {
  const texts = [];
  const first = Math.min(...cells.map(([column]) => column));
  const areColumnsKnown = first >= 0 && new Set(cells.map(([column]) => column)).size === cells.length;
  for (const [column, text] of cells)
    texts[areColumnsKnown && column < 1000 ? column - Math.min(first, 1) : texts.length] = text;
  return Array.from(texts, (text) => text ?? '');
}

/**
 * Return the text to print for a cell: the values of its fields, then its text, as `[x] active`; if it has neither, the accessible name of
 * what is in it.
 */
function textOfCell(cell) {
  const fields = [...queryAllIn(cell, CELL_FIELDS)].filter(isVisible);
  const texts = [...fields.map(contentOfField), cleanText(readVisibleText(idOf(cell)))].filter(Boolean).join(' ');
  return texts || (fields.length ? '' : cleanText(nameOf(queryOne(cell, '[aria-label],[alt],[title]') ?? cell)));
}
const CELL_FIELDS = 'input,select,textarea,[role=checkbox i],[role=radio i],[role=switch i]';

/**
 * Return the text to print for a field in a cell: its value; for a checkbox, radio button or switch `[x]` if it is checked, `[-]` if mixed,
 * else `[ ]`.
 */
function contentOfField(field) {
  const state = checkStateOf(field);
  return state === '' ? shownValueOf(field) : state === 'true' ? '[x]' : state === 'mixed' ? '[-]' : '[ ]';
}

/** Return the value that a field displays; "" for an empty field, which may display a placeholder. */
const shownValueOf = (field) => field.value === '' ? '' : cleanText(displayedValueOf(field));

/** Return "true", "false" or "mixed" for a checkbox, radio button or switch; "" for any other field. */
function checkStateOf(field) {
  if (localNameOf(field) !== 'input') return attr(field, 'role') ? attr(field, 'aria-checked') || 'false' : '';
  if (field.type !== 'checkbox' && field.type !== 'radio') return '';
  return field.indeterminate ? 'mixed' : String(field.checked);
}

/**
 * Return the items of a list in the form of table rows: for each [row number that the page states, false (no header), its lines of text].
 */
const rowItemsOf = (items) =>
  items.map((item) => [
    numberOfRow(item),
    false,
    readVisibleText(idOf(item)).split(/[\n\t]+/).map(cleanText).filter(Boolean),
  ]);

/**
 * Return the id of the control that turns to the next page of a table, such as a button "Next": the nearest around it; 0 if there is none,
 * or it is disabled.
 */
exported.findNextPageControl = (id) => {
  const table = nodeFor(id);
  if (!table) return 0;
  for (const around of ancestorsOf(table)) {
    if (!isElement(around)) continue;
    const found = [...queryAllIn(around, 'a,button,[role=button i],[role=link i]')].filter(isNextPageControl);
    if (found.length) return isControlDisabled(found.at(-1)) ? 0 : idOf(found.at(-1));
  }
  return 0;
};

/** Return whether a visible control turns to the next page: it is named "next page" or the like, or by an arrow, or has `rel=next`. */
function isNextPageControl(control) {
  if (!isVisible(control)) return false;
  const name = cleanText(nameOf(control));
  const words = name.replace(/^[\s«‹<←]+|[\s›»>→]+$/gu, '');
  return attr(control, 'rel') === 'next' || NEXT_PAGE_NAME.test(words) || (words === '' && NEXT_PAGE_SYMBOL.test(name));
}

/** Return whether a control is disabled, by HTML, by ARIA, or by the class `disabled`. */
const isControlDisabled = (control) =>
  matches(control, ':disabled,[aria-disabled=true],.disabled')
  || closest(control, 'li.disabled,li[aria-disabled=true]') !== null;
