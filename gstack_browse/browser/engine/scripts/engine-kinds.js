// Looks up facts about an element by its tag, and about a role by its word: once per element, so that the walk asks the page only
// for differences between elements.

import { localNameOf, namespaceOf } from './engine-accessors.js';
import { HTML, words } from './engine-dom.js';
import { CAN_HOST } from './engine-closed.js';
import { nativeRoleEntry } from './engine-native-roles.js';
import { DRAWN } from './engine-drawn.js';
import { MEASURES } from './engine-values.js';

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
export function kindOf(role) {
  let kind = kinds.get(role);
  if (kind === undefined) kinds.set(role, kind = new Kind(role));
  return kind;
}

const SILENT = words(
  `script style template noscript head meta link title source track param base col colgroup rp noframes noembed datalist
  defs symbol clipPath linearGradient radialGradient metadata`,
);
const INLINE = words(
  `a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q ruby s samp slot
  small span strike strong sub sup time tt u var wbr`,
);
export const OPAQUE_TAGS = words('input textarea video audio progress meter object embed canvas img br hr');
const ALWAYS_TOLD = words('input select option optgroup textarea br hr');
const NATIVELY_NAMED = words(`table fieldset iframe details optgroup output svg g use image foreignObject circle ellipse
  line path polygon polyline rect`);
const WITH_STATES = words('input option select button textarea summary h1 h2 h3 h4 h5 h6');
const NEVER_COLLAPSE = words('option optgroup area body html');
const NEVER_SCROLL = words('table tbody thead tfoot tr td th a span p li');

class Tag {
  constructor(name, native) {
    this.name = name;
    this.silent = SILENT.has(name);
    this.inline = INLINE.has(name);
    this.flows = name === 'dfn'; // has a role, and is part of its sentence all the same
    this.opaque = OPAQUE_TAGS.has(name);
    this.group = name === 'g'; // of a drawing
    this.drawn = DRAWN.has(name); // words of a drawing
    this.painted = name === 'canvas' || name === 'audio' || name === 'video'; // shown in the place of what is inside
    this.alwaysTold = ALWAYS_TOLD.has(name); // whether its words can be seen makes no difference
    this.option = name === 'option';
    this.frame = name === 'iframe' || name === 'frame';
    this.slot = name === 'slot';
    this.named = NATIVELY_NAMED.has(name);
    this.stateful = WITH_STATES.has(name);
    this.valued = name === 'input' || name === 'textarea' || name === 'select' || name === 'progress'
      || name === 'meter';
    this.collapses = !(this.inline && name !== 'a' || NEVER_COLLAPSE.has(name));
    this.proves = name !== 'option' && name !== 'optgroup'; // its words are among those shown only where it is
    this.scrolls = !NEVER_SCROLL.has(name);
    this.custom = name.includes('-');
    this.hosts = this.custom || CAN_HOST.has(name);
    this.asksForRole = typeof native === 'function';
    this.kind = this.asksForRole ? null : kindOf(native); // of one without attributes
  }
}

const htmlTags = new Map();
const otherTags = new Map(); // SVG, MathML, and what scripts make up
export function tagOf(element) {
  const name = localNameOf(element);
  const tags = namespaceOf(element) === HTML ? htmlTags : otherTags;
  let tag = tags.get(name);
  if (tag === undefined) tags.set(name, tag = new Tag(name, nativeRoleEntry(element)));
  return tag;
}
