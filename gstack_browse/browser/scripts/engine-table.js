// Which number is which node, for as long as the document lives. One table serves a frame and every frame that it
// can reach directly; it holds nodes weakly, so it never keeps a removed subtree in memory.

function newTable() {
  return {
    token: crypto.getRandomValues(new Uint32Array(2)).join('-'),  // tells Python that the document is another one
    next: { e: 1, c: 1 },       // the next number of each kind; never lowered: no number is ever used twice
    ids: new WeakMap(),         // node → id, printed as @e<id>
    clickable: new WeakMap(),   // node → number of its @c reference
    nodes: new Map(),           // id, or "c<number>" → WeakRef
    noted: new Map(),           // key of a question → nodes a locator matched: `locator(any).locator("gbrowse=note:key")`
    trees: [],                  // documents and shadow roots that the last walk entered, weakly
    suspects: [],               // elements that may have a closed shadow root, weakly
    scope: null,                // what a locator pointed at, for `snapshot -s`
    swept: 0,
  };
}

// A frame of the same origin shares its parent's table: refs are unique in the tab.
function sharedTable() {
  try {
    const parent = window.parent;
    return parent !== window && parent.__gbrowse ? parent.__gbrowse.table : null;
  } catch {
    return null;
  }
}

const table = globalThis.__gbrowse ? globalThis.__gbrowse.table : sharedTable() || newTable();

// The id of a node, given to it now if it has none.
function idOf(node) {
  const known = table.ids.get(node);
  if (known) return known;
  const id = table.next.e++;
  shadowsMet ||= nodeTypeOf(rootOf(node)) === 11;
  table.ids.set(node, id);
  table.nodes.set(id, new WeakRef(node));
  return id;
}

function clickableNumberOf(node) {
  const known = table.clickable.get(node);
  if (known) return known;
  const number = table.next.c++;
  table.clickable.set(node, number);
  table.nodes.set(`c${number}`, new WeakRef(node));
  return number;
}

// The living node of an id (17) or of a clickable's key ("c2"), or null.
function nodeFor(key) {
  const weak = table.nodes.get(typeof key === 'string' && key[0] !== 'c' ? Number(key) : key);
  const node = weak && weak.deref();
  return node && isAlive(node) ? node : null;
}

// Nodes noted under a key by the selector engine, once.
function takeNotedNodes(key) {
  const nodes = table.noted.get(String(key)) || [];
  table.noted.delete(String(key));
  return nodes;
}

// Forget what the collector took, now and then: a list that is rebuilt for ever costs nothing.
function sweepTable() {
  if (table.nodes.size < 2 * table.swept + 1000) return;
  for (const [key, weak] of table.nodes) if (!weak.deref()) table.nodes.delete(key);
  table.swept = table.nodes.size;
}

Object.assign(exported, { table, idOf, nodeFor, takeNotedNodes });
