// How Python calls a function of the engine, `__gbrowse.invoke("walkPage", [{}])`, and how much of a document one such question reads.

import { hasChangedFields } from '../actions/fields.js';
import { countCall, exported } from './dom.js';
import { endCall, INTERNALS_NEEDED, living, suspectCount } from './internals.js';
import { table } from './node-table.js';

const most = {
  elements: 250_000,
  milliseconds: 5_000,
  characters: 20_000_000, // of a text or a markup: more than that is cut off before it is sent
};
const LOOK_EVERY = 1024; // elements between looks at the clock

const budget = {
  read: 0, // elements and lines
  next: 0, // when to look at the clock
  end: 0,
  enough: 0, // how many had been read when it was spent
  isSpent: false,
};

/** Start the budget of one question: how many elements it may read, and for how long. */
export function beginReading() {
  budget.read = 0;
  budget.next = Math.min(LOOK_EVERY, most.elements);
  budget.end = performance.now() + most.milliseconds;
  budget.isSpent = false;
}

/** Whether one more element may be read, or one more line of a text that has lines. */
export function mayRead() {
  return ++budget.read < budget.next || !budget.isSpent && checkClock();
}

/** Whether the budget of elements and time is not spent yet. Called every 1024 elements, since the clock costs time. */
function checkClock() {
  if (budget.read > most.elements || performance.now() > budget.end) {
    budget.isSpent = true;
    budget.next = 0;
    budget.enough = budget.read - 1;
    return false;
  }
  budget.next = Math.min(budget.read + LOOK_EVERY, most.elements + 1);
  return true;
}

/** Return how many elements have been read for this question. */
export const readSoFar = () => budget.read;

/** Return how many elements were read of a document too large to be read whole; 0 if all were. */
export const readOfMore = () => budget.isSpent ? budget.enough : 0;

/** Cut a text to the most characters that are sent. */
export const withinMost = (text) => text.length > most.characters ? text.slice(0, most.characters) : text;

/** Set other limits, for tests. */
exported.limitReading = (limits) => {
  Object.assign(most, limits);
};

// How Python calls a function of the engine: `__gbrowse.invoke("walkPage", [{}])`.

/** Call an exported function for Python, and return its packed answer, or a promise of it; "i" if Python has to tell internals first. */
export function invoke(name, args) {
  countCall();
  let result;
  try {
    result = exported[name](...args);
  } catch (error) {
    if (error === INTERNALS_NEEDED) return 'i';
    throw error;
  }
  endCall();
  return result && typeof result.then === 'function' ? result.then(pack) : pack(result);
}

/**
 * Encode an answer for Python: "s" and a text, or "j" and JSON, as capital letters where elements may have closed shadow roots that the
 * engine does not know. The second character is "!" if `changedAsLeft` has something to tell, else a blank.
 */
function pack(value) {
  const [text, json] = suspectCount() ? 'SJ' : 'sj';
  const news = hasChangedFields() ? '!' : ' ';
  return typeof value === 'string' ? text + news + value.toWellFormed() : json + news + JSON.stringify(value ?? null);
}

/** Return the documents and shadow roots that the last walk entered. */
const treeRoots = () => living(table.trees);

Object.assign(exported, { invoke, treeRoots });
exported.ownerWindow = globalThis;
