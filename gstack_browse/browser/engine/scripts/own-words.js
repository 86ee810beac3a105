// A thing that is clicked and has controls in it: a card, a row, a chip, a branch of a tree. A press on it is meant for the
// thing, so where its middle belongs to one of those controls a person presses on its own words.

import { dataOf, matches, newRange, rectOf, scrollIntoView, textContentOf } from './engine-accessors.js';
import { ancestorsOf, attr, childrenOf, hasAttr, isElement, parentOf } from './engine-dom.js';
import { roleOf } from './engine-roles.js';
import { styleOf } from './engine-hidden.js';
import { kindOf } from './engine-kinds.js';
import { listensForClicks } from './engine-clickable.js';
import { REMOVES } from './engine-hints.js';

const KEEPS_A_PRESS =
  'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=switch],[role=radio],[role=menuitem],'
  + '[role=tab],[role=option],[role=treeitem],[onclick],[tabindex]:not([tabindex="-1"])';
const MOST_NODES_INSIDE = 200;
const MOST_OWN_WORDS = 6;

const MOST_OF_A_CROSS = 32; // pixels
const CROSS_SAYS = ['class', 'title', 'aria-label', 'data-testid'];

/** Whether an element is what removes the thing that it stands in, as the cross of a chip: small, without words, and called so. */
function isCross(element) {
  if (!CROSS_SAYS.some((name) => REMOVES.test(attr(element, name) ?? ''))) return false;
  const { width, height } = rectOf(element);
  return width <= MOST_OF_A_CROSS && height <= MOST_OF_A_CROSS && !/[\p{L}\d]{2}/u.test(textContentOf(element));
}

const keepsPress = (element) => matches(element, KEEPS_A_PRESS) || isCross(element);

/** The control inside of an element that a press on `hit` belongs to, or null. */
export const controlAround = (element, hit) => partAround(element, hit, keepsPress);

/** The cross inside of an element that a press on `hit` belongs to, or null. */
export const crossAround = (element, hit) => partAround(element, hit, isCross);

function partAround(element, hit, isSuch) {
  if (hit === element) return null;
  let part = isElement(hit) && isSuch(hit) ? hit : null;
  for (const around of ancestorsOf(hit)) {
    if (around === element) return part;
    if (part === null && isSuch(around)) part = around;
  }
  return null;
}

/** Whether an element does something by itself when it is pressed, as far as can be seen. */
function isPressedItself(element) {
  if (kindOf(roleOf(element)).operable || hasAttr(element, 'onclick') || listensForClicks(element)) return true;
  const parent = parentOf(element);
  return styleOf(element).cursor === 'pointer' && (parent === null || styleOf(parent).cursor !== 'pointer');
}

/** Texts of an element that stand in no control of their own, the first few. */
function ownWordsOf(element) {
  const found = [];
  const waiting = [element];
  for (let read = 0; waiting.length && found.length < MOST_OWN_WORDS && read < MOST_NODES_INSIDE; read++) {
    const node = waiting.pop();
    if (!isElement(node)) {
      if (dataOf(node)?.trim()) found.push(node);
    } else if (node === element || !keepsPress(node) && attr(node, 'aria-hidden') !== 'true')
      waiting.push(...[...childrenOf(node)].reverse());
  }
  return found;
}

/** The own words of an element that is pressed itself; none if it is only a frame around a control, or does nothing by itself. */
export const wordsToPress = (element) => isPressedItself(element) ? ownWordsOf(element) : [];

/** Scroll to the words of an element. One that is taller than half the window mostly begins with its words. */
function revealWords(around) {
  const block = rectOf(around).height > innerHeight / 2 ? 'start' : 'center';
  scrollIntoView(around, { block, inline: 'nearest', behavior: 'instant' });
}

/** The middle of the first line of a text, scrolled to where that is asked for. */
export function middleOfWords(text, scroll) {
  if (scroll) revealWords(parentOf(text));
  const range = newRange(document);
  range.selectNodeContents(text);
  const box = range.getClientRects()[0];
  return box ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : { x: -1, y: -1 };
}
