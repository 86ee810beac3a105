// How Python calls a function of the engine, `__gbrowse.invoke("walkPage", [{}])`, and how much of a document one such question reads. Every
// answer also says whether the page has changed a field.

import { beginCall, exported } from './dom.js';
import { aliveNodes, closedRootCandidateCount, endCall, INTERNALS_NEEDED } from './internals.js';
import { table } from './node-table.js';

const limits = {
  elements: 250_000,
  milliseconds: 5_000,
  characters: 20_000_000, // of a text or a markup: more than that is cut off before it is sent
};
const ELEMENTS_PER_CLOCK_CHECK = 1024; // elements between looks at the clock

// The reading of one call from Python: how much was read, and when to stop.
const budget = {
  read: 0, // elements and lines
  checkClockAt: 0, // value of `read`
  end: 0, // performance.now(), milliseconds
  readWhenSpent: 0,
  isSpent: false,
};

/** Begin to count the elements that a call from Python reads, and its time: `mayRead` then limits both. */
export function beginReading() {
  budget.read = 0;
  budget.checkClockAt = Math.min(ELEMENTS_PER_CLOCK_CHECK, limits.elements);
  budget.end = performance.now() + limits.milliseconds;
  budget.isSpent = false;
}

/** Count one more element (or line of a text) as read. Return whether the limits of number and time allow that. */
export function mayRead() {
  return ++budget.read < budget.checkClockAt || !budget.isSpent && checkClock();
}

/**
 * Return whether the limits of number and time allow to read more elements. Called every 1024 elements, since reading the clock costs time.
 */
function checkClock() {
  if (budget.read > limits.elements || performance.now() > budget.end) {
    budget.isSpent = true;
    budget.checkClockAt = 0;
    budget.readWhenSpent = budget.read - 1;
    return false;
  }
  budget.checkClockAt = Math.min(budget.read + ELEMENTS_PER_CLOCK_CHECK, limits.elements + 1);
  return true;
}

/** Return how many elements the current call from Python has read. */
export const elementsReadSoFar = () => budget.read;

/** Return how many elements were read of a document too large to be read whole; 0 if all were. */
export const elementsReadBeforeLimit = () => budget.isSpent ? budget.readWhenSpent : 0;

/** Cut a text to 20 million characters, the most that is sent to Python. */
export const limitLength = (text) => text.length > limits.characters ? text.slice(0, limits.characters) : text;

/** Replace some of the limits { elements, milliseconds, characters } of one reading, for tests. */
exported.setReadingLimits = (changed) => void Object.assign(limits, changed);

/** Call an exported function for Python. Return its packed answer or a promise of it; "i" if Python has to call `storeInternals` first. */
export function invoke(name, args) {
  beginCall();
  let result;
  try {
    result = exported[name](...args);
  } catch (error) {
    if (error === INTERNALS_NEEDED) return 'i';
    throw error;
  }
  endCall();
  return result && typeof result.then === 'function' ? result.then(packAnswer) : packAnswer(result);
}

// Field → its value when it lost the focus; the last two, filled by actions/fields.js. Here, since `packAnswer` looks at it for every answer.
export const blurredFields = new Map();

/** Return whether the page has changed the value of a field after the field lost the focus. */
const hasChangedFields = () => {
  for (const [field, value] of blurredFields) if (field.value !== value) return true;
  return false;
};

/**
 * Encode an answer for Python as one text: two characters, then a text or JSON, as `j {"a":1}` for {a: 1}. The first is "s" for a text or
 * "j" for JSON, in upper case if elements may have closed shadow roots that Python has not asked for. The second is "!" if the page has
 * changed a field after the field lost the focus, else a blank.
 */
function packAnswer(value) {
  const [text, json] = closedRootCandidateCount() ? 'SJ' : 'sj';
  const flag = hasChangedFields() ? '!' : ' ';
  return typeof value === 'string' ? text + flag + value.toWellFormed() : json + flag + JSON.stringify(value ?? null);
}

/** Return the documents and shadow roots that the last snapshot has read. */
const listTreeRoots = () => aliveNodes(table.trees);

Object.assign(exported, { invoke, listTreeRoots, hasChangedFields });
exported.ownerWindow = globalThis;
