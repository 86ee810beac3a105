// Whether a person could see an element.

import { closest, localNameOf, newRange, rectOf } from './engine-accessors.js';
import { ancestorsOf, childrenOf, isElement, isText } from './engine-dom.js';
import { isUndrawn } from './engine-hidden.js';
import { isRenderedOnceSettled, settledSize } from './engine-settled.js';
import { isOpenBox, isStroke, shownBy } from './hits.js';

/** Whether a person could see it: rendered, not visibility:hidden, and with a size, or what is in it has one. */
export function isVisible(element) {
  const shown = closedListOf(element) || shownBy(element);
  if (shown !== element) return isVisible(shown);
  return hasBox(element) || isRenderedOnceSettled(element) && !isUndrawn(element) && isOpenBox(element)
      && (isStroke(element) || showsContents(element, isVisible));
}

/** Whether a part of a widget is visible: its own box is pressed, so it needs one. */
export function hasBox(element) {
  const shown = closedListOf(element) || shownBy(element);
  if (shown !== element) return hasBox(shown);
  if (getComputedStyle(element).display === 'contents') return showsContents(element, hasBox);
  if (!isRenderedOnceSettled(element) || isUndrawn(element)) return false;
  const { width, height } = settledSize(element);
  return width > 0 && height > 0;
}

/** Whether a person could press or read it: not yet if it is laid out, but transparent and without pointer events, as a list fading in. */
export const isOperable = (element) => hasBox(element) && !isOutOfUse(element);

export function isOutOfUse(element) {
  for (const each of [element, ...ancestorsOf(element)]) {
    const { opacity, pointerEvents } = getComputedStyle(each);
    if (pointerEvents !== 'none') return false;
    if (opacity === '0') return true;
  }
  return false;
}

const showsContents = (element, isShown) =>
  [...childrenOf(element)].some((child) => isElement(child) && isShown(child)) || hasVisibleText(element);

function hasVisibleText(element) {
  const range = newRange(document);
  for (const child of childrenOf(element)) {
    if (!isText(child)) continue;
    range.selectNode(child);
    const box = range.getBoundingClientRect();
    if (box.width > 0 && box.height > 0) return true;
  }
  return false;
}

/** The list of an option without a box of its own, as in a closed list; null for any other element. */
export function closedListOf(element) {
  const name = localNameOf(element);
  if ((name !== 'option' && name !== 'optgroup') || rectOf(element).height > 0) return null;
  return closest(element, 'select');
}
