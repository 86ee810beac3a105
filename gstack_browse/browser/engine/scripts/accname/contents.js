// Names from content (step F of accname 1.2): the text of an element, with text and counters that style sheets add.

import { roleOf } from './roles.js';
import { computeName, ownersByElement } from './names.js';
import {
  childElementCountOf,
  containsNode,
  dataOf,
  localNameOf,
  nodeTypeOf,
  parentNodeOf,
  queryInDocument,
  queryInFragment,
  styleOf,
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
import {
  mayHaveGeneratedContent,
  mayTransformText,
  rulesOf,
  sheetsOf,
  unescapeCss,
} from '../visibility/style-sheets.js';
import { hiddenExtent, isHiddenByAttribute, isHiddenSvgGroup } from '../visibility/hidden.js';
import { hidesItsText, lengthOf } from '../visibility/text-visibility.js';
import { kindOf } from './kinds.js';

/**
 * Return the name of an element from its content (accname step 2F): `::before`, the children in order, `::after`, with blanks around
 * blocks. `budget.left`: characters that may still be read; `options`: `NameOptions`.
 */
export function contentName(element, budget, options) {
  const only = textWithoutElements(element);
  if (only !== null && !mayHaveGeneratedContent(element)) {
    budget.left -= countReadableCharacters(only);
    return options.evenHidden ? only : shownText(only, element);
  }
  const parts = [pseudoElementText(element, '::before')];
  for (const child of childrenForName(element)) {
    if (budget.left <= 0) break;
    parts.push(isText(child) ? textName(child, element, budget, options) : childName(child, budget, options));
  }
  parts.push(pseudoElementText(element, '::after'));
  return parts.join('');
}

/** Yield the children of an element, without those that another element owns by `aria-owns`, then the elements that it owns itself. */
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

/** Return the text of an element whose children are only text nodes; null for any other. A fast path: most elements are so. */
export function textWithoutElements(element) {
  if (childElementCountOf(element) > 0 || shadowRootOf(element) !== null || isSlot(element)) return null;
  return hasAttrs(element) && hasAttr(element, 'aria-owns') ? null : textContentOf(element);
}

/**
 * Return what a text node in `parent` adds to a name: its text as displayed, or as in the source if `options.evenHidden`. Subtract its
 * length from `budget.left`, the number of characters that may still be read.
 */
function textName(node, parent, budget, options) {
  const text = dataOf(node);
  budget.left -= countReadableCharacters(text);
  return options.evenHidden ? text : shownText(text, parent);
}

const SPACES = /\s\s/;
/** Count the characters of a text; a run of white space, such as the markup's indentation, counts as one. */
const countReadableCharacters = (text) => SPACES.test(text) ? lengthOf(text) : text.length;

// Whether names are computed without regard to `text-transform`.
let ignoresTextTransform = false;
/** Return the result of a function `compute`, which computes names: with `text-transform` ignored in them. */
export function ignoringTextTransform(compute) {
  ignoresTextTransform = true;
  try {
    return compute();
  } finally {
    ignoresTextTransform = false;
  }
}

/** Return `text`, which is in an element, as displayed: after `text-transform`. Chromium's accessibility tree has it so, too. */
export function shownText(text, element) {
  return mayTransformText(element) ? transformCase(text, styleOf(element).textTransform) : text;
}

/** Return a text after `transform`, a value of `text-transform`; unchanged within `ignoringTextTransform`. */
function transformCase(text, transform) {
  switch (ignoresTextTransform ? '' : transform) {
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

/**
 * Return what a child node contributes to the name of its parent; " " for one that is left out, but separates words. `budget`, `options`:
 * `NameBudget`, `NameOptions`.
 */
function childName(child, budget, options) {
  if (!isElement(child) || budget.visited.has(child)) return '';
  if (child === options.labelled) return hiddenExtent(child) === 'all' ? '' : ' ';
  const tag = localNameOf(child);
  if (tag === 'br' || tag === 'wbr') return tag === 'br' ? ' ' : '';
  if (options.branch && isTreeBranch(child) || options.visibleOnly && hidesItsText(child)) return '';
  if (options.withoutControls && kindOf(roleOf(child)).operable || options.withoutRoles?.has(roleOf(child))) return ' ';
  if (TAGS_LEFT_OUT_OF_NAMES.has(tag) || tag === 'g' && !options.evenHidden && isHiddenSvgGroup(child)) return '';
  const hidden = options.evenHidden ? '' : hiddenExtent(child);
  if (hidden === 'all' || !options.evenHidden && hasAttrs(child) && isHiddenByAttribute(child)) return '';
  const text = hidden === 'text'
    ? visibleDescendantsName(child, budget, options)
    : computeName(child, roleOf(child), budget, { ...options, top: false, self: false });
  return isInline(child) ? text : ` ${text} `;
}

const TAGS_LEFT_OUT_OF_NAMES = new Set(['script', 'style', 'template', 'noscript', 'defs', 'symbol', 'clipPath']);

/** Return whether a child of a tree item is an item or group nested in it, which is no part of its name. */
const isTreeBranch = (child) => {
  const role = roleOf(child);
  return role === 'group' || role === 'treeitem';
};

/** Return the text of the visible descendants of an element with `visibility: hidden`. `budget`, `options`: `NameBudget`, `NameOptions`. */
function visibleDescendantsName(element, budget, options) {
  return [...childrenOf(element)].filter(isElement).map((child) => childName(child, budget, options)).join('');
}

/** Return whether an element is laid out inline, so that its text joins the text around it without a blank. */
function isInline(element) {
  const display = styleOf(element).display;
  return display === 'inline' || display === 'contents' || display === '';
}

/**
 * Return the displayed text of an element's `::before` or `::after` (`pseudo`); "" for none. To read the style of a pseudo-element takes
 * about 2 µs, so it is read only if a style sheet has a rule for one.
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

/**
 * Return the text that a value of the CSS property `content` displays, or its alternative text if it has one (`url(x) / "alternative"`).
 * `element`, `pseudo` ("::before" or "::after"): where it stands, for the values of CSS counters.
 */
function textOfContentProperty(element, pseudo, content) {
  if (content === 'open-quote') return '“';
  if (content === 'close-quote') return '”';
  const spoken = content.replace(BEFORE_ALTERNATIVE, '');
  let text = '';
  for (const [, quoted, kind, argumentList] of spoken.matchAll(CONTENT_PARTS)) {
    if (quoted !== undefined) text += unescapeCss(quoted);
    else if (kind) text += counterText(element, pseudo.slice(2), kind, argumentList);
  }
  if (!spoken.includes('counter')) return text;
  return pseudo === '::before' ? text.replace(/\w$/, '$& ') : text.replace(/^\w/, ' $&'); // separate the counter from the next word
}

// A quoted string, a counter, or another function, which has no text.
const CONTENT_PARTS =
  /"((?:[^"\\]|\\.)*)"|(counters?)\(((?:"[^"]*"|[^)"])*)\)|[a-z-]+\((?:"(?:[^"\\]|\\.)*"|[^")])*\)/g;

// The content before an alternative text, with the slash between them. A slash in a quoted string or a colour is another one.
const BEFORE_ALTERNATIVE = /^(?:"(?:[^"\\]|\\.)*"|[^"])*?\/\s*(?="|attr|counter)/;

// CSS counters in generated content: `h2::before { content: counter(part) ". " }`. No API tells their values, so they are computed here
// once a name has such content, over all elements whose rules set or show counters.

const countersOfTrees = new PerCallCache(computeCounters);

/**
 * Compute the values of CSS counters in all `::before` and `::after` of a document or shadow root. Return { before, after }, each a Map of
 * elements to Maps: counter name → its values in nested scopes, outermost first.
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

/**
 * Add to the Set `selectors` the selectors of all rules in a style sheet, and in those it imports, that set or show CSS counters. Their
 * pseudo-elements are removed.
 */
function addCounterSelectors(sheet, selectors) {
  for (const rule of rulesOf(sheet) ?? []) {
    if (rule.selectorText && usesCounters(rule.style))
      selectors.add(rule.selectorText.replace(/::?(?:before|after|marker)/g, '') || '*');
    if (rule.styleSheet) addCounterSelectors(rule.styleSheet, selectors);
    if (rule.cssRules && rule.cssRules.length) addCounterSelectors(rule, selectors);
  }
}

/** Return whether a style sets or shows CSS counters. */
const usesCounters = (style) =>
  style.content.includes('counter') || style.counterReset !== '' || style.counterIncrement !== ''
  || style.counterSet !== '';

/**
 * Apply the `counter-reset`, `counter-increment` and `counter-set` in the style of an element or pseudo-element to `scopes`, a Map: counter
 * name → stack of { parent, value }. The scope of a counter is the element that made it, its later siblings, and the descendants of these.
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

/**
 * Return the innermost scope { parent, value } of the counter `name` in `scopes`, a Map: counter name → stack of such scopes; if there is
 * none, make one for the children of `parent`.
 */
function innermostScope(scopes, name, parent) {
  if (!scopes.has(name)) scopes.set(name, [{ parent, value: 0 }]);
  return scopes.get(name).at(-1);
}

/** Parse the value of a counter property: "a 2 b" → [["a", 2], ["b", defaultNumber]]. */
function parseCounterList(text, defaultNumber) {
  if (!text || text === 'none') return [];
  return [...text.matchAll(/(-?[^\s\d-][^\s]*)(?:\s+(-?\d+))?/g)].map((
    [, name, number],
  ) => [name, number === undefined ? defaultNumber : Number(number)]);
}

/**
 * Return the text of `counter(name, style)` or `counters(name, "separator", style)`. `place`: "before" or "after", the pseudo-element;
 * `kind`: "counter" or "counters"; `argumentList`: what stands in the brackets.
 */
function counterText(element, place, kind, argumentList) {
  const [name, ...rest] = argumentList.split(',').map((part) => part.trim());
  const values = countersOfTrees.of(treeOf(element))[place].get(element)?.get(name) ?? [];
  const separator = kind === 'counters' ? rest.shift()?.replace(/^"|"$/g, '') ?? '' : '';
  const shown = kind === 'counters' ? values : values.slice(-1);
  return shown.map((value) => formatCounter(value, rest[0] || 'decimal')).join(separator);
}

const ROMAN = Object.entries({
  m: 1000,
  cm: 900,
  d: 500,
  cd: 400,
  c: 100,
  xc: 90,
  l: 50,
  xl: 40,
  x: 10,
  ix: 9,
  v: 5,
  iv: 4,
  i: 1,
});

/** Format a counter's value: in Roman numerals if its CSS list style says so, else in digits. */
function formatCounter(value, style) {
  const text = style.includes('roman') ? romanNumeral(value) : String(value);
  return style.startsWith('upper') ? text.toUpperCase() : text;
}

/** Write a number in lower-case Roman numerals. */
function romanNumeral(value) {
  if (value <= 0 || value >= 4000) return String(value);
  let [text, rest] = ['', value];
  for (const [letters, size] of ROMAN) for (; rest >= size; rest -= size) text += letters;
  return text;
}
