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
  handOf,
  hasArea,
  holdsOtherWords,
  isInField,
  isLabel,
  isPartOfItsOwn,
  isWorthALine,
  MAX_CLICKABLES,
  mayBeClickable,
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
import { BEYOND, CLOSED, isOpenToUse, isUsedUnseen, SEEN } from '../visibility/unseen.js';
import { meetDialog, modalsMet } from '../visibility/visible.js';
import { flowsInLine, keepsLines, LEFT, RIGHT } from './flow.js';
import { encode } from './lines.js';
import { scrollsItems } from './scrolling.js';
import { isShut, Trees } from './trees.js';

const SIBLINGS = 3; // from here on generic blocks of several elements are listed: what is in one of them belongs together
const MANY_SIBLINGS = 8; // from here on generic siblings are listed too, so that a long run of them can be folded
const MANY_WORDS = 24; // of so many children at once it is asked whether their words are shown: of fewer, one by one, that is cheaper
// Rows and cells have a hundred places of their own: a grid takes none from what stands behind it.
const counterOf = ({ kind }) => kind.cell || kind.role === 'row' ? 'cells' : 'clickables';
const MAX_DEPTH = 700; // of the composed tree: the parser stops at 512, scripts that go deeper attack the stack
const MAX_DOUBTS = 8; // so that a page with hidden words everywhere is not read again and again

class Walk extends Trees {
  constructor(options) {
    super(options);
    this.all = options.clickable === true; // ask every element whether it can be clicked
    this.clickables = this.cells = 0;
    this.shapes = new Shapes();
    this.late = 0; // of them, those that are listed beyond the hundred
    /** @type {number | null} */
    this.uncounted = null; // how many in the part that is asked for
    this.scope = options.scope && table.scope?.key === String(options.scope) ? table.scope.node.deref() || null : null;
    this.range = this.scope === null ? null : [0, 0]; // of what is not met nothing is shown
    this.doubts = 0; // elements that did not prove their words
  }

  /** @override */
  element(element, depth, context) {
    const tag = tagOf(element);
    if (tag.silent || this.depth > MAX_DEPTH || !mayRead()) return;
    if (tag.custom || tag.name === 'dialog') noteSpecial(element, tag);
    const plain = !hasAttrs(element);
    const quiet = plain || isQuiet(element);
    if (this.modal !== null && this.modal.blocks(element)) return this.skip();
    if (!quiet && isClosedOff(element)) return this.closedOff(element, tag, depth, context);
    const kind = quiet && tag.kind !== null ? tag.kind : kindByRole(element, quiet);
    const count = childElementCountOf(element);
    if (tag.group && isUndrawnGroup(element)) return;
    const wraps = count > 0 && (kind.cell || !kind.alone) && (plain || isElement(firstChildOf(element)));
    const hidden = wraps ? null : this.hiddenness(element, tag, context);
    if (hidden === 'none') return;
    const collapsed = plain || !tag.collapses ? '' : collapse(element, tag, kind);
    if (collapsed !== '') return this.collapsed(collapsed, element, depth, context);
    const it = {
      element,
      tag,
      kind,
      plain,
      quiet,
      count,
      hidden,
      hand: '',
      told: false,
      white: null,
      inLine: null,
      shut: false,
    };
    const seen = context.sight === SEEN && (tag.alwaysTold || quiet && !tag.drawn && this.unseen.spares(element));
    const around = seen ? context : this.sighted(it, context);
    if (element === this.scope) return this.scoped(it, depth, around);
    if (this.run !== null) this.run.add(LEFT, it);
    this.inside(it, depth, around);
    if (this.run !== null) this.run.add(RIGHT, it);
  }

  collapsed(how, element, depth, context) {
    if (how === 'clipped') this.escaping(element, depth, context, true);
  }

  hiddenness(element, tag, context) {
    if (tag.option) return optionHiddenness(element);
    return context.proven && tag.proves && hasWords(element) ? '' : hiddenness(element);
  }

  // Hidden from screen readers, which have keys for that, and pressed all the same: the cross of a chip, an icon with a handler.
  closedOff(element, tag, depth, context) {
    this.skip();
    const why = context.operable ? this.partOf(element, tag) : this.pressedWhy(element, tag, context);
    if (why === '' || hiddenness(element) !== '' || isBehindModal(element)) return;
    if (!context.operable && !this.all && this.clickables++ >= MAX_CLICKABLES) return;
    const index = this.depths.length;
    const name = context.operable ? '' : clickableName({ element, kind: GENERIC }).name;
    this.push(depth, tag.name === 'button' ? BUTTON : GENERIC, -idOf(element), name);
    this.boxes.controls++;
    this.states.push([index, why]);
    if (name === '') this.hint(index, element);
  }

  partOf(element, tag) {
    return isPartOfItsOwn(element, tag, false, this.pointers) ? 'cursor:pointer' : '';
  }

  pressedWhy(element, tag, context) {
    const asked = { element, kind: GENERIC, tag, plain: false, quiet: false };
    return tag.name === 'button' || mayBeClickable(asked, this.pointers)
      ? pressedThoughHidden(element, tag, context)
      : '';
  }

  scoped(it, depth, context) {
    this.flush();
    const start = this.depths.length;
    this.clickables = this.cells = this.late = 0;
    this.shapes = new Shapes(); // what is around it takes no places from what is in it
    this.inside(it, depth, context);
    this.flush();
    this.range = [start, this.depths.length];
    this.uncounted = this.unlisted();
  }

  // How many clickable elements are only counted: of the part that is asked for, else of all that is walked.
  unlisted() {
    const beyond = Math.max(this.clickables - MAX_CLICKABLES, 0) + Math.max(this.cells - MAX_CLICKABLES, 0);
    return this.uncounted ?? (this.all ? 0 : Math.max(beyond - this.late, 0) + this.shapes.counted);
  }

  // Whether one beyond the hundred is listed all the same: what has come since the page was looked at first, as a list that has just opened.
  isLate(element) {
    if (isSettled && !passedOver.has(element) && this.late < MAX_CLICKABLES) return true;
    passedOver.add(element);
    return false;
  }

  inside(it, depth, context) {
    const code = this.code;
    if (it.tag.name === 'pre') this.code = keepsLines(it);
    this.depth++;
    this.shown(it, depth, context);
    this.depth--;
    this.code = code;
  }

  // Content that a box of no size cuts off is not there. Exceptions: elements positioned out of it, the field in which an editor takes
  // its keys, since that is the only way into it, and the focused element.
  escaping(element, depth, context, uncontained) {
    uncontained &&= styleOf(element).position === 'static';
    for (const child of childrenOf(element)) {
      if (isText(child)) this.leaveOut(dataOf(child), context);
      if (!isElement(child) || tagOf(child).silent) continue;
      const position = styleOf(child).position;
      const isReached = child === this.active || isKeyCatcher(child, element);
      if (isReached || position === 'fixed' || position === 'absolute' && uncontained)
        this.element(child, depth, context);
      else this.escaping(child, depth, context, uncontained);
    }
  }

  // `it`: an element with what has been found out about it. `hidden` is null where only its children were asked.
  shown(it, depth, around) {
    const { element, tag, kind, quiet, hidden } = it;
    const context = isWidgetInEditor(it, around) ? { ...around, operable: false } : around;
    if (hidden === 'self' || context.sight === CLOSED && !tag.frame && !isOpenToUse(element, kind.role))
      return this.children(it, depth, this.inner(it, '', context));
    let name = ownName(element, kind, tag, quiet);
    const click = kind.operable ? null : context.operable ? this.part(it) : this.click(it, name, context);
    const why = click === null ? '' : click.why;
    if (click !== null) name = click.name;
    if (context.sight !== SEEN && !kind.operable && why === '' && !tag.frame)
      return this.children(it, depth, this.inner(it, '', context));
    if (
      why !== '' || name !== '' || !tag.flows && kind !== GENERIC && !kind.flat
      || context.siblings > 0 && isItem(it, context.siblings) || kind === GENERIC && this.isScrolledList(it)
    ) {
      this.line(it, depth, context, name, why);
    } else if (tag.name === 'br') {
      this.flush();
    } else {
      this.boxed(it, depth, this.inner(it, name, context));
    }
  }

  // Whether it is a box without a role or a name that scrolls a list: how much of that is in view has to be told somewhere.
  isScrolledList({ element, tag, plain }) {
    if (!tag.scrolls || tag.inline || childElementCountOf(element) === 0) return false;
    const isMeant = this.scrollers.mayMean(element, tag, plain)
      || !plain && attr(element, 'style')?.includes('overflow');
    return isMeant && scrollsItems(element);
  }

  // An element without a line is a box all the same: note where it begins and ends.
  boxed(it, depth, context) {
    const { boxes, said, depths: { length } } = this;
    const { controls } = boxes;
    this.children(it, depth, context);
    if (boxes.controls > controls) boxes.note(length, this.depths.length, said, this.said);
  }

  // Why it can be clicked and what it is called, or null. `hand`: what only inherits the hand from here is no other thing.
  click(it, ownName, context) {
    if (!this.all && !mayBeClickable(it, this.pointers)) return null;
    const why = clickReasons(it, context);
    if (why === '') return null;
    it.hand = why.startsWith('cursor:') ? why.slice('cursor:'.length).split(',')[0] : '';
    const counter = counterOf(it);
    const isBeyond = !this.all && this[counter] >= MAX_CLICKABLES;
    if (isBeyond && !this.isLate(it.element)) {
      this[counter]++;
      return null;
    }
    const { name, whole } = clickableName(it);
    if (!this.all && !isWorthALine(it, why, name, whole)) return null;
    this[counter]++;
    if (isBeyond) this.late++;
    it.told = whole && ownName === '' && !holdsOtherWords(it.element);
    return { why, name: ownName || name };
  }

  // A part of a control that can be pressed, and does something else than the control.
  part(it) {
    if (!isPartOfItsOwn(it.element, it.tag, it.plain, this.pointers)) return null;
    return { why: 'cursor:pointer', name: isInField(it.element) ? clickableName(it).name : '' };
  }

  line(it, depth, context, name, why) {
    const { element, tag, kind } = it;
    const joins = !context.covered && context.sight === SEEN && (kind.joins || why !== '' && tag.inline);
    const run = this.setAside(joins);
    const index = this.depths.length;
    this.push(depth, kind, why ? -idOf(element) : idOf(element), name);
    const isControl = kind.operable || why !== '';
    if (isControl) this.boxes.controls++;
    const isOffScreen = isControl && context.sight === BEYOND && !isUsedUnseen(element, kind.role);
    this.describe(index, it, why, isOffScreen);
    if (name === '' && context.covered && TICKED_ROLES.has(kind.role)) this.beside(index, element);
    else if (name === '' && context.covered && why !== '' && kind === GENERIC) this.hintAmongWords(index, element);
    else if (name === '' && (kind.operable || why !== '' || tag.frame)) this.hint(index, element);
    else if (context.covered && kind.operable && kind.joins || context.operable && isSign(name))
      this.beside(index, element);
    else if (tag.name === 'input') this.overWords(index, element);
    const text = why === '' && !context.covered && kind.adopts && !tag.frame && !isShut(it) ? this.loneText(it) : null;
    if (text !== null) return this.leaf(index, kind, cleanText(shownText(text, element)));
    this.children(it, depth + 1, this.inner(it, name, context));
    this.finish(index, it, why);
    if (why === 'listener' && name === '' && this.isLastAndEmpty(index)) {
      const isCounted = !this.all && this.shapes.isOneMore(element, this.hints.at(-1));
      if (isCounted || !hasArea(element)) { // such as where React puts what pops up
        this.drop(index);
        this[counterOf(it)]--;
      }
    }
    if (joins) this.join(run, index, it, name, depth);
  }

  inner(it, name, context) {
    const { element, tag, kind, count, hand, told } = it;
    const operable = context.operable || kind.swallows || isLabel(element, tag);
    const covered = context.covered || name !== '' && (kind.covers || told) || kind.field;
    const siblings = count >= MANY_SIBLINGS ? MANY_SIBLINGS : count >= SIBLINGS ? SIBLINGS : 0;
    const inherited = hand || (context.hand === '' ? '' : handOf(element));
    const proven = context.proven || count >= MANY_WORDS && this.provesItsWords(it);
    if (
      operable === context.operable && covered === context.covered && siblings === context.siblings
      && inherited === context.hand && proven === context.proven
    ) return context;
    return { operable, covered, siblings, hand: inherited, proven, child: true, sight: context.sight };
  }

  // Whether all words in an element are visible, by one question. Most lists and tables save a question for each cell by it.
  provesItsWords(it) {
    if (this.doubts > MAX_DOUBTS || it.hidden === 'self') return false;
    it.hidden ??= hiddenness(it.element);
    const proven = it.hidden === '' && showsAllWords(it.element);
    if (!proven) this.doubts++;
    return proven;
  }
}

// Names that are worth a line, with their no-break spaces; of cells, rows and items the content says it all.
function ownName(element, kind, tag, quiet) {
  if (tag.slot) return '';
  if (kind.named) return exactNameOf(element, kind.role, !kind.operable);
  if (quiet && !tag.named) return '';
  if (kind === GENERIC || kind.cell || kind.role === 'row')
    return !quiet && isNamedAnyway(element) ? exactNameOf(element, kind.role) : '';
  return exactNameOf(element, kind.role);
}

// A dialog that says that it is modal has the rest of the page hidden from screen readers: what lies behind is not pressed.
function isBehindModal(element) {
  const dialog = queryTree(treeOf(element), '[aria-modal=true]');
  return dialog !== null && hiddenness(dialog) === '' && !containsNode(dialog, element);
}

// The words in an editor are its value. What cannot be edited in it is no part of that: a handle, a menu, a box to tick.
const isWidgetInEditor = ({ element, plain }, context) =>
  context.operable && context.covered && !plain && attr(element, 'contenteditable') === 'false';
const TICKED_ROLES = new Set(['checkbox', 'radio', 'switch']);

// Whether one of several siblings is an item: of many, any one; of a few, a block with several elements that is no sentence.
const isItem = (it, siblings) =>
  siblings < MANY_SIBLINGS
    ? it.tag.name === 'div' && it.count > 1 && !hasWords(it.element)
    : !((it.tag.inline || it.tag.custom) && flowsInLine(it));

const passedOver = new WeakSet(); // clickable elements that were met and not listed
let isSettled = false; // whether what is new to a walk has come since an earlier one
let wasSettled = false; // the same of the last walk
let elements = 0; // that the last walk has read

function walked(options) {
  beginReading();
  const walk = new Walk(options);
  walk.document(document, 0, SEEN);
  return walk;
}

function take(options) {
  sweepTable();
  forgetCustoms();
  let met = modalsMet();
  let walk = walked(options);
  for (; met !== modalsMet(); walk = walked(options)) met = modalsMet(); // what it has walked lies behind that
  table.trees = walk.trees.map(({ root }) => weakly(root));
  [wasSettled, isSettled] = [isSettled, true];
  elements = readSoFar();
  const told = encode(walk);
  meetControls(walk.trees.map(({ root }) => root), elements); // once all that it lists has its id
  return told;
}

export const elementsWalked = () => elements;

// The last walk once more, since more is known of the page: what is new to it was there before.
export function takeAgain(options) {
  isSettled = wasSettled;
  return invoke('take', [options]);
}

function noteSpecial(element, tag) {
  if (tag.custom) noteCustom(element, tag);
  else meetDialog(element);
}

const kindByRole = (element, quiet) => kindOf(quiet ? roleOf(element) : contentRole(element));

Object.assign(exported, { take });
