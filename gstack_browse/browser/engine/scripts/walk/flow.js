// Text as it flows: what a person reads as one line is one line, whatever elements its words are in.
//
// The walk adds to a run what it meets: words, edges of elements, links. What they make is found out when the run ends, and
// styles are asked only between words: most runs are a single text, and links by themselves need no sentence.

import { contentName } from '../accname/contents.js';
import { isFormField, MAX_NAME } from '../accname/names.js';
import { OPAQUE_TAGS, tagOf } from '../accname/roles.js';
import {
  childElementCountOf,
  localNameOf,
  offsetHeightOf,
  offsetWidthOf,
  parentNodeOf,
  queryOne,
  textContentOf,
} from '../dom/accessors.js';
import { calls, cleanText, hasAttr, hasAttrs, INVISIBLE, isElement, isQuiet, shadowsMet } from '../dom/dom.js';
import { hasDefaultDisplay } from '../dom/style-sheets.js';
import { styleOf } from '../visibility/hidden.js';

export const LEFT = 0; // edges of an element
export const RIGHT = 1;
const WORDS = 2;
const CONTROL = 3;
export const BLANK = 4;
export const NEWLINE = 5; // a blank, or the end of a line where the element keeps those

// Text that separates links and is no sentence: "new | past | (comments)".
const SEPARATORS = /^[\s|·•,;:./()[\]»›>&]*$/;
const IN_LINE = /^(?:inline|contents|ruby|math|-webkit-inline)/;
const BLOCK_TAGS =
  'address,article,aside,blockquote,br,div,dl,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,li,ol,p,pre,section,table,ul';
// Belongs to the word before it, or to the one after it, whatever distance the edges between keep.
const CLOSES = /^[,.;:!?)\]}…]/;
const OPENS = /[([{]/;

export class Run {
  constructor(at, depth) {
    this.at = at; // the line that it would be, and how deep
    this.depth = depth;
    this.marks = [];
    this.things = [];
    this.words = 0;
    this.controls = 0;
    this.names = null; // of its controls
    this.repeated = null;
    this.own = false; // says more than its controls do
    this.broken = false; // is on several lines, or around a box that is none of them
  }

  add(mark, thing) {
    this.marks.push(mark);
    this.things.push(thing);
  }

  say(text, at, depth, code, turn) {
    const own = !SEPARATORS.test(text);
    this.words++;
    this.own ||= own;
    this.add(WORDS, { text, at, depth, code, own, turn });
  }

  // A box, a button or a picture is part of a sentence only in the middle of one. "Ann Edit Bob Edit" is no sentence.
  join(it, name, at, depth, isBox, turn) {
    this.names ??= new Set();
    if (this.names.has(name)) (this.repeated ??= new Set()).add(name);
    this.names.add(name);
    this.controls++;
    this.add(CONTROL, { it, element: it.element, name, at, depth, isBox, turn });
  }

  // [{ at, depth, text }]: the lines that it makes; none where links stand for themselves.
  lines() {
    if (this.words === 0 || this.controls > 0 && !this.own) return [];
    if (this.words === 1 && this.controls === 0) return [this.single()];
    const writer = new Writer(this.repeated);
    for (let index = 0; index < this.marks.length; index++) writer.take(this.marks[index], this.things[index]);
    writer.end();
    this.broken = writer.lines > 1;
    return writer.sentences;
  }

  single() {
    const words = this.things[this.marks.indexOf(WORDS)];
    return new Sentence(words, words.text, true);
  }
}

// A line in the making.
class Sentence {
  constructor({ at, depth, turn, code = false }, text, own) {
    this.at = at;
    this.turn = turn; // the how manieth text of the walk its first one is
    this.depth = depth;
    this.raw = text;
    this.code = code;
    this.controls = 0;
    this.own = own;
  }

  get text() {
    return this.code ? cleanCode(this.raw) : cleanText(this.raw);
  }

  get says() {
    return this.own || this.controls === 0 && this.raw.trim() !== '';
  }
}

// Makes sentences of the pieces of a run.
class Writer {
  constructor(repeated) {
    this.repeated = repeated;
    this.sentences = [];
    /** @type {any} */
    this.now = null;
    this.last = '';
    this.lines = 0;
    this.between = []; // since the last words: mark, `it`
    this.blank = false;
    this.boxes = ''; // words that wait for others to follow them
  }

  take(mark, thing) {
    if (mark === WORDS) this.write(thing.text, thing, thing.own);
    else if (mark === CONTROL) this.control(thing);
    else {
      this.blank ||= mark === BLANK || mark === NEWLINE;
      if (mark !== BLANK) this.between.push(mark, thing);
    }
  }

  control(control) {
    const { it, element, name, isBox } = control;
    if (
      this.repeated?.has(name) || !flowsInLine(it)
      || childElementCountOf(element) > 0 && queryOne(element, BLOCK_TAGS) !== null
    ) return this.end();
    const words = displayedTextOf(control);
    if (isBox) {
      if (words !== '' && this.now !== null && !this.isBroken()) this.boxes += ` ${words}`;
    } else if (words !== '') {
      this.write(words, control, false);
      this.now.controls++;
    }
  }

  write(text, from, own) {
    if (this.now !== null && this.isBroken()) this.end();
    if (this.now === null) {
      this.now = new Sentence(from, text, own);
    } else {
      const isApart = this.blank || this.boxes !== '' && !CLOSES.test(text)
        || !from.code && isGlued(this.last, text) && this.areApart();
      this.now.raw += `${this.boxes}${isApart ? ' ' : ''}${text}`;
      this.now.own ||= own;
    }
    this.last = text;
    this.forget();
  }

  end() {
    if (this.now !== null && this.now.says) this.sentences.push(this.now);
    this.now = null;
    this.lines++;
    this.forget();
  }

  forget() {
    this.between.length = 0;
    this.blank = false;
    this.boxes = '';
  }

  // Whether a person sees the next words on another line, or in a place of their own.
  isBroken() {
    for (let index = 0; index < this.between.length; index += 2) {
      const thing = this.between[index + 1];
      if (this.between[index] === NEWLINE ? keepsLines(thing) : !flowsInLine(thing)) return true;
    }
    return false;
  }

  areApart() {
    for (let index = 0; index < this.between.length; index += 2) {
      const side = this.between[index];
      if (side !== NEWLINE && keepsDistance(styleOf(this.between[index + 1].element), side)) return true;
    }
    return false;
  }
}

/** Whether a character is white space. */
const isSpace = (letter) => /\s/.test(letter);
/** Whether two texts join without a blank. */
const isGlued = (before, after) =>
  !isSpace(before[before.length - 1]) && !isSpace(after[0]) && !CLOSES.test(after)
  && !OPENS.test(before[before.length - 1]);

/** Whether an element flows in the line of text around it. `it`: the element with what the walk found out, where the answer is kept. */
export const flowsInLine = (it) =>
  it.inLine ??=
    !shadowsMet && it.tag.inline && hasDefaultDisplay(it.element, it.tag, it.quiet) && hasPlainParent(it.element)
    || isInLine(it.element);

// A flexible box or a grid makes boxes of what is in it. Of the parent that was asked for last, since elements come side by side.
let lastParent = { node: null, calls: -1, plain: false };
/**
 * Whether the parent has the default box of its tag: a flex box or grid makes boxes of what is in it. The last parent is remembered,
 * since elements come side by side.
 */
function hasPlainParent(element) {
  const node = parentNodeOf(element);
  if (lastParent.node !== node || lastParent.calls !== calls)
    lastParent = { node, calls, plain: isElement(node) && hasDefaultDisplay(node, tagOf(node), isQuiet(node)) };
  return lastParent.plain;
}

/**
 * Whether an element is laid out inline, or for screen readers only, which stays in its sentence. To CSS, floating and positioned
 * elements are blocks.
 */
function isInLine(element) {
  const style = styleOf(element);
  if (IN_LINE.test(style.display)) return true;
  return style.position === 'absolute' && offsetWidthOf(element) <= 1 && offsetHeightOf(element) <= 1;
}

/** Whether line breaks in the text of an element are displayed. `it`: the element with what the walk found out. */
export function keepsLines(it) {
  it.white ??= styleOf(it.element).whiteSpaceCollapse;
  return it.white === 'preserve' || it.white === 'preserve-breaks' || it.white === 'break-spaces';
}

/** Return the text of a control as it is displayed, with a blank where it begins or ends with one. */
function displayedTextOf({ element, name }) {
  const isRenamed = hasAttrs(element) && !isFormField(element) && !OPAQUE_TAGS.has(localNameOf(element))
    && (hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby') || hasAttr(element, 'title'));
  const words = isRenamed ? cleanText(contentName(element, { left: MAX_NAME, visited: new Set() }, {})) : name;
  if (words === '') return '';
  const raw = textContentOf(element);
  return raw === words || raw === ''
    ? words
    : `${isSpace(raw[0]) ? ' ' : ''}${words}${isSpace(raw[raw.length - 1]) ? ' ' : ''}`;
}

/** Whether the edge of an inline element keeps a visible distance from what is beside it (badges, chips). */
export function keepsDistance(style, side) {
  const width = side === LEFT
    ? parsePx(style.marginLeft) + parsePx(style.paddingLeft)
      + (style.borderLeftStyle === 'none' ? 0 : parsePx(style.borderLeftWidth))
    : parsePx(style.marginRight) + parsePx(style.paddingRight)
      + (style.borderRightStyle === 'none' ? 0 : parsePx(style.borderRightWidth));
  return width >= 2;
}

/** Return a CSS length in px as a number. */
const parsePx = (value) => value === '0px' ? 0 : parseFloat(value) || 0;

// A line of code keeps its indentation.
const CONTROLS = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
/** Clean a line of code, and keep its indentation. */
function cleanCode(text) {
  const clean = text.replaceAll('\t', '    ').replace(CONTROLS, ' ').replace(INVISIBLE, '').trimEnd();
  return clean.isWellFormed() ? clean : clean.toWellFormed();
}
