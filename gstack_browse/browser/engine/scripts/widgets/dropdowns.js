// Dropdowns without ARIA list roles. A dropdown is the element whose press opens its list, known by `aria-expanded` or by a widget rule
// (rules.js: the class names of a library). Its options are the elements with text that become visible then.

import { nameOf } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { isSecret } from '../accname/states.js';
import { fillKind } from '../accname/values.js';
import {
  activeElementOf,
  bodyOf,
  dataOf,
  localNameOf,
  parentElementOf,
  queryAll,
  rectOf,
  scrollIntoView,
  styleOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  closestWhere,
  containsInFlatTree,
  exported,
  hasAttr,
  isText,
  parentOf,
} from '../dom/dom.js';
import { idOf, idOfOnly, nearestRemainingAncestor, nodeFor, rememberPosition } from '../dom/node-table.js';
import { closestRemoveButton, hitAt, relativeToElement } from '../layout/hit-testing.js';
import { isInLayer, isOperable } from '../layout/visible.js';
import { readVisibleText } from '../read/text.js';
import { rememberOption } from '../selectors/records.js';
import { isClippedAway } from '../visibility/hidden.js';
import { hasArrowClass, hasChosenClass } from './class-names.js';
import { CONFIRMING_NAMES, dataValueOf, effectiveOpacity, hasLabel } from './lists.js';
import { findWidgetRule } from './rules.js';
import {
  descendantsInFlatTree,
  isEmptyListbox,
  isTextInput,
  MAX_WIDGET_DISTANCE,
  opensByAria,
  outermostMatches,
  replacedSelectOf,
  replacements,
} from './widgets.js';

const MAX_LISTED_REVEALED = 30;
const FIRST_LINE_MIDDLE = 12; // pixels

/** Return whether an element is a link that leads to another page. */
const isLinkToPage = (element) =>
  localNameOf(element) === 'a' && hasAttr(element, 'href') && !/^(?:#|javascript:|$)/i.test(attr(element, 'href'));
/** Return whether an element is a button that submits or resets a form. */
const isSubmitControl = (element) => /^(?:submit|image|reset)$/.test(element.type || '') && element.form !== null;
/**
 * Return the dropdown that an element is, or is in (at most three levels below); null for none, and in a link to a page or a submit button.
 * It is the first found of: one that opens something by ARIA, a list box without options, a button that opens a dialog, a replacement of a
 * `<select>`, the outermost one that a widget rule knows. `rule`: the name of that rule (class names of a library), else "".
 * @returns {{ dropdown: Element, rule: string } | null}
 */
function findDropdown(element) {
  if (replacements.has(element)) return { dropdown: element, rule: '' };
  const nearest = [element, ...[...ancestorsOf(element)].slice(0, MAX_WIDGET_DISTANCE - 1)];
  if (nearest.some((each) => isLinkToPage(each) || localNameOf(each) === 'button' && isSubmitControl(each)))
    return null;
  const dropdown = nearest.find(opensByAria) ?? nearest.find(isEmptyListbox)
    ?? (opensDialog(element) ? element : nearest.find((each) => replacedSelectOf(each) !== null));
  if (dropdown) return { dropdown, rule: '' };
  const outermost = nearest.findLast((each) => findWidgetRule('list', each));
  return outermost ? { dropdown: outermost, rule: findWidgetRule('list', outermost)?.name ?? '' } : null;
}

/**
 * Return whether an element is a button that opens a popup with the role dialog: Radix Popover gives this role to all its popups, also to
 * those with a list.
 */
const opensDialog = (element) =>
  attr(element, 'aria-haspopup') === 'dialog' && hasAttr(element, 'aria-expanded') && roleOf(element) === 'button';

/** Return whether a field is a text field in a dropdown known by its class names, so that it filters the dropdown's options. */
const isFilterField = (field) =>
  fillKind(field) === 'text'
  && [...ancestorsOf(field)].slice(0, MAX_WIDGET_DISTANCE - 1).some((each) => findWidgetRule('list', each));

// Elements that were visible before the dropdown was pressed.
let visibleBefore = new WeakSet();
// The middle of the dropdown in the window before it was pressed.
let dropdownCentre = { x: 0, y: 0 };
/**
 * The position of the dropdown in the document.
 * @type {ReturnType<typeof rememberPosition> | null}
 */
let dropdownPosition = null;
// The text field that the command `select` was called for; null if the target was the dropdown itself.
let targetField = null;
/**
 * The list that became visible: its options, the outermost element around them that became visible with them (or null), and the focused
 * field that filters them.
 * @type {{ options: Element[], popup: Element | null, filter: Element | null }}
 */
let openedList = { options: [], popup: null, filter: null };

/**
 * @typedef {{ id: number, press: number, arrow: number, at: {x: number, y: number}, shows: string, inLayer: boolean,
 *   rule: string }} Dropdown
 */

/**
 * Describe the dropdown that an element is, or is in; null for none. Remember which elements are visible, so that `findRevealedOptions`
 * finds those that a press has revealed. `press`, `at`: the element to press, and the point in its first line, since an open dropdown may
 * contain its options; `arrow`: the id of the button without text that opens the list, 0 for none; `shows`: the text of the dropdown;
 * `inLayer`: it is in a dialog or the like; `rule`: the widget rule that knows it, or "".
 * @returns {Dropdown | null}
 */
exported.describeDropdown = (id) => {
  const element = nodeFor(id);
  const found = element && (!fillKind(element) || isFilterField(element)) ? findDropdown(element) : null;
  if (!element || !found || !isOperable(found.dropdown)) return null;
  const { dropdown, rule } = found;
  targetField = fillKind(element) ? element : null;
  visibleBefore = new WeakSet([...descendantsInFlatTree(bodyOf(document))].filter(isOperable));
  openedList = { options: [], popup: null, filter: null };
  const press = isFirstLineHit(element) ? element : dropdown;
  dropdownCentre = centreOf(rectOf(dropdown));
  dropdownPosition = rememberPosition(dropdown);
  const { width, height } = rectOf(press);
  const at = { x: width / 2, y: Math.min(height / 2, FIRST_LINE_MIDDLE) };
  return {
    id: idOf(dropdown),
    press: idOf(press),
    arrow: arrowButtonIn(dropdown),
    at,
    shows: displayedTextIn(dropdown),
    inLayer: isInLayer(dropdown),
    rule,
  };
};

/** Return the id of the only arrow button in a dropdown: a button without text, with a class such as `arrow`; 0 for none or several. */
function arrowButtonIn(dropdown) {
  const arrows = outermostMatches(
    dropdown,
    (element) =>
      hasArrowClass(element) && isOperable(element) && !fillKind(element)
      && displayedTextIn(element) === ''
      && !isLinkToPage(element) && !isSubmitControl(element) && closestRemoveButton(dropdown, element) === null,
  );
  return idOfOnly(arrows);
}

/**
 * Scroll to an element. Return whether a press in the middle of its first line of text would reach it, and not an element that covers it.
 */
function isFirstLineHit(element) {
  scrollIntoView(element, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const { left, right, top, bottom } = rectOf(element);
  const hit = right - left > 2 && bottom - top > 2
    ? hitAt((left + right) / 2, Math.min((top + bottom) / 2, top + FIRST_LINE_MIDDLE))
    : null;
  return hit !== null && containsInFlatTree(element, hit);
}

/** Return the middle of a rectangle. */
const centreOf = ({ left, right, top, bottom }) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

/**
 * Return whether the page has replaced the dropdown, after a choice, by one that displays `label`: at the point where it was, or if it was
 * removed with the same tag and classes near its former place.
 */
exported.isDropdownReplacedBy = (label) => {
  /** Return whether an element displays `label` and no other text, ignoring case. */
  const showsLabel = (element) => displayedTextIn(element).toLowerCase() === cleanText(label).toLowerCase();
  let element = hitAt(dropdownCentre.x, dropdownCentre.y);
  for (let level = 0; element && level < MAX_WIDGET_DISTANCE; level += 1, element = parentElementOf(element))
    if (showsLabel(element)) return true;
  const alike = elementsLikeRemovedDropdown();
  return alike.length === 1 && [alike[0], ...outermostMatches(alike[0], isOperable)].some(showsLabel);
};

/**
 * Return the visible elements with the tag and classes of the removed dropdown in the nearest of its former ancestors that is still there;
 * [] if it was not removed.
 */
function elementsLikeRemovedDropdown() {
  const dropdown = dropdownPosition?.element.deref();
  const around = dropdownPosition && nearestRemainingAncestor(dropdownPosition);
  if (!dropdown || !around || dropdown.isConnected) return [];
  return outermostMatches(
    around,
    (other) =>
      localNameOf(other) === localNameOf(dropdown) && attr(other, 'class') === attr(dropdown, 'class')
      && isOperable(other),
  );
}

/** Return the displayed text of an element, as one line. */
const displayedTextIn = (element) => cleanText(readVisibleText(idOf(element)));
/** Return the text of those text nodes that are children of an element, as one line. */
const ownTextOf = (element) => cleanText([...childrenOf(element)].filter(isText).map((text) => dataOf(text)).join(' '));
/** Return whether an element has a text node with text as its child. */
const hasOwnText = (element) => ownTextOf(element) !== '';

/**
 * Return the elements that have become visible since `describeDropdown`, if they have text or a value of their own: of those with the same
 * text, the outermost. If the popup is known and visible, only those in it, since the text of the dropdown is no option.
 */
function findRevealedElements() {
  const found = new Set();
  for (const element of descendantsInFlatTree(isStillVisible(openedList.popup) ? openedList.popup : bodyOf(document))) {
    if (visibleBefore.has(element) || fillKind(element) || !hasOwnText(element) && dataValueOf(element) === null)
      continue;
    const outer = closestWhere(parentOf(element), (each) => found.has(each));
    if (isOperable(element) && (outer === null || displayedTextIn(outer) !== displayedTextIn(element)))
      found.add(element);
  }
  return [...found];
}

/**
 * Return whether an element is still visible, and not clipped away, as Chosen hides its closed list; a list that fades out counts until it
 * is transparent. False for null.
 */
const isStillVisible = (element) =>
  element !== null && element.isConnected && isOperable(element)
  && ![element, ...[...ancestorsOf(element)].slice(0, MAX_WIDGET_DISTANCE)]
    .some((each) => isClippedAway(each, styleOf(each), rectOf(each)));

/**
 * Return the popup of a dropdown that was opened: the outermost element around all of its options, but not around the dropdown, that became
 * visible with them; null for none. A box without size that positions the popup is not meant.
 */
function findPopupAround(options, dropdown) {
  let part = options[0] ? parentOf(options[0]) : null;
  while (part && !options.every((option) => containsInFlatTree(part, option))) part = parentOf(part);
  if (!part || containsInFlatTree(part, dropdown) || part === bodyOf(document)) return null;
  for (
    let outer = parentOf(part);
    outer && outer !== bodyOf(document) && !visibleBefore.has(outer) && !containsInFlatTree(outer, dropdown);
    outer = parentOf(outer)
  ) part = isOperable(outer) ? outer : part;
  return part;
}

/**
 * Return the labels of an option that a press on a dropdown has revealed: its displayed text, and its accessible name if it has no text of
 * its own; [] for neither.
 */
const labelsOfRevealed = (element) =>
  [displayedTextIn(element), ...(hasOwnText(element) ? [] : [nameOf(element) || ''])].map(cleanText).filter(
    Boolean,
  );

/**
 * Return the options with the label `wanted`; if there are none, those with it ignoring case; else those with it as their `data-value`;
 * else, if `mayBePart`, the only one with it as a part of its label.
 */
function findOptionsWithLabel(options, wanted, mayBePart) {
  const label = cleanText(wanted);
  const lowerCase = label.toLowerCase();
  const labelsByOption = options.map(labelsOfRevealed);
  const tests = [
    (_, labels) => labels.includes(label),
    (_, labels) => labels.some((each) => each.toLowerCase() === lowerCase),
    (option) => dataValueOf(option) === wanted,
  ];
  const filterBy = (test) => options.filter((option, at) => test(option, labelsByOption[at]));
  const whole = tests.map(filterBy).find((matching) => matching.length > 0);
  if (whole || !mayBePart) return whole ?? [];
  const having = filterBy((_, labels) => labels.some((each) => each.toLowerCase().includes(lowerCase)));
  return having.length === 1 ? having : [];
}

/**
 * Return the focused text field if it filters the options of a dropdown: it is in the dropdown, or has appeared with the options; else
 * null.
 */
function focusedFilterOf(dropdown, options) {
  const field = activeElementOf(document);
  const isFilter = field !== null && fillKind(field) === 'text' && !hasAttr(field, 'readonly')
    && (containsInFlatTree(dropdown, field) || !visibleBefore.has(field))
    && (options.length > 0 || field !== targetField);
  return isFilter ? field : null;
}

/** @typedef {{ id: number, label: string, marked: boolean, ticked: boolean }} RevealedOption */

/** @typedef {{ found: RevealedOption[], labels: string[], total: number, filterable: boolean, displayed: boolean }} RevealedOptions */

/**
 * Return the options that the press on the dropdown of an id has revealed. `total`: their number; `labels`: of the first ones; `found`:
 * those with the label `wanted` (if `mayBePart`, as a part, too), each { id, label, marked: as chosen, ticked: its checkbox };
 * `filterable`: whether the focused field takes text to filter them; `displayed`: whether the dropdown displays the label outside of its
 * list.
 * @returns {RevealedOptions}
 */
exported.findRevealedOptions = (id, wanted, mayBePart = false) => {
  const dropdown = nodeFor(id);
  const options = findRevealedElements();
  const found = findOptionsWithLabel(options, wanted, mayBePart);
  // The press may have shown something else, too: CKEditor 5 shows the toolbar of a table as its heading list opens.
  if (options.length > 0 && !isStillVisible(openedList.popup))
    Object.assign(openedList, {
      options,
      popup: findPopupAround(options, dropdown) ?? findPopupAround(found, dropdown),
    });
  const filter = focusedFilterOf(dropdown, options);
  if (filter) openedList.filter = filter;
  return {
    found: found.map((option) => ({
      id: idOf(option),
      label: rememberOption(option, labelsOfRevealed)[0] || wanted,
      marked: isMarkedChosen(option),
      ticked: isTicked(option),
    })),
    labels: options.slice(0, MAX_LISTED_REVEALED).map((each) => labelsOfRevealed(each)[0] || dataValueOf(each) || ''),
    total: options.length,
    filterable: filter !== null,
    displayed: dropdown !== null
      && [wanted, ...found.flatMap(labelsOfRevealed)].some((label) => hasLabelBesideList(dropdown, label)),
  };
};

// The choice from a dropdown: how its options are marked, where to press one, the text of the dropdown outside of its list, and whether the
// list is open.

const TICK = 'input[type=checkbox],[role=checkbox i],[role=menuitemcheckbox i]';
const TICKED_BOX = 'input:checked,[role=checkbox i][aria-checked=true]';
const MAX_ITEM_LEVELS = 3;

/**
 * Return the list item that the text of an option is in: the outermost of three ancestors with the same text. It may contain a checkbox:
 * `<li><input type=checkbox><span>Red</span></li>`.
 */
function itemOfOption(option) {
  let item = option;
  for (const outer of [...ancestorsOf(option)].slice(0, MAX_ITEM_LEVELS)) {
    if (
      outer === openedList.popup || containsInFlatTree(outer, openedList.popup)
      || displayedTextIn(outer) !== displayedTextIn(option)
    )
      break;
    item = outer;
  }
  return item;
}

/** Return an element and its next two ancestors, as an array. */
const withTwoAncestors = (element) => [element, ...[...ancestorsOf(element)].slice(0, 2)];

/** Return whether the checkbox that belongs to an option of a dropdown is ticked. */
function isTicked(option) {
  const label = withTwoAncestors(option).find((each) => localNameOf(each) === 'label');
  return Boolean(label?.control?.checked) || queryAll(itemOfOption(option), TICKED_BOX).length > 0;
}

/** Return whether an option of a dropdown is marked as chosen: by its checkbox, ARIA, or a class. */
const isMarkedChosen = (option) =>
  isTicked(option)
  || withTwoAncestors(option).some((each) =>
    hasChosenClass(each) || attr(each, 'aria-selected') === 'true'
    || attr(each, 'aria-checked') === 'true'
  );

/** @typedef {{ id: number, at: {x: number, y: number} | null }} RevealedOptionPoint */

/**
 * Return { id, at } to press for an option of an opened dropdown: the id of the element, and the point in it, from the corner inside its
 * border (null: any). For an option with `pointer-events: none` it is the ancestor that gets the press.
 * @returns {RevealedOptionPoint}
 */
exported.findRevealedOptionPressPoint = (id) => {
  const option = nodeFor(id);
  if (!option) return { id, at: null };
  let target = option;
  while (target && styleOf(target).pointerEvents === 'none') target = parentOf(target);
  if (!target || target === option || !containsInFlatTree(itemOfOption(option), target)) return { id, at: null };
  const { left, top, width, height } = rectOf(option);
  return { id: idOf(target), at: relativeToElement(target, { x: left + width / 2, y: top + height / 2 }) };
};

/** Yield the visible texts of a dropdown outside of its list, and the values of its fields. */
function* textsOfDropdown(dropdown) {
  const { popup, options } = openedList;
  /** Return whether an element is the popup of the open list, or an option if there is no popup. */
  const isListed = (element) => element === popup || popup === null && options.includes(element);
  for (const element of [dropdown, ...descendantsInFlatTree(dropdown, isListed)]) {
    if (isListed(element) || !isOperable(element)) continue;
    if (isTextInput(element) && !isSecret(element)) yield cleanText(element.value);
    else yield ownTextOf(element);
  }
}

/**
 * Return whether a dropdown displays a label outside of its list: as one of its texts, or as a part of one between separators such as
 * commas.
 */
const hasLabelBesideList = (dropdown, label) => [...textsOfDropdown(dropdown)].some((text) => hasLabel(text, label));

/** Return the values of the fields in a dropdown, hidden ones included, except the field that filters its options. */
const fieldValuesIn = (dropdown) =>
  [dropdown, ...queryAll(dropdown, 'input,select,textarea')].filter((field) => field !== openedList.filter)
    .map(valueOfField);

/**
 * Return the value of a field as text: of a `<select>` the selected labels, of a checkbox "true" or "false", "" for a password; of any
 * other element its `data-value`.
 */
function valueOfField(field) {
  if (localNameOf(field) === 'select') return [...field.selectedOptions].map((option) => option.label).join();
  if (field.type === 'checkbox' || field.type === 'radio') return String(field.checked);
  if ('value' in field) return field.type === 'password' ? '' : String(field.value);
  return attr(field, 'data-value') || '';
}

// Text and value of the option that was pressed last: its element may be gone since.
let pressedRevealed = { id: 0, text: '', value: null };

/**
 * @typedef {{ text: string, values: string, valueMatch: boolean, exactMatch: boolean, partialMatch: boolean, marked: boolean,
 *   exists: boolean, open: boolean }} DropdownOutcome
 */

/**
 * Return the outcome of a press on the option `optionId` of the dropdown `id`; null if the dropdown is gone. `text`, `values`: of the
 * dropdown and of its fields; `exactMatch`, `valueMatch`: one of these is the option's label, or contains it between separators;
 * `partialMatch`: the text contains it; `marked`: the option is marked as chosen; `exists`: it is still in the document; `open`: the list.
 * @returns {DropdownOutcome | null}
 */
exported.readDropdownOutcome = (id, optionId) => {
  const [dropdown, option] = [nodeFor(id), nodeFor(optionId)];
  if (!dropdown) return null;
  if (pressedRevealed.id !== optionId && option)
    pressedRevealed = { id: optionId, text: displayedTextIn(option), value: dataValueOf(option) };
  const values = fieldValuesIn(dropdown);
  const text = [...textsOfDropdown(dropdown)].filter(Boolean).join(' ');
  const labels = [pressedRevealed.text, pressedRevealed.value ?? ''].filter(Boolean);
  return {
    text,
    values: values.join('\n'),
    valueMatch: values.some((value) => labels.some((label) => hasLabel(value, label))),
    exactMatch: hasLabelBesideList(dropdown, pressedRevealed.text),
    partialMatch: text.toLowerCase().includes(pressedRevealed.text.toLowerCase()),
    marked: option !== null && isMarkedChosen(option),
    exists: option !== null,
    open: findVisibleRevealed().length > 0,
  };
};

/** Return the options of the list that the dropdown has opened, as far as they are still visible. */
function findVisibleRevealed() {
  const { popup, options } = openedList;
  return popup === null ? options.filter(isStillVisible) : isStillVisible(popup) ? findRevealedElements() : [];
}

/**
 * `signature`: a text that changes as the list moves or fades; `multiple`: whether several options can be chosen, as its checkboxes or
 * marked options show; `confirmButton`: id of the only button in it that confirms the choice, 0 for none or several; `buttons`: all names.
 * @typedef {{ open: boolean, signature: string, multiple: boolean, confirmButton: number, buttons: string[] }} ListState
 */

/**
 * Describe the list that the pressed dropdown has opened: whether it is open or still moves, whether several options can be chosen, and its
 * buttons.
 * @returns {ListState}
 */
exported.describeOpenedList = () => {
  const options = findVisibleRevealed();
  const buttons = openedList.popup === null ? [] : options.map(buttonAround).filter((button) => button !== null);
  const confirming = buttons.filter((button) => CONFIRMING_NAMES.test(displayedTextIn(button)));
  const { width, height, top } = options.length > 0
    ? rectOf(openedList.popup ?? options[0])
    : { width: 0, height: 0, top: 0 };
  return {
    open: options.length > 0,
    signature: options.length > 0 ? [options.length, width, height, top, effectiveOpacity(options[0])].join() : '',
    multiple: options.some((option) => queryAll(itemOfOption(option), TICK).length > 0)
      || options.filter(isMarkedChosen).length > 1,
    confirmButton: idOfOnly(confirming),
    buttons: buttons.map(displayedTextIn),
  };
};

/** Return the button that an option of a dropdown is, or whose text it is; null for none, and for a button that resets a form. */
function buttonAround(element) {
  const button = withTwoAncestors(element).find((each) => localNameOf(each) === 'button' || roleOf(each) === 'button');
  return button && roleOf(button) === 'button' && button.type !== 'reset' && button !== openedList.popup
      && displayedTextIn(button) === displayedTextIn(element)
    ? button
    : null;
}
