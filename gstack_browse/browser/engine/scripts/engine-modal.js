// Which dialog makes the rest of its document inert, wherever it is, and what of the document that leaves.
//
// https://html.spec.whatwg.org/multipage/interaction.html#modal-dialogs-and-inert-subtrees: all is inert but the dialog and what is in
// it in the flat tree: what is slotted into it is in it, too.

import {
  containsNode,
  documentOf,
  isConnected,
  matches,
  nodeTypeOf,
  rectOf,
  rootOf,
  windowOf,
} from './engine-accessors.js';
import { parentOf, withTag } from './engine-dom.js';
import { hitAt, slotOf } from './hits.js';

// Modal dialogs of a document are found by a query. Those of shadow trees (Web Awesome 3, Material Web) are met by a walk, and remembered.
let metInShadows = [];
let metSoFar = 0;

export function meetDialog(dialog) {
  if (!matches(dialog, ':modal') || nodeTypeOf(rootOf(dialog)) !== 11) return;
  if (metInShadows.some((met) => met.deref() === dialog)) return;
  metInShadows.push(new WeakRef(dialog));
  metSoFar++;
}

/** How many have been met: where a walk has met one more, what it has walked may be inert. */
export const modalsMet = () => metSoFar;

const isModal = (node) => nodeTypeOf(node) === 1 && matches(node, 'dialog:modal');
const outwards = (node) => slotOf(node) || parentOf(node);

class Modal {
  constructor(dialog) {
    this.dialog = dialog;
    this.around = new Set();
    this.inside = new WeakSet([dialog]);
    for (let outer = outwards(dialog); outer; outer = outwards(outer)) this.around.add(outer);
  }

  blocks(element) {
    return !this.around.has(element) && !this.holds(element);
  }

  // The walk comes from outside, so what an element is in has mostly been asked before.
  holds(node) {
    if (containsNode(this.dialog, node) || this.inside.has(node)) return true;
    const outer = outwards(node);
    const isInside = outer !== null && this.holds(outer);
    if (isInside) this.inside.add(node);
    return isInside;
  }
}

/** The modal dialog of a document that lies on top, or null. */
export function modalOf(document) {
  metInShadows = metInShadows.filter((met) => {
    const dialog = met.deref();
    return dialog && isConnected(dialog) && isModal(dialog);
  });
  const there = metInShadows.map((met) => met.deref()).filter((dialog) => dialog && documentOf(dialog) === document);
  const open = [...[...withTag(document, 'dialog')].filter(isModal), ...there];
  return open.length > 0 ? new Modal(onTop(document, open) ?? open[open.length - 1]) : null;
}

// Which was opened last no script is told, but only what is in that one, or the veil behind, can be hit: the rest is inert.
function onTop(document, open) {
  const { innerWidth, innerHeight } = windowOf(document);
  for (const box of [{ left: 0, top: 0, width: innerWidth, height: innerHeight }, ...open.map(rectOf)]) {
    const hit = hitAt(box.left + box.width / 2, box.top + box.height / 2, document);
    for (let node = hit; node; node = outwards(node)) if (isModal(node)) return node;
  }
  return null;
}
