// Describes single nodes for Python: role, name, position, boxes; and when they were first seen.

import { kindOf } from '../accname/kinds.js';
import { exactNameOf, labelsOf, nameOf } from '../accname/names.js';
import { contentRole } from '../accname/values.js';
import {
  containsNode,
  documentOf,
  offsetWidthOf,
  rectOf,
  rootOf,
  styleOf,
  textContentOf,
  windowOf,
} from '../dom/accessors.js';
import { ancestorsOf, exported, isAlive, isElement, queryAllIn } from '../dom/dom.js';
import { aliveNodes } from '../dom/internals.js';
import { idOf, lastId, nodeFor, table } from '../dom/node-table.js';
import { boxListOf } from '../layout/hit-testing.js';

/**
 * `frames`: ids of the iframes of this process around the node, the outermost first.
 * @typedef {{ frames: number[], role: string, name: string }} Located
 */

/**
 * Return { frames, role, name } of the node of an id; null if it is gone. `frames`: ids of the iframes of this process around it, outermost
 * first.
 * @returns {Located | null}
 */
function locateNode(id) {
  const node = nodeFor(id);
  if (!node) return null;
  const frames = [];
  for (let view = windowOf(documentOf(node)); view !== window;) {
    const frame = view.frameElement;
    if (!frame || !isAlive(frame)) return null;
    frames.unshift(idOf(frame));
    view = windowOf(documentOf(frame));
  }
  const role = contentRole(node);
  return { frames, role: role || 'generic', name: nameOf(node, role).slice(0, 200) };
}

/**
 * Return { nodes, document, last } for nodes of this document. `nodes`: [role, accessible name] of each, null for one that is gone;
 * `document`: id of the document; `last`: the last node id that was given. Also records when the controls of the page were first seen.
 */
function readRolesAndNames(ids) {
  /** Return [role, name] of a node; null if it is gone. */
  const describeNode = (id) => {
    const node = nodeFor(id);
    if (!node) return null;
    const role = contentRole(node);
    return [role || 'generic', exactNameOf(node, role).slice(0, 200)];
  };
  const nodes = ids.map(describeNode);
  noteControls(aliveNodes(table.trees), 0);
  return { document: table.first, last: lastId(), nodes };
}

/**
 * Return [id, text] of the element that a person means who points with the mouse at a node: the nearest control around it, else the nearest
 * element that is more than inline text. [0, ""] if the node is gone.
 */
function findPointedElement(id) {
  const node = nodeFor(id);
  if (!node) return [0, ''];
  const around = [node, ...ancestorsOf(node)];
  /** Return the `Kind` (facts about its role) of an element. `swallows` is true for a control, `flat` for inline text such as emphasis. */
  const kindOfContent = (element) => kindOf(contentRole(element));
  const target = around.find((element) => kindOfContent(element).swallows)
    || around.find((element) => !kindOfContent(element).flat);
  return [idOf(target), textContentOf(target).slice(0, 1000)];
}

/**
 * Return the boxes [x, y, width, height] of nodes, in CSS pixels of the outermost viewport of this process; null for a node that is gone,
 * covered, or scrolled away inside of an element. A node outside of the viewport counts as visible, for pictures of the whole page.
 */
function findVisibleBoxes(ids) {
  return ids.map((id) => {
    const node = nodeFor(id);
    if (!node || !isElement(node) || ![...boxListOf(node)].slice(0, 20).some((rect) => isRectVisible(rect, node)))
      return null;
    const { left, top, width, height } = rectOf(node);
    return boxInOutermostWindow([left, top, width, height], windowOf(documentOf(node)));
  });
}

/** Return whether a box of an element (`rect`, a `DOMRect`) can be seen: it is uncovered in its middle, or outside of the viewport. */
const isRectVisible = (rect, element) => isHitIn(rect, element) || isOutsideViewport(rect, element);

/** Return whether the element at the middle of a rectangle is `element`, a descendant, an ancestor or its label. */
function isHitIn(rect, element) {
  const hit = hitInMiddleOf(rect, element);
  if (hit === null) return false;
  if (containsNode(element, hit) || containsNode(hit, element)) return true;
  return [...ancestorsOf(hit)].includes(element) || labelsOf(element).some((label) => containsNode(label, hit));
}

/**
 * Return the topmost element, in the tree of `element`, at the middle of that part of a rectangle which is in the viewport; null if no part
 * is.
 */
function hitInMiddleOf(rect, element) {
  const view = windowOf(documentOf(element));
  const [left, right] = [Math.max(rect.left, 0), Math.min(rect.right, view.innerWidth)];
  const [top, bottom] = [Math.max(rect.top, 0), Math.min(rect.bottom, view.innerHeight)];
  if (right - left < 1 || bottom - top < 1) return null;
  return rootOf(element).elementFromPoint((left + right) / 2, (top + bottom) / 2);
}

/**
 * Return whether a box of an element lies outside of the tab's viewport, and can be scrolled to: no ancestor clips it. Nothing can be hit
 * there, so it counts as visible.
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

/** Return whether two rectangles overlap by a pixel or more in both directions. */
function rectsOverlap(one, other) {
  return Math.min(one.right, other.right) - Math.max(one.left, other.left) >= 1
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) >= 1;
}

/**
 * Convert a box [x, y, width, height] of a frame's window `view` to one of the outermost window of this process. Null if an iframe in
 * between does not show it.
 */
function boxInOutermostWindow(box, view) {
  while (box !== null && view !== window) {
    const frame = view.frameElement;
    if (!frame) return null;
    box = boxOutOfFrame(frame, box);
    view = windowOf(documentOf(frame));
  }
  return box;
}

/** Return { scale, left, top } of the viewport inside of an iframe: its scale and position in the viewport around the iframe. */
function viewportInside(frame) {
  const outer = rectOf(frame);
  const style = styleOf(frame);
  const scale = outer.width / offsetWidthOf(frame) || 1;
  return {
    scale,
    left: outer.left + scale * (frame.clientLeft + parseFloat(style.paddingLeft)),
    top: outer.top + scale * (frame.clientTop + parseFloat(style.paddingTop)),
  };
}

/**
 * Return whether an iframe is rotated, skewed, in perspective, or stretched in one direction: points in it cannot be converted by
 * `pointOutOfFrame` then.
 */
export function isDistorted(frame) {
  const { width, height } = rectOf(frame);
  return Math.abs(width / offsetWidthOf(frame) - height / frame.offsetHeight) > MIN_DISTORTION;
}

const MIN_DISTORTION = 0.02;

/** Convert a point [x, y] of the viewport inside of an iframe to one of the viewport around it. */
export function pointOutOfFrame(frame, [x, y]) {
  const { scale, left, top } = viewportInside(frame);
  return [left + scale * x, top + scale * y];
}

/**
 * Convert a box [x, y, width, height] of the viewport inside of an iframe to one of the viewport around it; null if the iframe is covered
 * or scrolled away there.
 */
function boxOutOfFrame(frame, [x, y, width, height]) {
  const outer = rectOf(frame);
  const { scale, ...inner } = viewportInside(frame);
  const moved = [...pointOutOfFrame(frame, [x, y]), scale * width, scale * height];
  const shown = {
    left: Math.max(moved[0], inner.left),
    right: Math.min(moved[0] + moved[2], outer.right),
    top: Math.max(moved[1], inner.top),
    bottom: Math.min(moved[1] + moved[3], outer.bottom),
  };
  return hitInMiddleOf(shown, frame) === frame || isOutsideViewport(shown, frame) ? moved : null;
}

/**
 * Convert boxes in an iframe of another process to the outermost viewport of this process; null for invisible ones. `id`: of the iframe;
 * `boxes`: each [x, y, width, height] or null.
 */
function convertFrameBoxes(id, boxes) {
  const frame = nodeFor(id);
  return boxes.map((box) =>
    frame && box && boxInOutermostWindow(boxOutOfFrame(frame, box), windowOf(documentOf(frame)))
  );
}

Object.assign(exported, { locateNode, readRolesAndNames, findPointedElement, findVisibleBoxes, convertFrameBoxes });

// Record when a control was first in the page: one that was hidden when a ref was printed is not new once it is shown. Not on enormous
// pages.

const CONTROLS_TO_NOTE = 'a[href],button,input,select,textarea,summary,[role],[tabindex],[onclick],[contenteditable]';
const MAX_ELEMENTS_TO_NOTE = 20_000;

/**
 * Record for these documents and shadow roots, and the controls in them, when they were first seen: as the last node id that was given by
 * then. A document counts as another one once its path has changed: a router (Turbo, React Router) shows another page then. `elements`:
 * number of elements in the page; nothing is recorded if they are too many.
 */
export function noteControls(roots, elements) {
  if (elements > MAX_ELEMENTS_TO_NOTE) return;
  const last = lastId();
  for (const root of roots) {
    const path = root.location?.pathname;
    if (!table.met.has(root) || table.paths.get(root) !== path) table.met.set(root, last);
    table.paths.set(root, path);
    for (const control of queryAllIn(root, CONTROLS_TO_NOTE)) if (!table.met.has(control)) table.met.set(control, last);
  }
}

/**
 * Return for each node [last node id that was given when it was first seen, the same of its document], by which Python tells whether a
 * control is new; [0, 0] for a node that is gone or was never seen.
 */
exported.firstSeenIds = (ids) =>
  ids.map((id) => {
    const node = nodeFor(id);
    return node ? [table.met.get(node) ?? 0, table.met.get(documentOf(node)) ?? 0] : [0, 0];
  });
