// The walk: one pass over everything that this frame can reach, in the order a person meets it, as compact columns.
//
// Every element that has a role gets a line and an id, whatever is printed later. Text that is not already part
// of a name gets a line without one. Nothing is asked of an element that its tag, its role or its neighbours
// already answer: what is left costs about 1 µs per element.
//
// At the end: how click listeners that Python finds change the last walk.

import { shownText } from '../accname/contents.js';
import { isOnlySymbols } from '../accname/hints.js';
import { BUTTON, GENERIC, kindOf, LINK } from '../accname/kinds.js';
import { exactNameOf, hasAriaNameAttribute } from '../accname/names.js';
import { roleOf, tagOf } from '../accname/roles.js';
import { contentRole } from '../accname/values.js';
import {
  clickableName,
  clickReasons,
  delegatingListeners,
  deservesLine,
  hasOwnAction,
  hasTextReplacedByLabel,
  hasVisibleSize,
  isInField,
  isLabel,
  isLinkTag,
  listensForClicks,
  markListeners,
  MAX_CLICKABLES,
  mayBeClickable,
  NAMED_PARTS,
  pointerCursorOf,
  reasonsToPressHidden,
} from '../clickable/clickable.js';
import { isListenerOfItems } from '../clickable/item-lists.js';
import {
  childElementCountOf,
  containsNode,
  dataOf,
  firstChildOf,
  isConnected,
  localNameOf,
  queryOne,
  styleOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  beginCall,
  childrenOf,
  cleanText,
  contentDocumentOf,
  exported,
  hasAttrs,
  hasOnlyPlainAttributes,
  isElement,
  isText,
  openShadowRootOf,
  queryAllIn,
  queryOneIn,
  treeOf,
} from '../dom/dom.js';
import { aliveNodes, forgetCustomElements, noteCustomElement } from '../dom/internals.js';
import { beginReading, elementsReadSoFar, invoke, mayRead } from '../dom/invoke.js';
import { idOf, sweepTable, table, weakRefTo } from '../dom/node-table.js';
import {
  collapsedState,
  isKeyCaptureField,
  LEFT,
  noteModalInShadow,
  RIGHT,
  shadowModalCount,
} from '../layout/visible.js';
import { ListeningShapes } from '../visibility/drawings.js';
import {
  displaysAllText,
  hiddenExtent,
  hiddenExtentOfOption,
  isHiddenByAttribute,
  isHiddenSvgGroup,
} from '../visibility/hidden.js';
import {
  CLOSED_POPUP,
  isUsableInClosedPopup,
  isUsableUnseen,
  OFF_SCREEN,
  TEXT_VISIBLE,
} from '../visibility/text-visibility.js';
import { encodeWalk } from './lines.js';
import { noteControls } from './nodes.js';
import { scrollsItems } from './scrolling.js';
import { flowsInLine, keepsLines } from './sentences.js';
import { hidesLooseText, TreeVisitor } from './trees.js';

const MIN_SIBLINGS = 3; // so many generic blocks with several elements each get a line each, to keep their contents together
const MANY_SIBLINGS = 8; // so many generic siblings get a line each, so that a long run of them can be folded
const MIN_TEXT_CHECK_CHILDREN = 24; // with so many children one check for all (`displaysAllText`) is cheaper than one for each
/**
 * Return the name of the `Walk` property that counts a clickable element (given by its `Facts`): "cells" for rows and cells, else
 * "clickables". Rows and cells have a limit of their own, so that a grid does not use up that of other elements.
 */
const counterOf = ({ kind }) => kind.cell || kind.role === 'row' ? 'cells' : 'clickables';
const MAX_DEPTH = 700; // of the composed tree: the parser stops at 512, scripts that go deeper attack the stack
const MAX_FAILED_TEXT_CHECKS = 8; // a page with hidden text everywhere is not read again and again

/**
 * What the walk has found out about an element.
 *
 * tag: facts about its tag (accname/roles.js); kind: facts about its role (accname/kinds.js)
 * bare: it has no attributes; plain: only such as class, id and href
 * count: of its child elements
 * hidden: what `display` and `visibility` hide of it, "all", "text" or ""; null if not checked yet
 * cursor: the pointer or drag cursor that it sets itself, "" for none
 * nameHasAllText: its name contains all text in it
 * whiteSpace, inLine: cached answers of `keepsLines` and `flowsInLine`
 * isNotLaidOut: its own text has no box
 * @typedef {{ element: any, tag: any, kind: any, bare: boolean, plain: boolean, count: number, hidden: string | null, cursor: string,
 *   nameHasAllText: boolean, whiteSpace: string | null, inLine: boolean | null, isNotLaidOut: boolean }} Facts
 */

/** One walk over the page: decides for each element whether it gets a line, and which. `encodeWalk` reads the result off its fields. */
class Walk extends TreeVisitor {
  constructor(options) {
    super(options);
    this.all = options.clickable === true; // list all clickable elements, without a limit
    this.clickables = 0; // clickable elements that are neither controls nor rows or cells, so far
    this.cells = 0; // clickable rows and cells so far
    this.shapes = new ListeningShapes();
    this.listedBeyondLimit = 0; // new ones that are listed beyond MAX_CLICKABLES
    /** @type {number | null} */
    this.unlistedInScope = null; // clickable elements without a line in the scope; null if it was not walked
    this.scope = options.scope && table.scope?.key === String(options.scope) ? table.scope.node.deref() || null : null;
    this.range = this.scope === null ? null : [0, 0]; // first line of the scope and the one after its last
    this.failedTextChecks = 0; // elements for which `displaysAllText` was false
  }

  /** @override */
  visitElement(element, depth, context) {
    const tag = tagOf(element);
    if (tag.isIgnored || this.depth > MAX_DEPTH || !mayRead()) return;
    if (tag.custom || tag.name === 'dialog') noteCustomOrDialog(element, tag);
    const bare = !hasAttrs(element);
    const plain = bare || hasOnlyPlainAttributes(element);
    if (this.modal !== null && this.modal.blocks(element)) return this.addBlank();
    if (!plain && isHiddenByAttribute(element)) return this.visitHiddenControl(element, tag, depth, context);
    const kind = plain && tag.kind !== null ? tag.kind : kindByRole(element, plain);
    const count = childElementCountOf(element);
    if (tag.group && isHiddenSvgGroup(element)) return;
    const wraps = count > 0 && (kind.cell || !kind.alone) && (bare || isElement(firstChildOf(element)));
    const hidden = wraps ? null : this.hiddenExtentIn(element, tag, context);
    if (hidden === 'all') return;
    const collapsed = bare || !tag.collapses ? '' : collapsedState(element, tag, kind);
    if (collapsed !== '') return this.visitCollapsed(collapsed, element, depth, context);
    /** @type {Facts} */
    const facts = {
      element,
      tag,
      kind,
      bare,
      plain,
      count,
      hidden,
      cursor: '',
      nameHasAllText: false,
      whiteSpace: null,
      inLine: null,
      isNotLaidOut: false,
    };
    const isSurelyVisible = context.visibility === TEXT_VISIBLE
      && (tag.hidesNoText || plain && !tag.drawn && this.textCandidates.isSurelyVisible(element));
    const around = isSurelyVisible ? context : this.contextWithVisibility(facts, context);
    if (element === this.scope) return this.visitScope(facts, depth, around);
    if (this.run !== null) this.run.add(LEFT, facts);
    this.enterElement(facts, depth, around);
    if (this.run !== null) this.run.add(RIGHT, facts);
  }

  /**
   * Visit an element whose box has no size. `state`: "clipped" if it clips its content: visit only what is positioned out of it; "unusable"
   * if there is nothing to see or use.
   */
  visitCollapsed(state, element, depth, context) {
    if (state === 'clipped') this.visitUnclippedDescendants(element, depth, context, true);
  }

  /**
   * Return how much of an element `display` and `visibility` hide: "all", "text" or "" (nothing), without a check if all text around is
   * known to be visible.
   */
  hiddenExtentIn(element, tag, context) {
    if (tag.option) return hiddenExtentOfOption(element);
    return context.allTextVisible && tag.isInInnerText && startsWithText(element) ? '' : hiddenExtent(element);
  }

  /**
   * List an element that is hidden from screen readers, if people click it: `<i aria-hidden="true" onclick="…">`, the cross of a chip. Its
   * content is left out.
   */
  visitHiddenControl(element, tag, depth, context) {
    this.addBlank();
    const why = context.inControl ? this.partClickReason(element, tag) : this.hiddenClickReason(element, tag, context);
    if (why === '' || hiddenExtent(element) !== '' || isBehindModal(element)) return;
    if (!context.inControl && !this.all && this.clickables++ >= MAX_CLICKABLES) return;
    const index = this.depths.length;
    const name = context.inControl ? '' : clickableName({ element, kind: GENERIC }).name;
    const kind = tag.name === 'button' ? BUTTON : isLinkTag(element, tag) ? LINK : GENERIC;
    this.pushLine(depth, kind, -idOf(element), name);
    this.boxes.controls++;
    this.states.push([index, why]);
    if (name === '') this.addHint(index, element);
  }

  /** Return why a person may click a hidden part of a control, such as "cursor:pointer"; "" for no reason. */
  partClickReason(element, tag) {
    return hasOwnAction(element, tag, false, this.pointers) ? 'cursor:pointer' : '';
  }

  /** Return why a person may click an `aria-hidden` element outside of controls, as `clickReasons`; "" for no reason. */
  hiddenClickReason(element, tag, context) {
    const facts = { element, kind: GENERIC, tag, bare: false, plain: false };
    return tag.name === 'button' || tag.name === 'a' || mayBeClickable(facts, this.pointers)
      ? reasonsToPressHidden(element, tag, context)
      : '';
  }

  /**
   * Visit the element to which the snapshot is limited. Clickable elements are counted anew: those around it must not use up the limits.
   */
  visitScope(facts, depth, context) {
    this.endText();
    const start = this.depths.length;
    this.clickables = this.cells = this.listedBeyondLimit = 0;
    this.shapes = new ListeningShapes();
    this.enterElement(facts, depth, context);
    this.endText();
    this.range = [start, this.depths.length];
    this.unlistedInScope = this.countUnlisted();
  }

  /** Return how many clickable elements are not listed, since they are too many; those of the scope if there is one. */
  countUnlisted() {
    const beyond = Math.max(this.clickables - MAX_CLICKABLES, 0) + Math.max(this.cells - MAX_CLICKABLES, 0);
    return this.unlistedInScope ?? (this.all ? 0 : Math.max(beyond - this.listedBeyondLimit, 0) + this.shapes.skipped);
  }

  /**
   * Return whether to list a clickable element beyond the limit, since it is new: for example in a list that was opened after the first
   * walk. If not, remember it as unlisted.
   */
  mayListBeyondLimit(element) {
    if (walksBefore > 0 && !unlistedClickables.has(element) && this.listedBeyondLimit < MAX_CLICKABLES) return true;
    unlistedClickables.add(element);
    return false;
  }

  /** List an element and its content (`listElement`), one level deeper in the tree; keep the text of a `<pre>` as code. */
  enterElement(facts, depth, context) {
    const code = this.code;
    if (facts.tag.name === 'pre') this.code = keepsLines(facts);
    this.depth++;
    this.listElement(facts, depth, context);
    this.depth--;
    this.code = code;
  }

  /**
   * Visit those descendants of a box without a size, which clips its content, that can be seen or used: elements positioned out of it, the
   * field by which a code editor takes its keys, and the focused element. `uncontained`: no element in between is positioned.
   */
  visitUnclippedDescendants(element, depth, context, uncontained) {
    uncontained &&= styleOf(element).position === 'static';
    for (const child of childrenOf(element)) {
      if (isText(child)) this.countHiddenText(dataOf(child), context);
      if (!isElement(child) || tagOf(child).isIgnored) continue;
      const position = styleOf(child).position;
      const isReached = child === this.active || isKeyCaptureField(child, element);
      if (isReached || position === 'fixed' || position === 'absolute' && uncontained)
        this.visitElement(child, depth, context);
      else this.visitUnclippedDescendants(child, depth, context, uncontained);
    }
  }

  /** Add a line for an element, or only visit its content, if it has no role, no name and cannot be clicked. */
  listElement(facts, depth, around) {
    const { element, tag, kind, plain, hidden } = facts;
    const context = isWidgetInEditor(facts, around) ? { ...around, inControl: false } : around;
    if (
      hidden === 'text'
      || context.visibility === CLOSED_POPUP && !tag.frame && !isUsableInClosedPopup(element, kind.role)
    )
      return this.visitChildren(facts, depth, this.contextInside(facts, '', context));
    let name = nameForLine(element, kind, tag, plain);
    const click = kind.operable
      ? null
      : context.inControl
      ? this.describePart(facts)
      : this.describeClickable(facts, name, context);
    const why = click === null ? '' : click.why;
    if (click !== null) name = click.name;
    if (context.visibility !== TEXT_VISIBLE && !kind.operable && why === '' && !tag.frame)
      return this.visitChildren(facts, depth, this.contextInside(facts, '', context));
    if (
      why !== '' || name !== '' || !tag.flows && kind !== GENERIC && !kind.flat
      || context.siblingCount > 0 && isSiblingItem(facts, context.siblingCount)
      || kind === GENERIC && this.isScrolledList(facts)
    ) {
      this.addLine(facts, depth, context, name, why);
    } else if (tag.name === 'br') {
      this.endText();
    } else {
      this.visitBox(facts, depth, this.contextInside(facts, name, context));
    }
  }

  /** Return whether an element without role and name scrolls a list. It gets a line, which says how many items are in view. */
  isScrolledList({ element, tag, bare }) {
    if (!tag.scrolls || tag.inline || childElementCountOf(element) === 0) return false;
    const mayScroll = this.scrollers.mayMatch(element, tag, bare)
      || !bare && attr(element, 'style')?.includes('overflow');
    return mayScroll && scrollsItems(element);
  }

  /** Visit an element without a line of its own, and record between which lines its box begins and ends. */
  visitBox(facts, depth, context) {
    const { boxes, textCount, depths: { length } } = this;
    const { controls } = boxes;
    this.visitChildren(facts, depth, context);
    if (boxes.controls > controls) boxes.recordBox(length, this.depths.length, textCount, this.textCount);
  }

  /**
   * Return { why (its `clickReasons`), name } of a clickable element that is no control; null for others. `ownName`: its accessible name.
   * Sets `facts.cursor`, since elements that only inherit that are not clickable themselves.
   */
  describeClickable(facts, ownName, context) {
    if (!this.all && !mayBeClickable(facts, this.pointers)) return null;
    const why = clickReasons(facts, context);
    if (why === '') return null;
    facts.cursor = why.startsWith('cursor:') ? why.slice('cursor:'.length).split(',')[0] : '';
    const counter = counterOf(facts);
    const isBeyond = !this.all && this[counter] >= MAX_CLICKABLES;
    if (isBeyond && !this.mayListBeyondLimit(facts.element)) {
      this[counter]++;
      return null;
    }
    const { name, whole } = clickableName(facts);
    if (!this.all && !deservesLine(facts, why, name, whole)) return null;
    this[counter]++;
    if (isBeyond) this.listedBeyondLimit++;
    facts.nameHasAllText = whole && ownName === '' && !hasTextReplacedByLabel(facts.element);
    return { why, name: ownName || name };
  }

  /** Return { why, name } of a part of a control that acts on a click itself, such as the cross in a chip; null for others. */
  describePart(facts) {
    if (!hasOwnAction(facts.element, facts.tag, facts.bare, this.pointers)) return null;
    return { why: 'cursor:pointer', name: isInField(facts.element) ? clickableName(facts).name : '' };
  }

  /** Add the line of an element, then visit its content. `why`: its `clickReasons`, "" for an element with a role. */
  addLine(facts, depth, context, name, why) {
    const { element, tag, kind } = facts;
    const joins = !context.inName && context.visibility === TEXT_VISIBLE && (kind.joins || why !== '' && tag.inline);
    const run = this.suspendText(joins);
    const index = this.depths.length;
    this.pushLine(depth, kind, why ? -idOf(element) : idOf(element), name);
    const isControl = kind.operable || why !== '';
    if (isControl) this.boxes.controls++;
    const isOffScreen = isControl && context.visibility === OFF_SCREEN && !isUsableUnseen(element, kind.role);
    this.addStatesAndValue(index, facts, why, isOffScreen);
    if (name === '' && context.inName && TICKED_ROLES.has(kind.role)) this.addTextBeside(index, element);
    else if (name === '' && context.inName && why !== '' && kind === GENERIC)
      this.addHintWithTextBeside(index, element);
    else if (name === '' && (kind.operable || why !== '' || tag.frame)) this.addHint(index, element);
    else if (context.inName && kind.operable && kind.joins || context.inControl && isOnlySymbols(name))
      this.addTextBeside(index, element);
    else if (tag.name === 'input') this.addTextUnderField(index, element);
    const text = why === '' && !context.inName && kind.adopts && !tag.frame && !hidesLooseText(facts)
      ? this.onlyTextOf(facts)
      : null;
    if (text !== null) return this.finishLeaf(index, kind, cleanText(shownText(text, element)));
    this.visitChildren(facts, depth + 1, this.contextInside(facts, name, context));
    this.finishLine(index, facts, why);
    if (why === 'listener' && name === '' && this.isLastAndEmpty(index)) {
      const isSkipped = !this.all && this.shapes.skipIfRepeated(element, this.hints.at(-1));
      if (isSkipped || !hasVisibleSize(element)) { // an empty one is mostly the container of React's popups
        this.dropLine(index);
        this[counterOf(facts)]--;
      }
    }
    if (joins) this.resumeText(run, index, facts, name, depth);
  }

  /** Return the context for the content of an element. `name`: the name on its line, "" for none. */
  contextInside(facts, name, context) {
    const { element, tag, kind, count, cursor, nameHasAllText } = facts;
    const inControl = context.inControl || kind.swallows || isLabel(element, tag);
    const inName = context.inName || name !== '' && (kind.covers || nameHasAllText) || kind.field;
    const siblingCount = count >= MANY_SIBLINGS ? MANY_SIBLINGS : count >= MIN_SIBLINGS ? MIN_SIBLINGS : 0;
    const inheritedCursor = cursor || (context.cursor === '' ? '' : pointerCursorOf(element));
    const allTextVisible = context.allTextVisible || count >= MIN_TEXT_CHECK_CHILDREN && this.hasAllTextVisible(facts);
    if (
      inControl === context.inControl && inName === context.inName && siblingCount === context.siblingCount
      && inheritedCursor === context.cursor && allTextVisible === context.allTextVisible
    ) return context;
    return {
      inControl,
      inName,
      siblingCount,
      cursor: inheritedCursor,
      allTextVisible,
      child: true,
      visibility: context.visibility,
    };
  }

  /** Return whether all text in an element is visible, by one check for all: it saves one for each cell of most lists and tables. */
  hasAllTextVisible(facts) {
    if (this.failedTextChecks > MAX_FAILED_TEXT_CHECKS || facts.hidden === 'text') return false;
    facts.hidden ??= hiddenExtent(facts.element);
    const isVisible = facts.hidden === '' && displaysAllText(facts.element);
    if (!isVisible) this.failedTextChecks++;
    return isVisible;
  }
}

/**
 * Return the accessible name to print on the snapshot line of an element; "" for cells, rows and elements without a role, whose content is
 * printed, unless an ARIA attribute names them. `kind`, `tag`: facts about its role and tag; `plain`: it has only attributes such as class
 * and id.
 */
function nameForLine(element, kind, tag, plain) {
  if (tag.slot) return '';
  if (kind.named) return exactNameOf(element, kind.role, !kind.operable);
  if (plain && !tag.named) return '';
  if (kind === GENERIC || kind.cell || kind.role === 'row')
    return !plain && hasAriaNameAttribute(element) ? exactNameOf(element, kind.role) : '';
  return exactNameOf(element, kind.role);
}

/** Return whether a modal dialog (`aria-modal`) is open and the element is not in it, so that it cannot be clicked. */
function isBehindModal(element) {
  const dialog = queryOneIn(treeOf(element), '[aria-modal=true]');
  return dialog !== null && hiddenExtent(dialog) === '' && !containsNode(dialog, element);
}

/**
 * Return whether an element is a widget in a rich-text editor, such as a drag handle (`contenteditable=false`), and so no part of the
 * editor's value. `bare`: it has no attributes; `context`: what holds for all elements inside its parent.
 */
const isWidgetInEditor = ({ element, bare }, context) =>
  context.inControl && context.inName && !bare && attr(element, 'contenteditable') === 'false';
const TICKED_ROLES = new Set(['checkbox', 'radio', 'switch']);

/**
 * Return whether an element without role and name gets a snapshot line, as an item among `siblings` elements. Of 8 or more siblings: each
 * that is laid out as a block; of 3 to 7: a `<div>` with several elements that does not begin with text. `facts`: its `Facts`.
 */
const isSiblingItem = (facts, siblings) =>
  siblings < MANY_SIBLINGS
    ? facts.tag.name === 'div' && facts.count > 1 && !startsWithText(facts.element)
    : !((facts.tag.inline || facts.tag.custom) && flowsInLine(facts));

const unlistedClickables = new WeakSet(); // clickable elements that were met and not listed
let walksBefore = 0; // if there was one, an element that is new to this walk was added since
let elementsOfLastWalk = 0; // that it has read

/** Walk the DOM tree of the page once, with the options of `walkPage`. Return the finished `Walk`. */
function runWalk(options) {
  beginReading();
  const walk = new Walk(options);
  walk.visitDocument(document, 0, TEXT_VISIBLE);
  return walk;
}

/**
 * Walk the DOM tree of the page, and return the lines of its snapshot, encoded for snapshot/walked.py. `options`: { clickable: list all
 * clickable elements, scope: key of the element to which it is limited, addresses: include the URLs of links }. If a modal dialog in a
 * shadow tree is found, the walk is repeated, since elements listed before may be inert.
 */
function walkPage(options) {
  sweepTable();
  forgetCustomElements();
  let dialogs = shadowModalCount();
  let walk = runWalk(options);
  for (; dialogs !== shadowModalCount(); walk = runWalk(options)) dialogs = shadowModalCount();
  table.trees = walk.trees.map(({ root }) => weakRefTo(root));
  walksBefore++;
  elementsOfLastWalk = elementsReadSoFar();
  const encoded = encodeWalk(walk);
  noteControls(walk.trees.map(({ root }) => root), elementsOfLastWalk); // after all listed elements have got their ids
  return encoded;
}

/**
 * Walk the page again, since more click listeners are known, and return its lines as `walkPage` does; "" if Python has to call
 * `storeInternals` first. The new walk replaces the last one: elements which only the new one lists do not count as added by the page.
 */
function repeatWalk(options) {
  walksBefore = Math.max(walksBefore - 1, 0);
  return invoke('walkPage', [options]).slice(2); // without what `packAnswer` has put before it
}

/**
 * Remember a custom element, so that Python reads its ElementInternals, or a `<dialog>` that is modal and in a shadow tree. `tag`: facts
 * about its tag (`tagOf`).
 */
function noteCustomOrDialog(element, tag) {
  if (tag.custom) noteCustomElement(element, tag);
  else noteModalInShadow(element);
}

/**
 * Return the `Kind` of an element: the facts about its role. `plain`: it has only attributes such as class and id, so that fewer of them
 * are read.
 */
const kindByRole = (element, plain) => kindOf(plain ? roleOf(element) : contentRole(element));

Object.assign(exported, { walkPage });

// Click listeners that Python has found. Most do not change a snapshot: buttons and links are listed anyway, and a listener on the whole
// page belongs to a framework. The page is walked again only if a new listener may change the lines.

// The context of `clickReasons` outside of a walk: no ancestor has a pointer cursor, so no reason is left out.
const NO_CONTEXT = { cursor: '' };

/**
 * Mark nodes as listening for clicks, and walk the page again if a snapshot may list one. Return one text of three parts: "+" if one of
 * them may listen on behalf of its descendants, else "-"; "!" if the page has changed since they were found, else "="; a new walk of the
 * page (with `options`), or "" if that would list none of them.
 */
function reportListeners(options, ...nodes) {
  beginCall(); // Python calls this with nodes (closed_roots.py), and not by `invoke`
  const before = elementsOfLastWalk;
  const walk = walkAgainIfListed(options, nodes);
  const hasChanged = elementsOfLastWalk !== before || nodes.some((node) => !isConnected(node));
  return `${nodes.some(mayDelegate) ? '+' : '-'}${hasChanged ? '!' : '='}${walk}`;
}

/** Return whether a node that listens for clicks may do so on behalf of its descendants: it has some, and is no control. */
const mayDelegate = (node) => !isElement(node) || childElementCountOf(node) > 0 && !kindOf(roleOf(node)).operable;

/**
 * Mark elements as listening for clicks, as delegated.js has found them: `places`, their indices among all elements of the page; `tags`,
 * their tag names; `elements`, the number of all. Return a new walk of the page (with `options`); "" if that would list none of them, or
 * the page has changed since. `hasTreesInside`: elements of shadow trees and frames count, too.
 */
function reportListenersByIndex(options, { elements, places, tags }, hasTreesInside) {
  const all = hasTreesInside ? elementsOfTrees() : queryAllIn(document, '*');
  if (all.length !== elements || places.some((place, index) => localNameOf(all[place]) !== tags[index])) return '';
  const before = elementsOfLastWalk;
  const walk = walkAgainIfListed(options, places.map((place) => all[place]));
  return elementsOfLastWalk === before ? walk : '';
}

/**
 * Return all elements of the document, its open shadow trees and its same-origin frames, in the order in which delegated.js counts them.
 */
function elementsOfTrees() {
  const trees = [document], all = [];
  for (const tree of trees) {
    for (const element of queryAllIn(tree, '*')) {
      all.push(element);
      const inside = openShadowRootOf(element);
      if (inside) trees.push(inside);
    }
    trees.push(...[...queryAllIn(tree, 'iframe')].map(contentDocumentOf).filter(Boolean));
  }
  return all;
}

/**
 * Mark nodes as listening for clicks. If a snapshot may list one of them for that, walk the page again and return the new walk, else "".
 */
function walkAgainIfListed(options, nodes) {
  const newListeners = nodes.filter((node) => isElement(node) && !listensForClicks(node));
  const isInside = newListeners.some(isInsideListener); // asked before they are marked themselves
  markListeners(...nodes);
  const isNeeded = isInside || newListeners.length > 0 && hasGrid() || newListeners.some(mayBeListed);
  return isNeeded ? repeatWalk(options) : '';
}

/**
 * Return whether an ancestor of a node listens for clicks, and so may be listed in the snapshot: once the node is known to listen, too, the
 * ancestor may not be listed any more.
 */
function isInsideListener(node) {
  for (const ancestor of ancestorsOf(node))
    if (listensForClicks(ancestor) && !delegatingListeners.has(ancestor)) return true;
  return false;
}

/** Return whether the page has a grid: the cells of a grid are listed if an element around them listens for clicks. */
const hasGrid = () => aliveNodes(table.trees).some((root) => queryOneIn(root, '[role*=grid i]') !== null);

/** Return whether a snapshot may list an element (or a part of it), now that it is known to listen for clicks. */
function mayBeListed(element) {
  if (hiddenExtent(element) !== '') return false;
  const [tag, bare] = [tagOf(element), !hasAttrs(element)];
  const plain = bare || hasOnlyPlainAttributes(element);
  if (!plain && isHiddenByAttribute(element)) return true;
  const kind = plain && tag.kind !== null ? tag.kind : kindByRole(element, plain);
  return clickReasons({ element, kind, tag, bare }, NO_CONTEXT) !== '' || isListenerOfItems(element)
    || queryOne(element, NAMED_PARTS) !== null;
}

Object.assign(exported, { reportListeners, reportListenersByIndex });

/** Return whether the first child of an element is a text node with more than white space. */
function startsWithText(element) {
  const first = firstChildOf(element);
  return first !== null && isText(first) && /\S/.test(dataOf(first));
}
