// Hints: descriptions of elements without a name by the most descriptive word of their markup, and what tells equal lines apart.

import { roleOf } from './roles.js';
import { contentName } from './contents.js';
import {
  childElementCountOf,
  closest,
  localNameOf,
  matches,
  namespaceOf,
  parentNodeOf,
  queryAll,
  queryOne,
  styleOf,
  textContentOf,
} from '../dom/accessors.js';
import { attr, cleanText, hasAttrs, isElement, SVG, treeOf, wordSet } from '../dom/dom.js';
import { nodeFor } from '../dom/node-table.js';
import { sheetsOf } from '../visibility/style-sheets.js';
import { isTransparent, parseColour } from '../visibility/colours.js';
import { kindOf } from './kinds.js';

const MAX_HINT = 40;
const MAX_FIELD_HINT = 70; // names of fields in fields are long: name=user[addresses][0][street]
// Words in classes and ids that do not tell what a control is for.
const COMMON_WORDS = wordSet(
  `a active actions app auto base block body bordered box btn button buttons center circle clickable close-icon col container content
  component components control controls default disabled element even fa fab fad fal far fas field first flex focus focus-visible focused form glyphicon grid group hidden hover icon icons
  image img inline inner input item label large last left lg link list material-icons main md mdi medium menu mini normal odd open outer primary
  non-selectable notranslate only outline p-c right root round rounded row secondary select selected show shown sm small span square svg text toggle ui view visible wrap wrapper xl xs`,
);
const UTILITY =
  /^(?:-?[mp][trblxyse]?-(?:[\d[]|auto|px|full|xs|sm|md|lg|xl)|(?:min|max|w|h|size|gap|space|text|bg|from|to|via|border|rounded|flex|grid|cols?|row|items|justify|content|self|place|order|z|top|left|right|bottom|inset|overflow|opacity|shadow|ring|font|leading|tracking|cursor|transition|duration|ease|delay|animate|align|d|float|object|fill|stroke|select|pointer|whitespace|break|is|has|ng|v|js|no|col|fs|fw|lh)-)|^Mui(?:ButtonBase|IconButton|Button|SvgIcon)-|^(?:absolute|relative|fixed|sticky|static|block|inline-block|inline-flex|truncate|uppercase|italic|underline|sr-only|group|peer|container)$/;

// Prefixes of classes of widget libraries and icon fonts: `q-btn` tells no more than `btn`.
const LIBRARY_PREFIXES = wordSet(
  'ant bi bp bp3 bp4 bp5 bp6 chakra dx el euk fa ion k mantine mat mdc mdi mdl mui n p pf pi q rc rs sl t ti ui uk v wa',
);

export const REMOVE_WORDS = /close|clear|remove|delete|dismiss|cancel/i; // preferred among the classes of an icon

// Parts of an element that may give a hint. One query for all of them comes first, since most elements have none.
const ICONS = 'svg[data-icon],svg[data-testid],[data-lucide],[data-mat-icon-name]';
const ICON_CANDIDATES = 'i[class],span[class],svg[class],mat-icon';
const HINTING_PARTS = `img[src],use,${ICONS},${ICON_CANDIDATES}`;

/**
 * Return a hint at what an element without a name is: a descriptive word of its markup, such as `#logo`, `.icon-trash` or `name=email`; ""
 * for none.
 */
export function hintOf(element) {
  const tag = localNameOf(element);
  const hasParts = tag !== 'select' && childElementCountOf(element) > 0 && queryOne(element, HINTING_PARTS) !== null;
  const ofImage = hasParts || tag === 'img' ? imageHint(element) || ligatureIconName(element) : '';
  const ofMarkup = ofImage || !hasParts && !hasAttrs(element)
    ? ofImage
    : idHint(element) || classHint(element, hasParts);
  if (!hasParts && (ofMarkup === '' || !ofMarkup.includes('=')) && childElementCountOf(element) === 0) {
    const shape = describeShape(element);
    const hint = [ofMarkup, shape].filter(Boolean).join(' ').slice(0, MAX_HINT);
    const beside = shape !== '' && namespaceOf(element) === SVG ? textBeside(element) : '';
    if (shape !== '') return beside === '' ? hint : `"${beside}" ${hint}`;
  }
  if (ofMarkup === '' && TAGS_SHOWING_FILES.has(tag)) return fileNameOf(attr(element, 'src') || '');
  const found = ofMarkup
    || (hasAttrs(element) || sheetsOf(treeOf(element)).length > 0 ? backgroundImageHint(element) : '')
    || (LINKS.has(tag) ? linkHint(attr(element, 'href') || attr(element, 'xlink:href') || '') : '')
    || (tag !== 'select' && childElementCountOf(element) > 0 ? descendantHint(element) : '')
    || (tag === 'input' ? temporalTypeOf(element) : '');
  return found.length <= (found.startsWith('name=') ? MAX_FIELD_HINT : MAX_HINT) ? found : '';
}

const TEMPORAL_TYPES = wordSet('date datetime-local month time week');
/** Return the type of a date or time field, such as "month", as its hint: its role is that of any text field. "" for another field. */
function temporalTypeOf(input) {
  const type = (attr(input, 'type') || '').toLowerCase();
  return TEMPORAL_TYPES.has(type) ? type : '';
}

const TAGS_SHOWING_FILES = wordSet('iframe frame fencedframe video audio');
const DRAWN_SHAPES = wordSet('circle ellipse line path polygon polyline rect');
// CSS colour name → the name to print.
const COLOURS = {
  ...Object.fromEntries(
    `black blue brown cyan gold gray green indigo lime magenta maroon navy olive orange pink purple red silver
    teal violet white yellow`
      .split(/\s+/).map((name) => [name, name]),
  ),
  aqua: 'cyan',
  fuchsia: 'magenta',
  grey: 'gray',
};

/** Describe an SVG shape by colour and tag, an empty box by colour; "" for any other element. */
function describeShape(element) {
  const name = localNameOf(element);
  if (namespaceOf(element) === SVG)
    return DRAWN_SHAPES.has(name) ? `${colourName(styleOf(element).fill)} ${name}`.trim() : '';
  return name === 'div' || name === 'span' ? colourOfEmptyBox(element) : '';
}

const MAX_TEXT_BESIDE = 30;
const MAX_LEVELS_BESIDE = 3;
/**
 * Return the text beside an element without text: for an SVG shape the text in the `<g>` around it, for another element the text, without
 * that of controls, in the nearest of its three ancestors with text. "" for none, and for more than 30 characters.
 */
export function textBeside(element) {
  const isShape = namespaceOf(element) === SVG && localNameOf(element) !== 'svg';
  let around = parentNodeOf(element);
  for (let level = 0; level < MAX_LEVELS_BESIDE && isElement(around); level++) {
    if (isShape ? localNameOf(around) !== 'g' : kindOf(roleOf(around)).covers) return '';
    const text = trimCrosses(
      contentName(around, { left: MAX_TEXT_BESIDE + 1, visited: new Set() }, { withoutControls: true }),
    );
    if (text !== '') return text.length <= MAX_TEXT_BESIDE ? text.replace(/["()[\]]/g, '') : '';
    around = parentNodeOf(around);
  }
  return '';
}

const LETTERS = /[\p{L}\p{N}]/u;
/** Return whether a name consists of symbols only, without letters and digits, such as "×". */
export const isOnlySymbols = (name) => name !== '' && !LETTERS.test(name);

const CROSSES = /^[\s×✕✖✗✘⨯]+|[\s×✕✖✗✘⨯]+$/gu;
/** Remove crosses such as × from both ends of a text. */
export const trimCrosses = (text) => cleanText(text.replace(CROSSES, ''));

/** Return the name of the background colour of an element without text; "" for one with text, or without a colour that has a name. */
const colourOfEmptyBox = (element) =>
  textContentOf(element).trim() === '' ? colourName(styleOf(element).backgroundColor) : '';

const nameByColour = new Map();
/** Return the English name of a CSS colour; "" for one without a name. */
function colourName(text) {
  if (nameByColour.size === 0) {
    for (const [name, printed] of Object.entries(COLOURS)) nameByColour.set(String(parseColour(name)), printed);
  }
  const colour = parseColour(text);
  return colour === null || isTransparent(colour) ? '' : nameByColour.get(String(colour)) ?? '';
}

/** Return a hint from the image in an element: the name of its file, SVG symbol or icon; "" for none. */
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

/** Return the icon name that an element contains as text: some icon fonts draw the word `delete` as a bin. "" for none. */
export function ligatureIconName(element) {
  for (const icon of queryAll(element, ICON_CANDIDATES)) {
    const word = textContentOf(icon).trim();
    if (/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(word) && /icon|symbol/i.test(attr(icon, 'class') || localNameOf(icon)))
      return word;
  }
  return '';
}

// A position on a grid: (2,-1), 3-4.
const GRID_POSITION = /^\(?-?\d{1,3}[,;:x_-] ?-?\d{1,3}\)?$/;

const FRAME_TAGS = wordSet('iframe frame'); // few on a page, so that common words such as "left" tell them apart

/** Return a hint from the id, else from an attribute such as `name` or `data-testid`; "" for no descriptive one. */
function idHint(element) {
  const id = attr(element, 'id') || '';
  const isOfFrame = FRAME_TAGS.has(localNameOf(element)) && WORD.test(id) && id.length < MAX_HINT
    && !isGeneratedWord(id);
  return isDescriptiveWord(id) || isOfFrame || GRID_POSITION.test(id)
    ? `#${id}`
    : attributeHint(element, ['name', 'data-testid', 'data-test', 'data-action', 'data-icon', 'data-direction']);
}

const WORD = /^[A-Za-z_][\w.-]*$/;
// As in user[email], tags[], a:b.
const FIELD_NAME = /^[A-Za-z_][\w.:-]*(?:\[[\w.:-]*\])*$/;

/** Return the first of these attributes whose value is a word and not generated, as `name=email`; "" for none. */
function attributeHint(element, attributes) {
  for (const attribute of attributes) {
    const value = attr(element, attribute) || '';
    if ((attribute === 'name' ? FIELD_NAME : WORD).test(value) && !isGeneratedWord(value))
      return `${attribute}=${value}`;
  }
  return '';
}

/** Return the most descriptive class of an element, or of an icon in it (`withIcons`), as `.trash`; "" for none. */
function classHint(element, withIcons) {
  const inside = withIcons ? [...queryAll(element, ICON_CANDIDATES)].slice(0, 4) : [];
  for (const one of [element, ...inside]) {
    const classes = (attr(one, 'class') || '').split(/\s+/).slice(0, 20);
    const descriptive = classes.map((name) => name.replace(/__[\w-]*\d[\w-]*$/, '')).filter(isDescriptiveWord);
    const names = mayBeFontIcon(one)
      ? descriptive.filter((name) => !isPrefixOfAnother(name, descriptive))
      : descriptive;
    const specific = names.filter((name) => !isPrefixedCommonWord(name, names));
    if (names.length > 0) return `.${names.find((name) => REMOVE_WORDS.test(name)) ?? specific[0] ?? names[0]}`;
  }
  return '';
}

/**
 * Return whether an element may be an icon of an icon font. Its classes are the font and the icon, whose name begins with the font's:
 * "lucide lucide-trash".
 */
const mayBeFontIcon = (element) => ['i', 'svg', 'span'].includes(localNameOf(element));
/** Return whether another of the classes `names` begins with the class `name` and a hyphen. */
const isPrefixOfAnother = (name, names) => names.some((other) => other.startsWith(`${name}-`));

/** Return whether a class adds only common words to a prefix that another class has, too, as `jstree-icon` beside `jstree-checkbox`. */
function isPrefixedCommonWord(name, names) {
  const [family, ...rest] = name.split(/[-_]+/);
  const isOfFamily = COMMON_WORDS.has(family)
    || names.some((other) => other !== name && other.startsWith(`${family}-`));
  return rest.length > 0 && isOfFamily && rest.every((part) => COMMON_WORDS.has(part));
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

const HINTING_DESCENDANTS = '[id],[class],[data-testid]';
/** Return the first hint by id or class among the first descendants of an element; "" for none. */
function descendantHint(element) {
  for (const one of [...queryAll(element, HINTING_DESCENDANTS)].slice(0, 4)) {
    const found = idHint(one) || classHint(one, false);
    if (found !== '') return found;
  }
  return '';
}

const LINKS = wordSet('a area');
/** Return the target of a link in one word: the last descriptive part of its URL, else the fragment; "" for none. */
function linkHint(address) {
  if (/^(?!https?:)[a-z+.-]+:/i.test(address)) return '';
  const [path, fragment = ''] = address.split('#', 2);
  const parts = path.split('?', 1)[0].replace(/^https?:/i, '').split('/');
  return parts.reverse().map(fileNameOf).find(Boolean) ?? (isDescriptiveWord(fragment) ? `#${fragment}` : '');
}

/** Return the last path segment of a URL; "" for a `data:` or `blob:` URL, or a segment that says nothing about the element. */
function fileNameOf(address) {
  if (/^(?:data|blob):/i.test(address)) return '';
  const file = address.split(/[?#]/, 1)[0].split('/').at(-1);
  return /^[\w.-]+$/.test(file) && isDescriptiveWord(file.replace(/\.\w+$/, '').replace(/[.-][0-9a-f]{6,}$/i, ''))
    ? file
    : '';
}

/** Return whether a class, id or file name says something about an element: it is neither common, nor a utility class, nor generated. */
function isDescriptiveWord(word) {
  return word.length > 1 && word.length < MAX_HINT && /^[A-Za-z_][\w.-]*$/.test(word)
    && !isCommonWord(word.toLowerCase()) && !UTILITY.test(word) && !isGeneratedWord(word);
}

/** Return whether a class consists only of words that name no purpose, such as `btn`, `container`, or the prefix of a library. */
function isCommonWord(word) {
  if (COMMON_WORDS.has(word)) return true;
  const [library, ...rest] = word.split(/[-_]+/);
  return LIBRARY_PREFIXES.has(library) && rest.every((part) => COMMON_WORDS.has(part));
}

/** Return whether an id or class looks generated, by a build or at run time, such as css-1x2y3z or ember421. */
function isGeneratedWord(word) {
  return /^(?:css|sc|jsx?|jss|emotion|styled|svelte|astro|s|v|radix|headlessui|react-aria|mui|_)[-_]/i.test(word)
    || /(?:^|[-_])(?:auto|cl|comp|component|element|gen|id|select|uid|widget)[-_]?\d+(?:$|[-_])/i.test(word)
    || /^(?:bits|chakra|melt|reka)-[a-z]?\d+/.test(word)
    || /^[a-z]{1,2}[-_]?\d+$|\d{3}|[a-z]\d+[a-z]|\d[a-z]+\d/i.test(word)
    || !/[-_.]/.test(word) && /[a-z][A-Z]{2}|[A-Z][a-z][A-Z][a-z]?[A-Z]/.test(word);
}

// Tells equal lines apart. Elements: by a class in which they differ, their own or that of an icon in them. Checkboxes and buttons of a
// form: by the value that they submit. Days of several months: within one month only.

const MAX_EQUAL_LINES = 60;
const MAX_CLASSES_READ = 300;
const MAX_INNER_CLASSES = 4;
const DAY_NUMBER = /^\d{1,2}$/;

/**
 * Give different hints to lines of a snapshot that would be printed equally. `walk`: the snapshot in progress (`Walk`); its `hints`, an
 * array of [index of a line, hint], are changed.
 */
export function makeHintsDistinct(walk) {
  const budget = { elements: MAX_CLASSES_READ };
  replaceEqualHints(walk, budget);
  if (walk.clickables + walk.cells > 1) addHintsToEqualNames(walk, budget);
}

/**
 * Make hints differ that are equal among lines of the same role: append submitted values, or replace classes with those in which the
 * elements differ. Changes the items of `walk.hints`. `budget.elements`: number of elements whose classes may still be read; it is reduced.
 */
function replaceEqualHints(walk, budget) {
  for (const group of groupDuplicates(walk.hints, ([line, hint]) => `${walk.kinds[line].role} ${hint}`)) {
    if (group[0][1].startsWith('name=')) addValuesToHints(group, walk.ids);
    if (!group[0][1].startsWith('.')) continue;
    const classes = chooseClasses(classesNotShared(group.map(([line]) => walk.ids[line]), budget), firstOf);
    if (classes.every(Boolean)) group.forEach((hint, place) => hint[1] = classes[place]);
  }
}

/**
 * Add a class as hint to lines of clickable elements of a snapshot (`walk`) that have the same role and name and no hint. Appends to
 * `walk.hints`. `budget.elements`: number of elements whose classes may still be read; it is reduced.
 */
function addHintsToEqualNames(walk, budget) {
  const hinted = new Set(walk.hints.map(([line]) => line));
  const named = [...walk.ids.keys()].filter((line) =>
    walk.ids[line] < 0 && walk.names[line] !== '' && !hinted.has(line)
  );
  const groups = groupDuplicates(named, (line) => `${walk.kinds[line].role} ${walk.names[line]}`);
  const parts = splitByTable(groups, walk)
    .map((lines) => ({ lines, classLists: classesNotShared(lines.map((line) => walk.ids[line]), budget) }));
  const groupsByClass = Map.groupBy(parts.flatMap(({ classLists }) => [...new Set(classLists.flat())]), (name) => name);
  /** Return in how many groups of equal lines some lines have the class `name`, and others do not. */
  const groupCountOf = (name) => groupsByClass.get(name)?.length ?? 0;
  /** Return the one of these class names that tells lines apart in most groups of equal lines; undefined for []. */
  const mostDistinctive = (names) => names.toSorted((a, b) => groupCountOf(b) - groupCountOf(a))[0];
  for (const { lines, classLists } of parts) {
    const isOfDays = DAY_NUMBER.test(walk.names[lines[0]]); // whose first class may be the day of the week
    chooseClasses(classLists, isOfDays ? mostDistinctive : firstOf).forEach((name, place) => {
      if (name !== '') walk.hints.push([lines[place], name]);
    });
  }
}

/**
 * Split groups of lines named by the same day number, as in a calendar of several months, by the table around them: a day needs to differ
 * only from others of its month. A group, taken or returned, is an array of indices of lines. `ids`, `names`: of all lines.
 */
function splitByTable(groups, { ids, names }) {
  /** Return the `<table>` or ARIA grid around the element of a line; null for none. `line`: its index in the snapshot. */
  const tableOf = (line) => {
    const element = nodeFor(Math.abs(ids[line]));
    return element && closest(element, 'table,[role=grid i]');
  };
  const [days, others] = [true, false].map((isDay) =>
    groups.filter(([first]) => DAY_NUMBER.test(names[first]) === isDay)
  );
  const months = days.flatMap((group) => [...Map.groupBy(group, tableOf).values()]).filter(({ length }) => length > 1);
  return [...others, ...months.length > 0 ? months : days];
}

// Elements whose value the page has set, and not a person.
const SUBMITTING_ELEMENTS = 'input[type=checkbox],input[type=radio],input[type=image],button';
const PLAIN_VALUE = /^[\w.:@/+-]{1,24}$/;
/**
 * Append ` value=yes`, the value that the element submits, to each hint of a group of equal hints, in place. Change nothing if all values
 * are equal; skip elements without a short value. `group`: items [index of a line, hint] of `walk.hints`; `ids`: node id of each line,
 * negative for a clickable element without a role.
 */
function addValuesToHints(group, ids) {
  const values = group.map(([line]) => submittedValue(nodeFor(Math.abs(ids[line]))));
  if (new Set(values).size > 1) group.forEach((hint, place) => hint[1] += values[place] && ` value=${values[place]}`);
}

/** Return the value that a checkbox, radio button or button submits: written by the page, not by a person. "" for none. */
function submittedValue(element) {
  const value = element && matches(element, SUBMITTING_ELEMENTS) ? attr(element, 'value') ?? '' : '';
  return PLAIN_VALUE.test(value) ? value : '';
}

/** Group items by a key (a function of the item). Return the groups (arrays) of 2 to MAX_EQUAL_LINES items. */
const groupDuplicates = (all, key) =>
  [...Map.groupBy(all, key).values()].filter(({ length }) => length > 1 && length <= MAX_EQUAL_LINES);

/** Return the first item of an array; undefined for []. */
const firstOf = ([first]) => first;

/**
 * Choose one class of each element. `classLists`: for each element an array of its classes; `choose`: function that takes such an array,
 * and returns one of its classes or undefined. Return them as `.name`, "" for none. If all are the same class, return only "": it tells
 * none apart.
 */
function chooseClasses(classLists, choose) {
  const chosen = classLists.map((names) => choose(names) ?? '');
  return new Set(chosen).size > 1 ? chosen.map((name) => name && `.${name}`) : chosen.map(() => '');
}

/**
 * Return for each element an array of its classes that not all of them have. `ids`: node ids; `budget.elements`: how many may still be
 * read; this call is subtracted, and all arrays are empty if it is too large.
 */
function classesNotShared(ids, budget) {
  if ((budget.elements -= ids.length) < 0) return ids.map(() => []);
  const classes = ids.map((id) => descriptiveClasses(nodeFor(Math.abs(id))));
  const [first, ...rest] = classes;
  const common = new Set(first.filter((name) => rest.every((other) => other.includes(name))));
  return classes.map((names) => names.filter((name) => !common.has(name)));
}

/** Return the classes of an element, and of the first elements in it, that say something about it: neither common words nor generated. */
function descriptiveClasses(element) {
  if (!element) return [];
  const inside = [...queryAll(element, '[class]')].slice(0, MAX_INNER_CLASSES);
  return [element, ...inside].flatMap((one) => (attr(one, 'class') ?? '').split(/\s+/).slice(0, 20)).filter(
    isDescriptiveWord,
  );
}
