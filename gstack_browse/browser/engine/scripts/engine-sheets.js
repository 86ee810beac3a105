// What the style sheets of a tree do to the words in it, and the sheets themselves.

import { localNameOf, nodeTypeOf } from './engine-accessors.js';
import { OfTrees, queryTree, treeOf } from './engine-dom.js';

// What the sheets of a tree do to names: asked of the sheets, since asking every element is dear.
const effectsOn = (element) => rootEffects.of(treeOf(element));
const rootEffects = new OfTrees((root) => effectsIn(root));
const hasGenerated = (element) => effectsOn(element).generates || localNameOf(element) === 'q';
const isTransforming = (element) => effectsOn(element).transforms;

const sheetsOf = (root) => sheetsInTrees.of(root);
const sheetsInTrees = new OfTrees((root) => listed(root.styleSheets).concat(listed(root.adoptedStyleSheets)));
const listed = (sheets) => sheets && sheets.length > 0 ? Array.from(sheets) : [];
const effectsIn = (root) => ({
  generates: sheetsOf(root).some((sheet) => effectsOf(sheet).generates),
  transforms: transformsIn(root),
});
const BY_STYLE = '[style*="text-transform"]';
// A transform is inherited, also by a shadow tree.
function transformsIn(root) {
  if (sheetsOf(root).some((sheet) => effectsOf(sheet).transforms)) return true;
  if (queryTree(root, BY_STYLE) !== null) return true;
  return nodeTypeOf(root) === 11 && Boolean(root.host) && isTransforming(root.host);
}

const knownEffects = new WeakMap();
const ALL_EFFECTS = { generates: true, transforms: true };
const GENERATES = /:(?:before|after)/;

// Sheets change: every call looks again at how many rules there are, which is cheap. What was found once stays found.
function effectsOf(sheet) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return ALL_EFFECTS; // of another origin
  }
  const known = knownEffects.get(sheet);
  if (known && (known.count === rules.length || known.generates && known.transforms)) return known;
  const found = { count: rules.length, generates: false, transforms: false, ...known };
  found.count = rules.length;
  noteEffects(rules, found);
  knownEffects.set(sheet, found);
  return found;
}

function noteEffects(rules, found) {
  for (const rule of rules) {
    if (found.generates && found.transforms) return;
    if (rule.selectorText) {
      found.generates ||= GENERATES.test(rule.selectorText);
      found.transforms ||= rule.style.textTransform !== '';
    }
    if (rule.styleSheet) {
      const imported = effectsOf(rule.styleSheet);
      found.generates ||= imported.generates;
      found.transforms ||= imported.transforms;
    }
    if (rule.cssRules && rule.cssRules.length) noteEffects(rule.cssRules, found);
  }
}

export { hasGenerated, isTransforming, sheetsOf };
