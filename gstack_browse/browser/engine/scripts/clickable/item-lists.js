// Lists, table bodies, menus and calendars often have one listener for all their items. Then the items are listed, and not the list, whose
// name would be the text of all its items. Seen in w2ui 2.0, jSuites 5 and Wunderbaum 0.14.

import { roleAttributeOf, tagOf } from '../accname/roles.js';
import {
  childElementCountOf,
  closest,
  dataOf,
  localNameOf,
  parentNodeOf,
  styleOf,
  textContentOf,
} from '../dom/accessors.js';
import { attr, childrenOf, isElement, isText, wordSet } from '../dom/dom.js';
import { isHighlightedOnHover } from '../visibility/style-sheets.js';

const MIN_ITEMS = 3;
const MIN_ITEM_SHARE = 2 / 3; // of the children of a list have to be items
const MAX_CHILDREN_READ = 60;
const MAX_ITEM_TEXT = 80; // characters
const MAX_LEVELS_DOWN = 4;
const LARGE_LIST_SHARE = 0.5; // of the items of the longest list
const LIST_TAGS = wordSet('ul ol tbody');
const ITEM_TAGS = wordSet('li tr');
const TAGS_OF_NO_ITEM = wordSet('p pre td th'); // texts, and parts of rows
const ITEM_ROLES = wordSet('listitem none presentation');
const TEXT_CONTAINERS = 'pre,code,[contenteditable]:not([contenteditable=false])';

const itemKindByList = new WeakMap(); // list → `kindOfItem` of its items
const listsByListener = new WeakMap(); // listening element → the lists for whose items it listens
let hasListeningLists = false;

/** Remember an element that listens for clicks, if it is a list or table body: its listener is for its items. */
export function noteIfList(element) {
  if (LIST_TAGS.has(localNameOf(element))) listsByListener.set(element, [element]);
  hasListeningLists ||= LIST_TAGS.has(localNameOf(element));
}

/** Return whether an element is an item of a list (its parent) for whose items a click listener was found. `tag`: its `Tag`. */
export const isItemOfListener = (element, tag) => hasListeningLists && isItemOf(parentNodeOf(element), element, tag);

/** Return whether an element is an item of `parent`, if that is a list for whose items a click listener was found. `tag`: its `Tag`. */
const isItemOf = (parent, element, tag) =>
  ITEM_TAGS.has(tag.name) && listsByListener.get(parent)?.[0] === parent
  || itemKindByList.has(parent) && itemKindByList.get(parent) === kindOfItem(element);

/**
 * Find the lists in an element, which has a click listener and no controls, for whose items the listener is, and remember them. Return
 * whether there are any. An element with a pointer cursor (`hasPointer`) is pressed as a whole, unless each item is highlighted on hover.
 */
export function rememberItemLists(element, hasPointer) {
  forgetItemLists(element);
  if (LIST_TAGS.has(localNameOf(element))) return false;
  const found = childElementCountOf(element) > 0 && closest(element, TEXT_CONTAINERS) === null
    ? findItemLists(element)
    : [];
  const listensForThem = found.length > 0
    && (!hasPointer || found.every(({ first }) => isHighlightedOnHover(first, tagOf(first), false)));
  listsByListener.set(element, listensForThem ? found.map(({ list }) => list) : []);
  if (!listensForThem) return false;
  hasListeningLists = true;
  for (const { list, kind } of found) itemKindByList.set(list, kind);
  return true;
}

/** Forget the lists that `rememberItemLists` has found in an element. */
export function forgetItemLists(element) {
  for (const list of listsByListener.get(element) ?? []) itemKindByList.delete(list);
}

/** Return whether the click listener of an element is for items in it, and the element is no `<ul>`, `<ol>` or `<tbody>`. */
export const isListenerOfItems = (element) =>
  !LIST_TAGS.has(localNameOf(element)) && (listsByListener.get(element)?.length ?? 0) > 0;

/**
 * Find the outermost lists of similar elements in an element. Of several beside each other only the large ones count: not the weekdays
 * above the days of a month. Return [{ list, first: the first item, kind: tag, role and first class of the items }].
 */
function findItemLists(element) {
  let list = element;
  for (let level = 0; level < MAX_LEVELS_DOWN; level++) {
    const parts = childElementsOfList(list);
    const items = itemsAmong(parts);
    if (items.length > 0) return splitIntoRows(list, items).flatMap(describeItemList);
    const lists = parts.map((part) => ({ list: part, items: itemsAmong(childElementsOfList(part)) }));
    const most = Math.max(0, ...lists.map(({ items }) => items.length));
    const large = lists.filter(({ items }) => items.length > 0 && items.length >= most * LARGE_LIST_SHARE);
    if (large.length > 0)
      return large.flatMap(({ list, items }) => splitIntoRows(list, items)).flatMap(describeItemList);
    if (parts.length !== 1) return [];
    list = parts[0];
  }
  return [];
}

/** Return the rows of a list as lists of their own, if each of its items contains items; else the list itself. */
function splitIntoRows(list, items) {
  const rows = items.map((row) => ({ list: row, items: itemsAmong(childElementsOfList(row)) }));
  return rows.every((row) => row.items.length > 0) ? rows : [{ list, items }];
}

/**
 * Return [{ list, first: its first item, kind: tag, role and first class of the items }] for a list; [] if its items are parts of a text.
 */
const describeItemList = ({ list, items }) => {
  const [first] = items;
  const { display, cursor } = styleOf(first);
  return display === 'inline' || cursor === 'text' ? [] : [{ list, first, kind: kindOfItem(first) }];
};

/** Return the child elements of a list, the first 60; none where the list has text of its own. */
function childElementsOfList(list) {
  const parts = [];
  for (const child of childrenOf(list)) {
    if (isText(child) && dataOf(child).trim() !== '') return [];
    if (isElement(child) && !tagOf(child).isIgnored) parts.push(child);
    if (parts.length === MAX_CHILDREN_READ) break;
  }
  return parts;
}

/** Return those of the elements `parts` with equal tag, role and first class and a short text, if they are two thirds of all; else []. */
function itemsAmong(parts) {
  if (parts.length < MIN_ITEMS) return [];
  const byKind = Map.groupBy(parts, kindOfItem);
  byKind.delete('');
  const most = [...byKind.values()].reduce((one, other) => other.length > one.length ? other : one, []);
  if (most.length < MIN_ITEMS || most.length < MIN_ITEM_SHARE * parts.length) return [];
  const lengths = most.map((item) => textContentOf(item).trim().length);
  return lengths.every((length) => length > 0 && length <= MAX_ITEM_TEXT) ? most : [];
}

/**
 * Return tag, role and first class of an element as one text, to compare the items of a list: "li listitem card". Return "" for an element
 * that is no item: p, pre, td and th; a role other than listitem, none and presentation; neither role nor class.
 */
function kindOfItem(element) {
  const role = roleAttributeOf(element);
  const name = /\S+/.exec(attr(element, 'class') ?? '')?.[0] ?? '';
  const tag = localNameOf(element);
  const isNoItem = TAGS_OF_NO_ITEM.has(tag) || (role === '' ? name === '' : !ITEM_ROLES.has(role));
  return isNoItem ? '' : `${tag} ${role} ${name}`;
}
