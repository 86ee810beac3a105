// Checks whether the record around an element (row, item, card) is still the one that was printed, or found. Pages give the nodes of
// one record to another: lists without keys, and rows that are used again as a list scrolls. This side only sees that something is no longer
// said: what counts as another record is judged by snapshot/disambiguation/records.py.

import { nameOf } from '../accname/names.js';
import { containsComposed } from '../actions/hit-testing.js';
import { dataOf, getter, localNameOf, matches, previousElementOf, textContentOf } from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  exported,
  foldedText,
  hasAttrs,
  isAlive,
  isElement,
  isText,
} from '../dom/dom.js';
import { nodeFor, weakly } from '../dom/node-table.js';

/**
 * The record of an element as it was printed: the id of the record's element (0 if that has no line), and texts, each with the id of
 * the element that contains it (0: any in the record).
 * @typedef {object} PrintedRecord
 * @property {number} node
 * @property {[number, string][]} texts
 */

const ITEMS_OF_LISTS =
  'tr,li,article,[role=row],[role=listitem],[role=option],[role=treeitem],[role=article],[role=menuitem]';
const NAMED_BY_DEEDS = 'button,[role=button],[role=menuitem],[role=switch]';
const NAMING_ATTRIBUTES = ['aria-label', 'alt', 'title', 'placeholder'];
const LEVELS_OF_RECORD = 8;
/** Nodes of a record that are looked at: of more, the rest says nothing. */
const MOST_NODES_READ = 60;

const nextElementOf = getter(Element, 'nextElementSibling');

const WORDS_AND_SIGNS = /[\p{L}\p{M}\p{N}]+|[^\s!-~\p{L}\p{M}\p{N}]/gu;
/** Split a text into words and signs, folded for comparison. */
const tokensOf = (text) => foldedText(text).match(WORDS_AND_SIGNS) ?? [];

/**
 * Return the text of an element as { content, buttons }. Words are compared only if these have changed, which is rare and takes ten times
 * as long.
 */
function readRecord(element) {
  const said = { content: '', buttons: '' };
  collectRecordText(said, element, 'content', { nodes: MOST_NODES_READ });
  return said;
}

/**
 * Add the text and names in an element to `said`, as content or as that of buttons. `around`: which of these it is inside of;
 * `left.nodes`: how many nodes may be read.
 */
function collectRecordText(said, element, around, left) {
  const kind = matches(element, NAMED_BY_DEEDS) ? 'buttons' : around;
  if (hasAttrs(element)) { for (const name of NAMING_ATTRIBUTES) said[kind] += `${attr(element, name) ?? ''} `; }
  for (const node of childrenOf(element)) {
    if (left.nodes-- <= 0) return;
    if (isText(node)) said[kind] += `${dataOf(node)} `;
    else if (isElement(node)) collectRecordText(said, node, kind, left);
  }
}

/** Return the set of words in a record's text. */
const wordsOfRecord = (said) => new Set(tokensOf(`${said.content} ${said.buttons}`));

/**
 * Return the element of the record (row, item) that an element is in, or is; null for none. In a list without roles, siblings alike tell
 * it.
 */
function recordAround(element) {
  let beside = null;
  let level = 0;
  for (const around of [element, ...ancestorsOf(element)]) {
    if (!isElement(around) || level++ > LEVELS_OF_RECORD) break;
    if (matches(around, ITEMS_OF_LISTS)) return around;
    if (
      around !== element && beside === null
      && isSiblingAlike(around, nextElementOf(around) ?? previousElementOf(around))
    ) beside = around;
  }
  return beside;
}

/** Whether two siblings look like items of a list: of one tag and class. */
const isSiblingAlike = (one, other) =>
  other !== null && localNameOf(one) === localNameOf(other) && attr(one, 'class') === attr(other, 'class');

/** Return a record's element, held weakly, with its present text. */
const rememberRecord = (element) => ({ element: weakly(element), said: readRecord(element) });

/**
 * The record around the element of the current command, its text when the command found it, and the records beside it with theirs.
 * @type {(ReturnType<typeof rememberRecord> & { beside: ReturnType<typeof rememberRecord>[] }) | null}
 */
let foundRecord = null;

/** Remember what the record of an element and the records beside it say now, for `isOtherRecord`. */
export function keepRecord(element) {
  const record = recordAround(element);
  const beside = record ? [previousElementOf(record), nextElementOf(record)] : [];
  const alike = beside.filter((other) => other !== null && localNameOf(other) === localNameOf(record));
  foundRecord = record && { ...rememberRecord(record), beside: alike.map(rememberRecord) };
}

/**
 * Whether another record has replaced that of an element since a command found it: half of its own words are gone, others are there,
 * and its neighbours have changed with it. A record that alone changes does so in place, such as one that a press opens for editing.
 */
export function isOtherRecord(element) {
  const before = foundRecord;
  const record = before?.element.deref();
  if (!before || !record || !isAlive(record) || !containsComposed(record, element)) return false;
  const now = readRecord(record);
  if (isSameText(now, before.said) || before.beside.length > 0 && before.beside.every(isUnchanged)) return false;
  const words = wordsOfRecord(now);
  const own = distinctiveWords(before);
  const isReplaced = own.length > 0 && 2 * own.filter((word) => !words.has(word)).length >= own.length;
  return isReplaced && hasNewWords(words, wordsOfRecord(before.said));
}

/** Whether there are words that were not there before. */
const hasNewWords = (words, before) => [...words].some((word) => !before.has(word));

/** Whether two records have the same text. */
const isSameText = (said, other) => said.content === other.content && said.buttons === other.buttons;

/** Whether a remembered record is still there and has the same text. */
function isUnchanged({ element, said }) {
  const record = element.deref();
  return record !== undefined && isAlive(record) && isSameText(readRecord(record), said);
}

/**
 * Return the words that a record had and its neighbours had not: of its content, else of its buttons if those had partly the same as
 * theirs.
 */
function distinctiveWords({ said, beside }) {
  const theirs = new Set(beside.flatMap((other) => [...wordsOfRecord(other.said)]));
  /** Whether a word was in no neighbour. */
  const isOwn = (word) => !theirs.has(word);
  const content = tokensOf(said.content).filter(isOwn);
  const buttons = tokensOf(said.buttons);
  return content.length > 0 || buttons.every(isOwn) ? content : buttons.filter(isOwn);
}

/** The message that `refuseOtherRecord` throws. Python then says what stands there now. */
const OTHER_RECORD = 'gbrowse: another record';

/** Throw where another record has come into the place of the one that a command means. */
export function refuseOtherRecord(element) {
  if (isOtherRecord(element)) throw new Error(OTHER_RECORD);
}

exported.isOtherRecord = (id) => {
  const element = nodeFor(id);
  return element !== null && isOtherRecord(element);
};

/**
 * Whether all is still said that was printed of the record of an element.
 * @param {any} element
 * @param {PrintedRecord} printed
 */
export function saysPrintedTexts(element, { node, texts }) {
  const record = node ? nodeFor(node) : recordAround(element);
  if (!record || !containsComposed(record, element)) return false;
  return texts.every(([id, text]) => {
    const speaker = id ? nodeFor(id) : record;
    return speaker !== null && hasPrintedText(speaker, text);
  });
}

/** Whether an element still has a text that was printed of it. */
function hasPrintedText(element, text) {
  if (cleanText(textContentOf(element)) === text || attr(element, 'aria-label') === text) return true;
  const wanted = ` ${tokensOf(text).join(' ')} `;
  const { content, buttons } = readRecord(element);
  return [textContentOf(element), `${content} ${buttons}`, nameOf(element)]
    .some((said) => ` ${tokensOf(said).join(' ')} `.includes(wanted));
}
