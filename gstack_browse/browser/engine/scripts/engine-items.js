// Items of what listens: a list, the body of a table, a menu or a calendar made of plain boxes listens for what is in it, which is pressed.
// Seen in w2ui 2.0, jSuites 5 and Wunderbaum 0.14, whose box was one line, called after all its items.

import { childElementCountOf, closest, dataOf, localNameOf, parentNodeOf, textContentOf } from './engine-accessors.js';
import { attr, childrenOf, isElement, isText, words } from './engine-dom.js';
import { styleOf } from './engine-hidden.js';
import { isLitWhenHovered } from './engine-hovered.js';
import { tagOf } from './engine-kinds.js';

const LEAST_ITEMS = 3;
const ENOUGH = 2 / 3; // of what is in a list are items
const LOOKED_AT = 60;
const LONGEST = 80; // characters: more is a text
const LEVELS_DOWN = 4;
const LARGE = 0.5; // of the longest list
const LISTS_OF_HTML = words('ul ol tbody');
const ITEMS = words('li tr');
const NO_ITEMS = words('p pre td th'); // texts, and parts of rows
const ROLES_OF_ITEMS = words('listitem none presentation');
const TEXTS = 'pre,code,[contenteditable]:not([contenteditable=false])';

const itemsIn = new WeakMap(); // of a list, what its items have in common
const listsOf = new WeakMap(); // of what listens, the lists for whose items it does
let listsMet = false;

// A list, or the body of a table, that listens itself and holds nothing else to press.
export function noteList(element) {
  if (LISTS_OF_HTML.has(localNameOf(element))) listsOf.set(element, [element]);
  listsMet ||= LISTS_OF_HTML.has(localNameOf(element));
}

export const isItemOfListener = (element, tag) => listsMet && isItemOf(parentNodeOf(element), element, tag);

const isItemOf = (parent, element, tag) =>
  ITEMS.has(tag.name) && listsOf.get(parent)?.[0] === parent
  || itemsIn.has(parent) && itemsIn.get(parent) === kindOfItem(element);

// Whether something that listens, and holds no control, does so for its items. What has the hand is pressed as a whole, unless each of its
// items looks another way while the pointer is over it.
export function listensForItems(element, hasHand) {
  forgetItems(element);
  if (LISTS_OF_HTML.has(localNameOf(element))) return false;
  const found = childElementCountOf(element) > 0 && closest(element, TEXTS) === null ? listsIn(element) : [];
  const areMeant = found.length > 0
    && (!hasHand || found.every(({ first }) => isLitWhenHovered(first, tagOf(first), false)));
  listsOf.set(element, areMeant ? found.map(({ list }) => list) : []);
  if (!areMeant) return false;
  listsMet = true;
  for (const { list, kind } of found) itemsIn.set(list, kind);
  return true;
}

export function forgetItems(element) {
  for (const list of listsOf.get(element) ?? []) itemsIn.delete(list);
}

export const isListing = (element) =>
  !LISTS_OF_HTML.has(localNameOf(element)) && (listsOf.get(element)?.length ?? 0) > 0;

// The first lists on the way down. Beside the days of a month their few heads are none.
function listsIn(element) {
  let list = element;
  for (let level = 0; level < LEVELS_DOWN; level++) {
    const parts = partsOf(list);
    const items = itemsAmong(parts);
    if (items.length > 0) return inRows(list, items).flatMap(pressed);
    const holding = parts.map((part) => ({ list: part, items: itemsAmong(partsOf(part)) }));
    const most = Math.max(0, ...holding.map((part) => part.items.length));
    const large = holding.filter((part) => part.items.length > 0 && part.items.length >= most * LARGE);
    if (large.length > 0) return large.flatMap((part) => inRows(part.list, part.items)).flatMap(pressed);
    if (parts.length !== 1) return [];
    list = parts[0];
  }
  return [];
}

// If each of the items holds items itself, the items are rows.
function inRows(list, items) {
  const rows = items.map((row) => ({ list: row, items: itemsAmong(partsOf(row)) }));
  return rows.every((row) => row.items.length > 0) ? rows : [{ list, items }];
}

const pressed = ({ list, items }) => {
  const [first] = items;
  const { display, cursor } = styleOf(first);
  return display === 'inline' || cursor === 'text' ? [] : [{ list, first, kind: kindOfItem(first) }];
};

// The elements in a list; none where it has words of its own.
function partsOf(list) {
  const parts = [];
  for (const child of childrenOf(list)) {
    if (isText(child) && dataOf(child).trim() !== '') return [];
    if (isElement(child) && !tagOf(child).silent) parts.push(child);
    if (parts.length === LOOKED_AT) break;
  }
  return parts;
}

// The parts that are of one kind and have a few words each, if nearly all are; else none.
function itemsAmong(parts) {
  if (parts.length < LEAST_ITEMS) return [];
  const byKind = Map.groupBy(parts, kindOfItem);
  byKind.delete('');
  const most = [...byKind.values()].reduce((one, other) => other.length > one.length ? other : one, []);
  if (most.length < LEAST_ITEMS || most.length < ENOUGH * parts.length) return [];
  const lengths = most.map((item) => textContentOf(item).trim().length);
  return lengths.every((length) => length > 0 && length <= LONGEST) ? most : [];
}

// Its tag, its role and its first class; "" for what has neither role nor class, for texts, and for what says by its role that it is something else.
function kindOfItem(element) {
  const role = attr(element, 'role') ?? '';
  const name = /\S+/.exec(attr(element, 'class') ?? '')?.[0] ?? '';
  const tag = localNameOf(element);
  const isNone = NO_ITEMS.has(tag) || (role === '' ? name === '' : !ROLES_OF_ITEMS.has(role));
  return isNone ? '' : `${tag} ${role} ${name}`;
}
