// Widgets that pages build themselves, as ARIA describes them: what opens a list of options or is one, and what a person
// uses instead of a field that cannot be seen. By roles and
// properties, and only then by rules (rule-table.js). Looks; changes nothing.

import { widgetRule } from './rule-table.js';
import { rememberButtons, rememberLists } from './lists.js';
import { textById } from '../read/text.js';
import { fieldOfSpinButton, isCustomSlider } from './steps.js';
import { labelsOf } from '../accname/names.js';
import { explicitRoleOf, isFocusable, roleOf } from '../accname/roles.js';
import { fillKind } from '../actions/fields.js';
import { bodyOf, localNameOf, matches, queryAll, queryOne, rectOf, rootOf } from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  exported,
  hasAttr,
  isElement,
  parentOf,
  queryAllIn,
  shadowRootOf,
} from '../dom/dom.js';
import { nodeWithInternals } from '../dom/internals.js';
import { idOf, idOfOnly } from '../dom/node-table.js';
import { isRendered } from '../visibility/hidden.js';
import { hasBox } from '../visibility/visible.js';

const POPUPS_OF_CHOICES = new Set(['listbox', 'tree', 'grid']);
const PRESSED_ROLES = new Set(['button', 'link', 'checkbox', 'switch', 'tab', 'menuitem', 'option']);
/** Elements that are read at most, around a widget and in a list. */
const MOST_ELEMENTS_BELOW = 20000;
/** How many levels above a target its list may be, and above a widget the element that shows its value. */
export const LEVELS = 4;
/** Pixels: a field with what is drawn for it. */
const TALLEST_FIELD = 80;

/** Whether an element is a `<select>`. */
export const isNativeList = (element) => localNameOf(element) === 'select';
/** Whether an attribute of an element is "true". */
export const isAttrTrue = (element, name) => attr(element, name) === 'true';

/** Whether an element opens a list of options. */
export function isOpener(element) {
  if (isNativeList(element)) return false;
  const role = explicitRoleOf(element);
  if (role === 'combobox' || localNameOf(element) === 'input' && hasAttr(element, 'list')) return true;
  if (role === 'listbox') return localNameOf(element) === 'input' || hasAttr(element, 'aria-expanded');
  return POPUPS_OF_CHOICES.has(attr(element, 'aria-haspopup'));
}

/** Whether an element is a list box or radio group whose options are always displayed. */
const isStandingList = (element) =>
  !isNativeList(element) && (explicitRoleOf(element) === 'listbox' || explicitRoleOf(element) === 'radiogroup')
  && !isOpener(element) && !isEmptyListbox(element);

/** Whether a list box takes the focus and has no options, here or elsewhere: a press may show lines that are no options. */
export const isEmptyListbox = (element) =>
  explicitRoleOf(element) === 'listbox' && isFocusable(element) && !hasAttr(element, 'aria-owns')
  && !hasAttr(element, 'aria-activedescendant') && !shadowRootOf(element)
  && queryOne(element, '[role=option],[role=menuitemradio],[role=menuitemcheckbox],[aria-selected],slot') === null;
/** Whether an element is a radio button. */
export const isRadio = (element) => roleOf(element) === 'radio';
/** Whether an element is a widget to choose from: one that opens a list, a list that is always displayed, or a radio button. */
export const isWidget = (element) => isOpener(element) || isStandingList(element) || isRadio(element);

/**
 * Yield the elements below a node in the flat tree, without the content of those that `leave` accepts.
 * @param {(element: Element) => boolean} leave
 */
export function* descendantsInFlatTree(node, leave = (_) => false, budget = { left: MOST_ELEMENTS_BELOW }) {
  for (const child of childrenOf(node)) {
    if (!isElement(child) || budget.left-- <= 0) continue;
    yield child;
    if (!leave(child)) yield* descendantsInFlatTree(child, leave, budget);
  }
}

/** Return the elements below a node for which a condition holds, and none inside of another such. */
export const outermost = (node, condition) => [...descendantsInFlatTree(node, condition)].filter(condition);

/** Whether `inner` is `outer` or below it in the flat tree. */
export function containsInFlatTree(outer, inner) {
  for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
  return false;
}

/** Whether an element is hidden, tiny, or neither seen nor pressed: so widgets hide the native list that they stand for. */
export function isTuckedAway(element) {
  const style = getComputedStyle(element);
  return isTinyBox(element) || style.opacity === '0' && style.pointerEvents === 'none' || !hasBox(element)
    || [...ancestorsOf(element)].slice(0, 2).some((outer) =>
      isTinyBox(outer) && getComputedStyle(outer).overflow !== 'visible'
    );
}

/** Whether an element has a box of 2 px at most. A list without options has no width, and still the height of its rows. */
function isTinyBox(element) {
  const box = rectOf(element);
  const isAsWideAsNothing = isNativeList(element) && element.length === 0 && hasBox(element);
  return box.width <= 2 && !isAsWideAsNothing || box.height <= 2;
}

/**
 * Return the visible part of a list's field that has no width, as of a tag box that shows only its choices: the part of the page around
 * the field that contains no other one. Null for a field that is hidden, or visible itself.
 */
export function visibleBoxAround(field) {
  if (!isOpener(field) || hasBox(field) || !isRendered.call(field, { visibilityProperty: true })) return null;
  for (const outer of [...ancestorsOf(field)].slice(0, LEVELS - 1)) {
    if (rectOf(outer).height > TALLEST_FIELD || outer === bodyOf(document)) return null;
    if (outermost(outer, (inner) => inner !== field && (isWidget(inner) || isNativeList(inner))).some(hasBox))
      return null;
    if (hasBox(outer) && !isTinyBox(outer)) return outer;
  }
  return null;
}

/** Element that stands for a native list, whatever its own role → the name of the rule by which it does, "" for none. */
export const standIns = new WeakMap();

/**
 * Return the id of the element that a person uses instead of a target: the widget that stands for a hidden native list, or the only widget
 * in a part of the page that is no field itself. 0 if the target itself is used, or there is not exactly one such widget. `verb`: "fill"
 * or "select".
 */
export function standIn(id, verb) {
  const element = nodeWithInternals(id);
  if (!element) return 0;
  if (isNativeList(element)) {
    const widget = isTuckedAway(element) ? widgetFor(element) : null;
    if (widget) standIns.set(widget, ruleOfBox(widget));
    return widget ? idOf(widget) : 0;
  }
  if (isWidget(element) || fillKind(element) || PRESSED_ROLES.has(roleOf(element))) return 0;
  const within = verb === 'fill' ? fieldOfSpinButton(element) : null;
  if (within) return idOf(within);
  const found = verb === 'fill'
    ? fieldsInside(element)
    : outermost(element, (inner) => isWidget(inner) || isVisibleNativeList(inner)).filter(isReachable);
  if (found.length && found.every(isRadio)) return idOf(found[0]);
  if (found.length === 0 && verb === 'select') return idOfWidgetAround(element);
  const fields = found.length > 1 ? found.filter((inner) => roleOf(inner) !== 'button') : found; // without the arrow beside it
  return idOfOnly(fields);
}
exported.standIn = standIn;

/** Return the id of the combobox around a field; 0 for none. In ARIA 1.1: `<div role=combobox><input></div>`. */
exported.comboboxAround = (id) => {
  const element = nodeWithInternals(id);
  const around = element ? [...ancestorsOf(element)].slice(0, LEVELS) : [];
  const found = around.find((outer) => explicitRoleOf(outer) === 'combobox');
  return found ? idOf(found) : 0;
};

/**
 * Return the id of the widget that an element is the visible part of: the one around it, or the only one in the line that both stand in;
 * 0 for none.
 */
function idOfWidgetAround(element) {
  for (const outer of [...ancestorsOf(element)].slice(0, LEVELS - 1)) {
    if (isOpener(outer)) return idOf(outer);
    if (rectOf(outer).height > TALLEST_FIELD) return 0;
    const inside = outermost(outer, (inner) => isWidget(inner) || isNativeList(inner));
    if (inside.length > 0) return inside.length === 1 && isOpener(inside[0]) ? idOf(inside[0]) : 0;
  }
  return 0;
}

/** Whether an element is a native list that a person can see. */
const isVisibleNativeList = (element) => isNativeList(element) && !isTuckedAway(element);
/** Whether an element has a visible box, or is a radio button, whose label is pressed. */
export const isReachable = (element) => hasBox(element) || isRadio(element);

/** Return the fields of a custom element, and the radio buttons or handles of any element. */
function fieldsInside(element) {
  /** Whether an element is a field, a slider or a radio button. */
  const isField = (inner) => Boolean(fillKind(inner)) || isCustomSlider(inner) || isRadio(inner);
  const found = outermost(element, isField).filter(isReachable);
  return shadowRootOf(element) || found.every(isRadio) || found.every(isCustomSlider) ? found : [];
}

/**
 * Return the widget that stands for a native list: around it, else the one beside it, or beside what hides it, that stands for no other;
 * null for none.
 */
function widgetFor(list) {
  const outer = [...ancestorsOf(list)].slice(0, 3);
  const around = outer.find(isVisibleWidget);
  if (around) return around;
  for (const part of [list, ...outer.filter(isTinyBox)]) {
    const row = widgetsInRow(part, list);
    const at = row.findIndex((item) => item.list === list);
    const lists = row.filter((item) => item.list), boxes = row.filter((item) => item.box);
    const found = lists.length === boxes.length
      ? boxes[lists.indexOf(row[at])]
      : row[at + 1]?.box && row[at + 1] || row[at - 1]?.box && !row[at - 2]?.list && row[at - 1];
    if (found) return found.box;
  }
  return null;
}

/** Whether an element is a visible widget by its role. */
const isVisibleWidget = (element) => (isOpener(element) || isStandingList(element)) && hasBox(element);

/** Elements that are read at most to either side of a native list. */
const MOST_BESIDE = 40;

/**
 * Return the native lists and the widgets in a row, in order, with that list among them: up to elements that label other fields. `part`
 * is the list, or the element that hides it.
 * @returns {({ list: Element, box?: undefined } | { box: Element, list?: undefined })[]}
 */
function widgetsInRow(part, list) {
  const [before, behind] = ['previousElementSibling', 'nextElementSibling'].map((
    next,
  ) => [...siblingsAlong(part, next)]);
  const row = [...before.reverse(), part, ...behind];
  const own = row.indexOf(part);
  const lists = row.map((each) => each === part ? list : hiddenListIn(each));
  const ends = row.map((each, at) =>
    localNameOf(each) === 'label' && !lists.slice(0, at).some((other) => other && other === each.control)
  );
  const first = ends.lastIndexOf(true, own), next = ends.indexOf(true, own);
  const chosen = lists.filter(Boolean).map((each) => cleanText(each.selectedOptions[0]?.label ?? ''));
  return row.map((each, at) => lists[at] ? { list: lists[at] } : { box: widgetIn(each, chosen) })
    .slice(first + 1, next < 0 ? row.length : next)
    .filter((item) => item.list || item.box);
}

/** Yield the siblings of an element in one direction: `next` is the property that leads to the next one. */
function* siblingsAlong(element, next) {
  let beside = element[next];
  for (let steps = 0; beside && steps < MOST_BESIDE; steps++, beside = beside[next]) yield beside;
}

/** Return the hidden native list that an element is, or contains; null for none. */
function hiddenListIn(element) {
  const list = isNativeList(element) ? element : isTinyBox(element) ? queryOne(element, 'select') : null;
  return list && isTuckedAway(list) ? list : null;
}

/** Box that stands for a native list by a rule alone → the name of the rule. */
const ruleOfBoxes = new WeakMap();
/** Return the name of the rule by which a box stands for a native list; "" if that is known without a rule. */
export const ruleOfBox = (box) => ruleOfBoxes.get(box) ?? '';

/**
 * Return the widget that an element is, or contains; else the element, if it says that it opens, shows the content of one of the lists
 * beside it (`chosen`), or is one by a rule; null for none.
 */
function widgetIn(element, chosen) {
  if (localNameOf(element) === 'label' || !hasBox(element) || queryOne(element, 'select') !== null) return null;
  const widget = isVisibleWidget(element) ? element : outermost(element, isVisibleWidget)[0];
  if (widget) return widget;
  const shows = cleanText(textById(idOf(element)));
  ruleOfBoxes.delete(element);
  if (saysItOpens(element) || shows !== '' && chosen.includes(shows.split('\n')[0])) return element;
  const rule = widgetRule('list', element);
  if (rule) ruleOfBoxes.set(element, rule.name);
  return rule ? element : null;
}

/** Whether an element says that it opens something, and is no menu. */
export const saysItOpens = (element) =>
  hasAttr(element, 'aria-expanded') && (roleOf(element) === 'button' || !roleOf(element))
  && !/^(?:dialog|menu|true)$/.test(attr(element, 'aria-haspopup') || '') && localNameOf(element) !== 'summary';

/** Return the list or group of radio buttons and options that an element is, or is in. */
export function groupOf(element) {
  if (!isRadio(element)) return element;
  const all = Math.max(localNameOf(element) === 'input' ? radiosOfSameName(element).length : 0, 2);
  for (const ancestor of ancestorsOf(element)) {
    if (explicitRoleOf(ancestor) === 'radiogroup' || outermost(ancestor, isRadio).length >= all) return ancestor;
  }
  return element;
}

/** Return the radio buttons of the same group by HTML: of the same name and form. */
const radiosOfSameName = (radio) =>
  [...queryAllIn(rootOf(radio), 'input[type=radio]')]
    .filter((other) => other.name && other.name === radio.name && other.form === radio.form);

/**
 * Return the kind of a widget; null for another element. Remembers the visible lists and buttons, to tell later what the widget has
 * opened.
 */
exported.widget = (id) => {
  const element = nodeWithInternals(id);
  if (!element || !isWidget(element)) return null;
  const isOpen = isOpener(element);
  if (isOpen) {
    rememberLists();
    rememberButtons();
  }
  const list = isOpen ? null : groupOf(element);
  const native = nativeListOf(element);
  return {
    opens: isOpen,
    suggests: localNameOf(element) === 'input' && hasAttr(element, 'list'),
    single: native ? !native.multiple : Boolean(list) && !isAttrTrue(list, 'aria-multiselectable'),
    multiple: native ? native.multiple : Boolean(list) && isAttrTrue(list, 'aria-multiselectable'),
    inDialog: [...ancestorsOf(element)].some((ancestor) =>
      localNameOf(ancestor) === 'dialog' || /dialog$/.test(explicitRoleOf(ancestor))
    ),
  };
};

/** Return the native list that a widget stands for; null for none. */
export function nativeListOf(widget) {
  for (const ancestor of [widget, ...[...ancestorsOf(widget)].slice(0, LEVELS)]) {
    for (
      const near of [ancestor.previousElementSibling, ancestor.nextElementSibling, ...queryAll(ancestor, 'select')]
    ) {
      if (near && isNativeList(near) && isTuckedAway(near) && widgetFor(near) === widget) return near;
    }
  }
  return null;
}

// Hosts of shadow trees that draw one control and are used for that: buttons, checkboxes and fields of widget libraries (Shoelace).
// Actions and questions about such a host apply to the control. Changes nothing.

const DRAWN_BUTTON = 'button,[role=button],input[type=button],input[type=submit],input[type=reset]';
const DRAWN_FIELD =
  'input:not([type=hidden],[type=button],[type=submit],[type=reset]),select,textarea,[contenteditable=""],[contenteditable=true],'
  + '[role=checkbox],[role=switch],[role=radio],[role=slider],[role=spinbutton],[role=combobox],[role=textbox],[role=searchbox]';
const MOST_DRAWN = 300;

/** Return the fields and buttons that a person meets in an element, slotted ones too; null where there is too much in it. */
function controlsIn(host) {
  const found = [];
  const waiting = [host];
  for (let seen = 0; waiting.length; seen++) {
    if (seen > MOST_DRAWN) return null;
    for (const child of childrenOf(waiting.pop())) {
      if (!isElement(child) || attr(child, 'aria-hidden') === 'true') continue;
      if (matches(child, `${DRAWN_FIELD},${DRAWN_BUTTON}`)) found.push(child);
      else waiting.push(child);
    }
  }
  return found;
}

/**
 * Return the control that a shadow host is used for: its only field, whatever buttons belong to that, or its only button; null for none.
 */
function drawnControlOf(host) {
  if (!shadowRootOf(host) || explicitRoleOf(host)) return null;
  const all = controlsIn(host) || [];
  const fields = all.filter((control) => matches(control, DRAWN_FIELD));
  const used = fields.length ? fields : all;
  return used.length === 1 && (hasAttr(host, 'disabled') || isAtCentre(host, used[0])) ? used[0] : null;
}

/** Whether the middle of a host belongs to the control and its labels: a card with a button in a corner is no button. */
function isAtCentre(host, control) {
  const outer = rectOf(host);
  const [x, y] = [outer.left + outer.width / 2, outer.top + outer.height / 2];
  const boxes = [control, ...labelsOf(control)].map(rectOf).filter((box) => box.width > 0);
  /** Return the smallest of the boxes' values for a side. */
  const leastOf = (side) => Math.min(...boxes.map((box) => box[side]));
  /** Return the largest of the boxes' values for a side. */
  const mostOf = (side) => Math.max(...boxes.map((box) => box[side]));
  return leastOf('left') <= x && x <= mostOf('right') && leastOf('top') <= y && y <= mostOf('bottom');
}

/** Return the element to act on for a target: the control that a shadow host draws, else the target itself. */
export const controlUsedFor = (element) => drawnControlOf(element) ?? element;
