// Answers `expect`: whether a page shows a text, which text it shows instead, and when to ask again.

import { beginReading, mayRead } from '../dom/invoke.js';
import { textById } from './text.js';
import {
  bodyOf,
  dataOf,
  localNameOf,
  newTreeWalker,
  parentElementOf,
  queryInDocument,
  rectOf,
  textContentOf,
} from '../dom/accessors.js';
import { childrenOf, cleanText, exported, foldedText, isElement, isText, shadowRootOf } from '../dom/dom.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { runsScripts } from '../dom/turns.js';
import { displayedValueOf, fieldsIn } from './page.js';
import { isVisible } from '../visibility/visible.js';

/**
 * @typedef {object} Alert
 * @property {number} id
 * @property {string} text
 */

/** Return a text with one blank for each run of white space. */
const collapseBlanks = (text) => text.replace(/\s+/g, ' ').trim();

/**
 * Return a function that tells whether a text matches a pattern (text/pattern.py). `isWhole`: an exact pattern is of the whole text, not
 * of a line.
 */
function matcherOf(pattern, isWhole) {
  if (pattern.kind === 'regex') {
    const expression = new RegExp(pattern.text, pattern.flags.replace(/[gy]/g, ''));
    return (text) => expression.test(text);
  }
  const words = collapseBlanks(pattern.text);
  if (pattern.kind === 'part') return (text) => collapseBlanks(text).includes(words);
  return (text) => (isWhole ? [text] : text.split(/[\n\t]/)).some((line) => collapseBlanks(line) === words);
}

/** The reason why a text is no regular expression; "" if it is one. */
exported.patternProblem = (pattern) => {
  try {
    matcherOf(pattern, true);
    return '';
  } catch (error) {
    return String(error).replace('SyntaxError: ', '');
  }
};

/** Whether a text is as the pattern says. */
exported.matchesPattern = (pattern, text) => matcherOf(pattern, true)(text);

/** Whether an element (0: the page) says that: -1 where its words do, the id of a field in it that alone does, 0; null: it is gone. */
exported.says = (id, pattern) => {
  const root = id ? nodeFor(id) : document;
  if (!root) return null;
  const matches = matcherOf(pattern, Boolean(id));
  if (matches(textById(id))) return -1;
  for (const field of fieldsIn(root)) if (matches(displayedValueOf(field)) && isVisible(field)) return idOf(field);
  return 0;
};

const MOST_LINES_SHOWN = 400;
const LONGEST_ALERT = 200;

/** The first lines that an element (0: the page) shows, each once, and what its fields show. */
const linesShown = (id) => {
  const root = id ? nodeFor(id) : document;
  if (!root) return [];
  const lines = new Set();
  for (const line of textById(id).split(/[\n\t]/)) {
    if (lines.size >= MOST_LINES_SHOWN) break;
    if (line.trim()) lines.add(collapseBlanks(line).slice(0, LONGEST_ALERT));
  }
  for (const field of fieldsIn(root)) {
    if (lines.size >= MOST_LINES_SHOWN) break;
    if (displayedValueOf(field) && isVisible(field))
      lines.add(collapseBlanks(displayedValueOf(field)).slice(0, LONGEST_ALERT));
  }
  return [...lines];
};
exported.linesShown = linesShown;

/** The innermost visible element that says these words; 0 where none does by itself. */
const whoSays = (words) => {
  const wanted = words.slice(0, LONGEST_ALERT);
  const walker = newTreeWalker(
    document,
    bodyOf(document) || document,
    NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
  );
  for (let node = walker.nextNode(), left = 20000; node && left; node = walker.nextNode(), left--) {
    if (!isText(node) || !collapseBlanks(dataOf(node))) continue;
    for (let element = parentElementOf(node), up = 0; element && up < 3; element = parentElementOf(element), up++) {
      const said = collapseBlanks(textContentOf(element).slice(0, 4 * LONGEST_ALERT));
      if (said.length > 2 * LONGEST_ALERT) break;
      if (said.startsWith(wanted) && isVisible(element)) return idOf(element);
    }
  }
  return 0;
};
exported.whoSays = whoSays;

const ALERTS = '[role=alert],[role=status],[role=alertdialog],[aria-live=assertive],[aria-live=polite],output,'
  + '[class*=error i],[class*=alert i]';
const MOST_ALERTS = 3;
const MOST_EXAMINED = 200;

/**
 * The current announcements of the page: its alerts and states, and elements called an error.
 * @returns {Alert[]}
 */
exported.alerts = () => {
  const found = [];
  for (const element of [...queryInDocument(document, ALERTS)].slice(0, MOST_EXAMINED)) {
    if (found.length >= MOST_ALERTS) break;
    const text = isVisible(element) ? cleanText(textById(idOf(element))).slice(0, LONGEST_ALERT) : '';
    if (text && !found.some((other) => other.text.includes(text))) found.push({ id: idOf(element), text });
  }
  return found;
};

/** Box and text of an element in a few characters, to tell whether they change; "" if it is invisible. */
exported.shape = (id) => {
  const element = nodeFor(id);
  if (!element || !isVisible(element)) return '';
  const { x, y, width, height } = rectOf(element);
  const text = textById(id);
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) | 0;
  return [x, y, width, height, text.length, sum].join();
};

const EVENTS = [
  'input',
  'change',
  'focusin',
  'focusout',
  'toggle',
  'transitionend',
  'animationend',
  'load',
  'popstate',
];

/**
 * Wait until something in the document changes, or for so many milliseconds: changes without a trace are found by looking again.
 * Return false at once where no event can be heard.
 */
exported.news = (milliseconds) =>
  runsScripts() && new Promise((done) => {
    const observer = new MutationObserver(end);
    const timer = setTimeout(end, milliseconds);
    /** Stop listening, and resolve. */
    function end() {
      observer.disconnect();
      clearTimeout(timer);
      for (const type of EVENTS) removeEventListener(type, end, true);
      done(true);
    }
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (const type of EVENTS) addEventListener(type, end, true);
  });

// Find a text that a page does not show as it is wanted: in other letters, or in something that cannot be seen. Changes nothing.

/**
 * @typedef {object} TextElsewhere
 * @property {'case' | 'hidden' | 'cut' | ''} kind other letters; not rendered; rendered and not to be seen; nowhere
 * @property {number} id the element that has it; 0 for none
 * @property {string} text the line that shows it in other letters
 * @property {string} heading the page's first heading
 */

const LONGEST_TEXT = 2_000_000;
const LONGEST_LINE = 200;
const WORDLESS_TAGS = new Set(['script', 'style', 'template', 'noscript']);

/** @returns {TextElsewhere} */
exported.textElsewhere = (wanted) => {
  const words = foldedText(wanted);
  const line = linesShown(0).find((shown) => foldedText(shown).includes(words));
  if (line)
    return { kind: 'case', id: whoSays(line), text: line.slice(0, LONGEST_LINE), heading: firstHeading() };
  beginReading();
  const element = words && bodyOf(document) ? innermostWith(bodyOf(document), words) : null;
  const kind = !element ? '' : isVisible(element) ? 'cut' : 'hidden';
  return { kind, id: element ? idOf(element) : 0, text: '', heading: firstHeading() };
};

/** Return the innermost element that has the words, also in shadow trees; null for none. */
function innermostWith(root, words) {
  const inner = shadowRootOf(root);
  for (const child of inner ? [...childrenOf(inner), ...childrenOf(root)] : childrenOf(root)) {
    if (!isElement(child) || WORDLESS_TAGS.has(localNameOf(child)) || !mayRead()) continue;
    const found = innermostWith(child, words);
    if (found) return found;
    if (hasWordsInText(child, words)) return child;
  }
  return null;
}

/** Whether the text of an element, displayed or not, contains the words. */
function hasWordsInText(element, words) {
  const text = textContentOf(element);
  return text.length < LONGEST_TEXT && foldedText(text).includes(words);
}

/** Return the first visible heading of the page. */
function firstHeading() {
  for (const one of queryInDocument(document, 'h1,h2,[role=heading]')) {
    if (isVisible(one)) return cleanText(textContentOf(one)).slice(0, LONGEST_LINE);
  }
  return '';
}
