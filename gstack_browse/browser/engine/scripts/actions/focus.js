// Sets the focus and the selection of text, and reads them back.

import { isSecret } from '../accname/states.js';
import { containsComposed } from './hit-testing.js';
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
import { exported, focusedIn, isAlive } from '../dom/dom.js';
import { nodeFor } from '../dom/node-table.js';
import { runsScripts } from '../dom/turns.js';
import { lookOf } from '../selectors/matching.js';

/**
 * Focus an element. Return whether it or something in it has the focus then (`has`), and what has it otherwise (`other`); null for an
 * element that is gone.
 * @returns {{ has: boolean, other: string } | null}
 */
exported.focus = (id) => {
  const element = nodeFor(id);
  if (!element) return null;
  focusOn(element);
  const focused = isAlive(element) ? focusedIn(document) : null;
  const has = focused !== null && containsComposed(element, focused);
  return { has, other: focused && focused !== bodyOf(document) ? lookOf(focused) : '' };
};

/** Take the focus from the focused element of this document. Return the element's description; "" for none. */
exported.blur = () => {
  const focused = focusedIn(document);
  if (!focused || focused === bodyOf(document) || matches(focused, 'iframe,frame')) return '';
  const look = lookOf(focused);
  focused.blur();
  return focusedIn(document) === focused ? '' : look;
};

/**
 * Select the text of an element: all of it, or from the beginning of one text to the end of another.
 * @typedef {object} Selected
 * @property {string} text what is selected since then
 * @property {string} missing the text that it does not have
 * @property {string} has the beginning of what it has instead
 * @property {boolean} secret
 */

/**
 * Select the text of an element from the word `first` to the word `last`; all before or behind where these are null. Return what is
 * selected, or the word that is `missing`; null for an element that is gone.
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
  if (missing) return { text: '', missing, has: secret ? '' : text.trim().slice(0, 200), secret };
  const end = last === null ? text.length : text.indexOf(last, start) + last.length;
  const known = selectionHandled();
  if (isField) selectInField(element, start, end);
  else selectInText(element, start, end);
  await known;
  return {
    text: isField ? selectedTextInField(element) : selectedTextInElement(element),
    missing: '',
    has: '',
    secret,
  };
};

const SELECTION_KNOWN_WITHIN = 100; // milliseconds: a selection that stays the same fires no event
const NOTED_AFTER = 5; // milliseconds: editors read the selection in a timer after the event

/** Resolve once the page has handled the selection that is made now, and has had time to note it. */
function selectionHandled() {
  if (!runsScripts()) return Promise.resolve();
  return new Promise((done) => {
    /** Resolve once the page has had time to note the selection. */
    const heard = () => setTimeout(done, NOTED_AFTER);
    const late = setTimeout(heard, SELECTION_KNOWN_WITHIN);
    /** Resolve a moment after `selectionchange`, and cancel the time limit. */
    const onSelectionChange = () => (clearTimeout(late), heard());
    listenOn(document, 'selectionchange', onSelectionChange, { capture: true, once: true });
  });
}

/** Focus an element whose text is selected only while it has the focus. False where there is nothing to wait for. */
exported.beginSelecting = (id) => {
  const element = nodeFor(id);
  if (!element || !(matches(element, 'input,textarea') || isContentEditable(element))) return false;
  const had = focusedIn(document);
  focusOn(element);
  return focusedIn(document) !== had;
};

/** Return the selected text of a field; all of it where the selection cannot be read. */
const selectedTextInField = (field) =>
  field.selectionStart === null ? field.value : field.value.slice(field.selectionStart, field.selectionEnd);

/** Return the selected text, in the shadow tree of an element or in the document. */
function selectedTextInElement(element) {
  const root = rootOf(element);
  return (root.getSelection?.() ?? getSelection())?.toString() || getSelection()?.toString() || '';
}

/** Select the characters from `start` to `end` of a field; one for numbers or dates can only be selected as a whole. */
function selectInField(field, start, end) {
  if (start === 0 && end === field.value.length) field.select();
  else if (field.selectionStart !== null) field.setSelectionRange(start, end); // a number, a date: all or nothing
}

/** Select the characters from `start` to `end` of an element's text. */
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

const UNREAD = new Set(['script', 'style', 'noscript', 'template']);

/** Yield the text nodes in an element that make up its text, in order. */
function* textNodesToSelect(element) {
  const walker = newTreeWalker(document, element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!UNREAD.has(localNameOf(node.parentNode))) yield node;
}

/** Return the text of an element that can be selected. */
const selectableTextOf = (element) => [...textNodesToSelect(element)].map(dataOf).join('');
