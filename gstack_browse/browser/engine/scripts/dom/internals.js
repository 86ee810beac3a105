// Facts that no script of the page can see, and that Python sends: closed shadow roots, and the roles and states that a custom
// element keeps in its ElementInternals.

import { firstChildOf, localNameOf, matches, offsetHeightOf } from './accessors.js';
import {
  ancestorsOf,
  childrenOf,
  closedRoots,
  exported,
  internals,
  isAlive,
  isElement,
  meetInternals,
  meetShadows,
} from './dom.js';
import { nodeFor, weakly } from './node-table.js';

// https://dom.spec.whatwg.org/#dom-element-attachshadow
export const CAN_HOST = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);
/** Whether a tag is the name of a custom element. */
const isCustomName = (name) => name.includes('-');

const MAX_SUSPECTS = 200;
const examined = new WeakMap(); // element → what it was like when the protocol was asked
let suspects = []; // elements that the protocol is to be asked about, weakly
let suspected = new WeakSet(); // the same

/**
 * Note an element without an open shadow root that may have a closed one, to be asked about over the protocol: a custom element, or an
 * empty one that takes up room. `first`: its first child.
 */
export function suspectClosedRoot(element, isCustom, first) {
  if (suspects.length >= MAX_SUSPECTS) return;
  const before = examined.get(element);
  if (before === DEFINED && first !== null) return;
  const likeness = hostFingerprint(element, isCustom, first);
  if (likeness === 0 || before === likeness || suspected.has(element)) return;
  suspected.add(element);
  suspects.push(weakly(element));
}

/** Note an element that may have a closed shadow root, judged by its tag and first child alone. */
export function meetHost(element, tag, first) {
  const isCustom = isCustomName(tag);
  if (isCustom || first === null && CAN_HOST.has(tag)) suspectClosedRoot(element, isCustom, first);
}

const DEFINED = 2;

/** Return a number that changes when the element gets a shadow root, as far as can be told; 0 if it has none. */
function hostFingerprint(element, isCustom, first) {
  const height = first === null ? offsetHeightOf(element) : 0;
  return isCustom ? (matches(element, ':defined') ? DEFINED : 1) + 2 * height : 2 * height;
}

/** Return how many elements may have a closed shadow root that the engine does not know. */
export const suspectCount = () => suspects.length;
/** Return the nodes of weak references that are still in a displayed document. */
export const living = (weak) => weak.map((one) => one.deref()).filter((node) => node && isAlive(node));
/** Return the elements that may have a closed shadow root: Python asks the protocol about them. */
const suspectNodes = () => living(suspects);

/** Remember the closed shadow root of a host. Python passes both nodes in. */
export function openClosedRoot(host, root) {
  closedRoots.set(host, root);
  meetShadows();
}

/** Note that the protocol was asked about all suspects: they are no suspects until they change. */
function markExamined() {
  for (const node of suspectNodes()) {
    const isCustom = isCustomName(localNameOf(node));
    examined.set(node, hostFingerprint(node, isCustom, firstChildOf(node)));
  }
  suspects = [];
  suspected = new WeakSet();
}

Object.assign(exported, { markExamined, openClosedRoot, suspectNodes });

// Custom elements whose role and states their class keeps in an ElementInternals, which scripts of another world cannot see.
//
// 1. The walk notes custom elements (`noteCustom`); every other question about the state of one does, too (`nodeWithInternals`), and is broken off.
// 2. Python reads the internals of one element of each kind in the page's own world, then those of all elements of kinds that have any (internals.py).
// 3. Python tells them here (`tellInternals`), and puts the question that was broken off once more. `attr` reads them from then on.

const MAX_CUSTOM = 200;
const hasInternalsByTag = new Map(); // tag → whether its elements have internals
export let customs = []; // of the last walk or question: elements whose kind has internals, or is not known yet
/** Forget the custom elements of the last walk. */
export function forgetCustoms() {
  customs = [];
}

/** Note a custom element for Python: its ElementInternals may hold a role and states, which only the page's own world can read. */
export function noteCustom(element, tag) {
  const known = hasInternalsByTag.get(tag.name);
  if (known === false || customs.length >= MAX_CUSTOM) return;
  if (known || matches(element, ':defined')) customs.push(weakly(element));
}

/** Return the custom elements whose internals Python has to read: one of each unknown tag, and all of tags that are known to have any. */
function customNodes() {
  const met = new Set();
  return living(customs).filter((element) => {
    const name = localNameOf(element);
    if (hasInternalsByTag.has(name)) return hasInternalsByTag.get(name);
    return !met.has(name) && Boolean(met.add(name));
  });
}

/** Store the internals that Python has read: for each element an object of attributes, null for none. Return whether any has changed. */
function tellInternals(answers, ...elements) {
  let changed = false;
  isAnyRead = true;
  elements.forEach((element, index) => {
    const [name, said] = [localNameOf(element), answers[index]];
    readForCall.add(element);
    if (!hasInternalsByTag.get(name)) hasInternalsByTag.set(name, said !== null);
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

/**
 * Return the node of an id, or null. Throws INTERNALS_NEEDED until Python has told the internals of custom elements in it and around it.
 */
export function nodeWithInternals(id) {
  const node = nodeFor(id);
  if (node !== null) requireInternals([node]);
  return node;
}

/** Throw INTERNALS_NEEDED, which breaks the question off, until Python has told the internals in and around these elements. */
export function requireInternals(elements) {
  const missing = elements.flatMap(customElementsAround).filter((element) => !readForCall.has(element));
  if (missing.length === 0 || attempts >= MOST_ATTEMPTS) return;
  attempts++;
  customs = missing.slice(0, MAX_CUSTOM).map(weakly);
  throw INTERNALS_NEEDED;
}

/** Return the custom elements that may have internals: an element, its ancestors, and the first 300 in it. */
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
    return name.includes('-') && hasInternalsByTag.get(name) !== false && matches(each, ':defined');
  });
}

/** Forget what was told for an answered question: internals may change before the next one. */
export function endCall() {
  attempts = 0;
  if (!isAnyRead) return;
  readForCall = new WeakSet();
  isAnyRead = false;
}

/** Return the tags, as selectors, of the custom elements that have internals. */
export const kindsWithInternals = () =>
  [...hasInternalsByTag].filter(([, has]) => has).map(([name]) => CSS.escape(name));

Object.assign(exported, { customNodes, tellInternals });
