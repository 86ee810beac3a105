// Scrolling of a pane by its name, and which of its rows it shows then.

import {
  clientHeightOf,
  clientWidthOf,
  parentNodeOf,
  rectOf,
  scrollHeightOf,
  scrollingElementOf,
  scrollLeftOf,
  scrollTopOf,
  scrollWidthOf,
  scrollWithin,
} from './engine-accessors.js';
import { attr, childrenOf, exported, isElement, parentOf, queryAllIn } from './engine-dom.js';
import { idOf, nodeFor } from './engine-table.js';
import { styleOf } from './engine-hidden.js';
import { lookOf } from './matching.js';

/**
 * @typedef {object} RowsInView
 * @property {number} first
 * @property {number} last
 * @property {number} total
 */

/**
 * The scroll position of a pane. `look` names the pane, `own` tells whether it is the element that was named.
 * @typedef {object} Pane
 * @property {number} id
 * @property {string} look
 * @property {boolean} own
 * @property {number} top
 * @property {number} left
 * @property {number} height how far it can be scrolled down
 * @property {number} width how far it can be scrolled to the right
 * @property {number} page the height of what it shows at once
 * @property {number} across the width of that
 * @property {RowsInView | null} rows the numbers of the rows in view, where the page says them
 */

/**
 * The pane that is scrolled for an element, up and down or (`isAcross`) to the sides: the element, the largest pane in it, or the
 * nearest around it.
 * @returns {Pane | null}
 */
exported.pane = (id, isAcross) => {
  const element = nodeFor(id);
  if (!element) return null;
  const found = scrolls(element, isAcross) ? element : largestIn(element, isAcross) || nearestAround(element, isAcross);
  return found && paneLook(found, found === element);
};

/** The scroll position of a pane that was found before. @returns {Pane | null} */
exported.paneNow = (id) => {
  const pane = nodeFor(id);
  return pane && paneLook(pane, true);
};

exported.scrollPane = (id, right, down) => {
  const pane = nodeFor(id);
  if (pane) scrollWithin(pane, { left: right, top: down, behavior: 'instant' });
};

function scrolls(element, isAcross) {
  const root = element === scrollingElementOf(document);
  const room = isAcross
    ? scrollWidthOf(element) - clientWidthOf(element)
    : scrollHeightOf(element) - clientHeightOf(element);
  if (room < 1 || clientHeightOf(element) === 0) return false;
  const { overflowX, overflowY } = styleOf(element);
  return root || /auto|scroll|hidden/.test(isAcross ? overflowX : overflowY);
}

function largestIn(element, isAcross) {
  const area = (pane) => clientWidthOf(pane) * clientHeightOf(pane);
  const panes = [...descendants(element)].filter((inner) => scrolls(inner, isAcross) && isOpen(inner, isAcross));
  return panes.reduce((best, pane) => (!best || area(pane) > area(best) ? pane : best), null);
}

/** Whether a person could scroll it, too: what only cuts off its contents is not taken unless it was named. */
const isOpen = (element, isAcross) => /auto|scroll/.test(styleOf(element)[isAcross ? 'overflowX' : 'overflowY']);

function* descendants(element) {
  for (const child of childrenOf(element)) {
    if (!isElement(child)) continue;
    yield child;
    yield* descendants(child);
  }
}

function nearestAround(element, isAcross) {
  for (let around = parentOf(element); around && isElement(around); around = parentOf(around))
    if (scrolls(around, isAcross) && (isOpen(around, isAcross) || around === scrollingElementOf(document)))
      return around;
  return null;
}

/** @returns {Pane} */
function paneLook(pane, own) {
  return {
    id: idOf(pane),
    look: lookOf(pane),
    own,
    top: Math.round(scrollTopOf(pane)),
    left: Math.round(scrollLeftOf(pane)),
    height: Math.round(scrollHeightOf(pane) - clientHeightOf(pane)),
    width: Math.round(scrollWidthOf(pane) - clientWidthOf(pane)),
    page: clientHeightOf(pane),
    across: clientWidthOf(pane),
    rows: rowsIn(pane),
  };
}

/** The rows or items in view by the numbers that the page gives them, and how many there are; null where it gives none. */
function rowsIn(pane) {
  const view = pane === scrollingElementOf(document) ? { top: 0, bottom: innerHeight } : rectOf(pane);
  const numbers = [];
  let total = 0;
  for (const row of queryAllIn(pane, '[aria-rowindex],[aria-posinset]')) {
    const { top, bottom, height } = rectOf(row);
    const number = Number(attr(row, 'aria-rowindex') ?? attr(row, 'aria-posinset'));
    if (!number || height === 0 || isHeading(row) || bottom <= view.top + 1 || top >= view.bottom - 1) continue;
    numbers.push(number);
    total ||= Number(attr(row, 'aria-setsize') ?? 0) || countAround(row);
  }
  return numbers.length ? { first: Math.min(...numbers), last: Math.max(...numbers), total: Math.max(total, 0) } : null;
}

/** A row of headings stays in view: it is not where the pane is scrolled to. */
const isHeading = (row) => row.querySelector('[role=columnheader],th[scope=col],thead th') !== null;

/** The number of rows that the nearest grid, table or list around a row states; 0 if none does. */
function countAround(row) {
  for (let around = parentNodeOf(row); around && isElement(around); around = parentOf(around))
    if (attr(around, 'aria-rowcount') !== null) return Number(attr(around, 'aria-rowcount')) || 0;
  return 0;
}
