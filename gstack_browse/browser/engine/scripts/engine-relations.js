// Finds relations of elements in a tree, whatever is between them: labels of controls, and owners by aria-owns.

import {
  containsNode,
  lateGetter,
  localNameOf,
  namespaceOf,
  nodeTypeOf,
  queryInDocument,
  queryInFragment,
  rootOf,
} from './engine-accessors.js';
import { attr, hasAttr, HTML, OfTrees, referenced, shadowsMet, targetOf, treeOf, withTag } from './engine-dom.js';
import { isHidden } from './engine-hidden.js';
import { isFormField } from './engine-names.js';
import { tagOf } from './engine-kinds.js';

// A field in a shadow tree is what the labels of its host are about: a custom element that takes part in forms.
export function labelledAs(element) {
  if (!shadowsMet || !isFormField(element) || labelsOf(element).length) return element;
  return rootOf(element).host ?? element;
}

// The labels of each control in a tree, found from the labels: `element.labels` looks through the whole document
// every time, which makes a page of n fields cost n².
export const NO_LABELS = [];
export const labelsOf = (element) => shadowsMet ? labelsOutside(element) : labelsBeside(element);
const labelsBeside = (element) => labelMaps.of(treeOf(element)).get(element) || NO_LABELS;

// Labels of the host of a shadow tree are those of the element in it that the tree names as the target of references.
function labelsOutside(element) {
  return targetOf(element) === element ? labelsOfTarget(element) : NO_LABELS;
}
function labelsOfTarget(element) {
  const own = labelsBeside(element);
  const host = rootOf(element).host;
  if (!host || targetOf(host) !== targetOf(element)) return own;
  const outer = labelsOfTarget(host);
  const isBefore = (label) => (label.compareDocumentPosition(host) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return [...outer.filter(isBefore), ...own, ...outer.filter((label) => !isBefore(label))];
}
const labelMaps = new OfTrees(labelMapOf);
export const controlOf = lateGetter('HTMLLabelElement', 'control');

function labelMapOf(root) {
  const map = new Map();
  const type = nodeTypeOf(root);
  const labels = type === 9 ? withTag(root, 'label') : type === 11 ? queryInFragment(root, 'label') : [];
  for (const label of labels) {
    const control = namespaceOf(label) === HTML ? controlOf(label) : null;
    if (!control) continue;
    if (map.has(control)) map.get(control).push(label);
    else map.set(control, [label]);
  }
  return map;
}

// Elements that aria-owns moves, and to whom; null in a tree that has none, as most have.
export const ownedBeside = (element) => ownedInTrees.of(treeOf(element))?.map ?? null;
const ownedInTrees = new OfTrees(ownedIn);
const NOTHING_OWNED = { map: null };
function ownedIn(root) {
  const type = nodeTypeOf(root);
  const owners = type === 9
    ? queryInDocument(root, '[aria-owns]')
    : type === 11
    ? queryInFragment(root, '[aria-owns]')
    : [];
  if (!owners.length) return NOTHING_OWNED;
  const owned = new Map();
  for (const owner of owners) {
    if (isHidden(owner) || cannotOwn(owner)) continue;
    for (const node of referenced(owner, 'aria-owns')) {
      if (!owned.has(node) && node !== owner && !containsNode(node, owner) && !isOpenedBy(owner, node))
        owned.set(node, owner);
    }
  }
  return { map: owned };
}

// A field cannot own elements: Chromium, too, leaves the list of an ARIA 1.0 combobox in its place.
const cannotOwn = (owner) => tagOf(owner).opaque || tagOf(owner).frame || localNameOf(owner) === 'select';

// A menu or dialog that a button opens beside itself is no part of the button's name: Vuetify's owns its menu.
const isOpenedBy = (owner, node) =>
  (hasAttr(owner, 'aria-haspopup') || hasAttr(owner, 'aria-expanded')) && !containsNode(owner, node)
  && (hasAttr(owner, 'role') ? OPENING_ROLES.has(attr(owner, 'role')) : OPENING_TAGS.has(localNameOf(owner)));
const OPENING_ROLES = new Set(['button', 'link']);
const OPENING_TAGS = new Set(['button', 'a', 'summary']);
