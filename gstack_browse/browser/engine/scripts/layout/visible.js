// Which elements a person can see and press, which a modal dialog makes inert, what to make of boxes without size, and gaps at their edges.

import { labelsOf } from '../accname/names.js';
import { explicitRoleOf, isFocusable } from '../accname/roles.js';
import { fillKind, isEditingHost } from '../accname/values.js';
import {
  bodyOf,
  childElementCountOf,
  closest,
  containsNode,
  documentOf,
  isConnected,
  localNameOf,
  matches,
  newRange,
  nodeTypeOf,
  offsetHeightOf,
  offsetWidthOf,
  rectOf,
  rootOf,
  styleOf,
  windowOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  closestWhere,
  displayElementOf,
  elementsByTag,
  flatTreeParent,
  hasAttr,
  isElement,
  isText,
} from '../dom/dom.js';
import { hasVisibleOverflow, hitAt, isSvgStroke } from './hit-testing.js';
import { isRenderedOnceSettled, settledSize } from '../visibility/animations.js';
import { isInHiddenSvgPart } from '../visibility/hidden.js';
import { isScaledAway, isUsableUnseen, laysOutNoText } from '../visibility/text-visibility.js';

/**
 * Return whether an element is visible: rendered, not `visibility: hidden`, and it or something in it has a size. Also true outside of the
 * viewport.
 */
export function isVisible(element) {
  const shown = closedListOf(element) || displayElementOf(element);
  if (shown !== element) return isVisible(shown);
  return hasBox(element) || isRenderedOnceSettled(element) && !isInHiddenSvgPart(element) && hasVisibleOverflow(element)
      && (isSvgStroke(element) || showsContents(element, isVisible));
}

/**
 * Return whether an element has a visible box with a size, so that it can be pressed. For an option of a closed list: whether its
 * `<select>` has.
 */
export function hasBox(element) {
  const shown = closedListOf(element) || displayElementOf(element);
  if (shown !== element) return hasBox(shown);
  if (getComputedStyle(element).display === 'contents') return showsContents(element, hasBox);
  if (!isRenderedOnceSettled(element) || isInHiddenSvgPart(element)) return false;
  const { width, height } = settledSize(element);
  return width > 0 && height > 0;
}

/**
 * Return whether an element has a visible box and can be pressed: it is not transparent with `pointer-events: none`, as a list that fades
 * in.
 */
export const isOperable = (element) => hasBox(element) && !isFadedOut(element);

/**
 * Return whether an element is transparent and gets no press: it has `pointer-events: none`, and so have its ancestors up to a transparent
 * one (itself or an ancestor).
 */
function isFadedOut(element) {
  for (const each of [element, ...ancestorsOf(element)]) {
    const { opacity, pointerEvents } = getComputedStyle(each);
    if (pointerEvents !== 'none') return false;
    if (opacity === '0') return true;
  }
  return false;
}

/**
 * Return whether something in an element is visible: a child element for which `isShown` returns true, or text of its own. False for
 * `content-visibility: hidden`.
 */
const showsContents = (element, isShown) =>
  !laysOutNoText(styleOf(element))
  && ([...childrenOf(element)].some((child) => isElement(child) && isShown(child)) || hasVisibleText(element));

/** Return whether an element has a text node as its child that takes up room. */
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

/** Return the `<select>` around an `<option>` or `<optgroup>` that has no box, as in a closed list; null for any other element. */
export function closedListOf(element) {
  const name = localNameOf(element);
  if ((name !== 'option' && name !== 'optgroup') || rectOf(element).height > 0) return null;
  return closest(element, 'select');
}

/** Return whether an element is an `<object>` that displays its fallback content instead of its data. */
export function showsFallback(element) {
  if (localNameOf(element) !== 'object') return false;
  const range = newRange(document);
  range.selectNodeContents(element);
  return range.getClientRects().length > 0;
}

// Layers over the page: dialogs and popups.

/** Return whether an element is in a dialog, popover or `position: fixed` element, which the Escape key may close. */
export const isInLayer = (element) =>
  [element, ...ancestorsOf(element)].some((each) =>
    localNameOf(each) === 'dialog' || /dialog$/.test(explicitRoleOf(each) || '') || hasAttr(each, 'popover')
    || each !== bodyOf(document) && styleOf(each).position === 'fixed'
  );

const LAYER_POSITIONS = new Set(['absolute', 'fixed']);

/**
 * Return whether an element is in a positioned layer over the page while a field outside of that layer has the focus. Such a popup mostly
 * closes when the field loses the focus, unless the popup got a press before.
 */
export function isInPopupOfFocused(element) {
  const focused = rootOf(element).activeElement;
  if (!focused || focused === element || fillKind(focused) === '') return false;
  for (const each of ancestorsOf(element)) {
    if (each === bodyOf(document) || containsNode(each, focused)) return false;
    if (LAYER_POSITIONS.has(styleOf(each).position)) return true;
  }
  return false;
}

// A modal dialog makes all of its document inert, except what is in the dialog in the flat tree.
// https://html.spec.whatwg.org/multipage/interaction.html#modal-dialogs-and-inert-subtrees

// Modal dialogs that walks have found in shadow trees (Web Awesome 3, Material Web), where no query of the document finds them.
let shadowModals = [];
let shadowModalsFound = 0;

/** Remember a dialog for `modalOf`, if it is modal and in a shadow tree, where no query of the document finds it. */
export function noteModalInShadow(dialog) {
  if (!matches(dialog, ':modal') || nodeTypeOf(rootOf(dialog)) !== 11) return;
  if (shadowModals.some((met) => met.deref() === dialog)) return;
  shadowModals.push(new WeakRef(dialog));
  shadowModalsFound++;
}

/**
 * Return how many modal dialogs in shadow trees were found so far. If the number grows during a snapshot, elements listed before may be
 * inert.
 */
export const shadowModalCount = () => shadowModalsFound;

/** Return whether a node is an open modal dialog. */
const isModal = (node) => nodeTypeOf(node) === 1 && matches(node, 'dialog:modal');

/** An open modal dialog, and which elements it makes inert. */
class Modal {
  constructor(dialog) {
    this.dialog = dialog;
    this.around = new Set();
    this.inside = new WeakSet([dialog]);
    for (let outer = flatTreeParent(dialog); outer; outer = flatTreeParent(outer)) this.around.add(outer);
  }

  /** Return whether an element is inert: neither in the dialog nor around it. */
  blocks(element) {
    return !this.around.has(element) && !this.holds(element);
  }

  /** Return whether a node is in the dialog, in the flat tree. Caches answers, since the walk asks for a parent before its children. */
  holds(node) {
    if (containsNode(this.dialog, node) || this.inside.has(node)) return true;
    const outer = flatTreeParent(node);
    const isInside = outer !== null && this.holds(outer);
    if (isInside) this.inside.add(node);
    return isInside;
  }
}

/** Return the topmost open modal dialog of a document, as a `Modal`, in shadow trees, too; null for none. */
export function modalOf(document) {
  shadowModals = shadowModals.filter((met) => {
    const dialog = met.deref();
    return dialog && isConnected(dialog) && isModal(dialog);
  });
  const inShadows = shadowModals.map((met) => met.deref()).filter((dialog) =>
    dialog && documentOf(dialog) === document
  );
  const open = [...[...elementsByTag(document, 'dialog')].filter(isModal), ...inShadows];
  return open.length > 0 ? new Modal(findTopModal(document, open) ?? open[open.length - 1]) : null;
}

/**
 * Return the modal dialog of a document that was opened last, found by hit testing, since only that one can be hit; null if unknown.
 * `open`: all open modal dialogs.
 */
function findTopModal(document, open) {
  const { innerWidth, innerHeight } = windowOf(document);
  for (const box of [{ left: 0, top: 0, width: innerWidth, height: innerHeight }, ...open.map(rectOf)]) {
    const hit = hitAt(box.left + box.width / 2, box.top + box.height / 2, document);
    for (let node = hit; node; node = flatTreeParent(node)) if (isModal(node)) return node;
  }
  return null;
}

/** Return the element itself or its nearest ancestor with the attribute `inert`; null for none. */
export const inertAncestorOf = (element) => closestWhere(element, (each) => hasAttr(each, 'inert'));

/**
 * Return a function that tells of an element of a document whether it is inert: by the attribute `inert`, or since a modal dialog is open
 * and the element is not in it.
 */
export function makeInertTest(document) {
  const modal = modalOf(document);
  return (element) => modal !== null && modal.blocks(element) || inertAncestorOf(element) !== null;
}

// Boxes without size: their content may be visible, clipped, or there for keys only.

/**
 * Return "clipped" for an element whose box has no size and clips its content, "unusable" for one with nothing to see or use, "" for any
 * other. `tag`, `kind`: facts about its tag and role (accname/roles.js, accname/kinds.js).
 */
export function collapsedState(element, tag, kind) {
  if (
    !hasAttr(element, 'class') && !hasAttr(element, 'style') && !hasAttr(element, 'width')
    && !hasAttr(element, 'height') && tag.name !== 'input'
  ) return '';
  const [width, height] = [offsetWidthOf(element), offsetHeightOf(element)];
  if ((width <= 1 || height <= 1) && isUnreachableField(element, tag)) return 'unusable';
  if (width === undefined) return '';
  if (width > 0 && height > 0)
    return tag.hidesNoText && isScaledAway(element) && !isUsableUnseen(element, kind.role) ? 'unusable' : '';
  if (tag.frame) return 'unusable';
  if (tag.name === 'input' && element.type === 'file') return ''; // pages hide it behind a button of their own
  const style = styleOf(element);
  if (style.display === 'contents') return '';
  if (tag.name === 'input' || tag.name === 'select' || tag.name === 'textarea' || tag.name === 'button')
    return labelsOf(element).length || isInTabOrder(element) ? '' : 'unusable';
  if (kind.role === 'textbox' && isInTabOrder(element)) return '';
  if (style.overflowX !== 'visible' && width === 0 || style.overflowY !== 'visible' && height === 0) return 'clipped';
  return kind.operable && kind.role !== 'textbox' && width === 0 && height === 0 && !childElementCountOf(element)
    ? 'unusable'
    : '';
}

/**
 * Return whether a field can be reached neither by the Tab key nor by a label, like one in which a widget stores its value. `tag`: facts
 * about its tag (accname/roles.js).
 */
const isUnreachableField = (element, tag) =>
  (tag.name === 'select' || tag.name === 'textarea' || tag.name === 'input' && hasTextSelection(element))
  && Number(attr(element, 'tabindex') || 0) < 0 && !labelsOf(element).length;

/** Return whether an input is of a type whose text can be selected, such as text or search; false for a checkbox, number or date. */
const hasTextSelection = (input) => input.selectionStart !== null;

/** Return whether the Tab key reaches an element. */
const isInTabOrder = (element) => isFocusable(element) && !(Number(attr(element, 'tabindex') || 0) < 0);

const MAX_CAPTURE_FIELD_WIDTH = 8; // pixels

/**
 * Return whether a field is there only to receive the keys for a code editor, as in CodeMirror. `box`: the element around it, a few pixels
 * wide, at the caret.
 */
export function isKeyCaptureField(field, box) {
  if (localNameOf(field) !== 'textarea' && !isEditingHost(field) || !isInTabOrder(field)) return false;
  return box.offsetWidth <= MAX_CAPTURE_FIELD_WIDTH;
}

// The edges of an element.
export const LEFT = 0;
export const RIGHT = 1;

/**
 * Return whether an inline element with this computed style has a gap of 2 px or more (margin, border and padding) on a side, as badges
 * have. `side`: LEFT or RIGHT.
 */
export function hasVisibleGap(style, side) {
  const width = side === LEFT
    ? parsePx(style.marginLeft) + parsePx(style.paddingLeft)
      + (style.borderLeftStyle === 'none' ? 0 : parsePx(style.borderLeftWidth))
    : parsePx(style.marginRight) + parsePx(style.paddingRight)
      + (style.borderRightStyle === 'none' ? 0 : parsePx(style.borderRightWidth));
  return width >= 2;
}

/** Convert a CSS length in px to a number; 0 for any other value. */
const parsePx = (value) => value === '0px' ? 0 : parseFloat(value) || 0;
