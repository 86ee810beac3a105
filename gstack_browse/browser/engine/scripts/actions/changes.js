// The visible state of an element and of its page before and after a gesture, and what stands in the place of a field that the page removed.

import { isSecret } from '../accname/states.js';
import { contentRole, valueOf } from '../accname/values.js';
import { fillKind } from './fields.js';
import {
  attributesOf,
  bodyOf,
  childElementCountOf,
  documentOf,
  firstChildOf,
  localNameOf,
  matches,
  newElement,
  ownAnimationsOf,
  queryAll,
  rectOf,
  rootElementOf,
  rootOf,
  scrollLeftOf,
  scrollTopOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  cleanText,
  exported,
  hasAttr,
  isAlive,
  isElement,
  isText,
  parentOf,
  shadowRootOf,
} from '../dom/dom.js';
import { meetHost } from '../dom/internals.js';
import { idOf, nodeFor, weakly } from '../dom/node-table.js';
import { lookOf } from '../selectors/matching.js';

/**
 * @typedef {object} Around
 * @property {number} id
 * @property {string} look
 * @property {number} width
 * @property {number} height
 */

/**
 * An element as it is now. `box` is left, top, width, height on the page; `around` are the elements that it is in, the nearest
 * first; `fingerprint` tells two pictures apart, of the canvases that the element is or has ("" where there is none, or one may not be
 * read).
 * @typedef {object} Sight
 * @property {string} look
 * @property {number} parent
 * @property {string} parentLook
 * @property {number} index
 * @property {number} siblings
 * @property {string} before
 * @property {number[]} box
 * @property {string} value
 * @property {number} children
 * @property {string} words
 * @property {string} fingerprint
 * @property {boolean} moving
 * @property {Around[]} around
 */

const MOST_AROUND = 4;
const MOST_WORDS = 2000;
/** Elements of a document above which it is not compared: two looks would take as long as the gesture. */
const MOST_COMPARED = 5000;
const MOST_PIXELS = 2_000_000;
const MOST_CANVASES = 4;

/**
 * Return the visible state of an element (see `Sight`); null for one that is gone.
 * @returns {Sight | null}
 */
exported.sight = (id) => {
  const element = nodeFor(id);
  if (!element) return null;
  const parent = parentOf(element);
  const siblings = parent ? [...childrenOf(parent)].filter(isElement) : [];
  const index = siblings.indexOf(element);
  return {
    look: lookOf(element),
    parent: parent ? idOf(parent) : 0,
    parentLook: parent && isElement(parent) ? lookOf(parent) : '',
    index,
    siblings: siblings.length,
    before: index > 0 ? lookOf(siblings[index - 1]) : '',
    box: boxInPage(element),
    value: isSecret(element) ? '' : valueOf(element, contentRole(element), localNameOf(element)),
    children: childElementCountOf(element),
    words: isSecret(element) ? '' : cleanText(textContentOf(element).slice(0, MOST_WORDS)),
    fingerprint: canvasFingerprintsIn(element),
    moving: hasRunningAnimation(element),
    around: [...describeAncestors(element)],
  };
};

/** Return left, top, width and height of an element in the page, in whole pixels. */
function boxInPage(element) {
  const { left, top, width, height } = rectOf(element);
  return [left + scrollX, top + scrollY, width, height].map(Math.round);
}

/** Yield the ancestors of an element, as { id, look, width, height }, nearest first. */
function* describeAncestors(element) {
  let left = MOST_AROUND;
  for (let around = parentOf(element); around && left > 0; around = parentOf(around)) {
    if (!isElement(around) || around === bodyOf(document) || around === rootElementOf(document)) continue;
    left -= 1;
    const [, , width, height] = boxInPage(around);
    yield { id: idOf(around), look: lookOf(around), width, height };
  }
}

/** Whether a transition, or an animation that ends, is running on the element. */
const hasRunningAnimation = (element) =>
  ownAnimationsOf(element).some((animation) =>
    animation.playState === 'running' && animation.effect?.getComputedTiming().endTime !== Infinity
  );

/** Return a number that differs where two pictures do; null where the picture may not be read, or is too large. */
function canvasFingerprint(canvas) {
  if (canvas.width * canvas.height > MOST_PIXELS) return null;
  try {
    return hashText(canvas.toDataURL());
  } catch {
    return null; // a picture of another site
  }
}

/** Return a text that differs where the pictures on an element do; "" where that cannot be told. */
function canvasFingerprintsIn(element) {
  const canvases = localNameOf(element) === 'canvas' ? [element] : [...queryAll(element, 'canvas')];
  if (canvases.length > MOST_CANVASES) return '';
  const prints = canvases.map(canvasFingerprint);
  return prints.includes(null) ? '' : prints.join('/');
}

/** Return two 32-bit sums of a text: FNV-1a, and one with another prime. */
function hashText(text) {
  let [one, other] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < text.length; at++) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193);
    other = Math.imul(other ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return `${one >>> 0}.${other >>> 0}`;
}

/** Return the selected text of the document, shortened. */
exported.selection = () => {
  const selected = cleanText(getSelection()?.toString() ?? '');
  return selected.length > 100 ? `${selected.slice(0, 100)}…` : selected;
};

/**
 * Return a hash of everything that the document shows, to compare before and after a gesture: attributes, boxes, texts, field values,
 * canvases. "" where it cannot be computed: a large document, or a canvas of WebGL or another origin.
 */
exported.pageFingerprint = () => {
  const parts = [];
  return collectTreeState(rootElementOf(document), parts) ? hashText(parts.join('\n')) : '';
};

/** Add the state of an element and all in it to `parts`. Return false where it cannot be told. */
function collectTreeState(element, parts) {
  if (parts.length > MOST_COMPARED) return false;
  const own = collectElementState(element, parts);
  if (!own) return false;
  const shadow = shadowRootOf(element);
  if (!shadow) meetHost(element, localNameOf(element), firstChildOf(element));
  for (const child of [...childrenOf(shadow ?? element)]) {
    if (isText(child)) parts.push(child.data);
    else if (isElement(child) && !collectTreeState(child, parts)) return false;
  }
  return true;
}

/** Add the state of one element to `parts`: attributes, box, scroll position, content. Return false where it cannot be told. */
function collectElementState(element, parts) {
  const name = localNameOf(element);
  if (name === 'canvas') {
    const print = canvasFingerprint(element);
    if (print === null || print === canvasFingerprint(blankLike(element))) return false; // one of WebGL is read as blank
    parts.push(print);
  }
  const attributes = [...attributesOf(element)].map(({ name, value }) => `${name}=${value}`).join(' ');
  const held = fieldState(element, name);
  parts.push(`${name} ${attributes} ${boxInPage(element)} ${scrollTopOf(element)} ${scrollLeftOf(element)} ${held}`);
  return true;
}

/** Return the visible state of a field or a player that no attribute tells. */
function fieldState(element, name) {
  if (name === 'select') return [...element.selectedOptions].map((option) => option.index).join(' ');
  if (name === 'input') return `${element.value} ${element.checked} ${element.indeterminate}`;
  if (name === 'textarea') return element.value;
  const isPlayer = name === 'video' || name === 'audio';
  if (!isPlayer) return '';
  return `${element.paused && element.currentTime} ${element.volume} ${element.muted}`; // what plays goes on by itself
}

/** Return a blank canvas of the same size. */
function blankLike({ width, height }) {
  const blank = newElement(document, 'canvas');
  return Object.assign(blank, { width, height });
}

/** Chromium's own drags that began in this document, and their events: see `dragged`. */
let drags = null;

const DRAGS = ['dragstart', 'dragover', 'drop', 'dragend'];

/** Note from now on how the page handles drags. */
exported.watchDrags = () => {
  for (const type of DRAGS) removeEventListener(type, noteDrag, { capture: true });
  drags = { events: [], over: null, isOfFiles: false };
  for (const type of DRAGS) addEventListener(type, noteDrag, { capture: true });
};

/** Note an event of a drag that Chromium began. */
function noteDrag(event) {
  if (!event.isTrusted) return;
  if (event.type !== 'dragover') {
    drags.events.push(event);
    return;
  }
  drags.over = event;
  drags.isOfFiles = event.dataTransfer.types.includes('Files'); // afterwards it tells nothing any more
}

/**
 * @typedef {object} Dragged
 * @property {boolean} begun
 * @property {boolean} accepts
 * @property {boolean} dropped
 * @property {string} effect
 */

/**
 * Return how the drag went: whether it began and was not prevented, whether the element below accepts it, whether it was dropped, and
 * its effect ("none": refused).
 * @returns {Dragged}
 */
exported.dragged = () => {
  const events = drags?.events ?? [];
  const ended = events.findLast((event) => event.type === 'dragend');
  return {
    begun: events.some((event) => event.type === 'dragstart' && !event.defaultPrevented),
    accepts: drags?.over ? isDropAccepted(drags.over, drags.isOfFiles) : false,
    dropped: events.some((event) => event.type === 'drop'),
    effect: ended?.dataTransfer?.dropEffect ?? '',
  };
};

/** Whether what the pointer is over takes what is dragged: the page says so, or it is a field that takes it by itself. */
function isDropAccepted(over, isOfFiles) {
  if (over.defaultPrevented) return true;
  const at = over.composedPath()[0] ?? over.target;
  if (!at || !isElement(at)) return false;
  return isOfFiles ? matches(at, 'input[type=file]') : Boolean(fillKind(at));
}

// Finds the replacement of a field that the page removed as the field changed, and words that it took out of a field. Pages that draw
// themselves from a state of their own often draw a field anew. Once it is out of the document nothing tells where it was, so its
// place is kept from the last look.

/**
 * Return an element and all that is around it, weakly: once the element is out of the document nothing else tells where it was.
 * @returns {{ element: WeakRef<any>, around: WeakRef<any>[] }}
 */
export const rememberPosition = (element) => ({
  element: weakly(element),
  around: [...ancestorsOf(element)].map(weakly),
});

/** Return the nearest former ancestor of a position that is still there; undefined for none. */
export const nearestRemainingAncestor = (place) =>
  place.around.map((weak) => weak.deref()).find((one) => one && isAlive(one));

/**
 * The place of the field that was looked at last; `ids` has those of the fields that it has replaced. What the field is like is kept
 * beside it, since it may be collected once it is out of the document.
 * @type {(ReturnType<typeof rememberPosition> & { traits: Traits, ids: Set<number> }) | null}
 */
let rememberedField = null;

/** Remember a field and its surroundings before something is done to it. `ids`: those of the fields that it has replaced. */
export function rememberField(element, ids = new Set()) {
  rememberedField = { ...rememberPosition(element), traits: describeTraits(element), ids: ids.add(idOf(element)) };
}

/** Attributes that a field has again when it is drawn anew. */
const TELLING = ['id', 'name', 'aria-label', 'placeholder'];
const HAS_AGAIN = ['type', 'role', ...TELLING];

/** @typedef {{ localName: string, attributes: (string | null)[], isTold: boolean }} Traits */

/**
 * Return what a field has again when a page draws it anew, and whether that tells it from others.
 * @returns {Traits}
 */
const describeTraits = (element) => ({
  localName: localNameOf(element),
  attributes: HAS_AGAIN.map((name) => attr(element, name)),
  isTold: TELLING.some((name) => hasAttr(element, name)),
});

/** Whether an element has the same traits. */
const hasTraits = (traits, other) => HAS_AGAIN.every((name, at) => traits.attributes[at] === attr(other, name));

/**
 * Return the id of the field that the page has drawn in place of a removed one: the only one like it in the former surroundings. Its
 * own id while it is there; 0 for none or several. Only for the field that `rememberField` got last, and its replacements.
 */
function findReplacementField(id) {
  const before = rememberedField?.ids.has(id) ? rememberedField : null;
  const element = before?.element.deref();
  if (!before) return 0;
  if (element && isAlive(element)) return idOf(element);
  const around = nearestRemainingAncestor(before);
  const found = around ? findByTraits(around, before.traits) : null;
  if (!found) return 0;
  rememberField(found, before.ids);
  return idOf(found);
}
exported.replacementFieldOf = findReplacementField;

/**
 * Call another exported function for the current replacement of a field. Return its answer and the id: { node, answer }. In one turn,
 * since the page may draw the field anew between two.
 */
exported.askReplacementField = (id, question) => {
  const node = findReplacementField(id) || id;
  return { node, answer: exported[question](node) };
};

/**
 * Return the one field in a part of the page that has these traits; in all of the page only where something tells it from the others
 * there.
 */
function findByTraits(part, traits) {
  const alike = [...queryAll(part, traits.localName)].filter((other) => hasTraits(traits, other));
  const focused = alike.find((other) => rootOf(other).activeElement === other);
  if (focused || alike.length !== 1) return focused;
  return matches(part, 'body,html') && !traits.isTold ? null : alike[0];
}

/** Return how often each of these words occurs in the displayed text of an element's document, field values apart. */
exported.timesShown = (id, words) => {
  const element = nodeFor(id);
  const text = element ? documentOf(element).body?.innerText.replace(/\s+/g, ' ') ?? '' : '';
  return words.map((word) => text.split(word).length - 1);
};
