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

/**
 * Return a hint at what an element without a name is: one telling word of its markup, such as `#logo`, `.icon-trash` or `name=email`; ""
 * for none.
 */
export function hintOf(element) {
  const tag = localNameOf(element);
  const holds = tag !== 'select' && childElementCountOf(element) > 0 && queryOne(element, TELLING_PARTS) !== null;
  const drawn = holds || tag === 'img' ? imageHint(element) || ligatureIconName(element) : '';
  const written = drawn || !holds && !hasAttrs(element) ? drawn : idHint(element) || classHint(element, holds);
  if (!holds && (written === '' || !written.includes('=')) && childElementCountOf(element) === 0) {
    const shown = describeShape(element);
    const told = [written, shown].filter(Boolean).join(' ').slice(0, MAX_HINT);
    const beside = shown !== '' && namespaceOf(element) === SVG ? wordsBeside(element) : '';
    if (shown !== '') return beside === '' ? told : `"${beside}" ${told}`;
  }
  if (written === '' && SHOW_FILES.has(tag)) return fileNameOf(attr(element, 'src') || '');
  const found = written
    || (hasAttrs(element) || sheetsOf(treeOf(element)).length > 0 ? backgroundImageHint(element) : '')
    || (LINKS.has(tag) ? linkHint(attr(element, 'href') || attr(element, 'xlink:href') || '') : '')
    || (tag !== 'select' && childElementCountOf(element) > 0 ? descendantHint(element) : '')
    || (tag === 'input' ? temporalTypeOf(element) : '');
  return found.length <= (found.startsWith('name=') ? MAX_FIELD_HINT : MAX_HINT) ? found : '';
}

// The type of a field that reads like any other text field: a date and a time stand beside each other.
const TAKEN = words('date datetime-local month time week');
/** Return the type of a date or time field, which otherwise reads like any text field; "" for another. */
function temporalTypeOf(input) {
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

/** Describe a bare SVG shape by colour and tag, an empty box by colour; "" for any other element. */
function describeShape(element) {
  const name = localNameOf(element);
  if (namespaceOf(element) === SVG)
    return DRAWN_SHAPES.has(name) ? `${colourName(styleOf(element).fill)} ${name}`.trim() : '';
  return name === 'div' || name === 'span' ? colourOfEmptyBox(element) : '';
}

// The words around an element, without those of controls: of a shape in its group of the drawing, of a button in a control in the part of that.
const MAX_BESIDE = 30;
const LEVELS_AROUND = 3;
/**
 * Return the text around an element, without that of controls: of a shape in its SVG group, of a button in its container. "" for none or
 * a long one.
 */
export function wordsBeside(element) {
  const isShape = namespaceOf(element) === SVG && localNameOf(element) !== 'svg';
  let around = parentNodeOf(element);
  for (let level = 0; level < LEVELS_AROUND && isElement(around); level++) {
    if (isShape ? localNameOf(around) !== 'g' : kindOf(roleOf(around)).covers) return '';
    const words = trimCrosses(
      contentName(around, { left: MAX_BESIDE + 1, visited: new Set() }, { withoutControls: true }),
    );
    if (words !== '') return words.length <= MAX_BESIDE ? words.replace(/["()[\]]/g, '') : '';
    around = parentNodeOf(around);
  }
  return '';
}

// A control whose name is only a sign, such as the cross of a chip, is described by the thing that the sign belongs to.
const LETTERS = /[\p{L}\p{N}]/u;
/** Whether a name has no letter or digit, such as the cross of a chip: such a control is described by the text beside it. */
export const isSign = (name) => name !== '' && !LETTERS.test(name);

const CROSSES = /^[\s×✕✖✗✘⨯]+|[\s×✕✖✗✘⨯]+$/gu;
/** Remove crosses such as × from both ends of a text. */
export const trimCrosses = (text) => cleanText(text.replace(CROSSES, ''));

/** Return the name of the background colour of an element without text; "" for one with text, or without a colour that has a name. */
const colourOfEmptyBox = (element) =>
  textContentOf(element).trim() === '' ? colourName(styleOf(element).backgroundColor) : '';

const named = new Map();
/** Return the English name of a CSS colour; "" for one without a name. */
function colourName(text) {
  if (named.size === 0) {
    for (const [name, other] of Object.entries(COLOURS)) named.set(String(parsedColour(name)), other || name);
  }
  const colour = parsedColour(text);
  return colour === null || isClear(colour) ? '' : named.get(String(colour)) ?? '';
}

/** Return a hint from the picture in an element: the name of its file, SVG symbol or icon; "" for none. */
function imageHint(element) {
  const image = localNameOf(element) === 'img' ? element : queryOne(element, 'img[src]');
  const file = image === null ? '' : fileNameOf(attr(image, 'src') || '');
  if (file !== '') return file;
  const use = queryOne(element, 'use');
  const href = use === null ? null : attr(use, 'href') || attr(use, 'xlink:href');
  const symbol = href === null ? '' : href.slice(href.indexOf('#') + 1);
  if (isDescriptiveWord(symbol)) return `#${symbol}`;
  const icon = queryOne(element, ICONS);
  return icon === null ? '' : attributeHint(icon, ['data-icon', 'data-lucide', 'data-testid', 'data-mat-icon-name']);
}

/** Return the icon name that an element contains as text, as some icon fonts draw the word `delete` as a bin; "" for none. */
export function ligatureIconName(element) {
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

/** Return a hint from the id, else from an attribute such as `name` or `data-testid`; "" for none that tells anything. */
function idHint(element) {
  const id = attr(element, 'id') || '';
  const isOfFrame = FRAMES.has(localNameOf(element)) && WORD.test(id) && id.length < MAX_HINT && !isGeneratedWord(id);
  return isDescriptiveWord(id) || isOfFrame || PAIR.test(id)
    ? `#${id}`
    : attributeHint(element, ['name', 'data-testid', 'data-test', 'data-action', 'data-icon', 'data-direction']);
}

// Fields of a form may be told by where their values go on the server: user[email], tags[], a:b.
const WORD = /^[A-Za-z_][\w.-]*$/;
const FIELD_NAME = /^[A-Za-z_][\w.:-]*(?:\[[\w.:-]*\])*$/;

/** Return the first of these attributes whose value tells something, as `name=email`; "" for none. */
function attributeHint(element, attributes) {
  for (const attribute of attributes) {
    const value = attr(element, attribute) || '';
    if ((attribute === 'name' ? FIELD_NAME : WORD).test(value) && !isGeneratedWord(value))
      return `${attribute}=${value}`;
  }
  return '';
}

/** Return the most telling class of an element, or of the icon in it, as `.trash`; "" for none. `holds`: look at icons inside, too. */
function classHint(element, holds) {
  const inside = holds ? [...queryAll(element, CLASSED)].slice(0, 4) : [];
  for (const one of [element, ...inside]) {
    const written = (attr(one, 'class') || '').split(/\s+/).slice(0, 20);
    const telling = written.map((name) => name.replace(/__[\w-]*\d[\w-]*$/, '')).filter(isDescriptiveWord);
    const own = mayBeFontIcon(one) ? telling.filter((name) => !isPrefixOfAnother(name, telling)) : telling;
    const most = own.filter((name) => !isGenericMember(name, own));
    if (own.length > 0) return `.${own.find((name) => REMOVES.test(name)) ?? most[0] ?? own[0]}`;
  }
  return '';
}

/**
 * Whether an element may be drawn by an icon font. Its classes are the font and the icon, whose name begins with the font's: "lucide
 * lucide-trash".
 */
const mayBeFontIcon = (element) => ['i', 'svg', 'span'].includes(localNameOf(element));
/** Whether another class begins with this one and a hyphen. */
const isPrefixOfAnother = (name, names) => names.some((other) => other.startsWith(`${name}-`));

/** Whether a class only names a kind of part in its family, as `jstree-icon` beside `jstree-checkbox`: it tells less than another. */
function isGenericMember(name, names) {
  const [family, ...rest] = name.split(/[-_]+/);
  const isOfFamily = USUAL.has(family) || names.some((other) => other !== name && other.startsWith(`${family}-`));
  return rest.length > 0 && isOfFamily && rest.every((part) => USUAL.has(part));
}

/** Return the file name of the background or mask image of an element; "" for none. */
function backgroundImageHint(element) {
  const style = styleOf(element);
  for (const property of ['backgroundImage', 'maskImage']) {
    const address = /^url\("([^"]*)"\)/.exec(style[property] || '');
    const file = address === null ? '' : fileNameOf(address[1]);
    if (file !== '') return file;
  }
  return '';
}

// The first telling id or class among the first boxes in an element.
const MARKED = '[id],[class],[data-testid]';
/** Return the first hint by id or class among the first descendants of an element; "" for none. */
function descendantHint(element) {
  for (const one of [...queryAll(element, MARKED)].slice(0, 4)) {
    const found = idHint(one) || classHint(one, false);
    if (found !== '') return found;
  }
  return '';
}

// The target of a link in one word: the last telling part of its address, which may be the host; or the fragment.
const LINKS = words('a area');
/** Return the target of a link in one word: the last telling part of its URL, which may be the host, or the fragment; "" for none. */
function linkHint(address) {
  if (/^(?!https?:)[a-z+.-]+:/i.test(address)) return '';
  const [path, fragment = ''] = address.split('#', 2);
  const parts = path.split('?', 1)[0].replace(/^https?:/i, '').split('/');
  return parts.reverse().map(fileNameOf).find(Boolean) ?? (isDescriptiveWord(fragment) ? `#${fragment}` : '');
}

/** Return the last path segment of a URL; "" for a `data:` or `blob:` URL, or a segment that looks generated. */
function fileNameOf(address) {
  if (/^(?:data|blob):/i.test(address)) return '';
  const file = address.split(/[?#]/, 1)[0].split('/').at(-1);
  return /^[\w.-]+$/.test(file) && isDescriptiveWord(file.replace(/\.\w+$/, '').replace(/[.-][0-9a-f]{6,}$/i, ''))
    ? file
    : '';
}

/** Whether a class, id or file name says something about an element: it is neither common, nor a utility class, nor generated. */
function isDescriptiveWord(word) {
  return word.length > 1 && word.length < MAX_HINT && /^[A-Za-z_][\w.-]*$/.test(word)
    && !isCommonWord(word.toLowerCase()) && !UTILITY.test(word) && !isGeneratedWord(word);
}

/** Whether a class consists of words that name no purpose, such as `btn` or `container`, library prefixes included. */
function isCommonWord(word) {
  if (USUAL.has(word)) return true;
  const [library, ...rest] = word.split(/[-_]+/);
  return LIBRARIES.has(library) && rest.every((part) => USUAL.has(part) || LIBRARIES.has(part));
}

/** Whether an id or class looks generated, by a build or at run time, such as css-1x2y3z or ember421. */
function isGeneratedWord(word) {
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

/**
 * Change the hints of a walk so that lines that would read the same differ: by classes, their own or an icon's, or by form values. Also
 * adds classes beside equal names of elements without a role.
 */
export function tellHintsApart(walk) {
  const left = { asked: MOST_ASKED };
  for (const group of groupDuplicates(walk.hints, ([line, hint]) => `${walk.kinds[line].role} ${hint}`)) {
    if (group[0][1].startsWith('name=')) addValuesToHints(group, walk.ids);
    if (!group[0][1].startsWith('.')) continue;
    const classes = distinguishingClasses(group.map(([line]) => walk.ids[line]), left);
    if (classes.every(Boolean)) group.forEach((hint, place) => hint[1] = classes[place]);
  }
  if (walk.clickables + walk.cells < 2) return;
  const hinted = new Set(walk.hints.map(([line]) => line));
  const named = [...walk.ids.keys()].filter((line) =>
    walk.ids[line] < 0 && walk.names[line] !== '' && !hinted.has(line)
  );
  const groups = groupDuplicates(named, (line) => `${walk.kinds[line].role} ${walk.names[line]}`);
  const parts = splitByTable(groups, walk)
    .map((lines) => ({ lines, own: classesNotShared(lines.map((line) => walk.ids[line]), left) }));
  const often = Map.groupBy(parts.flatMap(({ own }) => [...new Set(own.flat())]), (name) => name);
  /** Count the lines that have a class. */
  const countOf = (name) => often.get(name)?.length ?? 0;
  /** Return the class that most lines have. */
  const mostFrequent = (names) => names.toSorted((a, b) => countOf(b) - countOf(a))[0];
  for (const { lines, own } of parts) {
    const isOfDays = DAY.test(walk.names[lines[0]]); // whose classes say the day of the week, too
    chooseClasses(own, isOfDays ? mostFrequent : ([first]) => first).forEach((name, place) => {
      if (name !== '') walk.hints.push([lines[place], name]);
    });
  }
}

/** Split groups of equal day numbers by the table that they are in: days of several months need to differ only within their month. */
function splitByTable(groups, { ids, names }) {
  /** Return the table or grid of a line, or null. */
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
/** Add the submitted value to the hints of checkboxes and buttons whose hints are equal, if their values differ. */
function addValuesToHints(group, ids) {
  const values = group.map(([line]) => submittedValue(nodeFor(Math.abs(ids[line]))));
  if (new Set(values).size > 1) group.forEach((hint, place) => hint[1] += values[place] && ` value=${values[place]}`);
}

/** Return the value that a checkbox, radio button or button submits: written by the page, not by a person. "" for none. */
function submittedValue(element) {
  const value = element && matches(element, SENDS) ? attr(element, 'value') ?? '' : '';
  return PLAIN_VALUE.test(value) ? value : '';
}

/** Group items by a key, and return the groups of two or more, except very large ones. */
const groupDuplicates = (all, key) =>
  [...Map.groupBy(all, key).values()].filter(({ length }) => length > 1 && length <= MOST_ALIKE);

/** Return for each element the first class that not all of them have, as `.name`; "" for one without, or for all where they are equal. */
const distinguishingClasses = (ids, left) => chooseClasses(classesNotShared(ids, left), ([first]) => first);

/**
 * Choose one class for each element by `choose`; all "" if the choice is the same for all. `own`: the classes of each that not all have.
 */
function chooseClasses(own, choose) {
  const chosen = own.map((names) => choose(names) ?? '');
  return new Set(chosen).size > 1 ? chosen.map((name) => name && `.${name}`) : chosen.map(() => '');
}

/** Return the classes of each element that not all of them have. `left.asked`: how many elements may still be read. */
function classesNotShared(ids, left) {
  if ((left.asked -= ids.length) < 0) return ids.map(() => []);
  const classes = ids.map((id) => descriptiveClasses(nodeFor(Math.abs(id))));
  const [first, ...rest] = classes;
  const common = new Set(first.filter((name) => rest.every((other) => other.includes(name))));
  return classes.map((names) => names.filter((name) => !common.has(name)));
}

/** Return the descriptive classes of an element and of the first elements in it. */
function descriptiveClasses(element) {
  if (!element) return [];
  const inside = [...queryAll(element, '[class]')].slice(0, MOST_INSIDE);
  return [element, ...inside].flatMap((one) => (attr(one, 'class') ?? '').split(/\s+/).slice(0, 20)).filter(
    isDescriptiveWord,
  );
}
