// Finds out what an action has changed: compares the visible state of an element and of its page before and after a gesture, finds the
// replacement of a field that the page removed, and lists new messages of the page.

import { isSecret } from '../accname/states.js';
import { contentRole, fillKind, valueOf } from '../accname/values.js';
import {
  attributesOf,
  bodyOf,
  childElementCountOf,
  documentOf,
  firstChildOf,
  innerTextOf,
  isRendered,
  localNameOf,
  matches,
  newElement,
  ownAnimationsOf,
  queryAll,
  queryInDocument,
  queryOne,
  rectOf,
  rootElementOf,
  rootOf,
  scrollLeftOf,
  scrollTopOf,
  textContentOf,
  WITH_VISIBILITY,
} from '../dom/accessors.js';
import {
  attr,
  childrenOf,
  cleanText,
  containsInFlatTree,
  exported,
  hasAttr,
  isAlive,
  isElement,
  isText,
  parentOf,
  shadowRootOf,
} from '../dom/dom.js';
import { noteHostCandidate } from '../dom/internals.js';
import { idOf, nearestRemainingAncestor, nodeFor, rememberPosition } from '../dom/node-table.js';
import { pause } from '../dom/turns.js';
import { hitAt } from '../layout/hit-testing.js';
import { briefDescriptionOf } from '../selectors/matching.js';

const MAX_ANCESTORS = 4;
const MAX_TEXT = 2000;
// A document with more elements is not compared: that would take longer than the gesture.
const MAX_COMPARED_ELEMENTS = 5000;
const MAX_CANVAS_PIXELS = 2_000_000;
const MAX_CANVASES = 4;

/**
 * Return what is seen of an element, to compare it before and after an action: its description, box, text and value, its place among its
 * siblings, its ancestors, a hash of its canvases (see `VisualState`). Null for one that is gone.
 * @returns {VisualState | null}
 */
exported.readVisualState = (id) => {
  const element = nodeFor(id);
  if (!element) return null;
  return {
    description: briefDescriptionOf(element),
    ...placeOf(element),
    box: boxInPage(element),
    value: isSecret(element) ? '' : valueOf(element, contentRole(element), localNameOf(element)),
    children: childElementCountOf(element),
    words: isSecret(element) ? '' : cleanText(textContentOf(element).slice(0, MAX_TEXT)),
    fingerprint: hashCanvasesIn(element),
    moving: hasRunningAnimation(element),
    around: [...describeAncestors(element)],
  };
};

/**
 * Return the parent of an element and its position among its siblings.
 * @returns {Place}
 */
function placeOf(element) {
  const parent = parentOf(element);
  const siblings = parent ? [...childrenOf(parent)].filter(isElement) : [];
  const index = siblings.indexOf(element);
  return {
    parent: parent ? idOf(parent) : 0,
    parentDescription: parent && isElement(parent) ? briefDescriptionOf(parent) : '',
    index,
    siblings: siblings.length,
    before: index > 0 ? briefDescriptionOf(siblings[index - 1]) : '',
  };
}

/** Describe the topmost element at a point of the window, in CSS pixels; "" for none. */
exported.describeElementAt = (x, y) => {
  const hit = hitAt(x, y);
  return hit ? briefDescriptionOf(hit) : '';
};

/** Return [left, top, width, height] of an element on the page, independent of its scroll position, in whole CSS pixels. */
function boxInPage(element) {
  const { left, top, width, height } = rectOf(element);
  return [left + scrollX, top + scrollY, width, height].map(Math.round);
}

/** Yield the four nearest ancestors of an element below the body, as `Around`. */
function* describeAncestors(element) {
  let left = MAX_ANCESTORS;
  for (let around = parentOf(element); around && left > 0; around = parentOf(around)) {
    if (!isElement(around) || around === bodyOf(document) || around === rootElementOf(document)) continue;
    left -= 1;
    const [, , width, height] = boxInPage(around);
    yield { id: idOf(around), description: briefDescriptionOf(around), width, height, ...placeOf(around) };
  }
}

/** Return whether a transition, or an animation that is not endless, is running on the element. */
const hasRunningAnimation = (element) =>
  ownAnimationsOf(element).some((animation) =>
    animation.playState === 'running' && animation.effect?.getComputedTiming().endTime !== Infinity
  );

/** Return a hash of the picture on a `<canvas>`; null if it shows an image of another origin, or is too large. */
function hashCanvas(canvas) {
  if (canvas.width * canvas.height > MAX_CANVAS_PIXELS) return null;
  try {
    return hashText(canvas.toDataURL());
  } catch {
    return null; // it shows an image of another origin
  }
}

/**
 * Return the hashes of the canvases that an element is or has, joined by "/". Return "" for none, for more than MAX_CANVASES, or if one
 * cannot be read.
 */
function hashCanvasesIn(element) {
  const canvases = localNameOf(element) === 'canvas' ? [element] : [...queryAll(element, 'canvas')];
  if (canvases.length > MAX_CANVASES) return '';
  const prints = canvases.map(hashCanvas);
  return prints.includes(null) ? '' : prints.join('/');
}

/** Return a hash of a text: two 32-bit FNV-1a sums with different primes. */
function hashText(text) {
  let [one, other] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < text.length; at++) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193);
    other = Math.imul(other ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return `${one >>> 0}.${other >>> 0}`;
}

/** Return the selected text of the document, cut after 100 characters. */
exported.readSelectedText = () => {
  const selected = cleanText(getSelection()?.toString() ?? '');
  return selected.length > 100 ? `${selected.slice(0, 100)}…` : selected;
};

/**
 * Return a hash of everything that the document shows, to compare before and after a gesture: attributes, boxes, texts, field values,
 * canvases. "" where it cannot be computed: a large document, or a canvas of WebGL or another origin.
 */
exported.computePageFingerprint = () => {
  const parts = [];
  return collectTreeState(rootElementOf(document), parts) ? hashText(parts.join('\n')) : '';
};

/**
 * Add the visible state of an element and its descendants to the array `parts`, as texts. Return false for a canvas that cannot be read, or
 * for more than MAX_COMPARED_ELEMENTS texts.
 */
function collectTreeState(element, parts) {
  if (parts.length > MAX_COMPARED_ELEMENTS) return false;
  if (!collectElementState(element, parts)) return false;
  const shadow = shadowRootOf(element);
  if (!shadow) noteHostCandidate(element, localNameOf(element), firstChildOf(element));
  for (const child of [...childrenOf(shadow ?? element)]) {
    if (isText(child)) parts.push(child.data);
    else if (isElement(child) && !collectTreeState(child, parts)) return false;
  }
  return true;
}

/**
 * Add attributes, box, scroll position and field value of one element to `parts`, as text. Return false for a canvas that cannot be read.
 */
function collectElementState(element, parts) {
  const name = localNameOf(element);
  if (name === 'canvas') {
    const print = hashCanvas(element);
    if (print === null || print === hashCanvas(createBlankLike(element))) return false; // WebGL canvases read as blank
    parts.push(print);
  }
  const attributes = [...attributesOf(element)].map(({ name, value }) => `${name}=${value}`).join(' ');
  const state = fieldState(element, name);
  parts.push(`${name} ${attributes} ${boxInPage(element)} ${scrollTopOf(element)} ${scrollLeftOf(element)} ${state}`);
  return true;
}

/** Return as one text what a field or media element holds outside of its attributes: value, checked, paused; "" for others. `name`: its tag. */
function fieldState(element, name) {
  if (name === 'select') return [...element.selectedOptions].map((option) => option.index).join(' ');
  if (name === 'input') return `${element.value} ${element.checked} ${element.indeterminate}`;
  if (name === 'textarea') return element.value;
  const isPlayer = name === 'video' || name === 'audio';
  if (!isPlayer) return '';
  return `${element.paused && element.currentTime} ${element.volume} ${element.muted}`; // the time of a playing one changes by itself
}

/** Create a blank canvas of the size of another one. */
function createBlankLike({ width, height }) {
  const blank = newElement(document, 'canvas');
  return Object.assign(blank, { width, height });
}

// Events of the browser's own drags in this document since `watchDrags`: { events, over (the last dragover), isOfFiles, source: the only
// element that may be dragged, missed: the drag of another one was prevented }.
let drags = null;

const DRAG_EVENTS = ['dragstart', 'dragover', 'drop', 'dragend'];

/**
 * Record the events of the browser's own drags (drag and drop of HTML) from now on, for `readDragOutcome`. Prevent a drag of any element
 * but that of `id`.
 */
exported.watchDrags = (id) => {
  for (const type of DRAG_EVENTS) removeEventListener(type, noteDragEvent, { capture: true });
  drags = { events: [], over: null, isOfFiles: false, source: nodeFor(id), missed: false };
  for (const type of DRAG_EVENTS) addEventListener(type, noteDragEvent, { capture: true });
};

/** Record an event of one of the browser's own drags. Prevent a drag of another element than the one to be dragged. */
function noteDragEvent(event) {
  if (!event.isTrusted) return;
  if (event.type === 'dragstart' && !isDragOf(drags.source, event)) {
    drags.missed = true;
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  if (event.type !== 'dragover') {
    drags.events.push(event);
    return;
  }
  drags.over = event;
  drags.isOfFiles = event.dataTransfer.types.includes('Files'); // cannot be read after the event
}

/**
 * Return whether a `dragstart` event is for an element (`source`), one around it or one in it. It is for another one if the page has moved
 * or removed the element since the press. Always true without a `source`.
 */
function isDragOf(source, event) {
  const [target] = event.composedPath();
  return source === null || containsInFlatTree(target, source) || containsInFlatTree(source, target);
}

/**
 * Return how the browser's own drag has gone since `watchDrags`: { begun: it began and was not prevented, accepts: the element under the
 * pointer accepts it, dropped: it was dropped, effect: its `dropEffect` ("none": refused; "": it has not ended), missed: the drag of
 * another element was prevented }.
 * @returns {Dragged}
 */
exported.readDragOutcome = () => {
  const events = drags?.events ?? [];
  const ended = events.findLast((event) => event.type === 'dragend');
  return {
    begun: events.some((event) => event.type === 'dragstart' && !event.defaultPrevented),
    accepts: drags?.over ? isDropAccepted(drags.over, drags.isOfFiles) : false,
    dropped: events.some((event) => event.type === 'drop'),
    effect: ended?.dataTransfer?.dropEffect ?? '',
    missed: drags?.missed ?? false,
  };
};

/**
 * Return whether the target of a `dragover` event (`over`) accepts the drop: the page has prevented the event, or it is a field for text
 * or, if files are dragged (`isOfFiles`), for files.
 */
function isDropAccepted(over, isOfFiles) {
  if (over.defaultPrevented) return true;
  const target = over.composedPath()[0] ?? over.target;
  if (!target || !isElement(target)) return false;
  return isOfFiles ? matches(target, 'input[type=file]') : Boolean(fillKind(target));
}

// Find the replacement of a field. Pages that render from a state of their own often replace a field as its value changes. A removed
// element has no parent, so its position is remembered before each action.

/**
 * Position and traits of the last field of `rememberField`. `ids`: its own id and those of the fields that it has replaced.
 * @type {(ReturnType<typeof rememberPosition> & { traits: Traits, ids: Set<number> }) | null}
 */
let rememberedField = null;

/**
 * Remember position and attributes of a field before an action, for `findReplacementField`. `ids`: those of the fields that it has
 * replaced.
 */
export function rememberField(element, ids = new Set()) {
  rememberedField = { ...rememberPosition(element), traits: describeTraits(element), ids: ids.add(idOf(element)) };
}

// Attributes by which a field differs from others.
const IDENTIFYING_ATTRIBUTES = ['id', 'name', 'aria-label', 'placeholder'];
// Attributes that a field has again when it is drawn anew.
const REDRAWN_ATTRIBUTES = ['type', 'role', ...IDENTIFYING_ATTRIBUTES];

/**
 * Return what a field has in common with one that replaces it: { localName, attributes: values of REDRAWN_ATTRIBUTES, isIdentified: whether
 * these tell it from other fields }.
 * @returns {Traits}
 */
const describeTraits = (element) => ({
  localName: localNameOf(element),
  attributes: REDRAWN_ATTRIBUTES.map((name) => attr(element, name)),
  isIdentified: IDENTIFYING_ATTRIBUTES.some((name) => hasAttr(element, name)),
});

/** Return whether the element `other` has the same attributes as the field that `traits` (`Traits`) describe. */
const matchesTraits = (traits, other) =>
  REDRAWN_ATTRIBUTES.every((name, at) => traits.attributes[at] === attr(other, name));

/**
 * Return the id of the field by which the page has replaced a removed one: the only one with its attributes in the nearest remaining
 * ancestor. The same id while the field is there; 0 for none or several, and for any but the last field of `rememberField`.
 */
function findReplacementField(id) {
  const before = rememberedField?.ids.has(id) ? rememberedField : null;
  const element = before?.element.deref();
  if (!before) return 0;
  if (element && isAlive(element)) return idOf(element);
  const around = nearestRemainingAncestor(before);
  const found = around ? findFieldByTraits(around, before.traits) : null;
  if (!found) return 0;
  rememberField(found, before.ids);
  return idOf(found);
}
exported.findReplacementField = findReplacementField;

/**
 * Call the engine's function `functionName` on the field that has replaced the field `id`, or on `id` itself if none has. Return { node: id
 * of the field, answer: the result of the function }.
 */
exported.callOnReplacementField = (id, functionName) => {
  const node = findReplacementField(id) || id;
  return { node, answer: exported[functionName](node) };
};

/**
 * Return the field in the element `part` that has these `Traits`: the focused or only one; null or undefined for none or several. In the
 * whole body only if the traits identify the field.
 */
function findFieldByTraits(part, traits) {
  const alike = [...queryAll(part, traits.localName)].filter((other) => matchesTraits(traits, other));
  const focused = alike.find((other) => rootOf(other).activeElement === other);
  if (focused || alike.length !== 1) return focused;
  return matches(part, 'body,html') && !traits.isIdentified ? null : alike[0];
}

/**
 * Return for each of `words` how often it occurs in the displayed text of an element's document, values of fields not included: an array of
 * numbers, all 0 if the element is gone.
 */
exported.countOccurrences = (id, words) => {
  const element = nodeFor(id);
  const text = element ? documentOf(element).body?.innerText.replace(/\s+/g, ' ') ?? '' : '';
  return words.map((word) => text.split(word).length - 1);
};

// Messages of the page: new texts in its live regions, which are alerts, status lines and the like.

const REGIONS = '[role=alert i],[role=status i],[aria-live=polite i],[aria-live=assertive i]';
const MOST_REGIONS = 50;
const MAX_MESSAGE = 300; // characters

// Live region → its text before the action.
let textsBefore = new WeakMap();

/** Return the texts that the live regions of this document show now, and remember them: later calls tell which are new. */
exported.rememberLiveTexts = () => {
  const texts = mapLiveTexts();
  textsBefore = new WeakMap(texts);
  return [...texts.values()];
};

/**
 * Return the texts of live regions that are new since `rememberLiveTexts`, in document order: by element and text, since a page may draw
 * the same message once more.
 * @returns {string[]}
 */
export const findNewLiveTexts = () =>
  [...mapLiveTexts()].filter(([region, text]) => textsBefore.get(region) !== text).map(([, text]) => text);

/** Wait until the page has ended its turn. Return the texts of live regions that are new then, since `rememberLiveTexts`. */
exported.awaitLiveTexts = () => pause(0).then(findNewLiveTexts);

/**
 * Map the innermost visible live regions to their texts. Left out are regions longer than a message (a log, a slide show), regions for
 * screen readers only, those with a list to choose from (the head of a calendar), and `<output>`: it shows a result, not a message.
 */
function mapLiveTexts() {
  const found = new Map();
  for (const region of [...queryInDocument(document, REGIONS)].slice(0, MOST_REGIONS)) {
    const { length } = textContentOf(region).trim(); // markup may be indented by many blanks
    if (!length || length > 10 * MAX_MESSAGE || !(region instanceof HTMLElement)) continue;
    if (queryOne(region, `${REGIONS},select`) || !isShown(region)) continue;
    const text = cleanText(innerTextOf(region));
    if (text && text.length <= MAX_MESSAGE) found.set(region, text);
  }
  return found;
}

/** Return whether an element has a box that a person can see. What fades in has one from the start. */
function isShown(element) {
  if (!isRendered.call(element, WITH_VISIBILITY)) return false;
  const { width, height } = rectOf(element);
  return width > 1 && height > 1;
}

// Types.

/**
 * Where an element stands: `index` among `siblings` elements, `before`: description of the sibling before it, "" for none.
 * @typedef {{ parent: number, parentDescription: string, index: number, siblings: number, before: string }} Place
 */

/**
 * @typedef {{ id: number, description: string, width: number, height: number, parent: number, parentDescription: string, index: number,
 *   siblings: number, before: string }} Around
 */

/**
 * What can be seen of an element. `description`, `parentDescription`, `before`: `briefDescriptionOf` it, its parent and the sibling before
 * it; `index`: its position among `siblings` elements; `box`: [left, top, width, height] on the page; `around`: its ancestors, the
 * nearest first; `fingerprint`: a hash of the canvases that it is or has ("" for none, or if one may not be read).
 * @typedef {{ description: string, parent: number, parentDescription: string, index: number, siblings: number, before: string,
 *   box: number[], value: string, children: number, words: string, fingerprint: string, moving: boolean, around: Around[] }} VisualState
 */

/** @typedef {{ begun: boolean, accepts: boolean, dropped: boolean, effect: string, missed: boolean }} Dragged */

/** @typedef {{ localName: string, attributes: (string | null)[], isIdentified: boolean }} Traits */
