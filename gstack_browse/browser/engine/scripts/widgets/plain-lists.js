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
import { dataValueOf, isTextInput, namesLabel, opacityOver, TAKES_CHOICE } from './lists.js';
import {
  below,
  contains,
  isEmptyBox,
  LEVELS,
  nativeOf,
  outermost,
  ruleOfBox,
  saysItOpens,
  standIns,
} from './widgets.js';

const MOST_LINES_LISTED = 30;
const FIRST_LINE = 12; // pixels

const leadsAway = (element) =>
  localNameOf(element) === 'a' && hasAttr(element, 'href') && !/^(?:#|javascript:|$)/i.test(attr(element, 'href'));
const sendsForm = (element) => /^(?:submit|image|reset)$/.test(element.type || '') && element.form !== null;
/**
 * The box that an element is, or stands in, with the name of the rule by which ("" for none): what stands for a native list, says that it
 * opens, is a list box without options, or opens a dialog; else the outermost that is a list by a rule. Null for none. A part of the page
 * that stands for a native list is mostly met as that list is asked for, else here.
 * @returns {{ box: Element, rule: string } | null}
 */
function plainBoxOf(element) {
  const ruleOfStandIn = standIns.get(element);
  if (ruleOfStandIn !== undefined) return { box: element, rule: ruleOfStandIn };
  const near = [element, ...[...ancestorsOf(element)].slice(0, LEVELS - 1)];
  if (near.some((each) => leadsAway(each) || localNameOf(each) === 'button' && sendsForm(each))) return null;
  const box = near.find(saysItOpens) ?? near.find(isEmptyBox) ?? (opensDialog(element) ? element : null);
  if (box) return { box, rule: '' };
  const standIn = near.find((each) => nativeOf(each) !== null);
  if (standIn) return { box: standIn, rule: ruleOfBox(standIn) };
  const outermostBox = near.findLast((each) => widgetRule('list', each));
  return outermostBox ? { box: outermostBox, rule: widgetRule('list', outermostBox)?.name ?? '' } : null;
}

/** Whether a button opens a dialog by its side, in which there may be a list: asked for a list, it is one. Radix Popover says so of all. */
const opensDialog = (element) =>
  attr(element, 'aria-haspopup') === 'dialog' && hasAttr(element, 'aria-expanded') && roleOf(element) === 'button';

/** Whether a field only narrows down the options of the box that it is in, and takes no text itself. */
const narrows = (field) =>
  fillKind(field) === 'text'
  && [...ancestorsOf(field)].slice(0, LEVELS - 1).some((each) => widgetRule('list', each));

/** Elements that were visible before the box was pressed. */
let seenBefore = new WeakSet();
/** The middle of the box, as it was before it was pressed, and where it stood in the document. */
let middleOfBox = { x: 0, y: 0 };
/** @type {ReturnType<typeof rememberPosition> | null} */
let placeOfBoxKept = null;
/** The field in a box that is to be chosen from; null for another box. */
let askedField = null;
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
 * The box that an element is, or is a part of, and that a press may open; null for none. Remembers the visible elements. `arrow`: the
 * button without text, known by its name, that opens the list of a text field; 0 for none. `press` and `at`: the element to press, and
 * the point in it: in its first line, since an open box may have the options in it.
 * @returns {PlainList | null}
 */
exported.plainList = (id) => {
  const element = nodeFor(id);
  const found = element && (!fillKind(element) || narrows(element)) ? plainBoxOf(element) : null;
  if (!element || !found || !isOperable(found.box)) return null;
  const { box, rule } = found;
  askedField = fillKind(element) ? element : null;
  seenBefore = new WeakSet([...below(bodyOf(document))].filter(isOperable));
  openedList = { lines: [], popup: null, typedIn: null };
  const press = isFirstLineHit(element) ? element : box;
  middleOfBox = middleOf(rectOf(box));
  placeOfBoxKept = rememberPosition(box);
  const { width, height } = rectOf(press);
  const at = { x: width / 2, y: Math.min(height / 2, FIRST_LINE) };
  return {
    box: idOf(box),
    press: idOf(press),
    arrow: arrowIn(box),
    at,
    shows: shownWords(box),
    inLayer: isInLayer(box),
    rule,
  };
};

function arrowIn(box) {
  const arrows = outermost(
    box,
    (element) =>
      isCalledArrow(element) && isOperable(element) && !fillKind(element)
      && shownWords(element) === ''
      && !leadsAway(element) && !sendsForm(element) && closestRemoveButton(box, element) === null,
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
  return hit !== null && contains(element, hit);
}

const middleOf = ({ left, right, top, bottom }) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

/** Whether the element in the former place of a removed box says just this; or one like the box in the part of the page that held it. */
exported.plainSuccessor = (label) => {
  const says = (element) => shownWords(element).toLowerCase() === cleanText(label).toLowerCase();
  let element = hitAt(middleOfBox.x, middleOfBox.y);
  for (let level = 0; element && level < LEVELS; level += 1, element = parentElementOf(element))
    if (says(element)) return true;
  const alike = boxesInItsPlace();
  return alike.length === 1 && [alike[0], ...outermost(alike[0], isOperable)].some(says);
};

/** Elements with the tag and the classes of the box, in its nearest former ancestor that is still there; none while the box is. */
function boxesInItsPlace() {
  const box = placeOfBoxKept?.element.deref();
  const around = placeOfBoxKept && nearestRemainingAncestor(placeOfBoxKept);
  if (!box || !around || box.isConnected) return [];
  return outermost(
    around,
    (other) =>
      localNameOf(other) === localNameOf(box) && attr(other, 'class') === attr(box, 'class') && isOperable(other),
  );
}

const shownWords = (element) => cleanText(textById(idOf(element)));
const ownTextOf = (element) => cleanText([...childrenOf(element)].filter(isText).map((text) => dataOf(text)).join(' '));
const hasOwnWords = (element) => ownTextOf(element) !== '';

/**
 * The lines that became visible: elements with words or a value of their own, the outermost of those that say the same. If the list is
 * known and still there, only the lines in it: the text of the box that shows a choice is no option.
 */
function revealed() {
  const found = [];
  for (const element of below(isStillShown(openedList.popup) ? openedList.popup : bodyOf(document))) {
    if (seenBefore.has(element) || fillKind(element) || !hasOwnWords(element) && dataValueOf(element) === null)
      continue;
    if (isOperable(element)) found.push(element);
  }
  return found.filter((element) =>
    !found.some((outer) => outer !== element && contains(outer, element) && shownWords(outer) === shownWords(element))
  );
}

/** Whether an element can still be seen. Chosen cuts its closed list off; one that fades is not gone before it is. */
const isStillShown = (element) =>
  element !== null && element.isConnected && isOperable(element)
  && ![element, ...[...ancestorsOf(element)].slice(0, LEVELS)]
    .some((each) => isCutAway(each, styleOf(each), rectOf(each)));

/** The part of the page that came with these lines, and holds all of them and no earlier visible element but an empty list; null for none. */
function popupAround(lines, box) {
  let part = lines[0] ? parentOf(lines[0]) : null;
  while (part && !lines.every((line) => contains(part, line))) part = parentOf(part);
  if (!part || contains(part, box) || part === bodyOf(document)) return null;
  for (
    let outer = parentOf(part);
    outer && outer !== bodyOf(document) && !seenBefore.has(outer) && !contains(outer, box);
    outer = parentOf(outer)
  ) part = outer;
  return part;
}

const labelsOfLine = (element) =>
  [shownWords(element), ...(hasOwnWords(element) ? [] : [nameOf(element) || ''])].map(cleanText).filter(Boolean);

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
 * The content of a pressed box: the lines that a word means, by label or else by value; the first of all labels; whether the focused
 * field can be typed into to find others; whether the box itself, beside its list, names the requested line.
 * @returns {RevealedLines}
 */
exported.revealedLines = (id, wanted) => {
  const box = nodeFor(id);
  const lines = revealed();
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
    && (contains(box, field) || !seenBefore.has(field)) && (lines.length > 0 || field !== askedField);
  if (typing) openedList.typedIn = field;
  return {
    found: found.map((line) => ({
      id: idOf(line),
      label: labelsOfLine(line)[0] || wanted,
      marked: isMarked(line),
      ticked: isTicked(line),
    })),
    labels: lines.slice(0, MOST_LINES_LISTED).map((line) => labelsOfLine(line)[0] || dataValueOf(line) || ''),
    total: lines.length,
    typing,
    named: box !== null && [wanted, ...found.flatMap(labelsOfLine)].some((label) => names(box, label)),
  };
};

// Follows a choice from a list without list markup (plain-lists.js): how its lines are marked, where to press one, the text of the box
// beside its list, and whether that is still open. Changes nothing.

const TICK = 'input[type=checkbox],[role=checkbox],[role=menuitemcheckbox]';
const TICKED_BOX = 'input:checked,[role=checkbox][aria-checked=true]';
const LEVELS_OF_ITEM = 3;

/** A line with what stands around it alone: the item of the list, which may have its box beside the words. */
function itemOfLine(line) {
  let item = line;
  for (const outer of [...ancestorsOf(line)].slice(0, LEVELS_OF_ITEM)) {
    if (outer === openedList.popup || contains(outer, openedList.popup) || shownWords(outer) !== shownWords(line))
      break;
    item = outer;
  }
  return item;
}

/** A line, and the two elements around it. */
const around = (line) => [line, ...[...ancestorsOf(line)].slice(0, 2)];

const labelOf = (line) => around(line).find((each) => localNameOf(each) === 'label');

/** Whether the box that belongs to a line is ticked. */
const isTicked = (line) =>
  Boolean(labelOf(line)?.control?.checked) || queryAll(itemOfLine(line), TICKED_BOX).length > 0;

const isMarked = (line) =>
  isTicked(line)
  || around(line).some((each) =>
    isCalledChosen(each) || attr(each, 'aria-selected') === 'true'
    || attr(each, 'aria-checked') === 'true'
  );

/**
 * @typedef {object} PlaceOfLine
 * @property {number} id
 * @property {{x: number, y: number} | null} at
 */

/**
 * The element to press for a line, and the point of its words in it: an ancestor if the words let presses through.
 * @returns {PlaceOfLine}
 */
exported.placeOfLine = (id) => {
  const line = nodeFor(id);
  if (!line) return { id, at: null };
  let taking = line;
  while (taking && styleOf(taking).pointerEvents === 'none') taking = parentOf(taking);
  if (!taking || taking === line || !contains(itemOfLine(line), taking)) return { id, at: null };
  const { left, top, width, height } = rectOf(line);
  return { id: idOf(taking), at: relativeToElement(taking, { x: left + width / 2, y: top + height / 2 }) };
};

/** The texts of a box beside its list, one by one, with the content of its fields. */
function* textsOfBox(box) {
  const { popup, lines } = openedList;
  const isListed = (element) => element === popup || popup === null && lines.includes(element);
  for (const element of [box, ...below(box, isListed)]) {
    if (isListed(element) || !isOperable(element)) continue;
    if (isTextInput(element) && !isSecret(element)) yield cleanText(element.value);
    else yield ownTextOf(element);
  }
}

/** Whether a box names a label: by a text that is that, or in which it stands between commas. */
const names = (box, label) => [...textsOfBox(box)].some((text) => namesLabel(text, label));

/** The content of the fields of a box, except the field that narrows down its list. */
const valuesHeldBy = (box) =>
  [box, ...queryAll(box, 'input,select,textarea')].filter((field) => field !== openedList.typedIn).map(heldIn);

function heldIn(field) {
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
 * The outcome of a choice: the text of the box beside its list and the content of its fields, whether these name the pressed line
 * (`named`, `holds`) or have its words in them (`says`), whether the line is marked as chosen, or still there, and whether the list
 * is open. Null if the box has gone.
 * @returns {PlainOutcome | null}
 */
exported.plainOutcome = (id, lineId) => {
  const [box, line] = [nodeFor(id), nodeFor(lineId)];
  if (!box) return null;
  if (pressedLine.id !== lineId && line)
    pressedLine = { id: lineId, words: shownWords(line), value: dataValueOf(line) };
  const held = valuesHeldBy(box);
  const shows = [...textsOfBox(box)].filter(Boolean).join(' ');
  const meant = [pressedLine.words, pressedLine.value ?? ''].filter(Boolean);
  return {
    shows,
    held: held.join('\n'),
    holds: held.some((value) => meant.some((word) => namesLabel(value, word))),
    named: names(box, pressedLine.words),
    says: shows.toLowerCase().includes(pressedLine.words.toLowerCase()),
    marked: line !== null && isMarked(line),
    there: line !== null,
    open: openLines().length > 0,
  };
};

/** The lines of the list that can still be seen. */
function openLines() {
  const { popup, lines } = openedList;
  return popup === null ? lines.filter(isStillShown) : isStillShown(popup) ? revealed() : [];
}

const isButton = (element) => roleOf(element) === 'button' && element.type !== 'reset';

/**
 * @typedef {object} ListState
 * @property {boolean} open
 * @property {string} look what changes as the list moves or fades
 * @property {boolean} several whether it takes several options, as far as its lines show that
 * @property {number} takes the button of its own that takes what is chosen; 0 for none
 * @property {string[]} buttons its buttons by name
 */

/**
 * The visible state of the list that was opened.
 * @returns {ListState}
 */
exported.plainState = () => {
  const lines = openLines();
  const buttons = openedList.popup === null ? [] : lines.map(buttonAround).filter((button) => button !== null);
  const taking = buttons.filter((button) => TAKES_CHOICE.test(shownWords(button)));
  const { width, height, top } = lines.length > 0
    ? rectOf(openedList.popup ?? lines[0])
    : { width: 0, height: 0, top: 0 };
  return {
    open: lines.length > 0,
    look: lines.length > 0 ? [lines.length, width, height, top, opacityOver(lines[0])].join() : '',
    several: lines.some((line) => queryAll(itemOfLine(line), TICK).length > 0) || lines.filter(isMarked).length > 1,
    takes: idOfOnly(taking),
    buttons: buttons.map(shownWords),
  };
};

/** The button that a line of the list is, or is all the words of. */
function buttonAround(line) {
  const button = around(line).find((each) => localNameOf(each) === 'button' || roleOf(each) === 'button');
  return button && isButton(button) && button !== openedList.popup && shownWords(button) === shownWords(line)
    ? button
    : null;
}
