// Finds the element that a press would reach: hit testing in the flat tree, with slotted nodes in their slots. Finds points of an
// element to try. Changes nothing but the scroll position.

import { kindOf } from '../accname/kinds.js';
import { REMOVES } from '../accname/hints.js';
import { labelsOf } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { listensForClicks } from '../clickable/clickable.js';
import {
  childElementCountOf,
  closest,
  dataOf,
  firstChildOf,
  lateGetter,
  lateMethod,
  localNameOf,
  matches,
  method,
  namespaceOf,
  newRange,
  nodeTypeOf,
  parentNodeOf,
  queryInDocument,
  queryInFragment,
  rectOf,
  rootOf,
  scrollIntoView,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  assignedSlotOfElement,
  assignedTo,
  attr,
  childrenOf,
  closedRoots,
  exported,
  hasAttr,
  isElement,
  isText,
  parentOf,
  shadowRootOf,
  siblingsFrom,
  SVG,
} from '../dom/dom.js';
import { openClosedRoot } from '../dom/internals.js';
import { nodeFor } from '../dom/node-table.js';
import { imageOfArea, styleOf } from '../visibility/hidden.js';

const assignedSlotOfText = lateGetter('Text', 'assignedSlot');
const hitInDocument = method(Document, 'elementFromPoint');
const hitInShadow = lateMethod('ShadowRoot', 'elementFromPoint');
export const boxListOf = method(Element, 'getClientRects');

/** Return the slot that a node is assigned to, or null. Scripts are not told slots of a closed shadow root, so these are searched. */
export function slotOf(node) {
  const open = isElement(node) ? assignedSlotOfElement(node) : isText(node) ? assignedSlotOfText(node) : null;
  const closed = open ? null : closedRoots.get(parentNodeOf(node));
  return open || (closed && [...queryInFragment(closed, 'slot')].find((slot) => assignedTo(slot).includes(node)))
    || null;
}

/** Return all matches of a selector in a document or shadow root. */
export const allInTree = (
  root,
  selector,
) => [...(nodeTypeOf(root) === 9 ? queryInDocument : queryInFragment)(root, selector)];

/** Whether a node is the element or stands in it, through shadow roots and slots. */
export function containsComposed(element, node) {
  for (let inner = node; inner; inner = slotOf(inner) || parentOf(inner)) if (inner === element) return true;
  return false;
}

/** Return the deepest element at a point of the window, through shadow trees; the slot for text that is assigned to one. Null for none. */
export function hitAt(x, y, inDocument = document) {
  let found = hitInDocument(inDocument, x, y);
  for (let root = found && shadowRootOf(found); root; root = shadowRootOf(found)) {
    const inner = hitInShadow(root, x, y);
    // A host's own text belongs to the tree that the host is in: from inside the host itself seems to be hit.
    if (!inner || inner === found) return slotOfTextAt(found, x, y) || found;
    found = inner;
  }
  return found;
}

/** Return the slot of a host whose assigned text is at a point; null for none. */
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

/** Whether a point is in a box. */
export const isInBox = (box, x, y) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

/** Whether an element is in the shadow tree of a host, or in one below that. */
export function isShadowHostOf(host, element) {
  for (let inner = rootOf(element).host; inner; inner = rootOf(inner).host) if (inner === host) return true;
  return false;
}

const PRESSABLE = 'a[href],button,input,select,textarea,[role=button],[role=link]';

/** Whether a press on `hit` is one on the element: it is inside of it, or in a label that passes presses on. */
export function reaches(element, hit) {
  if (containsComposed(element, hit) || isHostPressedFor(hit, element)) return true;
  const around = closest(element, 'label');
  if (around && (around.control === element || !matches(element, PRESSABLE)) && passesPressOn(around, element, hit))
    return true;
  if (labelsOf(element).some((label) => passesPressOn(label, element, hit))) return true;
  if (closest(hit, PRESSABLE) === closest(element, WORDS_OF) && closest(element, WORDS_OF) !== null) return true;
  return isOnlyTextOf(element, hit);
}

/**
 * Whether an element that lets presses through is only the text of the element that was hit: it stands in that and there is no more to
 * read, or it is the placeholder beside an empty field that lies over it.
 */
const isOnlyTextOf = (element, hit) =>
  styleOf(element).pointerEvents === 'none' && !matches(element, OWN_BUSINESS) && textContentOf(element).trim() !== ''
  && (containsComposed(hit, element) && textContentOf(hit).trim() === textContentOf(element).trim()
    || localNameOf(hit) === 'input' && parentNodeOf(hit) === parentNodeOf(element));
const OWN_BUSINESS = `${PRESSABLE},label,a,option,[role],[tabindex],[onclick],[disabled],[aria-disabled]`;

/**
 * Whether `hit` is the host of an element that lets presses through: its component has the host hear of them. The host of several
 * controls is no control itself.
 */
const isHostPressedFor = (hit, element) =>
  shadowRootOf(hit) !== null && isShadowHostOf(hit, element) && styleOf(element).pointerEvents === 'none'
  && allInTree(shadowRootOf(hit), PRESSABLE).every((other) => containsComposed(other, element));

/** A button is pressed where its words are, also where the words let presses through. */
const WORDS_OF = 'a[href],button,[role=button],[role=link]';

/** Whether a label passes a press on `hit` on to the element. */
export function passesPressOn(label, element, hit) {
  if (!containsComposed(label, hit)) return false;
  const control = closest(hit, PRESSABLE);
  return !control || control === element || !containsComposed(label, control);
}

/**
 * Note the closed shadow roots that an element is in: they are known by the element itself, also where another frame's engine has met
 * them.
 */
function noteClosedRootsAround(element) {
  for (let root = rootOf(element); root.host; root = rootOf(root.host))
    if (root.mode === 'closed') openClosedRoot(root.host, root);
}

/**
 * Return where to press an element: { point, hit, inView, arrives, isAside, isOnWords }; `hit` is the element at the point, `arrives`
 * says whether a press there is one on the element. If the middle is covered any free part will do; if it belongs to a control inside,
 * the element's own text is pressed.
 */
export function aimAt(element) {
  noteClosedRootsAround(element);
  let middle = null;
  for (const point of pointsOf(element)) {
    const aim = aimAtPoint(element, point, middle !== null);
    if (aim.arrives) return closestControl(element, aim.hit) === null ? aim : aimAtOwnWords(element) ?? aim;
    middle ??= aim;
  }
  return middle
    || { point: { x: -1, y: -1 }, hit: null, inView: false, arrives: false, isAside: false, isOnWords: false };
}

/** Return the aim at one point of an element. `isAside`: it is not the element's middle. */
function aimAtPoint(element, point, isAside) {
  const hit = hitAt(point.x, point.y);
  return { point, hit, inView: true, arrives: hit !== null && reaches(element, hit), isAside, isOnWords: false };
}

/** Return where to press an element (see `aimAt`) on text of its own, in no control inside; null for none in view. */
function aimAtOwnWords(element, scroll = false) {
  for (const text of wordsToPress(element)) {
    const point = middleOfWords(text, scroll);
    if (point.x < 0 || point.y < 0 || point.x >= innerWidth || point.y >= innerHeight) continue;
    const aim = { ...aimAtPoint(element, point, true), isOnWords: true };
    if (aim.arrives && containsComposed(element, aim.hit) && closestControl(element, aim.hit) === null) return aim;
  }
  return null;
}

/** Return where to press an element (see `aimAt`); scroll to it first if its middle cannot be seen and pressed. */
export function aimInView(element) {
  const shown = displayElementOf(element);
  const box = rectOf(shown);
  if (box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth) {
    const aim = aimAt(element);
    if (aim.arrives && (!aim.isAside || aim.isOnWords)) return aim;
  }
  scrollIntoView(shown, { block: 'center', inline: 'center', behavior: 'instant' });
  const aim = aimAt(element);
  const isForAnother = aim.arrives && closestControl(element, aim.hit) !== null;
  return isForAnother ? aimAtOwnWords(element, true) ?? aim : aim;
}

const FRACTIONS = [0.5, 0.25, 0.75, 0.08, 0.92];
const MOST_BOXES = 8;

/** Yield points of an element in the window: the middle of each box (a wrapped link has several), then points all over them. */
export function* pointsOf(element) {
  const boxes = [...inWindow(boxesOf(element))].slice(0, MOST_BOXES);
  for (const box of boxes) yield pointInBox(box, 0.5, 0.5);
  for (const box of boxes)
    for (const down of FRACTIONS) for (const across of FRACTIONS) yield pointInBox(box, across, down);
}

/** Return a point of a box: `across` and `down` are shares of its width and height. */
const pointInBox = (box, across, down) => ({
  x: box.left + (box.right - box.left) * across,
  y: box.top + (box.bottom - box.top) * down,
});

/** Yield the parts of boxes that are in the window, without empty ones. */
function* inWindow(boxes) {
  for (const box of boxes) {
    const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    if (left < right && top < bottom) yield { left, right, top, bottom };
  }
}

/** Return the boxes of an element: of what it contains where it has none itself, of its shape's bounds for an area. */
export function boxesOf(element) {
  if (localNameOf(element) === 'area') return areaBoxes(element);
  const own = [...boxListOf(element)];
  if (own.some((box) => box.width > 0 && box.height > 0)) return own;
  if (isSvgStroke(element)) return own.map(widenStroke);
  if (own.length ? !hasVisibleOverflow(element) : styleOf(element).display !== 'contents') return own;
  return [...childrenOf(element)].flatMap(boxesOfChild);
}

/** Whether what an element without a size contains is seen around it: children that float, a line of nothing but absolute ones. */
export function hasVisibleOverflow(element) {
  const { overflowX, overflowY } = styleOf(element);
  return overflowX === 'visible' && overflowY === 'visible';
}

/** Whether an element is a vertical or horizontal line of SVG: its box has no width, its stroke has. */
export function isSvgStroke(element) {
  if (namespaceOf(element) !== SVG || childElementCountOf(element) > 0) return false;
  const box = rectOf(element);
  const { stroke, strokeWidth } = styleOf(element);
  return box.width + box.height > 0 && stroke !== 'none' && parseFloat(strokeWidth) > 0;
}

/** Return the box of such a line with a pixel of its stroke. */
const widenStroke = (box) => ({
  left: box.left - 0.5,
  top: box.top - 0.5,
  right: box.right + 0.5,
  bottom: box.bottom + 0.5,
});

/** Return the boxes of a child node, of a text node those of its lines. */
function boxesOfChild(child) {
  if (isElement(child)) return [...boxesOf(child)];
  if (!isText(child)) return [];
  const range = newRange(document);
  range.selectNodeContents(child);
  return [...range.getClientRects()];
}

/** Return the element that displays another one: the image of an image map's area, else the element itself. */
export const displayElementOf = (element) => (localNameOf(element) === 'area' && imageOfArea(element)) || element;

/** Return the box around an area's shape, cut to its image, in an array. Whether the shape fills it is left to the hit test. */
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

/** Return the bounds of an area's shape in its image: [left, top, right, bottom]; null for the whole image. */
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

// A thing that is clicked and has controls in it: a card, a row, a chip, a branch of a tree. A press on it is meant for the
// thing, so where its middle belongs to one of those controls a person presses on its own words.

const KEEPS_A_PRESS =
  'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=switch],[role=radio],[role=menuitem],'
  + '[role=tab],[role=option],[role=treeitem],[onclick],[tabindex]:not([tabindex="-1"])';
const MOST_NODES_INSIDE = 200;
const MOST_OWN_WORDS = 6;

const MOST_OF_A_CROSS = 32; // pixels
const CROSS_SAYS = ['class', 'title', 'aria-label', 'data-testid'];

/** Whether an element removes the thing that it stands in, as the cross of a chip: small, without words, and named so. */
function isRemoveButton(element) {
  if (!CROSS_SAYS.some((name) => REMOVES.test(attr(element, name) ?? ''))) return false;
  const { width, height } = rectOf(element);
  return width <= MOST_OF_A_CROSS && height <= MOST_OF_A_CROSS && !/[\p{L}\d]{2}/u.test(textContentOf(element));
}

/** Whether an element is a control that takes a press for itself, and not for the thing around it. */
const keepsPress = (element) => matches(element, KEEPS_A_PRESS) || isRemoveButton(element);

/** Return the control inside of an element that a press on `hit` belongs to, or null. */
const closestControl = (element, hit) => closestPart(element, hit, keepsPress);

/** Return the cross inside of an element that a press on `hit` belongs to, or null. */
export const closestRemoveButton = (element, hit) => closestPart(element, hit, isRemoveButton);

/** Return the nearest element from `hit` outwards, inside of `element`, for which `isSuch` holds; null for none. */
function closestPart(element, hit, isSuch) {
  if (hit === element) return null;
  let part = isElement(hit) && isSuch(hit) ? hit : null;
  for (const around of ancestorsOf(hit)) {
    if (around === element) return part;
    if (part === null && isSuch(around)) part = around;
  }
  return null;
}

/** Whether an element does something by itself when it is pressed, as far as can be seen. */
function actsWhenPressed(element) {
  if (kindOf(roleOf(element)).operable || hasAttr(element, 'onclick') || listensForClicks(element)) return true;
  const parent = parentOf(element);
  return styleOf(element).cursor === 'pointer' && (parent === null || styleOf(parent).cursor !== 'pointer');
}

/** Whether a press on the element of an id does something, as far as can be seen: by itself, or as a part of a control. */
exported.actsWhenPressed = (id) => {
  const element = nodeFor(id);
  return element !== null
    && (actsWhenPressed(element) || styleOf(element).cursor === 'pointer'
      || [element, ...ancestorsOf(element)].some((each) =>
        isElement(each)
        && (kindOf(roleOf(each)).operable || hasAttr(each, 'onclick') || matches(each, 'label,summary'))
      ));
};

/** Return the first text nodes of an element that are in no control inside of it. */
function ownTextNodesOf(element) {
  const found = [];
  const waiting = [element];
  for (let read = 0; waiting.length && found.length < MOST_OWN_WORDS && read < MOST_NODES_INSIDE; read++) {
    const node = waiting.pop();
    if (!isElement(node)) {
      if (dataOf(node)?.trim()) found.push(node);
    } else if (node === element || !keepsPress(node) && attr(node, 'aria-hidden') !== 'true')
      waiting.push(...[...childrenOf(node)].reverse());
  }
  return found;
}

/**
 * Return the text nodes of an element to press on, if it does something by itself when it is pressed; [] for one that only frames a
 * control.
 */
const wordsToPress = (element) => actsWhenPressed(element) ? ownTextNodesOf(element) : [];

/** Scroll to the words of an element. One that is taller than half the window mostly begins with its words. */
function revealWords(around) {
  const block = rectOf(around).height > innerHeight / 2 ? 'start' : 'center';
  scrollIntoView(around, { block, inline: 'nearest', behavior: 'instant' });
}

/** Return the middle of the first line of a text node; scroll to it first if `scroll`. */
function middleOfWords(text, scroll) {
  if (scroll) revealWords(parentOf(text));
  const range = newRange(document);
  range.selectNodeContents(text);
  const box = range.getClientRects()[0];
  return box ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : { x: -1, y: -1 };
}
