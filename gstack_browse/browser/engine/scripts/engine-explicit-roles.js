// The role that an attribute gives, and what decides whether that counts: a name by the author, the focus, a list around.

import { localNameOf, matches } from './engine-accessors.js';
import { ancestorsOf, attr, cleanText, referenced } from './engine-dom.js';
import { labelledByText } from './engine-names.js';
import { ownedBeside } from './engine-relations.js';

const ROLES = new Set(`alert alertdialog application article banner blockquote button caption cell checkbox code
  columnheader combobox comment complementary contentinfo definition deletion dialog document emphasis feed
  figure form graphics-document graphics-object graphics-symbol grid gridcell group heading img insertion link
  list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation
  note option paragraph progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox
  sectionfooter sectionheader separator
  slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time
  timer toolbar tooltip tree treegrid treeitem none presentation generic
  doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography doc-biblioref
  doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote doc-endnotes
  doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-glossref doc-index
  doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part doc-preface doc-prologue doc-pullquote
  doc-qna doc-subtitle doc-tip doc-toc`.split(/\s+/));

// Words that mean another role.
const SYNONYMS = new Map([['image', 'img'], ['directory', 'list']]);

export const LISTS = new Set(['ul', 'ol', 'menu', 'dir']);

export function explicitRoleOf(element) {
  const value = attr(element, 'role');
  if (!value) return '';
  for (const word of value.toLowerCase().split(/\s+/)) {
    const role = SYNONYMS.get(word) ?? word;
    if (!ROLES.has(role)) continue;
    if ((role === 'region' || role === 'form') && !hasAuthorName(element)) continue;
    if (role === 'listitem' && !isInList(element)) continue;
    if (WITHIN.has(role) && isOrphaned(element, role, value)) continue;
    return role;
  }
  return '';
}

// Roles that are parts of a widget. Outside of one, an element keeps the role that the author wrote, which says more than none, unless
// it has another role to fall back to: a further word, that of a landmark, or that of a button or a link said to be in a tree.
const WITHIN = new Map([
  ['menuitem', /menu/],
  ['menuitemcheckbox', /menu/],
  ['menuitemradio', /menu/],
  ['option', /listbox/],
  ['treeitem', /tree/],
]);
const LANDMARKS = new Set(['main', 'nav']);
function isOrphaned(element, role, value) {
  const words = value.toLowerCase().trim().split(/\s+/);
  const another = words.slice(words.indexOf(role) + 1).some((word) => ROLES.has(word))
    || LANDMARKS.has(localNameOf(element)) || role === 'treeitem' && matches(element, 'button,a[href]');
  return another && ![element, ...ancestorsOf(element)].some((each) => mayBeWithin(each, element, WITHIN.get(role)));
}

// Custom elements may be a widget without saying so, and what is owned may be in one.
function mayBeWithin(each, element, widget) {
  if (ownedBeside(each)?.has(each)) return true;
  return each !== element && (widget.test(attr(each, 'role') ?? '') || localNameOf(each).includes('-'));
}

// An item of nothing is a block; it may be below wrappers, and a custom element may be a list without saying so.
function isInList(element) {
  for (const ancestor of ancestorsOf(element)) {
    const role = attr(ancestor, 'role');
    if (
      role !== null
        ? role.includes('list') || role.includes('directory')
        : LISTS.has(localNameOf(ancestor)) || localNameOf(ancestor).includes('-')
    ) return true;
    if (role !== null && role !== 'none' && role !== 'presentation' && role !== 'group' && role !== 'generic')
      return false;
  }
  return false;
}

export function hasAuthorName(element) {
  return hasLabel(element) || Boolean((attr(element, 'title') || '').trim());
}

// A label of white space only, or a reference to nothing, is none.
export function hasLabel(element) {
  if ((attr(element, 'aria-label') || '').trim()) return true;
  const labels = referenced(element, 'aria-labelledby');
  return labels.length > 0 && cleanText(labelledByText(element, labels)) !== '';
}

const NATIVE_FOCUSABLE =
  'a[href],area[href],button,input:not([type=hidden]),select,textarea,summary,iframe,audio[controls],video[controls],[tabindex],[contenteditable]:not([contenteditable=false])';
export function isFocusable(element) {
  return matches(element, NATIVE_FOCUSABLE) && !matches(element, ':disabled');
}
