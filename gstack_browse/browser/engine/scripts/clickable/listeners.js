// Listeners for clicks: on which elements, as Python tells it, and on lists that listen for what is in them.

import { kindOf } from '../accname/kinds.js';
import { roleOf, tagOf } from '../accname/roles.js';
import { contentRole } from '../accname/values.js';
import { clickReasons, delegates, listensForClicks, markListeners, NAMED_PARTS } from './clickable.js';
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
  childrenOf,
  contentDocumentOf,
  countCall,
  exported,
  hasAttrs,
  isElement,
  isQuiet,
  isText,
  openShadowRootOf,
  queryTree,
  words,
} from '../dom/dom.js';
import { living } from '../dom/internals.js';
import { table } from '../dom/node-table.js';
import { isHighlightedOnHover } from '../dom/style-sheets.js';
import { hiddenness, isClosedOff, styleOf } from '../visibility/hidden.js';
import { elementsWalked, repeatWalk } from '../walk/walk.js';

// Notes the elements that listen for clicks, as Python tells it, and whether that changes the tree that was walked before.
//
// Most of what listens does not: buttons and links are listed anyway, and the listener of a whole page is its plumbing. Then
// the page is not walked again.

const ALONE = { pointer: false }; // as if nothing around it had the hand: more reasons than it may have in its place

/**
 * Note elements that listen for clicks. Return three parts in a row: "+" if one of them may listen on behalf of its descendants, else
 * "-"; "!" if the page has changed since they were found, else "="; a new walk of the page (with `options`), or "" if it would report
 * none of them.
 */
function hear(options, ...nodes) {
  countCall();
  const before = elementsWalked();
  const told = walkAgainIfListed(options, nodes);
  const isOtherRecord = elementsWalked() !== before || nodes.some((node) => !isConnected(node));
  return `${nodes.some(mayDelegate) ? '+' : '-'}${isOtherRecord ? '!' : '='}${told}`;
}

/** Whether a node may listen on behalf of its descendants. */
const mayDelegate = (node) => !isElement(node) || childElementCountOf(node) > 0 && !kindOf(roleOf(node)).operable;

/**
 * Note elements that listen, by their places in the document and the trees inside of it; delegated.js counts in the same way. Return a
 * new walk as `hear` does, or "" where the trees have changed since.
 */
function hearAt(options, { elements, places, tags }, hasTreesInside) {
  const all = hasTreesInside ? elementsOfTrees() : allInDocument(document, '*');
  if (all.length !== elements || places.some((place, index) => localNameOf(all[place]) !== tags[index])) return '';
  const before = elementsWalked();
  const told = walkAgainIfListed(options, places.map((place) => all[place]));
  return elementsWalked() === before ? told : ''; // else the next snapshot asks, and is of that
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

/** Walk the page again if a snapshot may list one of these nodes; else return "". */
function walkAgainIfListed(options, nodes) {
  const news = nodes.filter((node) => isElement(node) && !listensForClicks(node));
  const isLearnt = news.some(isInsideListener); // by what was known before
  markListeners(...nodes);
  const isTold = isLearnt || news.length > 0 && hasGrid() || news.some(mayBeListed);
  return isTold ? repeatWalk(options) : '';
}

/** Whether an ancestor of a node listens, too, and is listed for that. */
function isInsideListener(node) {
  for (const ancestor of ancestorsOf(node)) if (listensForClicks(ancestor) && !delegates.has(ancestor)) return true;
  return false;
}

/** Whether the page has a grid: its cells are listed for listeners around them. */
const hasGrid = () => living(table.trees).some((root) => queryTree(root, '[role*=grid i]') !== null);

/** Whether a snapshot may list an element, now that it is known to listen. */
function mayBeListed(element) {
  if (hiddenness(element) !== '') return false;
  const [tag, plain] = [tagOf(element), !hasAttrs(element)];
  const quiet = plain || isQuiet(element);
  if (!quiet && isClosedOff(element)) return true;
  const kind = quiet && tag.kind !== null ? tag.kind : kindOf(quiet ? roleOf(element) : contentRole(element));
  return clickReasons({ element, kind, tag, plain }, ALONE) !== '' || isListenerOfItems(element)
    || queryOne(element, NAMED_PARTS) !== null;
}

Object.assign(exported, { hear, hearAt });

// Items of what listens: a list, the body of a table, a menu or a calendar made of plain boxes listens for what is in it, which is pressed.
// Seen in w2ui 2.0, jSuites 5 and Wunderbaum 0.14, whose box was one line, called after all its items.

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

/** Remember that a list, or the body of a table, listens itself, and holds nothing else to press. */
export function noteList(element) {
  if (LISTS_OF_HTML.has(localNameOf(element))) listsOf.set(element, [element]);
  listsMet ||= LISTS_OF_HTML.has(localNameOf(element));
}

/** Whether the parent of an element listens on behalf of its items, and this is one. */
export const isItemOfListener = (element, tag) => listsMet && isItemOf(parentNodeOf(element), element, tag);

/** Whether an element is an item of `parent`, a list that listens on behalf of its items. */
const isItemOf = (parent, element, tag) =>
  ITEMS.has(tag.name) && listsOf.get(parent)?.[0] === parent
  || itemsIn.has(parent) && itemsIn.get(parent) === kindOfItem(element);

/**
 * Whether an element that listens, and contains no control, does so for its items. One with a pointer cursor (`hasHand`) is pressed as a
 * whole, unless each item is highlighted while the pointer is over it.
 */
export function listensForItems(element, hasHand) {
  forgetItems(element);
  if (LISTS_OF_HTML.has(localNameOf(element))) return false;
  const found = childElementCountOf(element) > 0 && closest(element, TEXTS) === null ? listsIn(element) : [];
  const areMeant = found.length > 0
    && (!hasHand || found.every(({ first }) => isHighlightedOnHover(first, tagOf(first), false)));
  listsOf.set(element, areMeant ? found.map(({ list }) => list) : []);
  if (!areMeant) return false;
  listsMet = true;
  for (const { list, kind } of found) itemsIn.set(list, kind);
  return true;
}

/** Forget for which items an element listens. */
export function forgetItems(element) {
  for (const list of listsOf.get(element) ?? []) itemsIn.delete(list);
}

/** Whether an element listens on behalf of items in it, and is no list of HTML. */
const isListenerOfItems = (element) =>
  !LISTS_OF_HTML.has(localNameOf(element)) && (listsOf.get(element)?.length ?? 0) > 0;

/** Return the first lists on the way down from an element, as { list, first, kind }. The weekdays beside the days of a month are none. */
function listsIn(element) {
  let list = element;
  for (let level = 0; level < LEVELS_DOWN; level++) {
    const parts = childElementsOfList(list);
    const items = itemsAmong(parts);
    if (items.length > 0) return splitIntoRows(list, items).flatMap(describeItems);
    const holding = parts.map((part) => ({ list: part, items: itemsAmong(childElementsOfList(part)) }));
    const most = Math.max(0, ...holding.map((part) => part.items.length));
    const large = holding.filter((part) => part.items.length > 0 && part.items.length >= most * LARGE);
    if (large.length > 0) return large.flatMap((part) => splitIntoRows(part.list, part.items)).flatMap(describeItems);
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

/** Return [{ list, first, kind }] for a list whose items look pressable; [] for words in a text. */
const describeItems = ({ list, items }) => {
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
    if (parts.length === LOOKED_AT) break;
  }
  return parts;
}

/** Return the elements that are of one kind and have a few words each, if nearly all are; else none. */
function itemsAmong(parts) {
  if (parts.length < LEAST_ITEMS) return [];
  const byKind = Map.groupBy(parts, kindOfItem);
  byKind.delete('');
  const most = [...byKind.values()].reduce((one, other) => other.length > one.length ? other : one, []);
  if (most.length < LEAST_ITEMS || most.length < ENOUGH * parts.length) return [];
  const lengths = most.map((item) => textContentOf(item).trim().length);
  return lengths.every((length) => length > 0 && length <= LONGEST) ? most : [];
}

/**
 * Return tag, role and first class of an element as one text; "" for what has neither role nor class, for texts, and for roles other than
 * items.
 */
function kindOfItem(element) {
  const role = attr(element, 'role') ?? '';
  const name = /\S+/.exec(attr(element, 'class') ?? '')?.[0] ?? '';
  const tag = localNameOf(element);
  const isNone = NO_ITEMS.has(tag) || (role === '' ? name === '' : !ROLES_OF_ITEMS.has(role));
  return isNone ? '' : `${tag} ${role} ${name}`;
}
