// The list that a widget has opened: where it is, the options in it, and its buttons. Changes nothing but the list's scroll position.

import { textById } from '../read/text.js';
import { REMOVES } from '../accname/hints.js';
import { nameOf } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { isDisabledByAria } from '../accname/states.js';
import { closestRemoveButton } from '../actions/hit-testing.js';
import {
  activeElementOf,
  bodyOf,
  clientHeightOf,
  dataOf,
  localNameOf,
  matches,
  queryOne,
  rectOf,
  rootOf,
  scrollHeightOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  exported,
  foldedText,
  hasAttr,
  isElement,
  isText,
  parentOf,
  queryAllIn,
  referencedElements,
  shadowRootOf,
} from '../dom/dom.js';
import { kindsWithInternals, nodeWithInternals, requireInternals } from '../dom/internals.js';
import { idOf, idOfOnly, nodeFor } from '../dom/node-table.js';
import { isRendered, styleOf } from '../visibility/hidden.js';
import { hasBox, isOperable } from '../visibility/visible.js';
import { surroundings } from './choices.js';
import { isCalledArrow } from './class-names.js';
import {
  below,
  contains,
  groupOf,
  isNativeList,
  isOpener,
  isReachable,
  LEVELS,
  outermost,
  roleIs,
  says,
} from './widgets.js';

const LIST = '[role=listbox],[role=menu],[role=tree],[role=grid],[role=radiogroup]';
const CHOICES = new Set(['option', 'radio', 'menuitemradio', 'menuitemcheckbox', 'treeitem']);
/** How many options an answer lists. */
const MOST_OPTIONS = 30;

/** Lists that can be seen before the widget is opened, not what it opens; and those that have a place, but nothing in it. */
let listsBefore = new WeakSet();
let emptyBefore = new WeakSet();

/** Remember which lists there are to see before a widget is opened. */
export function rememberLists() {
  const lists = allLists();
  listsBefore = new WeakSet(lists.filter(isOperable));
  emptyBefore = new WeakSet(lists.filter((list) => isRendered.call(list, { visibilityProperty: true })));
}

const LISTS_OF_CHOICES = new Set(['listbox', 'menu', 'tree', 'grid', 'radiogroup']);
const isList = (element) => LISTS_OF_CHOICES.has(attr(element, 'role') ?? '');
const allLists = () => [...inAllTrees([LIST, ...kindsWithInternals()].join())].filter(isList);

function* inAllTrees(selector) {
  for (const root of treesBelow(document)) yield* queryAllIn(root, selector);
}

function* treesBelow(root) {
  yield root;
  for (const element of queryAllIn(root, '*')) {
    const inner = shadowRootOf(element);
    if (inner) yield* treesBelow(inner);
  }
}

/** Lists that a widget may have opened: those it names; else those in it; else those that were not there before. */
function listsOfWidget(widget) {
  const named = namedBy(widget);
  if (named.length) return named;
  const isNew = (list) => !listsBefore.has(list) && !contains(list, widget);
  const inside = outermost(widget, isList);
  if (inside.length > 0 && saysOfItself(widget, 'true') && inside.some(isOperable)) return inside.filter(isOperable);
  const found = inside.length ? inside : allLists().filter((list) => isOperable(list) && !isNamed(list)).reverse();
  return found.filter(isNew).sort((one, other) => Number(emptyBefore.has(one)) - Number(emptyBefore.has(other)));
}

function namedBy(widget) {
  const named = new Set();
  const naming = [
    widget,
    ...outermost(widget, isTextInput),
    ...[...ancestorsOf(widget)].slice(0, 2).filter(isOpener),
    ...focusedOfWidget(widget),
  ];
  for (const element of naming) {
    for (const list of [...referencedElements(element, 'aria-controls'), ...referencedElements(element, 'aria-owns')])
      named.add(list);
    for (const active of referencedElements(element, 'aria-activedescendant'))
      named.add([...ancestorsOf(active)].find(isList));
  }
  return [...named].filter((list) => list && (isList(list) || queryOne(list, `${LIST},[role=option]`)));
}

/** Whether any element names a list as its own. */
function isNamed(list) {
  const id = attr(list, 'id');
  return Boolean(id) && [...queryAllIn(rootOf(list), '[aria-controls],[aria-owns]')]
    .some((element) =>
      [...referencedElements(element, 'aria-controls'), ...referencedElements(element, 'aria-owns')].includes(list)
    );
}

export const isTextInput = (element) => localNameOf(element) === 'input' || localNameOf(element) === 'textarea';

/** The focused element, unless it is another widget's, or a list that was there before the widget opened. */
export function focusedOfWidget(widget) {
  let element = activeElementOf(document);
  while (element && shadowRootOf(element) && shadowRootOf(element).activeElement)
    element = shadowRootOf(element).activeElement;
  if (!element || element === bodyOf(document)) return [];
  const isOther = isOpener(element) || listsBefore.has(element) && !says(widget, 'aria-expanded');
  return element !== widget && isOther && !contains(widget, element) ? [] : [element];
}

/** The list that is open, and its options: `{ list, options }`, or null. */
export function opened(widget) {
  if (!isOpener(widget)) {
    const list = groupOf(widget);
    return { list, options: optionsIn(list, isReachable) };
  }
  const isClosed = saysOfItself(widget, 'false');
  const parts = listsOfWidget(widget).filter((list) => !(isClosed && isForReaders(list)))
    .flatMap((list) => partsAround(list, widget));
  for (const read of [(part) => optionsIn(part, isOperable), linesIn, menuItemsIn]) {
    for (const part of parts) {
      const options = read(part);
      if (options.length) return { list: part, options: roleIs(part) === 'grid' ? inGrids(parts, read) : options };
    }
  }
  const own = isClosed || isTextInput(widget) ? [] : optionsIn(widget, isOperable); // a custom element that is both
  return own.length ? { list: widget, options: own } : null;
}

/** Whether a list is kept for screen readers in a box that shows nothing of it, as OOUI keeps the list of a closed field. */
function isForReaders(list) {
  const { width, height } = rectOf(list);
  return Math.min(width, height) <= 1 && getComputedStyle(list).overflow !== 'visible';
}

/** The cells of all months that a calendar shows. */
const inGrids = (parts, read) => [...new Set(parts.filter((part) => roleIs(part) === 'grid').flatMap(read))];

/**
 * A list and what is around it, as far as that holds neither the widget nor another list: options that a person sees may
 * stand beside a list for screen readers.
 */
function partsAround(list, widget) {
  const parts = [];
  for (
    let part = list;
    part && part !== bodyOf(document) && !contains(part, widget) && parts.length < LEVELS;
    part = parentOf(part)
  ) {
    if (
      part !== list
      && outermost(part, (element) => isList(element) && element !== list && !contains(element, list)).length
    ) break;
    parts.push(part);
  }
  return parts;
}

/** Elements with text of their own: what a person sees as options where those that are marked as such cannot be seen. */
function linesIn(part) {
  if (!outermost(part, (element) => roleIs(element) === 'option').length) return [];
  const hasText = (element) => [...childrenOf(element)].some((child) => isText(child) && cleanText(dataOf(child)));
  return outermost(part, (element) => isNativeList(element) || hasText(element)).filter((line) =>
    !isNativeList(line) && isOperable(line)
  );
}

function optionsIn(list, isShown) {
  const inGrid = roleIs(list) === 'grid';
  const isOption = (element) =>
    CHOICES.has(roleOf(element)) && localNameOf(element) !== 'option' || inGrid && roleIs(element) === 'gridcell'
    || hasAttr(element, 'aria-selected') && !roleIs(element);
  return outermost(list, isOption).flatMap((option) => [option, ...branchesIn(option)]).filter(isShown);
}

const isBranch = (element) => roleOf(element) === 'treeitem';
/** The items of a tree that stand in one of it. */
const branchesIn = (option) => isBranch(option) ? [...below(option)].filter(isBranch) : [];

/** The menu items that a field opens instead of a list. Seen in Arco and Semi. */
const menuItemsIn = (list) => outermost(list, (element) => roleIs(element) === 'menuitem').filter(isOperable);
const choicesIn = (list) => {
  const options = optionsIn(list, isOperable);
  return options.length > 0 ? options : menuItemsIn(list);
};

/** The words by which a person may mean an option: its name, its text, the first line of that; each also without the tick of a chosen one. */
function labelsOfOption(option) {
  const text = textById(idOf(option));
  const labels = [nameOf(option), text, text.split('\n')[0]].map(cleanText).filter(Boolean);
  return [...new Set([...labels, ...labels.map(withoutSigns).filter(Boolean)])];
}

export const dataValueOf = (option) => attr(option, 'data-value') ?? attr(option, 'value');
const isOff = (option) => matches(option, ':disabled') || isDisabledByAria(option);

export function isChosen(option) {
  if (localNameOf(option) === 'input') return option.checked;
  return says(option, 'aria-selected') || says(option, 'aria-checked');
}

/** The way to an item of a tree through those that it stands in, as "Asia / Japan". */
const wayTo = (option) =>
  [option, ...[...ancestorsOf(option)].filter(isBranch)].reverse().map((each) => labelsOfOption(each)[0] || '').join(
    ' / ',
  );

/** Whether a word is the way to an item of a tree. */
const isWayTo = (option, folded) =>
  isBranch(option) && normalizePath(folded).includes(' / ') && foldedText(wayTo(option)) === normalizePath(folded);

/**
 * The options that a word means: by name, text or first line, else ignoring case, else by the path to them in a tree, else by value;
 * only enabled ones, if there are any.
 */
function optionsMeant(options, wanted) {
  const words = cleanText(wanted);
  const folded = foldedText(wanted);
  const named = options.map(labelsOfOption);
  for (
    const fits of [
      (_, labels) => labels[0] === words,
      (_, labels) => labels.includes(words),
      (_, labels) => labels.some((label) => foldedText(label) === folded),
      (option) => isWayTo(option, folded),
      (option) => dataValueOf(option) === wanted,
    ]
  ) {
    const fitting = options.filter((option, at) => fits(option, named[at]));
    const usable = fitting.filter((option) => !isOff(option));
    if (fitting.length) return usable.length ? usable : fitting;
  }
  return [];
}

/** The option that stands for a number, as in a rating: by its value, by its name ("3 Stars"), by its place. */
function optionRated(options, number) {
  const startsWith = (option) => labelsOfOption(option).some((label) => parseFloat(label) === number);
  const isWorth = (option) =>
    dataValueOf(option) !== null && dataValueOf(option) !== '' && Number(dataValueOf(option)) === number;
  const isPlaced = (option) => attr(option, 'aria-posinset') === String(number);
  return options.find(isWorth) || options.find(startsWith) || options.find(isPlaced) || null;
}

/**
 * @typedef {object} FoundOption
 * @property {number} id
 * @property {string[]} labels
 * @property {boolean} disabled
 * @property {boolean} chosen
 * @property {boolean} active
 */

/**
 * @typedef {object} ShownOption
 * @property {string} label
 * @property {string} value
 * @property {boolean} disabled
 */

/**
 * @typedef {object} OpenList
 * @property {boolean} open
 * @property {boolean} expanded
 * @property {boolean} collapsed
 * @property {FoundOption | null} found
 * @property {string[]} rivals
 * @property {ShownOption[]} options
 * @property {number} total
 * @property {boolean} multiple
 * @property {string[]} chosen
 */

/**
 * The open list of a widget: whether any option is visible, the `wanted` one, and the first few of all; if none is wanted, the chosen
 * ones. With `asNumber` the option of a rating that stands for that number.
 * @returns {OpenList | null}
 */
exported.listing = (id, wanted, asNumber) => {
  const widget = nodeWithInternals(id);
  if (!widget) return null;
  requireInternals(openLists(widget));
  const open = opened(widget);
  const options = open ? open.options : [];
  const meant = optionsMeant(options, wanted);
  const option = meant[0] || (asNumber ? optionRated(options, Number(wanted)) : null);
  return {
    open: options.length > 0,
    expanded: saysOfItself(widget, 'true'),
    collapsed: saysOfItself(widget, 'false') && !saysOfItself(widget, 'true'),
    found: option && foundOption(option, options, widget),
    rivals: meant.length > 1
      ? meant.slice(0, MOST_OPTIONS).map((each) => isBranch(each) ? wayTo(each) : labelsOfOption(each)[0] || '')
      : [],
    options: options.slice(0, MOST_OPTIONS).map(shownOption),
    total: options.length,
    multiple: open !== null && takesSeveral(open),
    chosen: wanted === '' ? options.filter(isChosen).map((each) => labelsOfOption(each)[0] || '') : [],
  };
};

/**
 * @typedef {object} Column
 * @property {FoundOption | null} found
 * @property {ShownOption[]} options
 * @property {number} total
 */

/**
 * The option that is meant by a word in one of the lists that stand side by side, as each choice opens the next: `index` counts them
 * from the start. Without `found` where none or several are meant; null where there is no such list.
 * @returns {Column | null}
 */
exported.inColumn = (id, wanted, index) => {
  const widget = nodeWithInternals(id);
  const open = widget && opened(widget);
  const columns = open && !open.options.some(isBranch) ? columnsOf(open.list).filter(isOperable) : [];
  if (!columns[index]) return null;
  const options = choicesIn(columns[index]);
  const meant = optionsMeant(options, wanted);
  return {
    found: meant.length === 1 ? foundOption(meant[0], options, widget) : null,
    options: options.slice(0, MOST_OPTIONS).map(shownOption),
    total: options.length,
  };
};

/** The lists in a list, or in what holds several; else a list and those beside it. */
function columnsOf(list) {
  const inside = outermost(list, isList);
  if (inside.length === 1 && outermost(inside[0], isList).length > 0) return columnsOf(inside[0]);
  return inside.length > 0
    ? inside
    : [...childrenOf(parentOf(list))].filter((child) => isElement(child) && isList(child));
}

/** @returns {FoundOption} */
const foundOption = (option, options, widget) => ({
  id: idOf(option),
  labels: labelsOfOption(option),
  disabled: isOff(option),
  chosen: isChosen(option),
  active: isChosen(option) && mayBeActiveOnly(option, options, widget),
});

/**
 * Whether the mark of an option may say only that the keys are at it: some lists mark that one so (Choices.js). Not where another option is
 * named as the active one, or where several are marked.
 */
function mayBeActiveOnly(option, options, widget) {
  const active = [widget, ...outermost(widget, isTextInput), ...focusedOfWidget(widget)]
    .flatMap((element) => [...referencedElements(element, 'aria-activedescendant')]);
  if (active.length > 0) return active.includes(option);
  return options.filter(isChosen).length === 1;
}
/** @returns {ShownOption} */
const shownOption = (option) => ({
  label: labelsOfOption(option)[0] || '',
  value: dataValueOf(option) || '',
  disabled: isOff(option),
});

/** Whether a widget says by `aria-expanded` that it is open ("true"), or closed ("false"). */
const saysOfItself = (widget, state) =>
  [widget, ...outermost(widget, isTextInput)].some((element) => attr(element, 'aria-expanded') === state);

/** Whether an open list says that it takes several options, by itself or by the role of its options (Fluent UI). */
const takesSeveral = ({ list, options }) =>
  says(list, 'aria-multiselectable') || options.some((option) => roleOf(option) === 'menuitemcheckbox');

/** Scroll an open list to its top, or on by most of what it shows. False when there is nothing more to see that way. */
exported.scrollList = (id, toTop) => {
  const open = opened(nodeFor(id));
  if (!open) return false;
  const around = [open.list, ...below(open.list), ...[...ancestorsOf(open.list)].slice(0, LEVELS)];
  const scrolls = (...ways) => (element) =>
    scrollHeightOf(element) > clientHeightOf(element) + 1 && clientHeightOf(element) > 0
    && ways.includes(getComputedStyle(element).overflowY);
  const area = around.find(scrolls('auto', 'scroll')) || around.find(scrolls('hidden'));
  if (!area) return false;
  const before = area.scrollTop;
  area.scrollTo({ top: toTop ? 0 : before + Math.max(clientHeightOf(area) * 0.8, 20), behavior: 'instant' });
  return area.scrollTop !== before;
};

/** The lists that a widget has open, also those in which there is nothing to choose yet. */
export const openLists = (widget) => listsOfWidget(widget).filter(isOperable);

// The buttons of a widget that opens a list: the one that opens the list, and those in what it opens. Changes nothing.

const BUTTONS = 'button,[role=button],input[type=button],input[type=submit]';

/** The buttons that could be seen before the widget was opened. */
let buttonsBefore = new WeakSet();

/** Remember which buttons there are to see before a widget is opened. */
export function rememberButtons() {
  buttonsBefore = new WeakSet([...inAllTrees(BUTTONS)].filter(hasBox));
}

const wordsOfButton = (button) => cleanText(nameOf(button) || '');

/**
 * @typedef {object} ListButtons
 * @property {number} takes
 * @property {string[]} names
 */

/**
 * The buttons that came with an open list and stand around its options: the one that confirms the choice (0 for none, and for
 * several), and the names of all. DevExtreme (`applyValueMode: useButtons`) forgets a choice that no button has confirmed.
 * @returns {ListButtons}
 */
exported.listButtons = (id) => {
  const widget = nodeFor(id);
  const open = widget && isOpener(widget) ? opened(widget) : null;
  const part = open ? popupOfList(open.list, widget) : null;
  const buttons = part && open ? outermost(part, (element) => isOfList(element, open)) : [];
  const taking = buttons.filter((button) => TAKES_CHOICE.test(wordsOfButton(button)));
  return {
    takes: idOfOnly(taking),
    names: buttons.map(wordsOfButton).filter(Boolean),
  };
};

/** The part of the page around a list that holds neither the widget nor a button that could be seen before. */
function popupOfList(list, widget) {
  let popup = list;
  for (
    let part = parentOf(list);
    part && part !== bodyOf(document) && !contains(part, widget);
    part = parentOf(part)
  ) {
    if (outermost(part, (element) => buttonsBefore.has(element)).length > 0) break;
    popup = part;
  }
  return popup;
}

const isOfList = (element, { options }) =>
  matches(element, BUTTONS) && hasBox(element)
  && !options.some((option) => contains(option, element) || contains(element, option));

const OPENS_LIST =
  /^(?:open|show)$|\b(?:expand|toggle|drop-?\s?down|arrow|caret|chevron|down|suggestions|options|list|pop-?up)\b/i;

/** The button without words in or beside a field that says that it opens the list; 0 for none, and for several. */
exported.openingButton = (id) => {
  const widget = nodeFor(id);
  if (!widget || !isOpener(widget)) return 0;
  const part = surroundings(widget);
  const found = outermost(part, (element) => element !== widget && opensList(element, part));
  return idOfOnly(found);
};

function opensList(element, part) {
  if (!matches(element, BUTTONS) && attr(element, 'role') !== 'presentation' || !hasBox(element)) return false;
  if (/[\p{L}\p{N}]{2}/u.test(textContentOf(element))) return false; // a button of its own
  const [words, called] = [wordsOfButton(element), attr(element, 'class') || ''];
  if (closestRemoveButton(part, element) || REMOVES.test(`${words} ${called}`)) return false;
  return attr(element, 'aria-haspopup') === 'listbox' || hasAttr(element, 'aria-expanded') || OPENS_LIST.test(words)
    || words.length < 2 && isCalledArrow(element);
}

// Shares code for lists that pages build, with ARIA or without: how a text names a choice, and how lists close.

/** Crosses and ticks that stand beside a label, but are no part of it. */
const SIGNS_AT_EDGES = /^[\s×✕✖✗✘⨯✓✔☑]+|[\s×✕✖✗✘⨯✓✔☑]+$/g;
const BETWEEN_LABELS = ',;|·';

const withoutSigns = (words) => cleanText(words).replace(SIGNS_AT_EDGES, '');
const bareLabel = (words) => withoutSigns(words).toLowerCase();

/** Whether a text is a label, or has it between its separators: "Red, Green" names "Green". Whatever the case. */
export function namesLabel(text, label) {
  const [all, part] = [bareLabel(text), bareLabel(label)];
  if (part === '') return false;
  for (let at = all.indexOf(part); at >= 0; at = all.indexOf(part, at + 1)) {
    const before = all.slice(0, at).trimEnd(), behind = all.slice(at + part.length).trimStart();
    const isFree = (end) => end === undefined || BETWEEN_LABELS.includes(end);
    if (isFree(before.at(-1)) && isFree(behind[0])) return true;
  }
  return false;
}

/** A path through groups or branches, such as "Asia > Japan", with " / " between its steps. */
export const normalizePath = (words) => words.split(/\s*[/>›»→]\s*/).join(' / ');

/** Names of buttons that confirm a choice in a list. In other languages "OK" is mostly the same. */
export const TAKES_CHOICE = /^(?:ok(?:ay)?|apply|done|confirm)$/i;

/** How much of an element shows through what is around it. */
export function opacityOver(element) {
  let shown = 1;
  for (const each of [element, ...ancestorsOf(element)]) shown *= Number(styleOf(each).opacity);
  return shown;
}
