// Find out what a person could see and press: elements, and the layers of a page, of which a modal dialog makes the rest inert.

import { explicitRoleOf } from '../accname/roles.js';
import { fillKind } from '../actions/fields.js';
import { displayElementOf, hasVisibleOverflow, hitAt, isSvgStroke, slotOf } from '../actions/hit-testing.js';
import {
  bodyOf,
  closest,
  containsNode,
  documentOf,
  isConnected,
  localNameOf,
  matches,
  newRange,
  nodeTypeOf,
  rectOf,
  rootOf,
  windowOf,
} from '../dom/accessors.js';
import { ancestorsOf, childrenOf, hasAttr, isElement, isText, parentOf, withTag } from '../dom/dom.js';
import { isRenderedOnceSettled, settledSize } from './animations.js';
import { isUndrawn, styleOf } from './hidden.js';

/** Whether a person could see an element: rendered, not `visibility: hidden`, and it or something in it has a size. */
export function isVisible(element) {
  const shown = closedListOf(element) || displayElementOf(element);
  if (shown !== element) return isVisible(shown);
  return hasBox(element) || isRenderedOnceSettled(element) && !isUndrawn(element) && hasVisibleOverflow(element)
      && (isSvgStroke(element) || showsContents(element, isVisible));
}

/** Whether an element has a visible box of its own: a part of a widget is pressed there, so it needs one. */
export function hasBox(element) {
  const shown = closedListOf(element) || displayElementOf(element);
  if (shown !== element) return hasBox(shown);
  if (getComputedStyle(element).display === 'contents') return showsContents(element, hasBox);
  if (!isRenderedOnceSettled(element) || isUndrawn(element)) return false;
  const { width, height } = settledSize(element);
  return width > 0 && height > 0;
}

/** Whether a person could press or read an element: not while it is transparent and without pointer events, as a list fading in. */
export const isOperable = (element) => hasBox(element) && !isOutOfUse(element);

/** Whether an element is transparent, and takes no pointer events. */
function isOutOfUse(element) {
  for (const each of [element, ...ancestorsOf(element)]) {
    const { opacity, pointerEvents } = getComputedStyle(each);
    if (pointerEvents !== 'none') return false;
    if (opacity === '0') return true;
  }
  return false;
}

/** Whether anything in an element can be seen: a child for which `isShown` holds, or text. */
const showsContents = (element, isShown) =>
  [...childrenOf(element)].some((child) => isElement(child) && isShown(child)) || hasVisibleText(element);

/** Whether text right inside an element has a size. */
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

/** Return the `<select>` of an option without a box, as in a closed list; null for any other element. */
export function closedListOf(element) {
  const name = localNameOf(element);
  if ((name !== 'option' && name !== 'optgroup') || rectOf(element).height > 0) return null;
  return closest(element, 'select');
}

/** Whether an `<object>` shows what stands in it, since it has nothing else to show. */
export function showsFallback(element) {
  if (localNameOf(element) !== 'object') return false;
  const range = newRange(document);
  range.selectNodeContents(element);
  return range.getClientRects().length > 0;
}

// Layers of a page: dialogs, popups, whatever lies over the rest of it.

/** Whether an element stands in a dialog, or in another part that lies over the page: Escape may close all of it. */
export const isInLayer = (element) =>
  [element, ...ancestorsOf(element)].some((each) =>
    localNameOf(each) === 'dialog' || /dialog$/.test(explicitRoleOf(each) || '') || hasAttr(each, 'popover')
    || each !== bodyOf(document) && styleOf(each).position === 'fixed'
  );

const OVER_OTHERS = new Set(['absolute', 'fixed']);

/**
 * Whether an element stands in a part that lies over the page, and the focus is in a field outside of that. The popup of a field mostly closes when the
 * field loses the focus, unless it has heard of a press in itself.
 */
export function isInPopupOfFocused(element) {
  const focused = rootOf(element).activeElement;
  if (!focused || focused === element || fillKind(focused) === '') return false;
  for (const each of ancestorsOf(element)) {
    if (each === bodyOf(document) || containsNode(each, focused)) return false;
    if (OVER_OTHERS.has(styleOf(each).position)) return true;
  }
  return false;
}

// Which dialog makes the rest of its document inert, wherever it is, and what of the document that leaves.
//
// https://html.spec.whatwg.org/multipage/interaction.html#modal-dialogs-and-inert-subtrees: all is inert but the dialog and what is in
// it in the flat tree: what is slotted into it is in it, too.

// Modal dialogs of a document are found by a query. Those of shadow trees (Web Awesome 3, Material Web) are met by a walk, and remembered.
let metInShadows = [];
let metSoFar = 0;

/** Remember an open modal dialog of a shadow tree: no query finds it. */
export function meetDialog(dialog) {
  if (!matches(dialog, ':modal') || nodeTypeOf(rootOf(dialog)) !== 11) return;
  if (metInShadows.some((met) => met.deref() === dialog)) return;
  metInShadows.push(new WeakRef(dialog));
  metSoFar++;
}

/** Return how many modal dialogs of shadow trees have been met. If a walk has met one more, what it has walked may be inert. */
export const modalsMet = () => metSoFar;

/** Whether a node is an open modal dialog. */
const isModal = (node) => nodeTypeOf(node) === 1 && matches(node, 'dialog:modal');
/** Return the slot or parent of a node in the flat tree. */
const nextOutwards = (node) => slotOf(node) || parentOf(node);

/** An open modal dialog: which elements it makes inert. */
class Modal {
  constructor(dialog) {
    this.dialog = dialog;
    this.around = new Set();
    this.inside = new WeakSet([dialog]);
    for (let outer = nextOutwards(dialog); outer; outer = nextOutwards(outer)) this.around.add(outer);
  }

  /** Whether an element is inert: neither in the dialog nor around it. */
  blocks(element) {
    return !this.around.has(element) && !this.holds(element);
  }

  /** Whether a node is in the dialog, in the flat tree. Answers are kept, since the walk asks from the outside inwards. */
  holds(node) {
    if (containsNode(this.dialog, node) || this.inside.has(node)) return true;
    const outer = nextOutwards(node);
    const isInside = outer !== null && this.holds(outer);
    if (isInside) this.inside.add(node);
    return isInside;
  }
}

/** Return the topmost open modal dialog of a document, as a `Modal`; null for none. */
export function modalOf(document) {
  metInShadows = metInShadows.filter((met) => {
    const dialog = met.deref();
    return dialog && isConnected(dialog) && isModal(dialog);
  });
  const there = metInShadows.map((met) => met.deref()).filter((dialog) => dialog && documentOf(dialog) === document);
  const open = [...[...withTag(document, 'dialog')].filter(isModal), ...there];
  return open.length > 0 ? new Modal(topModal(document, open) ?? open[open.length - 1]) : null;
}

/**
 * Return the modal dialog that was opened last; null if unknown. No script is told, but only what is in that one, or its backdrop, can be
 * hit: the rest is inert.
 */
function topModal(document, open) {
  const { innerWidth, innerHeight } = windowOf(document);
  for (const box of [{ left: 0, top: 0, width: innerWidth, height: innerHeight }, ...open.map(rectOf)]) {
    const hit = hitAt(box.left + box.width / 2, box.top + box.height / 2, document);
    for (let node = hit; node; node = nextOutwards(node)) if (isModal(node)) return node;
  }
  return null;
}
