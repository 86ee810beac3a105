// How Python calls a function of the engine: `__gbrowse.invoke("take", [{}])`.

import { countCall, exported } from './engine-dom.js';
import { table } from './engine-table.js';
import { living, suspectCount } from './engine-closed.js';
import { endCall, INTERNALS_NEEDED } from './engine-internals.js';
import { hasChangedFields } from './left-fields.js';

export function invoke(name, args) {
  countCall();
  let result;
  try {
    result = exported[name](...args);
  } catch (error) {
    if (error === INTERNALS_NEEDED) return 'i';
    throw error;
  }
  endCall();
  return result && typeof result.then === 'function' ? result.then(pack) : pack(result);
}

// A string travels as it is ("s…"), anything else as JSON ("j…"): one value by value, parsed once in Python. A capital letter where elements may
// have closed shadow roots of which the engine does not know yet. Then "!" if `changedAsLeft` has something to tell, else " ".
// "i" if Python has to tell internals before there is an answer.
function pack(value) {
  const [text, json] = suspectCount() ? 'SJ' : 'sj';
  const news = hasChangedFields() ? '!' : ' ';
  return typeof value === 'string' ? text + news + value.toWellFormed() : json + news + JSON.stringify(value ?? null);
}

const treeRoots = () => living(table.trees);

Object.assign(exported, { invoke, treeRoots });
exported.ownerWindow = globalThis;
