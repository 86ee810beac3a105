// CSS counters in generated content: `h2::before { content: counter(part) ". " }`. No script is told their values, so they are
// counted here, over the elements that some rule counts or numbers with. Asked only once a name has such content.

import { containsNode, nodeTypeOf, parentNodeOf, queryInDocument, queryInFragment } from './engine-accessors.js';
import { OfTrees, treeOf } from './engine-dom.js';
import { styleOf } from './engine-hidden.js';
import { rulesOf, sheetsOf } from './engine-sheets.js';

const countersOf = (element) => countedTrees.of(treeOf(element));
const countedTrees = new OfTrees(countIn);

// The values of all counters in the ::before and ::after of each element: name → those of all scopes, outermost first.
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

// The selectors of rules that count or number, without their pseudo-elements.
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

// A counter holds for the element that made it, what follows beside that, and all inside of those.
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

// "a 2 b 3" → [["a", 2], ["b", 3]].
function pairs(text, value) {
  if (!text || text === 'none') return [];
  return [...text.matchAll(/(-?[^\s\d-][^\s]*)(?:\s+(-?\d+))?/g)].map((
    [, name, number],
  ) => [name, number === undefined ? value : Number(number)]);
}

// `counter(name, style)`, `counters(name, "separator", style)`: what stands there.
export function counterText(element, place, kind, inside) {
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
