// Walks documents, shadow trees, slots, frames, and elements moved by `aria-owns`, in reading order. `visitElement` in walk/walk.js decides
// what is printed of an element.

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
  styleOf,
  windowOf,
} from '../dom/accessors.js';
import {
  activeDescendantOf,
  assignedNodesOf,
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
import { noteClosedRootCandidate } from '../dom/internals.js';
import { elementsReadSoFar } from '../dom/invoke.js';
import { idOf } from '../dom/node-table.js';
import { modalOf, showsFallback } from '../layout/visible.js';
import { isSvgTextInvisible, textDrawnByUse } from '../visibility/drawings.js';
import { hiddenExtent, isHidden } from '../visibility/hidden.js';
import { invisibleTextCandidatesIn } from '../visibility/invisible-text-candidates.js';
import { POINTER_RULES, SCROLL_RULES } from '../visibility/style-sheets.js';
import { lengthOf, NOT_LAID_OUT, TEXT_VISIBLE, textVisibilityInside } from '../visibility/text-visibility.js';
import { LineCollector } from './lines.js';
import { BLANK } from './sentences.js';

// The context of an element: facts that hold for everything inside its parent.
const PLAIN_CONTEXT = {
  inControl: false, // it is a part of a control
  inName: false, // its text is in the name of an ancestor already
  siblingCount: 0, // MANY_SIBLINGS or MIN_SIBLINGS if its parent has at least so many children, else 0
  cursor: '', // the inherited cursor, if it is one for pressing or dragging
  allTextVisible: false, // all elements inside with text of their own are known to be visible
  child: false,
  visibility: TEXT_VISIBLE, // text visibility, see visibility/text-visibility.js
};

const ROW_HOLDERS = new Set(['grid', 'table', 'treegrid', 'rowgroup']);

/**
 * Return the rows of a grid, sorted by `aria-rowindex`, since some grids reuse elements as they are sorted and scrolled; null if the
 * document has them in that order, or a row has no number.
 */
function rowsInAriaOrder(element) {
  const rows = [...siblingsFrom(firstChildOf(element))].filter(isElement);
  if (rows.length === 0 || !hasAttr(rows[0], 'aria-rowindex')) return null; // as in most tables
  const numbered = rows.map((row) => ({ row, number: Number(attr(row, 'aria-rowindex') ?? NaN) }));
  const isNumbered = numbered.every(({ number }) => number > 0);
  if (!isNumbered || numbered.every(({ number }, at) => at === 0 || numbered[at - 1].number <= number)) return null;
  return numbered.sort((one, other) => one.number - other.number).map(({ row }) => row);
}

/** Visits all nodes of documents, shadow trees, slots and frames in reading order. `facts`: see `Facts` in walk/walk.js. */
export class TreeVisitor extends LineCollector {
  constructor(options) {
    super(options);
    this.pointers = null;
    /** @type {any} */
    this.scrollers = null;
    /** @type {any} */
    this.textCandidates = null; // the `InvisibleTextCandidates` of the current tree
    this.hidden = 0; // characters of invisible text
    this.trees = []; // documents and shadow roots: { root, read (number of elements) }
    this.remote = []; // frames of another process or origin: [line, id]
    this.owned = null; // element moved by `aria-owns` → its owner
    this.moved = new Set(); // elements moved by `aria-owns` that were visited
    /** @type {any} */
    this.modal = null; // the topmost modal dialog of the current document, see layout/visible.js
    this.depth = 0;
  }

  /** Visit one element and its content: implemented in `Walk`. */
  visitElement(_element, _depth, _context) {}

  /** Visit a document: the page's own, or that of a frame. `visibility`: text visibility at the frame element. */
  visitDocument(root, depth, visibility) {
    const before = [
      this.owned,
      this.modal,
      this.active,
      this.pointedAt,
      this.pointers,
      this.scrollers,
      this.textCandidates,
    ];
    const top = rootElementOf(root);
    if (top) {
      this.owned = ownersByElement(top);
      this.pointers = POINTER_RULES.in(root);
      this.scrollers = SCROLL_RULES.in(root);
      noteDragHandles(root);
      this.modal = modalOf(root);
      this.active = focusedIn(root);
      this.pointedAt = activeDescendantOf(this.active);
      this.textCandidates = invisibleTextCandidatesIn(root);
      const context = visibility === TEXT_VISIBLE ? PLAIN_CONTEXT : { ...PLAIN_CONTEXT, visibility };
      this.recordTree(root, () => this.visitElement(top, depth, context));
      this.endText();
      if (this.owned !== null) this.visitUnreachedOwned(this.owned, depth, context);
    }
    [this.owned, this.modal, this.active, this.pointedAt, this.pointers, this.scrollers, this.textCandidates] = before;
  }

  /** Visit elements moved by `aria-owns` whose owner the walk did not enter, since it has no size or is behind a dialog. */
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
   * Call `walk`, which visits a tree, and record the tree with its number of elements (`read`), inner trees included. If the number has
   * changed since the last walk, Python looks for click listeners in that tree again.
   */
  recordTree(root, walk) {
    const tree = { root, read: -elementsReadSoFar() };
    this.trees.push(tree);
    walk();
    tree.read += elementsReadSoFar();
  }

  /** Visit what is displayed inside an element: its frame, shadow tree, assigned nodes or children, then what it owns by `aria-owns`. */
  visitChildren(facts, depth, context) {
    const { element, tag } = facts;
    if (tag.frame) return this.visitFrame(element, depth, context.visibility);
    if (tag.opaque && !showsFallback(element)) return;
    if (tag.name === 'use') return this.addUsedText(facts, depth, context);
    const shadow = tag.hosts ? shadowRootOf(element) : null;
    if (shadow !== null) {
      const around = this.contextWithVisibility(facts, context); // rules for `:host` are in the shadow tree
      this.recordTree(
        shadow,
        () => this.withSheetsOf(shadow, () => this.visitSiblings(firstChildOf(shadow), facts, depth, around)),
      );
    } else if (tag.slot && isSlot(element) && assignedNodesOf(element).length) {
      const nodes = assignedNodesOf(element);
      this.withSheetsOf(rootOf(nodes[0]), () => nodes.forEach((node) => this.visitNode(node, facts, depth, context)));
    } else {
      const first = firstChildOf(element);
      if (tag.custom || first === null && tag.hosts) noteClosedRootCandidate(element, tag.custom, first);
      const rows = ROW_HOLDERS.has(facts.kind.role) ? rowsInAriaOrder(element) : null;
      if (rows === null) this.visitSiblings(first, facts, depth, context);
      else rows.forEach((row) => this.visitNode(row, facts, depth, context));
    }
    if (this.owned !== null && hasAttr(element, 'aria-owns')) {
      for (const node of referencedElements(element, 'aria-owns'))
        if (this.owned.get(node) === element) this.visitOwned(node, depth, context);
    }
  }

  /** Add a blank to the open text in place of an element that is left out. */
  addBlank() {
    if (this.run !== null) this.run.add(BLANK, null);
  }

  /** Return the context for the content of an element with the text visibility in it. */
  contextWithVisibility(facts, context) {
    const visibility = textVisibilityInside(
      facts.element,
      facts.tag,
      facts.bare,
      context.visibility,
      this.textCandidates,
    );
    facts.isNotLaidOut = visibility === NOT_LAID_OUT;
    if (facts.isNotLaidOut) return context;
    return visibility === context.visibility ? context : { ...context, visibility };
  }

  /** Visit an element at the place to which `aria-owns` moves it. */
  visitOwned(node, depth, context) {
    this.moved.add(node);
    this.visitElement(node, depth, context);
  }

  /** Add the text that an SVG takes from elsewhere by `<use>`. */
  addUsedText(facts, depth, context) {
    const words = textDrawnByUse(facts.element);
    if (words === '') return;
    this.addBlank();
    if (
      context.visibility === TEXT_VISIBLE
      && !isSvgTextInvisible(facts.element, styleOf(facts.element), rectOf(facts.element))
    )
      this.addText(words, facts, depth, true);
    else this.countHiddenText(words, context);
  }

  /** Call `walk` with `pointers`, `scrollers` and `textCandidates` (filters by style sheets) set to those of another tree. */
  withSheetsOf(root, walk) {
    const { pointers, scrollers, textCandidates } = this;
    this.pointers = POINTER_RULES.in(root);
    this.scrollers = SCROLL_RULES.in(root);
    this.textCandidates = invisibleTextCandidatesIn(root);
    walk();
    Object.assign(this, { pointers, scrollers, textCandidates });
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
      if (context.visibility !== TEXT_VISIBLE) this.countHiddenText(dataOf(node), context);
      else if (!context.inName && !hidesLooseText(parent))
        this.addText(dataOf(node), parent, depth, context.allTextVisible);
    }
  }

  /** Count the characters of invisible text, for the snapshot's note. Not those of a control, whose name contains them. */
  countHiddenText(text, context) {
    if (!context.inControl) this.hidden += lengthOf(text);
  }

  /**
   * Visit the document of a frame, or record the frame for Python if it is of another process or origin. Skip an invisible frame, in which
   * nothing is displayed.
   */
  visitFrame(element, depth, visibility) {
    if (hiddenExtent(element) !== '') return;
    const inside = contentDocumentOf(element);
    if (!inside) {
      this.remote.push([this.depths.length - 1, idOf(element)]);
      return;
    }
    shareEngine(inside);
    this.depth++;
    this.visitDocument(inside, depth, visibility);
    this.depth--;
  }
}

/**
 * Return whether the text nodes that are children of an element (given by its `Facts`) are not displayed: in a closed `<details>`, a
 * canvas, or an element with `content-visibility: hidden`.
 */
export const hidesLooseText = ({ element, tag, isNotLaidOut }) =>
  isNotLaidOut || tag.painted || tag.name === 'details' && !hasAttr(element, 'open');

/**
 * Let the document `inside` of a same-origin frame use the engine (these scripts) of this window, so that both have one numbering of nodes.
 */
function shareEngine(inside) {
  const view = windowOf(inside);
  if (view && !Object.hasOwn(view, '__gbrowse')) view.__gbrowse = exported;
}
