// What a page has put in the place of a field that it took away as the field changed, and of words that it took out of a field. Pages that draw
// themselves from a state of their own often draw a field anew; once it is out of the document nothing tells where it was, so that is kept from the
// look before.

import { documentOf, localNameOf, matches, queryAll, rootOf } from './engine-accessors.js';
import { ancestorsOf, attr, exported, hasAttr, isAlive } from './engine-dom.js';
import { idOf, nodeFor, weakly } from './engine-table.js';

/**
 * An element and all that is around it, weakly: once the element is out of the document nothing else tells where it was.
 * @returns {{ element: WeakRef<any>, around: WeakRef<any>[] }}
 */
const stoodAt = (element) => ({ element: weakly(element), around: [...ancestorsOf(element)].map(weakly) });

/** The nearest of what was around a place that is still there; undefined for nothing. */
const leftAround = (place) => place.around.map((weak) => weak.deref()).find((one) => one && isAlive(one));

/**
 * Where the field is that was looked at last; `ids` has those of the fields that it has taken the place of.
 * @type {(ReturnType<typeof stoodAt> & { ids: Set<number> }) | null}
 */
let kept = null;

/** Keep what is around a field before something is done to it. */
function keepPlace(element, ids = new Set()) {
  kept = { ...stoodAt(element), ids: ids.add(idOf(element)) };
}

/** What a field that is drawn anew has again. */
const TELLING = ['id', 'name', 'aria-label', 'placeholder'];
const HAS_AGAIN = ['type', 'role', ...TELLING];

const isLike = (one, other) => HAS_AGAIN.every((name) => attr(one, name) === attr(other, name));

/**
 * The id of the one field that is where that field was and is like it; 0 where there is none, or several are. Only for the field that
 * `keepPlace` was told of last, and for those that came after it.
 */
exported.successor = (id) => {
  const before = kept?.ids.has(id) ? kept : null;
  const element = before?.element.deref();
  if (!before || !element) return 0;
  if (isAlive(element)) return idOf(element);
  const around = leftAround(before);
  const found = around ? likeIn(around, element) : null;
  if (!found) return 0;
  keepPlace(found, before.ids);
  return idOf(found);
};

/** What another function says of the field that is in the place of a field now, and its id: in one turn, after which the page may draw it anew again. */
exported.askInPlace = (id, question) => {
  const node = exported.successor(id) || id;
  return { node, answer: exported[question](node) };
};

/** The one field in a part of the page that is like another; in all of the page only where something tells it from the others there. */
function likeIn(part, element) {
  const alike = [...queryAll(part, localNameOf(element))].filter((other) => isLike(element, other));
  const focused = alike.find((other) => rootOf(other).activeElement === other);
  if (focused || alike.length !== 1) return focused;
  return matches(part, 'body,html') && !TELLING.some((name) => hasAttr(element, name)) ? null : alike[0];
}

/** How often each of these words is written in the document of an element, in whatever it shows; what fields hold does not count. */
exported.timesShown = (id, words) => {
  const element = nodeFor(id);
  const text = element ? documentOf(element).body?.innerText.replace(/\s+/g, ' ') ?? '' : '';
  return words.map((word) => text.split(word).length - 1);
};

export { keepPlace, leftAround, stoodAt };
