// Click listeners that Python has found: whether they change the last walk, and which lists listen on behalf of their items.

import { kindOf } from '../accname/kinds.js';
import { roleOf, tagOf } from '../accname/roles.js';
import { contentRole } from '../accname/values.js';
import { clickReasons, delegatingListeners, listensForClicks, markListeners, NAMED_PARTS } from './clickable.js';
import {
  childElementCountOf,
  closest,
  dataOf,
  isConnected,
  localNameOf,
  method,
  nodeTypeOf,
  parentNodeOf,
  queryOne,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  beginCall,
  childrenOf,
  contentDocumentOf,
  exported,
  hasAttrs,
  hasOnlyPlainAttributes,
  isElement,
  isText,
  openShadowRootOf,
  queryOneIn,
  wordSet,
} from '../dom/dom.js';
import { aliveNodes } from '../dom/internals.js';
import { table } from '../dom/node-table.js';
import { isHighlightedOnHover } from '../dom/style-sheets.js';
import { hiddenExtent, isHiddenByAttribute, styleOf } from '../visibility/hidden.js';
import { elementsWalked, repeatWalk } from '../walk/walk.js';

// Most listeners do not change a snapshot: buttons and links are listed anyway, and a listener on the whole page belongs to a framework.
// Then the page is not walked again.

// The context of `clickReasons` outside of a walk: no ancestor has a pointer cursor, so no reason is left out.
const NO_CONTEXT = { cursor: '' };

/**
 * Mark elements as listening for clicks, and walk the page again if a snapshot may list one. Return a text of three parts: "+" if one of
 * them may listen on behalf of its descendants, else "-"; "!" if the page has changed since they were found, else "="; a new walk of the
 * page (with `options`), or "" if that would list none of them.
 */
function reportListeners(options, ...nodes) {
  beginCall();
  const before = elementsWalked();
  const walk = walkAgainIfListed(options, nodes);
  const hasChanged = elementsWalked() !== before || nodes.some((node) => !isConnected(node));
  return `${nodes.some(mayDelegate) ? '+' : '-'}${hasChanged ? '!' : '='}${walk}`;
}

/** Return whether a node may listen on behalf of its descendants. */
const mayDelegate = (node) => !isElement(node) || childElementCountOf(node) > 0 && !kindOf(roleOf(node)).operable;

/**
 * Mark elements as listening for clicks, as delegated.js has found them: `places`, their indices among all elements of the page;
 * `tags`, theirs; `elements`, the number of all. Return a new walk of the page (with `options`); "" if that would list none of them, or
 * the page has changed since. `hasTreesInside`: elements of shadow trees and frames count, too.
 */
function reportListenersByIndex(options, { elements, places, tags }, hasTreesInside) {
  const all = hasTreesInside ? elementsOfTrees() : allInDocument(document, '*');
  if (all.length !== elements || places.some((place, index) => localNameOf(all[place]) !== tags[index])) return '';
  const before = elementsWalked();
  const walk = walkAgainIfListed(options, places.map((place) => all[place]));
  return elementsWalked() === before ? walk : '';
}

const allInDocument = method(Document, 'querySelectorAll');
const allInFragment = method(DocumentFragment, 'querySelectorAll');
/** Return all elements of the document, its open shadow trees and its frames, in the order of delegated.js. */
function elementsOfTrees() {
  /** @type {any[]} */
  const trees = [document], all = [];
  for (const tree of trees) {
    const find = nodeTypeOf(tree) === 9 ? allInDocument : allInFragment;
    for (const element of find(tree, '*')) {
      all.push(element);
      const inside = openShadowRootOf(element);
      if (inside) trees.push(inside);
    }
    trees.push(...[...find(tree, 'iframe')].map(contentDocumentOf).filter(Boolean));
  }
  return all;
}

/** Mark nodes as listening for clicks. If a snapshot may list one for that, walk the page again and return the walk, else "". */
function walkAgainIfListed(options, nodes) {
  const newListeners = nodes.filter((node) => isElement(node) && !listensForClicks(node));
  const isInside = newListeners.some(isInsideListener); // asked before they are marked themselves
  markListeners(...nodes);
  const isNeeded = isInside || newListeners.length > 0 && hasGrid() || newListeners.some(mayBeListed);
  return isNeeded ? repeatWalk(options) : '';
}

/** Return whether a snapshot lists an ancestor of a node as listening for clicks: once the node listens, too, it may not do so any more. */
function isInsideListener(node) {
  for (const ancestor of ancestorsOf(node))
    if (listensForClicks(ancestor) && !delegatingListeners.has(ancestor)) return true;
  return false;
}

/** Return whether the page has a grid: its cells are listed if an element around them listens. */
const hasGrid = () => aliveNodes(table.trees).some((root) => queryOneIn(root, '[role*=grid i]') !== null);

/** Return whether a snapshot may list an element, now that it is known to listen. */
function mayBeListed(element) {
  if (hiddenExtent(element) !== '') return false;
  const [tag, bare] = [tagOf(element), !hasAttrs(element)];
  const plain = bare || hasOnlyPlainAttributes(element);
  if (!plain && isHiddenByAttribute(element)) return true;
  const kind = plain && tag.kind !== null ? tag.kind : kindOf(plain ? roleOf(element) : contentRole(element));
  return clickReasons({ element, kind, tag, bare }, NO_CONTEXT) !== '' || isListenerOfItems(element)
    || queryOne(element, NAMED_PARTS) !== null;
}

Object.assign(exported, { reportListeners, reportListenersByIndex });

// Lists, table bodies, menus and calendars often have one listener for all their items. Then the items are listed, and not the list, whose
// name would be the text of all its items. Seen in w2ui 2.0, jSuites 5 and Wunderbaum 0.14.

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

/** Return whether an element is an item of a parent that listens on behalf of its items. */
export const isItemOfListener = (element, tag) => hasListeningLists && isItemOf(parentNodeOf(element), element, tag);

/** Return whether an element is an item of `parent`, a list that listens on behalf of its items. */
const isItemOf = (parent, element, tag) =>
  ITEM_TAGS.has(tag.name) && listsByListener.get(parent)?.[0] === parent
  || itemKindByList.has(parent) && itemKindByList.get(parent) === kindOfItem(element);

/**
 * Find out whether a listening element without controls listens for its items, and remember these. One with a pointer cursor (`hasPointer`)
 * is pressed as a whole, unless each item is highlighted on hover.
 */
export function listensForItems(element, hasPointer) {
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

/** Forget the lists for whose items an element was found to listen. */
export function forgetItemLists(element) {
  for (const list of listsByListener.get(element) ?? []) itemKindByList.delete(list);
}

/** Return whether an element listens on behalf of items in it, and is no list of HTML. */
const isListenerOfItems = (element) =>
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

/** Return [{ list, first: its first item, kind: of its items }] for a list; [] if its items are parts of a text. */
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

/** Return the elements that have equal tag, role and first class and a short text, if they are two thirds of all; else []. */
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
 * Return tag, role and first class of an element as one text; "" if it can be no item: without role and class, a text, or of another role.
 */
function kindOfItem(element) {
  const role = attr(element, 'role') ?? '';
  const name = /\S+/.exec(attr(element, 'class') ?? '')?.[0] ?? '';
  const tag = localNameOf(element);
  const isNoItem = TAGS_OF_NO_ITEM.has(tag) || (role === '' ? name === '' : !ITEM_ROLES.has(role));
  return isNoItem ? '' : `${tag} ${role} ${name}`;
}
