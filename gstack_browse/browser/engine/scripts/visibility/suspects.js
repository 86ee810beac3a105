// Finds elements that may have invisible text, by the style sheets and the attributes of a tree.

import { bodyOf, nodeTypeOf, rootElementOf } from '../dom/accessors.js';
import { attr, hasAttr, PerCallCache, queryTree, withTag } from '../dom/dom.js';
import { ElementFilter, selectsElements, SheetCache, sheetsOf } from '../dom/style-sheets.js';
import { animatedIn } from './animations.js';
import { isIndistinguishable, isTransparent, parsedColour } from './colours.js';
import { SMALLEST } from './cut.js';
import { DRAWN } from './drawings.js';
import { styleOf } from './hidden.js';

const FAR = 200; // pixels: no text is moved that far within its box

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
const TEXT_COLOUR_PROPERTIES = new Set(['color', '-webkit-text-fill-color']);
const BACKGROUND_PROPERTY = 'background-color';
const HIDING_PROPERTIES =
  /opacity|clip|mask|colou?r|background|font|indent|spacing|security|transform|translate|scale|rotate|backface|offset|left|right|top|bottom|inset|margin|width|height|size|contain|visibility|table-|grid|filter|zoom/;

/** The elements that the rules of style sheets may hide, and the colours that rules set. */
class HidingRules {
  constructor() {
    this.hiding = new ElementFilter(); // elements that a rule hides by more than colours
    this.textColours = []; // [colour or null, selector, the one around]
    this.backgrounds = []; // the same
  }

  /** Add everything that other rules have. */
  add(other) {
    this.hiding.add(other.hiding);
    this.textColours.push(...other.textColours);
    this.backgrounds.push(...other.backgrounds);
  }

  /** Note the rules of a sheet, those of imported sheets included. `outer`: the selector of the rule around, "" for none. */
  noteRules(cssRules, outer) {
    for (const rule of cssRules) {
      const selector = rule.selectorText || '';
      if (rule.style && selectsElements(selector || outer)) this.noteStyle(rule.style, selector || outer, outer);
      if (rule.styleSheet) this.add(hidingRulesOf.of(rule.styleSheet));
      if (rule.cssRules && rule.cssRules.length) this.noteRules(rule.cssRules, selector || outer);
    }
  }

  /** Add [colour, selector, outer] to `colours`, unless the value is inherited. */
  noteColour(colours, value, selector, outer) {
    if (!INHERITS.test(value)) colours.push([parsedColour(value), selector, outer]);
  }

  /** Note the properties of one rule that may hide text or set a colour. */
  noteStyle(style, selector, outer) {
    for (let index = 0; index < style.length; index++) {
      const name = style[index];
      if (TEXT_COLOUR_PROPERTIES.has(name))
        this.noteColour(this.textColours, style.getPropertyValue(name), selector, outer);
      else if (name === BACKGROUND_PROPERTY)
        this.noteColour(this.backgrounds, style.getPropertyValue(name), selector, outer);
      else if (HIDES.get(name)?.(style.getPropertyValue(name))) this.hiding.addSelector(selector, outer);
    }
  }
}

const RULES_OF_UNREADABLE_SHEET = new HidingRules();
RULES_OF_UNREADABLE_SHEET.hiding.matchesAll = true;
const hidingRulesOf = new SheetCache((cssRules) => {
  const rules = new HidingRules();
  rules.noteRules(cssRules, '');
  return rules;
}, RULES_OF_UNREADABLE_SHEET);

/** The elements of one document or shadow root that may have invisible text: by style sheets, attributes or animations. */
class Suspects {
  constructor(rules, animated, isShadow) {
    this.rules = rules;
    this.animated = animated; // an Animated
    this.isShadow = isShadow;
    const [byAnyRule, byMoreThanColour] = cachedSuspects(rules, isShadow);
    this.byAnyRule = byAnyRule; // an ElementFilter: elements that any rule may hide
    this.byMoreThanColour = byMoreThanColour; // the same, without rules that only set colours
    this.textColours = null; // those that elements set for themselves by attributes, as far as met
    this.backgrounds = null;
  }

  /** Whether only the attributes of an element can make it a suspect: no style sheet and no animation does. */
  get areRare() {
    return this.byAnyRule === NO_ELEMENT && this.animated.isEmpty;
  }

  /** Whether an element certainly hides none of its text, given that none of its attributes sets a style. */
  isSurelyVisible(element) {
    return this.byAnyRule === NO_ELEMENT && !this.animated.has(element);
  }

  /** Whether an element may have invisible text. `tag`: with its name; `plain`: it has no attributes. */
  has(element, tag, plain) {
    if (DRAWN.has(tag.name)) return true;
    if (!plain && hasHidingAttribute(element)) return this.addOwnColours(element);
    return this.byAnyRule.mayMatch(element, tag, plain) || this.animated.has(element);
  }

  /** Whether nothing but colours may hide the text of a suspect. */
  isSuspectByColourOnly(element, tag, plain) {
    return !DRAWN.has(tag.name) && (plain || !hasHidingAttribute(element))
      && !this.byMoreThanColour.mayMatch(element, tag, plain)
      && !this.animated.has(element);
  }

  /**
   * Add the colours that an element sets for itself by attributes: they concern everything in it, so rules that set the other colour
   * of such a pair may hide text, too. Return true.
   */
  addOwnColours(element) {
    const style = styleOf(element);
    const [textColour, background] = [style.color, style.backgroundColor];
    this.textColours ??= new Set();
    this.backgrounds ??= new Set();
    if (this.textColours.has(textColour) && this.backgrounds.has(background)) return true;
    this.textColours.add(textColour);
    this.backgrounds.add(background);
    if (this.textColours.size + this.backgrounds.size <= MOST_OWN_COLOURS)
      this.byAnyRule = computeSuspects(this.rules, this.isShadow, this.textColours, this.backgrounds)[0];
    else this.byAnyRule = ANY_ELEMENT;
    return true;
  }
}
const MOST_OWN_COLOURS = 60;

/** Whether an element has attributes that may hide its text. */
function hasHidingAttribute(element) {
  const style = attr(element, 'style');
  return style !== null && HIDING_PROPERTIES.test(style)
    || hasAttr(element, 'bgcolor') || hasAttr(element, 'color') || hasAttr(element, 'text');
}

/** Whether any element of a tree may have such attributes: `<font color>` and `<body text>` are what was before style sheets. */
export const hasStyled = (root) =>
  queryTree(root, '[style],[bgcolor],text') !== null
  || nodeTypeOf(root) === 9
    && (withTag(root, 'font').length > 0 || hasAttr(bodyOf(root) ?? rootElementOf(root), 'text'));

/** Return the `Suspects` of a document or shadow root: which elements its style sheets may hide. */
export const suspectsIn = (root) => suspectsOf.of(root);
const suspectsOf = new PerCallCache((root) => findSuspects(root));

/** Find which elements of a tree may hide text, as `suspectsIn` does, without its cache. */
const findSuspects = (root) =>
  new Suspects(sheetsOf(root).map((sheet) => hidingRulesOf.of(sheet)), animatedIn.of(root), nodeTypeOf(root) === 11);

const NO_ELEMENT = new ElementFilter();
const ANY_ELEMENT = Object.assign(new ElementFilter(), { matchesAll: true });
const NO_SUSPECTS = [NO_ELEMENT, NO_ELEMENT];
const NO_COLOURS = [];
const lastSuspects = new WeakMap(); // last style sheet of a tree → the answer for all its sheets

let inPlainShadow = null; // in a shadow tree without style sheets

/**
 * Return which elements these style sheets may hide, kept as long as the same sheets are asked about: [hidden or of a lost colour,
 * hidden by more than that].
 */
function cachedSuspects(rules, isShadow) {
  if (rules.length === 0)
    return isShadow ? inPlainShadow ??= computeSuspects(rules, isShadow, NO_COLOURS, NO_COLOURS) : NO_SUSPECTS;
  const last = rules[rules.length - 1];
  const known = lastSuspects.get(last);
  if (
    known !== undefined && known.isShadow === isShadow && known.rules.length === rules.length
    && known.rules.every((one, at) => one === rules[at])
  )
    return known.suspects;
  const suspects = computeSuspects(rules, isShadow, NO_COLOURS, NO_COLOURS);
  lastSuspects.set(last, { rules, isShadow, suspects });
  return suspects;
}

/**
 * Compute which elements these style sheets may hide. `ownTextColours`, `ownBackgrounds`: text and background colours that elements set by
 * themselves.
 */
function computeSuspects(rules, isShadow, ownTextColours, ownBackgrounds) {
  const all = new HidingRules();
  const byMoreThanColour = new ElementFilter();
  for (const one of rules) {
    all.add(one);
    byMoreThanColour.add(one.hiding);
  }
  const backgrounds = distinctColours([
    ...all.backgrounds.map(([colour]) => colour),
    ...Array.from(ownBackgrounds, parsedColour),
    ...USUAL_BACKGROUNDS,
  ]);
  const textColours = distinctColours([
    ...all.textColours.map(([colour]) => colour),
    ...Array.from(ownTextColours, parsedColour),
    ...USUAL_TEXT_COLOURS,
  ]);
  noteMatchingRules(
    all.textColours,
    (textColour) => backgrounds.some((background) => isIndistinguishable(textColour, background)),
    all.hiding,
  );
  noteMatchingRules(
    all.backgrounds,
    (background) =>
      !isTransparent(background) && textColours.some((textColour) => isIndistinguishable(textColour, background)),
    all.hiding,
  );
  // The rules for a part of a shadow tree are in the tree around.
  if (isShadow) { for (const filter of [all.hiding, byMoreThanColour]) filter.attributes.add('part'); }
  const { matchesAll, classes, ids, tags, attributes } = all.hiding;
  return matchesAll || classes.size + ids.size + tags.size + attributes.size > 0
    ? [all.hiding, byMoreThanColour]
    : NO_SUSPECTS;
}

const USUAL_BACKGROUNDS = [[255, 255, 255, 1], [18, 18, 18, 1]];
const USUAL_TEXT_COLOURS = [[0, 0, 0, 1], [255, 255, 255, 1], [0, 0, 238, 1], [85, 26, 139, 1]]; // of text and links that no rule speaks of

/** Return the different colours that are not transparent. */
const distinctColours = (colours) => [
  ...new Map(
    colours.filter((colour) => colour !== null && !isTransparent(colour)).map((colour) => [colour.join(), colour]),
  )
    .values(),
];

/** Add the selectors of rules to `filter` whose colour `hides` text, or is only known once an element is asked. */
function noteMatchingRules(rules, hides, filter) {
  const answers = new Map();
  for (const [colour, selector, outer] of rules) {
    const key = colour === null ? '' : colour.join();
    if (!answers.has(key)) answers.set(key, colour === null || hides(colour));
    if (answers.get(key)) filter.addSelector(selector, outer);
  }
}
