// Tells how much a scroll container hides: "[scrollable: 12 of about 1000 rows in view]".

import { clientHeightOf, localNameOf, namespaceOf, rectOf, scrollHeightOf, textContentOf } from './engine-accessors.js';
import { attr, childrenOf, HTML, isElement, parentOf, words } from './engine-dom.js';
import { isRendered, styleOf } from './engine-hidden.js';
import { roleOf } from './engine-roles.js';

const COUNTED_ITEMS = words('article listitem menuitem menuitemcheckbox menuitemradio option radio row tab treeitem');
const HOLD_ITEMS = words('feed grid list listbox menu radiogroup rowgroup table tablist tree treegrid');

export function scrollNote(element) {
  const height = clientHeightOf(element);
  if (!height || scrollHeightOf(element) <= height + 8) return '';
  const overflow = styleOf(element).overflowY;
  if (overflow !== 'auto' && overflow !== 'scroll') return '';
  const found = countedIn(element, scrolledParts(element));
  return found === null ? 'scrollable' : countInView(element, found);
}

// Whether it scrolls a list, of which it shows a part.
export const scrollsItems = (element) => scrollNote(element).startsWith('scrollable: ');

// The first elements on the way down that have two or more beside them: items, or the parts of a page.
function scrolledParts(element) {
  let holder = element;
  for (let level = 0; level < 6; level++) {
    const parts = partsShownIn(holder);
    if (parts.length > 2) return { holder, parts };
    const next = parts.toSorted((a, b) => rectOf(b).height - rectOf(a).height)[0];
    if (!next) break;
    holder = next;
  }
  return { holder, parts: [] };
}

const partsShownIn = (holder) => [...childrenOf(holder)].filter((child) => isElement(child) && isRendered.call(child));

// The items among them, and whether the list draws only a part of its items; null for what is no list. Boxes that say nothing of
// themselves are a list where they stand one below the other, and more is to come.
const LEAST_BOXES = 5;
function countedIn(element, { holder, parts }) {
  const boxes = parts.flatMap(itemsOfGroup).map((part) => ({ part, rect: rectOf(part) })).filter(({ rect }) =>
    rect.height > 0
  );
  const heights = boxes.map(({ rect }) => rect.height).toSorted((a, b) => a - b);
  const usual = heights[heights.length >> 1];
  const isSpacer = ({ part, rect }) => rect.height > 3 * usual && textContentOf(part).trim() === '';
  const items = boxes.filter((box) => !isSpacer(box));
  const isPart = items.length < boxes.length || roomLeftIn(element, holder) > 2 * usual;
  const listed = items.filter(({ part }) => COUNTED_ITEMS.has(roleOf(part)));
  if (listed.length > 2) return { items: listed, isPart };
  if (items.length > 2 && (HOLD_ITEMS.has(roleOf(holder)) || HOLD_ITEMS.has(roleOf(element)))) return { items, isPart };
  return isPart && items.length >= LEAST_BOXES && isColumnOfBoxes(items) ? { items, isPart } : null;
}

const itemsOfGroup = (part) => roleOf(part) === 'group' && namespaceOf(part) === HTML ? partsShownIn(part) : [part];

// The height of the boxes around the items that nothing in them takes up.
function roomLeftIn(element, holder) {
  let room = 0;
  for (let around = holder; around !== element && around !== null; around = parentOf(around)) {
    const parts = partsShownIn(around).map(rectOf);
    if (parts.length > 0) room = Math.max(room, rectOf(around).height - spanOf(parts));
  }
  return room;
}

const spanOf = (rects) => Math.max(...rects.map((rect) => rect.bottom)) - Math.min(...rects.map((rect) => rect.top));

function isColumnOfBoxes(items) {
  const [first] = items;
  const isLike = ({ part, rect }) =>
    namespaceOf(part) === HTML && localNameOf(part) === localNameOf(first.part) && !roleOf(part)
    && Math.abs(rect.left - first.rect.left) <= 2 && rect.height <= 4 * first.rect.height
    && first.rect.height <= 4 * rect.height;
  const rects = items.map(({ rect }) => rect).toSorted((a, b) => a.top - b.top);
  return items.every(isLike) && rects.every((rect, at) => at === 0 || rect.top >= rects[at - 1].bottom - 1);
}

function countInView(element, { items, isPart }) {
  const view = rectOf(element);
  const rects = items.map(({ rect }) => rect);
  const inView = rects.filter((rect) => rect.bottom > view.top + 1 && rect.top < view.bottom - 1).length;
  const [{ part: first }] = items;
  const told = Number(
    attr(element, 'aria-rowcount') || attr(element, 'aria-setsize') || attr(first, 'aria-setsize'),
  );
  const about = isPart ? Math.round(scrollHeightOf(element) / (spanOf(rects) / rects.length)) : 0;
  const total = told > 0 ? `${told}` : about > rects.length ? `about ${about}` : `${rects.length}`;
  return `scrollable: ${inView} of ${total} ${roleOf(first) === 'row' ? 'rows' : 'items'} in view`;
}
