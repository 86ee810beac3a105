// Choosing from a widget's list: where to press, what to type into, and what the widget shows afterwards. Of a `select` also its options. Changes nothing but
// scroll positions, the focus, and by `choose` which options are selected.

import { isFocusable, roleOf } from '../accname/roles.js';
import { isSecret } from '../accname/states.js';
import { relativeToElement } from '../actions/actionability.js';
import { fillKind } from '../actions/fields.js';
import { aimAt, aimInView, closestRemoveButton, hitAt, pointsOf, reaches } from '../actions/hit-testing.js';
import {
  activeElementOf,
  bodyOf,
  closest,
  dataOf,
  focusOn,
  labelsIn,
  localNameOf,
  newRange,
  rectOf,
  rootElementOf,
  scrollIntoView,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  elementById,
  exported,
  foldedText,
  hasAttr,
  isElement,
  isText,
  referencedElements,
  shadowRootOf,
} from '../dom/dom.js';
import { nodeWithInternals } from '../dom/internals.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { turnEnded } from '../dom/turns.js';
import { refuseOtherRecord } from '../selectors/records.js';
import { isRendered } from '../visibility/hidden.js';
import { hasBox } from '../visibility/visible.js';
import { focusedOfWidget, isChosen, isTextInput, normalizePath, openListOf, openLists } from './lists.js';
import {
  containsInFlatTree,
  descendantsInFlatTree,
  isAttrTrue,
  isNativeList,
  isOpener,
  isRadio,
  isReachable,
  isTuckedAway,
  isWidget,
  LEVELS,
  outermost,
  visibleBoxAround,
} from './widgets.js';

/**
 * @typedef {object} PlaceOfOption
 * @property {number} id
 * @property {{x: number, y: number} | null} at
 * @property {boolean} byKey
 * @property {string} box
 * @property {boolean} clipped
 */

/**
 * Return where to press an option: the option, the label of a radio button, or a tree item's own text (`at`: from the corner inside its
 * border). `byKey`: no press reaches it. `id` is 0 for an option out of view while nothing may be scrolled; `clipped`: only scripts can
 * scroll to it. `box`: its present box, "" when it is gone.
 * @returns {PlaceOfOption}
 */
exported.pressable = (id, mayScroll) => {
  const option = nodeWithInternals(id);
  if (!option?.isConnected) return { id, at: null, byKey: false, box: '', clipped: false };
  const { left, top, width, height } = rectOf(option);
  const here = { at: null, byKey: false, box: [left, top, width, height].join(), clipped: false };
  const reached = reachablePoint(option, '') || mayScroll && reachablePoint(option, 'nearest');
  if (reached) return { ...here, ...reached };
  if (!mayScroll) return { ...here, id: 0, clipped: isClipped(option) };
  return { ...here, id, byKey: isRadio(option) && isFocusable(option) };
};

/** Whether an option is outside of an ancestor that people cannot scroll, as in a list that is still sliding open. */
function isClipped(element) {
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
 * Return { id, at } of what to press for an option without anything lying over it: the option or its label; for a tree item a point
 * beside the items in it. Null if no press would reach it. `block`: how to scroll it into view (an option of `scrollIntoView`), "" not
 * to.
 */
function reachablePoint(option, block) {
  if (roleOf(option) === 'treeitem') {
    const aim = block ? aimInView(option) : aimAt(option);
    if (aim.arrives && aim.isAside) return { id: idOf(option), at: relativeToElement(option, aim.point) };
  }
  const reached = [option, ...option.labels || []].find((each) => hasBox(each) && isMiddleHit(each, block));
  return reached ? { id: idOf(reached) } : null;
}

/**
 * Whether a press on the middle of an element would reach it, scrolled into view by `block`, an option of `scrollIntoView`; with "" as it
 * is.
 */
function isMiddleHit(element, block = 'nearest') {
  if (block) scrollIntoView(element, { block, inline: 'nearest', behavior: 'instant' });
  const box = rectOf(element);
  let hit = null;
  for (let root = document, next = null; root; root = hit && shadowRootOf(hit)) {
    next = root.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (!next || next === hit) break;
    hit = next;
  }
  return Boolean(hit) && containsInFlatTree(element, hit);
}

/**
 * @typedef {object} PlaceToOpen
 * @property {number} id
 * @property {{x: number, y: number}} at
 */

/**
 * Return the element to press to open a widget, and the point in it, from the corner inside its border: its middle, or beside the cross
 * of a choice. Null if a press would not reach it.
 * @returns {PlaceToOpen | null}
 */
exported.openAt = (id) => {
  const widget = nodeWithInternals(id);
  const part = widget && (hasBox(widget) ? widget : visibleBoxAround(widget));
  if (!part) return null;
  if (!isMiddleHit(part) && !isMiddleHit(part, 'center')) return null; // a bar that stays at the edge may cover it there
  for (const point of pointsOf(part)) {
    const hit = hitAt(point.x, point.y);
    if (hit && reaches(part, hit) && !closestRemoveButton(part, hit))
      return { id: idOf(part), at: relativeToElement(part, point) };
  }
  return null;
};

/**
 * Focus a widget, or the first focusable element in it. `ifNothing`: only while nothing has the focus, as after a press on an option
 * that takes none. Return whether it tried.
 */
function focusWidget(id, ifNothing) {
  const element = nodeWithInternals(id);
  if (!element || ifNothing && activeElementOf(document) && activeElementOf(document) !== bodyOf(document))
    return false;
  refuseOtherRecord(element);
  const place = isFocusable(element) ? element : [...descendantsInFlatTree(element)].find(isFocusable) || element;
  focusOn(place);
  return true;
}
exported.focusOn = focusWidget;

/** Focus a field with the caret behind its text, or with `all` of the text selected. */
exported.focusAtEnd = (id, all) => {
  const [field, selection] = [nodeFor(id), getSelection()];
  if (!field || !selection) return false;
  focusWidget(id, false);
  const held = focusedOfWidget(field)[0] || field;
  if ('select' in held && 'value' in held) {
    held.select();
    if (!all) selection.modify('move', 'forward', 'character'); // a field for a number has no caret that scripts may set
    return true;
  }
  const range = newRange(document);
  range.selectNodeContents(held);
  if (!all) range.collapse(false);
  selection.removeAllRanges();
  selection.addRange(range);
  return true;
};

/** Return the focused text field, if it belongs to a widget or to the list that it has opened, as { id, held }; null for none. */
exported.filter = (id) => {
  const widget = nodeWithInternals(id);
  const [field] = widget ? focusedOfWidget(widget) : [];
  if (!field || fillKind(field) !== 'text' || field.readOnly || field.disabled) return null;
  const open = openListOf(widget);
  const lists = open ? [open.list] : openLists(widget);
  const isOurs = containsInFlatTree(widget, field) || containsInFlatTree(field, widget)
    || lists.some((list) => isNearList(list, field))
    || isInSurroundings(widget, field);
  return isOurs ? { id: idOf(field), held: isSecret(field) ? '' : field.value } : null;
};

/** Whether a field stands with the options of an open list. */
const isNearList = (list, field) =>
  [...ancestorsOf(list)].slice(0, LEVELS).some((outer) =>
    outer !== bodyOf(document) && containsInFlatTree(outer, field)
  );

/** Whether a field is in the part of the page that shows the widget's value. */
const isInSurroundings = (widget, field) => containsInFlatTree(surroundings(widget), field);

/** Whether an element is a button without letters or digits, as the arrow beside a field that opens its list. */
const isArrowButton = (element) => roleOf(element) === 'button' && !/[\p{L}\p{N}]/u.test(textContentOf(element));

/** Return the part of the page that shows a widget's value: the outermost ancestor, up to `LEVELS`, that contains no other field. */
export function surroundings(widget) {
  let part = widget;
  /** Whether an element is a visible field other than the widget and its parts. */
  const isOther = (element) =>
    (isWidget(element) || isTextInput(element) || isNativeList(element))
    && !containsInFlatTree(widget, element) && !containsInFlatTree(element, widget)
    && !isAttrTrue(element, 'aria-hidden') && hasBox(element)
    && !isTuckedAway(element) && !isArrowButton(element);
  for (const outer of [...ancestorsOf(widget)].slice(0, LEVELS)) {
    if (outer === bodyOf(document) || outer === rootElementOf(document) || outermost(outer, isOther).length) break;
    part = outer;
  }
  return part;
}

/** Return the visible texts of a widget (`part`: of it, or of what stands around it), without its name and its open options. */
function textsShownBy(widget, part) {
  const open = openListOf(widget);
  const names = [...(labelsIn(widget) || []), ...referencedElements(widget, 'aria-labelledby')].filter((label) =>
    !containsInFlatTree(widget, label)
  );
  const skipped = new Set([...(isOpener(widget) && open ? [open.list] : []), ...names]);
  return [...visibleTextsOf(part, skipped)].filter(Boolean);
}

/**
 * Yield the visible texts in an element and the values of its text fields. Elements `skipped` are left out, and so are labels and
 * selects.
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

/** Return the texts of choices that stand beside the field, in a list of their own. */
function chipsBeside(widget) {
  const open = attr(widget, 'aria-expanded') === 'false' ? null : openListOf(widget);
  const named = referencedElements(widget, 'aria-controls');
  /** Whether an element is a list of such choices, and not the open list. */
  const isChips = (element) =>
    attr(element, 'role') === 'listbox' && !named.includes(element) && hasBox(element)
    && !containsInFlatTree(element, widget)
    && !(open && (containsInFlatTree(open.list, element) || containsInFlatTree(element, open.list)));
  const [outer] = isTextInput(widget) ? ancestorsOf(widget) : [];
  return outer ? outermost(outer, isChips).flatMap((list) => [...visibleTextsOf(list, new Set())]) : [];
}

/**
 * @typedef {object} ChoiceOutcome
 * @property {string} held
 * @property {string} shows
 * @property {boolean} own
 * @property {boolean} exact
 * @property {boolean} says
 * @property {boolean | null} chosen
 * @property {boolean} open
 */

/**
 * Return the outcome of a choice; null if the widget is gone. `own`, `exact`: the widget itself, or anything around it, shows one of
 * the labels and nothing else; `says`: a label occurs there; `chosen`: the option, if still visible, is marked as chosen, else null.
 * @returns {ChoiceOutcome | null}
 */
exported.outcome = (id, wanted, optionId) => {
  const widget = nodeWithInternals(id);
  if (!widget) return null;
  const labels = wanted.map((label) => cleanText(label).toLowerCase());
  /** Whether a text is one of the labels, alone or between separators. */
  const isWantedLabel = (piece) =>
    [piece, ...piece.split(/[,;|·]/)].some((part) => labels.includes(cleanText(part).toLowerCase()));
  const pieces = textsShownBy(widget, surroundings(widget));
  const shows = pieces.join(' ');
  const option = optionId ? nodeFor(optionId) : null;
  const [field] = focusedOfWidget(widget);
  return {
    held: field && isTextInput(field) && !isSecret(field) ? field.value : '',
    shows: shows.slice(0, 200),
    own: textsShownBy(widget, widget).some(isWantedLabel),
    exact: pieces.some(isWantedLabel) || chipsBeside(widget).some(isWantedLabel),
    says: labels.some((label) => shows.toLowerCase().includes(label)),
    chosen: option && isReachable(option) ? isChosen(option) : null,
    open: isOpener(widget) && openListOf(widget) !== null,
  };
};

/** Return the suggestions (`<datalist>`) of a field. */
exported.suggestions = (id) => {
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
 * @typedef {object} Option
 * @property {string} value
 * @property {string} label
 * @property {string} group the label of its optgroup
 * @property {boolean} disabled
 * @property {boolean} selected
 */

/**
 * @typedef {object} Listing
 * @property {boolean} multiple
 * @property {Option[]} options
 * @property {MeantOptions[]} meant one for each word
 */

/**
 * @typedef {object} MeantOptions
 * @property {number[]} places indices in the list of options
 * @property {boolean} isPart whether the word is only a part of their labels
 */

/**
 * List the options of a select, and for each word those that it means.
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
  return { multiple: element.multiple, options, meant: words.map((word) => findMeantOptions(options, word)) };
}
exported.options = listOptions;

/**
 * Find the options that a word means. The first of these ways that finds any counts: label, label in any case of letters, "group / label", value,
 * part of a label. Enabled options count before disabled ones. Options of one label and value count as one.
 * @returns {MeantOptions}
 */
function findMeantOptions(options, word) {
  const label = word.replace(/\s+/g, ' ').trim();
  const folded = foldedText(word);
  const path = normalizePath(folded);
  /** Whether the word is a part of an option's label. */
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
    const usable = fitting.filter((option) => !option.disabled);
    const meant = usable.length ? usable : fitting;
    if (meant.length === 0) continue;
    /** Whether an option has the same label and value as the first that is meant. */
    const isDuplicate = (option) =>
      option !== meant[0] && option.value === meant[0].value && option.label === meant[0].label;
    return {
      places: meant.filter((option) => !isDuplicate(option)).map((option) => options.indexOf(option)),
      isPart: fits === isInLabel,
    };
  }
  return { places: [], isPart: false };
}

/**
 * Select the options at these places of a list, and no others, with the events of a person's choice. Answers with the
 * options when the turn has ended: what a page undoes, it does by then.
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
  await turnEnded();
  return listOptions(id);
}
exported.choose = chooseOptions;

/** Return the index of an option in its select; -1 for any other element. */
exported.optionIndex = (id) => {
  const element = nodeFor(id);
  return element && localNameOf(element) === 'option' ? element.index : -1;
};

/** Return the state of a list box and its option after a press on the option; null when either is gone. */
exported.pressedOption = (id, listId) => {
  const [option, list] = [nodeFor(id), nodeFor(listId)];
  if (!option || !list) return null;
  /** Return the label of an option, else its value. */
  const labelOfOption = (one) => cleanText(one.label) || one.value;
  const others = [...list.selectedOptions].filter((other) => other !== option).map(labelOfOption);
  return { label: labelOfOption(option), selected: option.selected, others, stays: closest(option, 'select') === list };
};
