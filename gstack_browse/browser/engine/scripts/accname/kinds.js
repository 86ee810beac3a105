// Facts about roles, looked up once per role. Imports almost nothing, since other files use these facts while they load.

import { wordSet } from '../dom/dom.js';

export const RANGES = new Set(['slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar']);
// A separator that can be moved is a range, too.
export const MEASURES = new Set([...RANGES, 'separator']);
const OPERABLE = wordSet(`button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio
  searchbox slider spinbutton switch tab textbox treeitem`);
export const CELLS = wordSet('cell gridcell columnheader rowheader');
// Roles that get a line even without a name: there is something to act on, or to see.
const LISTED_WITHOUT_NAME = new Set([
  ...OPERABLE,
  ...CELLS,
  ...wordSet(`img iframe video audio canvas embed separator progressbar
  meter scrollbar dialog alertdialog heading math document application`),
]);
// Roles inside of running text.
export const INLINE_TEXT_ROLES = wordSet(
  'strong emphasis code mark subscript superscript time insertion deletion suggestion',
);
const NAMED = wordSet('heading tooltip img progressbar meter scrollbar math iframe');
const ROLES_NAMED_BY_CONTENT = new Set([...OPERABLE, 'heading', 'tooltip']);
ROLES_NAMED_BY_CONTENT.delete('listbox'); // its text may be "No results", which is no name
const FIELDS = wordSet('textbox searchbox spinbutton slider progressbar meter');

// Facts about a role: how elements of that role are listed in a snapshot.
class Kind {
  constructor(role) {
    this.role = role;
    this.operable = OPERABLE.has(role);
    this.cell = CELLS.has(role);
    this.alone = LISTED_WITHOUT_NAME.has(role); // gets a line even without a name
    this.flat = INLINE_TEXT_ROLES.has(role);
    this.named = this.operable || NAMED.has(role); // gets a line if it has a name
    this.covers = ROLES_NAMED_BY_CONTENT.has(role); // its text content is in its name
    this.field = FIELDS.has(role) || role === 'img'; // its text content is its value, or not displayed
    this.swallows = this.operable && role !== 'treeitem' && role !== 'listbox'; // elements inside are not listed as clickable
    this.valued = MEASURES.has(role) || role === 'textbox' || role === 'searchbox' || role === 'combobox';
    this.joins = role === 'link' || role === 'button' || role === 'img'; // can be part of a sentence
    this.adopts = role !== '' && !this.covers && !this.field && role !== 'iframe'; // a text that is its only content is its value
  }
}

const kinds = new Map();
export const GENERIC = kindOf('');
export const TEXT = kindOf('text');
export const LINK = kindOf('link');
export const BUTTON = kindOf('button');
/** Return facts about a role (`Kind`): how elements of that role are listed in a snapshot. Made once for each role. */
export function kindOf(role) {
  let kind = kinds.get(role);
  if (kind === undefined) kinds.set(role, kind = new Kind(role));
  return kind;
}
