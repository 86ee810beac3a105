// Tells the messages of a page after an action: new texts in its live regions, which are alerts, status lines and the like.

import {
  innerTextOf,
  isRendered,
  queryInDocument,
  queryOne,
  rectOf,
  textContentOf,
  WITH_VISIBILITY,
} from '../dom/accessors.js';
import { cleanText, exported } from '../dom/dom.js';
import { pause } from '../dom/turns.js';

const REGIONS = '[role=alert],[role=status],[aria-live=polite],[aria-live=assertive]';
const MOST_REGIONS = 50;
const MAX_MESSAGE = 300; // characters

// Live region → its text before the action.
let textsBefore = new WeakMap();

/** Return the texts that the live regions of this document show now, and remember them for `newLiveTexts`. */
exported.rememberLiveTexts = () => {
  const texts = liveTexts();
  textsBefore = new WeakMap(texts);
  return [...texts.values()];
};

/**
 * Return the texts of live regions that are new since `rememberLiveTexts`, in document order: by element and text, since a page may draw
 * the same message once more.
 * @returns {string[]}
 */
export const newLiveTexts = () =>
  [...liveTexts()].filter(([region, text]) => textsBefore.get(region) !== text).map(([, text]) => text);

/** Wait until the page has ended its turn. Return the `newLiveTexts` then. */
exported.awaitLiveTexts = () => pause(0).then(newLiveTexts);

/**
 * Map the innermost live regions that can be seen to their texts. Left out is what is longer than a message (a log, a slide show), what only
 * screen readers are told, what has a list to choose from (the head of a calendar), and `<output>`, which shows a result and no message.
 */
function liveTexts() {
  const found = new Map();
  for (const region of [...queryInDocument(document, REGIONS)].slice(0, MOST_REGIONS)) {
    const { length } = textContentOf(region).trim(); // markup may be indented by many blanks
    if (!length || length > 10 * MAX_MESSAGE || !(region instanceof HTMLElement)) continue;
    if (queryOne(region, `${REGIONS},select`) || !isShown(region)) continue;
    const text = cleanText(innerTextOf(region));
    if (text && text.length <= MAX_MESSAGE) found.set(region, text);
  }
  return found;
}

/** Return whether an element has a box that a person can see. What fades in has one from the start. */
function isShown(element) {
  if (!isRendered.call(element, WITH_VISIBILITY)) return false;
  const { width, height } = rectOf(element);
  return width > 1 && height > 1;
}
