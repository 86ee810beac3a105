// Facts about a role by its word, looked up once per role. Needs nothing but words, since others read these facts as they load.

import { words } from '../dom/dom.js';

export const RANGES = new Set(['slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar']);
// Besides the ranges a separator that can be moved, which is a range too.
export const MEASURES = new Set([...RANGES, 'separator']);
const OPERABLE = words(`button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio
  searchbox slider spinbutton switch tab textbox treeitem`);
export const CELLS = words('cell gridcell columnheader rowheader');
// Listed although they say nothing: there is something to act on, or to see.
const STANDS_ALONE = new Set([
  ...OPERABLE,
  ...CELLS,
  ...words(`img iframe video audio canvas embed separator progressbar
  meter scrollbar dialog alertdialog heading math document application`),
]);
// Roles of running text: their words belong to the paragraph around them.
export const FLAT = words('strong emphasis code mark subscript superscript time insertion deletion suggestion');
const NAMED = words('heading tooltip img progressbar meter scrollbar math iframe');
const COVERS = new Set([...OPERABLE, 'heading', 'tooltip']);
const FIELDS = words('textbox searchbox spinbutton slider progressbar meter');

/** The properties of a role: whether its elements are operable, get a line, are named by their content and so on. */
class Kind {
  constructor(role) {
    this.role = role;
    this.operable = OPERABLE.has(role);
    this.cell = CELLS.has(role);
    this.alone = STANDS_ALONE.has(role);
    this.flat = FLAT.has(role);
    this.named = this.operable || NAMED.has(role); // its name is worth a line by itself
    this.covers = COVERS.has(role); // what is inside is in its name
    this.field = FIELDS.has(role) || role === 'img'; // what is inside is its value, or nothing to read
    this.swallows = this.operable && role !== 'treeitem' && role !== 'listbox'; // nothing inside is clickable apart from it
    this.valued = MEASURES.has(role) || role === 'textbox' || role === 'searchbox' || role === 'combobox';
    this.joins = role === 'link' || role === 'button' || role === 'img'; // can be part of a sentence
    this.adopts = role !== '' && !this.covers && !this.field && role !== 'iframe'; // a lone text inside is its own
  }
}

const kinds = new Map();
export const GENERIC = kindOf('');
export const TEXT = kindOf('text');
export const LINK = kindOf('link');
export const BUTTON = kindOf('button');
/** Return what is common to all elements of a role (a `Kind`), made once for each. */
export function kindOf(role) {
  let kind = kinds.get(role);
  if (kind === undefined) kinds.set(role, kind = new Kind(role));
  return kind;
}
