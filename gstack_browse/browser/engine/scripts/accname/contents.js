// Names from content (step F of accname 1.2): the text of an element, with what style sheets and their counters add to it.

import { kindOf } from './kinds.js';
import { nameFrom, ownersByElement } from './names.js';
import { roleOf } from './roles.js';
import {
  childElementCountOf,
  containsNode,
  dataOf,
  localNameOf,
  nodeTypeOf,
  parentNodeOf,
  queryInDocument,
  queryInFragment,
  textContentOf,
} from '../dom/accessors.js';
import {
  childrenOf,
  hasAttr,
  hasAttrs,
  isElement,
  isSlot,
  isText,
  PerCallCache,
  referencedElements,
  shadowRootOf,
  treeOf,
} from '../dom/dom.js';
import { mayHaveGeneratedContent, mayTransformText, rulesOf, sheetsOf } from '../dom/style-sheets.js';
import { hiddenness, isClosedOff, isUndrawnGroup, styleOf } from '../visibility/hidden.js';
import { hidesItsText, lengthOf } from '../visibility/unseen.js';

/**
 * Return the name of an element from its content (accname step 2F): `::before`, the children in order, `::after`. Blocks are set off by
 * blanks, inline pieces are not. `budget.left`: characters that may still be read; `how`: options of `nameFrom`.
 */
export function contentName(element, budget, how) {
  const only = onlyText(element);
  if (only !== null && !mayHaveGeneratedContent(element)) {
    budget.left -= countReadableCharacters(only);
    return how.evenHidden ? only : shownText(only, element);
  }
  const parts = [pseudoElementText(element, '::before')];
  for (const child of childrenForName(element)) {
    if (budget.left <= 0) break;
    parts.push(isText(child) ? textName(child, element, budget, how) : childName(child, budget, how));
  }
  parts.push(pseudoElementText(element, '::after'));
  return parts.join('');
}

/** Yield the children of an element, without those that another element's `aria-owns` claims, then those that its own claims. */
function* childrenForName(element) {
  const owned = ownersByElement(element);
  if (owned === null) {
    yield* childrenOf(element);
    return;
  }
  for (const child of childrenOf(element)) if (!owned.has(child)) yield child;
  if (hasAttrs(element) && hasAttr(element, 'aria-owns')) {
    for (const node of referencedElements(element, 'aria-owns')) if (owned.get(node) === element) yield node;
  }
}

/**
 * Return the text of an element that contains nothing but text nodes, else null. This is by far the most frequent case, and costs little.
 */
export function onlyText(element) {
  if (childElementCountOf(element) > 0 || shadowRootOf(element) !== null || isSlot(element)) return null;
  return hasAttrs(element) && hasAttr(element, 'aria-owns') ? null : textContentOf(element);
}

/** Return the text of a text node as displayed, and take its length off the budget. */
function textName(node, parent, budget, how) {
  const text = dataOf(node);
  budget.left -= countReadableCharacters(text);
  return how.evenHidden ? text : shownText(text, parent);
}

// How many a person reads: the indentation of the markup is none of them.
const SPACES = /\s\s/;
/** Count the characters that a person reads; the indentation of the markup does not count. */
const countReadableCharacters = (text) => SPACES.test(text) ? lengthOf(text) : text.length;

// Whether names are computed with the letters of the markup, not with those that `text-transform` makes of them.
let areLettersWritten = false;
/** Call `computeName` while names keep the letters of the markup, whatever `text-transform` makes of them. Return its result. */
export function ignoringTextTransform(computeName) {
  areLettersWritten = true;
  try {
    return computeName();
  } finally {
    areLettersWritten = false;
  }
}

/** Return a text after the `text-transform` of its element, as Chromium's accessibility tree has it. */
export function shownText(text, element) {
  return mayTransformText(element) ? transformCase(text, styleOf(element).textTransform) : text;
}

/** Apply one value of `text-transform` to a text. */
function transformCase(text, how) {
  switch (areLettersWritten ? '' : how) {
    case 'uppercase':
      return text.toUpperCase();
    case 'lowercase':
      return text.toLowerCase();
    case 'capitalize':
      return text.replace(/(?<![\p{L}\p{N}\p{M}_'’])\p{L}/gu, (letter) => letter.toUpperCase());
    default:
      return text;
  }
}

/** Return what a child node contributes to the name of its parent; "" for nothing, " " for a gap between two words. */
function childName(child, budget, how) {
  if (!isElement(child) || budget.visited.has(child)) return '';
  if (child === how.labels) return hiddenness(child) === 'none' ? '' : ' '; // its place stays
  const tag = localNameOf(child);
  if (tag === 'br' || tag === 'wbr') return tag === 'br' ? ' ' : '';
  if (how.branch && isTreeBranch(child) || how.seen && hidesItsText(child)) return '';
  if (how.withoutControls && kindOf(roleOf(child)).operable || how.without?.has(roleOf(child))) return ' ';
  if (NOT_READ.has(tag) || tag === 'g' && !how.evenHidden && isUndrawnGroup(child)) return '';
  const hidden = how.evenHidden ? '' : hiddenness(child);
  if (hidden === 'none' || !how.evenHidden && hasAttrs(child) && isClosedOff(child)) return '';
  const text = hidden === 'self'
    ? visibleDescendantsName(child, budget, how)
    : nameFrom(child, roleOf(child), budget, { ...how, top: false, referenced: false, self: false });
  return isInline(child) ? text : ` ${text} `;
}

const NOT_READ = new Set(['script', 'style', 'template', 'noscript', 'defs', 'symbol', 'clipPath']);

/** Whether a child is a nested branch of a tree: the name of a tree item is its own line, not all items below it. */
const isTreeBranch = (child) => {
  const role = roleOf(child);
  return role === 'group' || role === 'treeitem';
};

/** Return the text of the visible descendants of an element with `visibility: hidden`. */
function visibleDescendantsName(element, budget, how) {
  return [...childrenOf(element)].filter(isElement).map((child) => childName(child, budget, how)).join('');
}

/** Whether an element is laid out inline, so that its text joins the words around it. */
function isInline(element) {
  const display = styleOf(element).display;
  return display === 'inline' || display === 'contents' || display === '';
}

/**
 * Return the displayed text of `::before` or `::after`. The style of a pseudo-element costs about 2 µs, so it is read only where a style
 * sheet has a rule for one.
 */
function pseudoElementText(element, pseudo) {
  if (!mayHaveGeneratedContent(element)) return '';
  const style = styleOf(element, pseudo);
  const content = style.content;
  if (
    !content || content === 'none' || content === 'normal' || style.display === 'none' || style.visibility !== 'visible'
  ) return '';
  const text = transformCase(textOfContentProperty(element, pseudo, content), style.textTransform);
  return style.display === 'inline' ? text : ` ${text} `;
}

/** Return the text of a CSS `content` value. After a slash comes its alternative text: `content: url(x) / "alternative"`. */
function textOfContentProperty(element, pseudo, content) {
  if (content === 'open-quote') return '“';
  if (content === 'close-quote') return '”';
  const slash = content.search(/\/\s*(?:"|attr|counter)/);
  const spoken = slash < 0 || isInsideQuotes(content, slash) ? content : content.slice(slash + 1);
  let text = '';
  for (const [, quoted, kind, inside] of spoken.matchAll(GENERATED)) {
    if (quoted !== undefined) text += quoted.replace(/\\(.)/g, '$1');
    else if (kind) text += counterText(element, pseudo.slice(2), kind, inside);
  }
  if (!spoken.includes('counter')) return text;
  return pseudo === '::before' ? text.replace(/\w$/, '$& ') : text.replace(/^\w/, ' $&'); // a number is no part of a word
}

// A text, a counter, or another function, which says nothing.
const GENERATED = /"((?:[^"\\]|\\.)*)"|(counters?)\(((?:"[^"]*"|[^)"])*)\)|[a-z-]+\((?:"(?:[^"\\]|\\.)*"|[^")])*\)/g;

/** Whether the character at an index of a CSS value stands inside of a quoted string. */
function isInsideQuotes(content, index) {
  return (content.slice(0, index).match(/(?<!\\)"/g) || []).length % 2 === 1;
}

// CSS counters in generated content: `h2::before { content: counter(part) ". " }`. No script is told their values, so they are
// counted here, over the elements that some rule counts or numbers with. Asked only once a name has such content.

/** Return the values of the CSS counters in the tree of an element, as `computeCounters` finds them. */
const countersOf = (element) => countedTrees.of(treeOf(element));
const countedTrees = new PerCallCache(computeCounters);

/**
 * Compute the CSS counters of a document or shadow root: { before, after }, each a map from element to (counter name → values of its
 * nested scopes, outermost first).
 */
function computeCounters(root) {
  const found = { before: new Map(), after: new Map() };
  const selectors = new Set(['[style*="counter-"]']);
  for (const sheet of sheetsOf(root)) addCounterSelectors(sheet, selectors);
  const scopes = new Map();
  for (
    const element of nodeTypeOf(root) === 9
      ? queryInDocument(root, [...selectors].join())
      : queryInFragment(root, [...selectors].join())
  ) {
    applyCounterProperties(element, styleOf(element), scopes);
    for (const place of ['before', 'after']) {
      const style = styleOf(element, `::${place}`);
      if (style.content === 'none' || style.content === 'normal') continue;
      applyCounterProperties(element, style, scopes);
      found[place].set(element, new Map([...scopes].map(([name, stack]) => [name, stack.map((scope) => scope.value)])));
    }
  }
  return found;
}

/** Add the selectors of all rules that set or show counters, without their pseudo-elements. */
function addCounterSelectors(sheet, selectors) {
  for (const rule of rulesOf(sheet) ?? []) {
    if (rule.selectorText && usesCounters(rule.style))
      selectors.add(rule.selectorText.replace(/::?(?:before|after|marker)/g, '') || '*');
    if (rule.styleSheet) addCounterSelectors(rule.styleSheet, selectors);
    if (rule.cssRules && rule.cssRules.length) addCounterSelectors(rule, selectors);
  }
}

/** Whether a style sets or shows CSS counters. */
const usesCounters = (style) =>
  style.content.includes('counter') || style.counterReset !== '' || style.counterIncrement !== ''
  || style.counterSet !== '';

/**
 * Apply the `counter-reset`, `counter-increment` and `counter-set` of an element. A counter holds for the element that made it, its later
 * siblings, and all inside of those.
 */
function applyCounterProperties(element, style, scopes) {
  const parent = parentNodeOf(element);
  for (const [name, stack] of scopes) {
    while (stack.length && !containsNode(stack.at(-1).parent, element)) stack.pop();
    if (!stack.length) scopes.delete(name);
  }
  for (const [name, value] of parseCounterList(style.counterReset, 0)) {
    const stack = scopes.get(name) ?? [];
    if (stack.at(-1)?.parent === parent) stack.pop();
    scopes.set(name, [...stack, { parent, value }]);
  }
  for (const [name, by] of parseCounterList(style.counterIncrement, 1))
    innermostScope(scopes, name, parent).value += by;
  for (const [name, value] of parseCounterList(style.counterSet, 0)) innermostScope(scopes, name, parent).value = value;
}

/** Return the innermost scope of a counter; make one if there is none. */
function innermostScope(scopes, name, parent) {
  if (!scopes.has(name)) scopes.set(name, [{ parent, value: 0 }]);
  return scopes.get(name).at(-1);
}

/** Parse the value of a counter property, with a default for missing numbers: "a 2 b 3" → [["a", 2], ["b", 3]]. */
function parseCounterList(text, value) {
  if (!text || text === 'none') return [];
  return [...text.matchAll(/(-?[^\s\d-][^\s]*)(?:\s+(-?\d+))?/g)].map((
    [, name, number],
  ) => [name, number === undefined ? value : Number(number)]);
}

/**
 * Return the text of `counter(name, style)` or `counters(name, "separator", style)`. `place`: "before" or "after"; `kind`: the function;
 * `inside`: its arguments.
 */
function counterText(element, place, kind, inside) {
  const [name, ...rest] = inside.split(',').map((part) => part.trim());
  const values = countersOf(element)[place].get(element)?.get(name) ?? [];
  const separator = kind === 'counters' ? rest.shift()?.replace(/^"|"$/g, '') ?? '' : '';
  const shown = kind === 'counters' ? values : values.slice(-1);
  return shown.map((value) => formatCounter(value, rest[0] || 'decimal')).join(separator);
}

/** @type {[number, string][]} */
const ROMAN = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

/** Format a counter's value in a CSS list style such as `upper-roman`. */
function formatCounter(value, style) {
  const text = /alpha|latin/.test(style)
    ? alphabeticNumeral(value)
    : /roman/.test(style)
    ? romanNumeral(value)
    : style === 'decimal-leading-zero'
    ? String(value).padStart(2, '0')
    : String(value);
  return style.startsWith('upper') ? text.toUpperCase() : text;
}

/** Write a number in letters: 1 is "a", 27 is "aa". */
function alphabeticNumeral(value) {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(97 + (rest - 1) % 26) + text;
  return text || String(value);
}

/** Write a number in lower-case Roman numerals. */
function romanNumeral(value) {
  if (value <= 0 || value >= 4000) return String(value);
  let [text, rest] = ['', value];
  for (const [size, letters] of ROMAN) for (; rest >= size; rest -= size) text += letters;
  return text;
}
