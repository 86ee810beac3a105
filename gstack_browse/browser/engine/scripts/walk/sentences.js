// How text is joined to sentences: what a person reads as one line becomes one line of the snapshot, whatever elements its words are in;
// and what is laid out within a line, or keeps line breaks.
//
// The tree walk adds texts, edges of elements and links to a run. Only when the run ends are they joined, and only then styles are read,
// since most runs are a single text, and links without text need no sentence.

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
  styleOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  calls,
  cleanText,
  hasAttr,
  hasAttrs,
  hasOnlyPlainAttributes,
  hasShadowTrees,
  INVISIBLE,
  isElement,
} from '../dom/dom.js';
import { hasVisibleGap } from '../layout/visible.js';
import { hasDefaultDisplay } from '../visibility/style-sheets.js';

// The marks of a run, besides the edges LEFT and RIGHT.
const WORDS = 2;
const CONTROL = 3;
export const BLANK = 4;
export const NEWLINE = 5; // a line break in the text: displayed as one, or as a blank, see `keepsLines`

// Text that only separates links: "new | past | (comments)".
const SEPARATORS = /^[\s|·•,;:./()[\]»›>&]*$/;
const IN_LINE = /^(?:inline|contents|ruby|math|-webkit-inline)/;
const BLOCK_TAGS =
  'address,article,aside,blockquote,br,div,dl,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,li,ol,p,pre,section,table,ul';
// Punctuation that belongs to the word before it (closing) or after it (opening), even over a visible gap.
const CLOSING_PUNCTUATION = /^[,.;:!?)\]}…]/;
const OPENING_PUNCTUATION = /[([{]/;

/** The text, links and edges of elements that may make one line, in page order, until something ends the line. */
export class TextRun {
  constructor(at, depth) {
    this.at = at; // number of the line that it would be
    this.depth = depth; // of that line
    this.marks = []; // LEFT, RIGHT, …
    this.items = []; // for each mark, see `add`
    this.words = 0; // number of texts
    this.controls = 0; // number of links, buttons and images
    this.names = null; // of those
    this.repeated = null; // names that occur twice
    this.own = false; // it has text besides links and separators
    this.broken = false; // it takes several lines
  }

  /** Add a mark (LEFT, RIGHT, WORDS …) and its item: the text or control; for an edge or line break `Facts` about the element. */
  add(mark, item) {
    this.marks.push(mark);
    this.items.push(item);
  }

  /**
   * Add a text. `at`, `depth`: number and depth of the line that it would be; `code`: keep its blanks; `textNumber`: its number among the
   * texts of the walk.
   */
  addText(text, at, depth, code, textNumber) {
    const own = !SEPARATORS.test(text);
    this.words++;
    this.own ||= own;
    this.add(WORDS, { text, at, depth, code, own, textNumber });
  }

  /**
   * Add a link, button or image (the latter two: `isBox`). A button or image is part of a sentence only in its middle: "Ann [Edit] Bob
   * [Edit]" is no sentence.
   */
  addControl(facts, name, at, depth, isBox, textNumber) {
    this.names ??= new Set();
    if (this.names.has(name)) (this.repeated ??= new Set()).add(name);
    this.names.add(name);
    this.controls++;
    this.add(CONTROL, { facts, element: facts.element, name, at, depth, isBox, textNumber });
  }

  /** Return the sentences (`Sentence`) of the run; [] for links without other text, as in "new | past | (comments)". */
  makeSentences() {
    if (this.words === 0 || this.controls > 0 && !this.own) return [];
    if (this.words === 1 && this.controls === 0) return [this.makeOnlySentence()];
    const writer = new SentenceWriter(this.repeated);
    for (let index = 0; index < this.marks.length; index++) writer.writePiece(this.marks[index], this.items[index]);
    writer.endSentence();
    this.broken = writer.lines > 1;
    return writer.sentences;
  }

  /** Return the only text of the run as a sentence. */
  makeOnlySentence() {
    const words = this.items[this.marks.indexOf(WORDS)];
    return new Sentence(words, words.text, true);
  }
}

/** A line of text that grows piece by piece. */
class Sentence {
  constructor({ at, depth, textNumber, code = false }, text, own) {
    this.at = at;
    this.textNumber = textNumber; // of its first text, among the texts of the walk
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

  /** Return whether the sentence is worth a line: it has text besides its links. */
  get hasText() {
    return this.own || this.controls === 0 && this.raw.trim() !== '';
  }
}

/** Joins the items of a run to sentences. */
class SentenceWriter {
  constructor(repeated) {
    this.repeated = repeated;
    this.sentences = [];
    /** @type {any} */
    this.sentence = null;
    this.last = '';
    this.lines = 0;
    this.between = []; // since the last text: mark, item, mark, item, …
    this.blank = false; // whether there was a blank since the last text
    this.boxes = ''; // texts of buttons and images since the last text: left out unless another text follows
  }

  /** Handle one mark of a run with its item. */
  writePiece(mark, item) {
    if (mark === WORDS) this.write(item.text, item, item.own);
    else if (mark === CONTROL) this.writeControl(item);
    else {
      this.blank ||= mark === BLANK || mark === NEWLINE;
      if (mark !== BLANK) this.between.push(mark, item);
    }
  }

  /**
   * Add the text of a link, button or image to the sentence; end the sentence at one that is laid out as a block or has a repeated name.
   */
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

  /**
   * Add a text to the sentence, or begin a new one. `item`: { at, depth, textNumber, code } of the text; `own`: it is more than a separator
   * of links.
   */
  write(text, item, own) {
    if (this.sentence !== null && this.startsNewLine()) this.endSentence();
    if (this.sentence === null) {
      this.sentence = new Sentence(item, text, own);
    } else {
      const needsBlank = this.blank || this.boxes !== '' && !CLOSING_PUNCTUATION.test(text)
        || !item.code && joinsWithoutBlank(this.last, text) && this.isSpacedApart();
      this.sentence.raw += `${this.boxes}${needsBlank ? ' ' : ''}${text}`;
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

  /** Forget edges, blanks and boxes since the last text. */
  clearPending() {
    this.between.length = 0;
    this.blank = false;
    this.boxes = '';
  }

  /** Return whether the next text is displayed on another line than the last one. */
  startsNewLine() {
    for (let index = 0; index < this.between.length; index += 2) {
      const facts = this.between[index + 1];
      if (this.between[index] === NEWLINE ? keepsLines(facts) : !flowsInLine(facts)) return true;
    }
    return false;
  }

  /** Return whether an edge between the last text and the next has a visible gap. */
  isSpacedApart() {
    for (let index = 0; index < this.between.length; index += 2) {
      const side = this.between[index];
      if (side !== NEWLINE && hasVisibleGap(styleOf(this.between[index + 1].element), side)) return true;
    }
    return false;
  }
}

/** Return whether a character is white space. */
const isSpace = (letter) => /\s/.test(letter);
/**
 * Return whether the end of one text and the start of the next would be read as one word: neither has white space or punctuation where they
 * meet.
 */
const joinsWithoutBlank = (before, after) =>
  !isSpace(before[before.length - 1]) && !isSpace(after[0]) && !CLOSING_PUNCTUATION.test(after)
  && !OPENING_PUNCTUATION.test(before[before.length - 1]);

/** Return whether an element is displayed within the line of text around it. `facts`: its `Facts` (walk/walk.js), which keep the answer. */
export const flowsInLine = (facts) =>
  facts.inLine ??= !hasShadowTrees && facts.tag.inline && hasDefaultDisplay(facts.element, facts.tag, facts.plain)
      && hasParentWithDefaultDisplay(facts.element)
    || isInLine(facts.element);

// Cached, since siblings follow each other.
let lastParent = { node: null, calls: -1, hasDefaultBox: false };
/**
 * Return whether the parent of an element has the default `display` of its tag. A flex box or grid would lay out inline children as blocks.
 */
function hasParentWithDefaultDisplay(element) {
  const node = parentNodeOf(element);
  if (lastParent.node !== node || lastParent.calls !== calls)
    lastParent = {
      node,
      calls,
      hasDefaultBox: isElement(node) && hasDefaultDisplay(node, tagOf(node), hasOnlyPlainAttributes(node)),
    };
  return lastParent.hasDefaultBox;
}

/**
 * Return whether an element is laid out inline by its style, or is text for screen readers only, clipped to a pixel, which belongs to the
 * sentence around it.
 */
function isInLine(element) {
  const style = styleOf(element);
  if (IN_LINE.test(style.display)) return true;
  return style.position === 'absolute' && offsetWidthOf(element) <= 1 && offsetHeightOf(element) <= 1;
}

/**
 * Return whether line breaks in the text of an element are displayed (`white-space`). `facts`: its `Facts` (walk/walk.js), which keep the
 * answer.
 */
export function keepsLines(facts) {
  facts.whiteSpace ??= styleOf(facts.element).whiteSpaceCollapse;
  return facts.whiteSpace === 'preserve' || facts.whiteSpace === 'preserve-breaks'
    || facts.whiteSpace === 'break-spaces';
}

/**
 * Return the displayed text of a link or button (`element`) with the accessible name `name`, which may be another (`aria-label`, `title`);
 * "" for none. A blank at its edge stays, as in `see <a>here </a>or`.
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

const CONTROLS = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
/** Return a line of code for printing: white space and control characters as blanks, without invisible characters, its indentation kept. */
function cleanCode(text) {
  const clean = text.replaceAll('\t', '    ').replace(CONTROLS, ' ').replace(INVISIBLE, '').trimEnd();
  return clean.isWellFormed() ? clean : clean.toWellFormed();
}
