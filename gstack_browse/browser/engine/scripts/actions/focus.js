// Set the focus and the selection of text, and read them back.

import { isSecret } from '../accname/states.js';
import {
  bodyOf,
  dataOf,
  focusOn,
  isContentEditable,
  listenOn,
  localNameOf,
  matches,
  newRange,
  newTreeWalker,
  rootOf,
} from '../dom/accessors.js';
import { containsInFlatTree, exported, focusedIn, isAlive } from '../dom/dom.js';
import { nodeFor } from '../dom/node-table.js';
import { runsScripts } from '../dom/turns.js';
import { briefDescriptionOf } from '../selectors/matching.js';

/**
 * Focus an element. Return { focused: whether it or an element in it has the focus then, other: description of the focused element, "" for
 * none }; null for an element that is gone.
 * @returns {{ focused: boolean, other: string } | null}
 */
exported.focusElement = (id) => {
  const element = nodeFor(id);
  if (!element) return null;
  focusOn(element);
  const active = isAlive(element) ? focusedIn(document) : null;
  const focused = active !== null && containsInFlatTree(element, active);
  return { focused, other: active && active !== bodyOf(document) ? briefDescriptionOf(active) : '' };
};

/** Remove the focus from the focused element of this document. Return the element's description; "" if none has lost the focus. */
exported.blurFocused = () => {
  const focused = focusedIn(document);
  if (!focused || focused === bodyOf(document) || matches(focused, 'iframe,frame')) return '';
  const description = briefDescriptionOf(focused);
  focused.blur();
  return focusedIn(document) === focused ? '' : description;
};

/**
 * Leave the full screen, as the browser itself does at Escape where it has a window. Return whether an element filled the screen.
 * @returns {Promise<boolean>}
 */
exported.leaveFullscreen = async () => {
  if (!document.fullscreenElement) return false;
  await document.exitFullscreen();
  return true;
};

/**
 * Remove the focus from the field that has it, unless that is the element itself. A press on the element would do so, too, and some pages
 * enable a button only at the `change` or `blur` of a field. Return whether a field has lost the focus.
 */
exported.blurOtherField = (id) => {
  const focused = focusedIn(document);
  if (!focused || focused === nodeFor(id) || !matches(focused, 'input,textarea,select')) return false;
  focused.blur();
  return focusedIn(document) !== focused;
};

/**
 * Select the text of an element from the beginning of the word `first` to the end of the word `last`; null stands for the start or end of
 * the text. Return { text: the selected text, missing: a word that the element does not have, content: how its text begins in that case,
 * secret: whether the text must not be printed }; null for an element that is gone.
 * @returns {Promise<Selected | null>}
 */
exported.selectText = async (id, first, last) => {
  const element = nodeFor(id);
  if (!element) return null;
  const isField = matches(element, 'input,textarea');
  const text = isField ? element.value : selectableTextOf(element);
  const secret = isField && isSecret(element);
  const start = first === null ? 0 : text.indexOf(first);
  const missing = start < 0 ? first : last !== null && text.indexOf(last, start) < 0 ? last : '';
  if (missing) return { text: '', missing, content: secret ? '' : text.trim().slice(0, 200), secret };
  const end = last === null ? text.length : text.indexOf(last, start) + last.length;
  const handled = waitForSelectionHandled();
  if (isField) selectInField(element, start, end);
  else selectInText(element, start, end);
  await handled;
  return {
    text: isField ? selectedTextInField(element) : selectedTextInElement(element),
    missing: '',
    content: '',
    secret,
  };
};

const SELECTION_TIMEOUT_MS = 100; // a selection that stays the same fires no event
const READ_DELAY_MS = 5; // editors read the selection in a timer after the event

/** Wait until the page has handled the next `selectionchange` event, and has had 5 ms to read the selection; 100 ms at most without one. */
function waitForSelectionHandled() {
  if (!runsScripts()) return Promise.resolve();
  return new Promise((done) => {
    /** Resolve the promise after the page has had time to read the selection. */
    const resolveSoon = () => setTimeout(done, READ_DELAY_MS);
    setTimeout(resolveSoon, SELECTION_TIMEOUT_MS);
    listenOn(document, 'selectionchange', resolveSoon, { capture: true, once: true });
  });
}

/** Focus a field or editor before its text is selected; do nothing for any other element. Return whether the focus has moved. */
exported.focusForSelection = (id) => {
  const element = nodeFor(id);
  if (!element || !(matches(element, 'input,textarea') || isContentEditable(element))) return false;
  const before = focusedIn(document);
  focusOn(element);
  return focusedIn(document) !== before;
};

/** Return the selected text of a field; all of it for a type without a readable selection, such as a number. */
const selectedTextInField = (field) =>
  field.selectionStart === null ? field.value : field.value.slice(field.selectionStart, field.selectionEnd);

/** Return the selected text in the shadow tree of an element; in the document if it is in none, or nothing is selected there. */
function selectedTextInElement(element) {
  const root = rootOf(element);
  return (root.getSelection?.() ?? getSelection())?.toString() || getSelection()?.toString() || '';
}

/** Select the characters from index `start` to `end` (exclusive) of a field. A number or date can only be selected as a whole. */
function selectInField(field, start, end) {
  if (start === 0 && end === field.value.length) field.select();
  else if (field.selectionStart !== null) field.setSelectionRange(start, end); // a number, a date: all or nothing
}

/** Select the characters from index `start` to `end` (exclusive) of an element's text, scripts and styles not counted. */
function selectInText(element, start, end) {
  const selection = getSelection();
  if (!selection) return;
  const range = newRange(document);
  let passed = 0;
  let begun = false;
  for (const node of textNodesToSelect(element)) {
    const { length } = dataOf(node);
    if (!begun && start < passed + length) {
      range.setStart(node, start - passed);
      begun = true;
    }
    if (begun && end <= passed + length) {
      range.setEnd(node, end - passed);
      break;
    }
    passed += length;
  }
  if (!begun) return;
  selection.removeAllRanges();
  selection.addRange(range);
}

const UNSELECTABLE_TAGS = new Set(['script', 'style', 'noscript', 'template']);

/** Yield the text nodes in an element that can be selected, in order: not those in scripts and styles. */
function* textNodesToSelect(element) {
  const walker = newTreeWalker(document, element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!UNSELECTABLE_TAGS.has(localNameOf(node.parentNode))) yield node;
}

/** Return the text of an element as a selection contains it: without scripts and styles. */
const selectableTextOf = (element) => [...textNodesToSelect(element)].map(dataOf).join('');

// Types.

/**
 * `text`: the selected text; `missing`: the requested word that the element does not have; `has`: the beginning of the element's text, if a
 * word is missing.
 * @typedef {{ text: string, missing: string, content: string, secret: boolean }} Selected
 */
