// In which column a cell stands, where cells of a table span columns or rows, as CSS lays them out: what is not rendered takes no place.
// https://html.spec.whatwg.org/#algorithm-for-processing-rows

import { closest, localNameOf, parentNodeOf, queryOne } from './engine-accessors.js';

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
