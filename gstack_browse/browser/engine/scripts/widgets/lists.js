// Finds the list that a widget has opened, the options in it, and its buttons. Scrolls the list.

import { REMOVE_WORDS } from '../accname/hints.js';
import { nameOf } from '../accname/names.js';
import { explicitRoleOf, roleOf } from '../accname/roles.js';
import { isDisabledByAria } from '../accname/states.js';
import {
  activeElementOf,
  bodyOf,
  clientHeightOf,
  dataOf,
  isRendered,
  localNameOf,
  matches,
  queryOne,
  rectOf,
  rootOf,
  scrollHeightOf,
  styleOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  containsInFlatTree,
  exported,
  foldedText,
  hasAttr,
  isElement,
  isText,
  parentOf,
  queryAllIn,
  referencedElements,
  shadowRootOf,
  treesIn,
} from '../dom/dom.js';
import { nodeWithInternals, requireInternals, tagsWithInternals } from '../dom/internals.js';
import { idOf, idOfOnly, nodeFor } from '../dom/node-table.js';
import { closestRemoveButton } from '../layout/hit-testing.js';
import { hasBox, isOperable } from '../layout/visible.js';
import { readVisibleText } from '../read/text.js';
import { rememberOption } from '../selectors/records.js';
import { hasArrowClass } from './class-names.js';
import {
  descendantsInFlatTree,
  findWidgetContainer,
  groupOf,
  isAttrTrue,
  isNativeList,
  isOpener,
  isReachable,
  isTextInput,
  MAX_WIDGET_DISTANCE,
  outermostMatches,
} from './widgets.js';

const LIST_SELECTOR = '[role=listbox i],[role=menu i],[role=tree i],[role=grid i],[role=radiogroup i]';
const OPTION_ROLES = new Set(['option', 'radio', 'menuitemradio', 'menuitemcheckbox', 'treeitem']);
// More options are not listed in an answer.
const MAX_LISTED_OPTIONS = 30;

// Lists that are visible before the widget is opened, so that it does not open them.
let visibleListsBefore = new WeakSet();
// Lists that are rendered before the widget is opened; they may be empty.
let renderedListsBefore = new WeakSet();

/** Remember which lists are visible, before a widget is opened, so that those which it opens are known as new. */
export function rememberLists() {
  const lists = allLists();
  visibleListsBefore = new WeakSet(lists.filter(isOperable));
  renderedListsBefore = new WeakSet(lists.filter((list) => isRendered.call(list, { visibilityProperty: true })));
}

const LIST_ROLES = new Set(['listbox', 'menu', 'tree', 'grid', 'radiogroup']);
/** Return whether an element has the ARIA role of a list of options: listbox, menu, tree, grid or radiogroup. */
const isList = (element) => LIST_ROLES.has(explicitRoleOf(element));
/** Return all elements with the ARIA role of a list of options, in the document and its shadow trees. */
const allLists = () => [...queryAllTrees([LIST_SELECTOR, ...tagsWithInternals()].join())].filter(isList);

/** Yield the matches of a selector in the document and its shadow trees. */
function* queryAllTrees(selector) {
  for (const root of treesIn(document)) yield* queryAllIn(root, selector);
}

/**
 * Return the lists that a widget may have opened: those that it references by ARIA; else those in it; else those that have become visible
 * since it was opened.
 */
function listsOfWidget(widget) {
  const named = listsReferencedBy(widget);
  if (named.length) return named;
  /** Return whether a list was not visible before the widget was opened. */
  const isNew = (list) => !visibleListsBefore.has(list) && !containsInFlatTree(list, widget);
  const inside = outermostMatches(widget, isList);
  if (inside.length > 0 && hasExpandedState(widget, 'true') && inside.some(isOperable))
    return inside.filter(isOperable);
  const found = inside.length ? inside : allLists().filter((list) => isOperable(list) && !isOwnedByAny(list)).reverse();
  return found.filter(isNew).sort((one, other) =>
    Number(renderedListsBefore.has(one)) - Number(renderedListsBefore.has(other))
  );
}

/**
 * Return the lists that a widget, a text field in it, or the focused element references by `aria-controls`, `aria-owns` or
 * `aria-activedescendant`.
 */
function listsReferencedBy(widget) {
  const named = new Set();
  const referencing = [
    widget,
    ...outermostMatches(widget, isTextInput),
    ...[...ancestorsOf(widget)].slice(0, 2).filter(isOpener),
    ...focusedOfWidget(widget),
  ];
  for (const element of referencing) {
    for (const list of [...referencedElements(element, 'aria-controls'), ...referencedElements(element, 'aria-owns')])
      named.add(list);
    for (const active of referencedElements(element, 'aria-activedescendant'))
      named.add([...ancestorsOf(active)].find(isList));
  }
  return [...named].filter((list) => list && (isList(list) || queryOne(list, `${LIST_SELECTOR},[role=option i]`)));
}

/** Return whether any element of the tree references a list by `aria-controls` or `aria-owns`. */
function isOwnedByAny(list) {
  const id = attr(list, 'id');
  return Boolean(id) && [...queryAllIn(rootOf(list), '[aria-controls],[aria-owns]')]
    .some((element) =>
      [...referencedElements(element, 'aria-controls'), ...referencedElements(element, 'aria-owns')].includes(list)
    );
}

/**
 * Return [the focused element], through shadow trees; [] for none, if it belongs to another widget, or is a list that was visible before
 * the widget was opened.
 */
export function focusedOfWidget(widget) {
  let element = activeElementOf(document);
  while (element && shadowRootOf(element) && shadowRootOf(element).activeElement)
    element = shadowRootOf(element).activeElement;
  if (!element || element === bodyOf(document)) return [];
  const isOther = isOpener(element) || visibleListsBefore.has(element) && !isAttrTrue(widget, 'aria-expanded');
  return element !== widget && isOther && !containsInFlatTree(widget, element) ? [] : [element];
}

/** Return { list, options } of the open list of a widget, or of the group of a radio button, with its visible options; null for none. */
export function openListOf(widget) {
  if (!isOpener(widget)) {
    const list = groupOf(widget);
    return { list, options: optionsIn(list, isReachable) };
  }
  const isClosed = hasExpandedState(widget, 'false');
  const parts = listsOfWidget(widget).filter((list) => !(isClosed && isVisuallyEmpty(list)))
    .flatMap((list) => partsAround(list, widget));
  for (const read of [(part) => optionsIn(part, isOperable), textOptionsIn, menuItemsIn]) {
    for (const part of parts) {
      const options = read(part);
      if (options.length)
        return { list: part, options: explicitRoleOf(part) === 'grid' ? cellsOfGrids(parts, read) : options };
    }
  }
  const own = isClosed || isTextInput(widget) ? [] : optionsIn(widget, isOperable); // a custom element may be both
  return own.length ? { list: widget, options: own } : null;
}

/** Return whether a list is clipped to a pixel at most, and so there for screen readers only, as OOUI keeps the list of a closed field. */
function isVisuallyEmpty(list) {
  const { width, height } = rectOf(list);
  return Math.min(width, height) <= 1 && getComputedStyle(list).overflow !== 'visible';
}

/**
 * Return the options of all grids among the elements `parts`, such as the days of several months of a calendar. `read`: function that
 * returns the options of one grid.
 */
function cellsOfGrids(parts, read) {
  const grids = parts.filter((part) => explicitRoleOf(part) === 'grid');
  return [...new Set(grids.flatMap(read))];
}

/**
 * Return a list and those of its nearest ancestors that contain neither the widget nor another list: if the list is for screen readers
 * only, the visible options are beside it.
 */
function partsAround(list, widget) {
  const parts = [];
  for (
    let part = list;
    part && part !== bodyOf(document) && !containsInFlatTree(part, widget) && parts.length < MAX_WIDGET_DISTANCE;
    part = parentOf(part)
  ) {
    if (
      part !== list
      && outermostMatches(part, (element) => isList(element) && element !== list && !containsInFlatTree(element, list))
        .length
    ) break;
    parts.push(part);
  }
  return parts;
}

/**
 * Return the visible elements with text of their own in `part`, as options, if elements with the role option are in it: where these are
 * invisible, the others display them. [] without any.
 */
function textOptionsIn(part) {
  if (!outermostMatches(part, (element) => explicitRoleOf(element) === 'option').length) return [];
  /** Return whether a child of an element is a text node with more than white space. */
  const hasOwnTextNode = (element) =>
    [...childrenOf(element)].some((child) => isText(child) && cleanText(dataOf(child)));
  return outermostMatches(part, (element) => isNativeList(element) || hasOwnTextNode(element)).filter((line) =>
    !isNativeList(line) && isOperable(line)
  );
}

/** Return the options of a list for which `isShown` returns true, tree items at all levels included. */
function optionsIn(list, isShown) {
  const inGrid = explicitRoleOf(list) === 'grid';
  /** Return whether an element is an option of the list, by its role or `aria-selected`; in a grid its cells. */
  const isOption = (element) =>
    OPTION_ROLES.has(roleOf(element)) && localNameOf(element) !== 'option'
    || inGrid && explicitRoleOf(element) === 'gridcell'
    || hasAttr(element, 'aria-selected') && !explicitRoleOf(element);
  return outermostMatches(list, isOption).flatMap((option) => [option, ...treeItemsIn(option)]).filter(isShown);
}

/** Return whether an element is a tree item. */
const isTreeItem = (element) => roleOf(element) === 'treeitem';
/** Return the tree items inside of a tree item; [] for any other option. */
const treeItemsIn = (option) => isTreeItem(option) ? [...descendantsInFlatTree(option)].filter(isTreeItem) : [];

/** Return the visible elements with the role menuitem in a list, as options: some fields open a menu instead of a list (Arco, Semi). */
const menuItemsIn = (list) =>
  outermostMatches(list, (element) => explicitRoleOf(element) === 'menuitem').filter(isOperable);
/** Return the visible options of a list, or its menu items if it has no options. */
const optionsOrMenuItemsIn = (list) => {
  const options = optionsIn(list, isOperable);
  return options.length > 0 ? options : menuItemsIn(list);
};

/**
 * Return the labels by which a person may name an option: its accessible name, its text and the first line of that, each also without a
 * tick or cross at its ends.
 */
function labelsOfOption(option) {
  const text = readVisibleText(idOf(option));
  const labels = [nameOf(option), text, text.split('\n')[0]].map(cleanText).filter(Boolean);
  return [...new Set([...labels, ...labels.map(withoutCrossesAndTicks).filter(Boolean)])];
}

/** Return the value of an option by its attributes `data-value` or `value`; null for none. */
export const dataValueOf = (option) => attr(option, 'data-value') ?? attr(option, 'value');
/** Return whether an option is disabled: by HTML, ARIA, or an attribute of Carbon (`disabled`) or of Bits UI (`data-disabled`). */
const isOptionDisabled = (option) =>
  matches(option, ':disabled') || isDisabledByAria(option)
  || ['disabled', 'data-disabled'].some((name) => (attr(option, name) ?? 'false') !== 'false');

/** Return whether an option is selected or checked, by HTML or ARIA. */
export function isChosen(option) {
  if (localNameOf(option) === 'input') return option.checked;
  return isAttrTrue(option, 'aria-selected') || isAttrTrue(option, 'aria-checked');
}

/** Return the path to a tree item, as "Asia / Japan": the labels of the tree items around it and its own. */
const treePathOf = (option) =>
  [option, ...[...ancestorsOf(option)].filter(isTreeItem)].reverse().map((each) => labelsOfOption(each)[0] || '').join(
    ' / ',
  );

/** Return whether a text is the path to a tree item, such as "asia > japan". `folded`: the text as `foldedText` returns it. */
const isTreePathOf = (option, folded) =>
  isTreeItem(option) && normalizePath(folded).includes(' / ')
  && foldedText(treePathOf(option)) === normalizePath(folded);

/**
 * Return the options that match a requested label: by name, else by text or its first line, else ignoring case, else by their path in a
 * tree, else by value; only enabled ones, if there are any.
 */
function findMatchingOptions(options, wanted) {
  const label = cleanText(wanted);
  const folded = foldedText(wanted);
  const labelsByOption = options.map(labelsOfOption);
  for (
    const fits of [
      (_, labels) => labels[0] === label,
      (_, labels) => labels.includes(label),
      (_, labels) => labels.some((each) => foldedText(each) === folded),
      (option) => isTreePathOf(option, folded),
      (option) => dataValueOf(option) === wanted,
    ]
  ) {
    const fitting = options.filter((option, at) => fits(option, labelsByOption[at]));
    const enabled = fitting.filter((option) => !isOptionDisabled(option));
    if (fitting.length) return enabled.length ? enabled : fitting;
  }
  return [];
}

/** Return the option for a number, as in a rating: by a label that begins with it ("3 Stars"), else by `aria-posinset`; null for none. */
const findOptionForNumber = (options, number) =>
  options.find((option) => labelsOfOption(option).some((label) => parseFloat(label) === number))
    ?? options.find((option) => attr(option, 'aria-posinset') === String(number)) ?? null;

/** @typedef {{ id: number, labels: string[], disabled: boolean, chosen: boolean, active: boolean }} FoundOption */

/** @typedef {{ label: string, value: string, disabled: boolean }} ShownOption */

/**
 * @typedef {{ open: boolean, expanded: boolean, collapsed: boolean, found: FoundOption | null, rivals: string[], options: ShownOption[],
 *   total: number, multiple: boolean, chosen: string[] }} OpenList
 */

/**
 * Describe the open list of a widget; null if the widget is gone. `found`: the option with the label `wanted`; `rivals`: labels of all that
 * match, if several; `options`: the first few of `total`; `chosen`: the labels of chosen ones, if `wanted` is "". `asNumber`: `wanted` may
 * be a number, for the option of a rating.
 * @returns {OpenList | null}
 */
exported.describeOpenList = (id, wanted, asNumber) => {
  const widget = nodeWithInternals(id);
  if (!widget) return null;
  requireInternals(openListsOf(widget));
  const open = openListOf(widget);
  const options = open ? open.options : [];
  const matching = findMatchingOptions(options, wanted);
  const option = matching[0] || (asNumber ? findOptionForNumber(options, Number(wanted)) : null);
  return {
    open: options.length > 0,
    expanded: hasExpandedState(widget, 'true'),
    collapsed: hasExpandedState(widget, 'false') && !hasExpandedState(widget, 'true'),
    found: option && describeFoundOption(option, options, widget),
    rivals: matching.length > 1
      ? matching.slice(0, MAX_LISTED_OPTIONS).map((each) =>
        isTreeItem(each) ? treePathOf(each) : labelsOfOption(each)[0] || ''
      )
      : [],
    options: options.slice(0, MAX_LISTED_OPTIONS).map(describeShownOption),
    total: options.length,
    multiple: open !== null && isMultiselect(open),
    chosen: wanted === '' ? options.filter(isChosen).map((each) => labelsOfOption(each)[0] || '') : [],
  };
};

/** @typedef {{ found: FoundOption | null, options: ShownOption[], total: number }} Column */

/**
 * Find the option with the label `wanted` in list number `index` (from 0) of a cascader, the widget with the id `id`. A cascader has
 * several lists side by side, each opened by a choice in the one before. `found` is null if no option, or several, match. Null if there is
 * no such list.
 * @returns {Column | null}
 */
exported.findInColumn = (id, wanted, index) => {
  const widget = nodeWithInternals(id);
  const open = widget && openListOf(widget);
  const columns = open && !open.options.some(isTreeItem) ? columnsOf(open.list).filter(isOperable) : [];
  if (!columns[index]) return null;
  const options = optionsOrMenuItemsIn(columns[index]);
  const matching = findMatchingOptions(options, wanted);
  return {
    found: matching.length === 1 ? describeFoundOption(matching[0], options, widget) : null,
    options: options.slice(0, MAX_LISTED_OPTIONS).map(describeShownOption),
    total: options.length,
  };
};

/**
 * Return the lists of a cascader, which are side by side, given one of them or a list around them: the outermost lists in it, after going
 * into lists that contain one list only; if it contains none, all lists among its parent's children.
 */
function columnsOf(list) {
  const inside = outermostMatches(list, isList);
  if (inside.length === 1 && outermostMatches(inside[0], isList).length > 0) return columnsOf(inside[0]);
  return inside.length > 0
    ? inside
    : [...childrenOf(parentOf(list))].filter((child) => isElement(child) && isList(child));
}

/**
 * Describe the option that has the label asked for. `options`: all options of its list; `widget`: the widget that opened the list. In the
 * result `chosen` is whether the option is marked as selected, `active` whether that may only mean that it has the keyboard focus.
 * @returns {FoundOption}
 */
const describeFoundOption = (option, options, widget) => ({
  id: idOf(option),
  labels: rememberOption(option, labelsOfOption),
  disabled: isOptionDisabled(option),
  chosen: isChosen(option),
  active: isChosen(option) && mayOnlyBeActive(option, options, widget),
});

/**
 * Return whether an option that is marked as selected may only be the active one, which has the keyboard focus: some lists mark that one so
 * (Choices.js). False if ARIA names another active option, or several of `options` are marked.
 */
function mayOnlyBeActive(option, options, widget) {
  const active = [widget, ...outermostMatches(widget, isTextInput), ...focusedOfWidget(widget)]
    .flatMap((element) => [...referencedElements(element, 'aria-activedescendant')]);
  if (active.length > 0) return active.includes(option);
  return options.filter(isChosen).length === 1;
}
/**
 * Describe an option for a message that lists the options.
 * @returns {ShownOption}
 */
const describeShownOption = (option) => ({
  label: labelsOfOption(option)[0] || '',
  value: dataValueOf(option) || '',
  disabled: isOptionDisabled(option),
});

/** Return whether a widget, or a text field in it, has `aria-expanded` with the value `state`: "true" or "false". */
const hasExpandedState = (widget, state) =>
  [widget, ...outermostMatches(widget, isTextInput)].some((element) => attr(element, 'aria-expanded') === state);

/** Return whether several options of an open list can be chosen, by its ARIA or the role of its options (Fluent UI). */
const isMultiselect = ({ list, options }) =>
  isAttrTrue(list, 'aria-multiselectable') || options.some((option) => roleOf(option) === 'menuitemcheckbox');

/** Scroll the open list of a widget to its top (`toTop`), or down by most of its height. Return whether it has moved. */
exported.scrollOpenList = (id, toTop) => {
  const open = openListOf(nodeFor(id));
  if (!open) return false;
  const around = [
    open.list,
    ...descendantsInFlatTree(open.list),
    ...[...ancestorsOf(open.list)].slice(0, MAX_WIDGET_DISTANCE),
  ];
  const scroller = around.find((element) =>
    scrollHeightOf(element) > clientHeightOf(element) + 1 && /auto|scroll/.test(getComputedStyle(element).overflowY)
  );
  if (!scroller) return false;
  const before = scroller.scrollTop;
  scroller.scrollTo({ top: toTop ? 0 : before + Math.max(clientHeightOf(scroller) * 0.8, 20), behavior: 'instant' });
  return scroller.scrollTop !== before;
};

/** Return the visible lists that a widget has opened, also those without options. */
export const openListsOf = (widget) => listsOfWidget(widget).filter(isOperable);

// The buttons of a widget: the one that opens its list, and those around the open list.

const BUTTON_SELECTOR = 'button,[role=button i],input[type=button],input[type=submit]';

// The buttons that were visible before the widget was opened.
let buttonsBefore = new WeakSet();

/** Remember which buttons are visible, before a widget is opened, so that those which appear with its list are known as new. */
export function rememberButtons() {
  buttonsBefore = new WeakSet([...queryAllTrees(BUTTON_SELECTOR)].filter(hasBox));
}

/** Return the accessible name of a button; "" for none. */
const nameOfButton = (button) => cleanText(nameOf(button) || '');

/** @typedef {{ confirmButton: number, names: string[] }} ListButtons */

/**
 * Return the buttons that have appeared with the open list of a widget. `confirmButton`: the id of the one that confirms the choice, such as
 * "OK", 0 for none or several; `names`: of all. DevExtreme (`applyValueMode: useButtons`) drops a choice that no button has confirmed.
 * @returns {ListButtons}
 */
exported.findListButtons = (id) => {
  const widget = nodeFor(id);
  const open = widget && isOpener(widget) ? openListOf(widget) : null;
  const part = open ? popupOfList(open.list, widget) : null;
  const buttons = part && open ? outermostMatches(part, (element) => isButtonOfList(element, open)) : [];
  const confirming = buttons.filter((button) => CONFIRMING_NAMES.test(nameOfButton(button)));
  return {
    confirmButton: idOfOnly(confirming),
    names: buttons.map(nameOfButton).filter(Boolean),
  };
};

/** Return the popup around a list: its outermost ancestor that contains neither the widget nor a button that was visible before. */
function popupOfList(list, widget) {
  let popup = list;
  for (
    let part = parentOf(list);
    part && part !== bodyOf(document) && !containsInFlatTree(part, widget);
    part = parentOf(part)
  ) {
    if (outermostMatches(part, (element) => buttonsBefore.has(element)).length > 0) break;
    popup = part;
  }
  return popup;
}

/** Return whether an element is a visible button beside the options of an open list: it neither is in an option nor contains one. */
const isButtonOfList = (element, { options }) =>
  matches(element, BUTTON_SELECTOR) && hasBox(element)
  && !options.some((option) => containsInFlatTree(option, element) || containsInFlatTree(element, option));

const LIST_OPENER_NAMES =
  /^(?:open|show)$|\b(?:expand|toggle|drop-?\s?down|arrow|caret|chevron|down|suggestions|options|list|pop-?up)\b/i;

/**
 * Return the id of the only button without text, such as an arrow, that opens the list of a field and is in its container; 0 for none or
 * several.
 */
exported.findOpeningButton = (id) => {
  const widget = nodeFor(id);
  if (!widget || !isOpener(widget)) return 0;
  const part = findWidgetContainer(widget);
  const found = outermostMatches(part, (element) => element !== widget && isListOpenerButton(element, part));
  return idOfOnly(found);
};

/**
 * Return whether an element is a visible button without text that opens the list of a field, by ARIA, its name or an arrow. `part`: the
 * container of the field (`findWidgetContainer`).
 */
function isListOpenerButton(element, part) {
  if (!matches(element, BUTTON_SELECTOR) && explicitRoleOf(element) !== 'presentation' || !hasBox(element))
    return false;
  if (/[\p{L}\p{N}]{2}/u.test(textContentOf(element))) return false;
  const [name, classes] = [nameOfButton(element), attr(element, 'class') || ''];
  if (closestRemoveButton(part, element) || REMOVE_WORDS.test(`${name} ${classes}`)) return false;
  return attr(element, 'aria-haspopup') === 'listbox' || hasAttr(element, 'aria-expanded')
    || LIST_OPENER_NAMES.test(name)
    || name.length < 2 && hasArrowClass(element);
}

// Code shared by lists with and without ARIA: labels in a text, and opacity.

// Crosses and ticks beside a label.
const CROSSES_AND_TICKS = /^[\s×✕✖✗✘⨯✓✔☑]+|[\s×✕✖✗✘⨯✓✔☑]+$/g;
const LABEL_SEPARATORS = ',;|·';

/** Return a label without white space and symbols such as × or ✓ at its ends. */
const withoutCrossesAndTicks = (words) => cleanText(words).replace(CROSSES_AND_TICKS, '');
/** Return a label for a comparison: without crosses and ticks at its ends, in lower case. */
const normalizedLabel = (words) => withoutCrossesAndTicks(words).toLowerCase();

/** Return whether a text is a label, or contains it between separators, ignoring case: "Red, Green" has the label "Green". */
export function hasLabel(text, label) {
  const [whole, part] = [normalizedLabel(text), normalizedLabel(label)];
  if (part === '') return false;
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) {
    const before = whole.slice(0, at).trimEnd(), behind = whole.slice(at + part.length).trimStart();
    /** Return whether a label may end beside this character of a text: a separator such as a comma, or undefined at the end of the text. */
    const isSeparator = (letter) => letter === undefined || LABEL_SEPARATORS.includes(letter);
    if (isSeparator(before.at(-1)) && isSeparator(behind[0])) return true;
  }
  return false;
}

/** Return a path in a tree, such as "Asia > Japan", with " / " as its separator: "Asia / Japan". */
export const normalizePath = (words) => words.split(/\s*[/>›»→]\s*/).join(' / ');

// Names of buttons that confirm a choice in a list. "OK" is the same in most languages.
export const CONFIRMING_NAMES = /^(?:ok(?:ay)?|apply|done|confirm)$/i;

/** Return the product of the current opacities of an element and its ancestors, 0 to 1. */
export function effectiveOpacity(element) {
  let opacity = 1;
  for (const each of [element, ...ancestorsOf(element)]) opacity *= Number(styleOf(each).opacity);
  return opacity;
}
