// Roles that tags imply, by HTML-AAM and SVG-AAM. "" means generic.

import { explicitRoleOf, hasAriaLabel, hasAuthorName, isFocusable, LISTS, roleOfButton } from './roles.js';
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
  styleOf,
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

const SECTIONING =
  'article,aside,nav,section,[role=article i],[role=complementary i],[role=navigation i],[role=region i]';
const SECTIONING_OR_MAIN = `${SECTIONING},main,[role=main i]`;

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

const PRESSED_INPUT_TYPES = new Set(['button', 'image', 'reset', 'submit']);

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

/** Return a function that returns `role` for an SVG element with a name by ARIA or `<title>`, else "" (SVG-AAM). */
const roleIfNamed = (role) => (element) =>
  hasAttrs(element) && hasAriaLabel(element) || hasTitleChild(element) ? role : '';
const SVG_ROLES = {
  svg: NATIVE_ROLES.svg,
  a: NATIVE_ROLES.a,
  g: roleIfNamed('group'),
  foreignObject: roleIfNamed('group'),
  image: roleIfNamed('img'),
  use: roleIfNamed('graphics-object'),
  ...Object.fromEntries(
    'circle ellipse line path polygon polyline rect'.split(' ').map((shape) => [shape, roleIfNamed('graphics-symbol')]),
  ),
};

/** Return the role that an element's tag implies (HTML-AAM, SVG-AAM); "" for generic. */
export function nativeRoleOf(element) {
  const native = nativeRoleEntry(element);
  return typeof native === 'function' ? native(element) : native;
}

/** Return the role that an element's tag implies ("" for generic), or the function that computes it from the element. */
export function nativeRoleEntry(element) {
  const name = localNameOf(element);
  const namespace = namespaceOf(element);
  const roles = namespace === HTML ? NATIVE_ROLES : namespace === SVG ? SVG_ROLES : null;
  return roles !== null && Object.hasOwn(roles, name) ? roles[name] : '';
}

/** Return "button" for an element such as Chromium's `<permission>`; "" in a Chromium that does not know its tag. */
function permissionRole(element) {
  return element instanceof HTMLUnknownElement ? '' : 'button';
}

/** Return whether an ancestor of an element matches a selector. */
function isInside(element, selector) {
  const parent = parentOf(element);
  return parent !== null && closest(parent, selector) !== null;
}

/** Return whether an `<a>` without href, which is generic by HTML-AAM, is used as a link or button. */
const isClickableAnchor = (element) =>
  hasAttr(element, 'onclick') || hasOwnPointer(element) && hasContentOrBox(element);
/** Return whether an `<a>` has content or a size: an empty jump target may have the pointer cursor by a CSS rule for all `<a>`. */
function hasContentOrBox(element) {
  if (firstChildOf(element) !== null) return true;
  const { width, height } = rectOf(element);
  return width > 0 && height > 0;
}
/** Return whether an element has the pointer cursor of its own, not inherited from its parent. */
function hasOwnPointer(element) {
  if (styleOf(element).cursor !== 'pointer') return false;
  const parent = parentOf(element);
  return parent === null || styleOf(parent).cursor !== 'pointer';
}

/** Return the role of an `<img>`: "" for decoration, with `alt=""` and neither an ARIA label nor focusable. */
function imageRole(element) {
  return attr(element, 'alt') === '' && !hasAriaLabel(element) && !isFocusable(element) ? '' : 'img';
}

/** Return whether an SVG element has a name by an attribute or a `<title>`. */
const hasSvgName = (element) => hasAuthorName(element) || hasTitleChild(element);
/** Return whether an SVG element has a `<title>` with text. */
function hasTitleChild(element) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isElement(child) && localNameOf(child) === 'title') return textContentOf(child).trim() !== '';
  }
  return false;
}

/** Return the role of an `<input>` by its type (HTML-AAM). */
function inputRole(element) {
  const type = (attr(element, 'type') || 'text').toLowerCase();
  if (type === 'checkbox') return hasAttr(element, 'switch') ? 'switch' : 'checkbox';
  const role = Object.hasOwn(INPUT_ROLES, type) ? INPUT_ROLES[type] : 'textbox';
  if (role === 'button') return PRESSED_INPUT_TYPES.has(type) ? roleOfButton(element) : role;
  if (role !== 'textbox' && role !== 'searchbox' || type === 'password' || !hasAttr(element, 'list')) return role;
  const list = elementById(element, attr(element, 'list'));
  return list && localNameOf(list) === 'datalist' ? 'combobox' : role;
}

/** Return the role of a `<select>`: "listbox" if it shows several lines, else "combobox". */
function selectRole(element) {
  return hasAttr(element, 'multiple') || Number(attr(element, 'size')) > 1 ? 'listbox' : 'combobox';
}

/** Return the role of an `<li>`: "" outside of a list, or in one whose role was removed. */
function listItemRole(element) {
  const list = listOfItem(element);
  if (!list) return '';
  if (isSlot(list) || localNameOf(list).includes('-')) return 'listitem';
  const role = explicitRoleOf(list);
  if (role) return role === 'none' || role === 'presentation' ? '' : 'listitem';
  return LISTS.has(localNameOf(list)) ? 'listitem' : '';
}

/** Return the parent of a list item, skipping `<div>`s without a role, as frameworks insert them. */
function listOfItem(element) {
  let parent = parentOf(element);
  while (parent && localNameOf(parent) === 'div' && !hasAttr(parent, 'role')) parent = parentOf(parent);
  return parent;
}

/** Return the role of a `<summary>`: "button" for the first in its `<details>`, which opens and closes it, else "". */
function summaryRole(element) {
  const details = parentNodeOf(element);
  if (!details || !isElement(details) || localNameOf(details) !== 'details') return '';
  for (const child of siblingsFrom(firstChildOf(details))) {
    if (isElement(child) && localNameOf(child) === 'summary') return child === element ? 'button' : '';
  }
  return '';
}

let lastRow = { parent: null, calls: -1, kind: '' };
/**
 * Return the role of the table around a row or cell: "table", "grid" or "treegrid"; "" outside of one, or in a layout table. The answer for
 * the last row is cached, since cells come row by row.
 */
function roleOfTableAround(element) {
  const parent = parentNodeOf(element);
  if (lastRow.parent !== parent || lastRow.calls !== calls)
    lastRow = { parent, calls, kind: roleOfTable(closest(element, 'table')) };
  return lastRow.kind;
}

/** Return the role of a `<table>`: "table", "grid" or "treegrid"; "" for null, or for a layout table. */
function roleOfTable(table) {
  if (!table) return '';
  const explicit = explicitRoleOf(table);
  if (explicit) return explicit === 'table' || explicit === 'grid' || explicit === 'treegrid' ? explicit : '';
  return isLayoutTable(table) ? '' : 'table';
}

/** Return `role` for a row, cell or other part of a data table; "" for one of a layout table, or outside of tables. */
const tablePartRole = (element, role) => roleOfTableAround(element) === '' ? '' : role;

/** Return the role of a `<td>`: "cell", in a grid "gridcell", outside of a data table "". */
function cellRole(element) {
  const kind = roleOfTableAround(element);
  return kind === '' ? '' : kind === 'table' ? 'cell' : 'gridcell';
}

/**
 * Return the role of a `<th>`: "rowheader" or "columnheader", by its scope, else by whether its row has a `<td>`; "" outside of a data
 * table.
 */
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

const layoutTables = new WeakMap();
const DATA_TABLE = 'caption,thead,tfoot,th,col,colgroup,[scope],[headers],[abbr],tr[aria-selected],td[aria-selected]';
/** Return whether a table is only for layout. Cached as long as the number of its children stays the same. */
function isLayoutTable(element) {
  if (explicitRoleOf(element)) return false;
  const known = layoutTables.get(element);
  if (known !== undefined && known.count === childElementCountOf(element)) return known.layout;
  const layout = looksLikeLayoutTable(element);
  layoutTables.set(element, { layout, count: childElementCountOf(element) });
  return layout;
}

/** Return whether nothing marks a table as data, and it contains a table, or only one row or column. */
function looksLikeLayoutTable(element) {
  if (hasAuthorName(element) || attr(element, 'summary') || Number(attr(element, 'border')) > 0) return false;
  if (hasAttr(element, 'rules') || hasAttr(element, 'aria-rowcount') || hasAttr(element, 'aria-colcount')) return false;
  if (queryOne(element, DATA_TABLE)) return false;
  if (queryOne(element, 'table')) return true;
  const rows = queryAll(element, 'tr');
  return rows.length <= 1 || [...rows].slice(0, 20).every((row) => childElementCountOf(row) <= 1);
}
