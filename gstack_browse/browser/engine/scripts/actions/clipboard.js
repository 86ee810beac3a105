// Copy and paste: what a clipboard event contains, and which element it reached. Write text to the clipboard, or paste it without.

import { isSecret } from '../accname/states.js';
import { editingHostOf, fillKind } from '../accname/values.js';
import {
  activeElementOf,
  bodyOf,
  dispatchOn,
  documentHasFocus,
  implementationOf,
  isContentEditable,
  newElement,
  runCommand,
} from '../dom/accessors.js';
import { exported, focusedIn, focusedUnder } from '../dom/dom.js';
import { idOf } from '../dom/node-table.js';
import { pause } from '../dom/turns.js';
import { briefDescriptionOf } from '../selectors/matching.js';

// The clipboard event that was watched for: { element, before (its content), event, text }; null until it comes.
let watchedEvent = null;
let stopListening = () => {};

/**
 * Watch for the next clipboard event of a type, "copy" or "paste", that no script has made; `takeClipboardReport` returns its effect.
 * Return whether the focused element is the field by which a terminal takes keys (`isTerminalInput`).
 */
exported.watchClipboard = (type) => {
  stopListening();
  watchedEvent = null;
  /** Record the event and the field's content, before the page's listeners get the event. */
  const onFirstHandler = (event) => {
    if (watchedEvent || !event.isTrusted) return;
    const element = editingHostOf(targetOfEvent(event));
    watchedEvent = { element, before: fieldText(element), event, text: '' };
  };
  /** Record the text that a copy yields, after the page's listeners. */
  const onLastHandler = (event) => {
    if (watchedEvent && watchedEvent.event === event && type === 'copy') watchedEvent.text = readCopiedText(event);
  };
  window.addEventListener(type, onFirstHandler, { capture: true });
  window.addEventListener(type, onLastHandler);
  stopListening = () => {
    window.removeEventListener(type, onFirstHandler, { capture: true });
    window.removeEventListener(type, onLastHandler);
  };
  const focused = focusedIn(document);
  return focused !== null && documentHasFocus(document) && fillKind(focused) === 'terminal';
};

// A closed shadow root hides the target in the event, but its focused element is known.
/** Return the element that a clipboard event is for, also in a closed shadow root. */
const targetOfEvent = (event) => focusedUnder(event.composedPath()[0]);

/** Return the text that a `copy` event yields: what the page has put into it, else the selected text; "" for a secret. */
function readCopiedText(event) {
  if (event.defaultPrevented) return event.clipboardData ? event.clipboardData.getData('text/plain') : '';
  const field = targetOfEvent(event);
  if (typeof field.selectionStart === 'number')
    return isSecret(field) ? '' : field.value.slice(field.selectionStart, field.selectionEnd);
  return String(getSelection());
}

/** Return the text in a field or editor; null for an element that takes no text. */
const fieldText = (element) => fillKind(element) ? String(element.value ?? element.innerText) : null;

/**
 * Return the effect of the copy or paste that `watchClipboard` watched for, one task after it; null if none was dispatched in this
 * document.
 * @returns {Promise<ClipboardEventReport | null>}
 */
exported.takeClipboardReport = async () => {
  await pause(0);
  stopListening();
  if (!watchedEvent) return null;
  const { element, before, event, text } = watchedEvent;
  watchedEvent = null;
  return describeClipboardEvent(element, before, event.defaultPrevented, text);
};

/**
 * Describe the effect of a clipboard event on an element. `before`: its content before the event; `handled`: the page has prevented the
 * default action; `text`: what a copy yielded. Return { text, id and description of the element, handled, changed: its content has
 * changed, editable }.
 */
const describeClipboardEvent = (element, before, handled, text) => ({
  text,
  id: idOf(element),
  // An editor may be all of a frame.
  description: element === bodyOf(document) && !isContentEditable(element) ? '' : briefDescriptionOf(element),
  handled,
  changed: fieldText(element) !== before,
  editable: (before !== null && !element.readOnly && !element.disabled) || Boolean(isContentEditable(element)),
});

/**
 * Paste text or HTML (`markup`) without the clipboard: dispatch a `paste` event, and insert the data unless the page prevents that. `key`:
 * init properties of the `KeyboardEvent`s to dispatch before and after, or null. Return the effect.
 * @returns {Promise<ClipboardEventReport>}
 */
exported.pasteWithoutClipboard = async (plainText, markup, key) => {
  const text = plainText || textOfMarkup(markup);
  /** Create a `KeyboardEvent` of a type ("keydown", "keyup") with the init properties `key`. */
  const keyEvent = (type) =>
    new KeyboardEvent(type, { ...key, bubbles: true, cancelable: true, composed: true, view: window });
  const isKeyHandled = key && !findPasteTarget().dispatchEvent(keyEvent('keydown'));
  const target = findPasteTarget(); // the page may have moved the focus at the key
  const element = editingHostOf(focusedUnder(target));
  const before = fieldText(element);
  const isHandled = isKeyHandled || !dispatchOn(target, createPasteEvent(text, markup));
  // a terminal has taken the text from the event, and would take an inserted one as typed again
  if (text && !isHandled && fillKind(element) !== 'terminal') replaceSelection(text, markup);
  if (key) findPasteTarget().dispatchEvent(keyEvent('keyup'));
  await pause(0);
  return describeClipboardEvent(element, before, isHandled, '');
};

/** Return the target of a paste: the focused field, or the element with the caret in an editor. */
function findPasteTarget() {
  const focused = focusedIn(document) || bodyOf(document);
  const at = getSelection()?.anchorNode;
  const caret = at instanceof Element ? at : at?.parentElement;
  return caret && isContentEditable(focused) && focused.contains(caret) ? caret : focused;
}

/** Create a `paste` event whose clipboard data are this text and HTML (`markup`, "" for none). */
function createPasteEvent(text, markup) {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  if (markup) clipboardData.setData('text/html', markup);
  return new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
}

/**
 * Replace the selection by HTML (`markup`), as an editing command that can be undone. Use `text` if there is no markup, or it is not
 * accepted.
 */
function replaceSelection(text, markup) {
  if (!markup || !insertMarkup(markup)) runCommand(document, 'insertText', false, text);
}

/** Insert HTML at the selection, without scripts since it may come from another site. Return whether the target accepts HTML. */
function insertMarkup(markup) {
  const safe = createElementWithMarkup(markup).innerHTML;
  if (createElementWithMarkup(safe).innerHTML !== safe) return false; // it would be parsed differently, which may bring a script back (mutation XSS)
  try {
    return runCommand(document, 'insertHTML', false, safe);
  } catch {
    return false; // the page enforces trusted types
  }
}

// `setHTML` also works where a page enforces trusted types.
/** Return a new element, outside of the page, that contains the parsed HTML `markup` without scripts. */
function createElementWithMarkup(markup) {
  const holder = newElement(implementationOf(document).createHTMLDocument(''), 'div');
  holder.setHTML?.(markup);
  return holder;
}

/** Return the text content of HTML; "" for none. */
const textOfMarkup = (markup) => markup ? createElementWithMarkup(markup).textContent : '';

/** Write text and optional HTML to the clipboard, hidden from the page's listeners. Return whether it worked. */
exported.writeClipboard = (text, markup) => {
  const plainText = text || textOfMarkup(markup);
  let isDone = false;
  /** Handle the `copy` event: put text and HTML into it, and hide it from the page. */
  const fillClipboard = (event) => {
    event.stopImmediatePropagation();
    event.preventDefault();
    event.clipboardData.setData('text/plain', plainText);
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

/** Return whether this document has the keyboard focus, and not a frame in it or another document. */
exported.hasFocus = () =>
  documentHasFocus(document) && !/^(?:i?frame)$/.test(activeElementOf(document)?.localName || '');

// Types.

/**
 * @typedef {{ text: string, id: number, description: string, handled: boolean, changed: boolean, editable: boolean }} ClipboardEventReport
 */
