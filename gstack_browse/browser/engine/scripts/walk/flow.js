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
export const NEWLINE = 5; // a line break in the text: displayed as one, or as a blank, see `keepsLines`

// Text that separates links and is no sentence: "new | past | (comments)".
const SEPARATORS = /^[\s|·•,;:./()[\]»›>&]*$/;
const IN_LINE = /^(?:inline|contents|ruby|math|-webkit-inline)/;
const BLOCK_TAGS =
  'address,article,aside,blockquote,br,div,dl,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,li,ol,p,pre,section,table,ul';
// Punctuation that belongs to the word before it (CLOSES) or after it (OPENS), whatever distance the edges between keep.
const CLOSES = /^[,.;:!?)\]}…]/;
const OPENS = /[([{]/;

/** The text, links and edges of elements that may make one line, in page order, until something ends the line. */
export class Run {
  constructor(at, depth) {
    this.at = at; // the line that it would be, and how deep
    this.depth = depth;
    this.marks = [];
    this.items = [];
    this.words = 0;
    this.controls = 0;
    this.names = null; // of its links, buttons and images
    this.repeated = null;
    this.own = false; // has text besides those and separators
    this.broken = false; // is on several lines, or around a box
  }

  /** Add a mark (`WORDS`, `LEFT`, …) and what it is about. */
  add(mark, item) {
    this.marks.push(mark);
    this.items.push(item);
  }

  /**
   * Add a text. `at`, `depth`: the line that it would be; `code`: keep its blanks; `textNumber`: its number among the texts of the
   * walk.
   */
  addText(text, at, depth, code, textNumber) {
    const own = !SEPARATORS.test(text);
    this.words++;
    this.own ||= own;
    this.add(WORDS, { text, at, depth, code, own, textNumber });
  }

  /**
   * Add a link, button or image. A box (`isBox`: button or image) is part of a sentence only in the middle of one: "Ann Edit Bob
   * Edit" is none.
   */
  addControl(facts, name, at, depth, isBox, textNumber) {
    this.names ??= new Set();
    if (this.names.has(name)) (this.repeated ??= new Set()).add(name);
    this.names.add(name);
    this.controls++;
    this.add(CONTROL, { facts, element: facts.element, name, at, depth, isBox, textNumber });
  }

  /**
   * Return the sentences that the run makes, each { at, depth, text, textNumber }; none where links stand for themselves, as in "new
   * | past | (comments)".
   */
  sentences() {
    if (this.words === 0 || this.controls > 0 && !this.own) return [];
    if (this.words === 1 && this.controls === 0) return [this.single()];
    const writer = new Writer(this.repeated);
    for (let index = 0; index < this.marks.length; index++) writer.writePiece(this.marks[index], this.items[index]);
    writer.endSentence();
    this.broken = writer.lines > 1;
    return writer.sentences;
  }

  /** Return the only text as a sentence: the usual case, without a `Writer`. */
  single() {
    const words = this.items[this.marks.indexOf(WORDS)];
    return new Sentence(words, words.text, true);
  }
}

/** A line of text while it is being put together. */
class Sentence {
  constructor({ at, depth, textNumber, code = false }, text, own) {
    this.at = at;
    this.textNumber = textNumber; // the number of its first text among those of the walk
    this.depth = depth;
    this.raw = text;
    this.code = code;
    this.controls = 0;
    this.own = own;
  }

  /** The text as it is printed. */
  get text() {
    return this.code ? cleanCode(this.raw) : cleanText(this.raw);
  }

  /** Whether the sentence is worth a line: it has text besides its links. */
  get hasText() {
    return this.own || this.controls === 0 && this.raw.trim() !== '';
  }
}

/** Puts the items of a run together to sentences. */
class Writer {
  constructor(repeated) {
    this.repeated = repeated;
    this.sentences = [];
    /** @type {any} */
    this.sentence = null;
    this.last = '';
    this.lines = 0;
    this.between = []; // since the last words: mark, facts about the element, and so on
    this.blank = false;
    this.boxes = ''; // words that wait for others to follow them
  }

  /** Handle one item of a run. */
  writePiece(mark, thing) {
    if (mark === WORDS) this.write(thing.text, thing, thing.own);
    else if (mark === CONTROL) this.writeControl(thing);
    else {
      this.blank ||= mark === BLANK || mark === NEWLINE;
      if (mark !== BLANK) this.between.push(mark, thing);
    }
  }

  /** Add the text of a link, button or image to the sentence. One that is laid out as a block ends it. */
  writeControl(control) {
    const { facts, element, name, isBox } = control;
    if (
      this.repeated?.has(name) || !flowsInLine(facts)
      || childElementCountOf(element) > 0 && queryOne(element, BLOCK_TAGS) !== null
    ) return this.endSentence();
    const words = displayedTextOf(control);
    if (isBox) {
      if (words !== '' && this.sentence !== null && !this.startsNewLine()) this.boxes += ` ${words}`;
    } else if (words !== '') {
      this.write(words, control, false);
      this.sentence.controls++;
    }
  }

  /** Add a text to the sentence, or begin a new one. `from`: its item; `own`: it is more than a separator of links. */
  write(text, from, own) {
    if (this.sentence !== null && this.startsNewLine()) this.endSentence();
    if (this.sentence === null) {
      this.sentence = new Sentence(from, text, own);
    } else {
      const isApart = this.blank || this.boxes !== '' && !CLOSES.test(text)
        || !from.code && isGlued(this.last, text) && this.isSpacedApart();
      this.sentence.raw += `${this.boxes}${isApart ? ' ' : ''}${text}`;
      this.sentence.own ||= own;
    }
    this.last = text;
    this.clearPending();
  }

  /** End the sentence. */
  endSentence() {
    if (this.sentence !== null && this.sentence.hasText) this.sentences.push(this.sentence);
    this.sentence = null;
    this.lines++;
    this.clearPending();
  }

  /** Forget what stood between the last text and this one. */
  clearPending() {
    this.between.length = 0;
    this.blank = false;
    this.boxes = '';
  }

  /** Whether a person sees the next text on another line, or in a box of its own. */
  startsNewLine() {
    for (let index = 0; index < this.between.length; index += 2) {
      const thing = this.between[index + 1];
      if (this.between[index] === NEWLINE ? keepsLines(thing) : !flowsInLine(thing)) return true;
    }
    return false;
  }

  /** Whether an edge between the last text and the next keeps a visible distance. */
  isSpacedApart() {
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

/** Whether an element flows in the line of text around it. The answer is kept in its `facts`. */
export const flowsInLine = (facts) =>
  facts.inLine ??= !shadowsMet && facts.tag.inline && hasDefaultDisplay(facts.element, facts.tag, facts.quiet)
      && hasPlainParent(facts.element)
    || isInLine(facts.element);

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

/** Whether line breaks in the text of an element are displayed. The answer is kept in its `facts`. */
export function keepsLines(facts) {
  facts.whiteSpace ??= styleOf(facts.element).whiteSpaceCollapse;
  return facts.whiteSpace === 'preserve' || facts.whiteSpace === 'preserve-breaks'
    || facts.whiteSpace === 'break-spaces';
}

/**
 * Return the displayed text of a link or button; "" for none. A blank at its edge in the markup stays, since the sentence goes on
 * there: `see <a>here </a>or`. A name by `aria-label` or `title` is no displayed text.
 */
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

const CONTROLS = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
/** Clean a line of code, and keep its indentation. */
function cleanCode(text) {
  const clean = text.replaceAll('\t', '    ').replace(CONTROLS, ' ').replace(INVISIBLE, '').trimEnd();
  return clean.isWellFormed() ? clean : clean.toWellFormed();
}
