// Finds elements that can be clicked without having a role, and the reasons for that. Every snapshot lists what an attribute or a style
// sheet makes clickable; `snapshot -C` checks every element, and asks the protocol for listeners.

import { contentName } from '../accname/contents.js';
import { REMOVE_WORDS } from '../accname/hints.js';
import { CELLS, GENERIC, INLINE_TEXT_ROLES, kindOf } from '../accname/kinds.js';
import { cleanName, controlOf, hasAriaNameAttribute, nameOf } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { isDisabled } from '../accname/states.js';
import { isEditingHost } from '../accname/values.js';
import { forgetItemLists, isItemOfListener, noteIfList, rememberItemLists } from './item-lists.js';
import {
  childElementCountOf,
  closest,
  containsNode,
  dataOf,
  localNameOf,
  makeMethod,
  matches,
  parentNodeOf,
  queryAll,
  queryInFragment,
  queryOne,
  rectOf,
  styleOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  assignedNodesOf,
  attr,
  childrenOf,
  elementById,
  exported,
  hasAttr,
  hasShadowTrees,
  isElement,
  isText,
  PerCallCache,
  queryAllIn,
  referencedElements,
  shadowRootOf,
  treeOf,
  wordSet,
} from '../dom/dom.js';
import { hiddenExtent } from '../visibility/hidden.js';
import { CURSORS, hasPointerCursorOnHover } from '../visibility/style-sheets.js';

const listeners = new WeakSet();
/** Return whether the element has a click listener, as far as Python has found them by Chromium's protocol: scripts cannot. */
export const listensForClicks = (element) => listeners.has(element);
export const delegatingListeners = new WeakSet(); // listening elements with a listening descendant
let hasListeners = false;

// jQuery UI marks elements that are dragged or selected only by a class; their list listens.
const SELECTEE_CLASS = 'ui-selectee';
const DRAG_HANDLE_CLASSES = ['ui-sortable-handle', 'ui-draggable-handle', SELECTEE_CLASS];
const dragHandles = new WeakSet();
let hasDragHandles = false;
const elementsOfClass = makeMethod(Document, 'getElementsByClassName');
/** Remember the elements of a document or shadow root that jQuery UI drags or selects, by their classes. */
export function noteDragHandles(root) {
  for (const name of DRAG_HANDLE_CLASSES) {
    for (const element of elementsOfClass(root, name)) {
      dragHandles.add(element);
      hasDragHandles = true;
    }
  }
}

/** Return whether jQuery UI drags or selects the element. */
const isDragHandle = (element) =>
  hasDragHandles && dragHandles.has(element)
  && DRAG_HANDLE_CLASSES.some((name) => attr(element, 'class')?.includes(name));

export const MAX_CLICKABLES = 100; // more are only counted
const MAX_WORDS = 200;
const HOLDS_CONTROLS =
  'a[href],button,input,select,textarea,summary,[role=button i],[role=link i],[role=menuitem i],[role=tab i],[role=option i],[onclick],[role][tabindex],[tabindex]:not([tabindex="-1"])';
// Roles of elements that are named by their text. Others are parts of the page.
const ROLES_NAMED_BY_TEXT = new Set([
  '',
  ...CELLS,
  ...INLINE_TEXT_ROLES,
  ...wordSet('row listitem paragraph heading img article figure term definition'),
]);

const NATIVE_CONTROLS = wordSet('a button input select summary textarea');
const PLAYERS = wordSet('audio video');
/**
 * Return whether an element is an enabled control of HTML, even if its `role` is not that of a control: a field as an `alert`, a link as a
 * `listitem`. `tag`: its `Tag`.
 */
const isEnabledControl = (element, tag) =>
  PLAYERS.has(tag.name) && hasAttr(element, 'controls')
  || NATIVE_CONTROLS.has(tag.name) && (tag.name !== 'a' || hasAttr(element, 'href')) && !isDisabled(element);

/**
 * Return whether the text of a clickable element is its name. Not for a part of the page, such as a region, but for a group with an
 * `aria-roledescription`, such as the "node" of a diagram. `kind`: the `Kind` of its role.
 */
const isNamedByText = (element, kind) =>
  ROLES_NAMED_BY_TEXT.has(kind.role) || kind.role === 'group' && hasAttr(element, 'aria-roledescription');

/**
 * Return whether an element could be clickable, by a cheap test; `clickReasons` then decides. `kind`, `tag`: facts about its role and tag;
 * `bare`: it has no attributes; `plain`: none that matters here; `pointers`: the ElementFilter of CSS rules that set a pointer cursor.
 */
export function mayBeClickable({ element, kind, tag, bare, plain }, pointers) {
  if (tag.custom || tag.name === 'label' || pointers.mayMatch(element, tag, bare)) return true;
  if (hasListeners && (listeners.has(element) || isItemOfListener(element, tag)) || isDragHandle(element)) return true;
  if (kind.role === 'gridcell' && isCellOfPopupGrid(element)) return true;
  if (plain) return false;
  if (
    hasAttr(element, 'onclick') || hasAttr(element, 'tabindex') || hasAttr(element, 'contenteditable')
    || hasAttr(element, 'draggable')
    || hasListeners && kind.role === 'gridcell' || isEnabledControl(element, tag)
  )
    return true;
  if (kind.role === 'row' && (isSelectableRow(element) || isExpandableRow(element))) return true;
  const style = attr(element, 'style');
  return style !== null && style.includes('cursor');
}

/**
 * Return why a person could click an element that is no control, such as "cursor:pointer, listener"; "" for no reason. `kind` and `tag`:
 * facts about its role and tag; `bare`: it has no attributes; `context.cursor`: the pointer cursor around it, "" for none: if the element
 * has the same cursor, that is inherited, and no reason.
 */
export function clickReasons({ element, kind, tag, bare }, context) {
  if (kind.operable || tag.name === 'body' || tag.name === 'html') return '';
  const control = tag.name === 'label' ? controlOf(element) : null;
  if (control !== null && !isPressedByLabel(control) || !bare && isIdleLabel(element, tag)) return '';
  const reasons = [];
  const cursor = pointerCursorOf(element);
  if (cursor !== '' && cursor !== context.cursor) reasons.push(`cursor:${cursor}`);
  else if (context.cursor === '' && hasPointerCursorOnHover(element, tag, bare)) reasons.push('cursor:pointer');
  if (!bare && hasAttr(element, 'onclick')) reasons.push('onclick');
  else addListenerReason(element, kind, tag, bare, reasons);
  if (kind.cell || kind.role === 'row') addGridReason(element, kind, bare, reasons);
  if (!bare && isReachedByKeys(element, kind)) reasons.push('tabindex');
  if (isDragHandle(element) && attr(element, 'class').includes(SELECTEE_CLASS)) reasons.push('selectable');
  else if (!bare && attr(element, 'draggable') === 'true' || isDragHandle(element)) reasons.push('draggable');
  if (!bare && isEditingHost(element)) reasons.push('editable');
  if (control !== null) reasons.push(control.checked ? 'label, checked' : 'label');
  if (reasons.length === 0 && !bare && isEnabledControl(element, tag)) reasons.push(tag.name);
  return reasons.join(', ');
}

/**
 * Return whether Tab leads to an element, or the arrow keys do. Of the items of a list often only one has a `tabindex` of 0, and the others
 * -1 until it is their turn: then an element of the same tag and class in the list has the 0, or a cell of the same grid. `kind`: of its
 * role.
 */
function isReachedByKeys(element, kind) {
  const index = attr(element, 'tabindex');
  if (index !== '-1') return index !== null && index !== '' && Number(index) >= 0;
  if (kind.cell) {
    const grid = closest(element, GRIDS);
    return grid !== null && isSpreadsheetCell(element) && hasCellReachedByTab.of(grid);
  }
  const item = closest(element, 'li,[role=listitem i]');
  const list = item === null ? null : parentNodeOf(item);
  return list !== null && kindsReachedByTab.of(list).has(tagAndClassOf(element));
}

const GRIDS = '[role=grid i],[role=treegrid i]';
const hasCellReachedByTab = new PerCallCache((grid) =>
  [...queryAllIn(grid, '[tabindex="0"]')].some((each) => kindOf(roleOf(each)).cell)
);

/** Return tag and class of an element as one text, to compare items of a list. */
const tagAndClassOf = (element) => `${localNameOf(element)} ${attr(element, 'class')}`;
// List → tags and classes of those elements in it that Tab leads to.
const kindsReachedByTab = new PerCallCache((list) =>
  new Set([...queryAllIn(list, '[tabindex="0"]')].map(tagAndClassOf))
);

/**
 * Add "listener" to the array `reasons` if a click listener is meant for this element; empty the array if it is meant for items in it.
 * `kind`, `tag`: facts about its role and tag; `bare`: it has no attributes.
 */
function addListenerReason(element, kind, tag, bare, reasons) {
  if (listeners.has(element) && !listensForDescendants(element) && rememberItemLists(element, reasons.length > 0))
    reasons.length = 0;
  else if (
    listeners.has(element)
    && (reasons.length || !listensForDescendants(element) || isSortHeader(element, kind) || isClickableLine(element))
  ) reasons.push('listener');
  else if (hasListeners && isItemOfListener(element, tag) && !containsControls(element)) reasons.push('listener');
  else if (hasListeners && kind.role === 'gridcell' && isCellOfListeningGrid(element)) reasons.push('listener');
  else if (hasListeners && !bare && kind === GENERIC && isNamedPart(element)) reasons.push('listener');
}

/**
 * Add to `reasons` why a row or cell of a grid is clicked: "selectable", "expandable". `kind`: of its role; `bare`: it has no attributes.
 */
function addGridReason(element, kind, bare, reasons) {
  if (reasons.length === 0 && kind.role === 'row' && !bare && isSelectableRow(element)) reasons.push('selectable');
  if (kind.role === 'row' && !bare && isExpandableRow(element)) reasons.push('expandable');
  if (reasons.length === 0 && kind.role === 'gridcell' && isCellOfPopupGrid(element)) reasons.push('selectable');
}

export const NAMED_PARTS = '[tabindex][aria-label],[tabindex][aria-labelledby]';
/**
 * Return whether an element is one of many to choose from, for which an ancestor listens, as in the emoji dialog of TinyMCE 8.9: it has an
 * ARIA name and a `tabindex`, contains no control, and its nearest ancestor that listens for clicks is not the body.
 */
function isNamedPart(element) {
  if (!hasAttr(element, 'tabindex') || !hasAriaNameAttribute(element) || containsControls(element)) return false;
  for (const ancestor of ancestorsOf(element)) if (listeners.has(ancestor)) return localNameOf(ancestor) !== 'body';
  return false;
}

/**
 * Return whether a `<label>` has an empty click handler. On iOS a label needs a handler to pass a press on to its field, so pages add empty
 * ones.
 */
const isIdleLabel = (element, tag) => tag.name === 'label' && attr(element, 'onclick')?.trim() === '';

/**
 * Return whether a row can be selected (`aria-selected`): by a click, whichever element listens. React Aria listens on the document, and
 * shows no pointer cursor.
 */
const isSelectableRow = (element) => hasAttr(element, 'aria-selected') && attr(element, 'aria-disabled') !== 'true';

/**
 * Return whether a row itself is pressed to expand it, by keys or a double click: it has `aria-expanded`, and contains no button for that.
 */
const isExpandableRow = (element) =>
  hasAttr(element, 'aria-expanded') && queryOne(element, 'button,[role=button i],[aria-expanded]') === null;

// The grids in which open comboboxes of a tree show their options.
const popupGrids = new PerCallCache((root) =>
  [...queryAllIn(root, '[aria-haspopup=grid][aria-expanded=true]')].flatMap((opener) => [
    ...referencedElements(opener, 'aria-controls'),
    ...referencedElements(opener, 'aria-owns'),
  ])
);
/** Return whether a cell is an option of an open combobox that shows a grid. */
const isCellOfPopupGrid = (element) =>
  !containsControls(element) && popupGrids.of(treeOf(element)).some((grid) => containsNode(grid, element));

/**
 * Return whether a click on a column header sorts by it: it has `aria-sort`, and contains no button for that; it may contain a filter
 * (Tabulator). `kind`: the `Kind` of its role.
 */
const isSortHeader = (element, kind) =>
  kind.role === 'columnheader' && hasAttr(element, 'aria-sort')
  && queryOne(element, 'button,a[href],[role=button i]') === null;

/**
 * Return whether an ancestor of a cell, up to its grid, listens for clicks on it. True only for a cell with an ARIA name, with only a
 * picture, or that can be focused as in a spreadsheet.
 */
function isCellOfListeningGrid(element) {
  if (!hasAriaNameAttribute(element) && !hasOnlyPicture(element) && !isSpreadsheetCell(element)) return false;
  const grid = closest(element, GRIDS);
  if (grid === null) return false;
  for (const ancestor of ancestorsOf(element)) {
    if (listeners.has(ancestor)) return true;
    if (ancestor === grid) return false;
  }
  return false;
}

/** Return whether a cell is one to work in, as in a spreadsheet: it can be focused, contains no control, and its row cannot be selected. */
const isSpreadsheetCell = (element) =>
  hasAttr(element, 'tabindex') && closest(element, '[aria-selected]') === null && !containsControls(element);

/** Return whether an element contains a picture or icon, and no text of its own. */
const hasOnlyPicture = (element) => textContentOf(element).trim() === '' && queryOne(element, 'svg,img,i') !== null;

/**
 * Return whether a press on an element inside a control does something else than one on the control, such as the cross that removes a chip.
 * All of this holds then:
 *
 * - it has the pointer cursor; its parent has another one, or its class or `data-testid` names it as a remove button
 * - it lacks some text of the control, and does not draw a switch in its label
 *
 * `tag`: its `Tag`; `bare`: it has no attributes; `pointers`: the ElementFilter of CSS rules that set that cursor.
 */
export function hasOwnAction(element, tag, bare, pointers) {
  if (!pointers.mayMatch(element, tag, bare)) return false;
  const parent = parentNodeOf(element);
  if (!isElement(parent) || !hasPointerCursor(element)) return false;
  if (hasAllTextOfAncestors(element) || isDrawnInLabelOfSwitch(element)) return false;
  return !hasPointerCursor(parent) || REMOVE_WORDS.test(`${attr(element, 'class')} ${attr(element, 'data-testid')}`);
}

/** Return whether an element is in a combobox or text box, as the chip of a chosen option. */
export const isInField = (element) => closest(element, '[role=combobox i],[role=textbox i]') !== null;

/** Return whether an element has text for screen readers only: it is `position: absolute`, and of no size or without pointer events. */
function isVisuallyHiddenText(element) {
  if (childElementCountOf(element) > 0 || styleOf(element).position !== 'absolute') return false;
  const { width, height } = rectOf(element);
  return width <= 1 || height <= 1 || styleOf(element).pointerEvents === 'none';
}

/**
 * Return whether an element has all the text of its ancestors, up to four levels: then it is not a separate part of a control. False for a
 * box in the label of a field, or around an icon without text.
 */
function hasAllTextOfAncestors(element) {
  const text = textContentOf(element).trim();
  let around = parentNodeOf(element);
  for (let levels = 0; isElement(around) && levels < MAX_ANCESTOR_LEVELS; levels++, around = parentNodeOf(around)) {
    if (textContentOf(around).trim() !== text) return false;
    if (text === '' && !kindOf(roleOf(around)).operable) continue;
    if (localNameOf(around) === 'label' || closest(around, 'label') === null) return true;
  }
  return true;
}
const MAX_ANCESTOR_LEVELS = 4;

const CHILD_CHECKBOX = ':scope > input[type=checkbox],:scope > input[type=radio]';
/** Return whether an element probably draws the checkbox or radio button beside it: it has no children. */
function isDrawnForCheckbox(element) {
  const parent = parentNodeOf(element);
  return isElement(parent) && childElementCountOf(element) === 0 && queryOne(parent, CHILD_CHECKBOX) !== null;
}

const SWITCHES = 'input[type=checkbox],input[type=radio],button';
/**
 * Return whether an element is in the `<label>` of a switch (checkbox, radio button, button) and does not listen: a press on it is one on
 * the switch, which it may draw.
 */
function isDrawnInLabelOfSwitch(element) {
  const label = closest(element, 'label');
  const control = label === null ? null : controlOf(label);
  return control !== null && matches(control, SWITCHES) && !listeners.has(element);
}

/**
 * Return whether the shadow tree of an element has the control that a press on the element means: one that is its only one, and has its
 * `name`; without a name any.
 */
function hasControlInShadow(element, name) {
  const shadow = shadowRootOf(element);
  const controls = shadow === null ? [] : queryInFragment(shadow, HOLDS_CONTROLS);
  return name === '' ? controls.length > 0 : controls.length === 1 && nameOf(controls[0]) === name;
}

/** Return whether the box of an element has a width and a height. */
export function hasVisibleSize(element) {
  const { width, height } = rectOf(element);
  return width > 0 && height > 0;
}

/**
 * Return whether an element is at most a pixel wide or high, and is no target: one with only a `tabindex`, as those that keep the focus in
 * a dialog; one with only a pointer cursor, if it clips its content. `why`: its reasons by `clickReasons`, such as "tabindex".
 */
function isTooSmallToClick(element, why) {
  const { width, height } = rectOf(element);
  if (width > 1 && height > 1) return false;
  return why === 'tabindex' || why === 'cursor:pointer' && styleOf(element).overflow !== 'visible';
}

const LISTED_OTHERWISE = wordSet('a area input select textarea option label');
const MAX_PRESSED_SIZE = 100; // pixels of height; three times that of width
/**
 * Return why a person clicks an element with `aria-hidden`, such as "cursor:pointer, aria-hidden"; "" for no reason. Found so: icon fonts
 * with a handler, the crosses of Mantine and PrimeReact. No reason have:
 *
 * - fields, links with the address of another one, the drawing beside a checkbox
 * - large elements: an overlay, a part of the page
 * - elements in an `aria-hidden` one, since libraries hide the whole page behind a dialog
 *
 * `tag`: its `Tag`; `context.cursor`: the pointer cursor around it, "" for none.
 */
export function reasonsToPressHidden(element, tag, context) {
  if (attr(element, 'aria-hidden') !== 'true' || hasAttr(element, 'inert') || containsControls(element)) return '';
  const handler = hasAttr(element, 'onclick') ? ['onclick'] : listeners.has(element) ? ['listener'] : [];
  const isLink = isLinkTag(element, tag);
  const isControl = tag.name === 'button' || isLink && isOnlyLinkTo(element);
  if (LISTED_OTHERWISE.has(tag.name) && handler[0] !== 'onclick' && !isControl || isControl && isDisabled(element))
    return '';
  const byCursor = !isLink && context.cursor === '' && hasPointerCursor(element) ? ['cursor:pointer'] : [];
  if (handler.length + byCursor.length === 0 && !isControl) return '';
  if (isDrawnForCheckbox(element) || !hasVisibleSize(element) || styleOf(element).pointerEvents === 'none') return '';
  const { width, height } = rectOf(element);
  if (height > MAX_PRESSED_SIZE || width > 3 * MAX_PRESSED_SIZE) return '';
  return [...byCursor, ...handler, 'aria-hidden'].join(', ');
}

/** Return whether an element is a link of HTML: an `<a>` with an address. `tag`: its `Tag`. */
export const isLinkTag = (element, tag) => tag.name === 'a' && hasAttr(element, 'href');

const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading i]';
/**
 * Return whether a link is the only way to its address: no other visible link has it. True for an address that says nothing (`#`,
 * `javascript:`), as of the "Close" of a dialog. False for a link in a heading, such as an anchor sign, and for one to an existing place of
 * this page.
 */
function isOnlyLinkTo(link) {
  const href = attr(link, 'href') ?? '';
  if (closest(link, HEADINGS) !== null) return false;
  if (href === '' || href === '#' || href.startsWith('javascript:')) return true; // what it does is up to a script
  if (href.startsWith('#') && elementById(link, href.slice(1)) !== null) return false;
  return ![...queryAllIn(treeOf(link), `a[href="${CSS.escape(href)}"]:not([aria-hidden=true])`)]
    .some((other) => hiddenExtent(other) === '');
}

const TYPES_PRESSED_BY_LABEL = new Set(['checkbox', 'radio', 'file', 'color']);
/** Return whether a control is hidden and enabled, so that a person presses its label, as with upload buttons and switches. */
const isPressedByLabel = (control) =>
  localNameOf(control) === 'input' && TYPES_PRESSED_BY_LABEL.has(control.type) && !isDisabled(control)
  && hiddenExtent(control) !== '';

/** Return whether an element is the `<label>` of a control. `tag`: its `Tag`. */
export const isLabel = (element, tag) => tag.name === 'label' && controlOf(element) !== null;

/** Return whether the pointer cursor is shown over an element, by itself or inherited. */
const hasPointerCursor = (element) => styleOf(element).cursor === 'pointer';
/** Return the cursor over an element if it is one for pressing or dragging; "" for any other. */
export const pointerCursorOf = (element) => {
  const { cursor } = styleOf(element);
  return CURSORS.has(cursor) ? cursor : '';
};

/** Return whether the listener of an element serves its descendants, and not itself: one of these listens, too, or is a control. */
const listensForDescendants = (element) => delegatingListeners.has(element) || isAroundControls(element);
/** Return whether an element contains a control, or several in shadow trees below it. */
const isAroundControls = (element) =>
  containsControls(element)
  || (hasShadowTrees || shadowRootOf(element) !== null) && countControlsInFlatTree(element) > 1;
const MAX_NODES_TO_COUNT = 500;
/** Return how many controls are below an element, those in shadow trees included, as far as its first 500 nodes show; 2 for several. */
function countControlsInFlatTree(element, budget = { nodes: MAX_NODES_TO_COUNT, found: 0 }) {
  for (const child of childrenOf(element)) {
    if (budget.found > 1 || budget.nodes-- <= 0) break;
    if (!isElement(child)) continue;
    if (matches(child, HOLDS_CONTROLS)) budget.found++;
    countControlsInFlatTree(child, budget);
  }
  return budget.found;
}
const MAX_LINE_HEIGHT = 48; // pixels
/**
 * Return whether an element is pressed itself although descendants listen for clicks, too, such as a tree item beside its arrow
 * (Blueprint): it is as high as a line, and has text outside of them. A higher one is mostly a card, whose listener is for its contents.
 */
const isClickableLine = (element) =>
  !isAroundControls(element) && rectOf(element).height <= MAX_LINE_HEIGHT && hasVisibleSize(element)
  && hasTextOutsideListeners(element);
/** Return whether an element has text that is in no descendant with a listener. */
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
/** Return whether an element contains a control, or a slot in it shows one. */
const containsControls = (element) =>
  childElementCountOf(element) > 0 && localNameOf(element) !== 'canvas'
  && (queryOne(element, HOLDS_CONTROLS) !== null || controlsInSlots(element).length > 0);

/** Return the controls that slots in an element show; [] outside of shadow trees, where slots show nothing. */
const controlsInSlots = (element) =>
  treeOf(element) === document
    ? []
    : [...queryAll(element, 'slot')].flatMap((slot) =>
      [...assignedNodesOf(slot)].filter(isElement).flatMap((shown) =>
        matches(shown, HOLDS_CONTROLS) ? [shown] : [...queryAll(shown, HOLDS_CONTROLS)]
      )
    );

/** Return the controls in an element, those that slots in it show included. */
const shownControlsIn = (element) => [...queryAll(element, HOLDS_CONTROLS), ...controlsInSlots(element)];

/**
 * Return whether an element contains an enabled control. An element around a disabled button may take the focus to explain that (Bootstrap
 * 5.3).
 */
const containsEnabledControls = (element) =>
  containsControls(element) && shownControlsIn(element).some((control) => !isDisabled(control));

/** Return whether the only control in an element is a button or link with the accessible name `name`. */
function wrapsSameNamedControl(element, name) {
  const controls = shownControlsIn(element);
  if (controls.length !== 1 || !WRAPPED_ROLES.has(roleOf(controls[0])) || hiddenExtent(controls[0]) !== '')
    return false;
  return nameOf(controls[0]) === name;
}
const WRAPPED_ROLES = new Set(['button', 'link']);

// Options of `contentName`. Labels of panels or cells inside are not part of the name.
const CLICKABLE_NAME_OPTIONS = { withoutControls: true, visibleOnly: true, noLabelledby: true };
/**
 * Return { name, whole } of a clickable element without a control's role. `name`: its text without that of controls in it, else its
 * accessible name or tooltip, "" for a part of the page, such as a region; `whole`: whether the name is not cut.
 */
export function clickableName({ element, kind }) {
  if (!isNamedByText(element, kind)) return { name: '', whole: false };
  const budget = { left: MAX_WORDS, visited: new Set() };
  const name = cleanName(contentName(element, budget, CLICKABLE_NAME_OPTIONS))
    || nameOf(element, kind.role)
    || cleanName(attr(element, 'title') ?? '');
  return { name, whole: budget.left > 0 && kind.role !== 'row' };
}

const LABELLED_WITHIN = '[aria-label],[aria-labelledby]';
/** Return whether a descendant that is no control has both text and an ARIA label, which replaces the text in the element's name. */
export function hasTextReplacedByLabel(element) {
  if (childElementCountOf(element) === 0) return false;
  for (const labelled of queryAll(element, LABELLED_WITHIN)) {
    if (textContentOf(labelled).trim() !== '' && !kindOf(roleOf(labelled)).operable) return true;
  }
  return false;
}

const LISTENING_GRID_ROLES = wordSet('grid treegrid rowgroup'); // listen for their cells

/**
 * Return whether a clickable element gets a line in a snapshot. `kind`, `tag`: facts about its role and tag; `why`: its reasons by
 * `clickReasons`, such as "listener"; `name`, `whole`: by `clickableName`. Left out are:
 *
 * - a wrapper around a control, the drawing of a checkbox, a resize handle
 * - the words of a tree item, a line in a menu
 * - a focusable part of the page or text, invisible elements that keep the focus in a dialog
 */
export function deservesLine({ element, kind, tag }, why, name, whole) {
  if (tag.name === 'span' && why === 'cursor:pointer' && isVisuallyHiddenText(element)) return false;
  if (name === '' && (isDrawnForCheckbox(element) || isTooSmallToClick(element, why))) return false;
  if (hasControlInShadow(element, name) || isTreeItemText(element, name)) return false;
  if (why === 'tabindex')
    return isNamedByText(element, kind) && tag.name !== 'pre' && name.length <= MAX_WORDS / 2
      && !containsEnabledControls(element) && !isMenuSeparator(element, name);
  if (why === 'listener' && (LISTENING_GRID_ROLES.has(kind.role) || isResizeHandle(element, name))) return false;
  if (!containsControls(element))
    return why !== 'listener' || whole || !ROLES_NAMED_BY_TEXT.has(kind.role) || kind.role === 'row';
  return name !== '' && (whole || kind.role === 'row') && name.length <= MAX_WORDS
    && !wrapsSameNamedControl(element, name);
}

/**
 * Return whether an element is all that a tree item says, without the items below that, and as wide: then a press on the item is a press on
 * the element.
 */
function isTreeItemText(element, name) {
  const item = closest(element, '[role=treeitem i]');
  return item !== null && item !== element && name !== '' && nameOf(item, 'treeitem') === name
    && rectOf(element).width >= rectOf(item).width;
}

/** Return whether an element is the line between items of a menu: it says nothing, and shows no picture. */
const isMenuSeparator = (element, name) =>
  name === '' && closest(element, '[role=menu i]') !== null && queryOne(element, 'svg,img') === null;

/** Return whether an element is dragged to resize something, by its cursor; without a name, also by its class. */
export const isResizeHandle = (element, name) =>
  styleOf(element).cursor.endsWith('resize') || name === '' && /resiz/i.test(attr(element, 'class') ?? '');

/** Remember these elements as listening for clicks, and which of their listening ancestors have listening descendants. */
export function markListeners(...nodes) {
  hasListeners ||= nodes.length > 0;
  for (const node of nodes) if (isElement(node)) listeners.add(node);
  for (const node of nodes) {
    if (!isElement(node)) continue;
    if (!containsControls(node)) noteIfList(node);
    for (const ancestor of ancestorsOf(node)) {
      if (!listeners.has(ancestor)) continue;
      delegatingListeners.add(ancestor);
      forgetItemLists(ancestor);
    }
  }
}

Object.assign(exported, { markListeners });
