// For the command `expect`: whether a page shows a text, which text it shows instead, and when to check again.

import {
  bodyOf,
  dataOf,
  localNameOf,
  newTreeWalker,
  parentNodeOf,
  queryInDocument,
  rectOf,
  textContentOf,
} from '../dom/accessors.js';
import { childrenOf, cleanText, exported, foldedText, isElement, isText, shadowRootOf, treesIn } from '../dom/dom.js';
import { beginReading, mayRead } from '../dom/invoke.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { runsScripts } from '../dom/turns.js';
import { isVisible } from '../layout/visible.js';
import { displayedValueOf, fieldsIn } from './page.js';
import { readVisibleText } from './text.js';

/** Return a text with one blank for each run of white space, and none at its ends. */
const collapseSpace = (text) => text.replace(/\s+/g, ' ').trim();

/**
 * Return a function that tells whether a text matches a pattern. `pattern`: { kind: "regex", "part" or "exact", text, flags }, see
 * text/pattern.py, which matches texts with each run of white space as one blank. `isWhole`: an exact pattern has to equal the whole text,
 * else one of its lines or table cells (after a tab).
 */
function compileMatcher(pattern, isWhole) {
  if (pattern.kind === 'regex') {
    const expression = new RegExp(pattern.text, pattern.flags.replace(/[gy]/g, ''));
    return (text) => expression.test(text);
  }
  const words = collapseSpace(pattern.text);
  if (pattern.kind === 'part') return (text) => collapseSpace(text).includes(words);
  return (text) => (isWhole ? [text] : text.split(/[\n\t]/)).some((line) => collapseSpace(line) === words);
}

/** Return why a pattern ({ kind, text, flags }) is no valid regular expression; "" if it is valid. */
exported.findPatternProblem = (pattern) => {
  try {
    compileMatcher(pattern, true);
    return '';
  } catch (error) {
    return String(error).replace('SyntaxError: ', '');
  }
};

/** Return whether a text matches a pattern ({ kind, text, flags }). An exact pattern has to equal the whole text. */
exported.matchesPattern = (pattern, text) => compileMatcher(pattern, true)(text);

/**
 * Return where an element (0: the page) shows a text that matches a pattern: -1 if its text does, the id of a field in it if only the value
 * of that does, 0 if neither does; null for an element that is gone.
 */
exported.findMatchingText = (id, pattern) => {
  const root = id ? nodeFor(id) : document;
  if (!root) return null;
  const isMatch = compileMatcher(pattern, Boolean(id));
  if (isMatch(readVisibleText(id))) return -1;
  for (const field of fieldsIn(root)) if (isMatch(displayedValueOf(field)) && isVisible(field)) return idOf(field);
  return 0;
};

const MAX_LINES_SHOWN = 400;
const MAX_ALERT = 200;

/** Return the lines of text that an element (0: the page) displays, and the displayed values of its fields: at most 400, each once. */
const listDisplayedLines = (id) => {
  const root = id ? nodeFor(id) : document;
  if (!root) return [];
  const lines = new Set();
  for (const line of readVisibleText(id).split(/[\n\t]/)) {
    if (lines.size >= MAX_LINES_SHOWN) break;
    if (line.trim()) lines.add(collapseSpace(line).slice(0, MAX_ALERT));
  }
  for (const field of fieldsIn(root)) {
    if (lines.size >= MAX_LINES_SHOWN) break;
    if (displayedValueOf(field) && isVisible(field))
      lines.add(collapseSpace(displayedValueOf(field)).slice(0, MAX_ALERT));
  }
  return [...lines];
};
exported.listDisplayedLines = listDisplayedLines;

/** Return the id of the innermost visible element whose text begins with `text`, of which the first 200 characters count; 0 for none. */
const findElementWithText = (text) => {
  const wanted = text.slice(0, MAX_ALERT);
  let left = 20000;
  for (const tree of treesIn(bodyOf(document) || document)) {
    const walker = newTreeWalker(document, tree, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node && left; node = walker.nextNode(), left--) {
      if (!isText(node) || !collapseSpace(dataOf(node))) continue;
      for (
        let around = parentNodeOf(node), up = 0;
        around && around !== document && up < 3;
        around = parentNodeOf(around), up++
      ) {
        const content = collapseSpace(textContentOf(around).slice(0, 4 * MAX_ALERT));
        if (content.length > 2 * MAX_ALERT) break;
        const element = isElement(around) ? around : around.host; // of a shadow root
        if (content.startsWith(wanted) && isVisible(element)) return idOf(element);
      }
    }
  }
  return 0;
};
exported.findElementWithText = findElementWithText;

const ALERTS = '[role=alert i],[role=status i],[role=alertdialog i],[aria-live=assertive],[aria-live=polite],output,'
  + '[class*=error i],[class*=alert i]';
const MAX_ALERTS = 3;
const MAX_ALERT_CANDIDATES = 200;

/** @typedef {{ id: number, text: string }} Alert */

/**
 * Return { id, text } of up to three messages that the page shows, such as errors: in live regions, and in elements with "error" or "alert"
 * in their class.
 * @returns {Alert[]}
 */
exported.listAlerts = () => {
  const found = [];
  for (const element of [...queryInDocument(document, ALERTS)].slice(0, MAX_ALERT_CANDIDATES)) {
    if (found.length >= MAX_ALERTS) break;
    const text = isVisible(element) ? cleanText(readVisibleText(idOf(element))).slice(0, MAX_ALERT) : '';
    if (text && !found.some((other) => other.text.includes(text))) found.push({ id: idOf(element), text });
  }
  return found;
};

/**
 * Return position, size and a hash of the text of an element in one string, to tell later whether they have changed; "" if it is invisible
 * or gone.
 */
exported.hashBoxAndText = (id) => {
  const element = nodeFor(id);
  if (!element || !isVisible(element)) return '';
  const { x, y, width, height } = rectOf(element);
  const text = readVisibleText(id);
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) | 0;
  return [x, y, width, height, text.length, sum].join();
};

const EVENTS_WITHOUT_MUTATION = [
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
 * Wait until the document changes or an event comes that may show a text, at most `milliseconds`, and return true; the caller then checks
 * again, since not every change is reported. Return false at once in a document without scripts, where no listener is called.
 */
exported.waitForChange = (milliseconds) =>
  runsScripts() && new Promise((done) => {
    const observer = new MutationObserver(stopWaiting);
    const timer = setTimeout(stopWaiting, milliseconds);
    /** Stop listening, and resolve the promise with true. */
    function stopWaiting() {
      observer.disconnect();
      clearTimeout(timer);
      for (const type of EVENTS_WITHOUT_MUTATION) removeEventListener(type, stopWaiting, true);
      done(true);
    }
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (const type of EVENTS_WITHOUT_MUTATION) addEventListener(type, stopWaiting, true);
  });

// Finds a text that a page has only in other letters, or in an invisible element.

const MAX_SEARCHED_TEXT = 2_000_000;
const MAX_REPORTED_LINE = 200;
const TAGS_NOT_SEARCHED = new Set(['script', 'style', 'template', 'noscript']);

/**
 * Where else a text is. `kind`: 'case': in other letters; 'hidden': not rendered; 'cut': rendered but invisible; '': nowhere.
 * `id`: the element that has it, 0 for none; `text`: the line that has it in other letters; `heading`: the page's first heading.
 * @typedef {{ kind: 'case' | 'hidden' | 'cut' | '', id: number, text: string, heading: string }} TextElsewhere
 */

/**
 * Find out why the page does not show a text. Return { kind, id, text, heading }. `kind`: "case" (the page shows it in other letters),
 * "hidden", "cut" (off) or "" (it is nowhere); `id`: of the element that has it, 0 for none; `text`: the line in other letters; `heading`:
 * the first of the page.
 * @returns {TextElsewhere}
 */
exported.explainMissingText = (wanted) => {
  const words = foldedText(wanted);
  const line = listDisplayedLines(0).find((shown) => foldedText(shown).includes(words));
  if (line)
    return {
      kind: 'case',
      id: findElementWithText(line),
      text: line.slice(0, MAX_REPORTED_LINE),
      heading: firstHeading(),
    };
  beginReading();
  const element = words && bodyOf(document) ? findInnermostContaining(bodyOf(document), words) : null;
  const kind = !element ? '' : isVisible(element) ? 'cut' : 'hidden';
  return { kind, id: element ? idOf(element) : 0, text: '', heading: firstHeading() };
};

/**
 * Return the innermost element below `root`, also in shadow trees, whose text contains `words`, ignoring case; null for none. `words`: in
 * lower case, as `foldedText` returns it.
 */
function findInnermostContaining(root, words) {
  const inner = shadowRootOf(root);
  for (const child of inner ? [...childrenOf(inner), ...childrenOf(root)] : childrenOf(root)) {
    if (!isElement(child) || TAGS_NOT_SEARCHED.has(localNameOf(child)) || !mayRead()) continue;
    const found = findInnermostContaining(child, words);
    if (found) return found;
    if (textContains(child, words)) return child;
  }
  return null;
}

/**
 * Return whether the text of an element, displayed or not, contains `words`, ignoring case. `words`: in lower case, as `foldedText` returns
 * it.
 */
function textContains(element, words) {
  const text = textContentOf(element);
  return text.length < MAX_SEARCHED_TEXT && foldedText(text).includes(words);
}

/** Return the text of the first visible heading of the page; "" for none. */
function firstHeading() {
  for (const one of queryInDocument(document, 'h1,h2,[role=heading i]')) {
    if (isVisible(one)) return cleanText(textContentOf(one)).slice(0, MAX_REPORTED_LINE);
  }
  return '';
}
