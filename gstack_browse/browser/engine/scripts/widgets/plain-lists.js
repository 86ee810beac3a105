// Plain lists: lists of options without ARIA list roles. A box is the element to press that opens one, known by `aria-expanded` or by a
// widget rule (rule-table.js: the class names of a library); its options are the lines that become visible then.

import { isCutAway } from '../visibility/cut.js';
import { textById } from '../read/text.js';
import { nameOf } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { isSecret } from '../accname/states.js';
import { relativeToElement } from '../actions/actionability.js';
import { nearestRemainingAncestor, rememberPosition } from '../actions/changes.js';
import { fillKind } from '../actions/fields.js';
import { closestRemoveButton, hitAt } from '../actions/hit-testing.js';
import {
  activeElementOf,
  bodyOf,
  dataOf,
  localNameOf,
  parentElementOf,
  queryAll,
  rectOf,
  scrollIntoView,
} from '../dom/accessors.js';
import { ancestorsOf, attr, childrenOf, cleanText, exported, hasAttr, isText, parentOf } from '../dom/dom.js';
import { idOf, idOfOnly, nodeFor } from '../dom/node-table.js';
import { styleOf } from '../visibility/hidden.js';
import { isInLayer, isOperable } from '../visibility/visible.js';
import { hasArrowClass, hasChosenClass } from './class-names.js';
import { widgetRule } from './rule-table.js';
import { CONFIRMING_NAMES, dataValueOf, effectiveOpacity, hasLabel, isTextInput } from './lists.js';
import {
  containsInFlatTree,
  descendantsInFlatTree,
  isEmptyListbox,
  MAX_WIDGET_DISTANCE,
  nativeListOf,
  opensByAria,
  outermostMatches,
  ruleByReplacement,
  ruleOfBox,
} from './widgets.js';

const MAX_LISTED_LINES = 30;
const FIRST_LINE_MIDDLE = 12; // pixels

/** Whether an element is a link that leads to another page. */
const isLinkToPage = (element) =>
  localNameOf(element) === 'a' && hasAttr(element, 'href') && !/^(?:#|javascript:|$)/i.test(attr(element, 'href'));
/** Whether an element is a button that submits or resets a form. */
const isSubmitControl = (element) => /^(?:submit|image|reset)$/.test(element.type || '') && element.form !== null;
/**
 * Return the box of the plain list that an element is, or is in, and the name of the widget rule by which it is one ("" for none). Null for
 * no box, and for what is in a link to a page or a button that submits. A box replaces a native list, opens something by ARIA, is a list box
 * without options, or opens a dialog; else it is the outermost ancestor that is a list by a widget rule.
 * @returns {{ box: Element, rule: string } | null}
 */
function plainListBoxOf(element) {
  const ruleOfReplacement = ruleByReplacement.get(element);
  if (ruleOfReplacement !== undefined) return { box: element, rule: ruleOfReplacement };
  const nearest = [element, ...[...ancestorsOf(element)].slice(0, MAX_WIDGET_DISTANCE - 1)];
  if (nearest.some((each) => isLinkToPage(each) || localNameOf(each) === 'button' && isSubmitControl(each)))
    return null;
  const box = nearest.find(opensByAria) ?? nearest.find(isEmptyListbox) ?? (opensDialog(element) ? element : null);
  if (box) return { box, rule: '' };
  const replacementWidget = nearest.find((each) => nativeListOf(each) !== null);
  if (replacementWidget) return { box: replacementWidget, rule: ruleOfBox(replacementWidget) };
  const outermostBox = nearest.findLast((each) => widgetRule('list', each));
  return outermostBox ? { box: outermostBox, rule: widgetRule('list', outermostBox)?.name ?? '' } : null;
}

/**
 * Whether a button opens a popup with the role dialog, in which there may be a list: Radix Popover gives all its popups that role.
 */
const opensDialog = (element) =>
  attr(element, 'aria-haspopup') === 'dialog' && hasAttr(element, 'aria-expanded') && roleOf(element) === 'button';

/** Whether a text field filters the options of the plain list that it is in. */
const isFilterField = (field) =>
  fillKind(field) === 'text'
  && [...ancestorsOf(field)].slice(0, MAX_WIDGET_DISTANCE - 1).some((each) => widgetRule('list', each));

// Elements that were visible before the box was pressed.
let visibleBefore = new WeakSet();
// The middle of the box in the window before it was pressed.
let boxCentre = { x: 0, y: 0 };
/**
 * The position of the box in the document.
 * @type {ReturnType<typeof rememberPosition> | null}
 */
let rememberedBox = null;
// The text field that the command `select` was called for; null if the target was the box itself.
let targetField = null;
/**
 * The list that became visible: its lines, the part of the page that contains them and became visible with them (or null), and the focused
 * field in it.
 * @type {{ lines: Element[], popup: Element | null, typedIn: Element | null }}
 */
let openedList = { lines: [], popup: null, typedIn: null };

/**
 * @typedef {object} PlainList
 * @property {number} box
 * @property {number} press
 * @property {number} arrow
 * @property {{x: number, y: number}} at
 * @property {string} shows
 * @property {boolean} inLayer
 * @property {string} rule
 */

/**
 * Describe the plain list that an element is, or is in; null for none. Remember the visible elements, to tell later which ones a press has
 * revealed. `press`, `at`: the element to press, and the point in its first line, since an open box may contain its options; `arrow`: the
 * id of the button without text that opens the list, 0 for none; `shows`: the text of the box.
 * @returns {PlainList | null}
 */
exported.plainList = (id) => {
  const element = nodeFor(id);
  const found = element && (!fillKind(element) || isFilterField(element)) ? plainListBoxOf(element) : null;
  if (!element || !found || !isOperable(found.box)) return null;
  const { box, rule } = found;
  targetField = fillKind(element) ? element : null;
  visibleBefore = new WeakSet([...descendantsInFlatTree(bodyOf(document))].filter(isOperable));
  openedList = { lines: [], popup: null, typedIn: null };
  const press = isFirstLineHit(element) ? element : box;
  boxCentre = centreOf(rectOf(box));
  rememberedBox = rememberPosition(box);
  const { width, height } = rectOf(press);
  const at = { x: width / 2, y: Math.min(height / 2, FIRST_LINE_MIDDLE) };
  return {
    box: idOf(box),
    press: idOf(press),
    arrow: arrowButtonIn(box),
    at,
    shows: displayedTextIn(box),
    inLayer: isInLayer(box),
    rule,
  };
};

/** Return the id of the only arrow button in a box (without text, known by its classes); 0 for none or several. */
function arrowButtonIn(box) {
  const arrows = outermostMatches(
    box,
    (element) =>
      hasArrowClass(element) && isOperable(element) && !fillKind(element)
      && displayedTextIn(element) === ''
      && !isLinkToPage(element) && !isSubmitControl(element) && closestRemoveButton(box, element) === null,
  );
  return idOfOnly(arrows);
}

/** Whether a press on the first line of an element's box would reach it, and not a field that lies over it. */
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
 * Return whether the page has replaced a removed box by one that displays a label: at the point where the box was, or with the same tag and
 * classes in its former surroundings.
 */
exported.isBoxReplacedBy = (label) => {
  /** Whether an element displays `label` and no other text, ignoring case. */
  const showsLabel = (element) => displayedTextIn(element).toLowerCase() === cleanText(label).toLowerCase();
  let element = hitAt(boxCentre.x, boxCentre.y);
  for (let level = 0; element && level < MAX_WIDGET_DISTANCE; level += 1, element = parentElementOf(element))
    if (showsLabel(element)) return true;
  const alike = boxesLikeRemovedOne();
  return alike.length === 1 && [alike[0], ...outermostMatches(alike[0], isOperable)].some(showsLabel);
};

/**
 * Return the visible elements with the tag and classes of the removed box in its nearest remaining ancestor; [] if the box was not removed.
 */
function boxesLikeRemovedOne() {
  const box = rememberedBox?.element.deref();
  const around = rememberedBox && nearestRemainingAncestor(rememberedBox);
  if (!box || !around || box.isConnected) return [];
  return outermostMatches(
    around,
    (other) =>
      localNameOf(other) === localNameOf(box) && attr(other, 'class') === attr(box, 'class') && isOperable(other),
  );
}

/** Return the displayed text of an element. */
const displayedTextIn = (element) => cleanText(textById(idOf(element)));
/** Return the text of an element's own text nodes. */
const ownTextOf = (element) => cleanText([...childrenOf(element)].filter(isText).map((text) => dataOf(text)).join(' '));
/** Whether an element has text of its own. */
const hasOwnText = (element) => ownTextOf(element) !== '';

/**
 * Return the lines that have become visible: elements with text or a value of their own, the outermost of those with the same text. If the
 * popup is known and visible, only lines in it, since the text of the box is no option.
 */
function revealedElements() {
  const found = [];
  for (const element of descendantsInFlatTree(isStillVisible(openedList.popup) ? openedList.popup : bodyOf(document))) {
    if (visibleBefore.has(element) || fillKind(element) || !hasOwnText(element) && dataValueOf(element) === null)
      continue;
    if (isOperable(element)) found.push(element);
  }
  return found.filter((element) =>
    !found.some((outer) =>
      outer !== element && containsInFlatTree(outer, element) && displayedTextIn(outer) === displayedTextIn(element)
    )
  );
}

/** Whether an element is still visible. Chosen hides its closed list by `clip`; a fading list counts until it is transparent. */
const isStillVisible = (element) =>
  element !== null && element.isConnected && isOperable(element)
  && ![element, ...[...ancestorsOf(element)].slice(0, MAX_WIDGET_DISTANCE)]
    .some((each) => isCutAway(each, styleOf(each), rectOf(each)));

/**
 * Return the outermost part of the page that contains all these lines, and became visible with them; null for none.
 */
function popupAround(lines, box) {
  let part = lines[0] ? parentOf(lines[0]) : null;
  while (part && !lines.every((line) => containsInFlatTree(part, line))) part = parentOf(part);
  if (!part || containsInFlatTree(part, box) || part === bodyOf(document)) return null;
  for (
    let outer = parentOf(part);
    outer && outer !== bodyOf(document) && !visibleBefore.has(outer) && !containsInFlatTree(outer, box);
    outer = parentOf(outer)
  ) part = outer;
  return part;
}

/** Return the texts by which a person may mean a line: its displayed text, and its name if it has no text of its own. */
const labelsOfLine = (element) =>
  [displayedTextIn(element), ...(hasOwnText(element) ? [] : [nameOf(element) || ''])].map(cleanText).filter(
    Boolean,
  );

/**
 * @typedef {object} RevealedLine
 * @property {number} id
 * @property {string} label
 * @property {boolean} marked
 * @property {boolean} ticked
 */

/**
 * @typedef {object} RevealedLines
 * @property {RevealedLine[]} found
 * @property {string[]} labels
 * @property {number} total
 * @property {boolean} typing
 * @property {boolean} named
 */

/** Return the lines whose label is the requested one; if there are none, ignoring case; else those with it as their `data-value`. */
function linesWithLabel(lines, wanted) {
  const label = cleanText(wanted);
  const lowerCase = label.toLowerCase();
  const tests = [
    (line) => labelsOfLine(line).includes(label),
    (line) => labelsOfLine(line).some((each) => each.toLowerCase() === lowerCase),
    (line) => dataValueOf(line) === wanted,
  ];
  return tests.map((test) => lines.filter(test)).find((matching) => matching.length > 0) || [];
}

/** Return the focused field if text in it filters the list of a box: it is in the box, or has appeared with the list; else null. */
function focusedFilterOf(box, lines) {
  const field = activeElementOf(document);
  const isFilter = field !== null && fillKind(field) === 'text' && !hasAttr(field, 'readonly')
    && (containsInFlatTree(box, field) || !visibleBefore.has(field)) && (lines.length > 0 || field !== targetField);
  return isFilter ? field : null;
}

/**
 * Return the lines that a pressed box has revealed. `found`: those with the requested label; `labels`: the first of all; `typing`: whether
 * the focused field takes text to filter them; `named`: whether the box displays the label already, outside of its list.
 * @returns {RevealedLines}
 */
exported.revealedLines = (id, wanted) => {
  const box = nodeFor(id);
  const lines = revealedElements();
  if (lines.length > 0 && !isStillVisible(openedList.popup))
    Object.assign(openedList, { lines, popup: popupAround(lines, box) });
  const found = linesWithLabel(lines, wanted);
  const filter = focusedFilterOf(box, lines);
  if (filter) openedList.typedIn = filter;
  return {
    found: found.map((line) => ({
      id: idOf(line),
      label: labelsOfLine(line)[0] || wanted,
      marked: isMarkedChosen(line),
      ticked: isTicked(line),
    })),
    labels: lines.slice(0, MAX_LISTED_LINES).map((line) => labelsOfLine(line)[0] || dataValueOf(line) || ''),
    total: lines.length,
    typing: filter !== null,
    named: box !== null && [wanted, ...found.flatMap(labelsOfLine)].some((label) => hasLabelBesideList(box, label)),
  };
};

// The choice from a plain list: how its lines are marked, where to press one, the text of the box outside of its list, and whether the list
// is open.

const TICK = 'input[type=checkbox],[role=checkbox],[role=menuitemcheckbox]';
const TICKED_BOX = 'input:checked,[role=checkbox][aria-checked=true]';
const MAX_ITEM_LEVELS = 3;

/**
 * Return the item that a line of text is in: the outermost of three ancestors with the same text, which may contain a checkbox:
 * `<li><input type=checkbox><span>Red</span></li>`.
 */
function itemOfLine(line) {
  let item = line;
  for (const outer of [...ancestorsOf(line)].slice(0, MAX_ITEM_LEVELS)) {
    if (
      outer === openedList.popup || containsInFlatTree(outer, openedList.popup)
      || displayedTextIn(outer) !== displayedTextIn(line)
    )
      break;
    item = outer;
  }
  return item;
}

/** Return a line and its next two ancestors. */
const withTwoAncestors = (line) => [line, ...[...ancestorsOf(line)].slice(0, 2)];

/** Return the `<label>` that a line is, or is in (two levels); undefined for none. */
const labelAroundLine = (line) => withTwoAncestors(line).find((each) => localNameOf(each) === 'label');

/** Whether the checkbox that belongs to a line is ticked. */
const isTicked = (line) =>
  Boolean(labelAroundLine(line)?.control?.checked) || queryAll(itemOfLine(line), TICKED_BOX).length > 0;

/** Whether a line is marked as chosen: by its checkbox, ARIA, or a class. */
const isMarkedChosen = (line) =>
  isTicked(line)
  || withTwoAncestors(line).some((each) =>
    hasChosenClass(each) || attr(each, 'aria-selected') === 'true'
    || attr(each, 'aria-checked') === 'true'
  );

/**
 * @typedef {object} PlaceOfLine
 * @property {number} id
 * @property {{x: number, y: number} | null} at
 */

/**
 * Return the element to press for a line, and the point in it: for a line with `pointer-events: none` the ancestor that gets the press.
 * @returns {PlaceOfLine}
 */
exported.linePressPoint = (id) => {
  const line = nodeFor(id);
  if (!line) return { id, at: null };
  let target = line;
  while (target && styleOf(target).pointerEvents === 'none') target = parentOf(target);
  if (!target || target === line || !containsInFlatTree(itemOfLine(line), target)) return { id, at: null };
  const { left, top, width, height } = rectOf(line);
  return { id: idOf(target), at: relativeToElement(target, { x: left + width / 2, y: top + height / 2 }) };
};

/** Yield the texts of a box outside of its list, and the values of its fields. */
function* textsOfBox(box) {
  const { popup, lines } = openedList;
  /** Whether an element is a part of the open list. */
  const isListed = (element) => element === popup || popup === null && lines.includes(element);
  for (const element of [box, ...descendantsInFlatTree(box, isListed)]) {
    if (isListed(element) || !isOperable(element)) continue;
    if (isTextInput(element) && !isSecret(element)) yield cleanText(element.value);
    else yield ownTextOf(element);
  }
}

/** Whether a text of a box outside of its list has a label (see `hasLabel`). */
const hasLabelBesideList = (box, label) => [...textsOfBox(box)].some((text) => hasLabel(text, label));

/** Return the values of the fields in a box, except the field that filters its list. */
const fieldValuesIn = (box) =>
  [box, ...queryAll(box, 'input,select,textarea')].filter((field) => field !== openedList.typedIn).map(valueOfField);

/** Return the value of a field as text; "" for a password. */
function valueOfField(field) {
  if (localNameOf(field) === 'select') return [...field.selectedOptions].map((option) => option.label).join();
  if (field.type === 'checkbox' || field.type === 'radio') return String(field.checked);
  if ('value' in field) return field.type === 'password' ? '' : String(field.value);
  return attr(field, 'data-value') || '';
}

// Text and value of the line that was pressed last: the line may be gone since.
let pressedLine = { id: 0, text: '', value: null };

/**
 * @typedef {object} PlainOutcome
 * @property {string} shows
 * @property {string} held
 * @property {boolean} holds
 * @property {boolean} named
 * @property {boolean} says
 * @property {boolean} marked
 * @property {boolean} there
 * @property {boolean} open
 */

/**
 * Return the outcome of a choice from a plain list; null if the box is gone. `shows`, `held`: texts and field values of the box; `named`,
 * `holds`: one of these has the label of the pressed line; `says`: the text contains it; `marked`, `there`: the line is marked as chosen,
 * exists; `open`: the list is.
 * @returns {PlainOutcome | null}
 */
exported.plainOutcome = (id, lineId) => {
  const [box, line] = [nodeFor(id), nodeFor(lineId)];
  if (!box) return null;
  if (pressedLine.id !== lineId && line)
    pressedLine = { id: lineId, text: displayedTextIn(line), value: dataValueOf(line) };
  const held = fieldValuesIn(box);
  const shows = [...textsOfBox(box)].filter(Boolean).join(' ');
  const labels = [pressedLine.text, pressedLine.value ?? ''].filter(Boolean);
  return {
    shows,
    held: held.join('\n'),
    holds: held.some((value) => labels.some((label) => hasLabel(value, label))),
    named: hasLabelBesideList(box, pressedLine.text),
    says: shows.toLowerCase().includes(pressedLine.text.toLowerCase()),
    marked: line !== null && isMarkedChosen(line),
    there: line !== null,
    open: openLines().length > 0,
  };
};

/** Return the lines of the opened list that are still visible. */
function openLines() {
  const { popup, lines } = openedList;
  return popup === null ? lines.filter(isStillVisible) : isStillVisible(popup) ? revealedElements() : [];
}

/** Whether an element is a button, and does not reset a form. */
const isPressButton = (element) => roleOf(element) === 'button' && element.type !== 'reset';

/**
 * @typedef {object} ListState
 * @property {boolean} open
 * @property {string} look a text that changes as the list moves or fades
 * @property {boolean} several whether several lines can be chosen, by checkboxes or several marked lines
 * @property {number} takes id of the only button in it that confirms the choice; 0 for none or several
 * @property {string[]} buttons its buttons by name
 */

/**
 * Describe the opened list.
 * @returns {ListState}
 */
exported.plainState = () => {
  const lines = openLines();
  const buttons = openedList.popup === null ? [] : lines.map(buttonAround).filter((button) => button !== null);
  const confirming = buttons.filter((button) => CONFIRMING_NAMES.test(displayedTextIn(button)));
  const { width, height, top } = lines.length > 0
    ? rectOf(openedList.popup ?? lines[0])
    : { width: 0, height: 0, top: 0 };
  return {
    open: lines.length > 0,
    look: lines.length > 0 ? [lines.length, width, height, top, effectiveOpacity(lines[0])].join() : '',
    several: lines.some((line) => queryAll(itemOfLine(line), TICK).length > 0)
      || lines.filter(isMarkedChosen).length > 1,
    takes: idOfOnly(confirming),
    buttons: buttons.map(displayedTextIn),
  };
};

/** Return the button that a line is, or whose text it is; null for none. */
function buttonAround(line) {
  const button = withTwoAncestors(line).find((each) => localNameOf(each) === 'button' || roleOf(each) === 'button');
  return button && isPressButton(button) && button !== openedList.popup
      && displayedTextIn(button) === displayedTextIn(line)
    ? button
    : null;
}
