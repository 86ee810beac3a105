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
import { isLitWhenHovered } from '../dom/style-sheets.js';
import { hiddenness, isClosedOff, styleOf } from '../visibility/hidden.js';
import { elementsWalked, takeAgain } from '../walk/walk.js';

// Notes the elements that listen for clicks, as Python tells it, and whether that changes the tree that was walked before.
//
// Most of what listens does not: buttons and links are listed anyway, and the listener of a whole page is its plumbing. Then
// the page is not walked again.

const ALONE = { pointer: false }; // as if nothing around it had the hand: more reasons than it may have in its place

/**
 * Note elements that listen. Return "+" if one of them may listen on behalf of its descendants, else "-"; then "!" if the page has changed
 * since they were found, else "="; then a new walk of the page, with `options`, if that may report one of them.
 */
function hear(options, ...nodes) {
  countCall();
  const before = elementsWalked();
  const told = walkAgainIfTold(options, nodes);
  const isOtherRecord = elementsWalked() !== before || nodes.some((node) => !isConnected(node));
  return `${nodes.some(mayDelegate) ? '+' : '-'}${isOtherRecord ? '!' : '='}${told}`;
}

const mayDelegate = (node) => !isElement(node) || childElementCountOf(node) > 0 && !kindOf(roleOf(node)).operable;

/**
 * Note elements by their places in the document and the trees inside of it, if these are still what they were when the places were
 * found: delegated.js counts in the same way.
 */
function hearAt(options, { elements, places, tags }, hasTreesInside) {
  const all = hasTreesInside ? elementsOfTrees() : allInDocument(document, '*');
  if (all.length !== elements || places.some((place, index) => localNameOf(all[place]) !== tags[index])) return '';
  const before = elementsWalked();
  const told = walkAgainIfTold(options, places.map((place) => all[place]));
  return elementsWalked() === before ? told : ''; // else the next snapshot asks, and is of that
}

const allInDocument = method(Document, 'querySelectorAll');
const allInFragment = method(DocumentFragment, 'querySelectorAll');
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

/** The page walked again where these may be told; else ''. */
function walkAgainIfTold(options, nodes) {
  const news = nodes.filter((node) => isElement(node) && !listensForClicks(node));
  const isLearnt = news.some(isInsideListener); // by what was known before
  markListeners(...nodes);
  const isTold = isLearnt || news.length > 0 && hasGrid() || news.some(mayBeTold);
  return isTold ? takeAgain(options) : '';
}

/** An ancestor of the node listens, too, and is listed for that. */
function isInsideListener(node) {
  for (const ancestor of ancestorsOf(node)) if (listensForClicks(ancestor) && !delegates.has(ancestor)) return true;
  return false;
}

/** Cells are told for listeners of what is around them. */
const hasGrid = () => living(table.trees).some((root) => queryTree(root, '[role*=grid i]') !== null);

function mayBeTold(element) {
  if (hiddenness(element) !== '') return false;
  const [tag, plain] = [tagOf(element), !hasAttrs(element)];
  const quiet = plain || isQuiet(element);
  if (!quiet && isClosedOff(element)) return true;
  const kind = quiet && tag.kind !== null ? tag.kind : kindOf(quiet ? roleOf(element) : contentRole(element));
  return clickReasons({ element, kind, tag, plain }, ALONE) !== '' || isListing(element)
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

/** A list, or the body of a table, that listens itself and holds nothing else to press. */
export function noteList(element) {
  if (LISTS_OF_HTML.has(localNameOf(element))) listsOf.set(element, [element]);
  listsMet ||= LISTS_OF_HTML.has(localNameOf(element));
}

export const isItemOfListener = (element, tag) => listsMet && isItemOf(parentNodeOf(element), element, tag);

const isItemOf = (parent, element, tag) =>
  ITEMS.has(tag.name) && listsOf.get(parent)?.[0] === parent
  || itemsIn.has(parent) && itemsIn.get(parent) === kindOfItem(element);

/**
 * Whether something that listens, and holds no control, does so for its items. What has the hand is pressed as a whole, unless each of its
 * items looks another way while the pointer is over it.
 */
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

const isListing = (element) => !LISTS_OF_HTML.has(localNameOf(element)) && (listsOf.get(element)?.length ?? 0) > 0;

/** The first lists on the way down. Beside the days of a month their few heads are none. */
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

/** If each of the items holds items itself, the items are rows. */
function inRows(list, items) {
  const rows = items.map((row) => ({ list: row, items: itemsAmong(partsOf(row)) }));
  return rows.every((row) => row.items.length > 0) ? rows : [{ list, items }];
}

const pressed = ({ list, items }) => {
  const [first] = items;
  const { display, cursor } = styleOf(first);
  return display === 'inline' || cursor === 'text' ? [] : [{ list, first, kind: kindOfItem(first) }];
};

/** The elements in a list; none where it has words of its own. */
function partsOf(list) {
  const parts = [];
  for (const child of childrenOf(list)) {
    if (isText(child) && dataOf(child).trim() !== '') return [];
    if (isElement(child) && !tagOf(child).silent) parts.push(child);
    if (parts.length === LOOKED_AT) break;
  }
  return parts;
}

/** The parts that are of one kind and have a few words each, if nearly all are; else none. */
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
 * Its tag, its role and its first class; "" for what has neither role nor class, for texts, and for what says by its role that it is something else.
 */
function kindOfItem(element) {
  const role = attr(element, 'role') ?? '';
  const name = /\S+/.exec(attr(element, 'class') ?? '')?.[0] ?? '';
  const tag = localNameOf(element);
  const isNone = NO_ITEMS.has(tag) || (role === '' ? name === '' : !ROLES_OF_ITEMS.has(role));
  return isNone ? '' : `${tag} ${role} ${name}`;
}
