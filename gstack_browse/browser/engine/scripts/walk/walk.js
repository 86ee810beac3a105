// The walk: one pass over everything that this frame can reach, in the order a person meets it, as compact columns.
//
// Every element that has a role gets a line and an id, whatever is printed later. Text that is not already part
// of a name gets a line without one. Nothing is asked of an element that its tag, its role or its neighbours
// already answer: what is left costs about 1 µs per element.

import { meetControls } from './nodes.js';
import { BUTTON, GENERIC, kindOf } from '../accname/kinds.js';
import { shownText } from '../accname/contents.js';
import { isSign } from '../accname/hints.js';
import { exactNameOf, isNamedAnyway } from '../accname/names.js';
import { roleOf, tagOf } from '../accname/roles.js';
import { contentRole } from '../accname/values.js';
import {
  clickableName,
  clickReasons,
  hasArea,
  holdsOtherWords,
  isInField,
  isLabel,
  isPartOfItsOwn,
  isWorthALine,
  MAX_CLICKABLES,
  mayBeClickable,
  pointerCursorOf,
  pressedThoughHidden,
} from '../clickable/clickable.js';
import { childElementCountOf, containsNode, dataOf, firstChildOf } from '../dom/accessors.js';
import {
  attr,
  childrenOf,
  cleanText,
  exported,
  hasAttrs,
  isElement,
  isQuiet,
  isText,
  queryTree,
  treeOf,
} from '../dom/dom.js';
import { forgetCustoms, noteCustom } from '../dom/internals.js';
import { beginReading, invoke, mayRead, readSoFar } from '../dom/invoke.js';
import { idOf, sweepTable, table, weakly } from '../dom/node-table.js';
import { Shapes } from '../visibility/drawings.js';
import {
  collapse,
  hasWords,
  hiddenness,
  isClosedOff,
  isKeyCatcher,
  isUndrawnGroup,
  optionHiddenness,
  showsAllWords,
  styleOf,
} from '../visibility/hidden.js';
import { CLOSED, isOpenToUse, isUsedUnseen, OFF_SCREEN, SEEN } from '../visibility/unseen.js';
import { meetDialog, modalsMet } from '../visibility/visible.js';
import { flowsInLine, keepsLines, LEFT, RIGHT } from './flow.js';
import { encode } from './lines.js';
import { scrollsItems } from './scrolling.js';
import { isShut, Trees } from './trees.js';

const SIBLINGS = 3; // from here on generic blocks of several elements are listed: what is in one of them belongs together
const MANY_SIBLINGS = 8; // from here on generic siblings are listed too, so that a long run of them can be folded
const MANY_WORDS = 24; // of so many children at once it is asked whether their words are shown: of fewer, one by one, that is cheaper
/** Return the field that counts a clickable element: rows and cells have their own limit, so that a grid uses up no other. */
const counterOf = ({ kind }) => kind.cell || kind.role === 'row' ? 'cells' : 'clickables';
const MAX_DEPTH = 700; // of the composed tree: the parser stops at 512, scripts that go deeper attack the stack
const MAX_DOUBTS = 8; // so that a page with hidden words everywhere is not read again and again

/**
 * What the walk has found out about an element.
 *
 * element: with `tag`, facts about its tag (accname/roles.js), and `kind`, facts about its role (accname/kinds.js)
 * plain: it has no attributes; quiet: none that tells anything of a name, role or state
 * count: of its child elements
 * hidden: see `hiddenness`; null where only its children were asked
 * cursor: the pointer or drag cursor that it sets itself, "" for none
 * isAllTold: its name has all words in it
 * whiteSpace, inLine: kept by `keepsLines` and `flowsInLine`, null before these
 * isNotLaidOut: the text right inside has no box
 * @typedef {{ element: any, tag: any, kind: any, plain: boolean, quiet: boolean, count: number, hidden: string | null, cursor: string,
 *   isAllTold: boolean, whiteSpace: string | null, inLine: boolean | null, isNotLaidOut: boolean }} Facts
 */

/** One walk over the page: decides for each element whether it gets a line, and which. `encode` reads the result off its fields. */
class Walk extends Trees {
  constructor(options) {
    super(options);
    this.all = options.clickable === true; // ask every element whether it can be clicked
    this.clickables = 0; // clickable elements that are no controls, so far, without rows and cells
    this.cells = 0; // clickable rows and cells so far
    this.shapes = new Shapes();
    this.late = 0; // those of both that are listed beyond MAX_CLICKABLES
    /** @type {number | null} */
    this.uncounted = null; // clickable elements without a line in the scope, null before that was walked
    this.scope = options.scope && table.scope?.key === String(options.scope) ? table.scope.node.deref() || null : null;
    this.range = this.scope === null ? null : [0, 0]; // first and last line of the scope: none before it is met
    this.doubts = 0; // elements that did not prove their words
  }

  /** @override */
  visitElement(element, depth, context) {
    const tag = tagOf(element);
    if (tag.isIgnored || this.depth > MAX_DEPTH || !mayRead()) return;
    if (tag.custom || tag.name === 'dialog') noteCustomOrDialog(element, tag);
    const plain = !hasAttrs(element);
    const quiet = plain || isQuiet(element);
    if (this.modal !== null && this.modal.blocks(element)) return this.addBlank();
    if (!quiet && isClosedOff(element)) return this.visitClosedOff(element, tag, depth, context);
    const kind = quiet && tag.kind !== null ? tag.kind : kindByRole(element, quiet);
    const count = childElementCountOf(element);
    if (tag.group && isUndrawnGroup(element)) return;
    const wraps = count > 0 && (kind.cell || !kind.alone) && (plain || isElement(firstChildOf(element)));
    const hidden = wraps ? null : this.hiddennessIn(element, tag, context);
    if (hidden === 'none') return;
    const collapsed = plain || !tag.collapses ? '' : collapse(element, tag, kind);
    if (collapsed !== '') return this.visitCollapsed(collapsed, element, depth, context);
    /** @type {Facts} */
    const facts = {
      element,
      tag,
      kind,
      plain,
      quiet,
      count,
      hidden,
      cursor: '',
      isAllTold: false,
      whiteSpace: null,
      inLine: null,
      isNotLaidOut: false,
    };
    const seen = context.sight === SEEN
      && (tag.ignoresSight || quiet && !tag.drawn && this.unseen.isSurelyVisible(element));
    const around = seen ? context : this.contextWithSight(facts, context);
    if (element === this.scope) return this.visitScope(facts, depth, around);
    if (this.run !== null) this.run.add(LEFT, facts);
    this.enterElement(facts, depth, around);
    if (this.run !== null) this.run.add(RIGHT, facts);
  }

  /** Visit an element without a size: what is positioned out of it if it only clips its content (`how`: see `collapse`), else nothing. */
  visitCollapsed(how, element, depth, context) {
    if (how === 'clipped') this.visitUnclipped(element, depth, context, true);
  }

  /** Return whether an element is hidden, as `hiddenness` does; without asking it where the context has proved that all text is shown. */
  hiddennessIn(element, tag, context) {
    if (tag.option) return optionHiddenness(element);
    return context.allTextShown && tag.isInInnerText && hasWords(element) ? '' : hiddenness(element);
  }

  /**
   * List an element that is hidden from screen readers, and clicked by people all the same: `<i aria-hidden="true" onclick="…">`, the
   * cross of a chip. Its content is left out.
   */
  visitClosedOff(element, tag, depth, context) {
    this.addBlank();
    const why = context.inControl ? this.partReason(element, tag) : this.pressReason(element, tag, context);
    if (why === '' || hiddenness(element) !== '' || isBehindModal(element)) return;
    if (!context.inControl && !this.all && this.clickables++ >= MAX_CLICKABLES) return;
    const index = this.depths.length;
    const name = context.inControl ? '' : clickableName({ element, kind: GENERIC }).name;
    this.pushLine(depth, tag.name === 'button' ? BUTTON : GENERIC, -idOf(element), name);
    this.boxes.controls++;
    this.states.push([index, why]);
    if (name === '') this.addHint(index, element);
  }

  /** Return why a hidden element within a control is clicked apart from the control; "" for no reason. */
  partReason(element, tag) {
    return isPartOfItsOwn(element, tag, false, this.pointers) ? 'cursor:pointer' : '';
  }

  /** Return why a hidden element outside of controls is clicked; "" for no reason. */
  pressReason(element, tag, context) {
    const asked = { element, kind: GENERIC, tag, plain: false, quiet: false };
    return tag.name === 'button' || mayBeClickable(asked, this.pointers)
      ? pressedThoughHidden(element, tag, context)
      : '';
  }

  /**
   * Visit the element to which the snapshot is limited. Lines and clickable elements are counted anew: what is around it must not use
   * up the limits.
   */
  visitScope(facts, depth, context) {
    this.endText();
    const start = this.depths.length;
    this.clickables = this.cells = this.late = 0;
    this.shapes = new Shapes(); // what is around it takes no places from what is in it
    this.enterElement(facts, depth, context);
    this.endText();
    this.range = [start, this.depths.length];
    this.uncounted = this.countUnlisted();
  }

  /** Return how many clickable elements have no line, since they are too many: in the scope, if there is one. */
  countUnlisted() {
    const beyond = Math.max(this.clickables - MAX_CLICKABLES, 0) + Math.max(this.cells - MAX_CLICKABLES, 0);
    return this.uncounted ?? (this.all ? 0 : Math.max(beyond - this.late, 0) + this.shapes.counted);
  }

  /**
   * Whether a clickable element beyond the limit is listed all the same, since it is new: for example in a list that was opened after
   * the first walk. Else remember it as unlisted.
   */
  mayListLate(element) {
    if (isLaterWalk && !unlistedClickables.has(element) && this.late < MAX_CLICKABLES) return true;
    unlistedClickables.add(element);
    return false;
  }

  /** Visit an element one level deeper, and its text as code inside of `<pre>`. */
  enterElement(facts, depth, context) {
    const code = this.code;
    if (facts.tag.name === 'pre') this.code = keepsLines(facts);
    this.depth++;
    this.listElement(facts, depth, context);
    this.depth--;
    this.code = code;
  }

  /**
   * Visit what can be seen or used in an element of no size that clips its content: elements positioned out of it, the field in which
   * an editor takes its keys (the only way into the editor), and the focused element. `uncontained`: no element between is
   * positioned.
   */
  visitUnclipped(element, depth, context, uncontained) {
    uncontained &&= styleOf(element).position === 'static';
    for (const child of childrenOf(element)) {
      if (isText(child)) this.countHiddenText(dataOf(child), context);
      if (!isElement(child) || tagOf(child).isIgnored) continue;
      const position = styleOf(child).position;
      const isReached = child === this.active || isKeyCatcher(child, element);
      if (isReached || position === 'fixed' || position === 'absolute' && uncontained)
        this.visitElement(child, depth, context);
      else this.visitUnclipped(child, depth, context, uncontained);
    }
  }

  /** Add a line for an element, or only visit its content, if it has no role, no name and cannot be clicked. */
  listElement(facts, depth, around) {
    const { element, tag, kind, quiet, hidden } = facts;
    const context = isWidgetInEditor(facts, around) ? { ...around, inControl: false } : around;
    if (hidden === 'self' || context.sight === CLOSED && !tag.frame && !isOpenToUse(element, kind.role))
      return this.visitChildren(facts, depth, this.contextInside(facts, '', context));
    let name = nameForLine(element, kind, tag, quiet);
    const click = kind.operable
      ? null
      : context.inControl
      ? this.describePart(facts)
      : this.describeClickable(facts, name, context);
    const why = click === null ? '' : click.why;
    if (click !== null) name = click.name;
    if (context.sight !== SEEN && !kind.operable && why === '' && !tag.frame)
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

  /** Whether an element without role and name scrolls a list: it gets a line, on which the part in view is printed. */
  isScrolledList({ element, tag, plain }) {
    if (!tag.scrolls || tag.inline || childElementCountOf(element) === 0) return false;
    const isMeant = this.scrollers.mayMatch(element, tag, plain)
      || !plain && attr(element, 'style')?.includes('overflow');
    return isMeant && scrollsItems(element);
  }

  /** Visit an element without a line of its own, and note where its box begins and ends. */
  visitBox(facts, depth, context) {
    const { boxes, textCount, depths: { length } } = this;
    const { controls } = boxes;
    this.visitChildren(facts, depth, context);
    if (boxes.controls > controls) boxes.note(length, this.depths.length, textCount, this.textCount);
  }

  /**
   * Return { why, name } of a clickable element that is no control; null for others. `ownName`: its accessible name. Notes the
   * cursor: what merely inherits that is not clickable by itself.
   */
  describeClickable(facts, ownName, context) {
    if (!this.all && !mayBeClickable(facts, this.pointers)) return null;
    const why = clickReasons(facts, context);
    if (why === '') return null;
    facts.cursor = why.startsWith('cursor:') ? why.slice('cursor:'.length).split(',')[0] : '';
    const counter = counterOf(facts);
    const isBeyond = !this.all && this[counter] >= MAX_CLICKABLES;
    if (isBeyond && !this.mayListLate(facts.element)) {
      this[counter]++;
      return null;
    }
    const { name, whole } = clickableName(facts);
    if (!this.all && !isWorthALine(facts, why, name, whole)) return null;
    this[counter]++;
    if (isBeyond) this.late++;
    facts.isAllTold = whole && ownName === '' && !holdsOtherWords(facts.element);
    return { why, name: ownName || name };
  }

  /** Return { why, name } of a part of a control that does something else when clicked, such as the cross in a chip; null for others. */
  describePart(facts) {
    if (!isPartOfItsOwn(facts.element, facts.tag, facts.plain, this.pointers)) return null;
    return { why: 'cursor:pointer', name: isInField(facts.element) ? clickableName(facts).name : '' };
  }

  /** Add the line of an element, then its content: `name`, and the reasons `why` it can be clicked, "" for a role. */
  addLine(facts, depth, context, name, why) {
    const { element, tag, kind } = facts;
    const joins = !context.inName && context.sight === SEEN && (kind.joins || why !== '' && tag.inline);
    const run = this.suspendText(joins);
    const index = this.depths.length;
    this.pushLine(depth, kind, why ? -idOf(element) : idOf(element), name);
    const isControl = kind.operable || why !== '';
    if (isControl) this.boxes.controls++;
    const isOffScreen = isControl && context.sight === OFF_SCREEN && !isUsedUnseen(element, kind.role);
    this.addStatesAndValue(index, facts, why, isOffScreen);
    if (name === '' && context.inName && TICKED_ROLES.has(kind.role)) this.addTextBeside(index, element);
    else if (name === '' && context.inName && why !== '' && kind === GENERIC)
      this.addHintWithTextBeside(index, element);
    else if (name === '' && (kind.operable || why !== '' || tag.frame)) this.addHint(index, element);
    else if (context.inName && kind.operable && kind.joins || context.inControl && isSign(name))
      this.addTextBeside(index, element);
    else if (tag.name === 'input') this.addTextUnderField(index, element);
    const text = why === '' && !context.inName && kind.adopts && !tag.frame && !isShut(facts)
      ? this.loneTextOf(facts)
      : null;
    if (text !== null) return this.finishLeaf(index, kind, cleanText(shownText(text, element)));
    this.visitChildren(facts, depth + 1, this.contextInside(facts, name, context));
    this.finishLine(index, facts, why);
    if (why === 'listener' && name === '' && this.isLastAndEmpty(index)) {
      const isCounted = !this.all && this.shapes.isOneMore(element, this.hints.at(-1));
      if (isCounted || !hasArea(element)) { // such as where React puts what pops up
        this.dropLine(index);
        this[counterOf(facts)]--;
      }
    }
    if (joins) this.resumeText(run, index, facts, name, depth);
  }

  /** Return the context for the content of an element. `name`: the name that its line has, "" for none. */
  contextInside(facts, name, context) {
    const { element, tag, kind, count, cursor, isAllTold } = facts;
    const inControl = context.inControl || kind.swallows || isLabel(element, tag);
    const inName = context.inName || name !== '' && (kind.covers || isAllTold) || kind.field;
    const siblingCount = count >= MANY_SIBLINGS ? MANY_SIBLINGS : count >= SIBLINGS ? SIBLINGS : 0;
    const inheritedCursor = cursor || (context.cursor === '' ? '' : pointerCursorOf(element));
    const allTextShown = context.allTextShown || count >= MANY_WORDS && this.showsAllItsWords(facts);
    if (
      inControl === context.inControl && inName === context.inName && siblingCount === context.siblingCount
      && inheritedCursor === context.cursor && allTextShown === context.allTextShown
    ) return context;
    return {
      inControl,
      inName,
      siblingCount,
      cursor: inheritedCursor,
      allTextShown,
      child: true,
      sight: context.sight,
    };
  }

  /** Whether all text in an element is visible, by one question for all of it. Saves one for each cell of most lists and tables. */
  showsAllItsWords(facts) {
    if (this.doubts > MAX_DOUBTS || facts.hidden === 'self') return false;
    facts.hidden ??= hiddenness(facts.element);
    const proven = facts.hidden === '' && showsAllWords(facts.element);
    if (!proven) this.doubts++;
    return proven;
  }
}

/**
 * Return the accessible name that makes an element worth a line, with its no-break spaces; "" for cells, rows and generic elements,
 * whose content says it all, unless the author has named them.
 */
function nameForLine(element, kind, tag, quiet) {
  if (tag.slot) return '';
  if (kind.named) return exactNameOf(element, kind.role, !kind.operable);
  if (quiet && !tag.named) return '';
  if (kind === GENERIC || kind.cell || kind.role === 'row')
    return !quiet && isNamedAnyway(element) ? exactNameOf(element, kind.role) : '';
  return exactNameOf(element, kind.role);
}

/**
 * Whether a modal dialog (`aria-modal`) is open, and the element is not in it: then the page is `aria-hidden`, and nothing in it is
 * clicked.
 */
function isBehindModal(element) {
  const dialog = queryTree(treeOf(element), '[aria-modal=true]');
  return dialog !== null && hiddenness(dialog) === '' && !containsNode(dialog, element);
}

/**
 * Whether an element is a widget within an editor, such as a drag handle or checkbox: `contenteditable=false`. The text of an editor is
 * its value, this is no part of it.
 */
const isWidgetInEditor = ({ element, plain }, context) =>
  context.inControl && context.inName && !plain && attr(element, 'contenteditable') === 'false';
const TICKED_ROLES = new Set(['checkbox', 'radio', 'switch']);

/**
 * Whether a sibling without role and name gets a line as an item. Of 8 or more siblings: any that is laid out as a block. Of 3 to 7: a
 * `<div>` with several elements that does not begin with text.
 */
const isSiblingItem = (facts, siblings) =>
  siblings < MANY_SIBLINGS
    ? facts.tag.name === 'div' && facts.count > 1 && !hasWords(facts.element)
    : !((facts.tag.inline || facts.tag.custom) && flowsInLine(facts));

const unlistedClickables = new WeakSet(); // clickable elements that were met and not listed
let isLaterWalk = false; // the page was walked before: what is new to this walk has come since
let wasLaterWalk = false; // the same at the last walk
let elements = 0; // that the last walk has read

/** Walk the page once. Return the finished `Walk`. */
function runWalk(options) {
  beginReading();
  const walk = new Walk(options);
  walk.visitDocument(document, 0, SEEN);
  return walk;
}

/**
 * Walk the page, and return the result for snapshot/walked.py (see `encode`). Walks again if a modal dialog of a shadow tree was met,
 * since what was walked before may lie behind it. Python calls this.
 */
function walkPage(options) {
  sweepTable();
  forgetCustoms();
  let met = modalsMet();
  let walk = runWalk(options);
  for (; met !== modalsMet(); walk = runWalk(options)) met = modalsMet(); // what it has walked lies behind that
  table.trees = walk.trees.map(({ root }) => weakly(root));
  [wasLaterWalk, isLaterWalk] = [isLaterWalk, true];
  elements = readSoFar();
  const encoded = encode(walk);
  meetControls(walk.trees.map(({ root }) => root), elements); // once all that it lists has its id
  return encoded;
}

/** Return how many elements the last walk has read. */
export const elementsWalked = () => elements;

/** Repeat the last walk once listeners are known. What only this walk lists was there at the last one, and is not new. */
export function repeatWalk(options) {
  isLaterWalk = wasLaterWalk;
  return invoke('walkPage', [options]);
}

/** Note a custom element, whose internals Python may have to read, or an open modal dialog. */
function noteCustomOrDialog(element, tag) {
  if (tag.custom) noteCustom(element, tag);
  else meetDialog(element);
}

/** Return the facts about the role of an element. */
const kindByRole = (element, quiet) => kindOf(quiet ? roleOf(element) : contentRole(element));

Object.assign(exported, { walkPage });
