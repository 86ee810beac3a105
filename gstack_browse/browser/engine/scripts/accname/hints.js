// Words for what has no name, or no name of its own: the one word of its markup that tells most, and what tells equal lines apart.

import { kindOf } from './kinds.js';
import { contentName } from './contents.js';
import { roleOf } from './roles.js';
import {
  childElementCountOf,
  closest,
  localNameOf,
  matches,
  namespaceOf,
  parentNodeOf,
  queryAll,
  queryOne,
  textContentOf,
} from '../dom/accessors.js';
import { attr, cleanText, hasAttrs, isElement, SVG, treeOf, words } from '../dom/dom.js';
import { nodeFor } from '../dom/node-table.js';
import { sheetsOf } from '../dom/style-sheets.js';
import { isClear, parsedColour } from '../visibility/colours.js';
import { styleOf } from '../visibility/hidden.js';

const MAX_HINT = 40;
const MAX_FIELD_HINT = 70; // names of fields in fields are long: name=user[addresses][0][street]
// Say nothing of what a control is for.
const USUAL = words(
  `a active actions app auto base block body bordered box btn button buttons center circle clickable close-icon col container content
  component components control controls default disabled element even fa fab fad fal far fas field first flex focus focus-visible focused form glyphicon grid group hidden hover icon icons
  image img inline inner input item label large last left lg link list material-icons main md mdi medium menu mini normal odd open outer primary
  non-selectable notranslate only outline p-c right root round rounded row secondary select selected show shown sm small span square svg text toggle ui view visible wrap wrapper xl xs`,
);
const UTILITY =
  /^(?:-?[mp][trblxyse]?-(?:[\d[]|auto|px|full|xs|sm|md|lg|xl)|(?:min|max|w|h|size|gap|space|text|bg|from|to|via|border|rounded|flex|grid|cols?|row|items|justify|content|self|place|order|z|top|left|right|bottom|inset|overflow|opacity|shadow|ring|font|leading|tracking|cursor|transition|duration|ease|delay|animate|align|d|float|object|fill|stroke|select|pointer|whitespace|break|is|has|ng|v|js|no|col|fs|fw|lh)-)|^Mui(?:ButtonBase|IconButton|Button|SvgIcon)-|^(?:absolute|relative|fixed|sticky|static|block|inline-block|inline-flex|truncate|uppercase|italic|underline|sr-only|group|peer|container)$/;

// Prefixes of the classes of widget libraries and of icon fonts: `q-btn` says no more than `btn`.
const LIBRARIES = words(
  'ant bi bp bp3 bp4 bp5 bp6 chakra dx el euk fa ion k mantine mat mdc mdi mdl mui n p pf pi q rc rs sl t ti ui uk v wa',
);

export const REMOVES = /close|clear|remove|delete|dismiss|cancel/i; // tells most where an icon has many classes

// Asked for together first: most of what has no name holds none of them.
const ICONS = 'svg[data-icon],svg[data-testid],[data-lucide],[data-mat-icon-name]';
const CLASSED = 'i[class],span[class],svg[class],mat-icon';
const TELLING_PARTS = `img[src],use,${ICONS},${CLASSED}`;

export function hintOf(element) {
  const tag = localNameOf(element);
  const holds = tag !== 'select' && childElementCountOf(element) > 0 && queryOne(element, TELLING_PARTS) !== null;
  const drawn = holds || tag === 'img' ? drawnBy(element) || spelledBy(element) : '';
  const written = drawn || !holds && !hasAttrs(element) ? drawn : identified(element) || classed(element, holds);
  if (!holds && (written === '' || !written.includes('=')) && childElementCountOf(element) === 0) {
    const shown = shapeOf(element);
    const told = [written, shown].filter(Boolean).join(' ').slice(0, MAX_HINT);
    const beside = shown !== '' && namespaceOf(element) === SVG ? wordsBeside(element) : '';
    if (shown !== '') return beside === '' ? told : `"${beside}" ${told}`;
  }
  if (written === '' && SHOW_FILES.has(tag)) return fileOf(attr(element, 'src') || '');
  const found = written || (hasAttrs(element) || sheetsOf(treeOf(element)).length > 0 ? pictured(element) : '')
    || (LINKS.has(tag) ? ledTo(attr(element, 'href') || attr(element, 'xlink:href') || '') : '')
    || (tag !== 'select' && childElementCountOf(element) > 0 ? markedInside(element) : '')
    || (tag === 'input' ? takenBy(element) : '');
  return found.length <= (found.startsWith('name=') ? MAX_FIELD_HINT : MAX_HINT) ? found : '';
}

// The type of a field that reads like any other text field: a date and a time stand beside each other.
const TAKEN = words('date datetime-local month time week');
function takenBy(input) {
  const type = (attr(input, 'type') || '').toLowerCase();
  return TAKEN.has(type) ? type : '';
}

const SHOW_FILES = words('iframe frame fencedframe video audio');
const DRAWN_SHAPES = words('circle ellipse line path polygon polyline rect');
const COLOURS = {
  aqua: 'cyan',
  black: '',
  blue: '',
  brown: '',
  cyan: '',
  fuchsia: 'magenta',
  gold: '',
  gray: '',
  green: '',
  grey: 'gray',
  indigo: '',
  lime: '',
  magenta: '',
  maroon: '',
  navy: '',
  olive: '',
  orange: '',
  pink: '',
  purple: '',
  red: '',
  silver: '',
  teal: '',
  violet: '',
  white: '',
  yellow: '',
};

/** A drawing that is nothing but a shape is told by that and by its colour, an empty box by its colour. */
function shapeOf(element) {
  const name = localNameOf(element);
  if (namespaceOf(element) === SVG)
    return DRAWN_SHAPES.has(name) ? `${colourIn(styleOf(element).fill)} ${name}`.trim() : '';
  return name === 'div' || name === 'span' ? emptyBox(element) : '';
}

// The words around an element, without those of controls: of a shape in its group of the drawing, of a button in a control in the part of that.
const MAX_BESIDE = 30;
const LEVELS_AROUND = 3;
export function wordsBeside(element) {
  const isShape = namespaceOf(element) === SVG && localNameOf(element) !== 'svg';
  let around = parentNodeOf(element);
  for (let level = 0; level < LEVELS_AROUND && isElement(around); level++) {
    if (isShape ? localNameOf(around) !== 'g' : kindOf(roleOf(around)).covers) return '';
    const words = withoutCrosses(
      contentName(around, { left: MAX_BESIDE + 1, visited: new Set() }, { withoutControls: true }),
    );
    if (words !== '') return words.length <= MAX_BESIDE ? words.replace(/["()[\]]/g, '') : '';
    around = parentNodeOf(around);
  }
  return '';
}

// A control whose name is only a sign, such as the cross of a chip, is described by the thing that the sign belongs to.
const LETTERS = /[\p{L}\p{N}]/u;
export const isSign = (name) => name !== '' && !LETTERS.test(name);

const CROSSES = /^[\s×✕✖✗✘⨯]+|[\s×✕✖✗✘⨯]+$/gu;
export const withoutCrosses = (text) => cleanText(text.replace(CROSSES, ''));

const emptyBox = (element) => textContentOf(element).trim() === '' ? colourIn(styleOf(element).backgroundColor) : '';

const named = new Map();
function colourIn(text) {
  if (named.size === 0) {
    for (const [name, other] of Object.entries(COLOURS)) named.set(String(parsedColour(name)), other || name);
  }
  const colour = parsedColour(text);
  return colour === null || isClear(colour) ? '' : named.get(String(colour)) ?? '';
}

/** A picture inside says what it shows by the name of its file, symbol or icon. */
function drawnBy(element) {
  const image = localNameOf(element) === 'img' ? element : queryOne(element, 'img[src]');
  const file = image === null ? '' : fileOf(attr(image, 'src') || '');
  if (file !== '') return file;
  const use = queryOne(element, 'use');
  const href = use === null ? null : attr(use, 'href') || attr(use, 'xlink:href');
  const symbol = href === null ? '' : href.slice(href.indexOf('#') + 1);
  if (isTelling(symbol)) return `#${symbol}`;
  const icon = queryOne(element, ICONS);
  return icon === null ? '' : marked(icon, ['data-icon', 'data-lucide', 'data-testid', 'data-mat-icon-name']);
}

/** Some icon fonts draw the word that stands in the element: delete, arrow_back. */
export function spelledBy(element) {
  for (const icon of queryAll(element, CLASSED)) {
    const word = textContentOf(icon).trim();
    if (/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(word) && /icon|symbol/i.test(attr(icon, 'class') || localNameOf(icon)))
      return word;
  }
  return '';
}

// A place on a grid: (2,-1), 3-4.
const PAIR = /^\(?-?\d{1,3}[,;:x_-] ?-?\d{1,3}\)?$/;

const FRAMES = words('iframe frame'); // a page has few, so that left and right do tell them

function identified(element) {
  const id = attr(element, 'id') || '';
  const isOfFrame = FRAMES.has(localNameOf(element)) && WORD.test(id) && id.length < MAX_HINT && !isMade(id);
  return isTelling(id) || isOfFrame || PAIR.test(id)
    ? `#${id}`
    : marked(element, ['name', 'data-testid', 'data-test', 'data-action', 'data-icon', 'data-direction']);
}

// Fields of a form may be told by where their values go on the server: user[email], tags[], a:b.
const WORD = /^[A-Za-z_][\w.-]*$/;
const FIELD_NAME = /^[A-Za-z_][\w.:-]*(?:\[[\w.:-]*\])*$/;

function marked(element, attributes) {
  for (const attribute of attributes) {
    const value = attr(element, attribute) || '';
    if ((attribute === 'name' ? FIELD_NAME : WORD).test(value) && !isMade(value)) return `${attribute}=${value}`;
  }
  return '';
}

/** Its own class, or that of the icon in it. */
function classed(element, holds) {
  const inside = holds ? [...queryAll(element, CLASSED)].slice(0, 4) : [];
  for (const one of [element, ...inside]) {
    const written = (attr(one, 'class') || '').split(/\s+/).slice(0, 20);
    const telling = written.map((name) => name.replace(/__[\w-]*\d[\w-]*$/, '')).filter(isTelling);
    const own = isIcon(one) ? telling.filter((name) => !isBegunBy(name, telling)) : telling;
    const most = own.filter((name) => !isKindOf(name, own));
    if (own.length > 0) return `.${own.find((name) => REMOVES.test(name)) ?? most[0] ?? own[0]}`;
  }
  return '';
}

/** An icon's classes are a font's name, and the icon's that begins with it: "lucide lucide-trash". */
const isIcon = (element) => ['i', 'svg', 'span'].includes(localNameOf(element));
const isBegunBy = (name, names) => names.some((other) => other.startsWith(`${name}-`));

/** If several classes begin alike, as in "jstree-icon jstree-checkbox", one that only names a kind of thing tells less. */
function isKindOf(name, names) {
  const [family, ...rest] = name.split(/[-_]+/);
  const isOfFamily = USUAL.has(family) || names.some((other) => other !== name && other.startsWith(`${family}-`));
  return rest.length > 0 && isOfFamily && rest.every((part) => USUAL.has(part));
}

function pictured(element) {
  const style = styleOf(element);
  for (const property of ['backgroundImage', 'maskImage']) {
    const address = /^url\("([^"]*)"\)/.exec(style[property] || '');
    const file = address === null ? '' : fileOf(address[1]);
    if (file !== '') return file;
  }
  return '';
}

// The first telling id or class among the first boxes in an element.
const MARKED = '[id],[class],[data-testid]';
function markedInside(element) {
  for (const one of [...queryAll(element, MARKED)].slice(0, 4)) {
    const found = identified(one) || classed(one, false);
    if (found !== '') return found;
  }
  return '';
}

// The target of a link in one word: the last telling part of its address, which may be the host; or the fragment.
const LINKS = words('a area');
function ledTo(address) {
  if (/^(?!https?:)[a-z+.-]+:/i.test(address)) return '';
  const [path, fragment = ''] = address.split('#', 2);
  const parts = path.split('?', 1)[0].replace(/^https?:/i, '').split('/');
  return parts.reverse().map(fileOf).find(Boolean) ?? (isTelling(fragment) ? `#${fragment}` : '');
}

/** The last part of an address, unless that is the content itself or a number of the server's. */
function fileOf(address) {
  if (/^(?:data|blob):/i.test(address)) return '';
  const file = address.split(/[?#]/, 1)[0].split('/').at(-1);
  return /^[\w.-]+$/.test(file) && isTelling(file.replace(/\.\w+$/, '').replace(/[.-][0-9a-f]{6,}$/i, '')) ? file : '';
}

function isTelling(word) {
  return word.length > 1 && word.length < MAX_HINT && /^[A-Za-z_][\w.-]*$/.test(word)
    && !isUsual(word.toLowerCase()) && !UTILITY.test(word) && !isMade(word);
}

function isUsual(word) {
  if (USUAL.has(word)) return true;
  const [library, ...rest] = word.split(/[-_]+/);
  return LIBRARIES.has(library) && rest.every((part) => USUAL.has(part) || LIBRARIES.has(part));
}

/** By a build or at run time: css-1x2y3z, sc-bdVaJa, react-select-2-input, pv_id_12_list, ember421, gwt-uid-3, bits-c5, select-cl-3-trigger, c15. */
function isMade(word) {
  return /^(?:css|sc|jsx?|jss|emotion|styled|svelte|astro|s|v|radix|headlessui|react-aria|mui|_)[-_]/i.test(word)
    || /(?:^|[-_])(?:auto|cl|comp|component|element|gen|id|select|uid|widget)[-_]?\d+(?:$|[-_])/i.test(word)
    || /^(?:bits|chakra|melt|reka)-[a-z]?\d+/.test(word)
    || /^[a-z]{1,2}[-_]?\d+$|\d{3}|[a-z]\d+[a-z]|\d[a-z]+\d/i.test(word)
    || !/[-_.]/.test(word) && /[a-z][A-Z]{2}|[A-Z][a-z][A-Z][a-z]?[A-Z]/.test(word);
}

// Tells lines apart that would read the same. Elements: by the class in which they differ, their own or that of an icon in them. Check
// boxes, and buttons with the same name in their form: by the value that each sends. Days of several months: within one month only.

const MOST_ALIKE = 60;
const MOST_ASKED = 300;
const MOST_INSIDE = 4;
const DAY = /^\d{1,2}$/;

/** Put these into the hints of a walk: classes instead of equal ones if each line has one; also beside equal names of elements without a role. */
export function tellHintsApart(walk) {
  const left = { asked: MOST_ASKED };
  for (const group of alikeBy(walk.hints, ([line, hint]) => `${walk.kinds[line].role} ${hint}`)) {
    if (group[0][1].startsWith('name=')) tellValuesApart(group, walk.ids);
    if (!group[0][1].startsWith('.')) continue;
    const classes = differing(group.map(([line]) => walk.ids[line]), left);
    if (classes.every(Boolean)) group.forEach((hint, place) => hint[1] = classes[place]);
  }
  if (walk.clickables < 2) return;
  const hinted = new Set(walk.hints.map(([line]) => line));
  const named = [...walk.ids.keys()].filter((line) =>
    walk.ids[line] < 0 && walk.names[line] !== '' && !hinted.has(line)
  );
  const groups = alikeBy(named, (line) => `${walk.kinds[line].role} ${walk.names[line]}`);
  const parts = byMonths(groups, walk)
    .map((lines) => ({ lines, own: ownClasses(lines.map((line) => walk.ids[line]), left) }));
  const often = Map.groupBy(parts.flatMap(({ own }) => [...new Set(own.flat())]), (name) => name);
  const countOf = (name) => often.get(name)?.length ?? 0;
  const oftenest = (names) => names.toSorted((a, b) => countOf(b) - countOf(a))[0];
  for (const { lines, own } of parts) {
    const isOfDays = DAY.test(walk.names[lines[0]]); // whose classes say the day of the week, too
    toldBy(own, isOfDays ? oftenest : ([first]) => first).forEach((name, place) => {
      if (name !== '') walk.hints.push([lines[place], name]);
    });
  }
}

/** The groups, and of those of days of one number the ones in one table, where tables have several. */
function byMonths(groups, { ids, names }) {
  const tableOf = (line) => {
    const element = nodeFor(Math.abs(ids[line]));
    return element && closest(element, 'table,[role=grid]');
  };
  const [days, others] = [true, false].map((is) => groups.filter(([first]) => DAY.test(names[first]) === is));
  const months = days.flatMap((group) => [...Map.groupBy(group, tableOf).values()]).filter(({ length }) => length > 1);
  return [...others, ...months.length > 0 ? months : days];
}

// Elements whose value is the page's own, and no input of a person.
const SENDS = 'input[type=checkbox],input[type=radio],input[type=image],button';
const PLAIN_VALUE = /^[\w.:@/+-]{1,24}$/;
function tellValuesApart(group, ids) {
  const values = group.map(([line]) => valueSent(nodeFor(Math.abs(ids[line]))));
  if (new Set(values).size > 1) group.forEach((hint, place) => hint[1] += values[place] && ` value=${values[place]}`);
}

function valueSent(element) {
  const value = element && matches(element, SENDS) ? attr(element, 'value') ?? '' : '';
  return PLAIN_VALUE.test(value) ? value : '';
}

const alikeBy = (all, key) =>
  [...Map.groupBy(all, key).values()].filter(({ length }) => length > 1 && length <= MOST_ALIKE);

/** The first class of each that not all of them have; "" for one without, or for all where they are the same. */
const differing = (ids, left) => toldBy(ownClasses(ids, left), ([first]) => first);

function toldBy(own, choose) {
  const chosen = own.map((names) => choose(names) ?? '');
  return new Set(chosen).size > 1 ? chosen.map((name) => name && `.${name}`) : chosen.map(() => '');
}

/** The classes of each element that not all of them have. */
function ownClasses(ids, left) {
  if ((left.asked -= ids.length) < 0) return ids.map(() => []);
  const classes = ids.map((id) => tellingClasses(nodeFor(Math.abs(id))));
  const [first, ...rest] = classes;
  const common = new Set(first.filter((name) => rest.every((other) => other.includes(name))));
  return classes.map((names) => names.filter((name) => !common.has(name)));
}

function tellingClasses(element) {
  if (!element) return [];
  const inside = [...queryAll(element, '[class]')].slice(0, MOST_INSIDE);
  return [element, ...inside].flatMap((one) => (attr(one, 'class') ?? '').split(/\s+/).slice(0, 20)).filter(isTelling);
}
