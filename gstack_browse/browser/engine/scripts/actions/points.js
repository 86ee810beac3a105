// Points of an element in the window, for presses, drops and pictures, after scrolling to them; and how the pages around a frame cover or
// move it.

import { blockerOf, describeCover, isDisabledForUse } from './actionability.js';
import {
  bodyOf,
  closest,
  localNameOf,
  rectOf,
  rootElementOf,
  scrollingElementOf,
  scrollIntoView,
  scrollWithin,
  styleOf,
} from '../dom/accessors.js';
import { ancestorsOf, displayElementOf, exported, queryAllIn, treesIn } from '../dom/dom.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { pause, waitTwoFrames } from '../dom/turns.js';
import { hitAt, pressReaches, relativeToElement, scrollToPressPoint } from '../layout/hit-testing.js';
import { isVisible } from '../layout/visible.js';
import { briefDescriptionOf } from '../selectors/matching.js';
import { isStill } from '../visibility/animations.js';
import { cssLengthInPixels } from '../visibility/hidden.js';
import { isDistorted, pointOutOfFrame } from '../walk/nodes.js';

/**
 * Scroll to a point of an element, and return where it is and what covers it (`ClickPoint`); null for an element that is gone. `across`,
 * `down`: "12" pixels or "50%" from its top left corner. `across` is "" for a point where a press reaches the element, "~" for the middle
 * of its visible part, even if that is covered.
 * @returns {ClickPoint | null}
 */
exported.scrollToClickPoint = (id, across, down) => {
  const element = nodeFor(id);
  if (!element) return null;
  const shown = displayElementOf(element);
  const { width, height } = rectOf(shown);
  const size = [width, height];
  if (across === '') return describePoint(element, shown, scrollToPressPoint(element).point);
  if (across === '~') return describePoint(element, shown, pointToDropOn(shown));
  const [x, y] = [cssLengthInPixels(across, width), cssLengthInPixels(down, height)];
  if (x < 0 || y < 0 || x > width || y > height)
    return { size, point: null, box: [], position: { x, y }, inView: false, cover: null };
  // a point on the right or bottom edge is outside of the box
  return describePoint(element, shown, scrollToPoint(shown, Math.min(x, width - 0.5), Math.min(y, height - 0.5)));
};

/**
 * Scroll to an element, and return whether the pointer can reach it: { visible, disabled, still: it does not move, spot: a `ClickPoint` };
 * null for one that is gone. `position`: the point in it, from the corner inside its border, null for any; `checkStill`: find out whether
 * the element moves, which takes two frames.
 * @returns {Promise<PointerReach | null>}
 */
exported.checkPointerReach = async (id, position, checkStill) => {
  const element = nodeFor(id);
  if (!element) return null;
  /** Scroll to the point, and return where it is now (`ClickPoint`). */
  const pointNow = () => {
    const shown = displayElementOf(element);
    return position
      ? describePoint(element, shown, scrollToInnerPoint(shown, position))
      : describePoint(element, shown, scrollToPressPoint(element).point);
  };
  pointNow(); // scroll before the check whether it stands still
  const still = !checkStill || await isStill(element);
  if (!nodeFor(id)) return null;
  const visible = isVisible(displayElementOf(element));
  return { visible, disabled: isDisabledForUse(element), still, spot: pointNow() };
};

/**
 * Scroll to a point of an element, unless it is in view. Return { x, y }, where it is in the window then. `x`, `y`: the point in CSS pixels
 * from the corner inside the element's border. The element has to be one that is displayed: the image, for an `<area>`.
 */
function scrollToInnerPoint(element, { x, y }) {
  const { left, top } = rectOf(element);
  const corner = relativeToElement(element, { x: left, y: top });
  return scrollToPoint(element, x - corner.x, y - corner.y);
}

/**
 * Return where a point of an element is, and what covers it (`ClickPoint`). `shown`: the element that is displayed for it, such as the
 * image of an `<area>`; `x`, `y`: the point in the window.
 * @returns {ClickPoint}
 */
function describePoint(element, shown, { x, y }) {
  const { left, top, width, height } = rectOf(shown);
  const inView = isInWindow(x, y);
  const hit = inView ? hitAt(x, y) : null;
  const isFree = hit !== null && pressReaches(element, hit);
  return {
    size: [width, height],
    point: [x, y],
    box: [left, top, width, height],
    position: relativeToElement(shown, { x, y }),
    inView,
    cover: inView && !isFree ? describeCover(element, hit) : null,
  };
}

/** Return whether a point, in CSS pixels from the window's corner, is in the window. */
const isInWindow = (x, y) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;

/**
 * Scroll to a point of an element, unless it is in view. Return { x, y }, where it is in the window then. `x`, `y`: the point in CSS pixels
 * from the top left corner of the element's box, border included.
 */
function scrollToPoint(element, x, y) {
  /** Return the current position of the point in the window. */
  const currentPoint = () => ({ x: rectOf(element).left + x, y: rectOf(element).top + y });
  if (isPointInView(element, currentPoint())) return currentPoint();
  scrollIntoView(element, { block: 'center', inline: 'center', behavior: 'instant' });
  if (isPointInView(element, currentPoint())) return currentPoint();
  for (const pane of scrollContainersOf(element)) {
    const view = pane === rootElementOf(document)
      ? { left: 0, top: 0, width: innerWidth, height: innerHeight }
      : rectOf(pane);
    const point = currentPoint();
    scrollWithin(pane, {
      left: point.x - (view.left + view.width / 2),
      top: point.y - (view.top + view.height / 2),
      behavior: 'instant',
    });
  }
  return currentPoint();
}

/**
 * Return the point { x, y } of the window, in CSS pixels, at which to drop something on an element: its middle if in view; else the middle
 * of its part in view. If that part is narrower or lower than MIN_DROP_PIXELS, scroll the element's middle into view first, and return
 * that.
 */
function pointToDropOn(element) {
  const { left, top, right, bottom, width, height } = rectOf(element);
  const middle = { x: left + width / 2, y: top + height / 2 };
  if (isPointInView(element, middle)) return middle;
  const view = visiblePartOfWindow(element);
  const part = {
    left: Math.max(left, view.left),
    top: Math.max(top, view.top),
    right: Math.min(right, view.right),
    bottom: Math.min(bottom, view.bottom),
  };
  const isLargeEnough = part.right - part.left >= MIN_DROP_PIXELS && part.bottom - part.top >= MIN_DROP_PIXELS;
  return isLargeEnough
    ? { x: (part.left + part.right) / 2, y: (part.top + part.bottom) / 2 }
    : scrollToPoint(element, width / 2, height / 2);
}

// Width and height of an element that have to be in view to drop something on it.
const MIN_DROP_PIXELS = 8;

/** Return whether a point (in CSS pixels of the window) is in the window and in all scroll containers around an element. */
function isPointInView(element, { x, y }) {
  const view = visiblePartOfWindow(element);
  return x >= view.left && y >= view.top && x < view.right && y < view.bottom;
}

/** Return the part of the window in which the scroll containers around an element show it: { left, top, right, bottom }. */
function visiblePartOfWindow(element) {
  const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  for (const pane of scrollContainersOf(element)) {
    if (pane === rootElementOf(document)) continue;
    const { left, top, right, bottom } = rectOf(pane);
    view.left = Math.max(view.left, left);
    view.top = Math.max(view.top, top);
    view.right = Math.min(view.right, right);
    view.bottom = Math.min(view.bottom, bottom);
  }
  return view;
}

/** Yield the scroll containers around an element, the innermost first, the document's root element last. */
function* scrollContainersOf(element) {
  for (const around of ancestorsOf(element))
    if (
      around !== rootElementOf(document) && around !== bodyOf(document)
      && /auto|scroll|hidden/.test(styleOf(around).overflow)
    ) yield around;
  yield rootElementOf(document);
}

// Time for a page to move a popup along with its button as the page is scrolled.
const FOLLOW_TIMEOUT_MS = 150;

/**
 * Scroll the page so that a `position: fixed` element, such as a popup beside a button, gets into the window, if the page's script moves it
 * along. Return whether it has; if not, scroll back.
 */
exported.scrollFixedIntoView = async (id) => {
  const element = nodeFor(id);
  const page = scrollingElementOf(document);
  const isFixed = element && [element, ...ancestorsOf(element)].some((each) => styleOf(each).position === 'fixed');
  if (!isFixed || !page) return false;
  const { top, bottom } = rectOf(element);
  const before = page.scrollTop;
  page.scrollBy({ top: bottom > innerHeight ? bottom - innerHeight : Math.min(top, 0), behavior: 'instant' });
  const by = page.scrollTop - before;
  if (by === 0) return false;
  await Promise.race([waitTwoFrames(), pause(FOLLOW_TIMEOUT_MS)]);
  if (Math.abs(top - rectOf(element).top - by) <= 2) return true;
  page.scrollBy({ top: -by, behavior: 'instant' });
  return false;
};

/** Return the id of a transparent `<input type=file>` over an element, or of its label, which a press would hit; 0 for none. */
exported.findFileFieldOver = (id) => {
  const element = nodeFor(id);
  if (!element || !isVisible(element)) return 0;
  const { hit, reachesTarget } = scrollToPressPoint(element);
  if (!hit || reachesTarget) return 0;
  const field = closest(hit, 'label')?.control ?? hit;
  return localNameOf(field) === 'input' && field.type === 'file' ? idOf(field) : 0;
};

// Pages draw the checkbox of a list item so.
/**
 * Return the middle of an element's `::before` or `::after`, from the corner inside the element's border. Null if neither is absolutely
 * positioned and hit by a press.
 * @returns {PointInside | null}
 */
exported.findPseudoElementPoint = (id) => {
  const element = nodeFor(id);
  if (!element) return null;
  const around = rectOf(element);
  for (const pseudo of ['::before', '::after']) {
    const style = getComputedStyle(element, pseudo);
    const isPlaced = style.position === 'absolute' && styleOf(element).position !== 'static';
    const [left, top, width, height] = [style.left, style.top, style.width, style.height].map(parseFloat);
    if (style.content === 'none' || style.pointerEvents === 'none' || !isPlaced) continue;
    const { clientLeft, clientTop } = element;
    const point = { x: around.left + clientLeft + left + width / 2, y: around.top + clientTop + top + height / 2 };
    if (width > 0 && height > 0 && hitAt(point.x, point.y) === element) return relativeToElement(element, point);
  }
  return null;
};

const EDGE_FRACTIONS = [[0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.5, 0.9]];

/** Return up to four points [x, y] near the edges of an element, in the window, where nothing in its own document covers it. */
exported.findEdgePoints = (id) => {
  const element = nodeFor(id);
  if (!element) return [];
  const { left, top, width, height } = rectOf(element);
  const points = EDGE_FRACTIONS.map(([across, down]) => [left + width * across, top + height * down]);
  return points.filter(([x, y]) => {
    const hit = hitAt(x, y);
    return hit !== null && pressReaches(element, hit);
  });
};

// How a page covers, hides or blocks a frame in it, which the frame itself cannot know.

/** Return the `<iframe>` of the frame `window[index]`; null if there are no longer `count` frames, so that it may be another one. */
function frameElementAt(index, count) {
  const view = window.length === count ? window[index] : null;
  /** Return the `<iframe>` of the window `view` in a document or shadow root (`tree`); undefined for none, null if `view` is null. */
  const findFrameElement = (tree) =>
    view && [...queryAllIn(tree, 'iframe,frame,object,embed')].find((element) => element.contentWindow === view);
  return findFrameElement(document) ?? (view && [...treesIn(document)].map(findFrameElement).find(Boolean)) ?? null;
}

/**
 * Convert points [x, y] of a frame's window to points of this window. Return for each { point, cover: what covers it here, distorted: the
 * frame is rotated or the like, inView }. `index`, `count`: the frame is `window[index]` of `count` ones.
 * @returns {FramePoint[]}
 */
exported.convertFramePoints = (index, count, points) => {
  const frame = frameElementAt(index, count);
  return points.map((point) => {
    if (!frame) return { point, cover: null, distorted: true, inView: true };
    const [x, y] = pointOutOfFrame(frame, point);
    const hit = hitAt(x, y);
    const distorted = isDistorted(frame);
    const cover = hit === frame ? null : describeCover(frame, hit);
    return { point: [x, y], cover, distorted, inView: isInWindow(x, y) };
  });
};

/**
 * Scroll to a point [x, y] of the frame `window[index]` of `count` ones, unless it is in view. Return where it is in this window then; null
 * if the frame is gone.
 * @returns {[number, number] | null}
 */
exported.scrollToFramePoint = (index, count, point) => {
  const frame = frameElementAt(index, count);
  if (!frame) return null;
  const { left, top } = rectOf(frame);
  const [x, y] = pointOutOfFrame(frame, point);
  const shown = scrollToPoint(frame, x - left, y - top);
  return [shown.x, shown.y];
};

/**
 * Return { hidden: whether the `<iframe>` of a frame is hidden in this document, blocker: description of the inert element or modal dialog
 * that blocks it, "" for none }. `index`, `count`: the frame is `window[index]` of `count` ones.
 * @returns {FrameState}
 */
exported.readFrameState = (index, count) => {
  const frame = frameElementAt(index, count);
  if (!frame) return { hidden: false, blocker: '' };
  const { left, top, width, height } = rectOf(frame);
  const hit = hitAt(left + width / 2, top + height / 2);
  const blocker = hit === frame ? null : blockerOf(frame, hit);
  return { hidden: !isVisible(frame), blocker: blocker ? briefDescriptionOf(blocker) : '' };
};

// Types.

/** @import { CoverDescription, PointInside } from './actionability.js' */

/**
 * A point of an element, in CSS pixels: `point` in the window (null if it is outside of the element), `position` from the corner inside the
 * element's border. `box`: [left, top, width, height] of the element, `size`: [width, height], `cover`: what lies over the point, `inView`:
 * whether the point could be scrolled to.
 * @typedef {{ size: number[], point: number[] | null, box: number[], position: PointInside, inView: boolean,
 *   cover: CoverDescription | null }} ClickPoint
 */

/** @typedef {{ visible: boolean, disabled: boolean, still: boolean, spot: ClickPoint }} PointerReach */

/** @typedef {{ hidden: boolean, blocker: string }} FrameState */

/** @typedef {{ point: number[], cover: CoverDescription | null, distorted: boolean, inView: boolean }} FramePoint */
