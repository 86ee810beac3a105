// Copying and pasting: what a clipboard event carries, and which element it reached. Puts text into the clipboard, or pastes it without.

import { isSecret } from '../accname/states.js';
import { editingHostOf, fillKind } from './fields.js';
import {
  activeElementOf,
  bodyOf,
  dispatchOn,
  documentHasFocus,
  implementationOf,
  isContentEditable,
  runCommand,
} from '../dom/accessors.js';
import { exported, focusedIn, focusedUnder } from '../dom/dom.js';
import { idOf } from '../dom/node-table.js';
import { pause } from '../dom/turns.js';
import { lookOf } from '../selectors/matching.js';

/**
 * @typedef {object} ClipboardEventReport
 * @property {string} text
 * @property {number} id
 * @property {string} look
 * @property {boolean} handled
 * @property {boolean} changed
 * @property {boolean} editable
 */

/** The awaited event, with its element: { element, before, event, text }; null until it comes. */
let heardEvent = null;
let stopListening = () => {};

/**
 * Note the next trusted `copy` or `paste` event, before and after the page's listeners. Return whether the focused element takes keys as
 * a terminal does.
 */
exported.awaitClipboard = (type) => {
  stopListening();
  heardEvent = null;
  /** Note the event before the page's listeners get it. */
  const onFirstHandler = (event) => {
    if (heardEvent || !event.isTrusted) return;
    const element = editingHostOf(fieldOfEvent(event));
    heardEvent = { element, before: fieldText(element), event, text: '' };
  };
  /** Note the text that a copy yields, after the page's listeners. */
  const onLastHandler = (event) => {
    if (heardEvent && heardEvent.event === event && type === 'copy') heardEvent.text = textOfCopy(event);
  };
  window.addEventListener(type, onFirstHandler, { capture: true });
  window.addEventListener(type, onLastHandler);
  stopListening = () => {
    window.removeEventListener(type, onFirstHandler, { capture: true });
    window.removeEventListener(type, onLastHandler);
  };
  const focused = focusedIn(document);
  return focused !== null && documentHasFocus(document) && fillKind(focused) === 'sink';
};

/** Return the target of a clipboard event. A closed shadow root hides it in the event, but its focused element is known. */
const fieldOfEvent = (event) => focusedUnder(event.composedPath()[0]);

/** Return the text that a copy yields: what the page has put there, else the selected text. */
function textOfCopy(event) {
  if (event.defaultPrevented) return event.clipboardData ? event.clipboardData.getData('text/plain') : '';
  const field = fieldOfEvent(event);
  if (typeof field.selectionStart === 'number')
    return isSecret(field) ? '' : field.value.slice(field.selectionStart, field.selectionEnd);
  return String(getSelection());
}

/** Return the content of a field; null for an element that takes no text. */
const fieldText = (element) => fillKind(element) ? String(element.value ?? element.innerText) : null;

/**
 * Return what the awaited clipboard event did, one turn after it; null if none was dispatched in this document.
 * @returns {Promise<ClipboardEventReport | null>}
 */
exported.clipboardHeard = async () => {
  await pause(0);
  stopListening();
  if (!heardEvent) return null;
  const { element, before, event, text } = heardEvent;
  heardEvent = null;
  return describeClipboardEvent(element, before, event.defaultPrevented, text);
};

/** Report what a clipboard event did to an element. `before`: its content then; `handled`: the page prevented Chromium's own action. */
const describeClipboardEvent = (element, before, handled, text) => ({
  text,
  id: idOf(element),
  look: element === bodyOf(document) && !isContentEditable(element) ? '' : lookOf(element), // an editor may be all of a frame
  handled,
  changed: fieldText(element) !== before,
  editable: (before !== null && !element.readOnly && !element.disabled) || Boolean(isContentEditable(element)),
});

/**
 * Paste text or markup without the clipboard: dispatch the events of `key`, if any, and of the paste; insert the data unless the page
 * prevents that. Return what happened.
 * @returns {Promise<ClipboardEventReport>}
 */
exported.pasteOwn = async (given, markup, key) => {
  const text = given || textOfMarkup(markup);
  /** Return an event of the keyboard, of a type. */
  const keyEvent = (type) =>
    new KeyboardEvent(type, { ...key, bubbles: true, cancelable: true, composed: true, view: window });
  const isTaken = key && !pasteTarget().dispatchEvent(keyEvent('keydown'));
  const target = pasteTarget(); // the page may move the focus when it hears of the key
  const element = editingHostOf(focusedUnder(target));
  const before = fieldText(element);
  const isHandled = isTaken || !dispatchOn(target, pasteEvent(text, markup));
  // what takes keys as a terminal does has had the text by the event, and would take it for typed once more
  if (text && !isHandled && fillKind(element) !== 'sink') typeOverSelection(text, markup);
  if (key) pasteTarget().dispatchEvent(keyEvent('keyup'));
  await pause(0);
  return describeClipboardEvent(element, before, isHandled, '');
};

/** Find the target of a paste: the focused field, or what holds the caret in an editor. */
function pasteTarget() {
  const focused = focusedIn(document) || bodyOf(document);
  const at = getSelection()?.anchorNode;
  const caret = at instanceof Element ? at : at?.parentElement;
  return caret && isContentEditable(focused) && focused.contains(caret) ? caret : focused;
}

/** Return the event of a paste with that text and markup. */
function pasteEvent(text, markup) {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  if (markup) clipboardData.setData('text/html', markup);
  return new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
}

/** Replace the selection by markup, or by text where markup is not taken, so that a person can undo it. */
function typeOverSelection(text, markup) {
  if (!markup || !insertMarkup(markup)) runCommand(document, 'insertText', false, text);
}

/** Insert markup without scripts, which may come from another site. Return whether the target takes markup. */
function insertMarkup(markup) {
  const safe = elementWithMarkup(markup).innerHTML;
  if (elementWithMarkup(safe).innerHTML !== safe) return false; // Chromium reads it otherwise than it has written it
  try {
    return runCommand(document, 'insertHTML', false, safe);
  } catch {
    return false; // the page takes trusted types only
  }
}

/** Return an element of no page that contains the markup, without scripts. `setHTML` works where a page takes trusted types only, too. */
function elementWithMarkup(markup) {
  const holder = /** @type {any} */ (implementationOf(document).createHTMLDocument('').createElement('div'));
  holder.setHTML?.(markup);
  return holder;
}

/** Return the text of markup. */
const textOfMarkup = (markup) => markup ? elementWithMarkup(markup).textContent : '';

/** Put text, and markup where there is any, into the clipboard. The page hears nothing of it. */
exported.putClipboard = (text, markup) => {
  const words = text || textOfMarkup(markup);
  let isDone = false;
  /** Put the text and markup into the event of a copy, and keep the page from hearing of it. */
  const fillClipboard = (event) => {
    event.stopImmediatePropagation();
    event.preventDefault();
    event.clipboardData.setData('text/plain', words);
    if (markup) event.clipboardData.setData('text/html', markup);
    isDone = true;
  };
  window.addEventListener('copy', fillClipboard, { capture: true });
  try {
    runCommand(document, 'copy');
  } finally {
    window.removeEventListener('copy', fillClipboard, { capture: true });
  }
  return isDone;
};

/** Whether the focus is in this very document, and not in a frame of it. */
exported.hasFocus = () =>
  documentHasFocus(document) && !/^(?:i?frame)$/.test(activeElementOf(document)?.localName || '');
