// Which id is which node, for as long as the document lives. One table serves a frame and every frame that it can
// reach directly; it holds nodes weakly, so it never keeps a removed subtree in memory.
//
// Ids are never printed: what a person sees (@e3) is given out by Python, see numbers.py. They count from a random number
// on, so that the id of one document means nothing in the next one, or in another process.

import { nodeTypeOf, rootOf } from './accessors.js';
import { exported, isAlive, meetShadows, shadowsMet } from './dom.js';

/** Return an empty table of nodes and ids. */
function newTable() {
  return {
    first: firstId(), // tells Python which document it is
    count: 0, // of ids; never lowered: none is ever used twice
    places: new WeakMap(), // node → its place in the count
    nodes: new Map(), // place → WeakRef
    met: new WeakMap(), // control → the last id when it was first found, see walk/nodes.js
    trees: [], // documents and shadow roots that the last walk entered, weakly
    scope: null, // what `pointAt` was told, for `snapshot -s`
    swept: 0, // how many nodes were left at the last sweep
  };
}

/** Return a random number to count ids from, of 52 bits: ids must stay numbers that JSON can carry. */
const firstId = () => Math.floor(Math.random() * 2 ** 52) + 1;

/** Return the table of the outermost window that this one can reach: it serves all frames in between, whichever is asked first. */
function sharedTable() {
  /** @type {any} */
  let outermost = window;
  try {
    while (outermost.parent !== outermost && outermost.parent.document) outermost = outermost.parent;
  } catch {
    // the parent is of another origin or process
  }
  if (!Object.hasOwn(outermost, '__gbrowseTable')) outermost.__gbrowseTable = newTable();
  return outermost.__gbrowseTable;
}

// Elements of the page may have these names, which are then properties of the window, but not its own.
export const table = Object.hasOwn(globalThis, '__gbrowse') ? globalThis.__gbrowse.table : sharedTable();

/** Return the id that was given last. */
export const lastId = () => table.first + table.count - 1;

/** Return the id of a node, given to it now if it has none. */
export function idOf(node) {
  let place = table.places.get(node);
  if (place === undefined) {
    place = table.count++;
    if (!shadowsMet && nodeTypeOf(rootOf(node)) === 11) meetShadows();
    table.places.set(node, place);
    table.nodes.set(place, weakly(node));
  }
  return table.first + place;
}

/** Return the id of the only node in a list; 0 if the list has none or several. */
export const idOfOnly = (nodes) => nodes.length === 1 ? idOf(nodes[0]) : 0;

/** Return the node of an id, or null if it is no longer displayed. */
export function nodeFor(id) {
  const weak = table.nodes.get(Number(id) - table.first);
  const node = weak && weak.deref();
  return node && isAlive(node) ? node : null;
}

/** Forget collected nodes once the table has doubled since the last time: a page that rebuilds a list for ever must not fill it. */
export function sweepTable() {
  if (table.nodes.size < 2 * table.swept + 1000) return;
  for (const [place, weak] of table.nodes) if (!weak.deref()) table.nodes.delete(place);
  table.swept = table.nodes.size;
}

/** Return a weak reference to a node. */
export const weakly = (node) => new WeakRef(node);

/** Return those ids whose nodes have been garbage-collected: they can never be put back into the page. */
const collected = (ids) => ids.filter((id) => !table.nodes.get(id - table.first)?.deref());

/** Remember the node of an id, if it is there, as the one to walk with this key (`snapshot -s`). */
exported.pointAt = (id, key) => {
  const node = nodeFor(id);
  table.scope = node && { key: String(key), node: new WeakRef(node) };
};

Object.assign(exported, { table, idOf, nodeFor, collected });
