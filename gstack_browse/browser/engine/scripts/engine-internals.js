// Custom elements whose role and states their class keeps in an ElementInternals, which scripts of another world cannot see.
//
// 1. The walk notes custom elements (`noteCustom`); every other question about the state of one does, too (`nodeWithInternals`), and is broken off.
// 2. Python reads the internals of one element of each kind in the page's own world, then those of all elements of kinds that have any (internals.py).
// 3. Python tells them here (`tellInternals`), and puts the question that was broken off once more. `attr` reads them from then on.

import { localNameOf, matches } from './engine-accessors.js';
import { ancestorsOf, childrenOf, exported, internals, isElement, meetInternals } from './engine-dom.js';
import { nodeFor, weakly } from './engine-table.js';
import { living } from './engine-closed.js';

const MAX_CUSTOM = 200;
const customKinds = new Map(); // tag → whether its elements have internals
export let customs = []; // of the last walk or question: elements whose kind has internals, or is not known yet
export function forgetCustoms() {
  customs = [];
}

export function noteCustom(element, tag) {
  const known = customKinds.get(tag.name);
  if (known === false || customs.length >= MAX_CUSTOM) return;
  if (known || matches(element, ':defined')) customs.push(weakly(element));
}

// The elements whose internals Python has to read: one of each unknown kind, and all of kinds that have any.
function customNodes() {
  const met = new Set();
  return living(customs).filter((element) => {
    const name = localNameOf(element);
    if (customKinds.has(name)) return customKinds.get(name);
    return !met.has(name) && Boolean(met.add(name));
  });
}

// Keep the internals that Python has read: for each element an object of attributes, or null if it has none. Returns whether any changed.
function tellInternals(answers, ...elements) {
  let changed = false;
  isAnyRead = true;
  elements.forEach((element, index) => {
    const [name, said] = [localNameOf(element), answers[index]];
    readForCall.add(element);
    if (!customKinds.get(name)) customKinds.set(name, said !== null);
    if (said === null || Object.keys(said).length === 0 && !internals.has(element)) return;
    changed ||= JSON.stringify(internals.get(element)) !== JSON.stringify(said);
    internals.set(element, said);
    meetInternals();
  });
  return changed;
}

export const INTERNALS_NEEDED = {}; // thrown to break a question off until Python has told the internals
const MOST_ATTEMPTS = 4; // of one question: the page may change between any two
const MOST_READ_AROUND = 300; // elements that are read in and around one
let readForCall = new WeakSet(); // elements whose internals were told for this question, and are not old
let isAnyRead = false;
let attempts = 0;

// The node of an id. Custom elements in it and around it have their internals told first.
export function nodeWithInternals(id) {
  const node = nodeFor(id);
  if (node !== null) requireInternals([node]);
  return node;
}

// Break the question off unless the internals in and around these elements were told for it.
export function requireInternals(elements) {
  const missing = elements.flatMap(customElementsAround).filter((element) => !readForCall.has(element));
  if (missing.length === 0 || attempts >= MOST_ATTEMPTS) return;
  attempts++;
  customs = missing.slice(0, MAX_CUSTOM).map(weakly);
  throw INTERNALS_NEEDED;
}

function customElementsAround(element) {
  const around = [element, ...ancestorsOf(element)];
  const waiting = [element];
  for (let read = 0; waiting.length && read < MOST_READ_AROUND; read++) {
    const inside = [...childrenOf(waiting.pop())].filter(isElement);
    around.push(...inside);
    waiting.push(...inside);
  }
  return around.filter((each) => {
    const name = localNameOf(each);
    return name.includes('-') && customKinds.get(name) !== false && matches(each, ':defined');
  });
}

// Forget what was told for a question that is answered: internals may change before the next one.
export function endCall() {
  attempts = 0;
  if (!isAnyRead) return;
  readForCall = new WeakSet();
  isAnyRead = false;
}

// Selectors (tag names) of the custom elements that have internals.
export const kindsWithInternals = () => [...customKinds].filter(([, has]) => has).map(([name]) => CSS.escape(name));

Object.assign(exported, { customNodes, tellInternals });
