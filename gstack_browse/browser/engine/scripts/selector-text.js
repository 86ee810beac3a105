// The words of elements as their markup has them, for selectors: of all that is in an element, shown or not.
//
// As in Playwright: open shadow trees count, a button's value is its text, and scripts and the head have none.

import {
  childElementCountOf,
  containsNode,
  dataOf,
  documentOf,
  firstChildOf,
  headOf,
  localNameOf,
  nodeTypeOf,
  openShadowRootIn,
  parentNodeOf,
  textContentOf,
} from './engine-accessors.js';
import { isElement, isText, siblingsFrom } from './engine-dom.js';

const DEEPEST = 700; // levels: deeper recursion could exhaust the stack
const SAY_NOTHING = new Set(['script', 'noscript', 'style']);

/** Words with a blank for each white space, and none around them. */
const spaced = (text) => text.replace(/[\u200b\u00ad]/g, '').trim().replace(/\s+/g, ' ');

/** Reads elements and remembers what they say: one for each resolution of a selector, since pages change between two. */
class WrittenText {
  constructor() {
    this.known = new Map();
    this.spaced = new Map();
  }

  /** All text in an element or a shadow root, as it stands there. */
  full(node, depth = 0) {
    let text = this.known.get(node);
    if (text === undefined) this.known.set(node, text = this.read(node, depth));
    return text;
  }

  read(node, depth) {
    if (isElement(node)) {
      if (isSilent(node)) return '';
      if (isTextButton(node)) return node.value;
      if (depth > DEEPEST || childElementCountOf(node) === 0 && openShadowRootIn(node) === null)
        return textContentOf(node);
    }
    let text = '';
    for (const child of siblingsFrom(firstChildOf(node))) {
      if (isText(child)) text += dataOf(child);
      else if (isElement(child)) text += this.full(child, depth + 1);
    }
    const shadow = isElement(node) ? openShadowRootIn(node) : null;
    return shadow === null ? text : text + this.full(shadow, depth + 1);
  }

  /** The text in an element or a shadow root, spaced. */
  of(node) {
    let text = this.spaced.get(node);
    if (text === undefined) this.spaced.set(node, text = spaced(this.full(node)));
    return text;
  }

  has(node, lowerCase) {
    return this.of(node).toLowerCase().includes(lowerCase);
  }
}

const isTextButton = (element) =>
  localNameOf(element) === 'input'
  && (element.type === 'submit' || element.type === 'button' || element.type === 'reset');

function isSilent(element) {
  if (SAY_NOTHING.has(localNameOf(element))) return true;
  const parent = parentNodeOf(element);
  if (parent === null || nodeTypeOf(parent) === 11) return false;
  const head = headOf(documentOf(element));
  return head !== null && containsNode(head, element);
}

/** Whether a run of text that stands directly in an element, between two other elements, is just these words. */
function hasRun(element, words) {
  if (isTextButton(element)) return spaced(element.value) === words;
  let run = '';
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isText(child)) run += dataOf(child);
    else if (nodeTypeOf(child) !== 8) {
      if (run && spaced(run) === words) return true;
      run = '';
    }
  }
  return run !== '' && spaced(run) === words;
}

export { DEEPEST, hasRun, isSilent, isTextButton, spaced, WrittenText };
