// Looks at an element before an action on it: is it there, visible, enabled, editable, uncovered; what covers it. Scrolls it into
// view; changes nothing else.

import { isChecked } from './checks.js';
import { otherFill } from '../widgets/steps.js';
import { collectsKeys, prepareAction } from './at-once.js';
import { roleOf } from '../accname/roles.js';
import { isDisabled, isNativeCheckable, TICKED } from '../accname/states.js';
import { codeEditorOf } from '../accname/values.js';
import { rememberField } from './changes.js';
import { fillKind, isReadOnlyField } from './fields.js';
import {
  aimAt,
  aimInView,
  allInTree,
  boxListOf,
  containsComposed,
  displayElementOf,
  hitAt,
  passesPressOn,
  pointsOf,
  slotOf,
} from './hit-testing.js';
import { isPointerBeside, mayBeDragged } from './presses.js';
import {
  bodyOf,
  closest,
  labelsIn,
  localNameOf,
  matches,
  ownAnimationsOf,
  queryAll,
  readyStateOf,
  rectOf,
  rootElementOf,
  rootOf,
  scrollIntoView,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  cleanText,
  closestWhere,
  exported,
  hasAttr,
  isElement,
  parentOf,
  shadowRootOf,
} from '../dom/dom.js';
import { nodeWithInternals } from '../dom/internals.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { lookOf } from '../selectors/matching.js';
import { motionOf } from '../visibility/animations.js';
import { isRendered, styleOf } from '../visibility/hidden.js';
import { closedListOf, isInPopupOfFocused, isVisible } from '../visibility/visible.js';
import { controlUsedFor, isOpener, isTuckedAway, visibleBoxAround } from '../widgets/widgets.js';

/** @import { PointInside } from './points.js' */

/**
 * Return a point to click for a checkable control that cannot be hit itself, as custom switches and stars hide it: on its label, else on
 * its drawing (`drawn`). Null if there is neither, and for any other element.
 */
function pointOnLabel(element, hittable) {
  if (hittable || !isNativeCheckable(element) && !TICKED.test(attr(element, 'role') ?? '')) return null;
  for (const label of labelsIn(element) ?? []) {
    if (!isVisible(label)) continue;
    bringIntoView(label);
    const point = freePointOfLabel(label, element);
    if (point) return { id: idOf(label), x: point.x, y: point.y, drawn: false };
  }
  return (cannotBeSeen(element) ? pointOnDrawing(element) : null) ?? pointOnAncestor(element);
}

/**
 * Return a point to press for a box that lets presses through to its ancestor, which ticks it (the row of a grid, a list's item); else
 * null.
 */
function pointOnAncestor(element) {
  if (styleOf(element).pointerEvents !== 'none' || !isVisible(element)) return null;
  bringIntoView(element);
  const { hit, point } = aimAt(element);
  const isIts = hit && hit !== element && hit !== rootElementOf(document) && hit !== bodyOf(document)
    && containsComposed(hit, element);
  return isIts ? { id: idOf(hit), ...relativeToElement(hit, point), drawn: true } : null;
}

/** Whether an element is hidden, tiny or transparent. */
const cannotBeSeen = (element) => isTuckedAway(element) || getComputedStyle(element).opacity === '0';

/**
 * Whether the keyboard may use an invisible checkbox or radio button that no press reaches: a card that is the box, a star whose half is
 * drawn only below the pointer. An element that lies over everything around the box is a cover.
 */
function isUsableByKeyboard(element, hit) {
  if (!isNativeCheckable(element) || localNameOf(element) !== 'input' || element.tabIndex < 0 || !cannotBeSeen(element))
    return false;
  if (!isRendered.call(element, { visibilityProperty: true })) return false;
  if (hit && !containsComposed(hit, element) && !isLabelInSameGroup(element, hit) || blockerOf(element, null))
    return false;
  for (const part of [...ancestorsOf(element)].slice(0, LEVELS_OF_DRAWING)) {
    const { width, height } = rectOf(part);
    if (width <= 2 || height <= 2 || !isVisible(part)) continue;
    bringIntoView(part);
    const aim = aimAt(part).hit;
    return aim !== null && containsComposed(part, aim)
      && [...element.labels ?? []].every((label) => isLabelUncovered(part, label));
  }
  return false;
}

/** Whether `hit` is the label of another radio button of the same group. */
function isLabelInSameGroup(element, hit) {
  const control = closest(hit, 'label')?.control;
  return element.type === 'radio' && control?.type === 'radio' && control.name === element.name;
}

/** Whether nothing from outside of a part of the page lies over a label in it. */
function isLabelUncovered(part, label) {
  const { hit } = aimAt(label);
  return !isVisible(label) || !hit || containsComposed(part, hit);
}

/** Scroll an element to the middle of its scroll containers, unless it is in view. */
function bringIntoView(element) {
  if (!aimAt(element).inView) scrollIntoView(element, { block: 'center', inline: 'center', behavior: 'instant' });
}

const LEVELS_OF_DRAWING = 3;
const LARGEST_DRAWING = { width: 300, height: 100 }; // pixels
const ALL_CONTROLS =
  'a[href],button,input,select,textarea,[role=button],[role=checkbox],[role=switch],[role=radio],[role=link]';

/**
 * Return a point to press for a combobox's field that takes no presses, or over which its page draws the choice (Vuetify, Element Plus):
 * a point of the box around it, which opens the list. Null where what was hit has a background of its own: that is a cover.
 */
function pointOnFieldBox(element, { arrives, hit }) {
  if (arrives || !hit || localNameOf(element) !== 'input' || attr(element, 'role') !== 'combobox') return null;
  if (!isVisible(element) || !containsComposed(hit, element) && !isTransparentOver(hit, element)) return null;
  return pointOnDrawing(element, Infinity);
}

/**
 * Return a point to press for the invisible field in which an editor takes its keys: a point of the editor itself; null for any other
 * element.
 */
function pointOnEditor(element, { arrives }) {
  const editor = arrives ? null : codeEditorOf(element);
  if (!editor) return null;
  bringIntoView(editor);
  const aim = aimAt(editor);
  return aim.arrives ? { id: idOf(editor), ...relativeToElement(editor, aim.point), drawn: true } : null;
}

/** Whether an element that was hit is transparent, with all its ancestors that do not contain the target. */
function isTransparentOver(hit, element) {
  for (const node of [hit, ...ancestorsOf(hit)]) {
    if (containsComposed(node, element)) return true;
    const { backgroundColor, backgroundImage } = styleOf(node);
    if (backgroundImage !== 'none' || !/^rgba\(.*, 0\)$/.test(backgroundColor)) return false;
  }
  return false;
}

/** Return a point to press for an element on the small visible part of the page around it that contains no other control; null for none. */
function pointOnDrawing(element, widest = LARGEST_DRAWING.width) {
  for (const part of [...ancestorsOf(element)].slice(0, LEVELS_OF_DRAWING)) {
    const { width, height } = rectOf(part);
    if (queryAll(part, ALL_CONTROLS).length !== 1 || width > widest || height > LARGEST_DRAWING.height)
      return null;
    if (width <= 2 || height <= 2 || !isVisible(part)) continue;
    bringIntoView(part);
    const aim = aimAt(part);
    if (aim.arrives) return { id: idOf(part), ...relativeToElement(part, aim.point), drawn: true };
  }
  return null;
}

/** Return a point of a label, from the corner inside its border, that belongs to no other control or link in it; null for none. */
function freePointOfLabel(label, element) {
  for (const point of pointsOf(label)) {
    const hit = hitAt(point.x, point.y);
    if (hit && passesPressOn(label, element, hit)) return relativeToElement(label, point);
  }
  return null;
}

/** Return a point of the window as one of an element, from the corner inside its border. */
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

/** Return what a click on a link does without an event for the page: "download", else "page"; "" for no link. */
const effectOfLink = (link) => (!link ? '' : hasAttr(link, 'download') ? 'download' : 'page');

const NOWHERE = { point: { x: -1, y: -1 }, hit: null, inView: false, arrives: false, isAside: false, isOnWords: false };

/**
 * @typedef {object} CoverLook
 * @property {string} text
 * @property {string} key
 * @property {boolean} busy
 * @property {boolean} around the element is in it, and lets presses through
 */

/**
 * Describe a cover as a reply names it.
 * @returns {CoverLook}
 */
export function describeCover(element, hit) {
  if (!hit) return { text: 'nothing that takes the pointer', key: '', busy: false, around: false };
  if (hit === rootElementOf(document) && styleOf(element).pointerEvents === 'none')
    return {
      text: 'the page: it takes no presses (pointer-events: none), as behind something that is open',
      key: '',
      busy: false,
      around: false,
    };
  const around = styleOf(element).pointerEvents === 'none' && containsComposed(hit, element);
  return { text: lookOf(hit), key: coverKey(element, hit), busy: isBusyCover(element, hit), around };
}

/**
 * @typedef {object} LabelPoint
 * @property {number} id
 * @property {number} x
 * @property {number} y
 * @property {boolean} drawn
 */

/**
 * @typedef {object} ActionLook
 * @property {string} tag
 * @property {string} type
 * @property {string} text
 * @property {boolean} visible
 * @property {boolean} disabled
 * @property {boolean} readonly
 * @property {string} fill
 * @property {boolean} collectsKeys
 * @property {boolean} opens
 * @property {boolean} cell
 * @property {boolean} inView
 * @property {CoverLook | null} cover
 * @property {number[]} point
 * @property {PointInside | null} aside
 * @property {string} link
 * @property {LabelPoint | null} label
 * @property {boolean} byKey
 * @property {number} selectId
 * @property {number} listId
 * @property {string} motion
 * @property {number} imageId
 * @property {number} controlId
 * @property {string} blocker
 * @property {boolean} beside
 * @property {boolean} held
 * @property {boolean} slider
 * @property {boolean} popup
 * @property {any} prepared
 */

/**
 * Look at an element before an action on it (see `probed`). In a frame nothing is prepared: the pages around it may cover it, which is
 * not known here.
 * @returns {ActionLook | null}
 */
exported.probe = (id, how, prepare, ...words) => probed(id, how, window === window.parent ? prepare : '', ...words);

/**
 * Look at an element in a frame that nothing in the pages around it covers (see `probed`): then the action may be prepared.
 * @returns {ActionLook | null}
 */
exported.probeInFrame = (id, how, prepare, ...words) => probed(id, how, prepare, ...words);

/**
 * Look at everything that decides whether an action on an element can work now; null if it is gone. `how`: "press" scrolls to where it
 * can be hit; "edit" scrolls, and looks for what blocks even keys; "choose" only does the latter. `prepare`: the step to prepare in the
 * same turn if no wait is needed (see actions/at-once.js), "" for none; `words`: its arguments.
 * @returns {ActionLook | null}
 */
function probed(id, how, prepare, ...words) {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const list = closedListOf(element);
  const target = list || element;
  const visible = isVisible(codeEditorOf(element) ?? element) || how === 'choose' && visibleBoxAround(element) !== null;
  const scroll = how === 'press' || how === 'edit';
  if (how === 'edit' || how === 'choose') rememberField(element);
  const aim = visible ? (scroll ? aimInView : aimAt)(target) : NOWHERE;
  const shown = displayElementOf(target);
  /** @type {ActionLook} */
  const look = {
    tag: localNameOf(element),
    type: localNameOf(element) === 'input' ? element.type : '',
    text: '',
    visible,
    disabled: isDisabledForUse(element),
    readonly: isReadOnlyField(element),
    fill: fillWay(element),
    collectsKeys: how === 'edit' && collectsKeys(element),
    opens: isOpener(element) && attr(element, 'aria-haspopup') !== 'dialog',
    cell: how === 'edit' && closest(element, 'td,[role=gridcell],[role=cell]') !== null,
    inView: aim.inView,
    cover: aim.inView && !aim.arrives ? describeCover(target, aim.hit) : null,
    point: [aim.point.x, aim.point.y],
    aside: aim.isAside || shown !== target ? relativeToElement(shown, aim.point) : null,
    link: effectOfLink(closest(element, 'a[href],area[href]')),
    label: scroll ? indirectClickPoint(element, aim) : null,
    byKey: false,
    ...listIds(element, list),
    motion: how === 'press' && visible ? motionOf(shown) : '',
    imageId: shown !== target ? idOf(shown) : 0,
    controlId: localNameOf(element) === 'label' && element.control ? idOf(element.control) : 0,
    blocker: visible && !aim.arrives ? blockerFor(how, target, aim.hit) : '',
    beside: how === 'press' && isPointerBeside(element),
    held: how === 'press' && mayBeDragged(element),
    slider: how === 'press' && roleOf(element) === 'slider',
    popup: how === 'edit' && isInPopupOfFocused(element),
    prepared: null,
  };
  look.byKey = how === 'press' && !look.label && !aim.arrives && isUsableByKeyboard(element, aim.hit);
  look.prepared = prepare ? prepareAction(prepare, element, look, ...words) : null;
  if (how === 'press' || look.prepared === null) look.text = lookOf(element);
  return look;
}

/** Describe what blocks an action on an element: for a press only what makes it inert; "" for nothing. */
const blockerFor = (how, target, hit) => how === 'press' ? inertText(target) : how ? blockerText(target, hit) : '';

/** Return the ids of the closed list that an option is in, which is chosen from instead, and of the open one; 0 for none. */
const listIds = (element, closed) => ({
  selectId: closed ? idOf(closed) : 0,
  listId: localNameOf(element) === 'option' && !closed ? idOf(closest(element, 'select') || element) : 0,
});

/**
 * Return the point to press for an element that cannot be hit itself: on its label, its field's box or its editor. Null if it needs none.
 */
const indirectClickPoint = (element, aim) =>
  pointOnLabel(element, aim.hit && containsComposed(element, aim.hit)) ?? pointOnFieldBox(element, aim)
    ?? pointOnEditor(element, aim);

/** Describe the element of an id in messages. It costs a sixth of the look at a field, and is needed only for failures. */
exported.lookText = (id) => {
  const element = nodeFor(id);
  return element ? lookOf(element) : '';
};

/** Return the way in which `fill` can fill an element: see `fillKind` and `otherFill`. */
function fillWay(element) {
  const kind = fillKind(element);
  return kind === 'rich' && otherFill(element) === 'part' ? 'part' : kind || otherFill(element);
}

/** Describe the element that makes another one inert, so that no press reaches it; "" for none. */
function inertText(element) {
  for (const outer of [element, ...ancestorsOf(element)]) if (hasAttr(outer, 'inert')) return lookOf(outer);
  return '';
}

/** Describe the inert part or modal dialog that blocks an element (see `blockerOf`); "" for none. */
function blockerText(element, hit) {
  const blocker = blockerOf(element, hit);
  return blocker ? lookOf(blocker) : '';
}

/** Scroll the element of an id to the middle of its scroll containers. Return whether it is there. */
exported.reveal = (id) => {
  const element = nodeFor(id);
  if (!element) return false;
  scrollIntoView(element, { block: 'center', inline: 'center', behavior: 'instant' });
  return true;
};

const ITEMS_IN_USE = new Set(
  'button link menuitem menuitemcheckbox menuitemradio option tab treeitem checkbox radio switch'.split(' '),
);
/** Whether an element is a button or has the role of one item to use, such as a tab. */
const isInteractiveItem = (element) =>
  localNameOf(element) === 'button' || ITEMS_IN_USE.has(attr(element, 'role') ?? '');

/** Whether an element, the control that a person uses for it, or the item that it is a part of, is disabled. */
export function isDisabledForUse(element) {
  if (isDisabled(element) || isDisabled(controlUsedFor(element))) return true;
  const item = closestWhere(element, isInteractiveItem) ?? closest(element, 'a,input,label');
  const used = item && localNameOf(item) === 'label' ? item.control : item;
  return Boolean(used) && (matches(used, ':disabled') || attr(used, 'aria-disabled') === 'true');
}

/** Whether an element has the focus in its tree. */
function isFocused(element) {
  const root = rootOf(element);
  return root.activeElement === element;
}

/** Return all states that `is` asks for; null for an element that is gone. */
exported.states = (id) => {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const used = controlUsedFor(element);
  const checked = isChecked(element);
  const visible = isVisible(element);
  const disabled = isDisabledForUse(element);
  return {
    visible,
    hidden: !visible,
    enabled: !disabled,
    disabled,
    editable: Boolean(fillKind(used)) && !disabled && !isReadOnlyField(used),
    focused: isFocused(element),
    checkable: checked !== null,
    checked: checked === true,
  };
};

// Finds the element that keeps a press from another one, and whether it is likely to go away by itself. Changes nothing.

const MOST_LOOKED_AT = 5000;

/** Words by which pages mark that they are busy, in classes and ids, and say so in a short text. */
const BUSY_WORDS =
  /(?<!up|down|lazy|pre)load(?!ed)|spin(?!e)|busy|progress|please wait|\bwait\b|skeleton|blockui|saving|updating|processing/i;
const BUSY_ELEMENTS = 'progress,[role=progressbar],[aria-busy=true],animate,animateTransform,animateMotion';
const MOST_SAID = 200;

const serials = new WeakMap();
let lastSerial = 0;

/** Return a number that tells a node from all others. */
function serialNumberOf(node) {
  if (!serials.has(node)) serials.set(node, ++lastSerial);
  return serials.get(node);
}

/** Return the element in front as a whole: the outermost one around what was hit that does not contain the covered element. */
function coveringLayerOf(hit, element) {
  let layer = hit;
  for (let outer = layer; outer && !containsComposed(outer, element); outer = slotOf(outer) || parentOf(outer))
    layer = outer;
  return layer;
}

/** Return a text that changes when the cover does: its identity, the places of it and of the element, and its text. */
function coverKey(element, hit) {
  const layer = coveringLayerOf(hit, element);
  const places = [hit, layer, element].flatMap((node) => {
    const box = rectOf(node);
    return [
      serialNumberOf(node),
      Math.round(box.left),
      Math.round(box.top),
      Math.round(box.width),
      Math.round(box.height),
    ];
  });
  return [...places, ...opacityPath(hit, layer), cleanText(textContentOf(layer).slice(0, 1000))].join(' ');
}

/** Return how far a cover has faded: the opacities from what was hit out to the whole layer, whichever of these a script fades. */
function opacityPath(hit, layer) {
  const found = [];
  for (let node = hit; node; node = node === layer ? null : slotOf(node) || parentOf(node))
    if (isElement(node)) found.push(styleOf(node).opacity);
  return found;
}

/**
 * Whether a cover shows that the page is at work: the document loads, something in the cover moves or is marked as busy, or something
 * behind it is.
 */
function isBusyCover(element, hit) {
  if (readyStateOf(document) !== 'complete') return true;
  const layer = coveringLayerOf(hit, element);
  const carriers = [layer, ...ancestorsOf(layer), ...ancestorsOf(element)];
  if (carriers.some((carrier) => attr(carrier, 'aria-busy') === 'true' || ownAnimationsOf(carrier).some(isRunning)))
    return true;
  const said = cleanText(textContentOf(layer).slice(0, 10 * MOST_SAID));
  if (said.length <= MOST_SAID && BUSY_WORDS.test(said)) return true;
  return isMarkedBusy(layer) || [...allTreesIn(layer)].some((tree) => isBusyTree(tree));
}

/** Whether an animation is running. */
const isRunning = (animation) => animation.playState === 'running';

/** Whether an element is marked as busy or loading, by ARIA or by a class or id. */
function isMarkedBusy(element) {
  return matches(element, BUSY_ELEMENTS)
    || BUSY_WORDS.test(`${attr(element, 'class') || ''} ${attr(element, 'id') || ''}`);
}

/** Whether anything in an element or a shadow root is marked as busy, or animated. */
function isBusyTree(tree) {
  if (isElement(tree) ? tree.getAnimations({ subtree: true }).some(isRunning) : tree.getAnimations().some(isRunning))
    return true;
  const inside = isElement(tree) ? queryAll(tree, '*') : allInTree(tree, '*');
  return inside.length <= MOST_LOOKED_AT && [...inside].some(isMarkedBusy);
}

/**
 * Return what blocks an element for the keyboard, too: an `inert` element around it, or an open modal dialog that it is not in; null
 * for nothing. `hit`: what a press would reach, null for nothing.
 */
export function blockerOf(element, hit) {
  for (const outer of [element, ...ancestorsOf(element)]) if (hasAttr(outer, 'inert')) return outer;
  const modals = [...allTreesIn(document)].flatMap((tree) => allInTree(tree, 'dialog:modal,[aria-modal=true]'));
  /** Whether a modal dialog keeps a person from the element. */
  const blocks = (modal) =>
    !containsComposed(modal, element) && (matches(modal, 'dialog:modal') || (hit !== null && rectOf(modal).width > 0));
  return modals.filter((modal) => isRendered.call(modal, { visibilityProperty: true }) && blocks(modal)).pop() || null;
}

/** Yield a document, shadow root or element, and all shadow trees in it. */
export function* allTreesIn(root) {
  yield root;
  const inside = isElement(root) ? [root, ...queryAll(root, '*')] : allInTree(root, '*');
  for (const element of inside) {
    const inner = shadowRootOf(element);
    if (inner) yield* allTreesIn(inner);
  }
}
