// Names from content (step F of accname 1.2): the text of an element, with what style sheets and their counters add to it.

import { kindOf } from './kinds.js';
import { nameFrom, ownedBeside } from './names.js';
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
  OfTrees,
  referenced,
  shadowRootOf,
  treeOf,
} from '../dom/dom.js';
import { hasGenerated, isTransforming, rulesOf, sheetsOf } from '../dom/style-sheets.js';
import { hiddenness, isClosedOff, isUndrawnGroup, styleOf } from '../visibility/hidden.js';
import { isUnseen, lengthOf } from '../visibility/unseen.js';

/** F: before, the children in order, after. Blocks are set off by blanks, inline pieces are not. */
export function contentName(element, budget, how) {
  const only = onlyText(element);
  if (only !== null && !hasGenerated(element)) {
    budget.left -= charactersOf(only);
    return how.evenHidden ? only : shownText(only, element);
  }
  const parts = [generated(element, '::before')];
  for (const child of childrenForName(element)) {
    if (budget.left <= 0) break;
    parts.push(isText(child) ? textName(child, element, budget, how) : childName(child, budget, how));
  }
  parts.push(generated(element, '::after'));
  return parts.join('');
}

/** In its own place nothing is told that aria-owns has moved to another. */
function* childrenForName(element) {
  const owned = ownedBeside(element);
  if (owned === null) {
    yield* childrenOf(element);
    return;
  }
  for (const child of childrenOf(element)) if (!owned.has(child)) yield child;
  if (hasAttrs(element) && hasAttr(element, 'aria-owns')) {
    for (const node of referenced(element, 'aria-owns')) if (owned.get(node) === element) yield node;
  }
}

/** The text of an element that holds nothing else, else null: by far the most frequent case, and cheap without its nodes. */
export function onlyText(element) {
  if (childElementCountOf(element) > 0 || shadowRootOf(element) !== null || isSlot(element)) return null;
  return hasAttrs(element) && hasAttr(element, 'aria-owns') ? null : textContentOf(element);
}

function textName(node, parent, budget, how) {
  const text = dataOf(node);
  budget.left -= charactersOf(text);
  return how.evenHidden ? text : shownText(text, parent);
}

// How many a person reads: the indentation of the markup is none of them.
const SPACES = /\s\s/;
const charactersOf = (text) => SPACES.test(text) ? lengthOf(text) : text.length;

// Whether names are computed with the letters of the markup, not with those that `text-transform` makes of them.
let areLettersWritten = false;
/** Call a function that computes a name, which ignores `text-transform` meanwhile. */
export function inWrittenLetters(computeName) {
  areLettersWritten = true;
  try {
    return computeName();
  } finally {
    areLettersWritten = false;
  }
}

/** Text as it is read: in the letters that `text-transform` makes of it, as Chromium tells it too. */
export function shownText(text, element) {
  return isTransforming(element) ? transformed(text, styleOf(element).textTransform) : text;
}

function transformed(text, how) {
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

function childName(child, budget, how) {
  if (!isElement(child) || budget.visited.has(child)) return '';
  if (child === how.labels) return hiddenness(child) === 'none' ? '' : ' '; // its place stays
  const tag = localNameOf(child);
  if (tag === 'br' || tag === 'wbr') return tag === 'br' ? ' ' : '';
  if (how.branch && isBranchOf(child) || how.seen && isUnseen(child)) return '';
  if (how.withoutControls && kindOf(roleOf(child)).operable || how.without?.has(roleOf(child))) return ' ';
  if (NOT_READ.has(tag) || tag === 'g' && !how.evenHidden && isUndrawnGroup(child)) return '';
  const hidden = how.evenHidden ? '' : hiddenness(child);
  if (hidden === 'none' || !how.evenHidden && hasAttrs(child) && isClosedOff(child)) return '';
  const text = hidden === 'self'
    ? visiblePartsOf(child, budget, how)
    : nameFrom(child, roleOf(child), budget, { ...how, top: false, referenced: false, self: false });
  return isInline(child) ? text : ` ${text} `;
}

const NOT_READ = new Set(['script', 'style', 'template', 'noscript', 'defs', 'symbol', 'clipPath']);

/** A tree item is called by its own line, not by all that is below it. */
const isBranchOf = (child) => {
  const role = roleOf(child);
  return role === 'group' || role === 'treeitem';
};

/** visibility:hidden with visible children: only those speak. */
function visiblePartsOf(element, budget, how) {
  return [...childrenOf(element)].filter(isElement).map((child) => childName(child, budget, how)).join('');
}

function isInline(element) {
  const display = styleOf(element).display;
  return display === 'inline' || display === 'contents' || display === '';
}

/** Generated content. Asking for the style of a pseudo-element is dear (about 2 µs), so only where a sheet has one. */
function generated(element, pseudo) {
  if (!hasGenerated(element)) return '';
  const style = styleOf(element, pseudo);
  const content = style.content;
  if (
    !content || content === 'none' || content === 'normal' || style.display === 'none' || style.visibility !== 'visible'
  ) return '';
  const text = transformed(generatedText(element, pseudo, content), style.textTransform);
  return style.display === 'inline' ? text : ` ${text} `;
}

/** `content: url(x) / "alternative"`: after the slash comes what is said instead. */
function generatedText(element, pseudo, content) {
  if (content === 'open-quote') return '“';
  if (content === 'close-quote') return '”';
  const slash = content.search(/\/\s*(?:"|attr|counter)/);
  const spoken = slash < 0 || insideQuotes(content, slash) ? content : content.slice(slash + 1);
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

function insideQuotes(content, index) {
  return (content.slice(0, index).match(/(?<!\\)"/g) || []).length % 2 === 1;
}

// CSS counters in generated content: `h2::before { content: counter(part) ". " }`. No script is told their values, so they are
// counted here, over the elements that some rule counts or numbers with. Asked only once a name has such content.

const countersOf = (element) => countedTrees.of(treeOf(element));
const countedTrees = new OfTrees(countIn);

/** The values of all counters in the ::before and ::after of each element: name → those of all scopes, outermost first. */
function countIn(root) {
  const found = { before: new Map(), after: new Map() };
  const selectors = new Set(['[style*="counter-"]']);
  for (const sheet of sheetsOf(root)) noteCounting(sheet, selectors);
  const scopes = new Map();
  for (
    const element of nodeTypeOf(root) === 9
      ? queryInDocument(root, [...selectors].join())
      : queryInFragment(root, [...selectors].join())
  ) {
    count(element, styleOf(element), scopes);
    for (const place of ['before', 'after']) {
      const style = styleOf(element, `::${place}`);
      if (style.content === 'none' || style.content === 'normal') continue;
      count(element, style, scopes);
      found[place].set(element, new Map([...scopes].map(([name, stack]) => [name, stack.map((scope) => scope.value)])));
    }
  }
  return found;
}

/** The selectors of rules that count or number, without their pseudo-elements. */
function noteCounting(sheet, selectors) {
  for (const rule of rulesOf(sheet) ?? []) {
    if (rule.selectorText && counts(rule.style))
      selectors.add(rule.selectorText.replace(/::?(?:before|after|marker)/g, '') || '*');
    if (rule.styleSheet) noteCounting(rule.styleSheet, selectors);
    if (rule.cssRules && rule.cssRules.length) noteCounting(rule, selectors);
  }
}

const counts = (style) =>
  style.content.includes('counter') || style.counterReset !== '' || style.counterIncrement !== ''
  || style.counterSet !== '';

/** A counter holds for the element that made it, what follows beside that, and all inside of those. */
function count(element, style, scopes) {
  const parent = parentNodeOf(element);
  for (const [name, stack] of scopes) {
    while (stack.length && !containsNode(stack.at(-1).parent, element)) stack.pop();
    if (!stack.length) scopes.delete(name);
  }
  for (const [name, value] of pairs(style.counterReset, 0)) {
    const stack = scopes.get(name) ?? [];
    if (stack.at(-1)?.parent === parent) stack.pop();
    scopes.set(name, [...stack, { parent, value }]);
  }
  for (const [name, by] of pairs(style.counterIncrement, 1)) innermost(scopes, name, parent).value += by;
  for (const [name, value] of pairs(style.counterSet, 0)) innermost(scopes, name, parent).value = value;
}

function innermost(scopes, name, parent) {
  if (!scopes.has(name)) scopes.set(name, [{ parent, value: 0 }]);
  return scopes.get(name).at(-1);
}

/** "a 2 b 3" → [["a", 2], ["b", 3]]. */
function pairs(text, value) {
  if (!text || text === 'none') return [];
  return [...text.matchAll(/(-?[^\s\d-][^\s]*)(?:\s+(-?\d+))?/g)].map((
    [, name, number],
  ) => [name, number === undefined ? value : Number(number)]);
}

/** `counter(name, style)`, `counters(name, "separator", style)`: what stands there. */
function counterText(element, place, kind, inside) {
  const [name, ...rest] = inside.split(',').map((part) => part.trim());
  const values = countersOf(element)[place].get(element)?.get(name) ?? [];
  const separator = kind === 'counters' ? rest.shift()?.replace(/^"|"$/g, '') ?? '' : '';
  const shown = kind === 'counters' ? values : values.slice(-1);
  return shown.map((value) => inStyle(value, rest[0] || 'decimal')).join(separator);
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

function inStyle(value, style) {
  const text = /alpha|latin/.test(style)
    ? lettersOf(value)
    : /roman/.test(style)
    ? romanOf(value)
    : style === 'decimal-leading-zero'
    ? String(value).padStart(2, '0')
    : String(value);
  return style.startsWith('upper') ? text.toUpperCase() : text;
}

function lettersOf(value) {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(97 + (rest - 1) % 26) + text;
  return text || String(value);
}

function romanOf(value) {
  if (value <= 0 || value >= 4000) return String(value);
  let [text, rest] = ['', value];
  for (const [size, letters] of ROMAN) for (; rest >= size; rest -= size) text += letters;
  return text;
}
