// Copying and pasting: what an event of the clipboard carries, and what it reached. Puts text into the clipboard; changes no page.

import { activeElementOf, bodyOf, documentHasFocus, isContentEditable } from './engine-accessors.js';
import { exported } from './engine-dom.js';
import { focusedIn, focusedUnder } from './engine-focus.js';
import { idOf } from './engine-table.js';
import { isSecret } from './engine-states.js';
import { editingHostOf, fillKind } from './fields.js';
import { lookOf } from './matching.js';
import { pause } from './turns.js';

/**
 * @typedef {object} Heard
 * @property {string} text
 * @property {number} id
 * @property {string} look
 * @property {boolean} handled
 * @property {boolean} changed
 * @property {boolean} editable
 */

{
  /** The event that is waited for, once it came. */
  let heard = null;
  let stop = () => {};

  /**
   * From now on the first `copy` or `paste` that a person makes is noted: before the page hears of it, and after. True where what has the focus
   * takes keys as a terminal does.
   */
  exported.awaitClipboard = (type) => {
    stop();
    heard = null;
    const first = (event) => {
      if (heard || !event.isTrusted) return;
      const element = editingHostOf(fieldOf(event));
      heard = { element, before: contentOf(element), event, text: '' };
    };
    const last = (event) => {
      if (heard && heard.event === event && type === 'copy') heard.text = carriedBy(event);
    };
    window.addEventListener(type, first, { capture: true });
    window.addEventListener(type, last);
    stop = () => {
      window.removeEventListener(type, first, { capture: true });
      window.removeEventListener(type, last);
    };
    const focused = focusedIn(document);
    return focused !== null && documentHasFocus(document) && fillKind(focused) === 'sink';
  };

  /** Where an event of the clipboard went: a closed shadow root keeps quiet about that, but not about what has the focus in it. */
  const fieldOf = (event) => focusedUnder(event.composedPath()[0]);

  /** What a copy takes along: what the page has put there, else what is selected. */
  function carriedBy(event) {
    if (event.defaultPrevented) return event.clipboardData ? event.clipboardData.getData('text/plain') : '';
    const field = fieldOf(event);
    if (typeof field.selectionStart === 'number')
      return isSecret(field) ? '' : field.value.slice(field.selectionStart, field.selectionEnd);
    return String(getSelection());
  }

  const contentOf = (element) => fillKind(element) ? String(element.value ?? element.innerText) : null;

  /**
   * What became of the event one turn later; null where this document has not heard of any.
   * @returns {Promise<Heard | null>}
   */
  exported.clipboardHeard = async () => {
    await pause(0);
    stop();
    if (!heard) return null;
    const { element, before, event, text } = heard;
    heard = null;
    const isEditable = before !== null && !element.readOnly && !element.disabled;
    return {
      text,
      id: idOf(element),
      look: element === bodyOf(document) && !isContentEditable(element) ? '' : lookOf(element), // an editor may be all of a frame
      handled: event.defaultPrevented,
      changed: contentOf(element) !== before,
      editable: isEditable || Boolean(isContentEditable(element)),
    };
  };

  /** Put text, and markup where there is any, into the clipboard. The page hears nothing of it. */
  exported.putClipboard = (text, markup) => {
    const words = markup && !text ? new DOMParser().parseFromString(markup, 'text/html').body.textContent || '' : text;
    let isDone = false;
    const put = (event) => {
      event.stopImmediatePropagation();
      event.preventDefault();
      event.clipboardData.setData('text/plain', words);
      if (markup) event.clipboardData.setData('text/html', markup);
      isDone = true;
    };
    window.addEventListener('copy', put, { capture: true });
    try {
      document.execCommand('copy');
    } finally {
      window.removeEventListener('copy', put, { capture: true });
    }
    return isDone;
  };

  /** Whether the focus is in this very document, and not in a frame of it. */
  exported.hasFocus = () =>
    documentHasFocus(document) && !/^(?:i?frame)$/.test(activeElementOf(document)?.localName || '');
}
