// Read the style sheets of a tree: rules for words in it, for the cursor, and for elements under the pointer.

import { tagOf } from '../accname/roles.js';
import { documentOf, localNameOf, matches, nodeTypeOf } from './accessors.js';
import { attr, hasAttr, OfTrees, queryTree, treeOf } from './dom.js';
import { styleOf } from '../visibility/hidden.js';

/**
 * Return which effects on names the style sheets of an element's tree have: { generates, transforms }. Asking every element is expensive.
 */
const sheetEffectsOn = (element) => rootEffects.of(treeOf(element));
const rootEffects = new OfTrees((root) => computeSheetEffects(root));
/** Whether `::before` or `::after` of an element may have content. */
export const mayHaveGeneratedContent = (element) => sheetEffectsOn(element).generates || localNameOf(element) === 'q';
/** Whether `text-transform` may apply to an element. */
export const mayTransformText = (element) => sheetEffectsOn(element).transforms;

/** Return the style sheets of a document or shadow root. */
export const sheetsOf = (root) => sheetsInTrees.of(root);
const sheetsInTrees = new OfTrees((root) => toArray(root.styleSheets).concat(toArray(root.adoptedStyleSheets)));
/** Return a list of style sheets as an array. */
const toArray = (sheets) => sheets && sheets.length > 0 ? Array.from(sheets) : [];
/** Compute the effects of a tree's style sheets on names. */
const computeSheetEffects = (root) => ({
  generates: sheetsOf(root).some((sheet) => sheetEffects.of(sheet).generates),
  transforms: mayTransformTextIn(root),
});
const BY_STYLE = '[style*="text-transform"]';
/** Whether text in a tree may be transformed. `text-transform` is inherited, also by a shadow tree. */
function mayTransformTextIn(root) {
  if (sheetsOf(root).some((sheet) => sheetEffects.of(sheet).transforms)) return true;
  if (queryTree(root, BY_STYLE) !== null) return true;
  if (nodeTypeOf(root) === 11) return Boolean(root.host) && mayTransformText(root.host);
  const left = { rules: MOST_RULES_LOOKED_AT };
  return sheetsOf(root).some((sheet) => rulesTransformNow(rulesOf(sheet), left));
}

// Whether rules transform text by now: a script may have changed one in place since its sheet was read. Checked in documents of few
// rules, where that costs no time.
const MOST_RULES_LOOKED_AT = 60;
/**
 * Whether rules transform text by now: a script may have changed one in place since its sheet was read. Only in documents of few rules,
 * where it costs no time. `left.rules`: how many may be read.
 */
function rulesTransformNow(rules, left) {
  if (rules === null || (left.rules -= rules.length) < 0) return false;
  for (const rule of rules) {
    const style = rule.style;
    if (style ? style.getPropertyValue('text-transform') !== '' : rulesTransformNow(rule.cssRules || [], left))
      return true;
  }
  return false;
}

/**
 * Whether a rule of a tree may set one of these properties. Rules are read anew, since a script may have changed them; true where they
 * are many, since asking elements is then cheaper.
 */
export function mayBeSaid(root, names) {
  const left = { rules: MOST_RULES_ASKED };
  return sheetsOf(root).some((sheet) => doRulesSet(rulesOf(sheet), names, left));
}
const MOST_RULES_ASKED = 200;

/** Whether one of these rules sets one of the properties. `left.rules`: how many may be read; then true. */
function doRulesSet(rules, names, left) {
  if (rules === null || (left.rules -= rules.length) < 0) return true;
  for (const rule of rules) {
    if (rule.style && names.some((name) => rule.style.getPropertyValue(name) !== '')) return true;
    if (rule.styleSheet && doRulesSet(rulesOf(rule.styleSheet), names, left)) return true;
    if (rule.cssRules && doRulesSet(rule.cssRules, names, left)) return true;
  }
  return false;
}

// A value computed from the rules of one sheet, kept while their number stays: every call compares that, which is cheap.
/** @template T */
export class OfSheets {
  /** @param {(rules: any) => T} read @param {T} ofUnreadable */
  constructor(read, ofUnreadable) {
    this.read = read;
    this.ofUnreadable = ofUnreadable;
    this.known = new WeakMap();
  }

  /** @returns {T} */
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

/** Return the rules of a style sheet; null for one of another origin. */
export function rulesOf(sheet) {
  try {
    return sheet.cssRules;
  } catch {
    return null;
  }
}

const ALL_EFFECTS = { generates: true, transforms: true };
const GENERATES = /:(?:before|after)/;
const sheetEffects = new OfSheets((rules) => {
  const found = { generates: false, transforms: false };
  collectEffects(rules, found);
  return found;
}, ALL_EFFECTS);

/** Add to `found` whether rules generate content or transform text. */
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

// Finds style rules that may set the hand as cursor, or make a box of an inline element. The sheets are asked, since asking every
// element costs more than the walk.

const MAX_ANSWERS = 5000;

// Classes, ids, tags and attributes of which the last part of a selector needs one: an element without any is not meant.
export class Meant {
  constructor() {
    this.classes = new Set();
    this.ids = new Set();
    this.tags = new Set();
    this.attributes = new Set();
    this.any = false; // or nothing is known
    this.answers = new Map(); // by the words of a class attribute: those of a list are all the same
  }

  add(other) {
    for (const set of ['classes', 'ids', 'tags', 'attributes']) for (const word of other[set]) this[set].add(word);
    this.any ||= other.any;
  }

  mayMean(element, tag, plain) {
    if (this.any || this.tags.has(tag.name)) return true;
    if (plain) return false;
    for (const attribute of this.attributes) if (hasAttr(element, attribute)) return true;
    if (this.ids.size > 0 && this.ids.has(attr(element, 'id'))) return true;
    return this.classes.size > 0 && this.meansClass(attr(element, 'class') || '');
  }

  meansClass(written) {
    let answer = this.answers.get(written);
    if (this.answers.size > MAX_ANSWERS) this.answers.clear();
    if (answer === undefined)
      this.answers.set(
        written,
        answer = written.split(/\s+/).some((word) => this.classes.has(word)),
      );
    return answer;
  }

  note(selector, outer) {
    for (const complex of splitSelector(selector, ',')) {
      const last = String(splitSelector(complex.trim(), ' >+~').at(-1));
      if (OF_NO_ELEMENT.test(last)) continue;
      const part = withoutArguments(last.replace(/::[\w-]+(?:\([^)]*\))?/g, ''));
      const found =
        /#(?<id>(?:[\w-]|[^\x00-\x7f]|\\.)+)|\.(?<name>(?:[\w-]|[^\x00-\x7f]|\\.)+)|\[\s*(?<attribute>[\w-]+)|^(?<tag>[a-z][\w-]*)/i
          .exec(part)?.groups;
      if (part.startsWith('&') && part.length === 1 && outer !== '') this.note(outer, '');
      else if (found === undefined) this.any ||= !part.startsWith(':host');
      else if (found.id) this.ids.add(unescapeCssWord(found.id));
      else if (found.name) this.classes.add(unescapeCssWord(found.name));
      else if (found.attribute) this.attributes.add(found.attribute.toLowerCase());
      else this.tags.add(found.tag.toLowerCase());
    }
  }
}

// A rule for `::after`, which is drawn beside an element, or for `::selection` says nothing of the box, words and cursor of an element.
const OF_NO_ELEMENT = /::(?!slotted|part)|:(?:before|after|first-l(?:ine|etter))$/;
/**
 * Whether a selector selects elements, not only pseudo-elements such as `::after` or `::selection`, whose rules say nothing of the box,
 * text and cursor of an element.
 */
export const selectsElements = (selector) =>
  !selector.includes(':') || splitSelector(selector, ',').some((complex) => !OF_NO_ELEMENT.test(complex));

/** Resolve the escapes in a class, id or tag of a selector. */
const unescapeCssWord = (word) =>
  word.replace(
    /\\([0-9a-f]{1,6}\s?|.)/gi,
    (_, code) => /^[0-9a-f]/i.test(code) ? String.fromCodePoint(parseInt(code, 16) % 0x110000) : code,
  );

/** Split a selector at these characters outside of brackets and quotes. */
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

/** Remove pseudo-classes with arguments from a part of a selector: `:not(.x)` does not tell what is selected. */
function withoutArguments(part) {
  let bare = part;
  for (let last = ''; last !== bare;) {
    last = bare;
    bare = bare.replace(/:[\w-]+\([^()]*\)/g, '');
  }
  return bare;
}

const UNKNOWN = Object.assign(new Meant(), { any: true });

// A question to the rules of all sheets: which of them do that?
/** @template {Meant} T */
class Question {
  /** @param {(style: any) => boolean} does @param {new () => T} kind @param {T} unknown */
  constructor(does, kind, unknown) {
    this.does = does;
    this.kind = kind;
    this.none = new kind();
    this.roots = new OfTrees((root) => this.inSheets(sheetsOf(root)));
    this.sheets = new OfSheets((rules) => {
      const found = new kind();
      this.note(rules, found, '');
      return found;
    }, unknown);
  }

  /** @returns {T} */
  in(root) {
    return this.roots.of(root);
  }

  inSheets(sheets) {
    if (sheets.length <= 1) return sheets.length === 0 ? this.none : this.sheets.of(sheets[0]);
    const found = new this.kind();
    for (const sheet of sheets) found.add(this.sheets.of(sheet));
    return found;
  }

  // A rule with a style and no selector concerns the rule around it, or any element: a step of an animation.
  note(rules, found, outer) {
    for (const rule of rules) {
      const selector = rule.selectorText || '';
      if (rule.style && this.does(rule.style)) found.note(selector || outer, outer);
      if (rule.styleSheet) found.add(this.sheets.of(rule.styleSheet));
      if (rule.cssRules && rule.cssRules.length) this.note(rule.cssRules, found, selector || outer);
    }
  }
}

// The cursors over what is pressed, and over what is dragged.
export const CURSORS = new Set(['pointer', 'grab', 'move']);
export const POINTING = new Question((style) => CURSORS.has(style.cursor), Meant, UNKNOWN);
const SCROLLS = new Set(['auto', 'scroll']);
export const SCROLLING = new Question((style) => SCROLLS.has(style.overflowY), Meant, UNKNOWN);
const BOXING = new Question(
  (style) => style.display !== '' || style.position !== '' || style.cssFloat !== '',
  Meant,
  UNKNOWN,
);

/** Whether an element has the default box of its tag: no style sheet and no attribute changes `display`, `position` or `float`. */
export function hasDefaultDisplay(element, tag, quiet) {
  return quiet && !BOXING.in(documentOf(element)).mayMean(element, tag, false);
}

// Finds style rules for an element under the pointer: they give it the hand, or change its look, as those for the items of a
// menu do.

const HOVER = /:hover\b/g;
const INSIDE = /\([^()]*:hover/; // of `:not(:hover)` and the like
const MAX_SELECTORS = 200;

// Elements that selectors with `:hover` mean, and these selectors without it.
class MeantHovered extends Meant {
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
  note(selector, outer) {
    for (const complex of splitSelector(selector, ',')) {
      if (!complex.includes(':hover') || INSIDE.test(complex) || this.selectors.length >= MAX_SELECTORS) continue;
      const bare = this.withoutHover(complex, outer);
      if (bare === '') continue;
      super.note(bare, outer);
      this.selectors.push(bare);
    }
  }

  // "" where that means everything, or cannot be told apart from its rule around.
  withoutHover(complex, outer) {
    const whole = complex.replace(/&/g, outer === '' ? '&' : `:is(${outer})`);
    const bare = whole.replace(HOVER, '').trim();
    return bare.includes('&') || bare === '' || /[\s>+~]$|^[>+~]/.test(bare) ? '' : bare;
  }

  means(element, tag, plain) {
    if (this.selectors.length === 0 || !this.mayMean(element, tag, plain)) return false;
    return this.selectors.some((selector) => matchesSafely(element, selector));
  }
}

/**
 * Whether an element matches a selector; false for an invalid one. Selectors come out of style sheets, so only one without its `:hover`
 * can be invalid.
 */
function matchesSafely(element, selector) {
  try {
    return matches(element, selector);
  } catch {
    return false;
  }
}

const NOT_HOVERED = new MeantHovered();
const HANDS = new Question((style) => style.cursor === 'pointer', MeantHovered, NOT_HOVERED);
const LIT = new Question(
  (style) =>
    style.backgroundColor !== '' || style.color !== '' || style.backgroundImage !== '' || style.cursor === 'pointer',
  MeantHovered,
  NOT_HOVERED,
);

// Rows show their buttons so.
const REVEALS = new Question(
  (style) => style.opacity !== '' || style.pointerEvents !== '',
  MeantHovered,
  NOT_HOVERED,
);

/**
 * Whether an element gets the pointer cursor when the pointer is over it, and has no other cursor before. Seen in vanillajs-datepicker
 * 1.3, EditorJS 2.31, Tabulator 6.5.
 */
export function pointsWhenHovered(element, tag, plain) {
  if (!HANDS.in(treeOf(element)).means(element, tag, plain)) return false;
  const { cursor } = styleOf(element);
  return cursor === 'auto' || cursor === 'pointer' || cursor === 'default';
}

/** Whether an element changes its colours when the pointer is over it. */
export const isHighlightedOnHover = (element, tag, plain) => LIT.in(treeOf(element)).means(element, tag, plain);

/** Whether an element may appear when the pointer is over it or its row. */
export const isRevealedWhenHovered = (element) => REVEALS.in(treeOf(element)).means(element, tagOf(element), false);
