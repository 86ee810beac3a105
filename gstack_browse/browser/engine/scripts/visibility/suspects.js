// Finds elements that may have invisible text, by the style sheets and the attributes of a tree.

import { bodyOf, nodeTypeOf, rootElementOf } from '../dom/accessors.js';
import { attr, hasAttr, OfTrees, queryTree, withTag } from '../dom/dom.js';
import { Meant, OfSheets, selectsElements, sheetsOf } from '../dom/style-sheets.js';
import { animatedIn } from './animations.js';
import { isClear, isLost, parsedColour } from './colours.js';
import { SMALLEST } from './cut.js';
import { DRAWN } from './drawings.js';
import { styleOf } from './hidden.js';

const FAR = 200; // pixels; nobody moves a word that far within its box

/** Whether a CSS length is, or may be, a pixel at most. */
function isSmall(value) {
  if (isComputedValue(value)) return true;
  const size = parseFloat(value);
  return /(?:em|ch|lh|ex|ic|cap|v\w+|in)$/.test(value) ? size <= 0.125 : value.endsWith('%') ? size < 1 : size <= 1;
}
/** Whether a CSS value cannot be read from its text, as one with `var()` or `calc()`. */
const isComputedValue = (value) => value === '' || /var\(|calc|env\(|min\(|max\(|clamp\(/.test(value);
/** Whether a CSS length may move text out of sight: 200 px or more. */
export function isFar(value) {
  if (isComputedValue(value)) return true;
  const size = Math.abs(parseFloat(value));
  return value.endsWith('px') ? size >= FAR : /em$/.test(value) ? size >= FAR / 16 : size >= 50;
}
/** Whether a letter spacing is, or may be, so negative that letters lie on one another: a letter takes about half of its size. */
function isTight(value) {
  if (isComputedValue(value)) return true;
  return parseFloat(value) <= (/(?:em|ch|ic|lh)$/.test(value) ? -0.3 : value.endsWith('%') ? -30 : -4);
}
/** Whether a font size is, or may be, too small to read. */
const isTiny = (value) =>
  isComputedValue(value) || parseFloat(value) < (/p[xt]$/.test(value) ? SMALLEST : value.endsWith('%') ? 15 : 0.15);
/** Whether a CSS value is other than `none`. */
const isNotNone = (value) => value !== 'none';
/** Whether a CSS value is neither `auto` nor `none`. */
const isNotDefault = (value) => value !== 'auto' && value !== 'none';

// Properties by which a rule may hide text, and the values that do.
const HIDES = new Map(Object.entries({
  opacity: (value) => !(parseFloat(value) >= (value.endsWith('%') ? 50 : 0.5)), // two of them may be one in another
  filter: (value) => /opacity|blur/.test(value) || isComputedValue(value),
  clip: isNotDefault,
  'clip-path': isNotDefault,
  'mask-image': isNotDefault,
  'mask-size': isTiny,
  'offset-path': isNotDefault,
  'backface-visibility': (value) => value !== 'visible',
  contain: (value) => /size|strict|var/.test(value),
  'content-visibility': (value) => !/^(?:visible|auto)$/.test(value),
  display: (value) => value.startsWith('table-column'),
  'grid-template-rows': (value) => /(?:^| )0(?:fr|px|%)|var/.test(value),
  'letter-spacing': isTight,
  'line-height': isTiny,
  '-webkit-text-security': isNotDefault,
  transform: isNotNone,
  translate: isNotNone,
  scale: isNotNone,
  rotate: isNotNone,
  zoom: (value) => !(parseFloat(value) >= 0.2),
  'font-size': isTiny,
  'text-indent': (value) => value.startsWith('-') || isFar(value),
}));
for (const side of ['width', 'height', 'block-size', 'inline-size'])
  for (const name of [side, `max-${side}`]) HIDES.set(name, isSmall);
for (const side of ['left', 'right', 'top', 'bottom', 'block-start', 'block-end', 'inline-start', 'inline-end'])
  for (const name of [side, `inset-${side}`, `margin-${side}`]) HIDES.set(name, isFar);

const INHERITS = /^(?:inherit|initial|unset|revert|revert-layer|currentcolor)$/i;
const INKS = new Set(['color', '-webkit-text-fill-color']);
const GROUND = 'background-color';
const STYLED =
  /opacity|clip|mask|colou?r|background|font|indent|spacing|security|transform|translate|scale|rotate|backface|offset|left|right|top|bottom|inset|margin|width|height|size|contain|visibility|table-|grid|filter|zoom/;

// The elements that one sheet's rules may hide, and the colours that they set.
class Said {
  constructor() {
    this.always = new Meant();
    this.inks = []; // [colour or null, selector, the one around]
    this.grounds = [];
  }

  add(other) {
    this.always.add(other.always);
    this.inks.push(...other.inks);
    this.grounds.push(...other.grounds);
  }

  noteRules(rules, outer) {
    for (const rule of rules) {
      const selector = rule.selectorText || '';
      if (rule.style && selectsElements(selector || outer)) this.noteStyle(rule.style, selector || outer, outer);
      if (rule.styleSheet) this.add(sheetsSaid.of(rule.styleSheet));
      if (rule.cssRules && rule.cssRules.length) this.noteRules(rule.cssRules, selector || outer);
    }
  }

  noteColour(colours, value, selector, outer) {
    if (!INHERITS.test(value)) colours.push([parsedColour(value), selector, outer]);
  }

  noteStyle(style, selector, outer) {
    for (let index = 0; index < style.length; index++) {
      const name = style[index];
      if (INKS.has(name)) this.noteColour(this.inks, style.getPropertyValue(name), selector, outer);
      else if (name === GROUND) this.noteColour(this.grounds, style.getPropertyValue(name), selector, outer);
      else if (HIDES.get(name)?.(style.getPropertyValue(name))) this.always.note(selector, outer);
    }
  }
}

const UNREADABLE = new Said();
UNREADABLE.always.any = true;
const sheetsSaid = new OfSheets((rules) => {
  const said = new Said();
  said.noteRules(rules, '');
  return said;
}, UNREADABLE);

// The elements of one tree that may have invisible text.
class Suspects {
  constructor(said, animated, isShadow) {
    this.said = said;
    this.animated = animated; // an Animated
    this.isShadow = isShadow;
    const [meant, moved] = cachedSuspects(said, isShadow);
    this.meant = meant; // by anything
    this.moved = moved; // by more than their colours
    this.inks = null; // those of attributes that have been met
    this.grounds = null;
  }

  // Whether only the attributes of an element can make it one.
  get areRare() {
    return this.meant === NOBODY && this.animated.isNobody;
  }

  // Whether an element is certainly visible, given that none of its attributes sets a style.
  spares(element) {
    return this.meant === NOBODY && !this.animated.has(element);
  }

  has(element, tag, plain) {
    if (DRAWN.has(tag.name)) return true;
    if (!plain && hasStyleToCheck(element)) return this.learn(element);
    return this.meant.mayMean(element, tag, plain) || this.animated.has(element);
  }

  // Whether only colours may hide the words of an element that `has` has named.
  isOnlyInked(element, tag, plain) {
    return !DRAWN.has(tag.name) && (plain || !hasStyleToCheck(element)) && !this.moved.mayMean(element, tag, plain)
      && !this.animated.has(element);
  }

  // The colours that an element sets for itself concern everything in it.
  learn(element) {
    const style = styleOf(element);
    const [ink, ground] = [style.color, style.backgroundColor];
    this.inks ??= new Set();
    this.grounds ??= new Set();
    if (this.inks.has(ink) && this.grounds.has(ground)) return true;
    this.inks.add(ink);
    this.grounds.add(ground);
    if (this.inks.size + this.grounds.size <= MOST_LEARNT)
      this.meant = computeSuspects(this.said, this.isShadow, this.inks, this.grounds)[0];
    else this.meant = EVERYBODY;
    return true;
  }
}
const MOST_LEARNT = 60;

/** Whether an element has attributes that may hide its text. */
function hasStyleToCheck(element) {
  const style = attr(element, 'style');
  return style !== null && STYLED.test(style)
    || hasAttr(element, 'bgcolor') || hasAttr(element, 'color') || hasAttr(element, 'text');
}

/** Whether any element of a tree may have such attributes: `<font color>` and `<body text>` are what was before style sheets. */
export const hasStyled = (root) =>
  queryTree(root, '[style],[bgcolor],text') !== null
  || nodeTypeOf(root) === 9
    && (withTag(root, 'font').length > 0 || hasAttr(bodyOf(root) ?? rootElementOf(root), 'text'));

/** Return the `Suspects` of a document or shadow root: which elements its style sheets may hide. */
export const suspectsIn = (root) => suspectsOf.of(root);
const suspectsOf = new OfTrees((root) => findSuspects(root));

/** Compute the answer of `suspectsIn`. */
const findSuspects = (root) =>
  new Suspects(sheetsOf(root).map((sheet) => sheetsSaid.of(sheet)), animatedIn.of(root), nodeTypeOf(root) === 11);

const NOBODY = new Meant();
const EVERYBODY = Object.assign(new Meant(), { any: true });
const NOBODY_AT_ALL = [NOBODY, NOBODY];
const NOTHING_SAID = [];
const workedBefore = new WeakMap(); // by the last sheet: what the same sheets meant last time

let inPlainShadow = null; // in a shadow tree without style sheets

/**
 * Return which elements these style sheets may hide, from the last time if the same sheets were asked about: [hidden or of a lost colour,
 * always moved].
 */
function cachedSuspects(said, isShadow) {
  if (said.length === 0)
    return isShadow ? inPlainShadow ??= computeSuspects(said, isShadow, NOTHING_SAID, NOTHING_SAID) : NOBODY_AT_ALL;
  const last = said[said.length - 1];
  const known = workedBefore.get(last);
  if (
    known !== undefined && known.isShadow === isShadow && known.said.length === said.length
    && known.said.every((one, at) => one === said[at])
  )
    return known.meant;
  const meant = computeSuspects(said, isShadow, NOTHING_SAID, NOTHING_SAID);
  workedBefore.set(last, { said, isShadow, meant });
  return meant;
}

/**
 * Compute which elements these style sheets may hide. `ownInks`, `ownGrounds`: text and background colours that elements set by
 * themselves.
 */
function computeSuspects(said, isShadow, ownInks, ownGrounds) {
  const all = new Said();
  const moved = new Meant();
  for (const one of said) {
    all.add(one);
    moved.add(one.always);
  }
  const grounds = distinctColours([
    ...all.grounds.map(([colour]) => colour),
    ...Array.from(ownGrounds, parsedColour),
    ...PLAIN_GROUNDS,
  ]);
  const inks = distinctColours([
    ...all.inks.map(([colour]) => colour),
    ...Array.from(ownInks, parsedColour),
    ...PLAIN_INKS,
  ]);
  noteMatchingRules(all.inks, (ink) => grounds.some((ground) => isLost(ink, ground)), all.always);
  noteMatchingRules(all.grounds, (ground) => !isClear(ground) && inks.some((ink) => isLost(ink, ground)), all.always);
  // The rules for a part of a shadow tree are in the tree around.
  if (isShadow) { for (const meant of [all.always, moved]) meant.attributes.add('part'); }
  const { any, classes, ids, tags, attributes } = all.always;
  return any || classes.size + ids.size + tags.size + attributes.size > 0 ? [all.always, moved] : NOBODY_AT_ALL;
}

const PLAIN_GROUNDS = [[255, 255, 255, 1], [18, 18, 18, 1]];
const PLAIN_INKS = [[0, 0, 0, 1], [255, 255, 255, 1], [0, 0, 238, 1], [85, 26, 139, 1]]; // of text and links that no rule speaks of

/** Return the different colours that are not transparent. */
const distinctColours = (colours) => [
  ...new Map(colours.filter((colour) => colour !== null && !isClear(colour)).map((colour) => [colour.join(), colour]))
    .values(),
];

/** Note in `meant` the selectors of rules for whose colour `does` holds, or whose colour is not known before an element is asked. */
function noteMatchingRules(rules, does, meant) {
  const answers = new Map();
  for (const [colour, selector, outer] of rules) {
    const key = colour === null ? '' : colour.join();
    if (!answers.has(key)) answers.set(key, colour === null || does(colour));
    if (answers.get(key)) meant.note(selector, outer);
  }
}
