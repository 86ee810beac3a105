// The text of elements as their markup has it, whether it is shown or not, for `text=`, `label=` and `:has-text()`.
//
// As in Playwright: open shadow trees count, the text of an `<input type=submit>` is its value, and scripts, styles and the head have none.

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

export const MAX_TEXT_DEPTH = 700; // levels: deeper recursion could exhaust the stack
const TAGS_WITHOUT_TEXT = new Set(['script', 'noscript', 'style']);

/** A text with one space for each run of white space, none around it, and without zero-width spaces and soft hyphens. */
export const normaliseSpace = (text) => text.replace(/[\u200b\u00ad]/g, '').trim().replace(/\s+/g, ' ');

/** Reads and caches the text of elements. Lives as long as one resolution of a selector, since the page changes after it. */
export class WrittenText {
  constructor() {
    this.fullTexts = new Map();
    this.normalisedTexts = new Map();
  }

  /** All text in an element or a shadow root, with its white space. */
  full(node, depth = 0) {
    let text = this.fullTexts.get(node);
    if (text === undefined) this.fullTexts.set(node, text = this.read(node, depth));
    return text;
  }

  read(node, depth) {
    if (isElement(node)) {
      if (hasNoText(node)) return '';
      if (isTextButton(node)) return node.value;
      if (depth > MAX_TEXT_DEPTH || childElementCountOf(node) === 0 && openShadowRootIn(node) === null)
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

  /** All text in an element or a shadow root, with white space normalised. */
  normalised(node) {
    let text = this.normalisedTexts.get(node);
    if (text === undefined) this.normalisedTexts.set(node, text = normaliseSpace(this.full(node)));
    return text;
  }

  /** Whether the text contains words, which are in lower case and normalised. */
  contains(node, lowerCase) {
    return this.normalised(node).toLowerCase().includes(lowerCase);
  }
}

/** Whether an element is an `<input>` that shows its value as its caption. */
export const isTextButton = (element) =>
  localNameOf(element) === 'input'
  && (element.type === 'submit' || element.type === 'button' || element.type === 'reset');

/** Whether the text of an element does not count: a script or style, or in the head. */
export function hasNoText(element) {
  if (TAGS_WITHOUT_TEXT.has(localNameOf(element))) return true;
  const parent = parentNodeOf(element);
  if (parent === null || nodeTypeOf(parent) === 11) return false;
  const head = headOf(documentOf(element));
  return head !== null && containsNode(head, element);
}

/** Whether the text of an element between two of its children (or a child and its start or end) is equal to `words`. */
export function hasTextRun(element, words) {
  if (isTextButton(element)) return normaliseSpace(element.value) === words;
  let run = '';
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isText(child)) run += dataOf(child);
    else if (nodeTypeOf(child) !== 8) { // comments do not end a run
      if (run && normaliseSpace(run) === words) return true;
      run = '';
    }
  }
  return run !== '' && normaliseSpace(run) === words;
}
