// Notes the elements that listen for clicks, as Python tells it, and whether that changes the tree that was walked before.
//
// Most of what listens does not: buttons and links are listed anyway, and the listener of a whole page is its plumbing. Then
// the page is not walked again.

import { childElementCountOf, isConnected, localNameOf, method, nodeTypeOf, queryOne } from './engine-accessors.js';
import {
  ancestorsOf,
  contentDocumentOf,
  countCall,
  exported,
  hasAttrs,
  isElement,
  isQuiet,
  openShadowRootOf,
  queryTree,
} from './engine-dom.js';
import { table } from './engine-table.js';
import { hiddenness, isClosedOff } from './engine-hidden.js';
import { roleOf } from './engine-roles.js';
import { contentRole } from './engine-editors.js';
import { kindOf, tagOf } from './engine-kinds.js';
import { clickReasons, delegates, listensForClicks, markListeners, NAMED_PARTS } from './engine-clickable.js';
import { elementsWalked, takeAgain } from './engine-walk.js';
import { isListing } from './engine-items.js';
import { living } from './engine-closed.js';

const ALONE = { pointer: false }; // as if nothing around it had the hand: more reasons than it may have in its place

// Note elements that listen. Return "+" if one of them may listen on behalf of its descendants, else "-"; then "!" if the page has changed
// since they were found, else "="; then a new walk of the page, with `options`, if that may report one of them.
function hear(options, ...nodes) {
  countCall();
  const before = elementsWalked();
  const told = heard(options, nodes);
  const isOtherRecord = elementsWalked() !== before || nodes.some((node) => !isConnected(node));
  return `${nodes.some(mayDelegate) ? '+' : '-'}${isOtherRecord ? '!' : '='}${told}`;
}

const mayDelegate = (node) => !isElement(node) || childElementCountOf(node) > 0 && !kindOf(roleOf(node)).operable;

// Note elements by their places in the document and the trees inside of it, if these are still what they were when the places were
// found: delegated.js counts in the same way.
function hearAt(options, { elements, places, tags }, hasTreesInside) {
  const all = hasTreesInside ? elementsOfTrees() : allInDocument(document, '*');
  if (all.length !== elements || places.some((place, index) => localNameOf(all[place]) !== tags[index])) return '';
  const before = elementsWalked();
  const told = heard(options, places.map((place) => all[place]));
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

// The page walked again where these may be told; else ''.
function heard(options, nodes) {
  const news = nodes.filter((node) => isElement(node) && !listensForClicks(node));
  const isLearnt = news.some(isInsideListener); // by what was known before
  markListeners(...nodes);
  const isTold = isLearnt || news.length > 0 && hasGrid() || news.some(mayBeTold);
  return isTold ? takeAgain(options) : '';
}

// An ancestor of the node listens, too, and is listed for that.
function isInsideListener(node) {
  for (const ancestor of ancestorsOf(node)) if (listensForClicks(ancestor) && !delegates.has(ancestor)) return true;
  return false;
}

// Cells are told for listeners of what is around them.
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
