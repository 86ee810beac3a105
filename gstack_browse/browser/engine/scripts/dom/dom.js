// Reading a DOM that may be hostile: composed-tree iteration, text, documents, frames.
//
// Everything here goes through the prototypes' own accessors (dom/accessors.js). Nothing in any engine file writes to the page: no attribute, no listener, no global of the page's world.

import {
  activeElementOf,
  documentOf,
  firstChildOf,
  getterOf,
  isConnected,
  lateGetter,
  lateMethod,
  localNameOf,
  method,
  namespaceOf,
  nextSiblingOf,
  nodeTypeOf,
  openShadowRootIn,
  parentNodeOf,
  queryAll,
  queryDocument,
  queryInDocument,
  queryInFragment,
  queryOne,
  rootOf,
  windowOf,
} from './accessors.js';

export const exported = Object.create(null);

const withTagOf = method(Document, 'getElementsByTagNameNS');
export const withTag = (tree, name) => withTagOf(tree, HTML, name); // Chromium keeps the answer until the tree changes
const queryFragment = lateMethod('DocumentFragment', 'querySelector');
/** The first match in a tree, whose root is a document, a shadow root, or an element that is in neither. */
export function queryTree(root, selector) {
  const type = nodeTypeOf(root);
  return type === 9
    ? queryDocument(root, selector)
    : type === 11
    ? queryFragment(root, selector)
    : queryOne(root, selector);
}

/** All matches in a document or a shadow root, or below an element. */
export function queryAllIn(root, selector) {
  const type = nodeTypeOf(root);
  return type === 9
    ? queryInDocument(root, selector)
    : type === 11
    ? queryInFragment(root, selector)
    : queryAll(root, selector);
}

const attributeGetter = Element.prototype.getAttribute;
const attributeTester = Element.prototype.hasAttribute;
const attributesTester = Element.prototype.hasAttributes;
// Roles and states in the ElementInternals of a custom element count as attributes (dom/internals.js).
export let internalsMet = false;
export function meetInternals() {
  internalsMet = true;
}
export const internals = new WeakMap();
export const attr = (element, name) => {
  const value = attributeGetter.call(element, name);
  return value === null && internalsMet ? internals.get(element)?.[name] ?? null : value;
};
export const hasAttr = (element, name) =>
  attributeTester.call(element, name) || internalsMet && internals.get(element)?.[name] !== undefined;
export const hasAttrs = (element) => attributesTester.call(element) || internalsMet && internals.has(element);

// Most elements have nothing but a class, an id or an address. Of one whose attributes are all among these nothing is asked that any
// other attribute would tell: ARIA, `title`, `hidden`, `inert`, `style`, `tabindex`, handlers of events.
const QUIET = new Set(
  'class id href src srcset target rel type name value alt lang dir for colspan rowspan width height datetime placeholder'
    .split(' '),
);
const namesGetter = Element.prototype.getAttributeNames;
export function isQuiet(element) {
  if (internalsMet && internals.has(element)) return false;
  const names = namesGetter.call(element);
  for (let index = 0; index < names.length; index++)
    if (!QUIET.has(names[index]) && !names[index].startsWith('data-')) return false;
  return true;
}

export const HTML = 'http://www.w3.org/1999/xhtml';
export const SVG = 'http://www.w3.org/2000/svg';
export const isElement = (node) => nodeTypeOf(node) === 1;
export const isText = (node) => nodeTypeOf(node) === 3;

// Until a shadow tree has been met every element is in the tree of its document, which is cheaper to ask for.
export let shadowsMet = false;
export function meetShadows() {
  shadowsMet = true;
}
export const treeOf = (element) => shadowsMet ? rootOf(element) : documentOf(element);
export function openShadowRootOf(element) {
  const root = openShadowRootIn(element);
  shadowsMet ||= root !== null;
  return root;
}

// Closed roots are found over the protocol (see world.py) and told to us here; the page never learns of it.
export const closedRoots = new WeakMap();
export const shadowRootOf = (element) => openShadowRootOf(element) || closedRoots.get(element) || null;

export const assignedTo = lateMethod('HTMLSlotElement', 'assignedNodes');
export const isSlot = (element) => localNameOf(element) === 'slot' && namespaceOf(element) === HTML;

/** The children a person sees: a shadow tree instead of light children, slotted nodes instead of slots' own. */
export function* childrenOf(node) {
  if (isElement(node)) {
    const shadow = shadowRootOf(node);
    if (shadow) {
      yield* siblingsFrom(firstChildOf(shadow));
      return;
    }
    if (isSlot(node)) {
      const assigned = assignedTo(node);
      if (assigned.length) {
        yield* assigned;
        return;
      }
    }
  }
  yield* siblingsFrom(firstChildOf(node));
}

export function* siblingsFrom(first) {
  for (let node = first; node; node = nextSiblingOf(node)) yield node;
}

// The parent in the same, composed, sense; null above a document.
const readAssignedSlot = getterOf(Element, 'assignedSlot');
export const assignedSlotOfElement = (element) => readAssignedSlot.call(element);
export function parentOf(node) {
  if (isElement(node)) {
    const slot = assignedSlotOfElement(node);
    if (slot) return slot;
  }
  const parent = parentNodeOf(node);
  if (parent && nodeTypeOf(parent) === 11) return parent.host || null;
  return parent && isElement(parent) ? parent : null;
}

export function* ancestorsOf(element) {
  for (let parent = parentOf(element); parent; parent = parentOf(parent)) yield parent;
}

/** The element itself or its nearest ancestor for which a condition holds, through shadow trees too; null for none. */
export function closestWhere(element, holds) {
  for (let each = element; each; each = parentOf(each)) if (holds(each)) return each;
  return null;
}

// Element with that id in the tree (document or shadow root) of `near`: an IDREF never crosses a root.
const byIdInDocument = method(Document, 'getElementById');
const byIdInFragment = lateMethod('DocumentFragment', 'getElementById');
export function elementById(near, id) {
  const root = rootOf(near);
  const type = nodeTypeOf(root);
  if (type === 9) return byIdInDocument(root, id);
  return type === 11 ? byIdInFragment(root, id) : null;
}

// A reference to the host of a shadow tree means what the tree says it does; null where it says an id that it does not have.
const targetIdOf = lateGetter('ShadowRoot', 'referenceTarget');
export function targetOf(element) {
  for (let target = element;;) {
    const root = shadowRootOf(target);
    const id = root !== null && 'referenceTarget' in root ? targetIdOf(root) : null; // not in every Chromium
    if (id === null) return target;
    target = byIdInFragment(root, id);
    if (target === null) return null;
  }
}

// The elements that an attribute refers to by ids, or that a script has set in its place.
const REFLECTED = new Map([
  ['aria-activedescendant', 'ariaActiveDescendantElement'],
  ['aria-controls', 'ariaControlsElements'],
  ['aria-describedby', 'ariaDescribedByElements'],
  ['aria-errormessage', 'ariaErrorMessageElements'],
  ['aria-labelledby', 'ariaLabelledByElements'],
  ['aria-owns', 'ariaOwnsElements'],
]);
const reflected = new Map([...REFLECTED].map(([name, property]) => [name, lateGetter('Element', property)]));
export const referenced = (element, attribute) => {
  const ids = attr(element, attribute);
  if (ids === null) return [];
  const found = ids === ''
    ? [reflected.get(attribute)?.(element)].flat()
    : ids.split(/\s+/).map((id) => id && elementById(element, id));
  return found.map((one) => one && targetOf(one)).filter(Boolean);
};

/** A node is alive while it is in a document that is still shown in a window (iframe removed → no window). */
export function isAlive(node) {
  return Boolean(node) && isConnected(node) && windowOf(documentOf(node) || node) !== null;
}

// Same-origin frames can be entered directly; the others are listed and walked on their own.
const frameDocumentOf = lateGetter('HTMLIFrameElement', 'contentDocument');
export const isFrame = (element) => {
  const name = localNameOf(element);
  return name === 'iframe' || name === 'frame';
};
export function contentDocumentOf(frame) {
  try {
    return localNameOf(frame) === 'iframe' ? frameDocumentOf(frame) : frame.contentDocument;
  } catch {
    return null;
  }
}

// Answers about a whole tree are computed once per call from Python: the page cannot change meanwhile.
export let calls = 0;
export function countCall() {
  calls++;
}
/** @type {{ root: any, calls: number, answer: any }} */
const NEVER = { root: null, calls: -1, answer: null };
/** @template T */
export class OfTrees {
  /** @param {(root: any) => T} ask */
  constructor(ask) {
    this.ask = ask;
    this.known = new WeakMap();
    this.last = NEVER; // of the tree that was asked for last, as mostly again
  }

  /** @returns {T} */
  of(root) {
    if (this.last.root === root && this.last.calls === calls) return this.last.answer;
    const known = this.known.get(root);
    this.last = known !== undefined && known.calls === calls ? known : { root, calls, answer: this.ask(root) };
    this.known.set(root, this.last);
    return this.last.answer;
  }
}

// White space as one blank; control characters never reach a terminal; lone surrogates cannot travel.
const DIRTY = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
// Zero-width and direction controls, and the tag characters that can carry a hidden sentence. Joiners stay: emoji.
export const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
export const NEEDS_WORK = /^ | $| {2}|[^ -~\u00a1-\u00ac\u00ae-\u02ff]/;
const wellFormed = (text) => text.isWellFormed() ? text : text.toWellFormed();
export function cleanText(text) {
  return NEEDS_WORK.test(text) ? wellFormed(text.replace(DIRTY, ' ').replace(INVISIBLE, '').trim()) : text;
}

// Clean a text, and keep its no-break spaces.
export const NO_BREAK = '\u00a0';
const DIRTY_BETWEEN = /(?:(?!\u00a0)[\s\u0000-\u001f\u007f-\u009f\u2028\u2029])+/g;
export const cleanKeepingBreaks = (text) =>
  text.includes(NO_BREAK)
    ? wellFormed(text.replace(DIRTY_BETWEEN, ' ').replace(INVISIBLE, '').replace(/^ | $/g, ''))
    : cleanText(text);

/** Normalize words for comparison, as NFKC does: combining accents, ligatures, blanks of any width. */
export const printedForm = (text) => cleanText(text.normalize('NFKC'));

/** Normalise words for a comparison that ignores case. By way of upper case, which makes "SS" of "ß". */
export const foldedText = (text) => cleanText(text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase());

/** The set of the words of a text. */
export const words = (text) => new Set(text.split(/\s+/));

Object.assign(exported, { childrenOf, parentOf, contentDocumentOf, isFrame, attr });

// Finds the focused element of a tree.

// The element that has the focus, in whatever shadow tree; a frame's own document knows its own.
const activeInShadow = lateGetter('ShadowRoot', 'activeElement');
export const focusedIn = (root) => focusedUnder(activeElementOf(root));

/** The focused element in the shadow trees of an element, known closed ones included; the element itself if none is. */
export function focusedUnder(element) {
  let focused = element;
  for (let shadow = focused && shadowRootOf(focused); shadow; shadow = shadowRootOf(focused)) {
    const inner = activeInShadow(shadow);
    if (inner === null) break;
    focused = inner;
  }
  return focused;
}

export const activeDescendantOf = (focused) =>
  focused && hasAttrs(focused) ? referenced(focused, 'aria-activedescendant')[0] ?? null : null;
