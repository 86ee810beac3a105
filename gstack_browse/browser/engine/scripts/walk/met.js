// Since when a control is known to be in the page: one that was hidden when a reference was printed is no new one once it is shown.
// Only controls that say what they are; of enormous pages none.

import { exported, queryAllIn } from '../dom/dom.js';
import { lastId, nodeFor, table } from '../dom/node-table.js';

const MET_CONTROLS = 'a[href],button,input,select,textarea,summary,[role],[tabindex],[onclick],[contenteditable]';
const MOST_MET = 20_000;

/** Note these trees, and the controls in them, that have not been met yet: they are there since the id that was given last. */
export function meetControls(roots, elements) {
  if (elements > MOST_MET) return;
  const last = lastId();
  for (const root of roots) {
    if (!table.met.has(root)) table.met.set(root, last);
    for (const control of queryAllIn(root, MET_CONTROLS)) if (!table.met.has(control)) table.met.set(control, last);
  }
}

/**
 * For each node the last ids that had been given when it was met, and when its document was: several documents share a table. Both
 * are 0 for a node that is gone or was never met.
 */
exported.metAt = (ids) =>
  ids.map((id) => {
    const node = nodeFor(id);
    return node ? [table.met.get(node) ?? 0, table.met.get(documentOf(node)) ?? 0] : [0, 0];
  });
