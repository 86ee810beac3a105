// Describes single nodes for Python: role, name, position, boxes; and when they were first seen.

import { aliveNodes } from '../dom/internals.js';
import { kindOf } from '../accname/kinds.js';
import { exactNameOf, labelsOf, nameOf } from '../accname/names.js';
import { contentRole } from '../accname/values.js';
import {
  containsNode,
  documentOf,
  method,
  offsetWidthOf,
  rectOf,
  rootOf,
  textContentOf,
  windowOf,
} from '../dom/accessors.js';
import { ancestorsOf, exported, isAlive, isElement, isFrame, queryAllIn } from '../dom/dom.js';
import { idOf, lastId, nodeFor, table } from '../dom/node-table.js';
import { styleOf } from '../visibility/hidden.js';

/**
 * @typedef {object} Located
 * @property {number[]} frames
 * @property {number[]} places
 * @property {number} place
 * @property {string} role
 * @property {string} name
 */

/**
 * Return role, name and position of a node: the iframes of this process around it (ids, and indices among their siblings), and its own
 * index if it is an iframe. Null for a node that is gone.
 * @returns {Located | null}
 */
function locate(id) {
  const node = nodeFor(id);
  if (!node) return null;
  /** @type {number[][]} */
  const [frames, places] = [[], []];
  for (let view = windowOf(documentOf(node)); view !== window;) {
    const frame = view.frameElement;
    if (!frame || !isAlive(frame)) return null;
    frames.unshift(idOf(frame));
    places.unshift(frameIndexOf(frame));
    view = windowOf(documentOf(frame));
  }
  const role = contentRole(node);
  const place = isFrame(node) ? frameIndexOf(node) : -1;
  return { frames, places, place, role: role || 'generic', name: nameOf(node, role).slice(0, 200) };
}

/**
 * Return { said: [role, name] of each node or null for one that is gone, document: its first id, last: the last id that was given out }.
 */
function rolesAndNames(ids) {
  /** Return [role, name] of a node; null if it is gone. */
  const describeNode = (id) => {
    const node = nodeFor(id);
    if (!node) return null;
    const role = contentRole(node);
    return [role || 'generic', exactNameOf(node, role).slice(0, 200)];
  };
  const said = ids.map(describeNode);
  noteControls(aliveNodes(table.trees), 0);
  return { document: table.first, last: lastId(), said };
}

/**
 * Return [id, text] of the element that a person means by pointing at a node: the nearest control around it, else the nearest element
 * that is more than emphasis.
 */
function pointedAt(id) {
  const node = nodeFor(id);
  if (!node) return [0, ''];
  const around = [node, ...ancestorsOf(node)];
  /** Return the `Kind` of an element: `swallows` for a control, `flat` for emphasis and other inline text. */
  const kindOfContent = (element) => kindOf(contentRole(element));
  const target = around.find((element) => kindOfContent(element).swallows)
    || around.find((element) => !kindOfContent(element).flat);
  return [idOf(target), textContentOf(target).slice(0, 1000)];
}

/** Return the index of a frame element's window in `window.frames`; -1 for none. */
function frameIndexOf(frame) {
  const view = windowOf(documentOf(frame));
  for (let index = 0; index < view.length; index++) if (view[index] === frame.contentWindow) return index;
  return -1;
}

/**
 * Return the boxes of nodes, in CSS pixels of this process's outermost viewport: [x, y, width, height]. Null for a node that is scrolled
 * away inside of an element, or covered. A node outside of the viewport counts as visible, for pictures of the whole page.
 */
function boxes(ids) {
  return ids.map((id) => {
    const node = nodeFor(id);
    if (!node || !isElement(node) || ![...fragmentsOf(node)].slice(0, 20).some((rect) => isRectVisible(rect, node)))
      return null;
    const { left, top, width, height } = rectOf(node);
    return boxInOutermostWindow([left, top, width, height], windowOf(documentOf(node)));
  });
}

// Return the boxes of an element, one for each line of a wrapped link.
const fragmentsOf = method(Element, 'getClientRects');

/** Whether a box of an element is hit in its middle, or outside of the viewport. */
const isRectVisible = (rect, element) => isHitIn(rect, element) || isOutsideViewport(rect, element);

/** Whether the element, a descendant, an ancestor or its label is hit in the middle of a rectangle. */
function isHitIn(rect, element) {
  const hit = hitIn(rect, element);
  if (hit === null) return false;
  if (containsNode(element, hit) || containsNode(hit, element)) return true;
  return [...ancestorsOf(hit)].includes(element) || labelsOf(element).some((label) => containsNode(label, hit));
}

/** Return the topmost element in the middle of the visible part of a rectangle; null if none of it is in the viewport. */
function hitIn(rect, element) {
  const view = windowOf(documentOf(element));
  const [left, right] = [Math.max(rect.left, 0), Math.min(rect.right, view.innerWidth)];
  const [top, bottom] = [Math.max(rect.top, 0), Math.min(rect.bottom, view.innerHeight)];
  if (right - left < 1 || bottom - top < 1) return null;
  return rootOf(element).elementFromPoint((left + right) / 2, (top + bottom) / 2);
}

/**
 * Whether a part of an element lies outside of the tab's viewport, and can be scrolled to. Nothing can be hit there, so it
 * counts as visible unless an ancestor cuts it off.
 */
function isOutsideViewport(rect, element) {
  const view = windowOf(documentOf(element));
  if (view.top !== view || rect.right - rect.left < 1 || rect.bottom - rect.top < 1) return false;
  if (rect.right >= 1 && rect.bottom >= 1 && rect.left <= view.innerWidth - 1 && rect.top <= view.innerHeight - 1)
    return false;
  if (rect.right + view.scrollX < 1 || rect.bottom + view.scrollY < 1) return false;
  let { position } = styleOf(element);
  for (const above of ancestorsOf(element)) {
    if (position === 'fixed' || !isElement(above) || above === documentOf(element).body) break;
    const style = styleOf(above);
    if (position === 'absolute' && style.position === 'static') continue;
    if (style.overflowX !== 'visible' && !rectsOverlap(rect, rectOf(above))) return false;
    position = style.position;
  }
  return position !== 'fixed';
}

/** Whether two rectangles overlap by a pixel. */
function rectsOverlap(one, other) {
  return Math.min(one.right, other.right) - Math.max(one.left, other.left) >= 1
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) >= 1;
}

/** Return a box of a window as one of the outermost window that can be reached; null where a frame is not displayed. */
function boxInOutermostWindow(box, view) {
  while (box !== null && view !== window) {
    const frame = view.frameElement;
    if (!frame) return null;
    box = boxOutOfFrame(frame, box);
    view = windowOf(documentOf(frame));
  }
  return box;
}

/** Return { scale, left, top } of the viewport of an iframe, in the viewport around it. */
function windowInside(frame) {
  const outer = rectOf(frame);
  const style = styleOf(frame);
  const scale = outer.width / offsetWidthOf(frame) || 1;
  return {
    scale,
    left: outer.left + scale * (frame.clientLeft + parseFloat(style.paddingLeft)),
    top: outer.top + scale * (frame.clientTop + parseFloat(style.paddingTop)),
  };
}

/** Whether an iframe is rotated, skewed, in perspective, or stretched in one direction: then points in it cannot be converted. */
export function isDistorted(frame) {
  const { width, height } = rectOf(frame);
  return Math.abs(width / offsetWidthOf(frame) - height / frame.offsetHeight) > MIN_DISTORTION;
}

const MIN_DISTORTION = 0.02;

/** Convert a point of an iframe's viewport to one of the viewport that the iframe is in. */
export function pointOutOfFrame(frame, [x, y]) {
  const { scale, left, top } = windowInside(frame);
  return [left + scale * x, top + scale * y];
}

/** Convert a box of an iframe's viewport to one of the viewport that the iframe is in; null if the iframe is covered there. */
function boxOutOfFrame(frame, [x, y, width, height]) {
  const outer = rectOf(frame);
  const { scale, ...inner } = windowInside(frame);
  const moved = [...pointOutOfFrame(frame, [x, y]), scale * width, scale * height];
  const shown = {
    left: Math.max(moved[0], inner.left),
    right: Math.min(moved[0] + moved[2], outer.right),
    top: Math.max(moved[1], inner.top),
    bottom: Math.min(moved[1] + moved[3], outer.bottom),
  };
  return hitIn(shown, frame) === frame || isOutsideViewport(shown, frame) ? moved : null;
}

/** Convert boxes of a frame of another process to this process's outermost viewport. `id`: the iframe; null for invisible boxes. */
function boxesOutOfFrame(id, boxes) {
  const frame = nodeFor(id);
  return boxes.map((box) =>
    frame && box && boxInOutermostWindow(boxOutOfFrame(frame, box), windowOf(documentOf(frame)))
  );
}

Object.assign(exported, { locate, rolesAndNames, pointedAt, boxes, boxesOutOfFrame });

// Records when a control was first in the page: one that was hidden when a ref was printed is not new once it is shown. Not on enormous
// pages.

const CONTROLS_TO_NOTE = 'a[href],button,input,select,textarea,summary,[role],[tabindex],[onclick],[contenteditable]';
const MAX_ELEMENTS_TO_NOTE = 20_000;

/**
 * Record when these trees and their controls were first seen: for each new one the last id that was given out so far. Do nothing if the walk
 * has read too many `elements`.
 */
export function noteControls(roots, elements) {
  if (elements > MAX_ELEMENTS_TO_NOTE) return;
  const last = lastId();
  for (const root of roots) {
    if (!table.met.has(root)) table.met.set(root, last);
    for (const control of queryAllIn(root, CONTROLS_TO_NOTE)) if (!table.met.has(control)) table.met.set(control, last);
  }
}

/**
 * Return for each node [last id given out when the node was first seen, last id when its document was]: Python finds out by this whether a
 * control is new. [0, 0] for a node that is gone or was never seen.
 */
exported.firstSeenIds = (ids) =>
  ids.map((id) => {
    const node = nodeFor(id);
    return node ? [table.met.get(node) ?? 0, table.met.get(documentOf(node)) ?? 0] : [0, 0];
  });
