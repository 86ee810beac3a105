// The role that an element has by itself: html-aam and svg-aam. `''` means generic.

import { explicitRoleOf, hasAuthorName, hasLabel, isFocusable, LISTS, roleOfButton } from './roles.js';
import {
  childElementCountOf,
  closest,
  firstChildOf,
  localNameOf,
  namespaceOf,
  parentNodeOf,
  queryAll,
  queryOne,
  rectOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  attr,
  calls,
  elementById,
  hasAttr,
  hasAttrs,
  HTML,
  isElement,
  isSlot,
  parentOf,
  siblingsFrom,
  SVG,
} from '../dom/dom.js';
import { styleOf } from '../visibility/hidden.js';

const SECTIONING = 'article,aside,nav,section,[role=article],[role=complementary],[role=navigation],[role=region]';
const SECTIONING_OR_MAIN = `${SECTIONING},main,[role=main]`;

const INPUT_ROLES = {
  button: 'button',
  checkbox: 'checkbox',
  color: 'button',
  date: 'textbox',
  'datetime-local': 'textbox',
  email: 'textbox',
  file: 'button',
  hidden: '',
  image: 'button',
  month: 'textbox',
  number: 'spinbutton',
  password: 'textbox',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  search: 'searchbox',
  submit: 'button',
  tel: 'textbox',
  text: 'textbox',
  time: 'textbox',
  url: 'textbox',
  week: 'textbox',
};

const PUSHED = new Set(['button', 'image', 'reset', 'submit']);

const NATIVE_ROLES = {
  a: (element) =>
    hasAttr(element, 'href') || hasAttr(element, 'xlink:href') || isClickableAnchor(element) ? 'link' : '',
  area: (element) => hasAttr(element, 'href') ? 'link' : '',
  article: 'article',
  address: 'group',
  audio: 'audio',
  blockquote: 'blockquote',
  button: roleOfButton,
  canvas: 'canvas',
  aside: (element) => isInside(element, SECTIONING) && !hasAuthorName(element) ? '' : 'complementary',
  caption: 'caption',
  code: 'code',
  datalist: 'listbox',
  dd: 'definition',
  del: 'deletion',
  details: 'group',
  dfn: 'term',
  dialog: 'dialog',
  dir: 'list',
  dt: 'term',
  em: 'emphasis',
  embed: 'embed',
  fieldset: 'group',
  figcaption: 'caption',
  figure: 'figure',
  footer: (element) => isInside(element, SECTIONING_OR_MAIN) ? 'sectionfooter' : 'contentinfo',
  form: 'form',
  frame: 'iframe',
  geolocation: permissionRole,
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  hgroup: 'group',
  header: (element) => isInside(element, SECTIONING_OR_MAIN) ? 'sectionheader' : 'banner',
  hr: 'separator',
  iframe: 'iframe',
  img: imageRole,
  input: inputRole,
  ins: 'insertion',
  li: listItemRole,
  main: 'main',
  mark: 'mark',
  math: 'math',
  menu: 'list',
  meter: 'meter',
  nav: 'navigation',
  object: (element) => hasAuthorName(element) ? 'img' : '',
  ol: 'list',
  optgroup: 'group',
  option: 'option',
  output: 'status',
  p: 'paragraph',
  permission: permissionRole,
  progress: 'progressbar',
  s: 'deletion',
  search: 'search',
  section: (element) => hasAuthorName(element) ? 'region' : '',
  select: selectRole,
  strong: 'strong',
  sub: 'subscript',
  summary: summaryRole,
  sup: 'superscript',
  svg: (element) => hasSvgName(element) ? 'img' : '',
  table: (element) => isLayoutTable(element) ? '' : 'table',
  tbody: (element) => tablePartRole(element, 'rowgroup'),
  td: cellRole,
  textarea: 'textbox',
  tfoot: (element) => tablePartRole(element, 'rowgroup'),
  th: headerCellRole,
  thead: (element) => tablePartRole(element, 'rowgroup'),
  time: 'time',
  tr: (element) => tablePartRole(element, 'row'),
  ul: 'list',
  usermedia: permissionRole,
  video: 'video',
};

/** svg-aam: shapes and groups have a role if the author named them. */
const ifNamed = (role) => (element) => hasAttrs(element) && hasLabel(element) || hasTitleChild(element) ? role : '';
const SVG_ROLES = {
  svg: NATIVE_ROLES.svg,
  a: NATIVE_ROLES.a,
  g: ifNamed('group'),
  foreignObject: ifNamed('group'),
  image: ifNamed('img'),
  use: ifNamed('graphics-object'),
  ...Object.fromEntries(
    'circle ellipse line path polygon polyline rect'.split(' ').map((shape) => [shape, ifNamed('graphics-symbol')]),
  ),
};

export function nativeRoleOf(element) {
  const native = nativeRoleEntry(element);
  return typeof native === 'function' ? native(element) : native;
}

/** The role that an element's name gives it, or the function that finds it out. */
export function nativeRoleEntry(element) {
  const name = localNameOf(element);
  const namespace = namespaceOf(element);
  const roles = namespace === HTML ? NATIVE_ROLES : namespace === SVG ? SVG_ROLES : null;
  return roles !== null && Object.hasOwn(roles, name) ? roles[name] : '';
}

/** The role of Chromium's button that asks for a permission. A Chromium that does not know it shows the element's content. */
function permissionRole(element) {
  return element instanceof HTMLUnknownElement ? '' : 'button';
}

function isInside(element, selector) {
  const parent = parentOf(element);
  return parent !== null && closest(parent, selector) !== null;
}

/** html-aam: generic without an address. Pages use it as a link or a button all the same, and so Chromium calls it. */
const isClickableAnchor = (element) => hasAttr(element, 'onclick') || hasOwnPointer(element) && isToBeSeen(element);
/** A target of jumps has the hand of a rule for all anchors, and nothing to press. MediaWiki has one at the top of each page. */
function isToBeSeen(element) {
  if (firstChildOf(element) !== null) return true;
  const { width, height } = rectOf(element);
  return width > 0 && height > 0;
}
/** The hand as its cursor, not for being in something that has it. */
function hasOwnPointer(element) {
  if (styleOf(element).cursor !== 'pointer') return false;
  const parent = parentOf(element);
  return parent === null || styleOf(parent).cursor !== 'pointer';
}

/** html-aam: alt="" makes an image decoration, unless a label says otherwise. A tooltip does not. */
function imageRole(element) {
  return attr(element, 'alt') === '' && !hasLabel(element) && !isFocusable(element) ? '' : 'img';
}

const hasSvgName = (element) => hasAuthorName(element) || hasTitleChild(element);
function hasTitleChild(element) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isElement(child) && localNameOf(child) === 'title') return textContentOf(child).trim() !== '';
  }
  return false;
}

function inputRole(element) {
  const type = (attr(element, 'type') || 'text').toLowerCase();
  if (type === 'checkbox') return hasAttr(element, 'switch') ? 'switch' : 'checkbox';
  const role = Object.hasOwn(INPUT_ROLES, type) ? INPUT_ROLES[type] : 'textbox';
  if (role === 'button') return PUSHED.has(type) ? roleOfButton(element) : role;
  if (role !== 'textbox' && role !== 'searchbox' || type === 'password' || !hasAttr(element, 'list')) return role;
  const list = elementById(element, attr(element, 'list'));
  return list && localNameOf(list) === 'datalist' ? 'combobox' : role;
}

function selectRole(element) {
  return hasAttr(element, 'multiple') || Number(attr(element, 'size')) > 1 ? 'listbox' : 'combobox';
}

/** An item outside of a list is just a block; a list whose role was taken away takes its items with it. */
function listItemRole(element) {
  const list = listAround(element);
  if (!list) return '';
  if (isSlot(list) || localNameOf(list).includes('-')) return 'listitem';
  const role = explicitRoleOf(list);
  if (role) return role === 'none' || role === 'presentation' ? '' : 'listitem';
  return LISTS.has(localNameOf(list)) ? 'listitem' : '';
}

/** The parent; frameworks put wrappers without meaning between a list and its items. */
function listAround(element) {
  let parent = parentOf(element);
  while (parent && localNameOf(parent) === 'div' && !hasAttr(parent, 'role')) parent = parentOf(parent);
  return parent;
}

/** The first summary of a details opens and closes it: a button by use, whatever its mapping is called. */
function summaryRole(element) {
  const details = parentNodeOf(element);
  if (!details || !isElement(details) || localNameOf(details) !== 'details') return '';
  for (const child of siblingsFrom(firstChildOf(details))) {
    if (isElement(child) && localNameOf(child) === 'summary') return child === element ? 'button' : '';
  }
  return '';
}

// The role of the table around a row, which all its cells share: "" for none, or for a layout table. Remembered for the last row
// only, since cells come row by row.
let lastRow = { parent: null, calls: -1, kind: '' };
function tableKind(element) {
  const parent = parentNodeOf(element);
  if (lastRow.parent !== parent || lastRow.calls !== calls)
    lastRow = { parent, calls, kind: kindOfTable(closest(element, 'table')) };
  return lastRow.kind;
}

function kindOfTable(owner) {
  if (!owner) return '';
  const explicit = explicitRoleOf(owner);
  if (explicit) return explicit === 'table' || explicit === 'grid' || explicit === 'treegrid' ? explicit : '';
  return isLayoutTable(owner) ? '' : 'table';
}

const tablePartRole = (element, role) => tableKind(element) === '' ? '' : role;

function cellRole(element) {
  const kind = tableKind(element);
  return kind === '' ? '' : kind === 'table' ? 'cell' : 'gridcell';
}

function headerCellRole(element) {
  const role = tablePartRole(element, 'cell');
  if (!role) return '';
  const scope = (attr(element, 'scope') || '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  const row = parentNodeOf(element);
  const others = [...siblingsFrom(row && firstChildOf(row))].filter(isElement);
  return others.some((other) => localNameOf(other) === 'td') ? 'rowheader' : 'columnheader';
}

// A table used to place things is not a table to anyone: no sign of data, and a table inside, or one row or column.
const layoutTables = new WeakMap();
const DATA_TABLE = 'caption,thead,tfoot,th,col,colgroup,[scope],[headers],[abbr]';
function isLayoutTable(element) {
  if (explicitRoleOf(element)) return false;
  const known = layoutTables.get(element);
  if (known !== undefined && known.count === childElementCountOf(element)) return known.layout;
  const layout = looksLikeLayout(element);
  layoutTables.set(element, { layout, count: childElementCountOf(element) });
  return layout;
}

function looksLikeLayout(element) {
  if (hasAuthorName(element) || attr(element, 'summary') || Number(attr(element, 'border')) > 0) return false;
  if (hasAttr(element, 'rules') || hasAttr(element, 'aria-rowcount') || hasAttr(element, 'aria-colcount')) return false;
  if (queryOne(element, DATA_TABLE)) return false;
  if (queryOne(element, 'table')) return true;
  const rows = queryAll(element, 'tr');
  return rows.length <= 1 || [...rows].slice(0, 20).every((row) => childElementCountOf(row) <= 1);
}
