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
  noteInternals,
  noteShadowTree,
} from './dom.js';
import { nodeFor, weakRefTo } from './node-table.js';

// https://dom.spec.whatwg.org/#dom-element-attachshadow
export const CAN_HOST = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);
/** Return whether a tag name is that of a custom element. */
const isCustomName = (name) => name.includes('-');

const MAX_CANDIDATES = 200;
const examined = new WeakMap(); // element → its `hostFingerprint` when Python last asked the protocol about it
let candidates = []; // weak references to elements that Python is to ask the protocol about
let isCandidate = new WeakSet(); // the same elements

/**
 * Note an element without an open shadow root, for Python to ask the protocol whether it has a closed one. Left out unless it is a custom
 * element (`isCustom`), or empty and of some height. `first`: its first child, or null.
 */
export function noteClosedRootCandidate(element, isCustom, first) {
  if (candidates.length >= MAX_CANDIDATES) return;
  const before = examined.get(element);
  if (before === DEFINED && first !== null) return;
  const fingerprint = hostFingerprint(element, isCustom, first);
  if (fingerprint === 0 || before === fingerprint || isCandidate.has(element)) return;
  isCandidate.add(element);
  candidates.push(weakRefTo(element));
}

/**
 * Note an element, for Python to ask the protocol whether it has a closed shadow root, unless its tag or its first child (`first`, or null)
 * rules that out.
 */
export function noteHostCandidate(element, tag, first) {
  const isCustom = isCustomName(tag);
  if (isCustom || first === null && CAN_HOST.has(tag)) noteClosedRootCandidate(element, isCustom, first);
}

const DEFINED = 2;

/**
 * Return a number that mostly changes when an element gets a shadow root: made of its height if it is empty, and whether its class is
 * defined if it is a custom element (`isCustom`); 0 for neither. `first`: its first child, or null.
 */
function hostFingerprint(element, isCustom, first) {
  const height = first === null ? offsetHeightOf(element) : 0;
  return isCustom ? (matches(element, ':defined') ? DEFINED : 1) + 2 * height : 2 * height;
}

/** Return how many elements may have a closed shadow root of which Python has not asked the protocol yet. */
export const closedRootCandidateCount = () => candidates.length;
/** Return the nodes of weak references, without those that are no longer in a displayed document. */
export const aliveNodes = (references) => references.map((one) => one.deref()).filter((node) => node && isAlive(node));
/** Return the elements that may have a closed shadow root: Python asks the protocol about them. */
const listClosedRootCandidates = () => aliveNodes(candidates);

/** Remember the closed shadow root of a host, so that the engine looks into it. Python passes both nodes in. */
export function openClosedRoot(host, root) {
  closedRoots.set(host, root);
  noteShadowTree();
}

/** Note that Python has asked about all elements that may have a closed shadow root: it asks again only about those that change. */
function markCandidatesExamined() {
  for (const node of listClosedRootCandidates()) {
    const isCustom = isCustomName(localNameOf(node));
    examined.set(node, hostFingerprint(node, isCustom, firstChildOf(node)));
  }
  candidates = [];
  isCandidate = new WeakSet();
}

Object.assign(exported, { markCandidatesExamined, openClosedRoot, listClosedRootCandidates });

// Custom elements whose role and states their class keeps in an ElementInternals, which scripts of another world cannot see.
//
// 1. The walk notes custom elements (`noteCustomElement`); every other call that needs the state of one does, too (`nodeWithInternals`),
//    and is broken off.
// 2. Python reads the internals of one element of each kind in the page's own world, then those of all elements of kinds that have any
//    (internals.py).
// 3. Python stores them here (`storeInternals`), and repeats the call that was broken off. `attr` reads them from then on.

const MAX_CUSTOM = 200;
const hasInternalsByTag = new Map(); // tag → whether its elements have internals
export let pendingCustomElements = []; // weak references of the last walk or call: elements whose tag has internals, or is not known yet
/** Forget the custom elements that the last snapshot has noted, so that Python reads their ElementInternals. */
export function forgetCustomElements() {
  pendingCustomElements = [];
}

/**
 * Note a custom element for Python to read its ElementInternals: they may hold a role and states, which only scripts of the page's own
 * JavaScript world can read. `tag`: facts about its tag (`tagOf`).
 */
export function noteCustomElement(element, tag) {
  const known = hasInternalsByTag.get(tag.name);
  if (known === false || pendingCustomElements.length >= MAX_CUSTOM) return;
  if (known || matches(element, ':defined')) pendingCustomElements.push(weakRefTo(element));
}

/** Return the custom elements whose ElementInternals Python has to read: one of each unknown tag, and all of tags known to have any. */
function listCustomElementsToRead() {
  const unknownTags = new Set();
  return aliveNodes(pendingCustomElements).filter((element) => {
    const name = localNameOf(element);
    if (hasInternalsByTag.has(name)) return hasInternalsByTag.get(name);
    return !unknownTags.has(name) && Boolean(unknownTags.add(name));
  });
}

/**
 * Store what Python has read of the ElementInternals of custom elements: `answers` has for each an object of attributes, null for none.
 * Return whether any has changed.
 */
function storeInternals(answers, ...elements) {
  let changed = false;
  isAnyRead = true;
  elements.forEach((element, index) => {
    const [name, attributes] = [localNameOf(element), answers[index]];
    readForCall.add(element);
    if (!hasInternalsByTag.get(name)) hasInternalsByTag.set(name, attributes !== null);
    if (attributes === null || Object.keys(attributes).length === 0 && !internals.has(element)) return;
    changed ||= JSON.stringify(internals.get(element)) !== JSON.stringify(attributes);
    internals.set(element, attributes);
    noteInternals();
  });
  return changed;
}

export const INTERNALS_NEEDED = {}; // thrown to break a call off until Python has stored the internals
const MAX_ATTEMPTS = 4; // of one call: the page may change between any two
const MAX_READ_INSIDE = 300; // elements in one
let readForCall = new WeakSet(); // elements whose internals Python has stored for the current call
let isAnyRead = false;
let attempts = 0;

/**
 * Return the node of an id; null if it is gone. If ElementInternals of custom elements in or around it were not read yet, break the call
 * off by throwing INTERNALS_NEEDED: Python reads and stores them, and then repeats the call.
 */
export function nodeWithInternals(id) {
  const node = nodeFor(id);
  if (node !== null) requireInternals([node]);
  return node;
}

/**
 * If ElementInternals of custom elements in or around these elements were not read yet, break the call off by throwing INTERNALS_NEEDED:
 * Python reads and stores them, and then repeats the call.
 */
export function requireInternals(elements) {
  const missing = elements.flatMap(customElementsAround).filter((element) => !readForCall.has(element));
  if (missing.length === 0 || attempts >= MAX_ATTEMPTS) return;
  attempts++;
  pendingCustomElements = missing.slice(0, MAX_CUSTOM).map(weakRefTo);
  throw INTERNALS_NEEDED;
}

/** Return those custom elements among an element, its ancestors and the first 300 elements in it that may have ElementInternals. */
function customElementsAround(element) {
  const around = [element, ...ancestorsOf(element)];
  const waiting = [element];
  for (let read = 0; waiting.length && read < MAX_READ_INSIDE; read++) {
    const inside = [...childrenOf(waiting.pop())].filter(isElement);
    around.push(...inside);
    waiting.push(...inside);
  }
  return around.filter((each) => {
    const name = localNameOf(each);
    return isCustomName(name) && hasInternalsByTag.get(name) !== false && matches(each, ':defined');
  });
}

/** End a call from Python: ElementInternals may change before the next call, which has to read them again. */
export function endCall() {
  attempts = 0;
  if (!isAnyRead) return;
  readForCall = new WeakSet();
  isAnyRead = false;
}

/** Return the tags, as CSS selectors, of the custom elements whose ElementInternals hold a role or states. */
export const tagsWithInternals = () =>
  [...hasInternalsByTag].filter(([, has]) => has).map(([name]) => CSS.escape(name));

Object.assign(exported, { listCustomElementsToRead, storeInternals });
