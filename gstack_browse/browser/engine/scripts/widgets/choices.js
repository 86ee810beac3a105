// Choose from the list of a widget: where to press, which field to type into, and the outcome. List and select the options of a `<select>`.

import { explicitRoleOf, isFocusable, roleOf } from '../accname/roles.js';
import { isSecret } from '../accname/states.js';
import { fillKind } from '../accname/values.js';
import {
  activeElementOf,
  bodyOf,
  closest,
  dataOf,
  focusOn,
  isRendered,
  labelsIn,
  localNameOf,
  newRange,
  rectOf,
  rootOf,
  scrollIntoView,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  containsInFlatTree,
  elementById,
  exported,
  foldedText,
  hasAttr,
  isElement,
  isText,
  queryAllIn,
  referencedElements,
} from '../dom/dom.js';
import { nodeWithInternals } from '../dom/internals.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { waitTwoTurns } from '../dom/turns.js';
import {
  closestRemoveButton,
  findPressPoint,
  hitAt,
  pointsOf,
  pressReaches,
  relativeToElement,
  scrollToPressPoint,
} from '../layout/hit-testing.js';
import { hasBox } from '../layout/visible.js';
import { refuseOtherRecord } from '../selectors/records.js';
import {
  focusedOfWidget,
  isChosen,
  normalizePath,
  openListOf,
  openListsOf,
  rememberButtons,
  rememberLists,
} from './lists.js';
import {
  descendantsInFlatTree,
  findVisibleBoxAround,
  findWidgetContainer,
  groupOf,
  isAttrTrue,
  isOpener,
  isRadio,
  isReachable,
  isTextInput,
  isWidget,
  MAX_WIDGET_DISTANCE,
  outermostMatches,
  replacedSelectOf,
} from './widgets.js';

/** @typedef {{ id: number, at: {x: number, y: number} | null, byKey: boolean, box: string, clipped: boolean }} OptionPressPoint */

/**
 * Return where to press an option, as { id, at, byKey, box, clipped }. `id`: the option or the label of a radio button, 0 if the option is
 * out of view and `mayScroll` is false; `at`: the point from the corner inside its border, null for the middle; `byKey`: no press reaches
 * it, but keys do; `clipped`: only scripts can scroll to it; `box`: its box as text, "" if it is gone.
 * @returns {OptionPressPoint}
 */
exported.findOptionPressPoint = (id, mayScroll) => {
  const option = nodeWithInternals(id);
  if (!option?.isConnected) return { id, at: null, byKey: false, box: '', clipped: false };
  const { left, top, width, height } = rectOf(option);
  const result = { at: null, byKey: false, box: [left, top, width, height].join(), clipped: false };
  const reached = findReachablePoint(option, '') || mayScroll && findReachablePoint(option, 'nearest');
  if (reached) return { ...result, ...reached };
  if (!mayScroll) return { ...result, id: 0, clipped: isClippedByUnscrollable(option) };
  return { ...result, id, byKey: isRadio(option) && isFocusable(option) };
};

/**
 * Return whether an element is clipped away by an ancestor that people cannot scroll, like an option of a list that is still sliding open.
 */
function isClippedByUnscrollable(element) {
  const { top, bottom } = rectOf(element);
  for (const outer of ancestorsOf(element)) {
    const box = rectOf(outer);
    if (bottom > box.top + 1 && top < box.bottom - 1) continue;
    const { overflowY } = getComputedStyle(outer);
    if (overflowY === 'auto' || overflowY === 'scroll') return false;
    if (overflowY !== 'visible') return true;
  }
  return false;
}

/**
 * Return { id, at } of an uncovered element to press for an option: the option or its label; for a tree item a point beside the items in
 * it. Null if no press would reach it. `at`: from the corner inside its border, missing for the middle; `block`: argument of
 * `scrollIntoView`, "" not to scroll.
 */
function findReachablePoint(option, block) {
  if (roleOf(option) === 'treeitem') {
    const aim = block ? scrollToPressPoint(option) : findPressPoint(option);
    if (aim.reachesTarget && aim.isOffCentre) return { id: idOf(option), at: relativeToElement(option, aim.point) };
  }
  const reached = [option, ...option.labels || []].find((each) => hasBox(each) && isHitInMiddle(each, block));
  return reached ? { id: idOf(reached) } : null;
}

/** Return whether a press on the middle of an element would reach it. `block`: argument of `scrollIntoView`, "" not to scroll. */
function isHitInMiddle(element, block = 'nearest') {
  if (block) scrollIntoView(element, { block, inline: 'nearest', behavior: 'instant' });
  const { left, right, top, bottom } = rectOf(element);
  const hit = hitAt((left + right) / 2, (top + bottom) / 2);
  return hit !== null && containsInFlatTree(element, hit);
}

/** @typedef {{ id: number, at: {x: number, y: number} }} OpeningPressPoint */

/**
 * Scroll to a widget. Return where to press to open its list: `id` of the element, `at` in CSS pixels from the corner inside its border.
 * Leave out buttons that remove a chosen option. Null if no press would reach it.
 * @returns {OpeningPressPoint | null}
 */
exported.findOpeningPressPoint = (id) => {
  const widget = nodeWithInternals(id);
  const part = widget && (hasBox(widget) ? widget : findVisibleBoxAround(widget));
  if (!part) return null;
  if (!isHitInMiddle(part)) isHitInMiddle(part, 'center'); // both scroll to it; a sticky bar may cover it at the edge
  for (const point of pointsOf(part)) {
    const hit = hitAt(point.x, point.y);
    if (hit && pressReaches(part, hit) && !closestRemoveButton(part, hit))
      return { id: idOf(part), at: relativeToElement(part, point) };
  }
  return null;
};

/**
 * Focus a widget, or the first focusable element in it. `onlyIfNone`: only if no other element has the focus. Return false if it did not
 * try.
 */
function focusWidget(id, onlyIfNone) {
  const element = nodeWithInternals(id);
  if (!element || onlyIfNone && activeElementOf(document) && activeElementOf(document) !== bodyOf(document))
    return false;
  refuseOtherRecord(element);
  const place = isFocusable(element) ? element : [...descendantsInFlatTree(element)].find(isFocusable) || element;
  focusOn(place);
  return true;
}
exported.focusWidget = focusWidget;

/** Focus a field, and put the caret behind its text, or select all of the text (`selectAll`). Return false if the field is gone. */
exported.focusAtEnd = (id, selectAll) => {
  const [field, selection] = [nodeFor(id), getSelection()];
  if (!field || !selection) return false;
  focusWidget(id, false);
  const focused = focusedOfWidget(field)[0] || field;
  if ('select' in focused && 'value' in focused) {
    focused.select();
    if (!selectAll) selection.modify('move', 'forward', 'character'); // number fields have no `setSelectionRange`
    return true;
  }
  const range = newRange(document);
  range.selectNodeContents(focused);
  if (!selectAll) range.collapse(false);
  selection.removeAllRanges();
  selection.addRange(range);
  return true;
};

/**
 * Return { id, held: its value, "" for a secret } of the focused text field, if typing into it filters the options of a widget: it is in
 * the widget, around it, or near its open list. Null for none.
 */
const findFocusedFilterField = (id) => {
  const widget = nodeWithInternals(id);
  const [field] = widget ? focusedOfWidget(widget) : [];
  if (!field || fillKind(field) !== 'text' || field.readOnly || field.disabled) return null;
  const open = openListOf(widget);
  const lists = open ? [open.list] : openListsOf(widget);
  const isOurs = containsInFlatTree(widget, field) || containsInFlatTree(field, widget)
    || lists.some((list) => isNearList(list, field))
    || containsInFlatTree(findWidgetContainer(widget), field);
  return isOurs ? { id: idOf(field), held: isSecret(field) ? '' : field.value } : null;
};
exported.findFocusedFilterField = findFocusedFilterField;

/**
 * Focus the text field that filters the open list of a widget, unless one that does is focused already: the only one that says by
 * `aria-controls` or `aria-owns` that it belongs to the list. Return it as `findFocusedFilterField` does.
 */
exported.focusFilterField = (id) => {
  const focused = findFocusedFilterField(id);
  if (focused) return focused;
  const widget = nodeWithInternals(id);
  const list = widget && openListOf(widget)?.list;
  const fields = list ? queryAllIn(rootOf(list), 'input[aria-controls],input[aria-owns]') : [];
  const [field, other] = [...fields].filter((each) =>
    fillKind(each) === 'text' && hasBox(each) && !containsInFlatTree(widget, each)
    && ['aria-controls', 'aria-owns'].some((name) => referencedElements(each, name).includes(list))
  );
  if (field && !other) focusOn(field);
  return findFocusedFilterField(id);
};

/** Return whether a field is inside of one of the nearest four ancestors of a list. */
const isNearList = (list, field) =>
  [...ancestorsOf(list)].slice(0, MAX_WIDGET_DISTANCE).some((outer) =>
    outer !== bodyOf(document) && containsInFlatTree(outer, field)
  );

/**
 * Return the visible texts in `part` (a widget or its container), by which a widget shows what is chosen, without the widget's labels and
 * its open list.
 */
function textsShownBy(widget, part) {
  const open = openListOf(widget);
  const names = [...(labelsIn(widget) || []), ...referencedElements(widget, 'aria-labelledby')].filter((label) =>
    !containsInFlatTree(widget, label)
  );
  const skipped = new Set([...(isOpener(widget) && open ? [open.list] : []), ...names]);
  return [...visibleTextsOf(part, skipped)].filter(Boolean);
}

/**
 * Yield the visible texts in an element and the values of its text fields, but not in a `<label>`, a `<select>` or an element of the Set
 * `skipped`.
 */
function* visibleTextsOf(element, skipped) {
  const name = localNameOf(element);
  if (skipped.has(element) || name === 'script' || name === 'style' || name === 'label' || name === 'select') return;
  const style = getComputedStyle(element);
  if (
    style.display === 'none'
    || style.display !== 'contents' && !isRendered.call(element, { visibilityProperty: true })
  ) return;
  const box = rectOf(element);
  if (style.overflow !== 'visible' && (box.width <= 1 || box.height <= 1)) return;
  if (isTextInput(element)) {
    if (!isSecret(element) && fillKind(element)) yield cleanText(element.value);
    return;
  }
  for (const child of childrenOf(element)) {
    if (isText(child)) yield cleanText(dataOf(child));
    else if (isElement(child)) yield* visibleTextsOf(child, skipped);
  }
}

/**
 * Return the texts of the chosen options (chips) that a text field displays in a list box of their own beside it; [] for any other widget.
 */
function textsOfChipsBeside(widget) {
  const open = attr(widget, 'aria-expanded') === 'false' ? null : openListOf(widget);
  const named = referencedElements(widget, 'aria-controls');
  /** Return whether an element is a visible list box other than the open list, and may contain the chosen options. */
  const isChips = (element) =>
    explicitRoleOf(element) === 'listbox' && !named.includes(element) && hasBox(element)
    && !containsInFlatTree(element, widget)
    && !(open && (containsInFlatTree(open.list, element) || containsInFlatTree(element, open.list)));
  const [outer] = isTextInput(widget) ? ancestorsOf(widget) : [];
  return outer ? outermostMatches(outer, isChips).flatMap((list) => [...visibleTextsOf(list, new Set())]) : [];
}

/**
 * @typedef {{ value: string, text: string, ownMatch: boolean, exactMatch: boolean, partialMatch: boolean, chosen: boolean | null,
 *   open: boolean }} ChoiceOutcome
 */

/**
 * Return the state of a widget after a choice; null if it is gone. `value`: of its text field; `text`: of the container in which it
 * displays its value; `ownMatch`, `exactMatch`: a text of the widget, or of its container, is one of the `wanted` labels; `partialMatch`: a
 * label occurs in `text`; `chosen`: whether the option is marked as chosen, null if it is not visible any more; `open`: its list is open.
 * @returns {ChoiceOutcome | null}
 */
exported.readChoiceOutcome = (id, wanted, optionId) => {
  const widget = nodeWithInternals(id);
  if (!widget) return null;
  const labels = wanted.map((label) => cleanText(label).toLowerCase());
  /** Return whether a text, or a part of it between separators, is one of the wanted labels. */
  const isWantedLabel = (shown) =>
    [shown, ...shown.split(/[,;|·]/)].some((part) => labels.includes(cleanText(part).toLowerCase()));
  const texts = textsShownBy(widget, findWidgetContainer(widget));
  const text = texts.join(' ');
  const option = optionId ? nodeFor(optionId) : null;
  const [field] = focusedOfWidget(widget);
  return {
    value: field && isTextInput(field) && !isSecret(field) ? field.value : '',
    text: text.slice(0, 200),
    ownMatch: textsShownBy(widget, widget).some(isWantedLabel),
    exactMatch: texts.some(isWantedLabel) || textsOfChipsBeside(widget).some(isWantedLabel),
    partialMatch: labels.some((label) => text.toLowerCase().includes(label)),
    chosen: option && isReachable(option) ? isChosen(option) : null,
    open: isOpener(widget) && openListOf(widget) !== null,
  };
};

/** Return the suggestions (`<datalist>`) of a field: { label, value, disabled, selected: false } of each; [] for none. */
exported.listSuggestions = (id) => {
  const field = nodeFor(id);
  const list = field && hasAttr(field, 'list') ? elementById(field, attr(field, 'list')) : null;
  return list
    ? [...list.querySelectorAll('option')].map((option) => ({
      label: option.label,
      value: option.value,
      disabled: option.disabled,
      selected: false,
    }))
    : [];
};

/**
 * `group`: the label of its optgroup.
 * @typedef {{ value: string, label: string, group: string, disabled: boolean, selected: boolean }} Option
 */

/**
 * `matches`: one for each word.
 * @typedef {{ multiple: boolean, options: Option[], matches: OptionMatches[] }} Listing
 */

/**
 * `indices`: of the options that the word matches; `isPart`: whether the word is only a part of their labels.
 * @typedef {{ indices: number[], isPart: boolean }} OptionMatches
 */

/**
 * List the options of a `<select>`, and for each of `words`, which name options, those that it matches: by label, value or a part of the
 * label; null for any other element.
 * @returns {Listing | null}
 */
export function listOptions(id, ...words) {
  const element = nodeFor(id);
  if (!element || localNameOf(element) !== 'select') return null;
  const options = [...element.options].map((option) => {
    const group = closest(option, 'optgroup');
    return {
      value: option.value,
      label: option.label.replace(/\s+/g, ' ').trim(),
      group: (group && attr(group, 'label') || '').trim(),
      disabled: option.disabled || group !== null && group.disabled,
      selected: option.selected,
    };
  });
  return { multiple: element.multiple, options, matches: words.map((word) => findOptions(options, word)) };
}
exported.listOptions = listOptions;

/**
 * Find the `<select>` options that a word (a text that names an option) matches: by label, else by label ignoring case, else by "group /
 * label", else by value, else by a part of the label. Enabled options are preferred to disabled ones. Options with the same label and value
 * count as one.
 * @returns {OptionMatches}
 */
function findOptions(options, word) {
  const label = word.replace(/\s+/g, ' ').trim();
  const folded = foldedText(word);
  const path = normalizePath(folded);
  /** Return whether the word is a part of an option's label. */
  const isInLabel = (option) => folded !== '' && foldedText(option.label).includes(folded);
  for (
    const fits of [
      (option) => option.label === label,
      (option) => foldedText(option.label) === folded,
      (option) => option.group !== '' && foldedText(`${option.group} / ${option.label}`) === path,
      (option) => option.value === word,
      isInLabel,
    ]
  ) {
    const fitting = options.filter(fits);
    const enabled = fitting.filter((option) => !option.disabled);
    const found = enabled.length ? enabled : fitting;
    if (found.length === 0) continue;
    /** Return whether an option equals the first one found. */
    const isDuplicate = (option) =>
      option !== found[0] && option.value === found[0].value && option.label === found[0].label;
    return {
      indices: found.filter((option) => !isDuplicate(option)).map((option) => options.indexOf(option)),
      isPart: fits === isInLabel,
    };
  }
  return { indices: [], isPart: false };
}

/**
 * Select the options of a `<select>` at these indices and no others, and dispatch `input` and `change`. Return its options as a `Listing`,
 * two turns of the event loop later, when the page has undone what it does not accept; null for any other element.
 * @returns {Promise<Listing | null>}
 */
export async function chooseOptions(id, indices) {
  const list = nodeFor(id);
  if (!list || localNameOf(list) !== 'select') return null;
  refuseOtherRecord(list);
  if (list.multiple) { for (const option of list.options) option.selected = indices.includes(option.index); }
  else list.selectedIndex = indices[0];
  list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  list.dispatchEvent(new Event('change', { bubbles: true }));
  await waitTwoTurns();
  return listOptions(id);
}
exported.chooseOptions = chooseOptions;

/** Return the index of an `<option>` in its `<select>`; -1 for any other element. */
exported.findOptionIndex = (id) => {
  const element = nodeFor(id);
  return element && localNameOf(element) === 'option' ? element.index : -1;
};

/**
 * Return the state of an option after a press on it, in a `<select>` that displays its options: { label, selected, others: labels of the
 * other selected options, stays: it is still in the list }; null if either is gone. `id`: of the option; `listId`: of the `<select>`.
 */
exported.describePressedOption = (id, listId) => {
  const [option, list] = [nodeFor(id), nodeFor(listId)];
  if (!option || !list) return null;
  /** Return the label of an option, else its value. */
  const labelOfOption = (one) => cleanText(one.label) || one.value;
  const others = [...list.selectedOptions].filter((other) => other !== option).map(labelOfOption);
  return { label: labelOfOption(option), selected: option.selected, others, stays: closest(option, 'select') === list };
};

/**
 * Describe a widget to choose from (`isWidget`); return null for any other element. If it opens a list, also remember the visible lists and
 * buttons: those that appear later are its own. `id`: of the element. Return:
 *
 * - opens: it opens a list
 * - suggests: it has a `<datalist>`
 * - inDialog: it is in a dialog
 * - single, multiple: one or several options can be chosen, of the list that it is, or of the `<select>` that it replaces. Both are false if
 *   it opens a list and replaces no `<select>`.
 */
exported.describeWidget = (id) => {
  const element = nodeWithInternals(id);
  if (!element || !isWidget(element)) return null;
  const opens = isOpener(element);
  if (opens) {
    rememberLists();
    rememberButtons();
  }
  const list = opens ? null : groupOf(element);
  const native = replacedSelectOf(element);
  return {
    opens,
    suggests: localNameOf(element) === 'input' && hasAttr(element, 'list'),
    single: native ? !native.multiple : Boolean(list) && !isAttrTrue(list, 'aria-multiselectable'),
    multiple: native ? native.multiple : Boolean(list) && isAttrTrue(list, 'aria-multiselectable'),
    inDialog: [...ancestorsOf(element)].some((ancestor) =>
      localNameOf(ancestor) === 'dialog' || /dialog$/.test(explicitRoleOf(ancestor))
    ),
  };
};
