// Custom widgets to choose from, recognised by ARIA and only then by widget rules (rules.js): elements that open a list of options or
// are one, and the widget that replaces a hidden `<select>`.

import { labelsOf } from '../accname/names.js';
import { explicitRoleOf, isFocusable, roleOf } from '../accname/roles.js';
import { fillKind } from '../accname/values.js';
import {
  bodyOf,
  isRendered,
  localNameOf,
  matches,
  queryAll,
  queryOne,
  rectOf,
  rootElementOf,
  rootOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  containsInFlatTree,
  exported,
  hasAttr,
  isElement,
  queryAllIn,
  shadowRootOf,
} from '../dom/dom.js';
import { nodeWithInternals } from '../dom/internals.js';
import { idOf, idOfOnly } from '../dom/node-table.js';
import { hasBox } from '../layout/visible.js';
import { readVisibleText } from '../read/text.js';
import { fieldOfSpinButton, isCustomSlider } from './steps.js';

const OPTION_POPUP_ROLES = new Set(['listbox', 'tree', 'grid']);
const PRESSED_ROLES = new Set(['button', 'link', 'checkbox', 'switch', 'tab', 'menuitem', 'option']);
// More elements in a widget or list are not read.
const MAX_ELEMENTS_BELOW = 20000;
// Levels between an element and the ancestor that is its widget, or displays its value.
export const MAX_WIDGET_DISTANCE = 4;
// A higher element is more than the visible part of one field.
const MAX_FIELD_HEIGHT = 80; // pixels

/** Return whether an element is a `<select>`. */
export const isNativeList = (element) => localNameOf(element) === 'select';

/** Return whether an element is an `<input>` or `<textarea>`. */
export const isTextInput = (element) => localNameOf(element) === 'input' || localNameOf(element) === 'textarea';
/** Return whether an attribute of an element is "true". */
export const isAttrTrue = (element, name) => attr(element, name) === 'true';

/**
 * Return whether an element opens a list of options: a combobox, a field with a `<datalist>`, or an element with such an `aria-haspopup`;
 * not a `<select>`.
 */
export function isOpener(element) {
  if (isNativeList(element)) return false;
  const role = explicitRoleOf(element);
  if (role === 'combobox' || localNameOf(element) === 'input' && hasAttr(element, 'list')) return true;
  if (role === 'listbox') return localNameOf(element) === 'input' || hasAttr(element, 'aria-expanded');
  return OPTION_POPUP_ROLES.has(attr(element, 'aria-haspopup'));
}

/** Return whether an element is a list box or radio group whose options are always displayed, with nothing to open; not a `<select>`. */
const isPermanentList = (element) =>
  !isNativeList(element) && (explicitRoleOf(element) === 'listbox' || explicitRoleOf(element) === 'radiogroup')
  && !isOpener(element) && !isEmptyListbox(element);

/**
 * Return whether an element is a focusable listbox without options, in it or by ARIA elsewhere: a press on it may reveal options that have
 * no role.
 */
export const isEmptyListbox = (element) =>
  explicitRoleOf(element) === 'listbox' && isFocusable(element) && !hasAttr(element, 'aria-owns')
  && !hasAttr(element, 'aria-activedescendant') && !shadowRootOf(element)
  && queryOne(element, '[role=option i],[role=menuitemradio i],[role=menuitemcheckbox i],[aria-selected],slot')
    === null;
/** Return whether an element is a radio button. */
export const isRadio = (element) => roleOf(element) === 'radio';
/**
 * Return whether an element is a custom widget to choose from: one that opens a list, a list that is always displayed, or a radio button;
 * not a `<select>`.
 */
export const isWidget = (element) => isOpener(element) || isPermanentList(element) || isRadio(element);

/**
 * Yield the elements below a node in the flat tree, the tree as it is rendered, at most `budget.left` of them. The content of elements for
 * which `isSkipped` returns true is left out.
 * @param {(element: Element) => boolean} isSkipped
 */
export function* descendantsInFlatTree(node, isSkipped = (_) => false, budget = { left: MAX_ELEMENTS_BELOW }) {
  for (const child of childrenOf(node)) {
    if (!isElement(child) || budget.left-- <= 0) continue;
    yield child;
    if (!isSkipped(child)) yield* descendantsInFlatTree(child, isSkipped, budget);
  }
}

/** Return the elements below a node, in the flat tree, for which `condition` returns true, without those inside of another one. */
export const outermostMatches = (node, condition) => [...descendantsInFlatTree(node, condition)].filter(condition);

/**
 * Return whether an element is hidden as widgets hide the `<select>` that they replace: without a box, tiny, in a tiny box that clips it,
 * or transparent with `pointer-events: none`.
 */
export function isVisuallyHidden(element) {
  const style = getComputedStyle(element);
  return isTinyBox(element) || style.opacity === '0' && style.pointerEvents === 'none' || !hasBox(element)
    || [...ancestorsOf(element)].slice(0, 2).some((outer) =>
      isTinyBox(outer) && getComputedStyle(outer).overflow !== 'visible'
    );
}

/** Return whether an element's box is at most 2 px wide or high. A visible `<select>` without options may have no width. */
function isTinyBox(element) {
  const box = rectOf(element);
  const isEmptyList = isNativeList(element) && element.length === 0 && hasBox(element);
  return box.width <= 2 && !isEmptyList || box.height <= 2;
}

/**
 * Return the visible ancestor to press for a field that opens a list and has no width, like that in a tag box which shows only its chosen
 * options. Null for a hidden or visible field, and if the ancestor contains another field.
 */
export function findVisibleBoxAround(field) {
  if (!isOpener(field) || hasBox(field) || !isRendered.call(field, { visibilityProperty: true })) return null;
  for (const outer of [...ancestorsOf(field)].slice(0, MAX_WIDGET_DISTANCE - 1)) {
    if (rectOf(outer).height > MAX_FIELD_HEIGHT || outer === bodyOf(document)) return null;
    if (outermostMatches(outer, (inner) => inner !== field && (isWidget(inner) || isNativeList(inner))).some(hasBox))
      return null;
    if (hasBox(outer) && !isTinyBox(outer)) return outer;
  }
  return null;
}

// Elements that replace a hidden `<select>`.
export const replacements = new WeakSet();

/**
 * Return the id of the widget that a person uses instead of the element of an id: the one that replaces a hidden `<select>`, or the only
 * one in an element that is no field itself. 0 if the element itself is used, or for several. `command`: "fill" or "select".
 */
export function findReplacementWidget(id, command) {
  const element = nodeWithInternals(id);
  if (!element) return 0;
  if (isNativeList(element)) return replacementOfHiddenList(element);
  if (isWidget(element) || fillKind(element) || PRESSED_ROLES.has(roleOf(element))) return 0;
  return command === 'fill' ? fieldToFillInside(element) : widgetToSelectInside(element);
}
exported.findReplacementWidget = findReplacementWidget;

/** Return the id of the widget that replaces a hidden `<select>`; 0 for none, or if the `<select>` is visible. */
function replacementOfHiddenList(list) {
  const widget = isVisuallyHidden(list) ? findWidgetReplacing(list) : null;
  if (!widget) return 0;
  replacements.add(widget);
  return idOf(widget);
}

/** Return the id of the only field in an element, which the command `fill` then fills; 0 for none, or several. */
function fieldToFillInside(element) {
  const spinButtonField = fieldOfSpinButton(element);
  return spinButtonField ? idOf(spinButtonField) : idOfOnlyWidget(fieldsInside(element));
}

/**
 * Return the id of the only widget or `<select>` in an element, or of the one whose value it displays, for the command `select`; 0 for
 * none, or several.
 */
function widgetToSelectInside(element) {
  /** Return whether `select` can choose from an element: an `isWidget` element, or a visible `<select>`. */
  const isChoice = (inner) => isWidget(inner) || isVisibleNativeList(inner);
  const found = outermostMatches(element, isChoice).filter(isReachable);
  return found.length > 0 ? idOfOnlyWidget(found) : idOfWidgetShownBy(element);
}

/** Return the id of the only widget in an array; of radio buttons the first; 0 for none or several. */
const idOfOnlyWidget = (found) => found.length > 0 && found.every(isRadio) ? idOf(found[0]) : idOfOnly(found);

/**
 * Return the id of the combobox around a field, as in ARIA 1.1 (`<div role=combobox><input></div>`), among its nearest ancestors; 0 for
 * none.
 */
exported.findComboboxAround = (id) => {
  const element = nodeWithInternals(id);
  const around = element ? [...ancestorsOf(element)].slice(0, MAX_WIDGET_DISTANCE) : [];
  const found = around.find((outer) => explicitRoleOf(outer) === 'combobox');
  return found ? idOf(found) : 0;
};

/**
 * Return the id of the widget whose value an element displays: the one around it, or the only one in an ancestor that is no higher than a
 * field; 0 for none.
 */
function idOfWidgetShownBy(element) {
  for (const outer of [...ancestorsOf(element)].slice(0, MAX_WIDGET_DISTANCE - 1)) {
    if (isOpener(outer)) return idOf(outer);
    if (rectOf(outer).height > MAX_FIELD_HEIGHT) return 0;
    const inside = outermostMatches(outer, (inner) => isWidget(inner) || isNativeList(inner));
    if (inside.length > 0) return inside.length === 1 && isOpener(inside[0]) ? idOf(inside[0]) : 0;
  }
  return 0;
}

/** Return whether an element is a `<select>` that a person can see. */
const isVisibleNativeList = (element) => isNativeList(element) && !isVisuallyHidden(element);
/**
 * Return whether an element can be pressed: it has a visible box, or is a radio button, which may be invisible and be pressed by its label.
 */
export const isReachable = (element) => hasBox(element) || isRadio(element);

/**
 * Return the visible fields in an element that `fill` may use instead of it: in a custom element all; in any other only if all are
 * radio buttons, or all are sliders; else [].
 */
function fieldsInside(element) {
  /** Return whether an element can be filled: with text, by steps like a slider, or as a radio button. */
  const isField = (inner) => Boolean(fillKind(inner)) || isCustomSlider(inner) || isRadio(inner);
  const found = outermostMatches(element, isField).filter(isReachable);
  const isComponent = shadowRootOf(element) !== null || localNameOf(element).includes('-');
  return isComponent || found.every(isRadio) || found.every(isCustomSlider) ? found : [];
}

/**
 * Return the visible widget that replaces a hidden `<select>`: one around it, else one beside it, or beside the element that hides it, if
 * it replaces no other `<select>`. Null for none.
 */
function findWidgetReplacing(list) {
  const outer = [...ancestorsOf(list)].slice(0, 3);
  const around = outer.find(isVisibleWidget);
  if (around) return around;
  for (const part of [list, ...outer.filter(isTinyBox)]) {
    const row = findWidgetsInRow(part, list);
    const at = row.findIndex((item) => item.list === list);
    const lists = row.filter((item) => item.list), boxes = row.filter((item) => item.box);
    const found = lists.length === boxes.length
      ? boxes[lists.indexOf(row[at])]
      : row[at + 1]?.box && row[at + 1] || row[at - 1]?.box && !row[at - 2]?.list && row[at - 1];
    if (found) return found.box;
  }
  return null;
}

/** Return whether an element is a visible widget to choose from, by its role. */
const isVisibleWidget = (element) => (isOpener(element) || isPermanentList(element)) && hasBox(element);

// Elements that are read at most to either side of a native list.
const MAX_SIBLINGS_READ = 40;

/**
 * Return the row of fields in which a hidden `<select>` (`list`) stands: among the siblings of `part`, in order, each hidden `<select>` (as
 * `list`) and each widget (as `box`). The row ends at labels of other fields. `part`: the `<select>`, or the element that hides it.
 * @returns {({ list: Element, box?: undefined } | { box: Element, list?: undefined })[]}
 */
function findWidgetsInRow(part, list) {
  const before = [...siblingsInDirection(part, 'previousElementSibling')].reverse();
  const row = [...before, part, ...siblingsInDirection(part, 'nextElementSibling')];
  const own = before.length;
  const lists = row.map((each) => each === part ? list : hiddenListIn(each));
  const isLabelOfOther = row.map((each, at) =>
    localNameOf(each) === 'label' && !lists.slice(0, at).some((other) => other && other === each.control)
  );
  const labelBefore = isLabelOfOther.lastIndexOf(true, own), labelAfter = isLabelOfOther.indexOf(true, own);
  const chosen = lists.filter(Boolean).map((each) => cleanText(each.selectedOptions[0]?.label ?? ''));
  return row.map((each, at) => lists[at] ? { list: lists[at] } : { box: findWidgetIn(each, chosen) })
    .slice(labelBefore + 1, labelAfter < 0 ? row.length : labelAfter)
    .filter((item) => item.list || item.box);
}

/** Yield the siblings of an element in one direction, the nearest first. `property`: "previousElementSibling" or "nextElementSibling". */
function* siblingsInDirection(element, property) {
  let sibling = element[property];
  for (let steps = 0; sibling && steps < MAX_SIBLINGS_READ; steps++, sibling = sibling[property]) yield sibling;
}

/** Return the hidden `<select>` that an element is, or contains if its box is tiny; null for none. */
function hiddenListIn(element) {
  const list = isNativeList(element) ? element : isTinyBox(element) ? queryOne(element, 'select') : null;
  return list && isVisuallyHidden(list) ? list : null;
}

/**
 * Return the visible widget that an element is, or contains; else the element itself, if it opens something by ARIA, or displays the
 * selected label of a `<select>` beside it (one of `chosen`); null for none.
 */
function findWidgetIn(element, chosen) {
  if (localNameOf(element) === 'label' || !hasBox(element) || queryOne(element, 'select') !== null) return null;
  const widget = isVisibleWidget(element) ? element : outermostMatches(element, isVisibleWidget)[0];
  if (widget) return widget;
  const text = cleanText(readVisibleText(idOf(element)));
  return opensByAria(element) || text !== '' && chosen.includes(text.split('\n')[0]) ? element : null;
}

/** Return whether an element opens something by `aria-expanded`: it is a button, or has no role, and opens neither a menu nor a dialog. */
export const opensByAria = (element) =>
  hasAttr(element, 'aria-expanded') && (roleOf(element) === 'button' || !roleOf(element))
  && !/^(?:dialog|menu|true)$/.test(attr(element, 'aria-haspopup') || '') && localNameOf(element) !== 'summary';

/**
 * Return the group of a radio button: the `radiogroup` around it, or the nearest ancestor with all buttons of its name. Any other element
 * is returned itself.
 */
export function groupOf(element) {
  if (!isRadio(element)) return element;
  const groupSize = Math.max(localNameOf(element) === 'input' ? radiosOfSameName(element).length : 0, 2);
  for (const ancestor of ancestorsOf(element)) {
    if (explicitRoleOf(ancestor) === 'radiogroup' || outermostMatches(ancestor, isRadio).length >= groupSize)
      return ancestor;
  }
  return element;
}

/** Return the radio buttons with the same `name` and form as a radio button, itself included. */
const radiosOfSameName = (radio) =>
  [...queryAllIn(rootOf(radio), 'input[type=radio]')]
    .filter((other) => other.name && other.name === radio.name && other.form === radio.form);

/** Return the hidden `<select>` that a widget replaces; null for none. */
export function replacedSelectOf(widget) {
  for (const ancestor of [widget, ...[...ancestorsOf(widget)].slice(0, MAX_WIDGET_DISTANCE)]) {
    for (
      const near of [ancestor.previousElementSibling, ancestor.nextElementSibling, ...queryAll(ancestor, 'select')]
    ) {
      if (near && isNativeList(near) && isVisuallyHidden(near) && findWidgetReplacing(near) === widget) return near;
    }
  }
  return null;
}

// Hosts of shadow trees that contain one control: buttons, checkboxes and fields of widget libraries (Shoelace). Commands on such a host
// apply to the control.

const WRAPPED_BUTTON = 'button,[role=button i],input[type=button],input[type=submit],input[type=reset]';
const WRAPPED_FIELD =
  'input:not([type=hidden],[type=button],[type=submit],[type=reset]),select,textarea,[contenteditable=""],[contenteditable=true],'
  + '[role=checkbox i],[role=switch i],[role=radio i],[role=slider i],[role=spinbutton i],[role=combobox i],[role=textbox i],[role=searchbox i]';
const MAX_WRAPPED_ELEMENTS = 300;

/** Return the fields and buttons in the flat tree of an element, without `aria-hidden` ones; null if it has more than 300 elements. */
function controlsIn(host) {
  const found = [];
  const waiting = [host];
  for (let seen = 0; waiting.length; seen++) {
    if (seen > MAX_WRAPPED_ELEMENTS) return null;
    for (const child of childrenOf(waiting.pop())) {
      if (!isElement(child) || attr(child, 'aria-hidden') === 'true') continue;
      if (matches(child, `${WRAPPED_FIELD},${WRAPPED_BUTTON}`)) found.push(child);
      else waiting.push(child);
    }
  }
  return found;
}

/** Return the control that a shadow host wraps: the only field in its flat tree, or without fields the only button; null for none. */
function wrappedControlOf(host) {
  if (!shadowRootOf(host) || explicitRoleOf(host)) return null;
  const all = controlsIn(host) || [];
  const fields = all.filter((control) => matches(control, WRAPPED_FIELD));
  const used = fields.length ? fields : all;
  return used.length === 1 && (hasAttr(host, 'disabled') || isAtCentre(host, used[0])) ? used[0] : null;
}

/**
 * Return whether a shadow host is little more than a control in it: its middle is in the box around the control and the control's labels.
 * Else it is a card with a button.
 */
function isAtCentre(host, control) {
  const outer = rectOf(host);
  const [x, y] = [outer.left + outer.width / 2, outer.top + outer.height / 2];
  const boxes = [control, ...labelsOf(control)].map(rectOf).filter((box) => box.width > 0);
  /** Return the least `side` of the boxes, such as 'left'. */
  const minOf = (side) => Math.min(...boxes.map((box) => box[side]));
  /** Return the greatest `side` of the boxes, such as 'right'. */
  const maxOf = (side) => Math.max(...boxes.map((box) => box[side]));
  return minOf('left') <= x && x <= maxOf('right') && minOf('top') <= y && y <= maxOf('bottom');
}

/**
 * Return the element to act on for a target: the control that a target of a widget library (a shadow host) wraps, else the target itself.
 */
export const findControlToUse = (element) => wrappedControlOf(element) ?? element;

/** Return whether an element is a button without letters or digits, like the arrow that opens a list. */
const isArrowButton = (element) => roleOf(element) === 'button' && !/[\p{L}\p{N}]/u.test(textContentOf(element));

/**
 * Return the container in which the value of a widget is displayed: the outermost of its four nearest ancestors that contains no other
 * field; the widget itself if its parent contains one.
 */
export function findWidgetContainer(widget) {
  let part = widget;
  /** Return whether an element is a visible field other than the widget and its parts. */
  const isOther = (element) =>
    (isWidget(element) || isTextInput(element) || isNativeList(element))
    && !containsInFlatTree(widget, element) && !containsInFlatTree(element, widget)
    && !isAttrTrue(element, 'aria-hidden') && hasBox(element)
    && !isVisuallyHidden(element) && !isArrowButton(element);
  for (const outer of [...ancestorsOf(widget)].slice(0, MAX_WIDGET_DISTANCE)) {
    if (outer === bodyOf(document) || outer === rootElementOf(document) || outermostMatches(outer, isOther).length)
      break;
    part = outer;
  }
  return part;
}
