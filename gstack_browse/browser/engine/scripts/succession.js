// Finds the replacement of a field that the page removed as the field changed, and words that it took out of a field. Pages that draw
// themselves from a state of their own often draw a field anew. Once it is out of the document nothing tells where it was, so its
// place is kept from the last look.

import { documentOf, localNameOf, matches, queryAll, rootOf } from './engine-accessors.js';
import { ancestorsOf, attr, exported, hasAttr, isAlive } from './engine-dom.js';
import { idOf, nodeFor, weakly } from './engine-table.js';

/**
 * An element and all that is around it, weakly: once the element is out of the document nothing else tells where it was.
 * @returns {{ element: WeakRef<any>, around: WeakRef<any>[] }}
 */
export const stoodAt = (element) => ({ element: weakly(element), around: [...ancestorsOf(element)].map(weakly) });

/** The nearest former ancestor of a place that is still there; undefined for none. */
export const leftAround = (place) => place.around.map((weak) => weak.deref()).find((one) => one && isAlive(one));

/**
 * The place of the field that was looked at last; `ids` has those of the fields that it has replaced. What the field is like is kept
 * beside it, since it may be collected once it is out of the document.
 * @type {(ReturnType<typeof stoodAt> & { traits: Traits, ids: Set<number> }) | null}
 */
let kept = null;

/** Keep what is around a field before something is done to it. */
export function keepPlace(element, ids = new Set()) {
  kept = { ...stoodAt(element), traits: traitsOf(element), ids: ids.add(idOf(element)) };
}

/** Attributes that a field has again when it is drawn anew. */
const TELLING = ['id', 'name', 'aria-label', 'placeholder'];
const HAS_AGAIN = ['type', 'role', ...TELLING];

/** @typedef {{ localName: string, attributes: (string | null)[], isTold: boolean }} Traits */

/**
 * What a field has again when it is drawn anew, and whether that tells it from others.
 * @returns {Traits}
 */
const traitsOf = (element) => ({
  localName: localNameOf(element),
  attributes: HAS_AGAIN.map((name) => attr(element, name)),
  isTold: TELLING.some((name) => hasAttr(element, name)),
});

const isLike = (traits, other) => HAS_AGAIN.every((name, at) => traits.attributes[at] === attr(other, name));

/**
 * The id of the only field in the former place of that field and like it; 0 if there is none, or several are. Only for the field that
 * `keepPlace` was told of last, and for its replacements.
 */
exported.successor = (id) => {
  const before = kept?.ids.has(id) ? kept : null;
  const element = before?.element.deref();
  if (!before) return 0;
  if (element && isAlive(element)) return idOf(element);
  const around = leftAround(before);
  const found = around ? likeIn(around, before.traits) : null;
  if (!found) return 0;
  keepPlace(found, before.ids);
  return idOf(found);
};

/** The answer of another function about the current replacement of a field, with its id: in one turn, since the page may draw it anew. */
exported.askInPlace = (id, question) => {
  const node = exported.successor(id) || id;
  return { node, answer: exported[question](node) };
};

/** The one field in a part of the page that is like another; in all of the page only where something tells it from the others there. */
function likeIn(part, traits) {
  const alike = [...queryAll(part, traits.localName)].filter((other) => isLike(traits, other));
  const focused = alike.find((other) => rootOf(other).activeElement === other);
  if (focused || alike.length !== 1) return focused;
  return matches(part, 'body,html') && !traits.isTold ? null : alike[0];
}

/** How often each of these words is written in the document of an element, in whatever it shows; what fields hold does not count. */
exported.timesShown = (id, words) => {
  const element = nodeFor(id);
  const text = element ? documentOf(element).body?.innerText.replace(/\s+/g, ' ') ?? '' : '';
  return words.map((word) => text.split(word).length - 1);
};
