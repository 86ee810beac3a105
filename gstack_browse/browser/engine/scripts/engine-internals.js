// Custom elements whose role and states their class keeps in an ElementInternals, which scripts of another world cannot see.
//
// The walk notes custom elements, and so does every other question about the state of one (`knownNode`). Python asks the page's side about one
// of each kind, then about all of the kinds that have internals (internals.py), and tells the answers here; `attr` reads them from then on.

import { localNameOf, matches } from './engine-accessors.js';
import { ancestorsOf, childrenOf, exported, internals, isElement, meetInternals } from './engine-dom.js';
import { nodeFor, weakly } from './engine-table.js';
import { living } from './engine-closed.js';

const MAX_CUSTOM = 200;
const customKinds = new Map(); // tag → whether its elements have internals
let customs = []; // of the last walk or question: elements whose kind has internals, or is not known yet
function forgetCustoms() {
  customs = [];
}

function noteCustom(element, tag) {
  const known = customKinds.get(tag.name);
  if (known === false || customs.length >= MAX_CUSTOM) return;
  if (known || matches(element, ':defined')) customs.push(weakly(element));
}

// Who is to be asked about: one of each kind that is not known, and all of those that have internals.
function customNodes() {
  const met = new Set();
  return living(customs).filter((element) => {
    const name = localNameOf(element);
    if (customKinds.has(name)) return customKinds.get(name);
    return !met.has(name) && Boolean(met.add(name));
  });
}

// What they said: an object of attributes, or null where there are no internals. Whether that changes anything.
function tellInternals(answers, ...elements) {
  let changed = false;
  isAnyKnown = true;
  elements.forEach((element, index) => {
    const [name, said] = [localNameOf(element), answers[index]];
    knownNow.add(element);
    if (!customKinds.get(name)) customKinds.set(name, said !== null);
    if (said === null || Object.keys(said).length === 0 && !internals.has(element)) return;
    changed ||= JSON.stringify(internals.get(element)) !== JSON.stringify(said);
    internals.set(element, said);
    meetInternals();
  });
  return changed;
}

// Thrown by a question that cannot be answered before Python has asked the page's side; it is then put once more.
const INTERNALS_WANTED = {};
const MOST_ROUNDS = 4; // of one question: a page may change between any two
const MOST_READ_AROUND = 300; // elements that are read in and around one
let knownNow = new WeakSet(); // what is known of these is of now
let isAnyKnown = false;
let rounds = 0;

// The node of an id, with what the custom elements around it and in it keep in their internals now.
function knownNode(id) {
  const node = nodeFor(id);
  if (node !== null) needInternals([node]);
  return node;
}

function needInternals(elements) {
  const missing = elements.flatMap(customsAround).filter((element) => !knownNow.has(element));
  if (missing.length === 0 || rounds >= MOST_ROUNDS) return;
  rounds++;
  customs = missing.slice(0, MAX_CUSTOM).map(weakly);
  throw INTERNALS_WANTED;
}

function customsAround(element) {
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

// A question is answered: the page may do something before the next one.
function endRounds() {
  rounds = 0;
  if (!isAnyKnown) return;
  knownNow = new WeakSet();
  isAnyKnown = false;
}

// Selectors of the kinds of element that have internals.
const kindsWithInternals = () => [...customKinds].filter(([, has]) => has).map(([name]) => CSS.escape(name));

Object.assign(exported, { customNodes, tellInternals });

export {
  customs,
  endRounds,
  forgetCustoms,
  INTERNALS_WANTED,
  kindsWithInternals,
  knownNode,
  needInternals,
  noteCustom,
};
