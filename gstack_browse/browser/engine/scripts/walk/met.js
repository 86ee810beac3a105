// Since when a control is known to be in the page: one that was hidden when a reference was printed is no new one once it is shown.
// Only controls that say what they are; of enormous pages none.

import { exported, queryAllIn } from '../dom/dom.js';
import { lastId, nodeFor, table } from '../dom/node-table.js';

const MET_CONTROLS = 'a[href],button,input,select,textarea,summary,[role],[tabindex],[onclick],[contenteditable]';
const MOST_MET = 20_000;

/** Note the controls in these trees that have not been met yet: they are there since the id that was given last. */
export function meetControls(roots, elements) {
  if (elements > MOST_MET) return;
  const last = lastId();
  for (const root of roots) {
    for (const control of queryAllIn(root, MET_CONTROLS)) if (!table.met.has(control)) table.met.set(control, last);
  }
}

/** For each node the last id that had been given when it was met; 0 for one that is gone or was never met. */
exported.metAt = (ids) =>
  ids.map((id) => {
    const node = nodeFor(id);
    return node ? table.met.get(node) ?? 0 : 0;
  });
