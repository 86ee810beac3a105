// Roles by WAI-ARIA 1.3, from the `role` attribute and the tag; and facts about elements by their tag. Facts about roles are in kinds.js.

import { ownersByElement, textOfLabels } from './names.js';
import { nativeRoleEntry, nativeRoleOf } from './native-roles.js';
import { documentOf, localNameOf, matches, namespaceOf } from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  calls,
  cleanText,
  exported,
  hasAttr,
  hasAttrs,
  hasShadowTrees,
  HTML,
  parentOf,
  PerCallCache,
  queryOneIn,
  referencedElements,
  wordSet,
} from '../dom/dom.js';
import { CAN_HOST } from '../dom/internals.js';
import { SVG_TEXT_TAGS } from '../visibility/drawings.js';
import { kindOf } from './kinds.js';

// Attributes that every role supports: with one of them role=none is ignored (wai-aria 1.2, conflict resolution).
const GLOBAL_ARIA = (
  'atomic busy controls current describedby details dropeffect flowto grabbed keyshortcuts label labelledby '
  + 'live owns relevant roledescription'
).split(' ').map((name) => `aria-${name}`);
export const NAME_PROHIBITED = new Set([
  '',
  'caption',
  'code',
  'deletion',
  'emphasis',
  'insertion',
  'paragraph',
  'strong',
  'subscript',
  'superscript',
  'none',
  'presentation',
  'generic',
  'mark',
  'suggestion',
  'term',
  'time',
  'definition',
]);

/** Return the ARIA role as assistive technology gets it; "" for generic and presentational elements. */
export function roleOf(element) {
  const explicit = hasAttrs(element) ? explicitRoleOf(element) : '';
  if (explicit === 'none' || explicit === 'presentation') {
    return ignoresRoleNone(element) ? nativeRoleOf(element) || roleInFocusgroup(element) : '';
  }
  return explicit === 'generic' ? '' : explicit || nativeRoleOf(element) || roleInFocusgroup(element);
}

/**
 * Return whether `role=none` is ignored on an element, since it is focusable or has a global ARIA attribute (WAI-ARIA, presentational roles
 * conflict resolution).
 */
export function ignoresRoleNone(element) {
  return isFocusable(element) || GLOBAL_ARIA.some((name) => hasAttr(element, name));
}

Object.assign(exported, { roleOf });

// The role by the `role` attribute. Some roles count only for elements with a name, or inside of a list or widget.

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

const SYNONYMS = new Map([['image', 'img'], ['directory', 'list']]);

export const LISTS = new Set(['ul', 'ol', 'menu', 'dir']);

/** Return the `role` attribute in lower case, since HTML ignores the case of roles; "" for none. */
export const roleAttributeOf = (element) => (attr(element, 'role') || '').trim().toLowerCase();

/** Return the first role of the `role` attribute that is valid for the element; "" for none. */
export function explicitRoleOf(element) {
  const value = attr(element, 'role');
  if (!value) return '';
  for (const word of value.toLowerCase().split(/\s+/)) {
    const role = SYNONYMS.get(word) ?? word;
    if (!ROLES.has(role)) continue;
    if ((role === 'region' || role === 'form') && !hasAuthorName(element)) continue;
    if (role === 'listitem' && !isInList(element)) continue;
    if (WIDGET_BY_ITEM_ROLE.has(role) && isOutsideItsWidget(element, role, value)) continue;
    return role;
  }
  return '';
}

// Roles of items → pattern of the role of the widget around them. Outside of such a widget an element still keeps the role, unless it has
// another one to fall back to: a further one in its `role` attribute, that of a landmark, or that of a button or link.
const WIDGET_BY_ITEM_ROLE = new Map([
  ['menuitem', /menu/],
  ['menuitemcheckbox', /menu/],
  ['menuitemradio', /menu/],
  ['option', /listbox/],
  ['treeitem', /tree/],
]);
const LANDMARKS = new Set(['main', 'nav']);
/**
 * Return whether an element with the role of an item (such as "option") is outside of the widget that has such items (a listbox), and has
 * another role to fall back to. `value`: its `role` attribute.
 */
function isOutsideItsWidget(element, role, value) {
  const words = value.toLowerCase().trim().split(/\s+/);
  const hasFallback = words.slice(words.indexOf(role) + 1).some((word) => ROLES.has(word))
    || LANDMARKS.has(localNameOf(element)) || role === 'treeitem' && matches(element, 'button,a[href]');
  return hasFallback
    && ![element, ...ancestorsOf(element)].some((each) => mayBeWidget(each, element, WIDGET_BY_ITEM_ROLE.get(role)));
}

/**
 * Return whether `outer`, the element `item` or an ancestor of it, is or may be the widget that the item belongs to: a custom element may
 * set the role in its class. `rolePattern`: matches the roles of such widgets.
 */
function mayBeWidget(outer, item, rolePattern) {
  if (ownersByElement(outer)?.has(outer)) return true; // `aria-owns` may put it into the widget
  return outer !== item && (rolePattern.test(roleAttributeOf(outer)) || localNameOf(outer).includes('-'));
}

/** Return whether a list item is in a list, with wrappers in between; a custom element may be a list. */
function isInList(element) {
  for (const ancestor of ancestorsOf(element)) {
    const role = attr(ancestor, 'role')?.toLowerCase();
    if (
      role !== undefined
        ? role.includes('list') || role.includes('directory')
        : LISTS.has(localNameOf(ancestor)) || localNameOf(ancestor).includes('-')
    ) return true;
    if (role !== undefined && role !== 'none' && role !== 'presentation' && role !== 'group' && role !== 'generic')
      return false;
  }
  return false;
}

/** Return whether an attribute gives an element a name: `aria-label`, `aria-labelledby` or `title`. */
export function hasAuthorName(element) {
  return hasAriaLabel(element) || Boolean((attr(element, 'title') || '').trim());
}

/** Return whether an element has a name by `aria-label` or `aria-labelledby` that is not blank. */
export function hasAriaLabel(element) {
  if ((attr(element, 'aria-label') || '').trim()) return true;
  const labels = referencedElements(element, 'aria-labelledby');
  return labels.length > 0 && cleanText(textOfLabels(element, labels)) !== '';
}

const NATIVE_FOCUSABLE =
  'a[href],area[href],button,input:not([type=hidden]),select,textarea,summary,iframe,audio[controls],video[controls],[tabindex],[contenteditable]:not([contenteditable=false])';
/** Return whether an element can take the focus by itself or by `tabindex`, and is not disabled. */
export function isFocusable(element) {
  return matches(element, NATIVE_FOCUSABLE) && !matches(element, ':disabled');
}

// Roles by the `focusgroup` attribute: of a group that has it, and of its items, between which the arrow keys move.
//
// Source: Open UI, scoped focusgroup, "Behavior → role mapping and precedence"; Chromium 156 where that leaves a choice.

// Behaviour, which is also the role of the group → role of its items.
const ITEM_ROLE_BY_BEHAVIOUR = new Map([
  ['toolbar', ''],
  ['tablist', 'tab'],
  ['radiogroup', 'radio'],
  ['listbox', 'option'],
  ['menu', 'menuitem'],
  ['menubar', 'menuitem'],
]);
const TOP_LAYER = ':is(:popover-open, :modal, :fullscreen)'; // is in no focusgroup around it

/** Return the role that an element without another one gets by its `focusgroup` attribute, or as an item of a group; "" for none. */
function roleInFocusgroup(element) {
  if (hasAttr(element, 'focusgroup')) return focusgroupBehaviour(element);
  return hasAttr(element, 'tabindex') && isReachedByArrows(element) ? roleOfFocusgroupItem(element) : '';
}

/**
 * Return the role of a `<button>`: "button", or that of an item of its focusgroup. A toggle button stays a button, and so does one that
 * would be an option, which HTML-ARIA does not allow.
 */
export function roleOfButton(element) {
  if (!mayBeInFocusgroup(element)) return 'button';
  if (hasAttr(element, 'focusgroup') || hasAttr(element, 'aria-pressed') || !isReachedByArrows(element))
    return 'button';
  const role = roleOfFocusgroupItem(element);
  return role === '' || role === 'option' ? 'button' : role;
}

/** Return whether the arrow keys move to an element of a focusgroup: not to a disabled one, or one with a negative tabindex. */
const isReachedByArrows = (element) => !(Number(attr(element, 'tabindex')) < 0) && !matches(element, ':disabled');

/** Return the role of an element as an item of the focusgroup around it; "" for none. */
function roleOfFocusgroupItem(element) {
  const parent = parentOf(element);
  const group = parent && mayBeInFocusgroup(element) ? focusgroupAround(parent) : null;
  if (group === null || explicitRoleOf(group) !== '' || nativeRoleOf(group) !== '') return '';
  return ITEM_ROLE_BY_BEHAVIOUR.get(focusgroupBehaviour(group)) ?? '';
}

/** Return the behaviour that the `focusgroup` attribute names, such as "tablist"; "" for none. It is the role of the group. */
function focusgroupBehaviour(group) {
  const words = attr(group, 'focusgroup').toLowerCase().split(/\s+/);
  return words.includes('none') ? '' : words.find((word) => ITEM_ROLE_BY_BEHAVIOUR.has(word)) ?? '';
}

const documentsWithFocusgroup = new PerCallCache((document) => queryOneIn(document, '[focusgroup]') !== null);
/** Return whether the document of an element has any `focusgroup` attribute: most have none. */
const mayBeInFocusgroup = (element) => hasShadowTrees || documentsWithFocusgroup.of(documentOf(element));

let groupsAround = new Map();
let groupsOfCall = -1;
/**
 * Return the nearest element with a `focusgroup` attribute, from `element` outwards to a popover, modal dialog or full screen; null for
 * none. Cached for one call from Python.
 */
function focusgroupAround(element) {
  if (groupsOfCall !== calls) [groupsAround, groupsOfCall] = [new Map(), calls];
  const between = [];
  let group = null;
  for (let each = element; each !== null; each = parentOf(each)) {
    if (groupsAround.has(each) || hasAttr(each, 'focusgroup')) {
      group = groupsAround.get(each) ?? (groupsAround.has(each) ? null : each);
      break;
    }
    between.push(each);
    if (matches(each, TOP_LAYER)) break;
  }
  for (const each of between) groupsAround.set(each, group);
  return group;
}

// Facts about elements by their tag, looked up once per tag.

const IGNORED_TAGS = wordSet(
  `script style template noscript head meta link title source track param base col colgroup rp noframes noembed datalist
  defs symbol clipPath linearGradient radialGradient metadata`,
);
const INLINE = wordSet(
  `a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q ruby s samp slot
  small span strike strong sub sup time tt u var wbr`,
);
export const OPAQUE_TAGS = wordSet('input textarea video audio progress meter object embed canvas img br hr');
const TAGS_WITHOUT_OWN_TEXT = wordSet('input select option optgroup textarea br hr');
const NATIVELY_NAMED = wordSet(
  `table fieldset iframe details optgroup output svg g use image foreignObject circle ellipse
  line path polygon polyline rect`,
);
const TAGS_WITH_STATES = wordSet('input option select button textarea summary h1 h2 h3 h4 h5 h6');
const TAGS_NEVER_COLLAPSED = wordSet('option optgroup area body html');
const TAGS_NEVER_SCROLLED = wordSet('table tbody thead tfoot tr td th a span p li');

// Facts that hold for all elements of one tag. `native`: the role that the tag implies, or the function that computes it.
class Tag {
  constructor(name, native) {
    this.name = name;
    this.isIgnored = IGNORED_TAGS.has(name); // nothing in it is displayed or read
    this.inline = INLINE.has(name);
    this.flows = name === 'dfn'; // part of a sentence, although it has a role
    this.opaque = OPAQUE_TAGS.has(name); // its content is not visited
    this.group = name === 'g'; // of SVG
    this.drawn = SVG_TEXT_TAGS.has(name); // text of SVG
    this.painted = name === 'canvas' || name === 'audio' || name === 'video'; // its content is a fallback that is not displayed
    this.hidesNoText = TAGS_WITHOUT_OWN_TEXT.has(name); // it has no text whose visibility matters
    this.option = name === 'option';
    this.frame = name === 'iframe' || name === 'frame';
    this.slot = name === 'slot';
    this.named = NATIVELY_NAMED.has(name); // may have a name even without attributes
    this.stateful = TAGS_WITH_STATES.has(name);
    this.valued = name === 'input' || name === 'textarea' || name === 'select' || name === 'progress'
      || name === 'meter';
    this.collapses = !(this.inline && name !== 'a' || TAGS_NEVER_COLLAPSED.has(name));
    this.isInInnerText = name !== 'option' && name !== 'optgroup'; // its text is in `innerText` only while it is displayed
    this.scrolls = !TAGS_NEVER_SCROLLED.has(name); // may be a scroll container
    this.custom = name.includes('-');
    this.hosts = this.custom || CAN_HOST.has(name); // may have a shadow root
    const isRoleFixed = typeof native !== 'function';
    this.kind = isRoleFixed ? kindOf(native) : null; // of an element without attributes; null where that depends on its surroundings
  }
}

const htmlTags = new Map();
const otherTags = new Map(); // SVG, MathML, and what scripts make up
/** Return facts about the tag of an element (`Tag`), such as whether it is displayed inline. Made once for each tag. */
export function tagOf(element) {
  const name = localNameOf(element);
  const tags = namespaceOf(element) === HTML ? htmlTags : otherTags;
  let tag = tags.get(name);
  if (tag === undefined) tags.set(name, tag = new Tag(name, nativeRoleEntry(element)));
  return tag;
}
