// How Python calls a function of the engine, always the last file: `__gbrowse.invoke("take", [{}])`.

function invoke(name, args) {
  calls++;
  const result = exported[name](...args);
  return result && typeof result.then === 'function' ? result.then(pack) : pack(result);
}

// A string travels as it is ("s…"), anything else as JSON ("j…"): one value by value, parsed once in Python.
function pack(value) {
  return typeof value === 'string' ? `s${value.toWellFormed()}` : `j${JSON.stringify(value ?? null)}`;
}

// Told by Python, which sees what scripts cannot: closed roots and listeners. Called with the nodes themselves.
const openClosedRoot = (host, root) => closedRoots.set(host, root);
function markListeners(...nodes) {
  for (const node of nodes) if (isElement(node)) listeners.add(node);
  for (const node of nodes) {
    if (!isElement(node)) continue;
    for (const ancestor of ancestorsOf(node)) if (listeners.has(ancestor)) delegates.add(ancestor);
  }
}
const markExamined = () => (table.suspects || []).forEach(node => customElements && matches(node, ':defined') && examined.add(node));
const treeRoots = () => (table.trees || []).map(weak => weak.deref()).filter(root => root && isAlive(root));
const suspectNodes = () => table.suspects || [];

Object.assign(exported, { invoke, openClosedRoot, markListeners, markExamined, suspectNodes, treeRoots });
exported.home = globalThis;
globalThis.__gbrowse = exported;
