// Names from content (step F of accname 1.2): the text of an element, with what style sheets add to it and make of it.

import { childElementCountOf, dataOf, localNameOf, textContentOf } from './engine-accessors.js';
import { childrenOf, hasAttr, hasAttrs, isElement, isSlot, isText, referenced, shadowRootOf } from './engine-dom.js';
import { roleOf } from './engine-roles.js';
import { hiddenness, isClosedOff, isUndrawnGroup, styleOf } from './engine-hidden.js';
import { hasGenerated, isTransforming } from './engine-sheets.js';
import { ownedBeside } from './engine-relations.js';
import { nameFrom } from './engine-names.js';
import { counterText } from './engine-counters.js';
import { kindOf } from './engine-kinds.js';
import { isUnseen, lengthOf } from './engine-unseen.js';

// F: before, the children in order, after. Blocks are set off by blanks, inline pieces are not.
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

// In its own place nothing is told that aria-owns has moved to another.
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

// The text of an element that holds nothing else, else null: by far the most frequent case, and cheap without its nodes.
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

// Text as it is read: in the letters that `text-transform` makes of it, as Chromium tells it too.
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

// A tree item is called by its own line, not by all that is below it.
const isBranchOf = (child) => {
  const role = roleOf(child);
  return role === 'group' || role === 'treeitem';
};

// visibility:hidden with visible children: only those speak.
function visiblePartsOf(element, budget, how) {
  return [...childrenOf(element)].filter(isElement).map((child) => childName(child, budget, how)).join('');
}

function isInline(element) {
  const display = styleOf(element).display;
  return display === 'inline' || display === 'contents' || display === '';
}

// Generated content. Asking for the style of a pseudo-element is dear (about 2 µs), so only where a sheet has one.
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

// `content: url(x) / "alternative"`: after the slash comes what is said instead.
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
