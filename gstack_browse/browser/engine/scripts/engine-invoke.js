// How Python calls a function of the engine, always the last file: `__gbrowse.invoke("take", [{}])`.

import { matches } from './engine-accessors.js';
import { closedRoots, countCall, exported, isAlive, meetShadows } from './engine-dom.js';
import { table } from './engine-table.js';
import { examined } from './engine-trees.js';

function invoke(name, args) {
  countCall();
  const result = exported[name](...args);
  return result && typeof result.then === 'function' ? result.then(pack) : pack(result);
}

// A string travels as it is ("s…"), anything else as JSON ("j…"): one value by value, parsed once in Python.
function pack(value) {
  return typeof value === 'string' ? `s${value.toWellFormed()}` : `j${JSON.stringify(value ?? null)}`;
}

// Told by Python, which sees what scripts cannot. Called with the nodes themselves.
function openClosedRoot(host, root) {
  closedRoots.set(host, root);
  meetShadows();
}
const living = (weak) => weak.map((one) => one.deref()).filter((node) => node && isAlive(node));
const treeRoots = () => living(table.trees);
const suspectNodes = () => living(table.suspects);
const markExamined = () => suspectNodes().forEach((node) => matches(node, ':defined') && examined.add(node));

Object.assign(exported, { invoke, openClosedRoot, markExamined, suspectNodes, treeRoots });
exported.ownerWindow = globalThis;
globalThis.__gbrowse = exported;

export { invoke, living, openClosedRoot };
