// Looks at an element before an action on it: is it there, visible, enabled, editable, uncovered. Scrolls it into view;
// changes nothing else.

import {
  bodyOf,
  closest,
  labelsIn,
  localNameOf,
  matches,
  queryAll,
  rectOf,
  rootElementOf,
  rootOf,
  scrollIntoView,
} from './engine-accessors.js';
import { ancestorsOf, attr, closestWhere, exported, hasAttr } from './engine-dom.js';
import { idOf, nodeFor } from './engine-table.js';
import { nodeWithInternals } from './engine-internals.js';
import { isBox, isDisabled, TICKED } from './engine-states.js';
import { roleOf } from './engine-roles.js';
import { isRendered, styleOf } from './engine-hidden.js';
import { editorOf } from './engine-editors.js';
import { aimAt, aimInView, boxListOf, hitAt, holds, passesOn, pointsOf, shownBy } from './hits.js';
import { blockerOf, coverKey, isBusyCover } from './covers.js';
import { closedListOf, hasBox, isVisible } from './visible.js';
import { usedFor } from './hosts.js';
import { lookOf } from './matching.js';
import { fillKind, isReadOnly } from './fields.js';
import { isHeld } from './held-presses.js';
import { isInPopupOfFocused } from './layers.js';
import { isPointerBeside } from './hovering.js';
import { motionOf } from './motion.js';
import { keepPlace } from './succession.js';

/** @import { PointInside } from './spots.js' */

/**
 * A point to click for a checkable control that cannot be hit itself, as custom switches and stars hide it: on its label, or else on
 * its drawing (`drawn`). Null if there is neither, and for any other element.
 */
function throughLabel(element, hittable) {
  if (hittable || !isBox(element) && !TICKED.test(attr(element, 'role') ?? '')) return null;
  for (const label of labelsIn(element) ?? []) {
    if (!isVisible(label)) continue;
    bringIntoView(label);
    const point = labelPoint(label, element);
    if (point) return { id: idOf(label), x: point.x, y: point.y, drawn: false };
  }
  return (cannotBeSeen(element) ? throughDrawing(element) : null) ?? throughSurroundings(element);
}

/**
 * A point to press for a box that lets presses through to its ancestor, which ticks it (the row of a grid, a list's item): a
 * person presses the box all the same.
 */
function throughSurroundings(element) {
  if (styleOf(element).pointerEvents !== 'none' || !isVisible(element)) return null;
  bringIntoView(element);
  const { hit, point } = aimAt(element);
  const isIts = hit && hit !== element && hit !== rootElementOf(document) && hit !== bodyOf(document)
    && holds(hit, element);
  return isIts ? { id: idOf(hit), ...insideOf(hit, point), drawn: true } : null;
}

const cannotBeSeen = (element) => exported.isTucked(element) || getComputedStyle(element).opacity === '0';

/**
 * Whether the keyboard may use an invisible box without a place to press: a card that is the box, a star whose half is drawn only
 * below the pointer. An element that lies over everything around the box is a cover.
 */
function isFreeForKeys(element, hit) {
  if (!isBox(element) || localNameOf(element) !== 'input' || element.tabIndex < 0 || !cannotBeSeen(element))
    return false;
  if (!isRendered.call(element, { visibilityProperty: true })) return false;
  if (hit && !holds(hit, element) && !isOfGroup(element, hit) || blockerOf(element, null)) return false;
  for (const part of [...ancestorsOf(element)].slice(0, LEVELS_OF_DRAWING)) {
    const { width, height } = rectOf(part);
    if (width <= 2 || height <= 2 || !isVisible(part)) continue;
    bringIntoView(part);
    const aim = aimAt(part).hit;
    return aim !== null && holds(part, aim) && [...element.labels ?? []].every((label) => isInFront(part, label));
  }
  return false;
}

/** Whether what was hit is the label of another radio button of the same group. */
function isOfGroup(element, hit) {
  const control = closest(hit, 'label')?.control;
  return element.type === 'radio' && control?.type === 'radio' && control.name === element.name;
}

/** Whether nothing from outside of a part of the page lies over a label in it. */
function isInFront(part, label) {
  const { hit } = aimAt(label);
  return !isVisible(label) || !hit || holds(part, hit);
}

function bringIntoView(element) {
  if (!aimAt(element).inView) scrollIntoView(element, { block: 'center', inline: 'center', behavior: 'instant' });
}

const LEVELS_OF_DRAWING = 3;
const LARGEST_DRAWING = { width: 300, height: 100 }; // pixels
const ALL_CONTROLS =
  'a[href],button,input,select,textarea,[role=button],[role=checkbox],[role=switch],[role=radio],[role=link]';

/**
 * A point to press for the field of a list that takes no presses, or over which its page draws the choice (Vuetify, Element Plus):
 * a point of the box around it, which opens the list. An element with a background of its own is a cover, and is not seen through.
 */
function throughBox(element, { arrives, hit }) {
  if (arrives || !hit || localNameOf(element) !== 'input' || attr(element, 'role') !== 'combobox') return null;
  if (!isVisible(element) || !holds(hit, element) && !letsSeeThrough(hit, element)) return null;
  return throughDrawing(element, Infinity);
}

/** A point to press for the invisible field in which an editor takes its keys: a point of the editor itself. */
function throughEditor(element, { arrives }) {
  const editor = arrives ? null : editorOf(element);
  if (!editor) return null;
  bringIntoView(editor);
  const aim = aimAt(editor);
  return aim.arrives ? { id: idOf(editor), ...insideOf(editor, aim.point), drawn: true } : null;
}

/** Whether an element that was hit is transparent, with all ancestors that do not hold the target. */
function letsSeeThrough(hit, element) {
  for (const node of [hit, ...ancestorsOf(hit)]) {
    if (holds(node, element)) return true;
    const { backgroundColor, backgroundImage } = styleOf(node);
    if (backgroundImage !== 'none' || !/^rgba\(.*, 0\)$/.test(backgroundColor)) return false;
  }
  return false;
}

/** A point to press for an element on the small visible part of the page around it that holds no other control. */
function throughDrawing(element, widest = LARGEST_DRAWING.width) {
  for (const part of [...ancestorsOf(element)].slice(0, LEVELS_OF_DRAWING)) {
    const { width, height } = rectOf(part);
    if (queryAll(part, ALL_CONTROLS).length !== 1 || width > widest || height > LARGEST_DRAWING.height)
      return null;
    if (width <= 2 || height <= 2 || !isVisible(part)) continue;
    bringIntoView(part);
    const aim = aimAt(part);
    if (aim.arrives) return { id: idOf(part), ...insideOf(part, aim.point), drawn: true };
  }
  return null;
}

/** A point of a label, from the corner inside its border, that belongs to no other control or link in it. */
function labelPoint(label, element) {
  for (const point of pointsOf(label)) {
    const hit = hitAt(point.x, point.y);
    if (hit && passesOn(label, element, hit)) return insideOf(label, point);
  }
  return null;
}

/**
 * A point of the window as one of an element, from the corner inside its border. The box of what is in
 * several lines has empty pieces of it, too, as where a block begins in the middle of a sentence.
 */
export function insideOf(element, point) {
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

/** The effect of a plain click on a link, of which the page hears nothing: "download", else "page"; "" for no link. */
const linkKind = (link) => (!link ? '' : hasAttr(link, 'download') ? 'download' : 'page');

const NOWHERE = { point: { x: -1, y: -1 }, hit: null, inView: false, arrives: false, isAside: false, isOnWords: false };

/**
 * @typedef {object} CoverLook
 * @property {string} text
 * @property {string} key
 * @property {boolean} busy
 * @property {boolean} around the element is in it, and lets presses through
 */

/**
 * A cover as a reply names it, and what `covers.js` says of it.
 * @returns {CoverLook}
 */
export function coverLook(element, hit) {
  if (!hit) return { text: 'nothing that takes the pointer', key: '', busy: false, around: false };
  if (hit === rootElementOf(document) && styleOf(element).pointerEvents === 'none')
    return {
      text: 'the page: it takes no presses (pointer-events: none), as behind something that is open',
      key: '',
      busy: false,
      around: false,
    };
  const around = styleOf(element).pointerEvents === 'none' && holds(hit, element);
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
 * Everything that decides whether an action on the element can work now; null where it is gone. In a frame nothing is made ready: what the
 * page around does with that is not known here.
 * @returns {ActionLook | null}
 */
exported.probe = (id, how, prepare, ...words) => probed(id, how, window === window.parent ? prepare : '', ...words);

/**
 * The look at an element that no page around its frame blocks: see `probe`.
 * @returns {ActionLook | null}
 */
exported.probeInFrame = (id, how, prepare, ...words) => probed(id, how, prepare, ...words);

/**
 * Look at an element before an action. `prepare` names the step to make ready for the action in the same turn, if this look proves that
 * no wait is needed (see at-once.js). `how`: "press" scrolls to where it can be hit; "edit" scrolls and looks for elements that block it
 * even for keys; "choose" does only the latter.
 * @returns {ActionLook | null}
 */
function probed(id, how, prepare, ...words) {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const list = closedListOf(element);
  const target = list || element;
  const visible = isVisible(editorOf(element) ?? element) || how === 'choose' && exported.drawnAround(element) !== null;
  const scroll = how === 'press' || how === 'edit';
  if (how === 'edit' || how === 'choose') keepPlace(element);
  const aim = !visible ? NOWHERE : scroll ? aimInView(target) : aimAt(target);
  const shown = shownBy(target);
  /** @type {ActionLook} */
  const look = {
    tag: localNameOf(element),
    type: localNameOf(element) === 'input' ? element.type : '',
    text: '',
    visible,
    disabled: isDisabledInUse(element),
    readonly: isReadOnly(element),
    fill: fillOf(element),
    collectsKeys: how === 'edit' && exported.collectsKeys(element),
    opens: exported.isOpener(element) && attr(element, 'aria-haspopup') !== 'dialog',
    cell: how === 'edit' && closest(element, 'td,[role=gridcell],[role=cell]') !== null,
    inView: aim.inView,
    cover: aim.inView && !aim.arrives ? coverLook(target, aim.hit) : null,
    point: [aim.point.x, aim.point.y],
    aside: aim.isAside || shown !== target ? insideOf(shown, aim.point) : null,
    link: linkKind(closest(element, 'a[href],area[href]')),
    label: scroll ? placeToPressFor(element, aim) : null,
    byKey: false,
    selectId: list ? idOf(list) : 0,
    listId: localNameOf(element) === 'option' && !list ? idOf(closest(element, 'select') || element) : 0,
    motion: how === 'press' && visible ? motionOf(shown) : '',
    imageId: shown !== target ? idOf(shown) : 0,
    controlId: localNameOf(element) === 'label' && element.control ? idOf(element.control) : 0,
    blocker: !visible || aim.arrives
      ? ''
      : how === 'press'
      ? inertText(target)
      : how
      ? blockerText(target, aim.hit)
      : '',
    beside: how === 'press' && isPointerBeside(element),
    held: how === 'press' && isHeld(element),
    slider: how === 'press' && roleOf(element) === 'slider',
    popup: how === 'edit' && isInPopupOfFocused(element),
    prepared: null,
  };
  look.byKey = how === 'press' && !look.label && !aim.arrives && isFreeForKeys(element, aim.hit);
  look.prepared = prepare ? exported.prepare(prepare, element, look, ...words) : null;
  if (how === 'press' || look.prepared === null) look.text = lookOf(element);
  return look;
}

const placeToPressFor = (element, aim) =>
  throughLabel(element, aim.hit && holds(element, aim.hit)) ?? throughBox(element, aim) ?? throughEditor(element, aim);

/** The name of an element in messages. It costs a sixth of the look at a field, and is needed only for failures. */
exported.lookText = (id) => {
  const element = nodeFor(id);
  return element ? lookOf(element) : '';
};

/** The way in which `fill` can fill an element: see `fillKind` and `otherFill`. */
function fillOf(element) {
  const kind = fillKind(element);
  return kind === 'rich' && exported.otherFill(element) === 'part' ? 'part' : kind || exported.otherFill(element);
}

/** The name of the element that makes another one inert: that takes no press, whatever is hit there. "" for none. */
function inertText(element) {
  for (const outer of [element, ...ancestorsOf(element)]) if (hasAttr(outer, 'inert')) return lookOf(outer);
  return '';
}

function blockerText(element, hit) {
  const blocker = blockerOf(element, hit);
  return blocker ? lookOf(blocker) : '';
}

exported.reveal = (id) => {
  const element = nodeFor(id);
  if (!element) return false;
  scrollIntoView(element, { block: 'center', inline: 'center', behavior: 'instant' });
  return true;
};

const ITEMS_IN_USE = new Set(
  'button link menuitem menuitemcheckbox menuitemradio option tab treeitem checkbox radio switch'.split(' '),
);
const isItemInUse = (element) => localNameOf(element) === 'button' || ITEMS_IN_USE.has(attr(element, 'role') ?? '');

/** Whether an element, what a person uses for it, or the item that it is a part of, is disabled. */
export function isDisabledInUse(element) {
  if (isDisabled(element) || isDisabled(usedFor(element))) return true;
  const item = closestWhere(element, isItemInUse) ?? closest(element, 'a,input,label');
  const used = item && localNameOf(item) === 'label' ? item.control : item;
  return Boolean(used) && (matches(used, ':disabled') || attr(used, 'aria-disabled') === 'true');
}

function isFocused(element) {
  const root = rootOf(element);
  return root.activeElement === element;
}

/** Answers of `is`, all at once. */
exported.states = (id) => {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const used = usedFor(element);
  const checked = exported.isChecked(element);
  const visible = isVisible(element);
  const disabled = isDisabledInUse(element);
  return {
    visible,
    hidden: !visible,
    enabled: !disabled,
    disabled,
    editable: Boolean(fillKind(used)) && !disabled && !isReadOnly(used),
    focused: isFocused(element),
    checkable: checked !== null,
    checked: checked === true,
  };
};

Object.assign(exported, { isVisible: hasBox, fillKind });
