// Candidates: elements that may have invisible text, by the style sheets and attributes of a tree. Only for these the style is computed.

import { bodyOf, nodeTypeOf, rootElementOf, styleOf } from '../dom/accessors.js';
import { attr, elementsByTag, hasAttr, PerCallCache, queryOneIn } from '../dom/dom.js';
import { animatedIn } from './animations.js';
import { isIndistinguishable, isTransparent, parseColour } from './colours.js';
import { SVG_TEXT_TAGS } from './drawings.js';
import { MIN_FONT_PIXELS } from './hidden.js';
import { ElementFilter, selectsElements, SheetCache, sheetsOf } from './style-sheets.js';

const FAR_PIXELS = 200; // pages do not move text that far within its box

/** Return whether a CSS length may be so small (a pixel at most) that a box of it hides text. */
function isSmall(value) {
  if (isUndetermined(value)) return true;
  const size = parseFloat(value);
  return /(?:em|ch|lh|ex|ic|cap|v\w+|in)$/.test(value) ? size <= 0.125 : value.endsWith('%') ? size < 1 : size <= 1;
}
/** Return whether the style sheet does not determine a CSS value: it is empty, or contains `var()`, `calc()` or the like. */
const isUndetermined = (value) => value === '' || /var\(|calc|env\(|min\(|max\(|clamp\(/.test(value);
/** Return whether a CSS length may be 200 px or more, and so move text off screen. */
export function isFar(value) {
  if (isUndetermined(value)) return true;
  const size = Math.abs(parseFloat(value));
  return value.endsWith('px') ? size >= FAR_PIXELS : /em$/.test(value) ? size >= FAR_PIXELS / 16 : size >= 50;
}
/** Return whether a CSS letter spacing may be so negative that letters overlap: a letter is about half as wide as its font size. */
function isTight(value) {
  if (isUndetermined(value)) return true;
  return parseFloat(value) <= (/(?:em|ch|ic|lh)$/.test(value) ? -0.3 : value.endsWith('%') ? -30 : -4);
}
/** Return whether a CSS font size may make text too small to read. */
const isTiny = (value) =>
  isUndetermined(value)
  || parseFloat(value) < (/p[xt]$/.test(value) ? MIN_FONT_PIXELS : value.endsWith('%') ? 15 : 0.15);
/** Return whether a CSS value is other than `none`. */
const isNotNone = (value) => value !== 'none';
/** Return whether a CSS value is neither `auto` nor `none`. */
const isNeitherAutoNorNone = (value) => value !== 'auto' && value !== 'none';

// CSS property → test whether a value of it may hide text.
const HIDING_TESTS = new Map(Object.entries({
  opacity: (value) => !(parseFloat(value) >= (value.endsWith('%') ? 50 : 0.5)), // opacities of nested elements multiply
  filter: (value) => /opacity|blur/.test(value) || isUndetermined(value),
  clip: isNeitherAutoNorNone,
  'clip-path': isNeitherAutoNorNone,
  'mask-image': isNeitherAutoNorNone,
  'mask-size': isTiny,
  'offset-path': isNeitherAutoNorNone,
  'backface-visibility': (value) => value !== 'visible',
  contain: (value) => /size|strict|var/.test(value),
  'content-visibility': (value) => !/^(?:visible|auto)$/.test(value),
  display: (value) => value.startsWith('table-column'),
  'grid-template-rows': (value) => /(?:^| )0(?:fr|px|%)|var/.test(value),
  'letter-spacing': isTight,
  'line-height': isTiny,
  '-webkit-text-security': isNeitherAutoNorNone,
  transform: isNotNone,
  translate: isNotNone,
  scale: isNotNone,
  rotate: isNotNone,
  zoom: (value) => !(parseFloat(value) >= 0.2),
  'font-size': isTiny,
  'text-indent': (value) => value.startsWith('-') || isFar(value),
}));
for (const side of ['width', 'height', 'block-size', 'inline-size'])
  for (const name of [side, `max-${side}`]) HIDING_TESTS.set(name, isSmall);
for (const side of ['left', 'right', 'top', 'bottom', 'block-start', 'block-end', 'inline-start', 'inline-end'])
  for (const name of [side, `inset-${side}`, `margin-${side}`]) HIDING_TESTS.set(name, isFar);

const INHERITING_VALUES = /^(?:inherit|initial|unset|revert|revert-layer|currentcolor)$/i;
const TEXT_COLOUR_PROPERTIES = new Set(['color', '-webkit-text-fill-color']);
const BACKGROUND_PROPERTY = 'background-color';
const HIDING_PROPERTIES =
  /opacity|clip|mask|colou?r|background|font|indent|spacing|security|transform|translate|scale|rotate|backface|offset|left|right|top|bottom|inset|margin|width|height|size|contain|visibility|table-|grid|filter|zoom/;

/** The elements that the rules of style sheets may hide, and the colours that they set. */
class HidingRules {
  constructor() {
    this.hiding = new ElementFilter(); // elements that a rule hides by more than colours
    this.textColours = []; // [colour or null, selector, selector of the rule around]
    this.backgrounds = []; // likewise
  }

  /** Add everything that other rules have. */
  add(other) {
    this.hiding.add(other.hiding);
    this.textColours.push(...other.textColours);
    this.backgrounds.push(...other.backgrounds);
  }

  /** Add the rules of a sheet and of those that it imports. `outer`: the selector of the rule around, "" for none. */
  addRules(cssRules, outer) {
    for (const rule of cssRules) {
      const selector = rule.selectorText || '';
      if (rule.style && selectsElements(selector || outer)) this.addStyle(rule.style, selector || outer, outer);
      if (rule.styleSheet) this.add(hidingRulesOf.of(rule.styleSheet));
      if (rule.cssRules && rule.cssRules.length) this.addRules(rule.cssRules, selector || outer);
    }
  }

  /** Add [colour, selector, outer] to `colours`, unless the value is inherited. */
  addColour(colours, value, selector, outer) {
    if (!INHERITING_VALUES.test(value)) colours.push([parseColour(value), selector, outer]);
  }

  /** Add the properties of one rule that may hide text or set a colour. */
  addStyle(style, selector, outer) {
    for (let index = 0; index < style.length; index++) {
      const name = style[index];
      if (TEXT_COLOUR_PROPERTIES.has(name))
        this.addColour(this.textColours, style.getPropertyValue(name), selector, outer);
      else if (name === BACKGROUND_PROPERTY)
        this.addColour(this.backgrounds, style.getPropertyValue(name), selector, outer);
      else if (HIDING_TESTS.get(name)?.(style.getPropertyValue(name))) this.hiding.addSelector(selector, outer);
    }
  }
}

const RULES_OF_UNREADABLE_SHEET = new HidingRules();
RULES_OF_UNREADABLE_SHEET.hiding.matchesAll = true;
const hidingRulesOf = new SheetCache((cssRules) => {
  const rules = new HidingRules();
  rules.addRules(cssRules, '');
  return rules;
}, RULES_OF_UNREADABLE_SHEET);

/** The elements of one document or shadow root that may have invisible text, by style sheets, attributes or animations. */
class InvisibleTextCandidates {
  constructor(rules, animated, isShadow) {
    this.rules = rules;
    this.animated = animated; // a TreeAnimations
    this.isShadow = isShadow;
    const [byAnyRule, byMoreThanColour] = candidateFilters(rules, isShadow);
    this.byAnyRule = byAnyRule; // an ElementFilter: elements that any rule may hide
    this.byMoreThanColour = byMoreThanColour; // an ElementFilter: elements that a rule may hide by more than colours
    this.textColours = null; // colours that elements set by their own attributes, so far
    this.backgrounds = null;
  }

  /** Return whether elements are candidates only by their attributes: no style sheet and no animation may hide any. */
  get isByAttributesOnly() {
    return this.byAnyRule === NO_ELEMENT && this.animated.isEmpty;
  }

  /** Return whether an element without styling attributes certainly hides none of its text. */
  isSurelyVisible(element) {
    return this.byAnyRule === NO_ELEMENT && !this.animated.has(element);
  }

  /** Return whether an element may have invisible text. `tag`: its entry of `tagOf`; `bare`: it has no attributes. */
  has(element, tag, bare) {
    if (SVG_TEXT_TAGS.has(tag.name)) return true;
    if (!bare && hasHidingAttribute(element)) return this.addOwnColours(element);
    return this.byAnyRule.mayMatch(element, tag, bare) || this.animated.has(element);
  }

  /** Return whether only colours may hide the text of a candidate. */
  isCandidateByColourOnly(element, tag, bare) {
    return !SVG_TEXT_TAGS.has(tag.name) && (bare || !hasHidingAttribute(element))
      && !this.byMoreThanColour.mayMatch(element, tag, bare)
      && !this.animated.has(element);
  }

  /**
   * Add the colours that an element sets by its attributes. Its content inherits them, so a rule that sets the other colour of such a pair
   * may hide text, too. Return true.
   */
  addOwnColours(element) {
    const style = styleOf(element);
    const [textColour, background] = [style.color, style.backgroundColor];
    this.textColours ??= new Set();
    this.backgrounds ??= new Set();
    if (this.textColours.has(textColour) && this.backgrounds.has(background)) return true;
    this.textColours.add(textColour);
    this.backgrounds.add(background);
    if (this.textColours.size + this.backgrounds.size <= MAX_OWN_COLOURS)
      this.byAnyRule = computeCandidateFilters(this.rules, this.isShadow, this.textColours, this.backgrounds)[0];
    else this.byAnyRule = ANY_ELEMENT;
    return true;
  }
}
const MAX_OWN_COLOURS = 60;

/** Return whether an element has attributes that may hide its text: `style`, or colours of old HTML. */
function hasHidingAttribute(element) {
  const style = attr(element, 'style');
  return style !== null && HIDING_PROPERTIES.test(style)
    || hasAttr(element, 'bgcolor') || hasAttr(element, 'color') || hasAttr(element, 'text');
}

/**
 * Return whether any element of a document or shadow root may have styling attributes: `style`, or those of old HTML (`<font color>`,
 * `<body text>`).
 */
export const hasStylingAttributes = (root) =>
  queryOneIn(root, '[style],[bgcolor],text') !== null
  || nodeTypeOf(root) === 9
    && (elementsByTag(root, 'font').length > 0 || hasAttr(bodyOf(root) ?? rootElementOf(root), 'text'));

/**
 * Return the `InvisibleTextCandidates` of a document or shadow root: a filter of the elements whose text may be invisible. Cached during a
 * call from Python.
 */
export const invisibleTextCandidatesIn = (root) => candidatesByRoot.of(root);
const candidatesByRoot = new PerCallCache((root) =>
  new InvisibleTextCandidates(
    sheetsOf(root).map((sheet) => hidingRulesOf.of(sheet)),
    animatedIn.of(root),
    nodeTypeOf(root) === 11,
  )
);

const NO_ELEMENT = new ElementFilter();
const ANY_ELEMENT = Object.assign(new ElementFilter(), { matchesAll: true });
const NO_CANDIDATES = [NO_ELEMENT, NO_ELEMENT];
const NO_COLOURS = [];
const filtersByLastSheet = new WeakMap(); // HidingRules of the last sheet of a tree → { rules, isShadow, filters } of all its sheets

let filtersOfPlainShadow = null; // `computeCandidateFilters` for a shadow tree without style sheets

/**
 * Return which elements of a tree its style sheets may hide, as [filter of those hidden by any rule, filter of those hidden by more than
 * colours], both `ElementFilter`s. Cached for each list of sheets. `rules`: a `HidingRules` for each sheet; `isShadow`: it is a shadow
 * tree.
 */
function candidateFilters(rules, isShadow) {
  if (rules.length === 0) {
    return isShadow
      ? filtersOfPlainShadow ??= computeCandidateFilters(rules, isShadow, NO_COLOURS, NO_COLOURS)
      : NO_CANDIDATES;
  }
  const last = rules[rules.length - 1];
  const known = filtersByLastSheet.get(last);
  if (
    known !== undefined && known.isShadow === isShadow && known.rules.length === rules.length
    && known.rules.every((one, at) => one === rules[at])
  )
    return known.filters;
  const filters = computeCandidateFilters(rules, isShadow, NO_COLOURS, NO_COLOURS);
  filtersByLastSheet.set(last, { rules, isShadow, filters });
  return filters;
}

/**
 * Compute the result of `candidateFilters`, two `ElementFilter`s, without its cache. `ownTextColours`, `ownBackgrounds`: CSS colours that
 * elements of the tree set by attributes; a rule that sets the other colour of such a pair may hide text.
 */
function computeCandidateFilters(rules, isShadow, ownTextColours, ownBackgrounds) {
  const all = new HidingRules();
  const byMoreThanColour = new ElementFilter();
  for (const one of rules) {
    all.add(one);
    byMoreThanColour.add(one.hiding);
  }
  const backgrounds = distinctColours([
    ...all.backgrounds.map(([colour]) => colour),
    ...Array.from(ownBackgrounds, parseColour),
    ...DEFAULT_BACKGROUNDS,
  ]);
  const textColours = distinctColours([
    ...all.textColours.map(([colour]) => colour),
    ...Array.from(ownTextColours, parseColour),
    ...DEFAULT_TEXT_COLOURS,
  ]);
  addRulesOfColours(
    all.textColours,
    (textColour) => backgrounds.some((background) => isIndistinguishable(textColour, background)),
    all.hiding,
  );
  addRulesOfColours(
    all.backgrounds,
    (background) =>
      !isTransparent(background) && textColours.some((textColour) => isIndistinguishable(textColour, background)),
    all.hiding,
  );
  // Rules for `::part()` of a shadow tree are in the tree around.
  if (isShadow) { for (const filter of [all.hiding, byMoreThanColour]) filter.attributes.add('part'); }
  const { matchesAll, classes, ids, tags, attributes } = all.hiding;
  return matchesAll || classes.size + ids.size + tags.size + attributes.size > 0
    ? [all.hiding, byMoreThanColour]
    : NO_CANDIDATES;
}

const DEFAULT_BACKGROUNDS = [[255, 255, 255, 1], [18, 18, 18, 1]];
const DEFAULT_TEXT_COLOURS = [[0, 0, 0, 1], [255, 255, 255, 1], [0, 0, 238, 1], [85, 26, 139, 1]]; // of text and links

/** Return colours [red, green, blue, opacity] without duplicates, nulls and transparent ones. */
const distinctColours = (colours) => [
  ...new Map(
    colours.filter((colour) => colour !== null && !isTransparent(colour)).map((colour) => [colour.join(), colour]),
  )
    .values(),
];

/**
 * Add to an `ElementFilter` the selectors of those rules whose colour may hide text. `rules`: [colour (null: not known), selector, selector
 * of the rule around] of each; `hides`: whether text of, or on, a colour cannot be seen.
 */
function addRulesOfColours(rules, hides, filter) {
  const answers = new Map();
  for (const [colour, selector, outer] of rules) {
    const key = colour === null ? '' : colour.join();
    if (!answers.has(key)) answers.set(key, colour === null || hides(colour));
    if (answers.get(key)) filter.addSelector(selector, outer);
  }
}
