// The point of an element to press: its place in the window, after scrolling to it, and what the pages around its frame do to it.

import { allTreesIn, blockerOf, describeCover, isDisabledForUse, relativeToElement } from './actionability.js';
import { aimInView, allInTree, displayElementOf, hitAt, reaches } from './hit-testing.js';
import {
  bodyOf,
  closest,
  localNameOf,
  rectOf,
  rootElementOf,
  scrollingElementOf,
  scrollIntoView,
  scrollWithin,
} from '../dom/accessors.js';
import { ancestorsOf, exported } from '../dom/dom.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { pause, twoFrames } from '../dom/turns.js';
import { lookOf } from '../selectors/matching.js';
import { isStill } from '../visibility/animations.js';
import { styleOf } from '../visibility/hidden.js';
import { isVisible } from '../visibility/visible.js';
import { isDistorted, outOfFrame } from '../walk/nodes.js';

/**
 * @typedef {object} PointInside
 * @property {number} x
 * @property {number} y
 */

/**
 * The place of a point in the window. `position` is the point as seen from the corner inside the element's border, `box` that of the element; `cover` lies over the
 * point, `inView` says whether the point could be scrolled to. Null for a point outside of the element (`size` tells why).
 * @typedef {object} Spot
 * @property {number[]} size
 * @property {number[] | null} point
 * @property {number[]} box
 * @property {PointInside} position
 * @property {boolean} inView
 * @property {CoverLook | null} cover
 */

/**
 * Return a point of an element in the window, after scrolling to it (see `Spot`); null for an element that is gone. `across`, `down`:
 * "12" pixels or "50%" from its top left corner; `across` "": where it can be pressed, "~": the middle of its visible part, whatever
 * lies there.
 * @returns {Spot | null}
 */
exported.spot = (id, across, down) => {
  const element = nodeFor(id);
  if (!element) return null;
  const shown = displayElementOf(element);
  const { width, height } = rectOf(shown);
  const size = [width, height];
  if (across === '') return spotAt(element, shown, aimInView(element).point);
  if (across === '~') return spotAt(element, shown, pointToDropOn(shown));
  const [x, y] = [lengthInPixels(across, width), lengthInPixels(down, height)];
  if (x < 0 || y < 0 || x > width || y > height)
    return { size, point: null, box: [], position: { x, y }, inView: false, cover: null };
  // The very edge belongs to what is beside it.
  return spotAt(element, shown, scrolledTo(shown, Math.min(x, width - 0.5), Math.min(y, height - 0.5)));
};

/**
 * @typedef {object} ReachLook
 * @property {boolean} visible
 * @property {boolean} disabled
 * @property {boolean} still
 * @property {Spot} spot
 */

/**
 * Return whether the pointer reaches an element, after scrolling to it; null for one that is gone. `position`: the point in it, from
 * the corner inside its border, null for any; `isToRest`: find out whether it stands still, which takes two frames.
 * @returns {Promise<ReachLook | null>}
 */
exported.reachLook = async (id, position, isToRest) => {
  const element = nodeFor(id);
  if (!element) return null;
  /** Return the present spot of the element, scrolled to. */
  const spotNow = () => {
    const shown = displayElementOf(element);
    return position
      ? spotAt(element, shown, pointInside(shown, position))
      : spotAt(element, shown, aimInView(element).point);
  };
  spotNow(); // scrolls
  const still = !isToRest || await isStill(element);
  if (!nodeFor(id)) return null;
  const visible = isVisible(displayElementOf(element));
  return { visible, disabled: isDisabledForUse(element), still, spot: spotNow() };
};

/** Scroll to a point of an element, given from the corner inside its border. Return its place in the window. */
function pointInside(shown, { x, y }) {
  const { left, top } = rectOf(shown);
  const corner = relativeToElement(shown, { x: left, y: top });
  return scrolledTo(shown, x - corner.x, y - corner.y);
}

/** Return a CSS length in pixels; per cent are of `whole`. */
const lengthInPixels = (word, whole) => word.endsWith('%') ? (parseFloat(word) * whole) / 100 : parseFloat(word);

/**
 * Describe a point of an element in the window, and what lies over it there.
 * @returns {Spot}
 */
function spotAt(element, shown, { x, y }) {
  const { left, top, width, height } = rectOf(shown);
  const inView = isInWindow(x, y);
  const hit = inView ? hitAt(x, y) : null;
  const isFree = hit !== null && reaches(element, hit);
  return {
    size: [width, height],
    point: [x, y],
    box: [left, top, width, height],
    position: relativeToElement(shown, { x, y }),
    inView,
    cover: inView && !isFree ? describeCover(element, hit) : null,
  };
}

/** Whether a point is in the window. */
const isInWindow = (x, y) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;

/** Scroll to a point of an element, given from its top left corner, unless it is in view. Return its place in the window. */
function scrolledTo(element, x, y) {
  /** Return the present place of the point in the window. */
  const at = () => ({ x: rectOf(element).left + x, y: rectOf(element).top + y });
  if (isPointInPanes(element, at())) return at();
  scrollIntoView(element, { block: 'center', inline: 'center', behavior: 'instant' });
  if (isPointInPanes(element, at())) return at();
  for (const pane of scrollContainersOf(element)) {
    const view = pane === rootElementOf(document)
      ? { left: 0, top: 0, width: innerWidth, height: innerHeight }
      : rectOf(pane);
    const point = at();
    scrollWithin(pane, {
      left: point.x - (view.left + view.width / 2),
      top: point.y - (view.top + view.height / 2),
      behavior: 'instant',
    });
  }
  return at();
}

/** Return the middle of an element, or of its part in view; scroll to it where there is none. */
function pointToDropOn(element) {
  const { left, top, right, bottom, width, height } = rectOf(element);
  const middle = { x: left + width / 2, y: top + height / 2 };
  if (isPointInPanes(element, middle)) return middle;
  const view = visiblePartOfWindow(element);
  const part = {
    left: Math.max(left, view.left),
    top: Math.max(top, view.top),
    right: Math.min(right, view.right),
    bottom: Math.min(bottom, view.bottom),
  };
  const isEnough = part.right - part.left >= LEAST_SHOWN && part.bottom - part.top >= LEAST_SHOWN;
  return isEnough
    ? { x: (part.left + part.right) / 2, y: (part.top + part.bottom) / 2 }
    : scrolledTo(element, width / 2, height / 2);
}

/** Pixels of an element that have to be in view to be dropped on. */
const LEAST_SHOWN = 8;

/** Whether nothing that scrolls keeps a point of an element out of view. */
function isPointInPanes(element, { x, y }) {
  const view = visiblePartOfWindow(element);
  return x >= view.left && y >= view.top && x < view.right && y < view.bottom;
}

/** Return the part of the window in which an element can be seen: what the scroll containers around it leave. */
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

/** Return the scroll containers around an element, the innermost first, the document last. */
function* scrollContainersOf(element) {
  for (const around of ancestorsOf(element))
    if (
      around !== rootElementOf(document) && around !== bodyOf(document)
      && /auto|scroll|hidden/.test(styleOf(around).overflow)
    ) yield around;
  yield rootElementOf(document);
}

/** Milliseconds that a page may take to move what follows its button as the page is scrolled. */
const FOLLOWS_WITHIN = 150;

/**
 * Scroll the page by as much as an element is out of the window, if it is `position: fixed` and follows, as a popup beside a button
 * does. Return whether it has moved; if not, the page is scrolled back.
 */
exported.scrollAlong = async (id) => {
  const element = nodeFor(id);
  const page = scrollingElementOf(document);
  const isFixed = element && [element, ...ancestorsOf(element)].some((each) => styleOf(each).position === 'fixed');
  if (!isFixed || !page) return false;
  const { top, bottom } = rectOf(element);
  const before = page.scrollTop;
  page.scrollBy({ top: bottom > innerHeight ? bottom - innerHeight : Math.min(top, 0), behavior: 'instant' });
  const by = page.scrollTop - before;
  if (by === 0) return false;
  await Promise.race([twoFrames(), pause(FOLLOWS_WITHIN)]);
  if (Math.abs(top - rectOf(element).top - by) <= 2) return true;
  page.scrollBy({ top: -by, behavior: 'instant' });
  return false;
};

/**
 * Return the id of the file field that a press on an element would reach, or whose label it would reach: a page may lay a transparent
 * field over a drawn button. 0 for none.
 */
exported.fileFieldOver = (id) => {
  const element = nodeFor(id);
  if (!element || !isVisible(element)) return 0;
  const { hit, arrives } = aimInView(element);
  if (!hit || arrives) return 0;
  const field = closest(hit, 'label')?.control ?? hit;
  return localNameOf(field) === 'input' && field.type === 'file' ? idOf(field) : 0;
};

/**
 * Return the middle of an element's `::before` or `::after`, from the corner inside its border: people press that as the checkbox of a
 * list item. Null if neither is positioned and takes the press.
 * @returns {PointInside | null}
 */
exported.markerSpot = (id) => {
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

const EDGES = [[0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.5, 0.9]];

/** Return points near the edges of an element, in the window, where a press would reach it as far as its own document knows. */
exported.edgePoints = (id) => {
  const element = nodeFor(id);
  if (!element) return [];
  const { left, top, width, height } = rectOf(element);
  const points = EDGES.map(([across, down]) => [left + width * across, top + height * down]);
  return points.filter(([x, y]) => {
    const hit = hitAt(x, y);
    return hit !== null && reaches(element, hit);
  });
};

// The effects of a page on a frame in it: it covers it, hides it, makes it inert. The frame itself cannot know these.

/** @import { CoverLook } from './actionability.js' */

/**
 * @typedef {object} FrameLook
 * @property {boolean} hidden
 * @property {string} blocker
 */

/**
 * @typedef {object} OverFrame
 * @property {number[]} point
 * @property {CoverLook | null} cover
 * @property {boolean} distorted
 * @property {boolean} inView
 */

/** Return the element that shows the frame with an index among `frames` frames of this window; null if the number has changed. */
function frameAt(place, frames) {
  const view = window.length === frames ? window[place] : null;
  /** Whether an element shows the frame. */
  const isElementOfFrame = (element) => element.contentWindow === view;
  /** Return the element in a tree that shows the frame; undefined for none. */
  const findFrameElement = (tree) => view && [...allInTree(tree, 'iframe,frame,object,embed')].find(isElementOfFrame);
  return findFrameElement(document) ?? (view && [...allTreesIn(document)].map(findFrameElement).find(Boolean)) ?? null;
}

/**
 * Convert points of a frame's window (see `frameAt`) to points of this window, and describe what covers them here.
 * @returns {OverFrame[]}
 */
exported.overFrame = (place, frames, points) => {
  const frame = frameAt(place, frames);
  return points.map((point) => {
    if (!frame) return { point, cover: null, distorted: true, inView: true };
    const [x, y] = outOfFrame(frame, point);
    const hit = hitAt(x, y);
    const distorted = isDistorted(frame);
    const inView = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
    return { point: [x, y], cover: hit === frame ? null : describeCover(frame, hit), distorted, inView };
  });
};

/**
 * Return whether a frame (see `frameAt`) is hidden in this document, and what blocks it even for the keyboard ("" for nothing).
 * @returns {FrameLook}
 */
exported.frameLook = (place, frames) => {
  const frame = frameAt(place, frames);
  if (!frame) return { hidden: false, blocker: '' };
  const { left, top, width, height } = rectOf(frame);
  const hit = hitAt(left + width / 2, top + height / 2);
  const blocker = hit === frame ? null : blockerOf(frame, hit);
  return { hidden: !isVisible(frame), blocker: blocker ? lookOf(blocker) : '' };
};
