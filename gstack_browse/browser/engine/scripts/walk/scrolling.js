// Scroll containers: how many of their items are in view ("[scrollable: 12 of about 1000 rows in view]"), and scrolling one (a pane).

import { roleOf } from '../accname/roles.js';
import {
  clientHeightOf,
  clientWidthOf,
  isRendered,
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
  styleOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  attr,
  childrenOf,
  elementsBelow,
  exported,
  HTML,
  isElement,
  parentOf,
  queryAllIn,
  wordSet,
} from '../dom/dom.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { heightSpan } from '../layout/hit-testing.js';
import { briefDescriptionOf } from '../selectors/matching.js';

const ITEM_ROLES_TO_COUNT = wordSet(
  'article listitem menuitem menuitemcheckbox menuitemradio option radio row tab treeitem',
);
const ROLES_WITH_ITEMS = wordSet('feed grid list listbox menu radiogroup rowgroup table tablist tree treegrid');

/** Return the snapshot's note for a scrollable element, as "scrollable: 5 of about 200 rows in view"; "" for any other element. */
export function scrollNote(element) {
  const height = clientHeightOf(element);
  if (!height || scrollHeightOf(element) <= height + 8) return '';
  const overflow = styleOf(element).overflowY;
  if (overflow !== 'auto' && overflow !== 'scroll') return '';
  const found = findItems(element, findScrolledParts(element));
  return found === null ? 'scrollable' : noteOnItemsInView(element, found);
}

/** Return whether an element is a scroll container with a list of items in it. */
export const scrollsItems = (element) => scrollNote(element).startsWith('scrollable: ');

/**
 * Find the list in a scroll container: go down by the highest child until an element has three or more rendered children. Return
 * { holder: that element, parts: these children }; no parts if none of six levels has so many.
 */
function findScrolledParts(element) {
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

/** Return the child elements of an element, in the flat tree, that are rendered. */
const renderedChildren = (holder) =>
  [...childrenOf(holder)].filter((child) => isElement(child) && isRendered.call(child));

// Least number of similar boxes without a role that count as a list.
const MIN_BOXES = 5;
/**
 * Return the list items in a scroll container as { items: [{ part: element, rect: its box }], isPart: only some items of the list are in
 * the document (virtual scrolling) }; null if it scrolls no list. Boxes without a role are items only if they form a column, and `isPart`
 * is true. `holder`, `parts`: see `findScrolledParts`.
 */
function findItems(element, { holder, parts }) {
  const boxes = parts.flatMap(itemsOfGroup).map((part) => ({ part, rect: rectOf(part) })).filter(({ rect }) =>
    rect.height > 0
  );
  const heights = boxes.map(({ rect }) => rect.height).toSorted((a, b) => a - b);
  const median = heights[heights.length >> 1];
  /** Return whether a box has no text and is so high that it only takes up the space of items that are not in the document. */
  const isSpacer = ({ part, rect }) => rect.height > 3 * median && textContentOf(part).trim() === '';
  const items = boxes.filter((box) => !isSpacer(box));
  const isPart = items.length < boxes.length || unusedHeight(element, holder) > 2 * median;
  const listed = items.filter(({ part }) => ITEM_ROLES_TO_COUNT.has(roleOf(part)));
  if (listed.length > 2) return { items: listed, isPart };
  if (items.length > 2 && (ROLES_WITH_ITEMS.has(roleOf(holder)) || ROLES_WITH_ITEMS.has(roleOf(element))))
    return { items, isPart };
  return isPart && items.length >= MIN_BOXES && isColumnOfBoxes(items) ? { items, isPart } : null;
}

/** Return the rendered child elements of an element with the role group; for any other element [element]. */
const itemsOfGroup = (part) => roleOf(part) === 'group' && namespaceOf(part) === HTML ? renderedChildren(part) : [part];

/**
 * Return the largest height, in pixels, that the children of an element leave empty in it, among `holder` and its ancestors below
 * `element`.
 */
function unusedHeight(element, holder) {
  let room = 0;
  for (let around = holder; around !== element && around !== null; around = parentOf(around)) {
    const parts = renderedChildren(around).map(rectOf);
    if (parts.length > 0) room = Math.max(room, rectOf(around).height - heightSpan(parts));
  }
  return room;
}

/** Return whether items [{ part: element, rect: its box }] have the same tag, no role and similar sizes, and are one below the other. */
function isColumnOfBoxes(items) {
  const [first] = items;
  /** Return whether an item has the tag of the first one, no role, the same left side and a similar height. */
  const isLikeFirst = ({ part, rect }) =>
    namespaceOf(part) === HTML && localNameOf(part) === localNameOf(first.part) && !roleOf(part)
    && Math.abs(rect.left - first.rect.left) <= 2 && rect.height <= 4 * first.rect.height
    && first.rect.height <= 4 * rect.height;
  const rects = items.map(({ rect }) => rect).toSorted((a, b) => a.top - b.top);
  return items.every(isLikeFirst) && rects.every((rect, at) => at === 0 || rect.top >= rects[at - 1].bottom - 1);
}

/**
 * Return the snapshot's note for a scroll container: "scrollable: 12 of about 1000 rows in view". `items`, `isPart`: its list items, see
 * `findItems`.
 */
function noteOnItemsInView(element, { items, isPart }) {
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

/** @typedef {{ first: number, last: number, total: number }} RowsInView */

/**
 * A pane (scroll container), all lengths in CSS pixels. `isTarget`: it is the requested element itself. `top`, `left`: its scroll position;
 * `maxTop`, `maxLeft`: how far it can be scrolled; `visibleHeight`, `visibleWidth`: of the part in view; `rows`: the numbers of the rows in
 * view, if ARIA states them.
 * @typedef {{ id: number, description: string, isTarget: boolean, top: number, left: number, maxTop: number, maxLeft: number,
 *   visibleHeight: number, visibleWidth: number, rows: RowsInView | null }} Pane
 */

/**
 * Describe the scroll container (pane) to scroll for an element, vertically or (`isHorizontal`) horizontally: the element itself, the
 * largest one in it, or the nearest around it; null for none.
 * @returns {Pane | null}
 */
exported.findPane = (id, isHorizontal) => {
  const element = nodeFor(id);
  if (!element) return null;
  const found = canScroll(element, isHorizontal)
    ? element
    : largestPaneIn(element, isHorizontal) || nearestPaneAround(element, isHorizontal);
  return found && describeScrollPane(found, found === element);
};

/**
 * Describe the scroll container (pane) of an id as it is now; null if it is gone.
 * @returns {Pane | null}
 */
exported.describePane = (id) => {
  const pane = nodeFor(id);
  return pane && describeScrollPane(pane, true);
};

/** Scroll the scroll container (pane) of an id by CSS pixels, to the right and down. */
exported.scrollPane = (id, right, down) => {
  const pane = nodeFor(id);
  if (pane) scrollWithin(pane, { left: right, top: down, behavior: 'instant' });
};

/**
 * Return whether a script can scroll an element, vertically or (`isHorizontal`) horizontally: its content is larger than its box, and
 * clipped by it.
 */
function canScroll(element, isHorizontal) {
  const root = element === scrollingElementOf(document);
  const room = isHorizontal
    ? scrollWidthOf(element) - clientWidthOf(element)
    : scrollHeightOf(element) - clientHeightOf(element);
  if (room < 1 || clientHeightOf(element) === 0) return false;
  const { overflowX, overflowY } = styleOf(element);
  return root || /auto|scroll|hidden/.test(isHorizontal ? overflowX : overflowY);
}

/** Return the scroll container (pane) with the largest area in an element, vertical or (`isHorizontal`) horizontal; null for none. */
function largestPaneIn(element, isHorizontal) {
  /** Return the area of the visible part of a scroll container, in square pixels. */
  const clientAreaOf = (pane) => clientWidthOf(pane) * clientHeightOf(pane);
  const panes = [...elementsBelow(element)].filter((inner) =>
    canScroll(inner, isHorizontal) && isUserScrollable(inner, isHorizontal)
  );
  return panes.reduce((best, pane) => (!best || clientAreaOf(pane) > clientAreaOf(best) ? pane : best), null);
}

/**
 * Return whether a person can scroll an element by its own scroll bar, vertically or (`isHorizontal`) horizontally: not one with
 * `overflow: hidden`.
 */
const isUserScrollable = (element, isHorizontal) =>
  /auto|scroll/.test(styleOf(element)[isHorizontal ? 'overflowX' : 'overflowY']);

/** Return the nearest scroll container (pane) around an element, vertical or (`isHorizontal`) horizontal; null for none. */
function nearestPaneAround(element, isHorizontal) {
  for (let around = parentOf(element); around && isElement(around); around = parentOf(around))
    if (
      canScroll(around, isHorizontal)
      && (isUserScrollable(around, isHorizontal) || around === scrollingElementOf(document))
    )
      return around;
  return null;
}

/**
 * Return facts on a scroll container (pane), its scroll position and the rows in view, for Python. `isTarget` is copied into the answer: the
 * pane is the requested element itself, not one in or around it.
 * @returns {Pane}
 */
function describeScrollPane(pane, isTarget) {
  return {
    id: idOf(pane),
    description: briefDescriptionOf(pane),
    isTarget,
    top: Math.round(scrollTopOf(pane)),
    left: Math.round(scrollLeftOf(pane)),
    maxTop: Math.round(scrollHeightOf(pane) - clientHeightOf(pane)),
    maxLeft: Math.round(scrollWidthOf(pane) - clientWidthOf(pane)),
    visibleHeight: clientHeightOf(pane),
    visibleWidth: clientWidthOf(pane),
    rows: findRowNumbersInView(pane),
  };
}

/**
 * Return { first, last, total }: numbers of the first and last row or item in view in a scroll container, and of all, by `aria-rowindex` or
 * `aria-posinset`; `total` is 0 if ARIA does not state it. Null without such numbers.
 */
function findRowNumbersInView(pane) {
  const view = pane === scrollingElementOf(document) ? { top: 0, bottom: innerHeight } : rectOf(pane);
  const numbers = [];
  let total = 0;
  for (const row of queryAllIn(pane, '[aria-rowindex],[aria-posinset]')) {
    const { top, bottom, height } = rectOf(row);
    const number = Number(attr(row, 'aria-rowindex') ?? attr(row, 'aria-posinset'));
    if (!number || height === 0 || isHeaderRow(row) || bottom <= view.top + 1 || top >= view.bottom - 1) continue;
    numbers.push(number);
    total ||= Number(attr(row, 'aria-setsize') ?? 0) || rowCountAround(row);
  }
  return numbers.length ? { first: Math.min(...numbers), last: Math.max(...numbers), total: Math.max(total, 0) } : null;
}

/** Return whether a row contains column headers. Such a row may stay in view, so it says nothing about the scroll position. */
const isHeaderRow = (row) => row.querySelector('[role=columnheader i],th[scope=col],thead th') !== null;

/** Return the number of all rows that ARIA states for a row: the `aria-rowcount` of its nearest ancestor that has one; 0 for none. */
function rowCountAround(row) {
  for (let around = parentNodeOf(row); around && isElement(around); around = parentOf(around))
    if (attr(around, 'aria-rowcount') !== null) return Number(attr(around, 'aria-rowcount')) || 0;
  return 0;
}
