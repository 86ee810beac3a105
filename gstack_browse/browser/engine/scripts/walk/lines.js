// The lines of a walk: collected on the way, with text and links joined to sentences, then encoded for snapshot/walked.py.

import { BUTTON, GENERIC, LINK, TEXT } from '../accname/kinds.js';
import { onlyText, shownText } from '../accname/contents.js';
import { hintOf, tellHintsApart, wordsBeside } from '../accname/hints.js';
import { statesOf, tooltipBeside } from '../accname/states.js';
import { mayShowChoice, onOneLine, valueOf } from '../accname/values.js';
import { parentNodeOf, textContentOf, titleOf } from '../dom/accessors.js';
import { attr, cleanText, hasAttr, isElement } from '../dom/dom.js';
import { customs, suspectCount } from '../dom/internals.js';
import { mayRead, readOfMore } from '../dom/invoke.js';
import { idOf, lastId, table } from '../dom/node-table.js';
import { hiddenness, styleOf } from '../visibility/hidden.js';
import { BLANK, keepsLines, NEWLINE, Run } from './flow.js';
import { scrollNote } from './scrolling.js';

const MAX_WORDS_UNDER = 40;
/** @type {any} */
const NOTHING = Object.freeze([]);

/** Collects the lines of a walk, as parallel columns (`depths`, `kinds`, …), and joins text and links to sentences. */
export class Lines {
  constructor(options) {
    this.addresses = options.addresses === true;
    this.depths = [];
    this.kinds = [];
    this.ids = []; // negative for what has no role and can be clicked, 0 for text
    this.names = [];
    this.states = [];
    this.values = [];
    this.hints = []; // what is said of a control that has no name
    this.run = null; // the text that is being read, see walk/flow.js
    this.code = false; // inside <pre>: ends of lines count
    this.sentences = []; // text with links in it, whose line comes before theirs
    this.boxes = new Boxes();
    this.textCount = 0; // texts so far
    this.active = null; // has the focus
    this.pointedAt = null; // is what the focus means in a composite widget: its active descendant
  }

  /**
   * Stop collecting text, since an element begins; return what was collected. An element that is no part of a sentence ends it first
   * (`joins` false). A link is part of a sentence; the text inside of the link is its own.
   */
  suspendText(joins) {
    const run = this.run;
    if (!joins) this.endText();
    this.run = null;
    return run;
  }

  /** Collect text again behind an element that is part of a sentence. `run`: what `suspendText` returned; `index`: the element's line. */
  resumeText(run, index, facts, name, depth) {
    const { kind } = facts;
    const isListed = this.depths.length > index;
    this.run = run ?? (isListed ? new Run(index, depth) : null);
    if (isListed) this.run.addControl(facts, name, index, depth, kind.joins && kind !== LINK, ++this.textCount);
  }

  /** Return the text of an element that holds one text and nothing else; null for other content, and for text of several lines. */
  loneTextOf(facts) {
    if (facts.count > 0 || facts.hidden !== '') return null;
    const text = onlyText(facts.element);
    return text !== null && text.includes('\n') && text.trim().includes('\n') && keepsLines(facts) ? null : text;
  }

  /** Add a line. `id`: negative for an element without a role that can be clicked, 0 for text. */
  pushLine(depth, kind, id, name) {
    this.depths.push(BASE + depth);
    this.kinds.push(kind);
    this.ids.push(id);
    this.names.push(name);
  }

  /** Remove the last line. */
  popLine() {
    this.depths.pop();
    this.kinds.pop();
    this.ids.pop();
    this.names.pop();
  }

  /** Add the states and the value of an element to its line. `why`: the reasons for which it can be clicked, printed as a state. */
  addStatesAndValue(index, { element, tag, kind, plain, quiet }, why, isOffScreen) {
    const states = plain && !tag.stateful ? NOTHING : statesOf(element, kind.role, tag.name, quiet);
    const tooltip = quiet ? NOTHING : tooltipBeside(element, kind.role, this.names[index], states);
    const focus = element === this.active && tag.name !== 'body'
      ? ['focused']
      : element === this.pointedAt
      ? ['active']
      : NOTHING;
    const rest = [...why ? [why] : NOTHING, ...isOffScreen ? ['off screen'] : NOTHING];
    if (states.length || tooltip.length || focus.length || rest.length)
      this.states.push([index, [...states, ...tooltip, ...focus, ...rest].join(', ')]);
    if (this.addresses && hasAttr(element, 'href')) this.values.push([index, addressOf(element)]);
    if (!tag.valued && !kind.valued && (quiet || kind !== BUTTON || !mayShowChoice(element))) return;
    const value = onOneLine(valueOf(element, kind.role, tag.name));
    if (value && value !== this.names[index]) this.values.push([index, value]);
  }

  /** Add a hint from its markup (see `hintOf`) to the line of a control without a name. */
  addHint(index, element) {
    const hint = hintOf(element);
    if (hint !== '') this.hints.push([index, hint]);
  }

  /**
   * Add the text below a transparent file field as its hint: `<label>Upload <input type=file style="opacity:0"></label>`. The name of
   * such a field is the browser's own ("Choose File"), which nobody sees.
   */
  addTextUnderField(index, element) {
    const parent = parentNodeOf(element);
    if (element.type !== 'file' || !isElement(parent) || styleOf(element).opacity !== '0') return;
    const words = cleanText(textContentOf(parent));
    if (words !== '' && words.length <= MAX_WORDS_UNDER) this.hints.push([index, words]);
  }

  /**
   * Add a hint to a clickable element within a clickable box whose name has the element's words. Text beside it tells more than
   * markup, unless the name of the box consists of that.
   */
  addHintWithTextBeside(index, element) {
    const [words, hint] = [wordsBeside(element), hintOf(element)];
    let above = index - 1;
    while (above >= 0 && this.depths[above] >= this.depths[index]) above--;
    const isTold = words === '' || above >= 0 && this.names[above] === words;
    const text = isTold ? hint : hint === '' ? words : `"${words}" ${hint}`;
    if (text !== '') this.hints.push([index, text]);
  }

  /** Add the text beside a button within a control, as in a chip `[Ann ×]`, as its hint: that text has no line of its own. */
  addTextBeside(index, element) {
    const words = wordsBeside(element);
    if (words !== '') this.hints.push([index, words]);
  }

  /** Finish the line of an element that holds one text and nothing else, such as most table cells: the text becomes its name or value. */
  finishLeaf(index, kind, text) {
    if (kind.cell && !this.names[index]) this.names[index] = text;
    else if (text && text !== this.names[index]) this.values.push([index, text]);
    else if (!text && this.isEmptyLine(index, kind)) this.popLine();
  }

  /**
   * Finish the line of an element behind its content: text that is its only content becomes its own. Remove a line that says nothing,
   * except that of a frame, below which another tree is to come.
   */
  finishLine(index, facts, why) {
    const { element, tag, kind } = facts;
    this.endTextInto(index, kind);
    const inside = this.depths.length - index - 1;
    if (
      inside === 0
      && (facts.hidden === null && hiddenness(element) !== ''
        || why === '' && !tag.frame && this.isEmptyLine(index, kind))
    )
      this.dropLine(index);
    if (inside >= 4 && tag.scrolls) this.addScrollNote(index, element);
  }

  /** Whether the last line has no name, state or value, and its kind is not listed without one. */
  isEmptyLine(index, kind) {
    return !kind.alone && !this.names[index] && this.states.at(-1)?.[0] !== index && this.values.at(-1)?.[0] !== index;
  }

  /** Whether a line is the last one, and has no value: nothing was found inside of its element. */
  isLastAndEmpty(index) {
    return this.depths.length === index + 1 && this.values.at(-1)?.[0] !== index;
  }

  /** Remove the last line, with its states, value and hint. */
  dropLine(index) {
    this.popLine();
    for (const notes of [this.states, this.values, this.hints]) if (notes.at(-1)?.[0] === index) notes.pop();
  }

  /**
   * End the open text at the end of an element. If one sentence is all that is in the element, it becomes the element's own name or
   * value.
   */
  endTextInto(index, kind) {
    const run = this.run;
    const lines = this.takeSentences();
    if (lines.length === 1 && run.at === index + 1 && lines[0].at === run.at && !run.broken && kind !== GENERIC)
      this.addContentText(index, kind, cleanText(lines[0].text));
    else this.placeSentences(lines);
  }

  /** Make a text the name of a table cell without one, else the value of the line. */
  addContentText(index, kind, text) {
    if (kind.cell && !this.names[index]) this.names[index] = text;
    else if (text !== this.names[index]) this.values.push([index, text]);
  }

  /** Add how much of a scrolled list is in view to the states of its line. */
  addScrollNote(index, element) {
    const note = scrollNote(element);
    if (!note) return;
    const found = this.states.find(([line]) => line === index);
    if (found) found[1] += `, ${note}`;
    else this.states.push([index, note]);
  }

  /**
   * Add a text of the page to the open sentence, if its parent is visible. `parent`: the facts about that; `proven`: it is known to be
   * visible, else it is asked if the text is not blank.
   */
  addText(text, parent, depth, proven) {
    const words = text.trim();
    if (words === '' && this.run === null) return;
    if (words !== '' && parent.hidden === null) parent.hidden = proven ? '' : hiddenness(parent.element);
    if (parent.hidden !== '' && parent.hidden !== null) return;
    const hasLines = text.includes('\n');
    if (this.code ? hasLines : words.includes('\n') && keepsLines(parent))
      return this.addTextLines(text, parent, depth);
    if (words === '' && !this.code) return this.run.add(hasLines ? NEWLINE : BLANK, parent);
    const start = hasLines ? text.indexOf(words) : 0;
    if (hasLines && this.run !== null && text.slice(0, start).includes('\n')) this.run.add(NEWLINE, parent);
    this.appendText(shownText(text, parent.element), depth, this.code);
    if (hasLines && text.slice(start + words.length).includes('\n')) this.run.add(NEWLINE, parent);
  }

  /** Add displayed text to the open sentence; open one where there is none. */
  appendText(text, depth, code) {
    this.run ??= new Run(this.depths.length, depth);
    this.run.addText(text, this.depths.length, depth, code, ++this.textCount);
  }

  /** Add a text whose line breaks are displayed, each line as a sentence. */
  addTextLines(text, parent, depth) {
    const lines = shownText(text, parent.element).split('\n');
    for (let index = 0; index < lines.length && mayRead(); index++) {
      if (index > 0) this.endText();
      if (lines[index] !== '') this.appendText(lines[index], depth, true);
    }
  }

  /** End the open text, and place its sentences. */
  endText() {
    if (this.run !== null) this.placeSentences(this.takeSentences());
  }

  /** Return the sentences of the open text, and close it; none where no text is open. */
  takeSentences() {
    const run = this.run;
    this.run = null;
    return run === null ? NOTHING : run.sentences();
  }

  /** Make sentences lines. One that holds links begins before their lines: it is kept, and put there at the end (`insertSentences`). */
  placeSentences(sentences) {
    const end = this.depths.length;
    for (const sentence of sentences) {
      if (sentence.text === '') continue;
      if (sentence.at === end) {
        this.boxes.textNumbers[this.depths.length] = sentence.textNumber;
        this.pushLine(sentence.depth, TEXT, 0, sentence.text);
      } else this.sentences.push(sentence);
    }
  }
}

// Encodes a walk as one string for snapshot/walked.py: a line of JSON, then columns with a character for each line, then the
// names.

const BASE = 93; // columns of small numbers travel as characters from here on: no JSON escape needed

/**
 * @typedef {object} WalkHead
 * @property {number} document
 * @property {number} last
 * @property {string[]} kinds
 * @property {number[] | null} range
 * @property {[number, number][]} remote
 * @property {number} suspects
 * @property {number} customs
 * @property {[number, number][]} trees
 * @property {[number, string][]} states
 * @property {[number, string][]} values
 * @property {[number, string][]} hints
 * @property {number[]} boxes
 * @property {number} hidden
 * @property {number} cut
 * @property {number} unlisted
 * @property {number[]} jumps
 * @property {string} url
 * @property {string} title
 */

/** Encode a finished walk as one string: JSON of `WalkHead`, and the columns of depths, kinds and names, separated by U+001E. */
export function encode(walk) {
  const moved = insertSentences(walk);
  tellHintsApart(walk);
  const listed = [...new Set(walk.kinds)];
  const code = new Map(listed.map((kind, index) => [kind, BASE + index]));
  const trees = treesInside(walk.trees); // may give ids, so before `lastId` is read
  /** @type {WalkHead} */
  const meta = {
    document: table.first,
    last: lastId(),
    kinds: listed.map((kind) => kind.role || 'generic'),
    range: walk.range,
    remote: walk.remote,
    suspects: suspectCount(),
    customs: customs.length,
    trees,
    states: walk.states,
    values: walk.values,
    hints: walk.hints,
    boxes: distinguishingBoxes(walk, moved),
    hidden: walk.hidden,
    cut: readOfMore(),
    unlisted: walk.countUnlisted(),
    jumps: idJumps(walk.ids),
    url: location.href,
    title: titleOf(document).toWellFormed(),
  };
  return [
    JSON.stringify(meta),
    encodeColumn(walk.depths),
    encodeColumn(walk.kinds.map((kind) => code.get(kind))),
    walk.names.join('\n'),
  ].join('\u001e');
}

// In each of these trees Python looks for click listeners, which takes about 0.6 ms. Where there are more, only `snapshot -C` does.
const MAX_TREES = 20;
/** Return [id, number of elements] of the trees in which Python looks for click listeners; none where they are too many. */
const treesInside = (trees) =>
  trees.length > MAX_TREES ? [] : trees.slice(1).map(({ root, read }) => [idOf(root), read]);

/**
 * Insert the sentences that hold links before these, and renumber everything that refers to lines. Return the new number of each line;
 * null where none has changed.
 */
function insertSentences(walk) {
  if (walk.sentences.length === 0) return null;
  const sentences = walk.sentences.toSorted((a, b) => a.at - b.at);
  const columns = [walk.depths, walk.kinds, walk.ids, walk.names];
  /** @type {any[][]} */
  const made = columns.map(() => []);
  const moved = new Array(walk.depths.length + 1);
  const textNumbers = [];
  let next = 0;
  for (let line = 0; line <= walk.depths.length; line++) {
    for (; next < sentences.length && sentences[next].at === line; next++) {
      const { depth, text, textNumber } = sentences[next];
      textNumbers[made[0].length] = textNumber;
      [BASE + depth, TEXT, 0, text].forEach((value, column) => made[column].push(value));
    }
    moved[line] = made[0].length;
    textNumbers[made[0].length] = walk.boxes.textNumbers[line];
    if (line < walk.depths.length) columns.forEach((column, index) => made[index].push(column[line]));
  }
  [walk.depths, walk.kinds, walk.ids, walk.names] = made;
  walk.boxes.textNumbers = textNumbers;
  for (const notes of [walk.states, walk.values, walk.hints, walk.remote])
    for (const note of notes) note[0] = moved[note[0]];
  if (walk.range !== null && walk.range[0] < walk.range[1])
    walk.range = walk.range.map((line, end) =>
      moved[line] - (end ? 0 : sentences.filter(({ at }) => at === line).length)
    );
  return moved;
}

/** Return [line, id, line, id, …] of the ids that are not one more than the id before: most are, and need not be sent. */
function idJumps(ids) {
  const jumps = [];
  let last = 0;
  for (let line = 0; line < ids.length; line++) {
    const id = ids[line];
    if (id === 0) continue;
    if (id !== last + 1) jumps.push(line, id);
    last = Math.abs(id);
  }
  return jumps;
}

/** Encode character codes as one string, in pieces: a call takes a limited number of arguments. */
function encodeColumn(codes) {
  let column = '';
  for (let index = 0; index < codes.length; index += 8192)
    column += String.fromCharCode.apply(null, codes.slice(index, index + 8192));
  return column;
}

const MAX_ADDRESS = 300; // characters
/** Return the address of a link, shortened; without the origin if it is the page's own, so that two copies of a site read the same. */
function addressOf(element) {
  const href = attr(element, 'href');
  try {
    const url = new URL(href, element.baseURI);
    const address = url.origin === location.origin && url.origin !== 'null'
      ? url.pathname + url.search + url.hash
      : url.href;
    return cleanText(address.slice(0, MAX_ADDRESS));
  } catch {
    return cleanText(href.slice(0, MAX_ADDRESS));
  }
}

// Boxes: elements without a line of their own around controls and text, such as a card or a chip. The text in a box tells its button
// from an equal one in another box (snapshot/disambiguation/). The walk notes where each begins and ends; which of them are sent to
// Python is decided once all lines are there.

const MOST_LINES = 60; // a box with more is a part of the page
const FILLED = new Set(
  ['textbox', 'searchbox', 'combobox', 'listbox', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton'],
);

/** Elements without a line of their own around controls and words, such as a card: where each begins and ends. */
class Boxes {
  constructor() {
    this.edges = []; // four for each box: first line, line behind the last, and the number of texts before each of these two
    this.textNumbers = []; // line of text → number of its first text
    this.controls = 0; // so far
  }

  /**
   * Note a box in which lines were written, from line `first` to before `end`, between the texts number `from` and `to`. Text that is
   * still open may become a line behind its end, see `rangeWithTexts`.
   */
  note(first, end, from, to) {
    if (end - first > MOST_LINES || end - first + to - from < 2) return;
    const last = this.edges.length - 4;
    const isKnown = last >= 0 && this.edges[last] === first && this.edges[last + 1] === end
      && this.edges[last + 2] === from && this.edges[last + 3] === to;
    if (!isKnown) this.edges.push(first, end, from, to);
  }
}

/**
 * Return the boxes whose text tells controls apart: [first line, end, …]. These are boxes that hold just one of several controls of the
 * same role and name, and the innermost box with text around a field without a name. `moved`: the new numbers of lines, or null.
 */
function distinguishingBoxes(walk, moved) {
  const { edges, textNumbers } = walk.boxes;
  const found = [];
  if (edges.length === 0) return found;
  const ambiguous = ambiguousLines(walk);
  if (ambiguous.lines.length === 0) return found;
  const unnamedFields = ambiguous.lines.filter((line) => walk.names[line] === '' && FILLED.has(walk.kinds[line].role));
  const fieldsWithText = new Set(); // those of these fields around which text was found
  for (let box = 0; box < edges.length; box += 4) {
    const [first, end] = rangeWithTexts(walk.kinds, textNumbers, moved, edges, box);
    const hasNewText = isFirstWithText(walk, unnamedFields, fieldsWithText, first, end);
    if (hasNewText || hasOnlyOneOfEqual(ambiguous, first, end) && hasMoreThanButtons(walk, ambiguous, first, end))
      found.push(first, end);
  }
  return found;
}

/**
 * Whether a box is the innermost with text around a field without a name. `unnamedFields`: the lines of such fields; `fieldsWithText`:
 * those for which a box was found. Inner boxes come before outer ones.
 */
function isFirstWithText(walk, unnamedFields, fieldsWithText, first, end) {
  const inside = unnamedFields.slice(lowerBound(unnamedFields, first), lowerBound(unnamedFields, end)).filter((line) =>
    !fieldsWithText.has(line)
  );
  if (inside.length === 0 || !hasTextLine(walk, first, end)) return false;
  for (const line of inside) fieldsWithText.add(line);
  return true;
}

/** Whether the lines from `first` to before `end` have text that is not the name of a control; links count as text. */
function hasTextLine({ kinds, ids, names }, first, end) {
  for (let line = first; line < end; line++)
    if (names[line] !== '' && (!kinds[line].operable || kinds[line] === LINK || ids[line] < 0)) return true;
  return false;
}

/**
 * Return { lines, last, next }: the lines of controls whose name and role others have too, or that have no name; and for each line the
 * previous and the next one that reads the same, -1 for none.
 */
function ambiguousLines({ kinds, ids, names }) {
  const byKind = new Map();
  const last = new Int32Array(kinds.length).fill(-1);
  const next = new Int32Array(kinds.length).fill(-1);
  const controls = [];
  for (let line = 0; line < kinds.length; line++) {
    if (!kinds[line].operable && ids[line] >= 0) continue;
    controls.push(line);
    let byName = byKind.get(kinds[line]);
    if (byName === undefined) byKind.set(kinds[line], byName = new Map());
    const before = byName.get(names[line]);
    byName.set(names[line], line);
    if (before === undefined) continue;
    last[line] = before;
    next[before] = line;
  }
  return { lines: controls.filter((line) => last[line] >= 0 || next[line] >= 0 || names[line] === ''), last, next };
}

/** Whether a box holds just one of several lines that read the same. */
function hasOnlyOneOfEqual({ lines, last, next }, first, end) {
  for (let index = lowerBound(lines, first); index < lines.length && lines[index] < end; index++) {
    const line = lines[index];
    if (last[line] < first && (next[line] < 0 || next[line] >= end)) return true;
  }
  return false;
}

/** Return the index of the first of some ascending numbers that is not below `least` (binary search); their count where all are. */
function lowerBound(numbers, least) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a box holds anything but buttons that read as others do. Two "Edit" and "Delete" buttons alone tell nothing about a row. */
function hasMoreThanButtons({ kinds, names }, { last, next }, first, end) {
  if (end - first < 2) return false;
  for (let line = first; line < end; line++)
    if (kinds[line] !== BUTTON || names[line] !== '' && last[line] < 0 && next[line] < 0) return true;
  return false;
}

/**
 * Return [first, end] of a box with the lines of its texts. Text becomes a line when its sentence ends, which may be behind the box, or
 * stand before lines of a box that it does not belong to.
 */
function rangeWithTexts(kinds, textNumbers, moved, edges, box) {
  const [from, to] = [edges[box + 2], edges[box + 3]];
  let first = moved === null ? edges[box] : moved[edges[box]];
  let end = moved === null ? edges[box + 1] : moved[edges[box + 1]];
  /** Whether a line is text without a role. */
  const isText = (line) => kinds[line] === TEXT;
  while (first > 0 && isText(first - 1) && textNumbers[first - 1] > from) first--;
  while (first < end && isText(first) && textNumbers[first] <= from) first++;
  while (end > first && isText(end - 1) && textNumbers[end - 1] > to) end--;
  while (end < kinds.length && isText(end) && textNumbers[end] <= to) end++;
  return [first, end];
}
