// Lists of options without list markup: a box that only `aria-expanded` or a rule marks as one that opens, the lines that become
// visible when it is pressed, and the choice of one. Changes nothing but scroll positions.

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
import { isCalledArrow, isCalledChosen } from './class-names.js';
import { widgetRule } from './rule-table.js';
import { dataValueOf, effectiveOpacity, isTextInput, namesLabel, TAKES_CHOICE } from './lists.js';
import {
  containsInFlatTree,
  descendantsInFlatTree,
  isEmptyListbox,
  LEVELS,
  nativeListOf,
  outermost,
  ruleOfBox,
  saysItOpens,
  standIns,
} from './widgets.js';

const MOST_LINES_LISTED = 30;
const FIRST_LINE = 12; // pixels

/** Whether an element is a link that leads to another page. */
const isLinkToPage = (element) =>
  localNameOf(element) === 'a' && hasAttr(element, 'href') && !/^(?:#|javascript:|$)/i.test(attr(element, 'href'));
/** Whether an element is a button that submits or resets a form. */
const isSubmitControl = (element) => /^(?:submit|image|reset)$/.test(element.type || '') && element.form !== null;
/**
 * Return { box, rule }: the box of a list without list markup that an element is, or stands in, and the name of the rule by which it is
 * one ("" for none); null for no box. A box stands for a native list, says that it opens, is a list box without options, or opens a
 * dialog; else it is the outermost that is a list by a rule.
 * @returns {{ box: Element, rule: string } | null}
 */
function plainBoxOf(element) {
  const ruleOfStandIn = standIns.get(element);
  if (ruleOfStandIn !== undefined) return { box: element, rule: ruleOfStandIn };
  const near = [element, ...[...ancestorsOf(element)].slice(0, LEVELS - 1)];
  if (near.some((each) => isLinkToPage(each) || localNameOf(each) === 'button' && isSubmitControl(each))) return null;
  const box = near.find(saysItOpens) ?? near.find(isEmptyListbox) ?? (opensDialog(element) ? element : null);
  if (box) return { box, rule: '' };
  const standIn = near.find((each) => nativeListOf(each) !== null);
  if (standIn) return { box: standIn, rule: ruleOfBox(standIn) };
  const outermostBox = near.findLast((each) => widgetRule('list', each));
  return outermostBox ? { box: outermostBox, rule: widgetRule('list', outermostBox)?.name ?? '' } : null;
}

/**
 * Whether a button opens a dialog by its side, in which there may be a list. Radix Popover says of all its popups that they are dialogs.
 */
const opensDialog = (element) =>
  attr(element, 'aria-haspopup') === 'dialog' && hasAttr(element, 'aria-expanded') && roleOf(element) === 'button';

/** Whether a field only narrows down the options of the box that it is in, and takes no text itself. */
const isFilterField = (field) =>
  fillKind(field) === 'text'
  && [...ancestorsOf(field)].slice(0, LEVELS - 1).some((each) => widgetRule('list', each));

/** Elements that were visible before the box was pressed. */
let seenBefore = new WeakSet();
/** The middle of the box before it was pressed, in the window; and its position in the document. */
let middleOfBox = { x: 0, y: 0 };
/** @type {ReturnType<typeof rememberPosition> | null} */
let rememberedBox = null;
/** The text field that `select` was called for, in its box; null where the box itself was the target. */
let targetField = null;
/** The list that became visible: its lines, the part of the page that came with them and holds them (or null), the field typed in. */
/** @type {{ lines: Element[], popup: Element | null, typedIn: Element | null }} */
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
 * Return the box that an element is, or is a part of, and that opens a list when pressed; null for none. Remembers the visible
 * elements. `press`, `at`: the element to press, and the point in its first line, since an open box may have the options in it;
 * `arrow`: the button without text that opens the list, 0 for none.
 * @returns {PlainList | null}
 */
exported.plainList = (id) => {
  const element = nodeFor(id);
  const found = element && (!fillKind(element) || isFilterField(element)) ? plainBoxOf(element) : null;
  if (!element || !found || !isOperable(found.box)) return null;
  const { box, rule } = found;
  targetField = fillKind(element) ? element : null;
  seenBefore = new WeakSet([...descendantsInFlatTree(bodyOf(document))].filter(isOperable));
  openedList = { lines: [], popup: null, typedIn: null };
  const press = isFirstLineHit(element) ? element : box;
  middleOfBox = centreOf(rectOf(box));
  rememberedBox = rememberPosition(box);
  const { width, height } = rectOf(press);
  const at = { x: width / 2, y: Math.min(height / 2, FIRST_LINE) };
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

/** Return the id of the button without text, known by its classes, that opens the list of a box; 0 for none, and for several. */
function arrowButtonIn(box) {
  const arrows = outermost(
    box,
    (element) =>
      isCalledArrow(element) && isOperable(element) && !fillKind(element)
      && displayedTextIn(element) === ''
      && !isLinkToPage(element) && !isSubmitControl(element) && closestRemoveButton(box, element) === null,
  );
  return idOfOnly(arrows);
}

/** Whether a press on the first line of an element would reach it: a field may lie over the words of its box. */
function isFirstLineHit(element) {
  scrollIntoView(element, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const { left, right, top, bottom } = rectOf(element);
  const hit = right - left > 2 && bottom - top > 2
    ? hitAt((left + right) / 2, Math.min((top + bottom) / 2, top + FIRST_LINE))
    : null;
  return hit !== null && containsInFlatTree(element, hit);
}

/** Return the middle of a rectangle. */
const centreOf = ({ left, right, top, bottom }) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

/**
 * Whether the page has replaced a removed box by one that shows this label: where the box was, or one with its tag and classes in its
 * former surroundings.
 */
exported.isBoxReplacedBy = (label) => {
  /** Whether the displayed text of an element is the label, ignoring case. */
  const showsLabel = (element) => displayedTextIn(element).toLowerCase() === cleanText(label).toLowerCase();
  let element = hitAt(middleOfBox.x, middleOfBox.y);
  for (let level = 0; element && level < LEVELS; level += 1, element = parentElementOf(element))
    if (showsLabel(element)) return true;
  const alike = boxesLikeRemovedOne();
  return alike.length === 1 && [alike[0], ...outermost(alike[0], isOperable)].some(showsLabel);
};

/**
 * Return the elements with the tag and classes of the removed box, in its nearest former ancestor that is still there; [] while the box
 * is there.
 */
function boxesLikeRemovedOne() {
  const box = rememberedBox?.element.deref();
  const around = rememberedBox && nearestRemainingAncestor(rememberedBox);
  if (!box || !around || box.isConnected) return [];
  return outermost(
    around,
    (other) =>
      localNameOf(other) === localNameOf(box) && attr(other, 'class') === attr(box, 'class') && isOperable(other),
  );
}

/** Return the text of an element as it is displayed. */
const displayedTextIn = (element) => cleanText(textById(idOf(element)));
/** Return the text right inside an element, without that of its children. */
const ownTextOf = (element) => cleanText([...childrenOf(element)].filter(isText).map((text) => dataOf(text)).join(' '));
/** Whether there is text right inside an element. */
const hasTextOfItsOwn = (element) => ownTextOf(element) !== '';

/**
 * Return the lines that became visible: elements with text or a value of their own, the outermost of those that say the same. If the list
 * is known and still there, only lines in it: the text of the box that shows a choice is no option.
 */
function revealedElements() {
  const found = [];
  for (const element of descendantsInFlatTree(isStillShown(openedList.popup) ? openedList.popup : bodyOf(document))) {
    if (seenBefore.has(element) || fillKind(element) || !hasTextOfItsOwn(element) && dataValueOf(element) === null)
      continue;
    if (isOperable(element)) found.push(element);
  }
  return found.filter((element) =>
    !found.some((outer) =>
      outer !== element && containsInFlatTree(outer, element) && displayedTextIn(outer) === displayedTextIn(element)
    )
  );
}

/** Whether an element can still be seen. Chosen clips its closed list; one that fades is not gone before it is transparent. */
const isStillShown = (element) =>
  element !== null && element.isConnected && isOperable(element)
  && ![element, ...[...ancestorsOf(element)].slice(0, LEVELS)]
    .some((each) => isCutAway(each, styleOf(each), rectOf(each)));

/**
 * Return the part of the page that came with these lines: it contains all of them, and no earlier visible element but an empty list; null
 * for none.
 */
function popupAround(lines, box) {
  let part = lines[0] ? parentOf(lines[0]) : null;
  while (part && !lines.every((line) => containsInFlatTree(part, line))) part = parentOf(part);
  if (!part || containsInFlatTree(part, box) || part === bodyOf(document)) return null;
  for (
    let outer = parentOf(part);
    outer && outer !== bodyOf(document) && !seenBefore.has(outer) && !containsInFlatTree(outer, box);
    outer = parentOf(outer)
  ) part = outer;
  return part;
}

/** Return the texts by which a person may mean a line: its text, else its name. */
const labelsOfLine = (element) =>
  [displayedTextIn(element), ...(hasTextOfItsOwn(element) ? [] : [nameOf(element) || ''])].map(cleanText).filter(
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

/**
 * Return the lines that a pressed box has revealed: those that a word means, by label or else by value (`found`); the first of all
 * labels; whether the focused field takes text to find others (`typing`); whether the box, beside its list, names the word already
 * (`named`).
 * @returns {RevealedLines}
 */
exported.revealedLines = (id, wanted) => {
  const box = nodeFor(id);
  const lines = revealedElements();
  if (lines.length > 0 && !isStillShown(openedList.popup))
    Object.assign(openedList, { lines, popup: popupAround(lines, box) });
  const folded = cleanText(wanted).toLowerCase();
  const ways = [
    (line) => labelsOfLine(line).includes(cleanText(wanted)),
    (line) => labelsOfLine(line).some((label) => label.toLowerCase() === folded),
    (line) => dataValueOf(line) === wanted,
  ];
  const found = ways.map((fits) => lines.filter(fits)).find((fitting) => fitting.length > 0) || [];
  const field = activeElementOf(document);
  const typing = field !== null && fillKind(field) === 'text' && !hasAttr(field, 'readonly')
    && (containsInFlatTree(box, field) || !seenBefore.has(field)) && (lines.length > 0 || field !== targetField);
  if (typing) openedList.typedIn = field;
  return {
    found: found.map((line) => ({
      id: idOf(line),
      label: labelsOfLine(line)[0] || wanted,
      marked: isMarkedChosen(line),
      ticked: isTicked(line),
    })),
    labels: lines.slice(0, MOST_LINES_LISTED).map((line) => labelsOfLine(line)[0] || dataValueOf(line) || ''),
    total: lines.length,
    typing,
    named: box !== null && [wanted, ...found.flatMap(labelsOfLine)].some((label) => namesChoice(box, label)),
  };
};

// Follows a choice from a list without list markup (plain-lists.js): how its lines are marked, where to press one, the text of the box
// beside its list, and whether that is still open. Changes nothing.

const TICK = 'input[type=checkbox],[role=checkbox],[role=menuitemcheckbox]';
const TICKED_BOX = 'input:checked,[role=checkbox][aria-checked=true]';
const LEVELS_OF_ITEM = 3;

/**
 * Return the whole item that a line of text stands for: the outermost of three ancestors with the same text, which may have a checkbox:
 * `<li><input type=checkbox><span>Red</span></li>`.
 */
function itemOfLine(line) {
  let item = line;
  for (const outer of [...ancestorsOf(line)].slice(0, LEVELS_OF_ITEM)) {
    if (
      outer === openedList.popup || containsInFlatTree(outer, openedList.popup)
      || displayedTextIn(outer) !== displayedTextIn(line)
    )
      break;
    item = outer;
  }
  return item;
}

/** Return a line, and the two elements around it. */
const withTwoAncestors = (line) => [line, ...[...ancestorsOf(line)].slice(0, 2)];

/** Return the `<label>` that a line is, or is in; undefined for none. */
const labelAroundLine = (line) => withTwoAncestors(line).find((each) => localNameOf(each) === 'label');

/** Whether the checkbox that belongs to a line is ticked. */
const isTicked = (line) =>
  Boolean(labelAroundLine(line)?.control?.checked) || queryAll(itemOfLine(line), TICKED_BOX).length > 0;

/** Whether a line is marked as chosen: by its checkbox, ARIA, or a class. */
const isMarkedChosen = (line) =>
  isTicked(line)
  || withTwoAncestors(line).some((each) =>
    isCalledChosen(each) || attr(each, 'aria-selected') === 'true'
    || attr(each, 'aria-checked') === 'true'
  );

/**
 * @typedef {object} PlaceOfLine
 * @property {number} id
 * @property {{x: number, y: number} | null} at
 */

/**
 * Return the element to press for a line, and the point in it: an ancestor, at the middle of the line, if the line lets presses
 * through.
 * @returns {PlaceOfLine}
 */
exported.placeOfLine = (id) => {
  const line = nodeFor(id);
  if (!line) return { id, at: null };
  let taking = line;
  while (taking && styleOf(taking).pointerEvents === 'none') taking = parentOf(taking);
  if (!taking || taking === line || !containsInFlatTree(itemOfLine(line), taking)) return { id, at: null };
  const { left, top, width, height } = rectOf(line);
  return { id: idOf(taking), at: relativeToElement(taking, { x: left + width / 2, y: top + height / 2 }) };
};

/** Yield the texts of a box beside its list, one by one, with the content of its fields. */
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

/** Whether a box names a label: by a text that is that, or in which it stands between commas. */
const namesChoice = (box, label) => [...textsOfBox(box)].some((text) => namesLabel(text, label));

/** Return the content of the fields of a box, except the field that narrows down its list. */
const fieldValuesIn = (box) =>
  [box, ...queryAll(box, 'input,select,textarea')].filter((field) => field !== openedList.typedIn).map(valueOfField);

/** Return the value of a field as text; "" for a password. */
function valueOfField(field) {
  if (localNameOf(field) === 'select') return [...field.selectedOptions].map((option) => option.label).join();
  if (field.type === 'checkbox' || field.type === 'radio') return String(field.checked);
  if ('value' in field) return field.type === 'password' ? '' : String(field.value);
  return attr(field, 'data-value') || '';
}

/** The line that was pressed last, as it was then: it may be gone since. */
let pressedLine = { id: 0, words: '', value: null };

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
 * Return the outcome of a choice: the text and field values of the box, whether these name the pressed line (`named`, `holds`) or
 * contain its text (`says`), whether the line is marked or still there, and whether the list is open. Null if the box is gone.
 * @returns {PlainOutcome | null}
 */
exported.plainOutcome = (id, lineId) => {
  const [box, line] = [nodeFor(id), nodeFor(lineId)];
  if (!box) return null;
  if (pressedLine.id !== lineId && line)
    pressedLine = { id: lineId, words: displayedTextIn(line), value: dataValueOf(line) };
  const held = fieldValuesIn(box);
  const shows = [...textsOfBox(box)].filter(Boolean).join(' ');
  const meant = [pressedLine.words, pressedLine.value ?? ''].filter(Boolean);
  return {
    shows,
    held: held.join('\n'),
    holds: held.some((value) => meant.some((word) => namesLabel(value, word))),
    named: namesChoice(box, pressedLine.words),
    says: shows.toLowerCase().includes(pressedLine.words.toLowerCase()),
    marked: line !== null && isMarkedChosen(line),
    there: line !== null,
    open: openLines().length > 0,
  };
};

/** Return the lines of the list that can still be seen. */
function openLines() {
  const { popup, lines } = openedList;
  return popup === null ? lines.filter(isStillShown) : isStillShown(popup) ? revealedElements() : [];
}

/** Whether an element is a button, and does not reset a form. */
const isPressButton = (element) => roleOf(element) === 'button' && element.type !== 'reset';

/**
 * @typedef {object} ListState
 * @property {boolean} open
 * @property {string} look what changes as the list moves or fades
 * @property {boolean} several whether it takes several options, as far as its lines show that
 * @property {number} takes the button of its own that takes what is chosen; 0 for none
 * @property {string[]} buttons its buttons by name
 */

/**
 * Return the visible state of the opened list.
 * @returns {ListState}
 */
exported.plainState = () => {
  const lines = openLines();
  const buttons = openedList.popup === null ? [] : lines.map(buttonAround).filter((button) => button !== null);
  const taking = buttons.filter((button) => TAKES_CHOICE.test(displayedTextIn(button)));
  const { width, height, top } = lines.length > 0
    ? rectOf(openedList.popup ?? lines[0])
    : { width: 0, height: 0, top: 0 };
  return {
    open: lines.length > 0,
    look: lines.length > 0 ? [lines.length, width, height, top, effectiveOpacity(lines[0])].join() : '',
    several: lines.some((line) => queryAll(itemOfLine(line), TICK).length > 0)
      || lines.filter(isMarkedChosen).length > 1,
    takes: idOfOnly(taking),
    buttons: buttons.map(displayedTextIn),
  };
};

/** Return the button that a line of the list is, or is all the text of; null for none. */
function buttonAround(line) {
  const button = withTwoAncestors(line).find((each) => localNameOf(each) === 'button' || roleOf(each) === 'button');
  return button && isPressButton(button) && button !== openedList.popup
      && displayedTextIn(button) === displayedTextIn(line)
    ? button
    : null;
}
