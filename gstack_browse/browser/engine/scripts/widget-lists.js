// The list that a widget has opened: where it is, and the options in it. Changes nothing but the list's scroll position.

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
} from './engine-accessors.js';
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
  referenced,
  shadowRootOf,
} from './engine-dom.js';
import { idOf, nodeFor } from './engine-table.js';
import { kindsWithInternals, nodeWithInternals, requireInternals } from './engine-internals.js';
import { roleOf } from './engine-roles.js';
import { isRendered } from './engine-hidden.js';
import { isDisabledByAria } from './engine-states.js';
import { nameOf } from './engine-names.js';
import { normalizePath, withoutSigns } from './open-lists.js';
import { isOutOfUse } from './visible.js';
// Before this file, which reads `exported` as it loads.
import './widgets.js';

{
  /** Whether an element can be seen, or pressed: no part of a list that is closed by being transparent. */
  const isVisible = (element) => exported.isVisible(element) && !isOutOfUse(element);
  const { LEVELS, roleIs, isNativeList, says, isOpener, isReachable, below, outermost, contains, groupOf } =
    exported.widgets;

  const LIST = '[role=listbox],[role=menu],[role=tree],[role=grid],[role=radiogroup]';
  const CHOICES = new Set(['option', 'radio', 'menuitemradio', 'menuitemcheckbox', 'treeitem']);
  /** How many options an answer lists. */
  const MOST_OPTIONS = 30;

  /** Lists that can be seen before the widget is opened, not what it opens; and those that have a place, but nothing in it. */
  let standing = new WeakSet();
  let empty = new WeakSet();

  /** Remember which lists there are to see before a widget is opened. */
  exported.rememberLists = () => {
    const lists = allLists();
    standing = new WeakSet(lists.filter(isVisible));
    empty = new WeakSet(lists.filter((list) => isRendered.call(list, { visibilityProperty: true })));
  };

  const LISTS_OF_CHOICES = new Set(['listbox', 'menu', 'tree', 'grid', 'radiogroup']);
  const isList = (element) => LISTS_OF_CHOICES.has(attr(element, 'role') ?? '');
  const allLists = () => [...inAllTrees([LIST, ...kindsWithInternals()].join())].filter(isList);

  function* inAllTrees(selector) {
    for (const root of treesOf(document)) yield* queryAllIn(root, selector);
  }

  function* treesOf(root) {
    yield root;
    for (const element of queryAllIn(root, '*')) {
      const inner = shadowRootOf(element);
      if (inner) yield* treesOf(inner);
    }
  }

  /** Lists that a widget may have opened: those it names; else those in it; else those that were not there before. */
  function listsOf(widget) {
    const named = namedBy(widget);
    if (named.length) return named;
    const isNew = (list) => !standing.has(list) && !contains(list, widget);
    const inside = outermost(widget, isList);
    if (inside.length > 0 && saysOfItself(widget, 'true') && inside.some(isVisible)) return inside.filter(isVisible);
    const found = inside.length ? inside : allLists().filter((list) => isVisible(list) && !isNamed(list)).reverse();
    return found.filter(isNew).sort((one, other) => Number(empty.has(one)) - Number(empty.has(other)));
  }

  function namedBy(widget) {
    const named = new Set();
    const naming = [
      widget,
      ...outermost(widget, isTextField),
      ...[...ancestorsOf(widget)].slice(0, 2).filter(isOpener),
      ...focusedIn(widget),
    ];
    for (const element of naming) {
      for (const list of [...referenced(element, 'aria-controls'), ...referenced(element, 'aria-owns')])
        named.add(list);
      for (const active of referenced(element, 'aria-activedescendant'))
        named.add([...ancestorsOf(active)].find(isList));
    }
    return [...named].filter((list) => list && (isList(list) || queryOne(list, `${LIST},[role=option]`)));
  }

  /** Whether any element names a list as its own. */
  function isNamed(list) {
    const id = attr(list, 'id');
    return Boolean(id) && [...queryAllIn(rootOf(list), '[aria-controls],[aria-owns]')]
      .some((element) => [...referenced(element, 'aria-controls'), ...referenced(element, 'aria-owns')].includes(list));
  }

  const isTextField = (element) => localNameOf(element) === 'input' || localNameOf(element) === 'textarea';

  /** The focused element, unless it is another widget's, or a list that was there before the widget opened. */
  function focusedIn(widget) {
    let element = activeElementOf(document);
    while (element && shadowRootOf(element) && shadowRootOf(element).activeElement)
      element = shadowRootOf(element).activeElement;
    if (!element || element === bodyOf(document)) return [];
    const isOther = isOpener(element) || standing.has(element) && !says(widget, 'aria-expanded');
    return element !== widget && isOther && !contains(widget, element) ? [] : [element];
  }

  /** The list that is open, and its options: `{ list, options }`, or null. */
  function opened(widget) {
    if (!isOpener(widget)) {
      const list = groupOf(widget);
      return { list, options: optionsIn(list, isReachable) };
    }
    const isClosed = saysOfItself(widget, 'false');
    const parts = listsOf(widget).filter((list) => !(isClosed && isForReaders(list)))
      .flatMap((list) => partsAround(list, widget));
    for (const read of [(part) => optionsIn(part, isVisible), linesIn, itemsIn]) {
      for (const part of parts) {
        const options = read(part);
        if (options.length) return { list: part, options: roleIs(part) === 'grid' ? inGrids(parts, read) : options };
      }
    }
    const own = isClosed || isTextField(widget) ? [] : optionsIn(widget, isVisible); // a custom element that is both
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
      !isNativeList(line) && isVisible(line)
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
  const itemsIn = (list) => outermost(list, (element) => roleIs(element) === 'menuitem').filter(isVisible);
  const choicesIn = (list) => {
    const options = optionsIn(list, isVisible);
    return options.length > 0 ? options : itemsIn(list);
  };

  /** The words by which a person may mean an option: its name, its text, the first line of that; each also without the tick of a chosen one. */
  function labelsOf(option) {
    const text = exported.text(idOf(option));
    const labels = [nameOf(option), text, text.split('\n')[0]].map(cleanText).filter(Boolean);
    return [...new Set([...labels, ...labels.map(withoutSigns).filter(Boolean)])];
  }

  const valueOf = (option) => attr(option, 'data-value') ?? attr(option, 'value');
  const isOff = (option) => matches(option, ':disabled') || isDisabledByAria(option);

  function isChosen(option) {
    if (localNameOf(option) === 'input') return option.checked;
    return says(option, 'aria-selected') || says(option, 'aria-checked');
  }

  /** The way to an item of a tree through those that it stands in, as "Asia / Japan". */
  const wayTo = (option) =>
    [option, ...[...ancestorsOf(option)].filter(isBranch)].reverse().map((each) => labelsOf(each)[0] || '').join(' / ');

  /** Whether a word is the way to an item of a tree. */
  const isWayTo = (option, folded) =>
    isBranch(option) && normalizePath(folded).includes(' / ') && foldedText(wayTo(option)) === normalizePath(folded);

  /**
   * The options that a word means: by name, text or first line, else ignoring case, else by the path to them in a tree, else by value;
   * only enabled ones, if there are any.
   */
  function found(options, wanted) {
    const words = cleanText(wanted);
    const folded = foldedText(wanted);
    const named = options.map(labelsOf);
    for (
      const fits of [
        (_, labels) => labels[0] === words,
        (_, labels) => labels.includes(words),
        (_, labels) => labels.some((label) => foldedText(label) === folded),
        (option) => isWayTo(option, folded),
        (option) => valueOf(option) === wanted,
      ]
    ) {
      const fitting = options.filter((option, at) => fits(option, named[at]));
      const usable = fitting.filter((option) => !isOff(option));
      if (fitting.length) return usable.length ? usable : fitting;
    }
    return [];
  }

  /** The option that stands for a number, as in a rating: by its value, by its name ("3 Stars"), by its place. */
  function rated(options, number) {
    const startsWith = (option) => labelsOf(option).some((label) => parseFloat(label) === number);
    const isWorth = (option) =>
      valueOf(option) !== null && valueOf(option) !== '' && Number(valueOf(option)) === number;
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
    const meant = found(options, wanted);
    const option = meant[0] || (asNumber ? rated(options, Number(wanted)) : null);
    return {
      open: options.length > 0,
      expanded: saysOfItself(widget, 'true'),
      collapsed: saysOfItself(widget, 'false') && !saysOfItself(widget, 'true'),
      found: option && told(option, options, widget),
      rivals: meant.length > 1
        ? meant.slice(0, MOST_OPTIONS).map((each) => isBranch(each) ? wayTo(each) : labelsOf(each)[0] || '')
        : [],
      options: options.slice(0, MOST_OPTIONS).map(shown),
      total: options.length,
      multiple: open !== null && takesSeveral(open),
      chosen: wanted === '' ? options.filter(isChosen).map((each) => labelsOf(each)[0] || '') : [],
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
    const columns = open && !open.options.some(isBranch) ? columnsOf(open.list).filter(isVisible) : [];
    if (!columns[index]) return null;
    const options = choicesIn(columns[index]);
    const meant = found(options, wanted);
    return {
      found: meant.length === 1 ? told(meant[0], options, widget) : null,
      options: options.slice(0, MOST_OPTIONS).map(shown),
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
  const told = (option, options, widget) => ({
    id: idOf(option),
    labels: labelsOf(option),
    disabled: isOff(option),
    chosen: isChosen(option),
    active: isChosen(option) && mayBeActiveOnly(option, options, widget),
  });

  /**
   * Whether the mark of an option may say only that the keys are at it: some lists mark that one so (Choices.js). Not where another option is
   * named as the active one, or where several are marked.
   */
  function mayBeActiveOnly(option, options, widget) {
    const active = [widget, ...outermost(widget, isTextField), ...focusedIn(widget)]
      .flatMap((element) => [...referenced(element, 'aria-activedescendant')]);
    if (active.length > 0) return active.includes(option);
    return options.filter(isChosen).length === 1;
  }
  /** @returns {ShownOption} */
  const shown = (option) => ({
    label: labelsOf(option)[0] || '',
    value: valueOf(option) || '',
    disabled: isOff(option),
  });

  /** Whether a widget says by `aria-expanded` that it is open ("true"), or closed ("false"). */
  const saysOfItself = (widget, state) =>
    [widget, ...outermost(widget, isTextField)].some((element) => attr(element, 'aria-expanded') === state);

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
  const openLists = (widget) => listsOf(widget).filter(isVisible);

  Object.assign(exported.widgets, { isTextField, focusedIn, opened, openLists, isChosen, inAllTrees });
}
