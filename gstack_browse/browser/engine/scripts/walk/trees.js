// Walks documents, shadow trees, slots, frames, and owned elements, in the order a person meets them.
//
// `visitElement` in walk/walk.js decides what is printed of an element.

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
import { POINTER_RULES, SCROLL_RULES } from '../dom/style-sheets.js';
import { isDrawnAway, wordsDrawnBy } from '../visibility/drawings.js';
import { hiddenness, isHidden, styleOf } from '../visibility/hidden.js';
import { suspectsIn } from '../visibility/suspects.js';
import { lengthOf, NOT_LAID_OUT, SEEN, sightOf } from '../visibility/unseen.js';
import { modalOf, showsFallback } from '../visibility/visible.js';
import { BLANK } from './flow.js';
import { Lines } from './lines.js';

// Facts that hold for everything inside an element.
const PLAIN_CONTEXT = {
  inControl: false, // part of a control: not clickable apart from it
  inName: false, // its words are in the name of an element around already
  siblingCount: 0, // how many there are where it is one of several, else 0
  cursor: '', // the inherited cursor, if it is one for what is pressed or dragged
  allTextShown: false, // all elements inside that have text of their own are known to be visible
  child: false,
  sight: SEEN, // whether its text can be seen, see visibility/unseen.js
};

const ROW_HOLDERS = new Set(['grid', 'table', 'treegrid', 'rowgroup']);

/**
 * Return the rows of a grid in the order of their `aria-rowindex`, where the document has them in another one: some grids use the elements
 * of rows again as they are sorted and scrolled. Null where the document's order is right, or something there has no number.
 */
function numberedRows(element) {
  const rows = [...siblingsFrom(firstChildOf(element))].filter(isElement);
  if (rows.length === 0 || !hasAttr(rows[0], 'aria-rowindex')) return null; // as in most tables
  const numbered = rows.map((row) => ({ row, number: Number(attr(row, 'aria-rowindex') ?? NaN) }));
  const isNumbered = numbered.every(({ number }) => number > 0);
  if (!isNumbered || numbered.every(({ number }, at) => at === 0 || numbered[at - 1].number <= number)) return null;
  return numbered.sort((one, other) => one.number - other.number).map(({ row }) => row);
}

/** Visits all nodes of documents, shadow trees, slots and frames in reading order. `facts`: what the walk found out about an element. */
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
    this.owned = null; // element moved by aria-owns → its owner
    this.moved = new Set(); // such elements that were visited
    /** @type {any} */
    this.modal = null; // what lies on top of the document, see visibility/visible.js
    this.depth = 0;
  }

  /** Visit one element and its content: implemented in `Walk`. */
  visitElement(_element, _depth, _context) {}

  /** Visit a document: the page's own, or that of a frame, whose surroundings have the visibility `sight`. */
  visitDocument(root, depth, sight) {
    const before = [this.owned, this.modal, this.active, this.pointedAt, this.pointers, this.scrollers, this.unseen];
    const top = rootElementOf(root);
    if (top) {
      this.owned = ownersByElement(top);
      this.pointers = POINTER_RULES.in(root);
      this.scrollers = SCROLL_RULES.in(root);
      noteDragHandles(root);
      this.modal = modalOf(root);
      this.active = focusedIn(root);
      this.pointedAt = activeDescendantOf(this.active);
      this.unseen = suspectsIn(root);
      const context = sight === SEEN ? PLAIN_CONTEXT : { ...PLAIN_CONTEXT, sight };
      this.recordTree(root, () => this.visitElement(top, depth, context));
      this.endText();
      if (this.owned !== null) this.visitUnreachedOwned(this.owned, depth, context);
    }
    [this.owned, this.modal, this.active, this.pointedAt, this.pointers, this.scrollers, this.unseen] = before;
  }

  /** Visit elements moved by `aria-owns` whose owner the walk did not enter: it has no size, or lies behind a dialog. */
  visitUnreachedOwned(owned, depth, context) {
    for (const [node, owner] of owned) {
      if (this.moved.has(node) || isHidden(node)) continue;
      owned.delete(node);
      this.visitOwned(node, depth, context);
      owned.set(node, owner);
      this.endText();
    }
  }

  /**
   * Call `walk`, which visits a tree, and record the tree with its number of elements (`read`), inner trees included. Where that
   * number changes, Python looks for click listeners again.
   */
  recordTree(root, walk) {
    const tree = { root, read: -readSoFar() };
    this.trees.push(tree);
    walk();
    tree.read += readSoFar();
  }

  /** Visit what is displayed inside an element: its frame, shadow tree, assigned nodes or children, then what it owns by `aria-owns`. */
  visitChildren(facts, depth, context) {
    const { element, tag } = facts;
    if (tag.frame) return this.visitFrame(element, depth, context.sight);
    if (tag.opaque && !showsFallback(element)) return;
    if (tag.name === 'use') return this.addUsedText(facts, depth, context);
    const shadow = tag.hosts ? shadowRootOf(element) : null;
    if (shadow !== null) {
      const around = this.contextWithSight(facts, context); // its own sheets may speak of the host
      this.recordTree(
        shadow,
        () => this.withSheetsOf(shadow, () => this.visitSiblings(firstChildOf(shadow), facts, depth, around)),
      );
    } else if (tag.slot && isSlot(element) && assignedTo(element).length) {
      const nodes = assignedTo(element);
      this.withSheetsOf(rootOf(nodes[0]), () => nodes.forEach((node) => this.visitNode(node, facts, depth, context)));
    } else {
      const first = firstChildOf(element);
      if (tag.custom || first === null && tag.hosts) suspectClosedRoot(element, tag.custom, first);
      const rows = ROW_HOLDERS.has(facts.kind.role) ? numberedRows(element) : null;
      if (rows === null) this.visitSiblings(first, facts, depth, context);
      else rows.forEach((row) => this.visitNode(row, facts, depth, context));
    }
    if (this.owned !== null && hasAttr(element, 'aria-owns')) {
      for (const node of referencedElements(element, 'aria-owns'))
        if (this.owned.get(node) === element) this.visitOwned(node, depth, context);
    }
  }

  /** Separate the words before and after an element that is left out. */
  addBlank() {
    if (this.run !== null) this.run.add(BLANK, null);
  }

  /** Return the context for the content of an element, with the visibility of text in it (`sight`, see visibility/unseen.js). */
  contextWithSight(facts, context) {
    const sight = sightOf(facts.element, facts.tag, facts.plain, context.sight, this.unseen);
    facts.isNotLaidOut = sight === NOT_LAID_OUT;
    if (facts.isNotLaidOut) return context;
    return sight === context.sight ? context : { ...context, sight };
  }

  /** Visit an element at the place to which `aria-owns` moves it. */
  visitOwned(node, depth, context) {
    this.moved.add(node);
    this.visitElement(node, depth, context);
  }

  /** Add the text that an SVG takes from elsewhere by `<use>`. */
  addUsedText(facts, depth, context) {
    const words = wordsDrawnBy(facts.element);
    if (words === '') return;
    this.addBlank(); // it stands apart from the word before
    if (context.sight === SEEN && !isDrawnAway(facts.element, styleOf(facts.element), rectOf(facts.element)))
      this.addText(words, facts, depth, true);
    else this.countHiddenText(words, context);
  }

  /** Call `walk` with the style sheets of another tree in force. */
  withSheetsOf(root, walk) {
    const { pointers, scrollers, unseen } = this;
    this.pointers = POINTER_RULES.in(root);
    this.scrollers = SCROLL_RULES.in(root);
    this.unseen = suspectsIn(root);
    walk();
    Object.assign(this, { pointers, scrollers, unseen });
  }

  /** Visit a node and all siblings behind it. */
  visitSiblings(first, parent, depth, context) {
    for (let node = first; node !== null; node = nextSiblingOf(node)) this.visitNode(node, parent, depth, context);
  }

  /** Visit an element or a text node; other nodes are skipped. `parent`: the facts about the element around. */
  visitNode(node, parent, depth, context) {
    const type = nodeTypeOf(node);
    if (type === 1) {
      if (this.owned === null || !this.owned.has(node)) this.visitElement(node, depth, context);
    } else if (type === 3) {
      if (context.sight !== SEEN) this.countHiddenText(dataOf(node), context);
      else if (!context.inName && !isShut(parent)) this.addText(dataOf(node), parent, depth, context.allTextShown);
    }
  }

  /** Count the characters of text that nobody can see, for the snapshot's note. That of a control is still told, in its name. */
  countHiddenText(text, context) {
    if (!context.inControl) this.hidden += lengthOf(text);
  }

  /**
   * Visit the document of a frame, or note the frame for Python if it is of another process. In an invisible frame nothing is
   * displayed, whatever its document says.
   */
  visitFrame(element, depth, sight) {
    if (hiddenness(element) !== '') return;
    const inside = contentDocumentOf(element);
    if (!inside) {
      this.remote.push([this.depths.length - 1, idOf(element)]);
      return;
    }
    shareTable(inside);
    this.depth++;
    this.visitDocument(inside, depth, sight);
    this.depth--;
  }
}

/**
 * Whether an element shows only a part of its content: a closed details its summary, a canvas what is painted. Elements inside are asked
 * whether they are displayed; loose text cannot be.
 */
export const isShut = ({ element, tag, isNotLaidOut }) =>
  isNotLaidOut || tag.painted || tag.name === 'details' && !hasAttr(element, 'open');

/**
 * Give a frame that can be reached this window's table of nodes, so that locators work in it; its own engine is loaded only when needed.
 */
function shareTable(inside) {
  const view = windowOf(inside);
  if (view && !Object.hasOwn(view, '__gbrowse')) view.__gbrowse = exported;
}
