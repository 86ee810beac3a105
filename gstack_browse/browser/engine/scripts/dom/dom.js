// Reading a DOM that may be hostile: the flat tree with its slots, text, documents, frames, the focus, image maps.
//
// Everything here goes through the prototypes' own accessors (dom/accessors.js). Nothing in any engine file writes what the page
// can see: no attribute, no global of the page's world; listeners are in ours.

import {
  activeElementOf,
  closest,
  documentOf,
  firstChildOf,
  getterOf,
  isConnected,
  localNameOf,
  makeLateGetter,
  makeLateMethod,
  makeMethod,
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

const withTagOf = makeMethod(Document, 'getElementsByTagNameNS');
/** Return the HTML elements of a document that have the tag `name`. */
export const elementsByTag = (tree, name) => withTagOf(tree, HTML, name); // Chromium keeps the answer until the tree changes
const queryFragment = makeLateMethod('DocumentFragment', 'querySelector');
/** Return the first match of a selector in a document or shadow root, or below an element; null for none. */
export function queryOneIn(root, selector) {
  const type = nodeTypeOf(root);
  return type === 9
    ? queryDocument(root, selector)
    : type === 11
    ? queryFragment(root, selector)
    : queryOne(root, selector);
}

/** Return all matches of a selector in a document or shadow root, or below an element. */
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
// Whether a custom element of the page keeps roles or states in its ElementInternals: they count as attributes (dom/internals.js).
export let hasInternals = false;
/** Have `attr` and `hasAttr` read ElementInternals from now on: a custom element of the page keeps a role or states in them. */
export function noteInternals() {
  hasInternals = true;
}
export const internals = new WeakMap();
/** Return the value of an attribute of an element; without the attribute, what its ElementInternals hold under that name; else null. */
export const attr = (element, name) => {
  const value = attributeGetter.call(element, name);
  return value === null && hasInternals ? internals.get(element)?.[name] ?? null : value;
};
/** Return whether an element has an attribute, or the same property in its ElementInternals. */
export const hasAttr = (element, name) =>
  attributeTester.call(element, name) || hasInternals && internals.get(element)?.[name] !== undefined;
/** Return whether an element has any attribute or ElementInternals. */
export const hasAttrs = (element) => attributesTester.call(element) || hasInternals && internals.has(element);

// Attributes that tell nothing about role, name, visibility or listeners of an element.
const PLAIN_ATTRIBUTES = new Set(
  'class id href src srcset target rel type name value alt lang dir for colspan rowspan width height datetime placeholder'
    .split(' '),
);
const namesGetter = Element.prototype.getAttributeNames;
/**
 * Return whether all attributes of an element are plain ones such as class, id and href, as those of most elements are. The snapshot then
 * need not ask it for ARIA, `title`, `hidden`, `style`, `tabindex` and event handlers.
 */
export function hasOnlyPlainAttributes(element) {
  if (hasInternals && internals.has(element)) return false;
  const names = namesGetter.call(element);
  for (let index = 0; index < names.length; index++)
    if (!PLAIN_ATTRIBUTES.has(names[index]) && !names[index].startsWith('data-')) return false;
  return true;
}

export const HTML = 'http://www.w3.org/1999/xhtml';
export const SVG = 'http://www.w3.org/2000/svg';
/** Return whether a node is an element. */
export const isElement = (node) => nodeTypeOf(node) === 1;
/** Return whether a node is a text node. */
export const isText = (node) => nodeTypeOf(node) === 3;

// Whether a shadow tree was found. Until then every element is in its document's tree, which is cheaper to ask for than `getRootNode()`.
export let hasShadowTrees = false;
/** Note that the page has a shadow tree, so that `treeOf` looks for the root of each element from now on. */
export function noteShadowTree() {
  hasShadowTrees = true;
}
/** Return the root of an element's tree: its document or shadow root. */
export const treeOf = (element) => hasShadowTrees ? rootOf(element) : documentOf(element);
/** Return the open shadow root of an element, or null, and note that the page has one. */
export function openShadowRootOf(element) {
  const root = openShadowRootIn(element);
  hasShadowTrees ||= root !== null;
  return root;
}

export const closedRoots = new WeakMap();
/** Return the shadow root of an element, also a closed one that Python has found by Chromium's protocol; null for none. */
export const shadowRootOf = (element) => openShadowRootOf(element) || closedRoots.get(element) || null;

export const assignedNodesOf = makeLateMethod('HTMLSlotElement', 'assignedNodes');
/** Return whether an element is a `<slot>`. */
export const isSlot = (element) => localNameOf(element) === 'slot' && namespaceOf(element) === HTML;

/**
 * Yield the children in the flat tree, as they are rendered: the shadow tree instead of light children, slotted nodes instead of a slot's
 * own.
 */
export function* childrenOf(node) {
  if (isElement(node)) {
    const shadow = shadowRootOf(node);
    if (shadow) {
      yield* siblingsFrom(firstChildOf(shadow));
      return;
    }
    if (isSlot(node)) {
      const assigned = assignedNodesOf(node);
      if (assigned.length) {
        yield* assigned;
        return;
      }
    }
  }
  yield* siblingsFrom(firstChildOf(node));
}

/** Yield a node and the siblings after it. */
export function* siblingsFrom(first) {
  for (let node = first; node; node = nextSiblingOf(node)) yield node;
}

const readAssignedSlot = getterOf(Element, 'assignedSlot');
/** Return the slot of an open shadow tree that an element is assigned to; null for none. */
const assignedSlotOfElement = (element) => readAssignedSlot.call(element);
/**
 * Return the parent element of a node in the flat tree (the tree as it is rendered): its slot, the host of its shadow tree, or its parent;
 * null above a document.
 */
export function parentOf(node) {
  if (isElement(node)) {
    const slot = assignedSlotOfElement(node);
    if (slot) return slot;
  }
  const parent = parentNodeOf(node);
  if (parent && nodeTypeOf(parent) === 11) return parent.host || null;
  return parent && isElement(parent) ? parent : null;
}

const assignedSlotOfText = makeLateGetter('Text', 'assignedSlot');

// `assignedSlot` hides slots of a closed shadow root, so these are searched.
/** Return the slot that a node is assigned to, also one of a closed shadow tree that Python has found; null for none. */
export function slotOf(node) {
  const open = isElement(node) ? assignedSlotOfElement(node) : isText(node) ? assignedSlotOfText(node) : null;
  const closed = open ? null : closedRoots.get(parentNodeOf(node));
  return open || (closed && [...queryInFragment(closed, 'slot')].find((slot) => assignedNodesOf(slot).includes(node)))
    || null;
}

/** Yield the ancestors of an element in the flat tree, nearest first. */
export function* ancestorsOf(element) {
  for (let parent = parentOf(element); parent; parent = parentOf(parent)) yield parent;
}

/** Return the element or its nearest ancestor in the flat tree for which `holds` returns true; null for none. */
export function closestWhere(element, holds) {
  for (let each = element; each; each = parentOf(each)) if (holds(each)) return each;
  return null;
}

const byIdInDocument = makeMethod(Document, 'getElementById');
const byIdInFragment = makeLateMethod('DocumentFragment', 'getElementById');
/** Return the element with an id in the tree (document or shadow root) of `near`: an IDREF never crosses a root. */
export function elementById(near, id) {
  const root = rootOf(near);
  const type = nodeTypeOf(root);
  if (type === 9) return byIdInDocument(root, id);
  return type === 11 ? byIdInFragment(root, id) : null;
}

const targetIdOf = makeLateGetter('ShadowRoot', 'referenceTarget');
/**
 * Return the element that a reference by id, such as a label's `for`, means if it names this element. For a shadow host with a
 * `referenceTarget` that is the element with this id in its shadow tree, null for none; else the element itself.
 */
export function resolveReferenceTarget(element) {
  for (let target = element;;) {
    const root = shadowRootOf(target);
    const id = root !== null && 'referenceTarget' in root ? targetIdOf(root) : null; // not in every Chromium
    if (id === null) return target;
    target = byIdInFragment(root, id);
    if (target === null) return null;
  }
}

// Attributes that refer to elements by ids → the property by which a script may set elements instead.
const REFLECTED = new Map([
  ['aria-activedescendant', 'ariaActiveDescendantElement'],
  ['aria-controls', 'ariaControlsElements'],
  ['aria-describedby', 'ariaDescribedByElements'],
  ['aria-errormessage', 'ariaErrorMessageElements'],
  ['aria-labelledby', 'ariaLabelledByElements'],
  ['aria-owns', 'ariaOwnsElements'],
]);
const reflected = new Map([...REFLECTED].map(([name, property]) => [name, makeLateGetter('Element', property)]));
/** Return the elements whose ids an attribute such as `aria-owns` lists, or those that a script has set instead (`ariaOwnsElements`). */
export const referencedElements = (element, attribute) => {
  const ids = attr(element, attribute);
  if (ids === null) return [];
  const found = ids === ''
    ? [reflected.get(attribute)?.(element)].flat()
    : ids.split(/\s+/).map((id) => id && elementById(element, id));
  return found.map((one) => one && resolveReferenceTarget(one)).filter(Boolean);
};

/** Return whether a node is in a document that is displayed in a window: a removed iframe's document has none. */
export function isAlive(node) {
  return Boolean(node) && isConnected(node) && windowOf(documentOf(node) || node) !== null;
}

const frameDocumentOf = makeLateGetter('HTMLIFrameElement', 'contentDocument');
/** Return whether an element is an `<iframe>` or `<frame>`. */
export const isFrame = (element) => {
  const name = localNameOf(element);
  return name === 'iframe' || name === 'frame';
};
/** Return the document of a frame of the same origin; null for any other. */
export function contentDocumentOf(frame) {
  try {
    return localNameOf(frame) === 'iframe' ? frameDocumentOf(frame) : frame.contentDocument;
  } catch {
    return null;
  }
}

export let calls = 0;
/** Begin a call from Python: forget the answers of every `PerCallCache`, since the page may have changed since the last call. */
export function beginCall() {
  calls++;
}
/** @type {{ root: any, calls: number, answer: any }} */
const NEVER = { root: null, calls: -1, answer: null };
/**
 * Caches answers about trees or elements during one call from Python, in which the page cannot change: `new PerCallCache(ask).of(root)`.
 * @template T
 */
export class PerCallCache {
  /** @param {(root: any) => T} ask */
  constructor(ask) {
    this.ask = ask;
    this.known = new WeakMap();
    this.last = NEVER; // the answer given last: mostly the same is asked for again
  }

  /** @returns {T} the answer for a tree or element, which `ask` gives at most once in a call from Python */
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
export const NEEDS_CLEANING = /^ | $| {2}|[^ -~\u00a1-\u00ac\u00ae-\u02ff]/;
/** Return a text without lone surrogates, which cannot be sent to Python. */
const wellFormed = (text) => text.isWellFormed() ? text : text.toWellFormed();
/** Return a text for printing: runs of white space and control characters as one blank, without invisible characters, trimmed. */
export function cleanText(text) {
  return NEEDS_CLEANING.test(text) ? wellFormed(text.replace(DIRTY, ' ').replace(INVISIBLE, '').trim()) : text;
}

export const NO_BREAK_SPACE = '\u00a0';
const DIRTY_BETWEEN = /(?:(?!\u00a0)[\s\u0000-\u001f\u007f-\u009f\u2028\u2029])+/g;
/**
 * Return a text for printing: runs of white space and control characters as one blank, without invisible characters, trimmed. No-break
 * spaces stay.
 */
export const cleanKeepingNoBreakSpaces = (text) =>
  text.includes(NO_BREAK_SPACE)
    ? wellFormed(text.replace(DIRTY_BETWEEN, ' ').replace(INVISIBLE, '').replace(/^ | $/g, ''))
    : cleanText(text);

/**
 * Return a text for comparison: cleaned, and normalized by Unicode's NFKC, so that combined accents, ligatures and wide blanks are equal to
 * their plain forms.
 */
export const nfkcText = (text) => cleanText(text.normalize('NFKC'));

/** Return a text for a comparison that ignores case: cleaned, in NFKC, in lower case. Upper case first makes "SS" of "ß". */
export const foldedText = (text) => cleanText(text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase());

/** Return a label without colons, stars (of a required field) and white space at its end; unchanged if it has nothing else. */
export const withoutLabelMarks = (label) => label.replace(/[\s:*]+$/, '') || label;

/** Return the set of the words in a text, split at white space. */
export const wordSet = (text) => new Set(text.split(/\s+/));

// Finds the focused element of a tree.

const activeInShadow = makeLateGetter('ShadowRoot', 'activeElement');
/** Return the focused element of a document, also one inside of shadow trees; the frame element if the focus is in a frame. */
export const focusedIn = (root) => focusedUnder(activeElementOf(root));

/**
 * Return the focused element in the shadow trees of an element, known closed ones included; the element itself if none in them has the
 * focus.
 */
export function focusedUnder(element) {
  let focused = element;
  for (let shadow = focused && shadowRootOf(focused); shadow; shadow = shadowRootOf(focused)) {
    const inner = activeInShadow(shadow);
    if (inner === null) break;
    focused = inner;
  }
  return focused;
}

/** Return the element that `aria-activedescendant` of the focused element names; null for none. */
export const activeDescendantOf = (focused) =>
  focused && hasAttrs(focused) ? referencedElements(focused, 'aria-activedescendant')[0] ?? null : null;

// The flat tree and shadow trees.

/**
 * Return the parent of a node (text nodes included) in the flat tree, the tree as it is rendered; for a slotted node its slot; null for
 * none.
 */
export const flatTreeParent = (node) => slotOf(node) || parentOf(node);

/** Return whether a node is `element` or inside of it, in the flat tree. */
export function containsInFlatTree(element, node) {
  for (let inner = node; inner; inner = flatTreeParent(inner)) if (inner === element) return true;
  return false;
}

/**
 * Yield `root` and each known shadow root in it, outer ones first. `querySelectorAll` does not look into shadow trees by itself.
 * `rootIn`: returns the shadow root of an element, or null not to enter it.
 */
export function* treesIn(root, rootIn = shadowRootOf) {
  yield root;
  const own = isElement(root) ? rootIn(root) : null;
  if (own) yield* treesIn(own, rootIn);
  for (const element of queryAllIn(root, '*')) {
    const inner = rootIn(element);
    if (inner) yield* treesIn(inner, rootIn);
  }
}

/** Yield `root` and each open shadow root in it, outer ones first. */
export const openTreesOf = (root) => treesIn(root, openShadowRootOf);

/** Yield the elements below a root in document order, those of each known shadow tree behind its host. */
export function* elementsBelow(root) {
  const own = isElement(root) ? shadowRootOf(root) : null;
  if (own) yield* elementsBelow(own);
  for (const element of queryAllIn(root, '*')) {
    yield element;
    const inner = shadowRootOf(element);
    if (inner) yield* elementsBelow(inner);
  }
}

// Image maps.

/** Return the first image that uses the `<map>` of an `<area>`; null for none. */
export function imageOfArea(area) {
  const map = closest(area, 'map');
  const name = map && (attr(map, 'name') || attr(map, 'id'));
  return name ? queryOneIn(rootOf(area), `img[usemap="#${CSS.escape(name)}"]`) : null;
}

/** Return the element that is displayed for an element: for an `<area>` the image of its map, else the element itself. */
export const displayElementOf = (element) => (localNameOf(element) === 'area' && imageOfArea(element)) || element;

Object.assign(exported, { childrenOf, parentOf, contentDocumentOf, isFrame, attr });
