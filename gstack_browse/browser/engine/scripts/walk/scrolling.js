// Scroll containers: how many of their items are in view ("[scrollable: 12 of about 1000 rows in view]"), and scrolling one (a pane).

import { roleOf } from '../accname/roles.js';
import {
  clientHeightOf,
  clientWidthOf,
  localNameOf,
  namespaceOf,
  parentNodeOf,
  rectOf,
  scrollHeightOf,
  scrollingElementOf,
  scrollLeftOf,
  scrollTopOf,
  scrollWidthOf,
  scrollWithin,
  textContentOf,
} from '../dom/accessors.js';
import { attr, childrenOf, exported, HTML, isElement, parentOf, queryAllIn, wordSet } from '../dom/dom.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { briefDescriptionOf } from '../selectors/matching.js';
import { isRendered, styleOf } from '../visibility/hidden.js';

const ITEM_ROLES_TO_COUNT = wordSet(
  'article listitem menuitem menuitemcheckbox menuitemradio option radio row tab treeitem',
);
const ROLES_WITH_ITEMS = wordSet('feed grid list listbox menu radiogroup rowgroup table tablist tree treegrid');

/** Return the note of a scrollable element, as "scrollable: 5 of about 200 rows in view"; "" for one that does not scroll. */
export function scrollNote(element) {
  const height = clientHeightOf(element);
  if (!height || scrollHeightOf(element) <= height + 8) return '';
  const overflow = styleOf(element).overflowY;
  if (overflow !== 'auto' && overflow !== 'scroll') return '';
  const found = findItems(element, scrolledParts(element));
  return found === null ? 'scrollable' : countInView(element, found);
}

/** Whether an element scrolls a list (see `findItems`). */
export const scrollsItems = (element) => scrollNote(element).startsWith('scrollable: ');

/**
 * Return { holder, parts }: the outermost element in a scroll container with three or more children, and these children. Follows the
 * highest child down six levels at most; `parts` is empty if there is none.
 */
function scrolledParts(element) {
  let holder = element;
  for (let level = 0; level < 6; level++) {
    const parts = renderedChildren(holder);
    if (parts.length > 2) return { holder, parts };
    const next = parts.toSorted((a, b) => rectOf(b).height - rectOf(a).height)[0];
    if (!next) break;
    holder = next;
  }
  return { holder, parts: [] };
}

/** Return the child elements that are rendered. */
const renderedChildren = (holder) =>
  [...childrenOf(holder)].filter((child) => isElement(child) && isRendered.call(child));

// Least number of similar boxes without a role that count as a list.
const MIN_BOXES = 5;
/**
 * Return the list items among the parts as { items: [{ part, rect }], isPart }; null for no list. `isPart`: only some of its items are in
 * the document (virtual scrolling). Boxes without a role are a list only if they form a column, and `isPart` holds.
 */
function findItems(element, { holder, parts }) {
  const boxes = parts.flatMap(itemsOfGroup).map((part) => ({ part, rect: rectOf(part) })).filter(({ rect }) =>
    rect.height > 0
  );
  const heights = boxes.map(({ rect }) => rect.height).toSorted((a, b) => a - b);
  const median = heights[heights.length >> 1];
  /** Whether a box only takes up the space of items that are not in the document. */
  const isSpacer = ({ part, rect }) => rect.height > 3 * median && textContentOf(part).trim() === '';
  const items = boxes.filter((box) => !isSpacer(box));
  const isPart = items.length < boxes.length || unusedHeight(element, holder) > 2 * median;
  const listed = items.filter(({ part }) => ITEM_ROLES_TO_COUNT.has(roleOf(part)));
  if (listed.length > 2) return { items: listed, isPart };
  if (items.length > 2 && (ROLES_WITH_ITEMS.has(roleOf(holder)) || ROLES_WITH_ITEMS.has(roleOf(element))))
    return { items, isPart };
  return isPart && items.length >= MIN_BOXES && isColumnOfBoxes(items) ? { items, isPart } : null;
}

/** Return the child elements of a `role=group`; any other element itself. */
const itemsOfGroup = (part) => roleOf(part) === 'group' && namespaceOf(part) === HTML ? renderedChildren(part) : [part];

/** Return the largest height, in pixels, that children leave empty in `holder` or in an ancestor of it below `element`. */
function unusedHeight(element, holder) {
  let room = 0;
  for (let around = holder; around !== element && around !== null; around = parentOf(around)) {
    const parts = renderedChildren(around).map(rectOf);
    if (parts.length > 0) room = Math.max(room, rectOf(around).height - heightSpan(parts));
  }
  return room;
}

/** Return the distance from the top of the highest rectangle to the bottom of the lowest. */
const heightSpan = (rects) =>
  Math.max(...rects.map((rect) => rect.bottom)) - Math.min(...rects.map((rect) => rect.top));

/** Whether the items have one tag, no role, similar sizes, and form a column. */
function isColumnOfBoxes(items) {
  const [first] = items;
  /** Whether an item looks like the first one. */
  const isLikeFirst = ({ part, rect }) =>
    namespaceOf(part) === HTML && localNameOf(part) === localNameOf(first.part) && !roleOf(part)
    && Math.abs(rect.left - first.rect.left) <= 2 && rect.height <= 4 * first.rect.height
    && first.rect.height <= 4 * rect.height;
  const rects = items.map(({ rect }) => rect).toSorted((a, b) => a.top - b.top);
  return items.every(isLikeFirst) && rects.every((rect, at) => at === 0 || rect.top >= rects[at - 1].bottom - 1);
}

/** Return the note of a scrolled list: "scrollable: 12 of about 1000 rows in view". `isPart`: see `findItems`. */
function countInView(element, { items, isPart }) {
  const view = rectOf(element);
  const rects = items.map(({ rect }) => rect);
  const inView = rects.filter((rect) => rect.bottom > view.top + 1 && rect.top < view.bottom - 1).length;
  const [{ part: first }] = items;
  const stated = Number(
    attr(element, 'aria-rowcount') || attr(element, 'aria-setsize') || attr(first, 'aria-setsize'),
  );
  const about = isPart ? Math.round(scrollHeightOf(element) / (heightSpan(rects) / rects.length)) : 0;
  const total = stated > 0 ? `${stated}` : about > rects.length ? `about ${about}` : `${rects.length}`;
  return `scrollable: ${inView} of ${total} ${roleOf(first) === 'row' ? 'rows' : 'items'} in view`;
}

/**
 * @typedef {object} RowsInView
 * @property {number} first
 * @property {number} last
 * @property {number} total
 */

/**
 * A pane (scroll container), all lengths in CSS pixels. `look`: its description; `own`: it is the requested element itself.
 * @typedef {object} Pane
 * @property {number} id
 * @property {string} look
 * @property {boolean} own
 * @property {number} top
 * @property {number} left
 * @property {number} height how far it can be scrolled down
 * @property {number} width how far it can be scrolled to the right
 * @property {number} page the height of its visible part
 * @property {number} across the width of its visible part
 * @property {RowsInView | null} rows the numbers of the rows in view, if ARIA states them
 */

/**
 * Return the pane to scroll for an element, vertically or (`isAcross`) horizontally: the element, the largest pane in it, or the nearest
 * around it; null for none.
 * @returns {Pane | null}
 */
exported.pane = (id, isAcross) => {
  const element = nodeFor(id);
  if (!element) return null;
  const found = canScroll(element, isAcross)
    ? element
    : largestPaneIn(element, isAcross) || nearestPaneAround(element, isAcross);
  return found && describePane(found, found === element);
};

/**
 * Return the current state of a known pane; null if it is gone.
 * @returns {Pane | null}
 */
exported.paneById = (id) => {
  const pane = nodeFor(id);
  return pane && describePane(pane, true);
};

/** Scroll a pane by CSS pixels. */
exported.scrollPane = (id, right, down) => {
  const pane = nodeFor(id);
  if (pane) scrollWithin(pane, { left: right, top: down, behavior: 'instant' });
};

/** Whether an element can be scrolled, vertically or (`isAcross`) horizontally, by script at least. */
function canScroll(element, isAcross) {
  const root = element === scrollingElementOf(document);
  const room = isAcross
    ? scrollWidthOf(element) - clientWidthOf(element)
    : scrollHeightOf(element) - clientHeightOf(element);
  if (room < 1 || clientHeightOf(element) === 0) return false;
  const { overflowX, overflowY } = styleOf(element);
  return root || /auto|scroll|hidden/.test(isAcross ? overflowX : overflowY);
}

/** Return the largest scrollable pane in an element, or null. */
function largestPaneIn(element, isAcross) {
  const area = (pane) => clientWidthOf(pane) * clientHeightOf(pane);
  const panes = [...descendants(element)].filter((inner) =>
    canScroll(inner, isAcross) && isUserScrollable(inner, isAcross)
  );
  return panes.reduce((best, pane) => (!best || area(pane) > area(best) ? pane : best), null);
}

/** Whether a person can scroll an element, too: not one that only cuts off its content (`overflow: hidden`). */
const isUserScrollable = (element, isAcross) =>
  /auto|scroll/.test(styleOf(element)[isAcross ? 'overflowX' : 'overflowY']);

/** Yield the descendants of an element in the flat tree. */
function* descendants(element) {
  for (const child of childrenOf(element)) {
    if (!isElement(child)) continue;
    yield child;
    yield* descendants(child);
  }
}

/** Return the nearest scrollable pane around an element, or null. */
function nearestPaneAround(element, isAcross) {
  for (let around = parentOf(element); around && isElement(around); around = parentOf(around))
    if (canScroll(around, isAcross) && (isUserScrollable(around, isAcross) || around === scrollingElementOf(document)))
      return around;
  return null;
}

/**
 * Describe a pane and how far it is scrolled. `own`: it is the requested element itself.
 * @returns {Pane}
 */
function describePane(pane, own) {
  return {
    id: idOf(pane),
    look: briefDescriptionOf(pane),
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

/**
 * Return the numbers of the rows or items in view, by `aria-rowindex` or `aria-posinset`, and their total: { first, last, total }. Null
 * without such numbers.
 */
function rowsIn(pane) {
  const view = pane === scrollingElementOf(document) ? { top: 0, bottom: innerHeight } : rectOf(pane);
  const numbers = [];
  let total = 0;
  for (const row of queryAllIn(pane, '[aria-rowindex],[aria-posinset]')) {
    const { top, bottom, height } = rectOf(row);
    const number = Number(attr(row, 'aria-rowindex') ?? attr(row, 'aria-posinset'));
    if (!number || height === 0 || isHeaderRow(row) || bottom <= view.top + 1 || top >= view.bottom - 1) continue;
    numbers.push(number);
    total ||= Number(attr(row, 'aria-setsize') ?? 0) || countAround(row);
  }
  return numbers.length ? { first: Math.min(...numbers), last: Math.max(...numbers), total: Math.max(total, 0) } : null;
}

/** Whether a row contains column headers. Such a row may stay in view, so it does not tell the scroll position. */
const isHeaderRow = (row) => row.querySelector('[role=columnheader],th[scope=col],thead th') !== null;

/** Return the number of rows that the nearest grid, table or list around a row states; 0 if none does. */
function countAround(row) {
  for (let around = parentNodeOf(row); around && isElement(around); around = parentOf(around))
    if (attr(around, 'aria-rowcount') !== null) return Number(attr(around, 'aria-rowcount')) || 0;
  return 0;
}
