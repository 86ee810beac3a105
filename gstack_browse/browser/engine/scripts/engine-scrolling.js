// What a scroll container hides: "[scrollable: 12 of about 1000 rows in view]".

import { clientHeightOf, rectOf, scrollHeightOf } from './engine-accessors.js';
import { attr, childrenOf, isElement } from './engine-dom.js';
import { roleOf } from './engine-roles.js';
import { isRendered, styleOf } from './engine-hidden.js';

function scrollNote(element) {
  const height = clientHeightOf(element);
  if (!height || scrollHeightOf(element) <= height + 8) return '';
  const overflow = styleOf(element).overflowY;
  if (overflow !== 'auto' && overflow !== 'scroll') return '';
  const items = scrolledItems(element);
  if (items.length < 3) return 'scrollable';
  return countInView(element, items);
}

function scrolledItems(element) {
  let holder = element;
  for (let level = 0; level < 6; level++) {
    const items = [...childrenOf(holder)].filter((child) => isElement(child) && isRendered.call(child));
    if (items.length > 2) return items;
    const next = items.toSorted((a, b) => rectOf(b).height - rectOf(a).height)[0];
    if (!next) return [];
    holder = next;
  }
  return [];
}

function countInView(element, items) {
  const view = rectOf(element);
  const rects = withoutSpacers(items.map(rectOf).filter((rect) => rect.height > 0), scrollHeightOf(element));
  if (!rects.length) return 'scrollable';
  const inView = rects.filter((rect) => rect.bottom > view.top + 1 && rect.top < view.bottom - 1).length;
  const span = rects.at(-1).bottom - rects[0].top;
  const told = Number(
    attr(element, 'aria-rowcount') || attr(element, 'aria-setsize') || attr(items[0], 'aria-setsize'),
  );
  const whole = scrollHeightOf(element);
  const about = Math.max(rects.length, span > 0 ? Math.round(whole / (span / rects.length)) : 0);
  const total = told > 0 ? `${told}` : about > rects.length ? `about ${about}` : `${rects.length}`;
  return `scrollable: ${inView} of ${total} ${roleOf(items[0]) === 'row' ? 'rows' : 'items'} in view`;
}

// Lists that draw only what is in view keep their height by an element of it beside the items.
function withoutSpacers(rects, whole) {
  const items = rects.filter((rect) => rect.height < 0.8 * whole);
  return items.length > 2 ? items : rects;
}

export { scrollNote };
