// Which elements may have a closed shadow root. Scripts cannot see one; the debugging protocol can (closed_roots.py), and is asked about an
// element once, and again where the element has become another one since: defined, or of another height.

import { firstChildOf, localNameOf, matches, offsetHeightOf } from './engine-accessors.js';
import { closedRoots, exported, isAlive, meetShadows } from './engine-dom.js';
import { weakly } from './engine-table.js';

// https://dom.spec.whatwg.org/#dom-element-attachshadow
export const CAN_HOST = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);
const isCustomName = (name) => name.includes('-');

const MAX_SUSPECTS = 200;
const examined = new WeakMap(); // element → what it was like when the protocol was asked
let suspects = []; // elements that the protocol is to be asked about, weakly
let suspected = new WeakSet(); // the same

// Suspect an element without an open shadow root of having a closed one: a custom element, or one that takes up room though it is empty.
// `first`: its first child.
export function suspect(element, isCustom, first) {
  if (suspects.length >= MAX_SUSPECTS) return;
  const before = examined.get(element);
  if (before === DEFINED && first !== null) return;
  const likeness = likenessOf(element, isCustom, first);
  if (likeness === 0 || before === likeness || suspected.has(element)) return;
  suspected.add(element);
  suspects.push(weakly(element));
}

// Suspect an element that may be a host, by its name and its first child alone.
export function meetHost(element, tag, first) {
  const isCustom = isCustomName(tag);
  if (isCustom || first === null && CAN_HOST.has(tag)) suspect(element, isCustom, first);
}

const DEFINED = 2;

// A number that changes when the element gets a shadow root, as far as can be told; 0 if it has none.
function likenessOf(element, isCustom, first) {
  const height = first === null ? offsetHeightOf(element) : 0;
  return isCustom ? (matches(element, ':defined') ? DEFINED : 1) + 2 * height : 2 * height;
}

export const suspectCount = () => suspects.length;
export const living = (weak) => weak.map((one) => one.deref()).filter((node) => node && isAlive(node));
const suspectNodes = () => living(suspects);

// Told by Python. Called with the nodes themselves.
export function openClosedRoot(host, root) {
  closedRoots.set(host, root);
  meetShadows();
}

function markExamined() {
  for (const node of suspectNodes()) {
    const isCustom = isCustomName(localNameOf(node));
    examined.set(node, likenessOf(node, isCustom, firstChildOf(node)));
  }
  suspects = [];
  suspected = new WeakSet();
}

Object.assign(exported, { markExamined, openClosedRoot, suspectNodes });
