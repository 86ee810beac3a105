// Probe an element before an action on it: whether it is there, visible, enabled, editable and uncovered, and what covers it. Scrolls it
// into view; changes nothing else.

import { nameOf } from '../accname/names.js';
import { explicitRoleOf, roleOf } from '../accname/roles.js';
import { CHECKABLE_ROLE, isDisabled, isNativeCheckable } from '../accname/states.js';
import { codeEditorOf, fillKind, isReadOnlyField } from '../accname/values.js';
import { rememberField } from './changes.js';
import { isChecked } from './checks.js';
import { collectsKeys, isFocusedInTree, prepareAction } from './prepared-input.js';
import { isPointerElsewhereInWidget, mayBeDragged } from './presses.js';
import {
  bodyOf,
  closest,
  isRendered,
  labelsIn,
  localNameOf,
  matches,
  ownAnimationsOf,
  queryAll,
  readyStateOf,
  rectOf,
  rootElementOf,
  styleOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  cleanText,
  closestWhere,
  containsInFlatTree,
  displayElementOf,
  exported,
  flatTreeParent,
  hasAttr,
  isElement,
  queryAllIn,
  treesIn,
} from '../dom/dom.js';
import { nodeWithInternals } from '../dom/internals.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import {
  findPressPoint,
  hitAt,
  NO_PRESS_POINT,
  passesPressOn,
  pointsOf,
  relativeToElement,
  scrollToEdgeOrMiddle,
  scrollToPressPoint,
} from '../layout/hit-testing.js';
import {
  closedListOf,
  inertAncestorOf,
  isInPopupOfFocused,
  isVisible,
  modalOf,
  noteModalInShadow,
} from '../layout/visible.js';
import { briefDescriptionOf, describeMatches } from '../selectors/matching.js';
import { motionOf } from '../visibility/animations.js';
import { nonTextFillKind } from '../widgets/steps.js';
import { findControlToUse, findVisibleBoxAround, isOpener, isVisuallyHidden } from '../widgets/widgets.js';

/**
 * Return where to press (`IndirectPoint`: another element and a point in it) for a checkbox, radio button or switch that a press cannot
 * hit, since the page hides it behind its own drawing: on its label, else on the drawing. Null if there is neither, or if `isHittable`, and
 * for any other element.
 */
function findPointOnLabel(element, isHittable) {
  if (isHittable || !isNativeCheckable(element) && !CHECKABLE_ROLE.test(explicitRoleOf(element))) return null;
  for (const label of labelsIn(element) ?? []) {
    if (!isVisible(label)) continue;
    bringIntoView(label);
    const point = freePointOfLabel(label, element);
    if (point) return { id: idOf(label), x: point.x, y: point.y, drawn: false };
  }
  return (cannotBeSeen(element) ? findPointOnDrawing(element) : null) ?? findPointOnAncestor(element);
}

/**
 * Return where to press (`IndirectPoint`: another element and a point in it) for a checkbox with `pointer-events: none`: on the ancestor
 * that ticks it, such as a grid's row or a list's item. Null for none.
 */
function findPointOnAncestor(element) {
  if (styleOf(element).pointerEvents !== 'none' || !isVisible(element)) return null;
  bringIntoView(element);
  const { hit, point } = findPressPoint(element);
  const isAncestor = hit && hit !== element && hit !== rootElementOf(document) && hit !== bodyOf(document)
    && containsInFlatTree(hit, element);
  return isAncestor ? { id: idOf(hit), ...relativeToElement(hit, point), drawn: true } : null;
}

/** Return whether nobody sees an element: it is hidden, tiny or transparent. */
const cannotBeSeen = (element) => isVisuallyHidden(element) || getComputedStyle(element).opacity === '0';

/**
 * Return whether an element is an invisible checkbox or radio button that the Space key ticks, as in a card or a rating's star. False if
 * another element covers the visible part around it. `hit`: the element that a press would hit, or null.
 */
function isUsableByKeyboard(element, hit) {
  if (!isNativeCheckable(element) || localNameOf(element) !== 'input' || element.tabIndex < 0 || !cannotBeSeen(element))
    return false;
  if (!isRendered.call(element, { visibilityProperty: true })) return false;
  if (hit && !containsInFlatTree(hit, element) && !isLabelInSameGroup(element, hit) || blockerOf(element, null))
    return false;
  for (const part of [...ancestorsOf(element)].slice(0, LEVELS_OF_DRAWING)) {
    const { width, height } = rectOf(part);
    if (width <= 2 || height <= 2 || !isVisible(part)) continue;
    bringIntoView(part);
    const aim = findPressPoint(part).hit;
    return aim !== null && containsInFlatTree(part, aim)
      && [...element.labels ?? []].every((label) => isLabelUncovered(part, label));
  }
  return false;
}

/** Return whether `hit`, the element that a press on a radio button would hit, is in the label of one of the same group. */
function isLabelInSameGroup(element, hit) {
  const control = closest(hit, 'label')?.control;
  return element.type === 'radio' && control?.type === 'radio' && control.name === element.name;
}

/**
 * Return whether a label of a checkbox is not covered by anything outside of `part`, the visible element around the checkbox. True for a
 * hidden label.
 */
function isLabelUncovered(part, label) {
  const { hit } = findPressPoint(label);
  return !isVisible(label) || !hit || containsInFlatTree(part, hit);
}

/** Scroll an element to the middle of its scroll containers, unless it is in the window. */
function bringIntoView(element) {
  if (!findPressPoint(element).inView) scrollToEdgeOrMiddle(element);
}

const LEVELS_OF_DRAWING = 3;
const LARGEST_DRAWING = { width: 300, height: 100 }; // pixels
const ALL_CONTROLS =
  'a[href],button,input,select,summary,textarea,[role=button i],[role=checkbox i],[role=switch i],[role=radio i],[role=link i],[onclick]';

/**
 * Return where to press (`IndirectPoint`: another element and a point in it) for the `<input>` of a combobox that ignores the pointer, or
 * over which the page draws the chosen option (Vuetify, Element Plus): in the box around it. Null if the element over it has a background,
 * since that is a cover, and for any other element. `reachesTarget`, `hit`: whether a press reaches it, and what it hits.
 */
function findPointOnFieldBox(element, { reachesTarget, hit }) {
  if (reachesTarget || !hit || localNameOf(element) !== 'input' || explicitRoleOf(element) !== 'combobox') return null;
  if (!isVisible(element) || !containsInFlatTree(hit, element) && !isTransparentOver(hit, element)) return null;
  return findPointOnDrawing(element, Infinity);
}

/**
 * Return where to press (`IndirectPoint`: another element and a point in it) for the invisible field by which a code editor takes its keys:
 * in the editor. Null for any other element, and for one that a press reaches (`reachesTarget`).
 */
function findPointOnEditor(element, { reachesTarget }) {
  const editor = reachesTarget ? null : codeEditorOf(element);
  if (!editor) return null;
  bringIntoView(editor);
  const aim = findPressPoint(editor);
  return aim.reachesTarget ? { id: idOf(editor), ...relativeToElement(editor, aim.point), drawn: true } : null;
}

/** Return whether `element` is seen through `hit`, which lies over it: nothing from `hit` out to their common ancestor has a background. */
function isTransparentOver(hit, element) {
  for (const node of [hit, ...ancestorsOf(hit)]) {
    if (containsInFlatTree(node, element)) return true;
    const { backgroundColor, backgroundImage } = styleOf(node);
    if (backgroundImage !== 'none' || !/^rgba\(.*, 0\)$/.test(backgroundColor)) return false;
  }
  return false;
}

/**
 * Return where to press (`IndirectPoint`: another element and a point in it) for an invisible control: on its nearest visible ancestor,
 * which draws it, if that is small and contains no other control. Null for none. `maxWidth`: of the ancestor, in pixels.
 */
function findPointOnDrawing(element, maxWidth = LARGEST_DRAWING.width) {
  for (const part of [...ancestorsOf(element)].slice(0, LEVELS_OF_DRAWING)) {
    const { width, height } = rectOf(part);
    if (queryAll(part, ALL_CONTROLS).length !== 1 || width > maxWidth || height > LARGEST_DRAWING.height)
      return null;
    if (width <= 2 || height <= 2 || !isVisible(part)) continue;
    bringIntoView(part);
    const aim = findPressPoint(part);
    if (aim.reachesTarget) return { id: idOf(part), ...relativeToElement(part, aim.point), drawn: true };
  }
  return null;
}

/** Return a point { x, y } of a label, from the corner inside its border, where a press acts on its control `element`; null for none. */
function freePointOfLabel(label, element) {
  for (const point of pointsOf(label)) {
    const hit = hitAt(point.x, point.y);
    if (hit && passesPressOn(label, element, hit)) return relativeToElement(label, point);
  }
  return null;
}

/** Return what a click on a link leads to: "download" or "page"; "" if `link` is null. */
const effectOfLink = (link) => (!link ? '' : hasAttr(link, 'download') ? 'download' : 'page');

/**
 * Describe what covers an element, for error messages. `hit`: the element that a press would hit instead, or null. Return { text, key: see
 * `coverKey`, busy: the cover is probably temporary, around: it contains the element, which ignores the pointer }.
 * @returns {CoverDescription}
 */
export function describeCover(element, hit) {
  /** Return the description of a cover that is no element: `text` says what it is. */
  const plainCover = (text) => ({ text, key: '', busy: false, around: false });
  if (!hit) return plainCover('nothing that takes the pointer');
  if (hit === rootElementOf(document) && styleOf(element).pointerEvents === 'none')
    return plainCover('the page: it takes no presses (pointer-events: none), as behind something that is open');
  const around = styleOf(element).pointerEvents === 'none' && containsInFlatTree(hit, element);
  return { text: briefDescriptionOf(hit), key: coverKey(element, hit), busy: isBusyCover(element, hit), around };
}

/**
 * Return whether the element of an id is visible, disabled, covered or moving, where to press it, and more (`ElementProbe`); null if it is
 * gone. `purpose`: "press" scrolls to a point where it can be hit; "edit" scrolls, and finds what blocks the keyboard, too; "choose" only
 * finds that; "focus" counts what is rendered without a size as visible, since Tab reaches it; "" is for reading. `step`: "press", "point",
 * "text", "whole" or "choice", the input to prepare in the same call if no wait is needed, "" for none; `words`: its arguments.
 * @returns {ElementProbe | null}
 */
function probeAndPrepare(id, purpose, step, ...words) {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const list = closedListOf(element);
  const target = list || element;
  const visible = isVisible(codeEditorOf(element) ?? element)
    || purpose === 'choose' && findVisibleBoxAround(element) !== null
    || purpose === 'focus' && isRendered.call(element, { visibilityProperty: true });
  const scroll = purpose === 'press' || purpose === 'edit';
  if (purpose !== '' && purpose !== 'press') rememberField(element);
  const aim = visible ? (scroll ? scrollToPressPoint : findPressPoint)(target) : NO_PRESS_POINT;
  const shown = displayElementOf(target);
  /** @type {ElementProbe} */
  const probe = {
    tag: localNameOf(element),
    type: localNameOf(element) === 'input' ? element.type : '',
    text: '',
    visible,
    disabled: isDisabledForUse(element),
    readonly: isReadOnlyField(element),
    fill: anyFillKind(element),
    collectsKeys: purpose === 'edit' && collectsKeys(element),
    opens: isOpener(element) && attr(element, 'aria-haspopup') !== 'dialog',
    cell: purpose === 'edit' && closest(element, 'td,[role=gridcell i],[role=cell i]') !== null,
    inView: aim.inView,
    cover: aim.inView && !aim.reachesTarget ? describeCover(target, aim.hit) : null,
    point: [aim.point.x, aim.point.y],
    aside: aim.isOffCentre || shown !== target ? relativeToElement(shown, aim.point) : null,
    link: effectOfLink(closest(element, 'a[href],area[href]')),
    label: scroll ? findIndirectPressPoint(element, aim) : null,
    byKey: false,
    ...selectIdsOf(element, list),
    motion: purpose === 'press' && visible ? motionOf(shown) : '',
    controlId: localNameOf(element) === 'label' && element.control ? idOf(element.control) : 0,
    blocker: visible && !aim.reachesTarget ? describeBlocker(purpose, target, aim.hit) : '',
    beside: purpose === 'press' && isPointerElsewhereInWidget(element),
    held: purpose === 'press' && mayBeDragged(element),
    slider: purpose === 'press' && roleOf(element) === 'slider',
    popup: purpose === 'edit' && isInPopupOfFocused(element),
    prepared: null,
  };
  probe.byKey = purpose === 'press' && !probe.label && !aim.reachesTarget && isUsableByKeyboard(element, aim.hit);
  probe.prepared = step ? prepareAction(step, element, probe, ...words) : null;
  if (purpose === 'press' || probe.prepared === null) probe.text = briefDescriptionOf(element);
  return probe;
}

/**
 * Return the `ElementProbe` of the element of an id, with the arguments of `probeAndPrepare`. In a frame no input is prepared: the pages
 * around it may cover the element, which is not known here.
 */
exported.probeElement = (id, purpose, step, ...words) =>
  probeAndPrepare(id, purpose, window === window.parent ? step : '', ...words);

// In a frame, once the pages around it are known not to cover it.
exported.probeElementInFrame = probeAndPrepare;

/**
 * Describe the inert ancestor, or the open modal dialog, that blocks an action on the element `target`; "" for none. For the `purpose`
 * "press" only the former: a dialog is found by hit testing. `hit`: the element that a press would hit.
 */
function describeBlocker(purpose, target, hit) {
  const blocker = purpose === 'press' ? inertAncestorOf(target) : purpose ? blockerOf(target, hit) : null;
  return blocker ? briefDescriptionOf(blocker) : '';
}

/**
 * Return { selectId, listId } of an `<option>`: the id of its `<select>`, as `selectId` if that is a closed list (`dropdown`, else null),
 * as `listId` if it displays its options. The other id is 0; both are for any other element.
 */
function selectIdsOf(element, dropdown) {
  const list = localNameOf(element) === 'option' && !dropdown ? closest(element, 'select') : null;
  return { selectId: dropdown ? idOf(dropdown) : 0, listId: list ? idOf(list) : 0 };
}

/**
 * Return where to press (`IndirectPoint`: another element and a point in it) instead of an element that cannot be hit itself: on its label,
 * on the box around its field or on its editor. Null if it needs none. `aim`: the element's `PressPoint` (point, and what a press hits).
 */
const findIndirectPressPoint = (element, aim) =>
  findPointOnLabel(element, aim.hit && containsInFlatTree(element, aim.hit)) ?? findPointOnFieldBox(element, aim)
    ?? findPointOnEditor(element, aim);

/** Describe the element of an id for messages, such as `button "Save"`; "" if it is gone. */
exported.describeElement = (id) => {
  const element = nodeFor(id);
  return element ? briefDescriptionOf(element) : '';
};

/**
 * Return how the command `fill` fills an element: a value of `fillKind`, or "steps" (a slider), "part" (of a date), "choice" (radio
 * buttons); "": not at all.
 */
function anyFillKind(element) {
  const kind = fillKind(element);
  return kind === 'rich' && nonTextFillKind(element) === 'part' ? 'part' : kind || nonTextFillKind(element);
}

/** Scroll the element of an id to the middle of its scroll containers. Return false if it is gone. */
exported.scrollToCentre = (id) => {
  const element = nodeFor(id);
  if (!element) return false;
  scrollToEdgeOrMiddle(element);
  return true;
};

const INTERACTIVE_ROLES = new Set(
  'button link menuitem menuitemcheckbox menuitemradio option tab treeitem checkbox radio switch'.split(' '),
);
/** Return whether an element is a button, or has an interactive role such as tab. */
const isInteractiveItem = (element) =>
  localNameOf(element) === 'button' || INTERACTIVE_ROLES.has(explicitRoleOf(element));

/** Return whether an element cannot be used: it, the control that a person uses in its place, or the item around it, is disabled. */
export function isDisabledForUse(element) {
  if (isDisabled(element) || isDisabled(findControlToUse(element))) return true;
  const item = closestWhere(element, isInteractiveItem) ?? closest(element, 'a,input,label');
  const control = item && localNameOf(item) === 'label' ? item.control : item;
  return Boolean(control) && (matches(control, ':disabled') || attr(control, 'aria-disabled') === 'true');
}

/**
 * Return the states of an element that the command `is` checks, as { visible: true, … }; null for an element that is gone. A label is as
 * editable as its field.
 */
exported.readElementStates = (id) => {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const used = (localNameOf(element) === 'label' ? element.control : null) ?? findControlToUse(element);
  const checked = isChecked(element);
  const visible = isVisible(element);
  const disabled = isDisabledForUse(element);
  return {
    visible,
    hidden: !visible,
    enabled: !disabled,
    disabled,
    editable: Boolean(fillKind(used)) && !disabled && !isReadOnlyField(used),
    focused: isFocusedInTree(element),
    checkable: checked !== null,
    checked: checked === true,
  };
};

// Describes the element that covers another one, and whether it is likely to go away by itself.

const MAX_ELEMENTS_OF_COVER = 5000;

// Words by which pages mark that they are busy, in classes, ids and short texts.
const BUSY_WORDS =
  /(?<!up|down|lazy|pre)load(?!ed)|spin(?!e)|busy|progress|please wait|\bwait\b|skeleton|blockui|saving|updating|processing/i;
const BUSY_ELEMENTS = 'progress,[role=progressbar i],[aria-busy=true],animate,animateTransform,animateMotion';
const MAX_BUSY_TEXT = 200;

const serials = new WeakMap();
let lastSerial = 0;

/** Return a number that identifies a node, for `coverKey`. */
function serialNumberOf(node) {
  if (!serials.has(node)) serials.set(node, ++lastSerial);
  return serials.get(node);
}

/**
 * Return the whole cover of an element: the outermost ancestor of `hit` that does not contain the element. `hit`: what a press would hit.
 */
function coveringLayerOf(hit, element) {
  let layer = hit;
  for (let outer = layer; outer && !containsInFlatTree(outer, element); outer = flatTreeParent(outer))
    layer = outer;
  return layer;
}

/**
 * Describe the link or button that covers an element and gets the press on it, such as a link that is stretched over its card; null for
 * none. `id`: that of the covered element.
 * @returns {MatchedElement | null}
 */
exported.findControlOver = (id) => {
  const element = nodeFor(id);
  const hit = element && findPressPoint(element).hit;
  const control = hit && closest(hit, 'a[href],button,[role=button i],[role=link i]');
  return control && !containsInFlatTree(control, element) ? describeMatches([control])[0] : null;
};

const CLOSING_NAMES = /^(?:close|cancel|dismiss|[×✕✖])$/i;
/**
 * Describe the button that closes what covers an element, such as a dialog. It is found by its name ("Close", "×"); null for none, and for
 * several. `id`: that of the covered element.
 * @returns {MatchedElement | null}
 */
exported.findCloseButton = (id) => {
  const element = nodeFor(id);
  const hit = element && findPressPoint(element).hit;
  if (!hit || containsInFlatTree(hit, element)) return null;
  const controls = [...treesIn(coveringLayerOf(hit, element))].flatMap((
    tree,
  ) => [...queryAllIn(tree, ALL_CONTROLS)]);
  const found = controls.filter((each) =>
    CLOSING_NAMES.test(cleanText(nameOf(each) || textContentOf(each))) && isVisible(each)
  );
  return found.length === 1 ? describeMatches(found)[0] : null;
};

/**
 * Return a text that changes when the cover of an element changes or moves: identities, boxes, opacities and text. Python compares it to
 * find out whether the cover stays. `hit`: the element that a press would hit.
 */
function coverKey(element, hit) {
  const layer = coveringLayerOf(hit, element);
  const identities = [hit, layer, element].flatMap((node) => {
    const box = rectOf(node);
    return [
      serialNumberOf(node),
      Math.round(box.left),
      Math.round(box.top),
      Math.round(box.width),
      Math.round(box.height),
    ];
  });
  return [...identities, ...opacityPath(hit, layer), cleanText(textContentOf(layer).slice(0, 1000))].join(' ');
}

/** Return the opacities of the elements from `hit` out to `layer`, the whole cover: a script may fade any of them. */
function opacityPath(hit, layer) {
  const found = [];
  for (let node = hit; node; node = node === layer ? null : flatTreeParent(node))
    if (isElement(node)) found.push(styleOf(node).opacity);
  return found;
}

/**
 * Return whether the cover of an element is probably temporary: the document still loads, or the cover or an ancestor of the element is
 * animated or marked as busy. `hit`: the element that a press would hit.
 */
function isBusyCover(element, hit) {
  if (readyStateOf(document) !== 'complete') return true;
  const layer = coveringLayerOf(hit, element);
  const carriers = [layer, ...ancestorsOf(layer), ...ancestorsOf(element)];
  if (carriers.some((carrier) => attr(carrier, 'aria-busy') === 'true' || ownAnimationsOf(carrier).some(isRunning)))
    return true;
  const text = cleanText(textContentOf(layer).slice(0, 10 * MAX_BUSY_TEXT));
  if (text.length <= MAX_BUSY_TEXT && BUSY_WORDS.test(text)) return true;
  return isMarkedBusy(layer) || [...treesIn(layer)].some((tree) => isBusyTree(tree));
}

/** Return whether an animation is running. */
const isRunning = (animation) => animation.playState === 'running';

/** Return whether an element is marked as busy or loading, by ARIA or by a class or id. */
function isMarkedBusy(element) {
  return matches(element, BUSY_ELEMENTS)
    || BUSY_WORDS.test(`${attr(element, 'class') || ''} ${attr(element, 'id') || ''}`);
}

/** Return whether anything in `tree`, an element or shadow root, is animated or marked as busy. */
function isBusyTree(tree) {
  if (isElement(tree) ? tree.getAnimations({ subtree: true }).some(isRunning) : tree.getAnimations().some(isRunning))
    return true;
  const inside = queryAllIn(tree, '*');
  return inside.length <= MAX_ELEMENTS_OF_COVER && [...inside].some(isMarkedBusy);
}

/**
 * Return what keeps mouse and keyboard from an element: an `inert` element around it, or an open modal dialog that it is not in; null for
 * none. `hit`: the element that a press would hit; null not to look for modal dialogs by ARIA.
 */
export function blockerOf(element, hit) {
  const inert = inertAncestorOf(element);
  if (inert) return inert;
  const trees = [...treesIn(document)];
  for (const dialog of trees.flatMap((tree) => [...queryAllIn(tree, 'dialog:modal')])) noteModalInShadow(dialog);
  const modal = modalOf(document);
  if (modal !== null && !modal.holds(element)) return modal.dialog;
  if (hit === null) return null;
  return trees.flatMap((tree) => [...queryAllIn(tree, '[aria-modal=true]:not(:modal)')]).filter((each) =>
    rectOf(each).width > 0 && isRendered.call(each, { visibilityProperty: true }) && !containsInFlatTree(each, element)
  ).pop() || null;
}

// Types.

/** @import { MatchedElement } from '../selectors/matching.js' */

/**
 * `around`: the element is in it, and has `pointer-events: none`.
 * @typedef {{ text: string, key: string, busy: boolean, around: boolean }} CoverDescription
 */

/**
 * A point to press instead of an element that cannot be hit itself: on its label, or (`drawn`) on what the page draws in its place. `id`:
 * of the element to press; `x`, `y`: in CSS pixels from the corner inside its border.
 * @typedef {{ id: number, x: number, y: number, drawn: boolean }} IndirectPoint
 */

/** @typedef {{ x: number, y: number }} PointInside */

/**
 * @typedef {{ tag: string, type: string, text: string, visible: boolean, disabled: boolean, readonly: boolean, fill: string,
 *   collectsKeys: boolean, opens: boolean, cell: boolean, inView: boolean, cover: CoverDescription | null, point: number[],
 *   aside: PointInside | null, link: string, label: IndirectPoint | null, byKey: boolean, selectId: number, listId: number, motion: string,
 *   controlId: number, blocker: string, beside: boolean, held: boolean, slider: boolean, popup: boolean, prepared: any }} ElementProbe
 */
