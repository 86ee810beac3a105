// Finds elements that can be clicked without having a role, and the reasons.
//
// Every snapshot lists what an attribute or a style sheet makes clickable; `snapshot -C` asks every element, and the protocol for
// listeners.

import { CELLS, FLAT, GENERIC, kindOf } from '../accname/kinds.js';
import { contentName } from '../accname/contents.js';
import { REMOVES } from '../accname/hints.js';
import { cleanName, controlOf, isNamedAnyway, nameOf } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { isDisabled } from '../accname/states.js';
import { isEditingHost } from '../accname/values.js';
import { forgetItems, isItemOfListener, listensForItems, noteList } from './listeners.js';
import {
  childElementCountOf,
  closest,
  containsNode,
  dataOf,
  localNameOf,
  method,
  parentNodeOf,
  queryAll,
  queryInFragment,
  queryOne,
  rectOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  exported,
  hasAttr,
  isElement,
  isText,
  OfTrees,
  queryAllIn,
  referenced,
  shadowRootOf,
  treeOf,
  words,
} from '../dom/dom.js';
import { CURSORS, pointsWhenHovered } from '../dom/style-sheets.js';
import { hiddenness, styleOf } from '../visibility/hidden.js';

// Told by Python, see closed_roots.py: scripts cannot see who listens.
const listeners = new WeakSet();
export const listensForClicks = (element) => listeners.has(element);
export const delegates = new WeakSet(); // listens, and so does something inside it
let listenersMet = false;

// jQuery UI marks elements that it drags, or has selected, only by a class, and lets their list listen.
const SELECTEE = 'ui-selectee';
const HANDLES = ['ui-sortable-handle', 'ui-draggable-handle', SELECTEE];
const handles = new WeakSet();
let handlesMet = false;
const elementsOfClass = method(Document, 'getElementsByClassName');
export function meetHandles(root) {
  for (const name of HANDLES) {
    for (const element of elementsOfClass(root, name)) {
      handles.add(element);
      handlesMet = true;
    }
  }
}

const isHandle = (element) =>
  handlesMet && handles.has(element) && HANDLES.some((name) => attr(element, 'class')?.includes(name));

export const MAX_CLICKABLES = 100; // more are counted
const MAX_WORDS = 200;
const HOLDS_CONTROLS =
  'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=menuitem],[role=tab],[role=option],[onclick],[role][tabindex],[tabindex]:not([tabindex="-1"])';
// Called by what is in them. The others are parts of the page.
const CALLED_BY_WORDS = new Set([
  '',
  ...CELLS,
  ...FLAT,
  ...words('row listitem paragraph heading img article figure term definition'),
]);

// Controls of HTML, also where an attribute gives them a role that cannot be operated: a field as an `alert`, a link as a `listitem`.
const NATIVE_CONTROLS = words('a button input select summary textarea');
const PLAYERS = words('audio video');
const isControl = (element, tag) =>
  PLAYERS.has(tag.name) && hasAttr(element, 'controls')
  || NATIVE_CONTROLS.has(tag.name) && (tag.name !== 'a' || hasAttr(element, 'href')) && !isDisabled(element);

/** An element with its own role description, such as the "node" of a drawing, is a thing and not a part of the page. */
const isCalledByWords = (element, kind) =>
  CALLED_BY_WORDS.has(kind.role) || kind.role === 'group' && hasAttr(element, 'aria-roledescription');

/** Whether a cheap test says that it could be clicked. */
export function mayBeClickable({ element, kind, tag, plain, quiet }, pointers) {
  if (tag.custom || tag.name === 'label' || pointers.mayMean(element, tag, plain)) return true;
  if (listenersMet && (listeners.has(element) || isItemOfListener(element, tag)) || isHandle(element)) return true;
  if (kind.role === 'gridcell' && isChoiceOfPopup(element)) return true;
  if (quiet) return false;
  if (
    hasAttr(element, 'onclick') || hasAttr(element, 'tabindex') || hasAttr(element, 'contenteditable')
    || hasAttr(element, 'draggable')
    || listenersMet && kind.role === 'gridcell' || isControl(element, tag)
  )
    return true;
  if (kind.role === 'row' && (isSelectable(element) || isExpandable(element))) return true;
  const style = attr(element, 'style');
  return style !== null && style.includes('cursor');
}

/** Why a person could click it, or ''. What merely inherits the hand of its parent is part of the parent. */
export function clickReasons({ element, kind, tag, plain }, context) {
  if (kind.operable || tag.name === 'body' || tag.name === 'html') return '';
  const control = tag.name === 'label' ? controlOf(element) : null;
  if (control !== null && !needsLabel(control) || !plain && isIdleLabel(element, tag)) return '';
  const reasons = [];
  const hand = handOf(element);
  if (hand !== '' && hand !== context.hand) reasons.push(`cursor:${hand}`);
  else if (context.hand === '' && pointsWhenHovered(element, tag, plain)) reasons.push('cursor:pointer');
  if (!plain && hasAttr(element, 'onclick')) reasons.push('onclick');
  else noteListener(element, kind, tag, plain, reasons);
  if (kind.cell || kind.role === 'row') notePartOfGrid(element, kind, plain, reasons);
  if (!plain && Number(attr(element, 'tabindex') ?? -1) >= 0 && attr(element, 'tabindex') !== '')
    reasons.push('tabindex');
  if (isHandle(element) && attr(element, 'class').includes(SELECTEE)) reasons.push('selectable');
  else if (!plain && attr(element, 'draggable') === 'true' || isHandle(element)) reasons.push('draggable');
  if (!plain && isEditingHost(element)) reasons.push('editable');
  if (control !== null) reasons.push(control.checked ? 'label, checked' : 'label');
  if (reasons.length === 0 && !plain && isControl(element, tag)) reasons.push(tag.name);
  return reasons.join(', ');
}

function noteListener(element, kind, tag, plain, reasons) {
  if (listeners.has(element) && !isDelegate(element) && listensForItems(element, reasons.length > 0))
    reasons.length = 0;
  else if (
    listeners.has(element) && (reasons.length || !isDelegate(element) || isSorter(element, kind) || isItself(element))
  ) reasons.push('listener');
  else if (listenersMet && isItemOfListener(element, tag) && !holdsControls(element)) reasons.push('listener');
  else if (listenersMet && kind.role === 'gridcell' && isCellOfListeningGrid(element)) reasons.push('listener');
  else if (listenersMet && !plain && kind === GENERIC && isNamedPart(element)) reasons.push('listener');
}

function notePartOfGrid(element, kind, plain, reasons) {
  if (reasons.length === 0 && kind.role === 'row' && !plain && isSelectable(element)) reasons.push('selectable');
  if (kind.role === 'row' && !plain && isExpandable(element)) reasons.push('expandable');
  if (reasons.length === 0 && kind.role === 'gridcell' && isChoiceOfPopup(element)) reasons.push('selectable');
}

export const NAMED_PARTS = '[tabindex][aria-label],[tabindex][aria-labelledby]';
/**
 * An element with a name that takes the focus by script, in a part of the page that listens: one of many pictures to choose from,
 * as in the emoji dialog of TinyMCE 8.9.
 */
function isNamedPart(element) {
  if (!hasAttr(element, 'tabindex') || !isNamedAnyway(element) || holdsControls(element)) return false;
  for (const ancestor of ancestorsOf(element)) if (listeners.has(ancestor)) return localNameOf(ancestor) !== 'body';
  return false;
}

/** iOS passes a press on a label on to its field only where that has a handler, so pages give labels empty ones. */
const isIdleLabel = (element, tag) => tag.name === 'label' && attr(element, 'onclick')?.trim() === '';

/**
 * A row that says whether it is selected can be selected by a click, whichever element listens for that. React Aria listens at the top of
 * the document, and shows no hand.
 */
const isSelectable = (element) => hasAttr(element, 'aria-selected') && attr(element, 'aria-disabled') !== 'true';

/** A row that says whether it is open, and that has no button for that: keys open it, or a double click. */
const isExpandable = (element) =>
  hasAttr(element, 'aria-expanded') && queryOne(element, 'button,[role=button],[aria-expanded]') === null;

// A cell of the grid that an open combobox has its choices in.
const popupGrids = new OfTrees((root) =>
  [...queryAllIn(root, '[aria-haspopup=grid][aria-expanded=true]')].flatMap((opener) => [
    ...referenced(opener, 'aria-controls'),
    ...referenced(opener, 'aria-owns'),
  ])
);
const isChoiceOfPopup = (element) =>
  !holdsControls(element) && popupGrids.of(treeOf(element)).some((grid) => containsNode(grid, element));

/** A header that says how its column is sorted, and that has no button for that, whatever filter there is in it (Tabulator). */
const isSorter = (element, kind) =>
  kind.role === 'columnheader' && hasAttr(element, 'aria-sort')
  && queryOne(element, 'button,a[href],[role=button]') === null;

/**
 * The cells of a calendar, and those that hold but a cross, leave it to their grid to listen; those of a sheet, which take the focus, as
 * well, where their rows are not what is selected. A cell that merely holds a value has no name of its own.
 */
function isCellOfListeningGrid(element) {
  if (!isNamedAnyway(element) && !isPicture(element) && !isOfSheet(element)) return false;
  const grid = closest(element, '[role=grid],[role=treegrid]');
  if (grid === null) return false;
  for (const ancestor of ancestorsOf(element)) {
    if (listeners.has(ancestor)) return true;
    if (ancestor === grid) return false;
  }
  return false;
}

const isOfSheet = (element) =>
  hasAttr(element, 'tabindex') && closest(element, '[aria-selected]') === null && !holdsControls(element);

const isPicture = (element) => textContentOf(element).trim() === '' && queryOne(element, 'svg,img,i') !== null;

/** The cross of a chip: it has the hand, and the control around it has none or is not what its own name says. */
export function isPartOfItsOwn(element, tag, plain, pointers) {
  if (!pointers.mayMean(element, tag, plain)) return false;
  const parent = parentNodeOf(element);
  if (!isElement(parent) || !inheritsPointer(element)) return false;
  if (saysItAll(element)) return false;
  return !inheritsPointer(parent) || REMOVES.test(`${attr(element, 'class')} ${attr(element, 'data-testid')}`);
}

/** A chip in a field, which is called by something else than what is in it. */
export const isInField = (element) => closest(element, '[role=combobox],[role=textbox]') !== null;

/** Words that are made too small to be seen, or that no press reaches. */
function isForScreenReaders(element) {
  if (childElementCountOf(element) > 0 || styleOf(element).position !== 'absolute') return false;
  const { width, height } = rectOf(element);
  return width <= 1 || height <= 1 || styleOf(element).pointerEvents === 'none';
}

/**
 * Whether an element has all the words of what is around it: of a control it is what is pressed, and no part. A box around it within
 * the label of a field, as the field's icon has one, is no control; nor is one around an icon without words.
 */
function saysItAll(element) {
  const words = textContentOf(element).trim();
  let around = parentNodeOf(element);
  for (let levels = 0; isElement(around) && levels < MAX_AROUND; levels++, around = parentNodeOf(around)) {
    if (textContentOf(around).trim() !== words) return false;
    if (words === '' && !kindOf(roleOf(around)).operable) continue;
    if (localNameOf(around) === 'label' || closest(around, 'label') === null) return true;
  }
  return true;
}
const MAX_AROUND = 4;

// A box to tick is pressed through what is drawn beside it.
const TICKED_BESIDE = ':scope > input[type=checkbox],:scope > input[type=radio]';
function isDrawnBeside(element) {
  const parent = parentNodeOf(element);
  return isElement(parent) && childElementCountOf(element) === 0 && queryOne(parent, TICKED_BESIDE) !== null;
}

/** A host without words of its own around the button of its shadow tree. */
function drawsControl(element) {
  const shadow = shadowRootOf(element);
  return shadow !== null && queryInFragment(shadow, HOLDS_CONTROLS).length > 0;
}

export function hasArea(element) {
  const { width, height } = rectOf(element);
  return width > 0 && height > 0;
}

/** Whether it is too small for a pointer, as the edges are that keep the focus in a dialog. */
function isPoint(element) {
  const { width, height } = rectOf(element);
  return width <= 1 || height <= 1;
}

// The reason to press an element that is hidden from screen readers, or ''. Excluded: a field, since another element stands for it, a link,
// which is mostly another element's, a checkbox drawn beside the real one, and large elements: a veil, or a part of the page. Only of the
// element's own attribute: libraries hide the whole page behind a dialog. Seen: icons of fonts with a handler, crosses of Mantine and PrimeReact.
const TOLD_ELSEWHERE = words('a area input select textarea option label');
const MAX_PRESSED = 100; // pixels
export function pressedThoughHidden(element, tag, context) {
  if (attr(element, 'aria-hidden') !== 'true' || hasAttr(element, 'inert') || holdsControls(element)) return '';
  const handler = hasAttr(element, 'onclick') ? ['onclick'] : listeners.has(element) ? ['listener'] : [];
  if (TOLD_ELSEWHERE.has(tag.name) && handler[0] !== 'onclick' || tag.name === 'button' && isDisabled(element))
    return '';
  const hand = context.hand === '' && inheritsPointer(element) ? ['cursor:pointer'] : [];
  if (handler.length + hand.length === 0 && tag.name !== 'button') return '';
  if (isDrawnBeside(element) || !hasArea(element) || styleOf(element).pointerEvents === 'none') return '';
  const { width, height } = rectOf(element);
  if (height > MAX_PRESSED || width > 3 * MAX_PRESSED) return '';
  return [...hand, ...handler, 'aria-hidden'].join(', ');
}

// A control that is pressed and cannot be seen, as those of upload buttons and switches: its label is what a person presses.
const PRESSED = new Set(['checkbox', 'radio', 'file', 'color']);
const needsLabel = (control) =>
  localNameOf(control) === 'input' && PRESSED.has(control.type) && !isDisabled(control) && hiddenness(control) !== '';

/** Clicking it, or anything in it, is clicking its control. */
export const isLabel = (element, tag) => tag.name === 'label' && controlOf(element) !== null;

const inheritsPointer = (element) => styleOf(element).cursor === 'pointer';
/** The cursor of what is pressed or dragged; '' for any other. */
export const handOf = (element) => {
  const { cursor } = styleOf(element);
  return CURSORS.has(cursor) ? cursor : '';
};

/** A single listener for everything inside belongs to the page's framework, and is not a thing to click. */
const isDelegate = (element) => delegates.has(element) || holdsControls(element);
// A line with words of its own beside what listens in it, as an item has beside its arrow (Blueprint's trees), is pressed there as well.
// A higher one is mostly a card, whose listener is for what is in it.
const TALLEST_LINE = 48; // pixels
const isItself = (element) =>
  !holdsControls(element) && rectOf(element).height <= TALLEST_LINE && hasArea(element) && hasWordsOutside(element);
function hasWordsOutside(element) {
  for (const child of childrenOf(element)) {
    if (
      isText(child) ? dataOf(child).trim() !== '' : isElement(child) && !listeners.has(child) && hasWordsOutside(child)
    )
      return true;
  }
  return false;
}
const holdsControls = (element) =>
  childElementCountOf(element) > 0 && localNameOf(element) !== 'canvas' && queryOne(element, HOLDS_CONTROLS) !== null;

/**
 * Whether an element holds an enabled control. A frame may take the focus instead of a disabled button in it, to say why that is disabled
 * (Bootstrap 5.3).
 */
function holdsUsableControls(element) {
  return holdsControls(element) && [...queryAll(element, HOLDS_CONTROLS)].some((control) => !isDisabled(control));
}

/** A frame that is called as the one button or link in it is that. */
function isFrameOfOne(element, name) {
  const controls = queryAll(element, HOLDS_CONTROLS);
  if (controls.length !== 1 || !FRAMED.has(roleOf(controls[0])) || hiddenness(controls[0]) !== '') return false;
  return nameOf(controls[0]) === name;
}
const FRAMED = new Set(['button', 'link']);

// By what a panel or a cell in it is labelled, it is not called.
const WORDS_OF_CLICKED = { withoutControls: true, seen: true, noLabelledby: true };
/** The name that a person would use: its text, without that of the controls in it. `whole`: no words are left out. */
export function clickableName({ element, kind }) {
  if (!isCalledByWords(element, kind)) return { name: '', whole: false };
  const budget = { left: MAX_WORDS, visited: new Set() };
  const name = cleanName(contentName(element, budget, WORDS_OF_CLICKED))
    || nameOf(element, kind.role)
    || cleanName(attr(element, 'title') ?? '');
  return { name, whole: budget.left > 0 && kind.role !== 'row' };
}

// Whether something inside, which is no control, has words besides the name that it is called by.
const LABELLED_WITHIN = '[aria-label],[aria-labelledby]';
export function holdsOtherWords(element) {
  if (childElementCountOf(element) === 0) return false;
  for (const labelled of queryAll(element, LABELLED_WITHIN)) {
    if (textContentOf(labelled).trim() !== '' && !kindOf(roleOf(labelled)).operable) return true;
  }
  return false;
}

const GRIDS = words('grid treegrid rowgroup'); // listen for their cells

/**
 * A frame around a control, an edge to be dragged, a part of the page that takes the focus, a text that does so to be scrolled, the box drawn
 * for a checkbox, and the edges that keep the focus in a dialog are not things to click.
 */
export function isWorthALine({ element, kind, tag }, why, name, whole) {
  if (tag.name === 'span' && why === 'cursor:pointer' && isForScreenReaders(element)) return false;
  if (name === '' && (isDrawnBeside(element) || drawsControl(element) || why === 'tabindex' && isPoint(element)))
    return false;
  if (why === 'tabindex')
    return isCalledByWords(element, kind) && tag.name !== 'pre' && name.length <= MAX_WORDS / 2
      && !holdsUsableControls(element);
  if (why === 'listener' && (GRIDS.has(kind.role) || isEdge(element, name))) return false;
  if (!holdsControls(element))
    return why !== 'listener' || whole || !CALLED_BY_WORDS.has(kind.role) || kind.role === 'row';
  return name !== '' && (whole || kind.role === 'row') && name.length <= MAX_WORDS && !isFrameOfOne(element, name);
}

/** An edge that is dragged to resize something. Some have only a class that tells, and get the cursor when the pointer is over them. */
const isEdge = (element, name) =>
  styleOf(element).cursor.endsWith('resize') || name === '' && /resiz/i.test(attr(element, 'class') ?? '');

export function markListeners(...nodes) {
  listenersMet ||= nodes.length > 0;
  for (const node of nodes) if (isElement(node)) listeners.add(node);
  for (const node of nodes) {
    if (!isElement(node)) continue;
    if (!holdsControls(node)) noteList(node);
    for (const ancestor of ancestorsOf(node)) {
      if (!listeners.has(ancestor)) continue;
      delegates.add(ancestor);
      forgetItems(ancestor);
    }
  }
}

Object.assign(exported, { markListeners });
