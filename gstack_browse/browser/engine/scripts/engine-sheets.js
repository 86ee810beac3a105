// Finds the style sheets of a tree, and their effects on the words in it.

import { localNameOf, nodeTypeOf } from './engine-accessors.js';
import { OfTrees, queryTree, treeOf } from './engine-dom.js';

// Effects of a tree's sheets on names: asked of the sheets, since asking every element is expensive.
const effectsOn = (element) => rootEffects.of(treeOf(element));
const rootEffects = new OfTrees((root) => effectsIn(root));
export const hasGenerated = (element) => effectsOn(element).generates || localNameOf(element) === 'q';
export const isTransforming = (element) => effectsOn(element).transforms;

export const sheetsOf = (root) => sheetsInTrees.of(root);
const sheetsInTrees = new OfTrees((root) => listed(root.styleSheets).concat(listed(root.adoptedStyleSheets)));
const listed = (sheets) => sheets && sheets.length > 0 ? Array.from(sheets) : [];
const effectsIn = (root) => ({
  generates: sheetsOf(root).some((sheet) => sheetEffects.of(sheet).generates),
  transforms: transformsIn(root),
});
const BY_STYLE = '[style*="text-transform"]';
// A transform is inherited, also by a shadow tree.
function transformsIn(root) {
  if (sheetsOf(root).some((sheet) => sheetEffects.of(sheet).transforms)) return true;
  if (queryTree(root, BY_STYLE) !== null) return true;
  if (nodeTypeOf(root) === 11) return Boolean(root.host) && isTransforming(root.host);
  const left = { rules: MOST_RULES_LOOKED_AT };
  return sheetsOf(root).some((sheet) => isTransformedSince(rulesOf(sheet), left));
}

// Whether rules transform text by now: a script may have changed one in place since its sheet was read. Checked in documents of few
// rules, where that costs no time.
const MOST_RULES_LOOKED_AT = 60;
function isTransformedSince(rules, left) {
  if (rules === null || (left.rules -= rules.length) < 0) return false;
  for (const rule of rules) {
    const style = rule.style;
    if (style ? style.getPropertyValue('text-transform') !== '' : isTransformedSince(rule.cssRules || [], left))
      return true;
  }
  return false;
}

// Whether a rule of a tree may say one of these properties. Each is looked at anew, since a script may have changed it; where they are
// many it takes less to ask elements.
export function mayBeSaid(root, names) {
  const left = { rules: MOST_RULES_ASKED };
  return sheetsOf(root).some((sheet) => isSaidIn(rulesOf(sheet), names, left));
}
const MOST_RULES_ASKED = 200;

function isSaidIn(rules, names, left) {
  if (rules === null || (left.rules -= rules.length) < 0) return true;
  for (const rule of rules) {
    if (rule.style && names.some((name) => rule.style.getPropertyValue(name) !== '')) return true;
    if (rule.styleSheet && isSaidIn(rulesOf(rule.styleSheet), names, left)) return true;
    if (rule.cssRules && isSaidIn(rule.cssRules, names, left)) return true;
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

// Null for a sheet of another origin.
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
  noteEffects(rules, found);
  return found;
}, ALL_EFFECTS);

function noteEffects(rules, found) {
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
    if (rule.cssRules && rule.cssRules.length) noteEffects(rule.cssRules, found);
  }
}
