// Finds an element and asks a question about it, in one round trip from Python.

import { documentOf } from '../dom/accessors.js';
import { exported } from '../dom/dom.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { identifyElement } from './identity.js';
import { briefDescriptionOf, chooseBestMatches, describeMatches, findTextAround, pickVisible } from './matching.js';
import { hasPrintedTexts, rememberRecordOf } from './records.js';
import { resolveSelector } from './selectors.js';

// A selector that picks an element by its position among siblings.
const HAS_POSITION = /:nth-of-type\(/;

// Functions that are called before an action: the record around the element is remembered then.
const QUESTIONS_BEFORE_ACTIONS = new Set(['probeElement', 'findFieldToFill']);

/**
 * Find an element and call a function of the engine with its id, in one round trip.
 *
 * `target` is `{ selector, first, within }` (`within`: the id of a node to search in, or 0), or for a ref `{ node, printed }` (`printed`:
 * before an action, the `PrintedRecord` around the node; `judged`: Python has compared the record with that, so it stays remembered as it
 * was then).
 * `functionName`: that of an exported function. The result is one of:
 *
 * - `{ id, answer, part, identity, around }`: `answer` is the result of `exported[functionName](id, ...args)`; `part` describes the element
 *   if the words of the selector are only a part of its text, else it is ""; `identity`: what identifies the element (identity.js), with
 *   `target.identify` (1, or 2 for more of it); `around`: its `findTextAround`, if the selector in `identity` has an `:nth-of-type()`.
 * - `{ id, changed }`: the record's text differs from the printed one; the function was not called.
 * - `{ matches }`, described: the selector does not match exactly one element, or with `first` none.
 * - null: a node is not in this document.
 */
function findAndCall(target, functionName, ...args) {
  let element = null;
  let part = '';
  let isOnlyMatchOfText = false;
  const nodeId = target.node || target.within;
  const node = nodeId ? nodeFor(nodeId) : document;
  if (nodeId && (!node || documentOf(node) !== document)) return null;
  if (target.node) element = node;
  else {
    const resolved = resolveSelector(target.selector, node);
    const { elements, parts } = chooseBestMatches(resolved);
    element = pickVisible(elements, target.first);
    isOnlyMatchOfText = resolved.criterion !== null && resolved.found.length === 1 && !nodeId
      && !target.selector.includes('>>');
    if (!element) return { matches: describeMatches(elements) };
    if (!target.first && parts.has(element)) part = briefDescriptionOf(element);
  }
  const id = idOf(element);
  const described = target.identify ? identifyElement(id, target.identify > 1) : undefined;
  // The element is the only one with its text on the page. That is noted before the action, which may add another: to open a file
  // adds a tab of the same name.
  if (described && isOnlyMatchOfText && target.identify === 1)
    Object.assign(described, { order: [1, 1], complete: true });
  const around = HAS_POSITION.test(described?.selector ?? '') ? findTextAround(element) : undefined;
  const isChanged = target.printed && !hasPrintedTexts(element, target.printed);
  if (isChanged || QUESTIONS_BEFORE_ACTIONS.has(functionName) && !target.judged) rememberRecordOf(element);
  if (isChanged) return { id, changed: true };
  return { id, identity: described, around, answer: exported[functionName](id, ...args), part };
}

exported.findAndCall = findAndCall;

/** Call `findAndCall` with each of several lists of its arguments. Return the answers, null for each call that failed. */
export const findAndCallEach = (questions) =>
  questions.map((question) => {
    try {
      return findAndCall(...question);
    } catch {
      return null;
    }
  });

exported.findAndCallEach = findAndCallEach;
