// Finds the element that keeps a press from another one, and whether it is likely to go away by itself. Changes nothing.

import { matches, ownAnimationsOf, queryAll, readyStateOf, rectOf, textContentOf } from './engine-accessors.js';
import { ancestorsOf, attr, cleanText, hasAttr, isElement, parentOf, shadowRootOf } from './engine-dom.js';
import { isRendered, styleOf } from './engine-hidden.js';
import { allInTree, holds, slotOf } from './hits.js';

const MOST_LOOKED_AT = 5000;

/** Words by which pages mark that they are busy, in classes and ids, and say so in a short text. */
const BUSY_WORDS =
  /(?<!up|down|lazy|pre)load(?!ed)|spin(?!e)|busy|progress|please wait|\bwait\b|skeleton|blockui|saving|updating|processing/i;
const BUSY_ELEMENTS = 'progress,[role=progressbar],[aria-busy=true],animate,animateTransform,animateMotion';
const MOST_SAID = 200;

const serials = new WeakMap();
let lastSerial = 0;

/** A number for a node that no other node has. */
function serialOf(node) {
  if (!serials.has(node)) serials.set(node, ++lastSerial);
  return serials.get(node);
}

/** The element in front as a whole: the outermost one around what was hit that does not hold the covered element. */
function layerOf(hit, element) {
  let layer = hit;
  for (let outer = layer; outer && !holds(outer, element); outer = slotOf(outer) || parentOf(outer)) layer = outer;
  return layer;
}

/** A key that changes when the cover does: its identity, the places of it and of the element, and its text. */
export function coverKey(element, hit) {
  const layer = layerOf(hit, element);
  const places = [hit, layer, element].flatMap((node) => {
    const box = rectOf(node);
    return [serialOf(node), Math.round(box.left), Math.round(box.top), Math.round(box.width), Math.round(box.height)];
  });
  return [...places, ...opacities(hit, layer), cleanText(textContentOf(layer).slice(0, 1000))].join(' ');
}

/** How far a cover has faded, whichever of its elements a script fades: those from what was hit out to the layer. */
function opacities(hit, layer) {
  const found = [];
  for (let node = hit; node; node = node === layer ? null : slotOf(node) || parentOf(node))
    if (isElement(node)) found.push(styleOf(node).opacity);
  return found;
}

/** Whether a cover shows that the page is at work: the document loads, something in the cover moves or says so, or the part below it says so. */
export function isBusyCover(element, hit) {
  if (readyStateOf(document) !== 'complete') return true;
  const layer = layerOf(hit, element);
  const carriers = [layer, ...ancestorsOf(layer), ...ancestorsOf(element)];
  if (carriers.some((carrier) => attr(carrier, 'aria-busy') === 'true' || ownAnimationsOf(carrier).some(isRunning)))
    return true;
  const said = cleanText(textContentOf(layer).slice(0, 10 * MOST_SAID));
  if (said.length <= MOST_SAID && BUSY_WORDS.test(said)) return true;
  return isMarkedBusy(layer) || [...treesIn(layer)].some((tree) => isBusyTree(tree));
}

const isRunning = (animation) => animation.playState === 'running';

function isMarkedBusy(element) {
  return matches(element, BUSY_ELEMENTS)
    || BUSY_WORDS.test(`${attr(element, 'class') || ''} ${attr(element, 'id') || ''}`);
}

/** Whether anything in a tree, of an element or a shadow root, is marked as busy or animated. */
function isBusyTree(tree) {
  if (isElement(tree) ? tree.getAnimations({ subtree: true }).some(isRunning) : tree.getAnimations().some(isRunning))
    return true;
  const inside = isElement(tree) ? queryAll(tree, '*') : allInTree(tree, '*');
  return inside.length <= MOST_LOOKED_AT && [...inside].some(isMarkedBusy);
}

/** The modal that keeps a person from an element of which nothing can be hit, or what makes it inert; null where it can be got at. */
export function blockerOf(element, hit) {
  for (const outer of [element, ...ancestorsOf(element)]) if (hasAttr(outer, 'inert')) return outer;
  const modals = [...treesIn(document)].flatMap((tree) => allInTree(tree, 'dialog:modal,[aria-modal=true]'));
  const blocks = (modal) =>
    !holds(modal, element) && (matches(modal, 'dialog:modal') || (hit !== null && rectOf(modal).width > 0));
  return modals.filter((modal) => isRendered.call(modal, { visibilityProperty: true }) && blocks(modal)).pop() || null;
}

/** A tree and the shadow trees in it, as deep as they go. `root`: a document, a shadow root or an element. */
export function* treesIn(root) {
  yield root;
  const inside = isElement(root) ? [root, ...queryAll(root, '*')] : allInTree(root, '*');
  for (const element of inside) {
    const inner = shadowRootOf(element);
    if (inner) yield* treesIn(inner);
  }
}
