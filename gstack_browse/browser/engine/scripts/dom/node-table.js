// The table of nodes and the ids by which Python knows them, for as long as the document lives. One table serves a frame and every frame that it can
// reach directly; it holds nodes weakly, so it never keeps a removed subtree in memory. At the end: where
// removed elements were.
//
// Ids are never printed: what a person sees (@e3) is given out by Python, see numbers.py. They count from a random number
// on, so that the id of one document means nothing in the next one, or in another process.

import { nodeTypeOf, rootOf } from './accessors.js';
import { ancestorsOf, exported, hasShadowTrees, isAlive, noteShadowTree } from './dom.js';

/** Return an empty table of nodes and ids. */
function newTable() {
  return {
    first: firstId(), // tells Python which document it is
    count: 0, // number of ids given out; never lowered, so that no id is used twice
    indices: new WeakMap(), // node → its id minus `first`
    nodes: new Map(), // index → WeakRef
    met: new WeakMap(), // control → the last id when it was first found, see walk/nodes.js
    paths: new WeakMap(), // document → the path of its URL when the controls in it were last noted
    trees: [], // weak references to the documents and shadow roots that the last walk entered
    scope: null, // the node that `snapshot -s` walks, see `rememberScope`
    sizeAfterSweep: 0, // nodes left by the last `sweepTable`
  };
}

/** Return a random number to count ids from, of 52 bits: ids must stay numbers that JSON can carry. */
const firstId = () => Math.floor(Math.random() * 2 ** 52) + 1;

/**
 * Return the table of nodes and ids of the outermost window that this one can reach; create it if there is none. It serves all frames in
 * between.
 */
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

/** Return the highest id that was given to a node. */
export const lastId = () => table.first + table.count - 1;

/** Return the id (a number) by which Python knows a node; give it one if it has none. */
export function idOf(node) {
  let index = table.indices.get(node);
  if (index === undefined) {
    index = table.count++;
    if (!hasShadowTrees && nodeTypeOf(rootOf(node)) === 11) noteShadowTree();
    table.indices.set(node, index);
    table.nodes.set(index, weakRefTo(node));
  }
  return table.first + index;
}

/** Return the id of the only node in a list; 0 if the list has none or several. */
export const idOfOnly = (nodes) => nodes.length === 1 ? idOf(nodes[0]) : 0;

/** Return the node of an id, or null if it is no longer in a document that a window shows. */
export function nodeFor(id) {
  const weak = table.nodes.get(Number(id) - table.first);
  const node = weak && weak.deref();
  return node && isAlive(node) ? node : null;
}

/** Delete garbage-collected nodes from the table if it has doubled since the last time: a page may rebuild a list for ever. */
export function sweepTable() {
  if (table.nodes.size < 2 * table.sizeAfterSweep + 1000) return;
  for (const [index, weak] of table.nodes) if (!weak.deref()) table.nodes.delete(index);
  table.sizeAfterSweep = table.nodes.size;
}

/** Return a weak reference to a node. */
export const weakRefTo = (node) => new WeakRef(node);

/** Filter ids to those whose nodes were garbage-collected, and so can never come back into the page. */
const filterCollectedIds = (ids) => ids.filter((id) => !table.nodes.get(id - table.first)?.deref());

/**
 * Limit the snapshots that name `key` as their scope (`snapshot -s`) to the node of an id, and what is in it. Forget the last scope if
 * there is no such node.
 */
exported.rememberScope = (id, key) => {
  const node = nodeFor(id);
  table.scope = node && { key: String(key), node: weakRefTo(node) };
};

/**
 * Return weak references to an element and its ancestors (`around`), to find its place after the page has removed it.
 * @returns {{ element: WeakRef<any>, around: WeakRef<any>[] }}
 */
export const rememberPosition = (element) => ({
  element: weakRefTo(element),
  around: [...ancestorsOf(element)].map(weakRefTo),
});

/**
 * Return the nearest ancestor that an element had when `rememberPosition` was called, and that is still in the document; undefined for
 * none.
 */
export const nearestRemainingAncestor = (position) =>
  position.around.map((weak) => weak.deref()).find((one) => one && isAlive(one));

Object.assign(exported, { table, idOf, nodeFor, filterCollectedIds });
