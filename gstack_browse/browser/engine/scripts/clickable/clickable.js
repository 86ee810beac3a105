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
  PerCallCache,
  queryAllIn,
  referencedElements,
  shadowRootOf,
  treeOf,
  words,
} from '../dom/dom.js';
import { CURSORS, pointsWhenHovered } from '../dom/style-sheets.js';
import { hiddenness, styleOf } from '../visibility/hidden.js';

const listeners = new WeakSet();
/**
 * Whether a click listener on the element was found. Python finds them over the protocol (closed_roots.py): scripts cannot see who
 * listens.
 */
export const listensForClicks = (element) => listeners.has(element);
export const delegates = new WeakSet(); // listens, and so does something inside it
let listenersMet = false;

// jQuery UI marks elements that it drags, or has selected, only by a class, and lets their list listen.
const SELECTEE = 'ui-selectee';
const HANDLES = ['ui-sortable-handle', 'ui-draggable-handle', SELECTEE];
const handles = new WeakSet();
let handlesMet = false;
const elementsOfClass = method(Document, 'getElementsByClassName');
/** Remember the elements of a document or shadow root that jQuery UI drags or selects, by their classes. */
export function noteDragHandles(root) {
  for (const name of HANDLES) {
    for (const element of elementsOfClass(root, name)) {
      handles.add(element);
      handlesMet = true;
    }
  }
}

/** Whether jQuery UI drags or selects the element. */
const isDragHandle = (element) =>
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
/**
 * Whether an element is a control of HTML, even where its `role` names something that nobody operates: a field as an `alert`, a link as a
 * `listitem`.
 */
const isEnabledControl = (element, tag) =>
  PLAYERS.has(tag.name) && hasAttr(element, 'controls')
  || NATIVE_CONTROLS.has(tag.name) && (tag.name !== 'a' || hasAttr(element, 'href')) && !isDisabled(element);

/**
 * Whether a clickable element is named by its text. An element with a role description of its own, such as the "node" of a diagram, is;
 * the parts of a page are not.
 */
const isNamedByText = (element, kind) =>
  CALLED_BY_WORDS.has(kind.role) || kind.role === 'group' && hasAttr(element, 'aria-roledescription');

/**
 * Whether an element could be clickable, by a cheap test; `clickReasons` then decides. `pointers`: the rules of style sheets that set a
 * pointer cursor.
 */
export function mayBeClickable({ element, kind, tag, plain, quiet }, pointers) {
  if (tag.custom || tag.name === 'label' || pointers.mayMatch(element, tag, plain)) return true;
  if (listenersMet && (listeners.has(element) || isItemOfListener(element, tag)) || isDragHandle(element)) return true;
  if (kind.role === 'gridcell' && isCellOfPopupGrid(element)) return true;
  if (quiet) return false;
  if (
    hasAttr(element, 'onclick') || hasAttr(element, 'tabindex') || hasAttr(element, 'contenteditable')
    || hasAttr(element, 'draggable')
    || listenersMet && kind.role === 'gridcell' || isEnabledControl(element, tag)
  )
    return true;
  if (kind.role === 'row' && (isSelectableRow(element) || isExpandableRow(element))) return true;
  const style = attr(element, 'style');
  return style !== null && style.includes('cursor');
}

/**
 * Return why a person could click an element that is no control, such as "cursor:pointer, listener"; "" if nothing says so. A cursor
 * inherited from the parent does not count.
 */
export function clickReasons({ element, kind, tag, plain }, context) {
  if (kind.operable || tag.name === 'body' || tag.name === 'html') return '';
  const control = tag.name === 'label' ? controlOf(element) : null;
  if (control !== null && !isPressedByLabel(control) || !plain && isIdleLabel(element, tag)) return '';
  const reasons = [];
  const cursor = pointerCursorOf(element);
  if (cursor !== '' && cursor !== context.cursor) reasons.push(`cursor:${cursor}`);
  else if (context.cursor === '' && pointsWhenHovered(element, tag, plain)) reasons.push('cursor:pointer');
  if (!plain && hasAttr(element, 'onclick')) reasons.push('onclick');
  else addListenerReason(element, kind, tag, plain, reasons);
  if (kind.cell || kind.role === 'row') addGridReason(element, kind, plain, reasons);
  if (!plain && Number(attr(element, 'tabindex') ?? -1) >= 0 && attr(element, 'tabindex') !== '')
    reasons.push('tabindex');
  if (isDragHandle(element) && attr(element, 'class').includes(SELECTEE)) reasons.push('selectable');
  else if (!plain && attr(element, 'draggable') === 'true' || isDragHandle(element)) reasons.push('draggable');
  if (!plain && isEditingHost(element)) reasons.push('editable');
  if (control !== null) reasons.push(control.checked ? 'label, checked' : 'label');
  if (reasons.length === 0 && !plain && isEnabledControl(element, tag)) reasons.push(tag.name);
  return reasons.join(', ');
}

/** Add "listener" to the reasons if a click listener is meant for this element; clear them if it is meant for the items in it. */
function addListenerReason(element, kind, tag, plain, reasons) {
  if (listeners.has(element) && !listensForDescendants(element) && listensForItems(element, reasons.length > 0))
    reasons.length = 0;
  else if (
    listeners.has(element)
    && (reasons.length || !listensForDescendants(element) || isSortHeader(element, kind) || isClickableLine(element))
  ) reasons.push('listener');
  else if (listenersMet && isItemOfListener(element, tag) && !containsControls(element)) reasons.push('listener');
  else if (listenersMet && kind.role === 'gridcell' && isCellOfListeningGrid(element)) reasons.push('listener');
  else if (listenersMet && !plain && kind === GENERIC && isNamedPart(element)) reasons.push('listener');
}

/** Add the reasons that rows and cells of a grid have: "selectable", "expandable". */
function addGridReason(element, kind, plain, reasons) {
  if (reasons.length === 0 && kind.role === 'row' && !plain && isSelectableRow(element)) reasons.push('selectable');
  if (kind.role === 'row' && !plain && isExpandableRow(element)) reasons.push('expandable');
  if (reasons.length === 0 && kind.role === 'gridcell' && isCellOfPopupGrid(element)) reasons.push('selectable');
}

export const NAMED_PARTS = '[tabindex][aria-label],[tabindex][aria-labelledby]';
/**
 * Whether an element has a name and takes the focus by script, in a part of the page that listens: one of many pictures to choose from,
 * as in the emoji dialog of TinyMCE 8.9.
 */
function isNamedPart(element) {
  if (!hasAttr(element, 'tabindex') || !isNamedAnyway(element) || containsControls(element)) return false;
  for (const ancestor of ancestorsOf(element)) if (listeners.has(ancestor)) return localNameOf(ancestor) !== 'body';
  return false;
}

/**
 * Whether a `<label>` has an empty click handler. iOS passes a press on to the field only where the label has a handler, so pages add
 * empty ones.
 */
const isIdleLabel = (element, tag) => tag.name === 'label' && attr(element, 'onclick')?.trim() === '';

/**
 * Whether a row says that it can be selected: a click does it, whichever element listens. React Aria listens at the top of the document,
 * and shows no pointer cursor.
 */
const isSelectableRow = (element) => hasAttr(element, 'aria-selected') && attr(element, 'aria-disabled') !== 'true';

/** Whether a row says that it can be expanded, and has no button for it: keys do it, or a double click. */
const isExpandableRow = (element) =>
  hasAttr(element, 'aria-expanded') && queryOne(element, 'button,[role=button],[aria-expanded]') === null;

// A cell of the grid that an open combobox has its choices in.
const popupGrids = new PerCallCache((root) =>
  [...queryAllIn(root, '[aria-haspopup=grid][aria-expanded=true]')].flatMap((opener) => [
    ...referencedElements(opener, 'aria-controls'),
    ...referencedElements(opener, 'aria-owns'),
  ])
);
/** Whether a cell is in the grid that an open combobox has its choices in. */
const isCellOfPopupGrid = (element) =>
  !containsControls(element) && popupGrids.of(treeOf(element)).some((grid) => containsNode(grid, element));

/** Whether a column header says how its column is sorted, and has no button for it; it may have a filter (Tabulator). */
const isSortHeader = (element, kind) =>
  kind.role === 'columnheader' && hasAttr(element, 'aria-sort')
  && queryOne(element, 'button,a[href],[role=button]') === null;

/**
 * Whether a grid listens on behalf of this cell: a cell with a name, with nothing but a picture, or one of a spreadsheet. A cell that
 * merely shows a value is not meant.
 */
function isCellOfListeningGrid(element) {
  if (!isNamedAnyway(element) && !hasOnlyPicture(element) && !isSpreadsheetCell(element)) return false;
  const grid = closest(element, '[role=grid],[role=treegrid]');
  if (grid === null) return false;
  for (const ancestor of ancestorsOf(element)) {
    if (listeners.has(ancestor)) return true;
    if (ancestor === grid) return false;
  }
  return false;
}

/** Whether a cell takes the focus itself, and its row is not what is selected. */
const isSpreadsheetCell = (element) =>
  hasAttr(element, 'tabindex') && closest(element, '[aria-selected]') === null && !containsControls(element);

/** Whether an element contains a picture or icon, and no text. */
const hasOnlyPicture = (element) => textContentOf(element).trim() === '' && queryOne(element, 'svg,img,i') !== null;

/**
 * Whether an element inside a control does something of its own, as the cross of a chip: it has the pointer cursor, and the control
 * around has none, or not all of its words.
 */
export function isPartOfItsOwn(element, tag, plain, pointers) {
  if (!pointers.mayMatch(element, tag, plain)) return false;
  const parent = parentNodeOf(element);
  if (!isElement(parent) || !hasPointerCursor(element)) return false;
  if (hasAllWordsAround(element)) return false;
  return !hasPointerCursor(parent) || REMOVES.test(`${attr(element, 'class')} ${attr(element, 'data-testid')}`);
}

/** Whether an element is in a combobox or text box, as the chip of a choice is. */
export const isInField = (element) => closest(element, '[role=combobox],[role=textbox]') !== null;

/** Whether an element's text is for screen readers only: too small to be seen, or reached by no press. */
function isVisuallyHiddenText(element) {
  if (childElementCountOf(element) > 0 || styleOf(element).position !== 'absolute') return false;
  const { width, height } = rectOf(element);
  return width <= 1 || height <= 1 || styleOf(element).pointerEvents === 'none';
}

/**
 * Whether an element has all the words of what is around it: then it is what is pressed, and no part of a control. A box within the label
 * of a field, or around an icon without words, does not count.
 */
function hasAllWordsAround(element) {
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
/** Whether an element without children stands beside a checkbox or radio button, as its drawing. */
function isDrawnForCheckbox(element) {
  const parent = parentNodeOf(element);
  return isElement(parent) && childElementCountOf(element) === 0 && queryOne(parent, TICKED_BESIDE) !== null;
}

/** Whether the shadow tree of a host contains a control. */
function hasControlInShadow(element) {
  const shadow = shadowRootOf(element);
  return shadow !== null && queryInFragment(shadow, HOLDS_CONTROLS).length > 0;
}

/** Whether the box of an element has a width and a height. */
export function hasArea(element) {
  const { width, height } = rectOf(element);
  return width > 0 && height > 0;
}

/** Whether an element is too small for a pointer, as the edges are that keep the focus in a dialog. */
function isTooSmallToClick(element) {
  const { width, height } = rectOf(element);
  return width <= 1 || height <= 1;
}

const TOLD_ELSEWHERE = words('a area input select textarea option label');
const MAX_PRESSED = 100; // pixels
/**
 * Return why a person clicks an element with `aria-hidden`; "" for no reason. Excluded: fields and links, which another element stands
 * for, a checkbox drawn beside the real one, and large elements (an overlay, a part of the page). Only the element's own attribute counts:
 * libraries hide the whole page behind a dialog. Seen: icons of fonts with a handler, crosses of Mantine and PrimeReact.
 */
export function pressedThoughHidden(element, tag, context) {
  if (attr(element, 'aria-hidden') !== 'true' || hasAttr(element, 'inert') || containsControls(element)) return '';
  const handler = hasAttr(element, 'onclick') ? ['onclick'] : listeners.has(element) ? ['listener'] : [];
  if (TOLD_ELSEWHERE.has(tag.name) && handler[0] !== 'onclick' || tag.name === 'button' && isDisabled(element))
    return '';
  const byCursor = context.cursor === '' && hasPointerCursor(element) ? ['cursor:pointer'] : [];
  if (handler.length + byCursor.length === 0 && tag.name !== 'button') return '';
  if (isDrawnForCheckbox(element) || !hasArea(element) || styleOf(element).pointerEvents === 'none') return '';
  const { width, height } = rectOf(element);
  if (height > MAX_PRESSED || width > 3 * MAX_PRESSED) return '';
  return [...byCursor, ...handler, 'aria-hidden'].join(', ');
}

const PRESSED = new Set(['checkbox', 'radio', 'file', 'color']);
/** Whether a control cannot be seen, so that a person presses its label, as with upload buttons and switches. */
const isPressedByLabel = (control) =>
  localNameOf(control) === 'input' && PRESSED.has(control.type) && !isDisabled(control) && hiddenness(control) !== '';

/** Whether an element is the label of a control: a click on it, or in it, is one on the control. */
export const isLabel = (element, tag) => tag.name === 'label' && controlOf(element) !== null;

/** Whether the pointer cursor is shown over an element, by itself or inherited. */
const hasPointerCursor = (element) => styleOf(element).cursor === 'pointer';
/** Return the cursor over an element if it is one for pressing or dragging; "" for any other. */
export const pointerCursorOf = (element) => {
  const { cursor } = styleOf(element);
  return CURSORS.has(cursor) ? cursor : '';
};

/** Whether a listener is for what is inside: a framework's single listener is no thing to click. */
const listensForDescendants = (element) => delegates.has(element) || containsControls(element);
const TALLEST_LINE = 48; // pixels
/**
 * Whether a low box with text of its own beside listening descendants is pressed itself, as a tree's item beside its arrow (Blueprint). A
 * higher box is mostly a card, whose listener is for what is in it.
 */
const isClickableLine = (element) =>
  !containsControls(element) && rectOf(element).height <= TALLEST_LINE && hasArea(element)
  && hasTextOutsideListeners(element);
/** Whether an element has text that is in no descendant with a listener. */
function hasTextOutsideListeners(element) {
  for (const child of childrenOf(element)) {
    if (
      isText(child)
        ? dataOf(child).trim() !== ''
        : isElement(child) && !listeners.has(child) && hasTextOutsideListeners(child)
    )
      return true;
  }
  return false;
}
/** Whether an element contains a control. */
const containsControls = (element) =>
  childElementCountOf(element) > 0 && localNameOf(element) !== 'canvas' && queryOne(element, HOLDS_CONTROLS) !== null;

/**
 * Whether an element contains an enabled control. A frame may take the focus instead of a disabled button in it, to say why it is
 * disabled (Bootstrap 5.3).
 */
function containsEnabledControls(element) {
  return containsControls(element) && [...queryAll(element, HOLDS_CONTROLS)].some((control) => !isDisabled(control));
}

/** Whether an element only wraps one button or link of the same name. */
function wrapsSameNamedControl(element, name) {
  const controls = queryAll(element, HOLDS_CONTROLS);
  if (controls.length !== 1 || !FRAMED.has(roleOf(controls[0])) || hiddenness(controls[0]) !== '') return false;
  return nameOf(controls[0]) === name;
}
const FRAMED = new Set(['button', 'link']);

// By what a panel or a cell in it is labelled, it is not called.
const WORDS_OF_CLICKED = { withoutControls: true, seen: true, noLabelledby: true };
/** Return { name, whole } of a clickable element: its text without that of controls in it; `whole` if no words are left out. */
export function clickableName({ element, kind }) {
  if (!isNamedByText(element, kind)) return { name: '', whole: false };
  const budget = { left: MAX_WORDS, visited: new Set() };
  const name = cleanName(contentName(element, budget, WORDS_OF_CLICKED))
    || nameOf(element, kind.role)
    || cleanName(attr(element, 'title') ?? '');
  return { name, whole: budget.left > 0 && kind.role !== 'row' };
}

// Whether something inside, which is no control, has words besides the name that it is called by.
const LABELLED_WITHIN = '[aria-label],[aria-labelledby]';
/** Whether an element without a role of a control, inside this one, has text besides the label that names it. */
export function holdsOtherWords(element) {
  if (childElementCountOf(element) === 0) return false;
  for (const labelled of queryAll(element, LABELLED_WITHIN)) {
    if (textContentOf(labelled).trim() !== '' && !kindOf(roleOf(labelled)).operable) return true;
  }
  return false;
}

const GRIDS = words('grid treegrid rowgroup'); // listen for their cells

/**
 * Whether a clickable element gets a line of a snapshot. Not: a frame around a control, an edge to drag, a part of the page or a text
 * that takes the focus, the box drawn for a checkbox, the edges that keep the focus in a dialog. `why`: its reasons; `whole`: its name
 * has all its words.
 */
export function isWorthALine({ element, kind, tag }, why, name, whole) {
  if (tag.name === 'span' && why === 'cursor:pointer' && isVisuallyHiddenText(element)) return false;
  if (
    name === ''
    && (isDrawnForCheckbox(element) || hasControlInShadow(element) || why === 'tabindex' && isTooSmallToClick(element))
  )
    return false;
  if (why === 'tabindex')
    return isNamedByText(element, kind) && tag.name !== 'pre' && name.length <= MAX_WORDS / 2
      && !containsEnabledControls(element);
  if (why === 'listener' && (GRIDS.has(kind.role) || isResizeHandle(element, name))) return false;
  if (!containsControls(element))
    return why !== 'listener' || whole || !CALLED_BY_WORDS.has(kind.role) || kind.role === 'row';
  return name !== '' && (whole || kind.role === 'row') && name.length <= MAX_WORDS
    && !wrapsSameNamedControl(element, name);
}

/**
 * Whether an element is dragged to resize something. Some have only a class that tells, and get the cursor when the pointer is over them.
 */
const isResizeHandle = (element, name) =>
  styleOf(element).cursor.endsWith('resize') || name === '' && /resiz/i.test(attr(element, 'class') ?? '');

/** Remember elements that listen for clicks, and which of them listen on behalf of what is inside. */
export function markListeners(...nodes) {
  listenersMet ||= nodes.length > 0;
  for (const node of nodes) if (isElement(node)) listeners.add(node);
  for (const node of nodes) {
    if (!isElement(node)) continue;
    if (!containsControls(node)) noteList(node);
    for (const ancestor of ancestorsOf(node)) {
      if (!listeners.has(ancestor)) continue;
      delegates.add(ancestor);
      forgetItems(ancestor);
    }
  }
}

Object.assign(exported, { markListeners });
