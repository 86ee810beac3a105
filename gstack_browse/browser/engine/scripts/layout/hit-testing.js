// Finds the element that a press would reach: hit testing in the flat tree, with slotted nodes in their slots. Finds points of an
// element to try. Changes nothing but the scroll position.

import { REMOVE_WORDS } from '../accname/hints.js';
import { kindOf } from '../accname/kinds.js';
import { labelsOf } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { listensForClicks } from '../clickable/clickable.js';
import {
  childElementCountOf,
  closest,
  dataOf,
  firstChildOf,
  localNameOf,
  makeLateMethod,
  makeMethod,
  matches,
  namespaceOf,
  newRange,
  parentNodeOf,
  rectOf,
  rootElementOf,
  rootOf,
  scrollIntoView,
  scrollWithin,
  styleOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  containsInFlatTree,
  displayElementOf,
  exported,
  hasAttr,
  imageOfArea,
  isElement,
  isText,
  parentOf,
  queryAllIn,
  shadowRootOf,
  siblingsFrom,
  slotOf,
  SVG,
} from '../dom/dom.js';
import { openClosedRoot } from '../dom/internals.js';
import { nodeFor } from '../dom/node-table.js';

const hitInDocument = makeMethod(Document, 'elementFromPoint');
const hitInShadow = makeLateMethod('ShadowRoot', 'elementFromPoint');
export const boxListOf = makeMethod(Element, 'getClientRects');

/**
 * Return the topmost element at a point of the window, inside of shadow trees, too; for slotted text its slot; null for none. `inDocument`:
 * the document to search, if it is another one.
 */
export function hitAt(x, y, inDocument = document) {
  let found = hitInDocument(inDocument, x, y);
  for (let root = found && shadowRootOf(found); root; root = shadowRootOf(found)) {
    const inner = hitInShadow(root, x, y);
    // for text in a slot, `elementFromPoint` of the shadow root returns the host
    if (!inner || inner === found) return slotOfTextAt(found, x, y) || found;
    found = inner;
  }
  return found;
}

/** Return the slot in the shadow tree of `host` whose assigned text is at a point of the window; null for none. */
function slotOfTextAt(host, x, y) {
  const range = newRange(document);
  for (const child of siblingsFrom(firstChildOf(host))) {
    const slot = isText(child) ? slotOf(child) : null;
    if (!slot || styleOf(slot).pointerEvents === 'none') continue;
    range.selectNodeContents(child);
    if ([...range.getClientRects()].some((box) => isInBox(box, x, y))) return slot;
  }
  return null;
}

/** Return whether a point (`x`, `y`) is in a box { left, right, top, bottom }; both in coordinates of the window. */
export const isInBox = (box, x, y) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

/** Return whether an element is in the shadow tree of `host`, or in one nested in that. */
export function isShadowHostOf(host, element) {
  for (let inner = rootOf(element).host; inner; inner = rootOf(inner).host) if (inner === host) return true;
  return false;
}

// Whether a press that hits one element acts on another.

const PRESSABLE = 'a[href],button,input,select,textarea,[role=button i],[role=link i]';

// Controls that a press on their text reaches, even if an element with that text has `pointer-events: none`.
const PRESSED_BY_TEXT = 'a[href],button,[role=button i],[role=link i]';

const MAY_ACT_ITSELF = `${PRESSABLE},label,a,option,[role],[tabindex],[onclick],[disabled],[aria-disabled]`;

/**
 * Return whether a press on `hit`, the topmost element at a point, acts on `element`: `hit` is inside of it or in its label, or `element`
 * is only the text of the control `hit`.
 */
export function pressReaches(element, hit) {
  if (containsInFlatTree(element, hit) || isComponentHostOf(hit, element)) return true;
  const around = closest(element, 'label');
  if (around && (around.control === element || !matches(element, PRESSABLE)) && passesPressOn(around, element, hit))
    return true;
  if (labelsOf(element).some((label) => passesPressOn(label, element, hit))) return true;
  if (closest(hit, PRESSABLE) === closest(element, PRESSED_BY_TEXT) && closest(element, PRESSED_BY_TEXT) !== null)
    return true;
  return isTextOf(element, hit);
}

/** Return whether an element, or null, is inside of `box` and is not `box` itself. */
const isIn = (box, element) => element !== null && element !== box && containsInFlatTree(box, element);

/** Return whether an element is in `box`, and contains all its text. */
const isOnlyTextIn = (box, element) =>
  containsInFlatTree(box, element) && textContentOf(box).trim() === textContentOf(element).trim();

/**
 * Return whether an element with `pointer-events: none` is only the text of `hit`: it is inside of `hit`, or of the SVG group around that,
 * and contains all its text, or it stands beside the `<input>` `hit` in the same parent, as its placeholder. False for the text of a
 * control or label inside of `hit`, which takes no presses itself.
 */
const isTextOf = (element, hit) =>
  styleOf(element).pointerEvents === 'none' && !matches(element, MAY_ACT_ITSELF) && textContentOf(element).trim() !== ''
  && !isIn(hit, closest(element, `${PRESSABLE},label`))
  && (isOnlyTextIn(hit, element) || matches(hit, 'g > *') && isOnlyTextIn(parentNodeOf(hit), element)
    || localNameOf(hit) === 'input' && parentNodeOf(hit) === parentNodeOf(element));

/**
 * Return whether `hit` is the shadow host of an element with `pointer-events: none`, and has no other control in it: then the component
 * listens on its host.
 */
const isComponentHostOf = (hit, element) =>
  shadowRootOf(hit) !== null && isShadowHostOf(hit, element) && styleOf(element).pointerEvents === 'none'
  && [...queryAllIn(shadowRootOf(hit), PRESSABLE)].every((other) => containsInFlatTree(other, element));

/** Return whether a press on `hit`, inside of a label, acts on the label's control `element`: `hit` is in no other control or link. */
export function passesPressOn(label, element, hit) {
  if (!containsInFlatTree(label, hit)) return false;
  const control = closest(hit, PRESSABLE);
  return !control || control === element || !containsInFlatTree(label, control);
}

// Points to press.

/** Record the closed shadow roots around an element, so that hit testing looks into them: `getRootNode()` returns even these. */
function noteClosedRootsAround(element) {
  for (let root = rootOf(element); root.host; root = rootOf(root.host))
    if (root.mode === 'closed') openClosedRoot(root.host, root);
}

/**
 * A point of an element to press, in the window. `hit`: the element at the point; `inView`: the point is in the window; `reachesTarget`: a
 * press there acts on the element; `isOffCentre`: it is not the element's middle; `isOnText`: it is on the element's own text.
 * @typedef {{
 *   point: { x: number, y: number },
 *   hit: any,
 *   inView: boolean,
 *   reachesTarget: boolean,
 *   isOffCentre: boolean,
 *   isOnText: boolean,
 * }} PressPoint
 */

/** @type {PressPoint} */
export const NO_PRESS_POINT = {
  point: { x: -1, y: -1 },
  hit: null,
  inView: false,
  reachesTarget: false,
  isOffCentre: false,
  isOnText: false,
};

/**
 * Find the point at which to press an element: its middle; if that is covered, any free point; if a control inside of the element is there,
 * a point on the element's own text. NO_PRESS_POINT if none of it is in the window.
 * @returns {PressPoint}
 */
export function findPressPoint(element) {
  noteClosedRootsAround(element);
  let middle = null;
  for (const point of pointsOf(element)) {
    const aim = hitTestPoint(element, point, middle !== null);
    if (aim.reachesTarget) return closestControl(element, aim.hit) === null ? aim : findPointOnOwnText(element) ?? aim;
    middle ??= aim;
  }
  return middle || NO_PRESS_POINT;
}

/**
 * Hit-test one point of an element: which element is there, and whether a press on it acts on the element. `isOffCentre`: the point is not
 * the element's middle.
 * @returns {PressPoint}
 */
function hitTestPoint(element, point, isOffCentre) {
  const hit = hitAt(point.x, point.y);
  return {
    point,
    hit,
    inView: true,
    reachesTarget: hit !== null && pressReaches(element, hit),
    isOffCentre,
    isOnText: false,
  };
}

/**
 * Find a point to press on the own text of an element, which is in none of the controls inside of it; null for none in view. `scroll`:
 * scroll to the text first.
 * @returns {PressPoint | null}
 */
function findPointOnOwnText(element, scroll = false) {
  for (const text of textNodesToPress(element)) {
    const point = middleOfText(text, scroll);
    if (point.x < 0 || point.y < 0 || point.x >= innerWidth || point.y >= innerHeight) continue;
    const aim = { ...hitTestPoint(element, point, true), isOnText: true };
    if (aim.reachesTarget && containsInFlatTree(element, aim.hit) && closestControl(element, aim.hit) === null)
      return aim;
  }
  return null;
}

/**
 * Scroll an element to the middle (`block`: "center") or an edge of its scroll containers. One without a box of its own, which is
 * `display: contents`, cannot be scrolled to: its parent is, and then the window to its first box.
 */
export function scrollToEdgeOrMiddle(element, block = 'center') {
  const how = { block, inline: 'center', behavior: 'instant' };
  if (styleOf(element).display !== 'contents') return scrollIntoView(element, how);
  scrollIntoView(parentOf(element), how);
  const box = boxesOf(element)[0];
  if (box && (box.top < 0 || box.bottom > innerHeight))
    scrollWithin(rootElementOf(document), { top: (box.top + box.bottom - innerHeight) / 2, behavior: 'instant' });
}

/** Return whether what covers a point of an element leaves a part of the window free: scrolling may bring the element there. */
function leavesRoom(element, { hit, inView, reachesTarget }) {
  if (reachesTarget || !inView || hit === null) return false;
  let cover = hit;
  for (let outer = parentOf(hit); outer && !containsInFlatTree(outer, element); outer = parentOf(outer)) cover = outer;
  return !containsInFlatTree(cover, element) && rectOf(cover).height < innerHeight;
}

/**
 * Scroll an element to the middle of the window, or to an edge if a header covers it there, unless it is in view and a press on it reaches
 * it already. Return the point at which to press it.
 * @returns {PressPoint}
 */
export function scrollToPressPoint(element) {
  const shown = displayElementOf(element);
  const box = rectOf(shown);
  if (box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth) {
    const aim = findPressPoint(element);
    if (aim.reachesTarget && (!aim.isOffCentre || aim.isOnText)) return aim;
  }
  scrollToEdgeOrMiddle(shown);
  let aim = findPressPoint(element);
  for (const edge of leavesRoom(shown, aim) ? ['end', 'start', 'center'] : []) {
    scrollToEdgeOrMiddle(shown, edge);
    aim = findPressPoint(element);
    if (aim.reachesTarget) break;
  }
  const isForAnother = aim.reachesTarget && closestControl(element, aim.hit) !== null;
  return isForAnother ? findPointOnOwnText(element, true) ?? aim : aim;
}

const FRACTIONS = [0.5, 0.25, 0.75, 0.08, 0.92];
const MAX_BOXES = 8;

/**
 * Yield points { x, y } of an element in the window, to be hit-tested: the middle of each of its boxes (a wrapped link has several), then
 * 25 points of each box.
 */
export function* pointsOf(element) {
  const boxes = [...clipToWindow(boxesOf(element))].slice(0, MAX_BOXES);
  for (const box of boxes) yield pointInBox(box, 0.5, 0.5);
  for (const box of boxes)
    for (const down of FRACTIONS) for (const across of FRACTIONS) yield pointInBox(box, across, down);
}

/** Return a point of a box: `across` and `down` are fractions of its width and height. */
const pointInBox = (box, across, down) => ({
  x: box.left + (box.right - box.left) * across,
  y: box.top + (box.bottom - box.top) * down,
});

/** Yield the parts of boxes that are in the window, as { left, right, top, bottom }; boxes outside of it are left out. */
function* clipToWindow(boxes) {
  for (const box of boxes) {
    const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    if (left < right && top < bottom) yield { left, right, top, bottom };
  }
}

// Boxes of elements, in CSS pixels of the window.

/**
 * Return the boxes of an element, in CSS pixels of the window; the boxes of its contents if it has none itself; for an `<area>` the bounds
 * of its shape.
 */
export function boxesOf(element) {
  if (localNameOf(element) === 'area') return areaBoxes(element);
  const own = [...boxListOf(element)];
  if (own.some((box) => box.width > 0 && box.height > 0)) return own;
  if (isSvgStroke(element)) return own.map(widenStroke);
  if (own.length ? !hasVisibleOverflow(element) : styleOf(element).display !== 'contents') return own;
  return [...childrenOf(element)].flatMap(boxesOfChild);
}

/** Convert a point { x, y } of the window to one relative to an element, in CSS pixels from the corner inside its border. */
export function relativeToElement(element, point) {
  const boxes = [...boxListOf(element)];
  const outer = boxes.length > 1
    ? { left: Math.min(...boxes.map((box) => box.left)), top: Math.min(...boxes.map((box) => box.top)) }
    : rectOf(element);
  const style = getComputedStyle(element);
  return {
    x: point.x - outer.left - (parseInt(style.borderLeftWidth, 10) || 0),
    y: point.y - outer.top - (parseInt(style.borderTopWidth, 10) || 0),
  };
}

/**
 * Return whether an element does not clip its contents (`overflow: visible`), so that floating or positioned children are visible even if
 * its own box is empty.
 */
export function hasVisibleOverflow(element) {
  const { overflowX, overflowY } = styleOf(element);
  return overflowX === 'visible' && overflowY === 'visible';
}

/** Return the distance in pixels from the top of the highest rectangle to the bottom of the lowest. */
export const heightSpan = (rects) =>
  Math.max(...rects.map((rect) => rect.bottom)) - Math.min(...rects.map((rect) => rect.top));

/**
 * Return whether an element is an SVG shape with a visible stroke. Such a shape can be pressed even if its box is empty, as that of a
 * vertical line.
 */
export function isSvgStroke(element) {
  if (namespaceOf(element) !== SVG || childElementCountOf(element) > 0) return false;
  const box = rectOf(element);
  const { stroke, strokeWidth } = styleOf(element);
  return box.width + box.height > 0 && stroke !== 'none' && parseFloat(strokeWidth) > 0;
}

/** Return a box with half a pixel more on each side, so that the stroke of an SVG line can be hit. */
const widenStroke = (box) => ({
  left: box.left - 0.5,
  top: box.top - 0.5,
  right: box.right + 0.5,
  bottom: box.bottom + 0.5,
});

/** Return the boxes of a child node: those of an element, or of the lines of a text node; [] for any other node. */
function boxesOfChild(child) {
  if (isElement(child)) return [...boxesOf(child)];
  if (!isText(child)) return [];
  const range = newRange(document);
  range.selectNodeContents(child);
  return [...range.getClientRects()];
}

/**
 * Return an array with the box around the shape of an `<area>`, clipped to its image: { left, top, right, bottom } in the window. [] if no
 * image uses it. The shape need not fill the box.
 */
function areaBoxes(area) {
  const image = imageOfArea(area);
  if (!image) return [];
  const outer = rectOf(image);
  const style = styleOf(image);
  const left = outer.left + image.clientLeft + parseFloat(style.paddingLeft);
  const top = outer.top + image.clientTop + parseFloat(style.paddingTop);
  const [x1, y1, x2, y2] = shapeBounds(area) || [0, 0, Infinity, Infinity];
  return [{
    left: Math.max(left + x1, outer.left),
    top: Math.max(top + y1, outer.top),
    right: Math.min(left + x2, outer.right),
    bottom: Math.min(top + y2, outer.bottom),
  }];
}

/** Return the bounds of the shape of an `<area>` in its image: [left, top, right, bottom]; null for the whole image. */
function shapeBounds(area) {
  const numbers = (attr(area, 'coords') || '').split(/[\s,;]+/).map(parseFloat).filter((number) => !isNaN(number));
  const shape = (attr(area, 'shape') || 'rect').toLowerCase();
  if (shape === 'default' || numbers.length < 3) return null;
  if (shape.startsWith('circ')) {
    const [x, y, radius] = numbers;
    return [x - radius, y - radius, x + radius, y + radius];
  }
  const across = numbers.filter((_, index) => index % 2 === 0);
  const down = numbers.filter((_, index) => index % 2 === 1);
  return [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
}

// Clickable elements with controls in them: a card, a row, a chip, a branch of a tree. A person who means the element itself presses on its
// own text, and not on a control in its middle.

const NESTED_CONTROLS =
  'a[href],button,input,select,textarea,summary,[role=button i],[role=link i],[role=checkbox i],[role=switch i],[role=radio i],[role=menuitem i],'
  + '[role=tab i],[role=option i],[role=treeitem i],[onclick],[tabindex]:not([tabindex="-1"])';
const MAX_NODES_READ = 200;
const MAX_OWN_TEXTS = 6;

const MAX_REMOVE_BUTTON_SIZE = 32; // pixels
const REMOVE_BUTTON_ATTRIBUTES = ['class', 'title', 'aria-label', 'data-testid'];

/**
 * Return whether an element looks like the cross that removes an item: small, without a word, and named for removing by its class, title,
 * label or test id.
 */
function isRemoveButton(element) {
  if (!REMOVE_BUTTON_ATTRIBUTES.some((name) => REMOVE_WORDS.test(attr(element, name) ?? ''))) return false;
  const { width, height } = rectOf(element);
  return width <= MAX_REMOVE_BUTTON_SIZE && height <= MAX_REMOVE_BUTTON_SIZE
    && !/[\p{L}\d]{2}/u.test(textContentOf(element));
}

/** Return whether an element inside of a clickable one is a control that handles a press itself, instead of the clickable element. */
const isNestedControl = (element) => matches(element, NESTED_CONTROLS) || isRemoveButton(element);

/**
 * Return the nearest control from `hit` outwards, inside of `element`, that handles a press on `hit` instead of `element`; null for none.
 */
const closestControl = (element, hit) => closestPart(element, hit, isNestedControl);

/** Return the nearest button from `hit` outwards, inside of `element`, that removes an item, such as the cross of a chip; null for none. */
export const closestRemoveButton = (element, hit) => closestPart(element, hit, isRemoveButton);

/**
 * Return the nearest element from `hit` outwards, inside of `element`, for which `isWanted` returns true; null for none, and if `hit` is
 * not in `element`.
 */
function closestPart(element, hit, isWanted) {
  if (hit === element) return null;
  let part = isElement(hit) && isWanted(hit) ? hit : null;
  for (const around of ancestorsOf(hit)) {
    if (around === element) return part;
    if (part === null && isWanted(around)) part = around;
  }
  return null;
}

/**
 * Return whether an element probably handles a press: by its role, by a click listener, or by a pointer cursor of its own, not inherited.
 */
function actsWhenPressed(element) {
  if (kindOf(roleOf(element)).operable || hasAttr(element, 'onclick') || listensForClicks(element)) return true;
  const parent = parentOf(element);
  return styleOf(element).cursor === 'pointer' && (parent === null || styleOf(parent).cursor !== 'pointer');
}

/** Return whether a press on the element of an id probably has an effect: it, or an element around it, seems to handle presses. */
exported.pressMayHaveEffect = (id) => {
  const element = nodeFor(id);
  return element !== null
    && (actsWhenPressed(element) || styleOf(element).cursor === 'pointer'
      || [element, ...ancestorsOf(element)].some((each) =>
        isElement(each)
        && (kindOf(roleOf(each)).operable || hasAttr(each, 'onclick') || matches(each, 'label,summary'))
      ));
};

/** Return the first text nodes of an element, at most 6 and no blank ones, that are in none of the controls inside of it. */
function ownTextNodesOf(element) {
  const found = [];
  const waiting = [element];
  for (let read = 0; waiting.length && found.length < MAX_OWN_TEXTS && read < MAX_NODES_READ; read++) {
    const node = waiting.pop();
    if (!isElement(node)) {
      if (dataOf(node)?.trim()) found.push(node);
    } else if (node === element || !isNestedControl(node) && attr(node, 'aria-hidden') !== 'true')
      waiting.push(...[...childrenOf(node)].reverse());
  }
  return found;
}

/** Return the text nodes on which to press an element that handles presses itself; [] for an element that only wraps a control. */
const textNodesToPress = (element) => actsWhenPressed(element) ? ownTextNodesOf(element) : [];

/**
 * Scroll an element to the middle of the window; one taller than half the window with its start to the top, since its text is mostly there.
 */
function scrollToText(element) {
  const block = rectOf(element).height > innerHeight / 2 ? 'start' : 'center';
  scrollIntoView(element, { block, inline: 'nearest', behavior: 'instant' });
}

/**
 * Return the middle { x, y } of the first line of a text node, in the window; { x: -1, y: -1 } if it has no box. `scroll`: scroll to it
 * first.
 */
function middleOfText(text, scroll) {
  if (scroll) scrollToText(parentOf(text));
  const range = newRange(document);
  range.selectNodeContents(text);
  const box = range.getClientRects()[0];
  return box ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : { x: -1, y: -1 };
}
