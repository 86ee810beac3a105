// Reads the style sheets of a tree, since asking every element costs more than the walk: which rules generate or transform text, set a
// cursor, a box or scrolling, or apply under the pointer.

import { documentOf, localNameOf, matches, nodeTypeOf, styleOf } from '../dom/accessors.js';
import { attr, hasAttr, PerCallCache, queryOneIn, treeOf } from '../dom/dom.js';

/**
 * Return { generates, transforms }: whether the style sheets of an element's tree may add text (`::before`), or change the case of text
 * (`text-transform`), somewhere in the tree.
 */
const sheetEffectsOn = (element) => rootEffects.of(treeOf(element));
const rootEffects = new PerCallCache((root) => computeSheetEffects(root));
/** Return whether `::before` or `::after` of an element may have content, by the style sheets of its tree. */
export const mayHaveGeneratedContent = (element) => sheetEffectsOn(element).generates || localNameOf(element) === 'q';
/** Return whether `text-transform` may apply to an element, by the style sheets of its tree. */
export const mayTransformText = (element) => sheetEffectsOn(element).transforms;

/** Return the style sheets of a document or shadow root. */
export const sheetsOf = (root) => sheetsInTrees.of(root);
const sheetsInTrees = new PerCallCache((root) => toArray(root.styleSheets).concat(toArray(root.adoptedStyleSheets)));
/** Return a list of style sheets, or undefined, as an array. */
const toArray = (sheets) => sheets && sheets.length > 0 ? Array.from(sheets) : [];
/**
 * Return { generates, transforms }: whether the style sheets of a document or shadow root add text (`::before`), or change the case of
 * text.
 */
const computeSheetEffects = (root) => ({
  generates: sheetsOf(root).some((sheet) => sheetEffects.of(sheet).generates),
  transforms: mayTransformTextIn(root),
});
const BY_STYLE = '[style*="text-transform"]';
/** Return whether `text-transform` may apply in a document or shadow root. It is inherited, also by a shadow tree. */
function mayTransformTextIn(root) {
  if (sheetsOf(root).some((sheet) => sheetEffects.of(sheet).transforms)) return true;
  if (queryOneIn(root, BY_STYLE) !== null) return true;
  if (nodeTypeOf(root) === 11) return Boolean(root.host) && mayTransformText(root.host);
  const left = { rules: MAX_TRANSFORM_RULES };
  return sheetsOf(root).some((sheet) => doRulesSet(rulesOf(sheet), ['text-transform'], left, false));
}

// Rules of a tree that are read anew for `text-transform`: a script may have changed one in place.
const MAX_TRANSFORM_RULES = 60;

/**
 * Return whether a style rule of a document or shadow root may set one of the CSS properties `names`. Rules are read anew, since a script
 * may have changed them in place; true if there are too many, since asking the elements is then cheaper.
 */
export function mayRulesSet(root, names) {
  const left = { rules: MAX_RULES_READ };
  return sheetsOf(root).some((sheet) => doRulesSet(rulesOf(sheet), names, left, true));
}
const MAX_RULES_READ = 200;

/**
 * Return whether one of these style rules sets one of the CSS properties `names`. `left.rules`: how many rules may still be read, counted
 * down; `ifUnread`: the answer if there are more, or they cannot be read.
 */
function doRulesSet(rules, names, left, ifUnread) {
  if (rules === null || (left.rules -= rules.length) < 0) return ifUnread;
  for (const rule of rules) {
    if (rule.style && names.some((name) => rule.style.getPropertyValue(name) !== '')) return true;
    if (rule.styleSheet && doRulesSet(rulesOf(rule.styleSheet), names, left, ifUnread)) return true;
    if (rule.cssRules && doRulesSet(rule.cssRules, names, left, ifUnread)) return true;
  }
  return false;
}

/**
 * Keeps a value computed from the rules of a style sheet as long as the number of rules stays the same: that is cheap to compare.
 * `ofUnreadable`: the value for a sheet of another origin.
 * @template T
 */
export class SheetCache {
  /** @param {(rules: any) => T} read @param {T} ofUnreadable */
  constructor(read, ofUnreadable) {
    this.read = read;
    this.ofUnreadable = ofUnreadable;
    this.known = new WeakMap();
  }

  /** @returns {T} the value for a style sheet */
  of(sheet) {
    const rules = rulesOf(sheet);
    if (rules === null) return this.ofUnreadable;
    const known = this.known.get(sheet);
    if (known !== undefined && known.count === rules.length) return known.found;
    const found = this.read(rules);
    this.known.set(sheet, { count: rules.length, found });
    return found;
  }
}

/** Return the rules of a style sheet; null if they cannot be read, since the sheet is of another origin. */
export function rulesOf(sheet) {
  try {
    return sheet.cssRules;
  } catch {
    return null;
  }
}

const ALL_EFFECTS = { generates: true, transforms: true };
const GENERATES = /:(?:before|after)/;
const sheetEffects = new SheetCache((rules) => {
  const found = { generates: false, transforms: false };
  collectEffects(rules, found);
  return found;
}, ALL_EFFECTS);

/** Set `found.generates` if one of the rules adds text by `::before` or `::after`, `found.transforms` if one changes the case of text. */
function collectEffects(rules, found) {
  for (const rule of rules) {
    if (found.generates && found.transforms) return;
    if (rule.selectorText) {
      found.generates ||= GENERATES.test(rule.selectorText);
      found.transforms ||= rule.style.textTransform !== '';
    }
    if (rule.styleSheet) {
      const imported = sheetEffects.of(rule.styleSheet);
      found.generates ||= imported.generates;
      found.transforms ||= imported.transforms;
    }
    if (rule.cssRules && rule.cssRules.length) collectEffects(rule.cssRules, found);
  }
}

const MAX_ANSWERS = 5000;

/**
 * A cheap test whether a selector may match an element: the classes, ids, tags and attributes of which the last parts of the selectors
 * need one. `.a > .b:hover, #c` gives the class "b" and the id "c".
 */
export class ElementFilter {
  constructor() {
    this.classes = new Set();
    this.ids = new Set();
    this.tags = new Set();
    this.attributes = new Set();
    this.matchesAll = false; // a selector may match any element, or the rules cannot be read
    this.answers = new Map(); // value of a `class` attribute → answer: items of a list all have the same value
  }

  /** Add everything that another filter has. */
  add(other) {
    for (const set of ['classes', 'ids', 'tags', 'attributes']) for (const word of other[set]) this[set].add(word);
    this.matchesAll ||= other.matchesAll;
  }

  /** Return whether one of the selectors may match an element. `tag`: facts about its tag; `bare`: it has no attributes. */
  mayMatch(element, tag, bare) {
    if (this.matchesAll || this.tags.has(tag.name)) return true;
    if (bare) return false;
    for (const attribute of this.attributes) if (hasAttr(element, attribute)) return true;
    if (this.ids.size > 0 && this.ids.has(attr(element, 'id'))) return true;
    return this.classes.size > 0 && this.hasOneOfClasses(attr(element, 'class') || '');
  }

  /** Return whether the value of a `class` attribute has one of the classes. */
  hasOneOfClasses(value) {
    let answer = this.answers.get(value);
    if (this.answers.size > MAX_ANSWERS) this.answers.clear();
    if (answer === undefined)
      this.answers.set(
        value,
        answer = value.split(/\s+/).some((word) => this.classes.has(word)),
      );
    return answer;
  }

  /** Add a selector. `outer`: the selector of the rule around, which `&` stands for; "" for none. */
  addSelector(selector, outer) {
    for (const complex of splitSelector(selector, ',')) {
      const last = String(splitSelector(complex.trim(), ' >+~').at(-1));
      if (PSEUDO_ELEMENT.test(last)) continue;
      const part = withoutFunctionalPseudoClasses(last.replace(/::[\w-]+(?:\([^)]*\))?/g, ''));
      const found =
        /#(?<id>(?:[\w-]|[^\x00-\x7f]|\\.)+)|\.(?<name>(?:[\w-]|[^\x00-\x7f]|\\.)+)|\[\s*(?<attribute>[\w-]+)|^(?<tag>[a-z][\w-]*)/i
          .exec(part)?.groups;
      if (part.startsWith('&') && part.length === 1 && outer !== '') this.addSelector(outer, '');
      else if (found === undefined) this.matchesAll ||= !part.startsWith(':host');
      else if (found.id) this.ids.add(unescapeCss(found.id));
      else if (found.name) this.classes.add(unescapeCss(found.name));
      else if (found.attribute) this.attributes.add(found.attribute.toLowerCase());
      else this.tags.add(found.tag.toLowerCase());
    }
  }
}

const PSEUDO_ELEMENT = /::(?!slotted|part)|:(?:before|after|first-l(?:ine|etter))$/;
/**
 * Return whether a selector selects elements, not only pseudo-elements such as `::after` or `::selection`, whose rules say nothing of the
 * box, text and cursor of an element.
 */
export const selectsElements = (selector) =>
  !selector.includes(':') || splitSelector(selector, ',').some((complex) => !PSEUDO_ELEMENT.test(complex));

/**
 * Replace the escapes in a CSS text by the characters that they stand for, those of no character by U+FFFD:
 * https://www.w3.org/TR/css-syntax-3/#consume-escaped-code-point
 */
export const unescapeCss = (text) =>
  text.replace(/\\(?:([\da-f]{1,6})\s?|([^]))/gi, (_, code, letter) => code ? characterOf(parseInt(code, 16)) : letter);
/** Return the character with a number; U+FFFD for zero, half a surrogate pair, and a number that is too large. */
const characterOf = (number) => String.fromCodePoint(number <= 0x10ffff && number || 0xfffd).toWellFormed();

/** Split a selector at each of the characters `separators` that is outside of brackets and quotes; without empty parts. */
function splitSelector(selector, separators) {
  const parts = [''];
  let depth = 0;
  let quote = '';
  for (let index = 0; index < selector.length; index++) {
    const letter = selector[index];
    if (letter === '\\') parts[parts.length - 1] += letter + (selector[++index] ?? '');
    else if (depth === 0 && quote === '' && separators.includes(letter)) parts.push('');
    else {
      if (quote !== '') quote = letter === quote ? '' : quote;
      else if (letter === '"' || letter === "'") quote = letter;
      else if (letter === '(' || letter === '[') depth++;
      else if (letter === ')' || letter === ']') depth--;
      parts[parts.length - 1] += letter;
    }
  }
  const found = parts.filter((part) => part.trim() !== '');
  return found.length > 0 ? found : [''];
}

/** Remove functional pseudo-classes from a selector: the arguments of `:not(.x)` do not name what is selected. */
function withoutFunctionalPseudoClasses(part) {
  let bare = part;
  for (let last = ''; last !== bare;) {
    last = bare;
    bare = bare.replace(/:[\w-]+\([^()]*\)/g, '');
  }
  return bare;
}

const UNKNOWN = Object.assign(new ElementFilter(), { matchesAll: true });

/**
 * A query over the rules of all sheets of a tree: which elements may be selected by a rule that sets a property?
 * @template {ElementFilter} T
 */
class RuleQuery {
  /** @param {(style: any) => boolean} setsProperty @param {new () => T} filter @param {T} unknown */
  constructor(setsProperty, filter, unknown) {
    this.setsProperty = setsProperty;
    this.filter = filter;
    this.none = new filter();
    this.roots = new PerCallCache((root) => this.filterOf(sheetsOf(root)));
    this.sheets = new SheetCache((rules) => {
      const found = new filter();
      this.collect(rules, found, '');
      return found;
    }, unknown);
  }

  /** @returns {T} the filter of the elements in a document or shadow root that such a rule may select */
  in(root) {
    return this.roots.of(root);
  }

  /** Return one filter for several style sheets. */
  filterOf(sheets) {
    if (sheets.length <= 1) return sheets.length === 0 ? this.none : this.sheets.of(sheets[0]);
    const found = new this.filter();
    for (const sheet of sheets) found.add(this.sheets.of(sheet));
    return found;
  }

  /**
   * Add to `found` the selectors of rules that set the property. A rule with a style and no selector, such as a step of an animation,
   * concerns the rule around it (`outer`), or any element.
   */
  collect(rules, found, outer) {
    for (const rule of rules) {
      const selector = rule.selectorText || '';
      if (rule.style && this.setsProperty(rule.style)) found.addSelector(selector || outer, outer);
      if (rule.styleSheet) found.add(this.sheets.of(rule.styleSheet));
      if (rule.cssRules && rule.cssRules.length) this.collect(rule.cssRules, found, selector || outer);
    }
  }
}

// The cursors over what is pressed, and over what is dragged.
export const CURSORS = new Set(['pointer', 'grab', 'move']);
export const POINTER_RULES = new RuleQuery((style) => CURSORS.has(style.cursor), ElementFilter, UNKNOWN);
const SCROLLS = new Set(['auto', 'scroll']);
export const SCROLL_RULES = new RuleQuery((style) => SCROLLS.has(style.overflowY), ElementFilter, UNKNOWN);
const BOX_RULES = new RuleQuery(
  (style) => style.display !== '' || style.position !== '' || style.cssFloat !== '',
  ElementFilter,
  UNKNOWN,
);

/**
 * Return whether an element has the default box of its tag: no style sheet and no attribute may change `display`, `position` or `float`.
 * `tag`: facts about its tag (`tagOf`); `bare`: no attribute of it may.
 */
export function hasDefaultDisplay(element, tag, bare) {
  return bare && !BOX_RULES.in(documentOf(element)).mayMatch(element, tag, false);
}

// Style rules for an element under the pointer, as a menu has them for its items: they give it a pointer cursor, or other colours.

const HOVER = /:hover\b/g;
const HOVER_IN_ARGUMENT = /\([^()]*:hover/; // as in `:not(:hover)`
const MAX_SELECTORS = 200;

/** Elements that selectors with `:hover` may match, and those selectors without their `:hover`. */
class HoverFilter extends ElementFilter {
  constructor() {
    super();
    this.selectors = [];
  }

  /** @override */
  add(other) {
    super.add(other);
    this.selectors.push(...other.selectors);
  }

  /** @override */
  addSelector(selector, outer) {
    for (const complex of splitSelector(selector, ',')) {
      if (!complex.includes(':hover') || HOVER_IN_ARGUMENT.test(complex) || this.selectors.length >= MAX_SELECTORS)
        continue;
      const bare = this.withoutHover(complex, outer);
      if (bare === '') continue;
      super.addSelector(bare, outer);
      this.selectors.push(bare);
    }
  }

  /**
   * Return a selector without `:hover`, as it matches while the pointer is elsewhere; "" where it would match everything, or depends
   * on the rule around.
   */
  withoutHover(complex, outer) {
    const whole = complex.replace(/&/g, outer === '' ? '&' : `:is(${outer})`);
    const bare = whole.replace(HOVER, '').trim();
    return bare.includes('&') || bare === '' || /[\s>+~]$|^[>+~]/.test(bare) ? '' : bare;
  }

  /** Return whether an element matches one of the selectors without their `:hover`. */
  matchesElement(element, tag, bare) {
    if (this.selectors.length === 0 || !this.mayMatch(element, tag, bare)) return false;
    return this.selectors.some((selector) => matchesSafely(element, selector));
  }
}

/**
 * Return whether an element matches a selector; false for an invalid selector, as one of a style sheet may be once its `:hover` is removed.
 */
function matchesSafely(element, selector) {
  try {
    return matches(element, selector);
  } catch {
    return false;
  }
}

const NOT_HOVERED = new HoverFilter();
const HOVER_POINTER_RULES = new RuleQuery((style) => style.cursor === 'pointer', HoverFilter, NOT_HOVERED);
const HOVER_COLOUR_RULES = new RuleQuery(
  (style) =>
    style.backgroundColor !== '' || style.color !== '' || style.backgroundImage !== '' || style.cursor === 'pointer',
  HoverFilter,
  NOT_HOVERED,
);

// Rules by which a row shows its buttons on hover, or a menu grows to its size.
const HOVER_REVEAL_RULES = new RuleQuery(
  (style) =>
    style.opacity !== '' || style.pointerEvents !== '' || style.scale !== '' || /scale|none/.test(style.transform),
  HoverFilter,
  NOT_HOVERED,
);

// Rules by which a menu opens on hover.
const HOVER_SHOW_RULES = new RuleQuery(
  (style) => style.display !== '' || style.visibility !== '' || style.maxHeight !== '' || style.height !== '',
  HoverFilter,
  NOT_HOVERED,
);

/** Return whether a rule with `:hover` matches a hidden element, and may show it when the pointer is over what is around it. */
export const mayBeShownOnHover = (element) =>
  HOVER_SHOW_RULES.in(treeOf(element)).matchesElement(element, { name: localNameOf(element) }, false);

/**
 * Return whether a rule gives an element the pointer cursor on hover, and it has no special cursor otherwise. `tag`: facts about its tag
 * (`tagOf`); `bare`: it has no attributes. Seen in vanillajs-datepicker 1.3, EditorJS 2.31, Tabulator 6.5.
 */
export function hasPointerCursorOnHover(element, tag, bare) {
  if (!HOVER_POINTER_RULES.in(treeOf(element)).matchesElement(element, tag, bare)) return false;
  const { cursor } = styleOf(element);
  return cursor === 'auto' || cursor === 'pointer' || cursor === 'default';
}

/** Return whether a rule gives an element other colours on hover. `tag`: facts about its tag (`tagOf`); `bare`: it has no attributes. */
export const isHighlightedOnHover = (element, tag, bare) =>
  HOVER_COLOUR_RULES.in(treeOf(element)).matchesElement(element, tag, bare);

/** Return whether a rule may make an element appear when the pointer is over it or its row. */
export const mayAppearOnHover = (element) =>
  HOVER_REVEAL_RULES.in(treeOf(element)).matchesElement(element, { name: localNameOf(element) }, false);
