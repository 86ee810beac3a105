// Custom elements whose role and states their class keeps in an ElementInternals, which scripts of another world cannot see.
//
// The walk notes custom elements without a role of their own. Python asks the page's side about one of each kind, then about
// all of the kinds that have internals (internals.py), and tells the answers here; `attr` reads them from then on.

import { localNameOf, matches } from './engine-accessors.js';
import { attributeGetter, exported, internals, meetInternals } from './engine-dom.js';
import { weakly } from './engine-table.js';
import { living } from './engine-closed.js';

const MAX_CUSTOM = 200;
const customKinds = new Map(); // tag → whether its elements have internals
let customs = []; // of the last walk: elements whose kind has internals, or is not known yet
function forgetCustoms() {
  customs = [];
}

function noteCustom(element, tag) {
  const known = customKinds.get(tag.name);
  if (known === false || customs.length >= MAX_CUSTOM || attributeGetter.call(element, 'role') !== null) return;
  if (known || matches(element, ':defined')) customs.push(weakly(element));
}

// Who is to be asked about: one of each kind that is not known, and all of those that have internals.
function customNodes() {
  const met = new Set();
  return living(customs).filter((element) => {
    const name = localNameOf(element);
    if (customKinds.has(name)) return customKinds.get(name);
    return !met.has(name) && Boolean(met.add(name));
  });
}

// What they said: an object of attributes, or null where there are no internals. Whether that changes anything.
function tellInternals(answers, ...elements) {
  let changed = false;
  elements.forEach((element, index) => {
    const [name, said] = [localNameOf(element), answers[index]];
    if (!customKinds.get(name)) customKinds.set(name, said !== null);
    if (said === null || Object.keys(said).length === 0 && !internals.has(element)) return;
    changed ||= JSON.stringify(internals.get(element)) !== JSON.stringify(said);
    internals.set(element, said);
    meetInternals();
  });
  return changed;
}

Object.assign(exported, { customNodes, tellInternals });

export { customs, forgetCustoms, noteCustom };
