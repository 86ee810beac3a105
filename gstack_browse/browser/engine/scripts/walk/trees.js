// Walks documents, shadow trees, slots, frames, and owned elements, in the order a person meets them.
//
// The description of an element is `element`'s, in walk/walk.js.

import { ownersByElement } from '../accname/names.js';
import { noteDragHandles } from '../clickable/clickable.js';
import {
  dataOf,
  firstChildOf,
  nextSiblingOf,
  nodeTypeOf,
  rectOf,
  rootElementOf,
  rootOf,
  windowOf,
} from '../dom/accessors.js';
import {
  activeDescendantOf,
  assignedTo,
  attr,
  contentDocumentOf,
  exported,
  focusedIn,
  hasAttr,
  isElement,
  isSlot,
  referencedElements,
  shadowRootOf,
  siblingsFrom,
} from '../dom/dom.js';
import { suspectClosedRoot } from '../dom/internals.js';
import { readSoFar } from '../dom/invoke.js';
import { idOf } from '../dom/node-table.js';
import { POINTING, SCROLLING } from '../dom/style-sheets.js';
import { isDrawnAway, wordsDrawnBy } from '../visibility/drawings.js';
import { hiddenness, isHidden, styleOf } from '../visibility/hidden.js';
import { suspectsIn } from '../visibility/suspects.js';
import { lengthOf, SEEN, SHUT, sightOf } from '../visibility/unseen.js';
import { modalOf } from '../visibility/visible.js';
import { BLANK } from './flow.js';
import { Lines } from './lines.js';

// Facts that hold for everything inside an element.
const PLAIN_CONTEXT = {
  operable: false, // part of a control: not clickable apart from it
  covered: false, // its words are in a name already
  siblings: 0, // how many there are where it is one of several, else 0
  hand: '', // the cursor that it has from above, where that is one of what is pressed or dragged
  proven: false, // whatever has words of its own can be seen
  child: false,
  sight: SEEN, // whether its text can be seen, see visibility/unseen.js
};

const ROW_HOLDERS = new Set(['grid', 'table', 'treegrid', 'rowgroup']);

/**
 * The rows of a grid in the order of their `aria-rowindex`, where the document has them in another one: some grids use the elements of
 * rows again as they are sorted and scrolled. null where the document's order is right, or something there has no number.
 */
function numberedRows(element) {
  const rows = [...siblingsFrom(firstChildOf(element))].filter(isElement)
    .map((row) => ({ row, number: Number(attr(row, 'aria-rowindex') ?? NaN) }));
  const isNumbered = rows.every(({ number }) => number > 0);
  if (!isNumbered || rows.every(({ number }, at) => at === 0 || rows[at - 1].number <= number)) return null;
  return rows.sort((one, other) => one.number - other.number).map(({ row }) => row);
}

export class Trees extends Lines {
  constructor(options) {
    super(options);
    this.pointers = null;
    /** @type {any} */
    this.scrollers = null;
    /** @type {any} */
    this.unseen = null; // which elements may have text that nobody can see
    this.hidden = 0; // characters of it
    this.trees = []; // documents and shadow roots, each with its own listeners: { root, read }
    this.remote = []; // frames of another process or origin: [line, id]
    this.owned = null; // by whom, of what aria-owns moves
    this.moved = new Set(); // of that, what has been walked
    /** @type {any} */
    this.modal = null; // what lies on top of the document, see visibility/visible.js
    this.depth = 0;
  }

  /** Handle one element, and its content: implemented in `Walk`. */
  element(_element, _depth, _context) {}

  document(root, depth, sight) {
    const before = [this.owned, this.modal, this.active, this.pointedAt, this.pointers, this.scrollers, this.unseen];
    const top = rootElementOf(root);
    if (top) {
      this.owned = ownersByElement(top);
      this.pointers = POINTING.in(root);
      this.scrollers = SCROLLING.in(root);
      noteDragHandles(root);
      this.modal = modalOf(root);
      this.active = focusedIn(root);
      this.pointedAt = activeDescendantOf(this.active);
      this.unseen = suspectsIn(root);
      const context = sight === SEEN ? PLAIN_CONTEXT : { ...PLAIN_CONTEXT, sight };
      this.enter(root, () => this.element(top, depth, context));
      this.flush();
      if (this.owned !== null) this.leftBehind(this.owned, depth, context);
    }
    [this.owned, this.modal, this.active, this.pointedAt, this.pointers, this.scrollers, this.unseen] = before;
  }

  // Elements that an element owns and the walk did not enter: in a box of no size, or behind a dialog.
  leftBehind(owned, depth, context) {
    for (const [node, owner] of owned) {
      if (this.moved.has(node) || isHidden(node)) continue;
      owned.delete(node);
      this.move(node, depth, context);
      owned.set(node, owner);
      this.flush();
    }
  }

  // `read`: how many elements it has, with those of the trees in it. Where that is another number others may listen.
  enter(root, walk) {
    const tree = { root, read: -readSoFar() };
    this.trees.push(tree);
    walk();
    tree.read += readSoFar();
  }

  children(it, depth, context) {
    const { element, tag } = it;
    if (tag.frame) return this.frame(element, depth, context.sight);
    if (tag.opaque) return;
    if (tag.name === 'use') return this.used(it, depth, context);
    const shadow = tag.hosts ? shadowRootOf(element) : null;
    if (shadow !== null) {
      const around = this.sighted(it, context); // its own sheets may speak of the host
      this.enter(shadow, () => this.styled(shadow, () => this.siblings(firstChildOf(shadow), it, depth, around)));
    } else if (tag.slot && isSlot(element) && assignedTo(element).length) {
      const nodes = assignedTo(element);
      this.styled(rootOf(nodes[0]), () => nodes.forEach((node) => this.node(node, it, depth, context)));
    } else {
      const first = firstChildOf(element);
      if (tag.custom || first === null && tag.hosts) suspectClosedRoot(element, tag.custom, first);
      const rows = ROW_HOLDERS.has(it.kind.role) ? numberedRows(element) : null;
      if (rows === null) this.siblings(first, it, depth, context);
      else rows.forEach((row) => this.node(row, it, depth, context));
    }
    if (this.owned !== null && hasAttr(element, 'aria-owns')) {
      for (const node of referencedElements(element, 'aria-owns'))
        if (this.owned.get(node) === element) this.move(node, depth, context);
    }
  }

  // Its place between two words stays.
  skip() {
    if (this.run !== null) this.run.add(BLANK, null);
  }

  sighted(it, context) {
    const sight = sightOf(it.element, it.tag, it.plain, context.sight, this.unseen);
    it.shut = sight === SHUT;
    if (it.shut) return context;
    return sight === context.sight ? context : { ...context, sight };
  }

  move(node, depth, context) {
    this.moved.add(node);
    this.element(node, depth, context);
  }

  // The text that a drawing takes from elsewhere by `<use>`.
  used(it, depth, context) {
    const words = wordsDrawnBy(it.element);
    if (words === '') return;
    this.skip(); // it stands apart from the word before
    if (context.sight === SEEN && !isDrawnAway(it.element, styleOf(it.element), rectOf(it.element)))
      this.say(words, it, depth, true);
    else this.leaveOut(words, context);
  }

  // Walk with the style sheets of another tree.
  styled(root, walk) {
    const { pointers, scrollers, unseen } = this;
    this.pointers = POINTING.in(root);
    this.scrollers = SCROLLING.in(root);
    this.unseen = suspectsIn(root);
    walk();
    Object.assign(this, { pointers, scrollers, unseen });
  }

  siblings(first, parent, depth, context) {
    for (let node = first; node !== null; node = nextSiblingOf(node)) this.node(node, parent, depth, context);
  }

  node(node, parent, depth, context) {
    const type = nodeTypeOf(node);
    if (type === 1) {
      if (this.owned === null || !this.owned.has(node)) this.element(node, depth, context);
    } else if (type === 3) {
      if (context.sight !== SEEN) this.leaveOut(dataOf(node), context);
      else if (!context.covered && !isShut(parent)) this.say(dataOf(node), parent, depth, context.proven);
    }
  }

  // The words of a control stay, as its name.
  leaveOut(text, context) {
    if (!context.operable) this.hidden += lengthOf(text);
  }

  // An invisible frame paints nothing of its document, whatever the document says of its own visibility.
  frame(element, depth, sight) {
    if (hiddenness(element) !== '') return;
    const inside = contentDocumentOf(element);
    if (!inside) {
      this.remote.push([this.depths.length - 1, idOf(element)]);
      return;
    }
    shareTable(inside);
    this.depth++;
    this.document(inside, depth, sight);
    this.depth--;
  }
}

/**
 * Whether an element shows only a part of its content: a closed details its summary, a canvas what is painted. Elements inside are asked
 * whether they are displayed; loose text cannot be.
 */
export const isShut = ({ element, tag, shut }) =>
  shut || tag.painted || tag.name === 'details' && !hasAttr(element, 'open');

/**
 * Give a frame that can be reached this window's table of nodes, so that locators work in it; its own engine is loaded only when needed.
 */
function shareTable(inside) {
  const view = windowOf(inside);
  if (view && !Object.hasOwn(view, '__gbrowse')) view.__gbrowse = exported;
}
