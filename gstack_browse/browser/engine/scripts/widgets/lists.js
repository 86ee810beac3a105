// The list that a widget has opened: where it is, the options in it, and its buttons. Changes nothing but the list's scroll position.

import { textById } from '../read/text.js';
import { REMOVES } from '../accname/hints.js';
import { nameOf } from '../accname/names.js';
import { explicitRoleOf, roleOf } from '../accname/roles.js';
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
  containsInFlatTree,
  descendantsInFlatTree,
  groupOf,
  isAttrTrue,
  isNativeList,
  isOpener,
  isReachable,
  LEVELS,
  outermost,
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
/** Whether an element has the role of a list, menu, tree or grid of options. */
const isList = (element) => LISTS_OF_CHOICES.has(attr(element, 'role') ?? '');
/** Return all such lists of the document and its shadow trees. */
const allLists = () => [...queryAllTrees([LIST, ...kindsWithInternals()].join())].filter(isList);

/** Yield the matches of a selector in the document and its shadow trees. */
function* queryAllTrees(selector) {
  for (const root of shadowTreesBelow(document)) yield* queryAllIn(root, selector);
}

/** Yield a document or shadow root, and all shadow roots below it. */
function* shadowTreesBelow(root) {
  yield root;
  for (const element of queryAllIn(root, '*')) {
    const inner = shadowRootOf(element);
    if (inner) yield* shadowTreesBelow(inner);
  }
}

/**
 * Return the lists that a widget may have opened: those that it names by ARIA; else those in it; else those that have become visible
 * since.
 */
function listsOfWidget(widget) {
  const named = listsNamedBy(widget);
  if (named.length) return named;
  /** Whether a list could not be seen before the widget was opened. */
  const isNew = (list) => !listsBefore.has(list) && !containsInFlatTree(list, widget);
  const inside = outermost(widget, isList);
  if (inside.length > 0 && hasExpandedState(widget, 'true') && inside.some(isOperable))
    return inside.filter(isOperable);
  const found = inside.length ? inside : allLists().filter((list) => isOperable(list) && !isNamedByAny(list)).reverse();
  return found.filter(isNew).sort((one, other) => Number(emptyBefore.has(one)) - Number(emptyBefore.has(other)));
}

/** Return the lists that a widget, or its field, names by `aria-controls`, `aria-owns` or `aria-activedescendant`. */
function listsNamedBy(widget) {
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
function isNamedByAny(list) {
  const id = attr(list, 'id');
  return Boolean(id) && [...queryAllIn(rootOf(list), '[aria-controls],[aria-owns]')]
    .some((element) =>
      [...referencedElements(element, 'aria-controls'), ...referencedElements(element, 'aria-owns')].includes(list)
    );
}

/** Whether an element is an `<input>` or `<textarea>`. */
export const isTextInput = (element) => localNameOf(element) === 'input' || localNameOf(element) === 'textarea';

/** Return the focused element in an array; [] if it is another widget's, or a list that was there before the widget opened. */
export function focusedOfWidget(widget) {
  let element = activeElementOf(document);
  while (element && shadowRootOf(element) && shadowRootOf(element).activeElement)
    element = shadowRootOf(element).activeElement;
  if (!element || element === bodyOf(document)) return [];
  const isOther = isOpener(element) || listsBefore.has(element) && !isAttrTrue(widget, 'aria-expanded');
  return element !== widget && isOther && !containsInFlatTree(widget, element) ? [] : [element];
}

/** Return the list that a widget has open, and its options: { list, options }; null for none. */
export function openListOf(widget) {
  if (!isOpener(widget)) {
    const list = groupOf(widget);
    return { list, options: optionsIn(list, isReachable) };
  }
  const isClosed = hasExpandedState(widget, 'false');
  const parts = listsOfWidget(widget).filter((list) => !(isClosed && isForScreenReadersOnly(list)))
    .flatMap((list) => partsAround(list, widget));
  for (const read of [(part) => optionsIn(part, isOperable), textLinesIn, menuItemsIn]) {
    for (const part of parts) {
      const options = read(part);
      if (options.length)
        return { list: part, options: explicitRoleOf(part) === 'grid' ? cellsOfGrids(parts, read) : options };
    }
  }
  const own = isClosed || isTextInput(widget) ? [] : optionsIn(widget, isOperable); // a custom element that is both
  return own.length ? { list: widget, options: own } : null;
}

/** Whether a list is kept for screen readers in a box that shows nothing of it, as OOUI keeps the list of a closed field. */
function isForScreenReadersOnly(list) {
  const { width, height } = rectOf(list);
  return Math.min(width, height) <= 1 && getComputedStyle(list).overflow !== 'visible';
}

/** Return the cells of all months that a calendar shows. */
const cellsOfGrids = (
  parts,
  read,
) => [...new Set(parts.filter((part) => explicitRoleOf(part) === 'grid').flatMap(read))];

/**
 * Return a list and its ancestors, as far as they contain neither the widget nor another list: options that a person sees may stand
 * beside a list for screen readers.
 */
function partsAround(list, widget) {
  const parts = [];
  for (
    let part = list;
    part && part !== bodyOf(document) && !containsInFlatTree(part, widget) && parts.length < LEVELS;
    part = parentOf(part)
  ) {
    if (
      part !== list
      && outermost(part, (element) => isList(element) && element !== list && !containsInFlatTree(element, list)).length
    ) break;
    parts.push(part);
  }
  return parts;
}

/** Return the elements with text of their own: what a person sees as options where those that are marked as such cannot be seen. */
function textLinesIn(part) {
  if (!outermost(part, (element) => explicitRoleOf(element) === 'option').length) return [];
  /** Whether text stands right inside an element. */
  const hasOwnTextNode = (element) =>
    [...childrenOf(element)].some((child) => isText(child) && cleanText(dataOf(child)));
  return outermost(part, (element) => isNativeList(element) || hasOwnTextNode(element)).filter((line) =>
    !isNativeList(line) && isOperable(line)
  );
}

/** Return the options of a list, those in branches of a tree included, for which `isShown` holds. */
function optionsIn(list, isShown) {
  const inGrid = explicitRoleOf(list) === 'grid';
  /** Whether an element is an option of the list. */
  const isOption = (element) =>
    CHOICES.has(roleOf(element)) && localNameOf(element) !== 'option'
    || inGrid && explicitRoleOf(element) === 'gridcell'
    || hasAttr(element, 'aria-selected') && !explicitRoleOf(element);
  return outermost(list, isOption).flatMap((option) => [option, ...treeItemsIn(option)]).filter(isShown);
}

/** Whether an element is a tree item. */
const isTreeItem = (element) => roleOf(element) === 'treeitem';
/** Return the tree items inside of one. */
const treeItemsIn = (option) => isTreeItem(option) ? [...descendantsInFlatTree(option)].filter(isTreeItem) : [];

/** Return the menu items that a field opens instead of a list. Seen in Arco and Semi. */
const menuItemsIn = (list) => outermost(list, (element) => explicitRoleOf(element) === 'menuitem').filter(isOperable);
/** Return the options of a list, else its menu items. */
const choicesIn = (list) => {
  const options = optionsIn(list, isOperable);
  return options.length > 0 ? options : menuItemsIn(list);
};

/**
 * Return the texts by which a person may mean an option: its name, its text, the first line of that; each also without the tick of a
 * chosen one.
 */
function labelsOfOption(option) {
  const text = textById(idOf(option));
  const labels = [nameOf(option), text, text.split('\n')[0]].map(cleanText).filter(Boolean);
  return [...new Set([...labels, ...labels.map(withoutSigns).filter(Boolean)])];
}

/** Return the value of an option by its attributes `data-value` or `value`; null for none. */
export const dataValueOf = (option) => attr(option, 'data-value') ?? attr(option, 'value');
/** Whether an option is disabled. */
const isOptionDisabled = (option) => matches(option, ':disabled') || isDisabledByAria(option);

/** Whether an option is selected or checked. */
export function isChosen(option) {
  if (localNameOf(option) === 'input') return option.checked;
  return isAttrTrue(option, 'aria-selected') || isAttrTrue(option, 'aria-checked');
}

/** Return the path to an item of a tree through those that it stands in, as "Asia / Japan". */
const treePathOf = (option) =>
  [option, ...[...ancestorsOf(option)].filter(isTreeItem)].reverse().map((each) => labelsOfOption(each)[0] || '').join(
    ' / ',
  );

/** Whether a text, folded for comparison, is the path to an item of a tree. */
const isTreePathOf = (option, folded) =>
  isTreeItem(option) && normalizePath(folded).includes(' / ')
  && foldedText(treePathOf(option)) === normalizePath(folded);

/**
 * Return the options that a word means: by name, text or first line, else ignoring case, else by the path to them in a tree, else by
 * value; only enabled ones, if there are any.
 */
function optionsMatching(options, wanted) {
  const words = cleanText(wanted);
  const folded = foldedText(wanted);
  const named = options.map(labelsOfOption);
  for (
    const fits of [
      (_, labels) => labels[0] === words,
      (_, labels) => labels.includes(words),
      (_, labels) => labels.some((label) => foldedText(label) === folded),
      (option) => isTreePathOf(option, folded),
      (option) => dataValueOf(option) === wanted,
    ]
  ) {
    const fitting = options.filter((option, at) => fits(option, named[at]));
    const usable = fitting.filter((option) => !isOptionDisabled(option));
    if (fitting.length) return usable.length ? usable : fitting;
  }
  return [];
}

/** Return the option that stands for a number, as in a rating: by its value, by its name ("3 Stars"), by its place; null for none. */
function optionForNumber(options, number) {
  /** Whether a label of the option begins with the number. */
  const hasNumberLabel = (option) => labelsOfOption(option).some((label) => parseFloat(label) === number);
  /** Whether the value of the option is the number. */
  const hasNumberValue = (option) =>
    dataValueOf(option) !== null && dataValueOf(option) !== '' && Number(dataValueOf(option)) === number;
  /** Whether the option has that place in its set. */
  const isAtPosition = (option) => attr(option, 'aria-posinset') === String(number);
  return options.find(hasNumberValue) || options.find(hasNumberLabel) || options.find(isAtPosition) || null;
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
 * Return the open list of a widget: whether any option is visible, the `wanted` one, the first few of all, and the chosen ones if none
 * is wanted. `asNumber`: find the option of a rating that stands for that number. Null if the widget is gone.
 * @returns {OpenList | null}
 */
exported.listing = (id, wanted, asNumber) => {
  const widget = nodeWithInternals(id);
  if (!widget) return null;
  requireInternals(openLists(widget));
  const open = openListOf(widget);
  const options = open ? open.options : [];
  const meant = optionsMatching(options, wanted);
  const option = meant[0] || (asNumber ? optionForNumber(options, Number(wanted)) : null);
  return {
    open: options.length > 0,
    expanded: hasExpandedState(widget, 'true'),
    collapsed: hasExpandedState(widget, 'false') && !hasExpandedState(widget, 'true'),
    found: option && foundOption(option, options, widget),
    rivals: meant.length > 1
      ? meant.slice(0, MOST_OPTIONS).map((each) => isTreeItem(each) ? treePathOf(each) : labelsOfOption(each)[0] || '')
      : [],
    options: options.slice(0, MOST_OPTIONS).map(describeShownOption),
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
 * Find an option in one of several lists side by side, each opened by a choice in the one before (a cascader): `index` counts the
 * lists. `found` is null where no option, or several, match. Null where there is no such list.
 * @returns {Column | null}
 */
exported.inColumn = (id, wanted, index) => {
  const widget = nodeWithInternals(id);
  const open = widget && openListOf(widget);
  const columns = open && !open.options.some(isTreeItem) ? columnsOf(open.list).filter(isOperable) : [];
  if (!columns[index]) return null;
  const options = choicesIn(columns[index]);
  const meant = optionsMatching(options, wanted);
  return {
    found: meant.length === 1 ? foundOption(meant[0], options, widget) : null,
    options: options.slice(0, MOST_OPTIONS).map(describeShownOption),
    total: options.length,
  };
};

/** Return the lists that stand side by side: those in a list, or in what holds several; else a list and those beside it. */
function columnsOf(list) {
  const inside = outermost(list, isList);
  if (inside.length === 1 && outermost(inside[0], isList).length > 0) return columnsOf(inside[0]);
  return inside.length > 0
    ? inside
    : [...childrenOf(parentOf(list))].filter((child) => isElement(child) && isList(child));
}

/**
 * Describe an option that a word means.
 * @returns {FoundOption}
 */
const foundOption = (option, options, widget) => ({
  id: idOf(option),
  labels: labelsOfOption(option),
  disabled: isOptionDisabled(option),
  chosen: isChosen(option),
  active: isChosen(option) && mayBeActiveOnly(option, options, widget),
});

/**
 * Whether an option marked as selected may only be the one that the keys are at: some lists mark that one so (Choices.js). Not where
 * another option is named as the active one, or where several are marked.
 */
function mayBeActiveOnly(option, options, widget) {
  const active = [widget, ...outermost(widget, isTextInput), ...focusedOfWidget(widget)]
    .flatMap((element) => [...referencedElements(element, 'aria-activedescendant')]);
  if (active.length > 0) return active.includes(option);
  return options.filter(isChosen).length === 1;
}
/**
 * Describe an option for a message.
 * @returns {ShownOption}
 */
const describeShownOption = (option) => ({
  label: labelsOfOption(option)[0] || '',
  value: dataValueOf(option) || '',
  disabled: isOptionDisabled(option),
});

/** Whether a widget says by `aria-expanded` that it is open ("true"), or closed ("false"). */
const hasExpandedState = (widget, state) =>
  [widget, ...outermost(widget, isTextInput)].some((element) => attr(element, 'aria-expanded') === state);

/** Whether an open list takes several options, by its ARIA or the role of its options (Fluent UI). */
const takesSeveral = ({ list, options }) =>
  isAttrTrue(list, 'aria-multiselectable') || options.some((option) => roleOf(option) === 'menuitemcheckbox');

/** Scroll an open list to its top, or on by most of what it shows. False when there is nothing more to see that way. */
exported.scrollList = (id, toTop) => {
  const open = openListOf(nodeFor(id));
  if (!open) return false;
  const around = [open.list, ...descendantsInFlatTree(open.list), ...[...ancestorsOf(open.list)].slice(0, LEVELS)];
  /** Return a test whether an element can be scrolled and has one of these values of `overflow-y`. */
  const scrollsBy = (...ways) => (element) =>
    scrollHeightOf(element) > clientHeightOf(element) + 1 && clientHeightOf(element) > 0
    && ways.includes(getComputedStyle(element).overflowY);
  const area = around.find(scrollsBy('auto', 'scroll')) || around.find(scrollsBy('hidden'));
  if (!area) return false;
  const before = area.scrollTop;
  area.scrollTo({ top: toTop ? 0 : before + Math.max(clientHeightOf(area) * 0.8, 20), behavior: 'instant' });
  return area.scrollTop !== before;
};

/** Return the lists that a widget has open, also those in which there is nothing to choose yet. */
export const openLists = (widget) => listsOfWidget(widget).filter(isOperable);

// The buttons of a widget that opens a list: the one that opens the list, and those in what it opens. Changes nothing.

const BUTTONS = 'button,[role=button],input[type=button],input[type=submit]';

/** The buttons that could be seen before the widget was opened. */
let buttonsBefore = new WeakSet();

/** Remember which buttons there are to see before a widget is opened. */
export function rememberButtons() {
  buttonsBefore = new WeakSet([...queryAllTrees(BUTTONS)].filter(hasBox));
}

/** Return the name of a button. */
const nameOfButton = (button) => cleanText(nameOf(button) || '');

/**
 * @typedef {object} ListButtons
 * @property {number} takes
 * @property {string[]} names
 */

/**
 * Return the buttons that appeared with an open list, around its options: the id of the one that confirms the choice (`takes`; 0 for
 * none or several), and the names of all. DevExtreme (`applyValueMode: useButtons`) drops a choice that no button has confirmed.
 * @returns {ListButtons}
 */
exported.listButtons = (id) => {
  const widget = nodeFor(id);
  const open = widget && isOpener(widget) ? openListOf(widget) : null;
  const part = open ? popupOfList(open.list, widget) : null;
  const buttons = part && open ? outermost(part, (element) => isButtonOfList(element, open)) : [];
  const taking = buttons.filter((button) => TAKES_CHOICE.test(nameOfButton(button)));
  return {
    takes: idOfOnly(taking),
    names: buttons.map(nameOfButton).filter(Boolean),
  };
};

/** Return the part of the page around a list that contains neither the widget nor a button that could be seen before. */
function popupOfList(list, widget) {
  let popup = list;
  for (
    let part = parentOf(list);
    part && part !== bodyOf(document) && !containsInFlatTree(part, widget);
    part = parentOf(part)
  ) {
    if (outermost(part, (element) => buttonsBefore.has(element)).length > 0) break;
    popup = part;
  }
  return popup;
}

/** Whether an element is a visible button around the options, and no part of one. */
const isButtonOfList = (element, { options }) =>
  matches(element, BUTTONS) && hasBox(element)
  && !options.some((option) => containsInFlatTree(option, element) || containsInFlatTree(element, option));

const OPENS_LIST =
  /^(?:open|show)$|\b(?:expand|toggle|drop-?\s?down|arrow|caret|chevron|down|suggestions|options|list|pop-?up)\b/i;

/** Return the id of the button without text, in or beside a field, that opens its list by its name or ARIA; 0 for none or several. */
exported.openingButton = (id) => {
  const widget = nodeFor(id);
  if (!widget || !isOpener(widget)) return 0;
  const part = surroundings(widget);
  const found = outermost(part, (element) => element !== widget && isListOpener(element, part));
  return idOfOnly(found);
};

/** Whether an element in the surroundings of a field is the button without words that opens its list. */
function isListOpener(element, part) {
  if (!matches(element, BUTTONS) && attr(element, 'role') !== 'presentation' || !hasBox(element)) return false;
  if (/[\p{L}\p{N}]{2}/u.test(textContentOf(element))) return false; // a button of its own
  const [words, called] = [nameOfButton(element), attr(element, 'class') || ''];
  if (closestRemoveButton(part, element) || REMOVES.test(`${words} ${called}`)) return false;
  return attr(element, 'aria-haspopup') === 'listbox' || hasAttr(element, 'aria-expanded') || OPENS_LIST.test(words)
    || words.length < 2 && isCalledArrow(element);
}

// Shares code for lists that pages build, with ARIA or without: how a text names a choice, and how lists close.

/** Crosses and ticks that stand beside a label, but are no part of it. */
const SIGNS_AT_EDGES = /^[\s×✕✖✗✘⨯✓✔☑]+|[\s×✕✖✗✘⨯✓✔☑]+$/g;
const BETWEEN_LABELS = ',;|·';

/** Remove crosses and ticks such as × or ✓ from both ends of a label. */
const withoutSigns = (words) => cleanText(words).replace(SIGNS_AT_EDGES, '');
/** Return a label for comparison: without crosses and ticks, in lower case. */
const bareLabel = (words) => withoutSigns(words).toLowerCase();

/** Whether a text is a label, or has it between separators, ignoring case: "Red, Green" names "Green". */
export function namesLabel(text, label) {
  const [all, part] = [bareLabel(text), bareLabel(label)];
  if (part === '') return false;
  for (let at = all.indexOf(part); at >= 0; at = all.indexOf(part, at + 1)) {
    const before = all.slice(0, at).trimEnd(), behind = all.slice(at + part.length).trimStart();
    /** Whether a character separates labels, or the text ends there. */
    const isAtBoundary = (end) => end === undefined || BETWEEN_LABELS.includes(end);
    if (isAtBoundary(before.at(-1)) && isAtBoundary(behind[0])) return true;
  }
  return false;
}

/** Return a path through groups or branches, such as "Asia > Japan", with " / " between its steps. */
export const normalizePath = (words) => words.split(/\s*[/>›»→]\s*/).join(' / ');

/** Names of buttons that confirm a choice in a list. In other languages "OK" is mostly the same. */
export const TAKES_CHOICE = /^(?:ok(?:ay)?|apply|done|confirm)$/i;

/** Return how much of an element shows through: the product of its opacity and its ancestors'. */
export function effectiveOpacity(element) {
  let shown = 1;
  for (const each of [element, ...ancestorsOf(element)]) shown *= Number(styleOf(each).opacity);
  return shown;
}
