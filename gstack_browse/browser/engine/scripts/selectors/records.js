// Checks whether the record around an element (row, item, card) is still the one that was printed or found. Pages reuse the elements of one
// record for another one: lists without keys, and rows of lists that scroll. What counts as another record than the printed one is decided
// by snapshot/disambiguation/records.py; here is only checked that its texts are still there.

import { nameOf } from '../accname/names.js';
import { dataOf, localNameOf, makeGetter, matches, previousElementOf, textContentOf } from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  containsInFlatTree,
  exported,
  foldedText,
  hasAttrs,
  isAlive,
  isElement,
  isText,
} from '../dom/dom.js';
import { nodeFor, weakRefTo } from '../dom/node-table.js';

const RECORD_ELEMENTS =
  'tr,li,article,[role=row i],[role=listitem i],[role=option i],[role=treeitem i],[role=article i],[role=menuitem i]';
const BUTTON_ELEMENTS = 'button,[role=button i],[role=menuitem i],[role=switch i]';
// Attributes that give an element its name.
export const NAMING_ATTRIBUTES = ['aria-label', 'alt', 'title', 'placeholder'];
const MAX_RECORD_LEVELS = 8;
// Limit of nodes of a record that are read: the first ones tell records apart.
const MAX_NODES_OF_RECORD = 60;

const nextElementOf = makeGetter(Element, 'nextElementSibling');

const HAS_LETTER = /\p{L}/u;
const WORDS_AND_SYMBOLS = /[\p{L}\p{M}\p{N}]+|[^\s!-~\p{L}\p{M}\p{N}]/gu;
/** Split a text into words and symbols, folded for comparison: "Café €5" → ["café", "€", "5"]. */
const tokensOf = (text) => foldedText(text).match(WORDS_AND_SYMBOLS) ?? [];

/**
 * Return the texts of a record (row, card) as { content, buttons }, for example { content: ["Anna", "12 €"], buttons: ["Edit", "Delete"] }:
 * if these have not changed, no words need to be compared, which takes ten times as long.
 */
function readRecord(element) {
  const texts = { content: [], buttons: [] };
  collectRecordTexts(texts, element, 'content', { nodes: MAX_NODES_OF_RECORD });
  return texts;
}

/**
 * Add each text and name in an element to `texts[kind]`, and those of buttons in it to `texts.buttons`. The element itself is no button
 * here: the item of a menu is a record, and its name is the content. `kind`: "content" or "buttons"; `budget.nodes`: number of nodes that
 * may still be read, counted down.
 */
function collectRecordTexts(texts, element, kind, budget) {
  if (hasAttrs(element)) { for (const name of NAMING_ATTRIBUTES) texts[kind].push(attr(element, name) ?? ''); }
  for (const node of childrenOf(element)) {
    if (budget.nodes-- <= 0) return;
    if (isText(node)) texts[kind].push(dataOf(node));
    else if (isElement(node))
      collectRecordTexts(texts, node, matches(node, BUTTON_ELEMENTS) ? 'buttons' : kind, budget);
  }
}

/**
 * Return the record (row, item, card) that an element is, or is in; null for none. In a list without roles it is the nearest ancestor that
 * has a similar sibling.
 */
function findRecordAround(element) {
  let similar = null;
  let level = 0;
  for (const around of [element, ...ancestorsOf(element)]) {
    if (!isElement(around) || level++ > MAX_RECORD_LEVELS) break;
    if (matches(around, RECORD_ELEMENTS)) return around;
    if (
      around !== element && similar === null
      && isSimilarSibling(around, nextElementOf(around) ?? previousElementOf(around))
    ) similar = around;
  }
  return similar;
}

/** Return whether two siblings look like items of a list: they have the same tag and class. `other`: may be null. */
const isSimilarSibling = (one, other) =>
  other !== null && localNameOf(one) === localNameOf(other) && attr(one, 'class') === attr(other, 'class');

/** Return { element: a weak reference, texts: { content, buttons }, its texts now } of a record (row, card). */
const rememberRecord = (element) => ({ element: weakRefTo(element), texts: readRecord(element) });

/**
 * The record around the element that the current command has found, with its texts then, and its neighbours likewise. `level`: how many
 * levels above the element it is.
 * @type {(ReturnType<typeof rememberRecord> & { neighbours: ReturnType<typeof rememberRecord>[], level: number }) | null}
 */
let foundRecord = null;

// Option of a list that the current command has found → { labels, labelsOf: the function that has returned them }.
let foundOptions = new WeakMap();

/** Return the labels of an option that the current command has found, and remember them for `isOtherRecord`. `labelsOf`: returns them. */
export function rememberOption(option, labelsOf) {
  const labels = labelsOf(option);
  foundOptions.set(option, { labels, labelsOf });
  return labels;
}

/** Return whether an option has lost all labels that it had when the current command found it; null if no command has found the element. */
function isOtherOption(element) {
  const found = foundOptions.get(element);
  if (!found || found.labels.length === 0) return null;
  return !found.labelsOf(element).some((label) => found.labels.includes(label));
}

/** Remember the record (row, card) around an element and the records beside it with their current texts, for `isOtherRecord`. */
export function rememberRecordOf(element) {
  foundOptions = new WeakMap();
  const record = findRecordAround(element);
  const neighbours = record ? [previousElementOf(record), nextElementOf(record)] : [];
  const alike = neighbours.filter((other) => other !== null && localNameOf(other) === localNameOf(record));
  const level = [element, ...ancestorsOf(element)].indexOf(record);
  foundRecord = record && { ...rememberRecord(record), neighbours: alike.map(rememberRecord), level };
}

/**
 * Return whether another record (row, card) or option has replaced the one around an element since a command found it. A record that
 * changes while its neighbours stay the same is not another one, such as one that is opened for editing.
 */
export function isOtherRecord(element) {
  const isOther = isOtherOption(element);
  // The row around a list and its options changes as the list opens: SurveyJS 2 removes the placeholder of the field.
  if (isOther !== null) return isOther;
  const before = foundRecord;
  const record = before?.element.deref();
  if (!before || !record || !isAlive(record) || !containsInFlatTree(record, element)) return false;
  const isAlone = before.neighbours.length > 0 && before.neighbours.every(isUnchanged);
  return !isAlone && isOtherText(readRecord(record), before);
}

/** Return whether an element that the page has put in the place of the found one is in the same record; true if that was in none. */
export function isInSameRecord(element) {
  if (foundRecord === null) return true;
  // An item that is selected now may have another class than those beside it: then it is known by its level.
  const record = findRecordAround(element) ?? [element, ...ancestorsOf(element)][foundRecord.level];
  return record !== undefined && isElement(record) && !isOtherText(readRecord(record), foundRecord);
}

/**
 * Return whether a record, whose texts are `now`, shows other data than `before` (the remembered record with its neighbours). It does if it
 * has the texts of a neighbour, if a neighbour has its former texts, or if it has lost a text with a letter (of its content, not of
 * buttons). If it had no such text, any lost text counts.
 */
function isOtherText(now, before) {
  if (areSameTexts(now, before.texts)) return false;
  if (before.neighbours.some((other) => areSameTexts(now, other.texts) || hasTextsNow(other, before.texts)))
    return true;
  const { content, buttons } = before.texts;
  const named = content.filter((text) => HAS_LETTER.test(text));
  return named.length > 0
    ? named.some((text) => !now.content.includes(text))
    : [...content, ...buttons].some((text) => text.trim() && ![...now.content, ...now.buttons].includes(text));
}

/** Return whether two records have the same texts, given as `readRecord` returns them. */
const areSameTexts = (one, other) =>
  one.content.join('\n') === other.content.join('\n') && one.buttons.join('\n') === other.buttons.join('\n');

/** Return whether a remembered record is still in the page and has these texts. */
function hasTextsNow({ element }, texts) {
  const record = element.deref();
  return record !== undefined && isAlive(record) && areSameTexts(readRecord(record), texts);
}

/** Return whether a remembered record is still in the page and has the same texts. */
const isUnchanged = (record) => hasTextsNow(record, record.texts);

// The message of the error of `refuseOtherRecord`. Python then reports what the record is now.
const OTHER_RECORD = 'gbrowse: another record';

/** Throw an error if another record (row, card) has replaced the one around an element since a command found it. */
export function refuseOtherRecord(element) {
  if (isOtherRecord(element)) throw new Error(OTHER_RECORD);
}

/** Return whether another record (row, card) has replaced the one around the element with an id, since a command found it. */
exported.isOtherRecord = (id) => {
  const element = nodeFor(id);
  return element !== null && isOtherRecord(element);
};

/**
 * The record of an element as it was printed: the id of the record's element (0 if that has no line), and texts, each with the id of the
 * element that contains it (0: any in the record).
 * @typedef {{ node: number, texts: [number, string][] }} PrintedRecord
 */

/**
 * Return whether the record (row, card) around an element still has all texts that a snapshot has printed of it (`printed`).
 * @param {any} element
 * @param {PrintedRecord} printed
 */
export function hasPrintedTexts(element, { node, texts }) {
  const record = node ? nodeFor(node) : findRecordAround(element);
  if (!record || !containsInFlatTree(record, element)) return false;
  return texts.every(([id, text]) => {
    const owner = id ? nodeFor(id) : record;
    return owner !== null && hasPrintedText(owner, text);
  });
}

/**
 * Return whether an element still has a text that a snapshot has printed of it: as its whole text or name, or as one or several of its
 * texts in a row. A part of a text is not enough: "Tea" may be "Green Tea" now.
 */
function hasPrintedText(element, text) {
  if (cleanText(textContentOf(element)) === text || attr(element, 'aria-label') === text) return true;
  const wanted = tokensOf(text).join(' ');
  const { content, buttons } = readRecord(element);
  return [textContentOf(element), nameOf(element)].some((whole) => tokensOf(whole).join(' ') === wanted)
    || hasInARow([...content, ...buttons], wanted);
}

/** Return whether one of `texts`, or several in a row, have just the words `wanted`, which are joined by spaces. */
function hasInARow(texts, wanted) {
  const joined = texts.map((text) => tokensOf(text).join(' ')).filter(Boolean).join('|');
  return new RegExp(`\\|${wanted.replaceAll(' ', '[ |]')}\\|`, 'u').test(`|${joined}|`);
}
