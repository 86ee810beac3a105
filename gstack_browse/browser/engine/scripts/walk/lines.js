// The lines of the walk: the text that is put together into sentences on the way, and the columns that a walk is encoded as for
// snapshot/walked.py.

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
    this.said = 0; // texts so far
    this.active = null; // has the focus
    this.pointedAt = null; // is what the focus means in a composite widget: its active descendant
  }

  // An element that is no part of a sentence ends it. A link is a part; the content of the link is not.
  setAside(joins) {
    const run = this.run;
    if (!joins) this.flush();
    this.run = null;
    return run;
  }

  join(run, index, it, name, depth) {
    const { kind } = it;
    const isListed = this.depths.length > index;
    this.run = run ?? (isListed ? new Run(index, depth) : null);
    if (isListed) this.run.join(it, name, index, depth, kind.joins && kind !== LINK, ++this.said);
  }

  loneText(it) {
    if (it.count > 0 || it.hidden !== '') return null;
    const text = onlyText(it.element);
    return text !== null && text.includes('\n') && text.trim().includes('\n') && keepsLines(it) ? null : text;
  }

  push(depth, kind, id, name) {
    this.depths.push(BASE + depth);
    this.kinds.push(kind);
    this.ids.push(id);
    this.names.push(name);
  }

  pop() {
    this.depths.pop();
    this.kinds.pop();
    this.ids.pop();
    this.names.pop();
  }

  describe(index, { element, tag, kind, plain, quiet }, why, isOffScreen) {
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

  hint(index, element) {
    const hint = hintOf(element);
    if (hint !== '') this.hints.push([index, hint]);
  }

  // A file's field is called by the browser. One that is transparent lies over the words that a person presses.
  overWords(index, element) {
    const parent = parentNodeOf(element);
    if (element.type !== 'file' || !isElement(parent) || styleOf(element).opacity !== '0') return;
    const words = cleanText(textContentOf(parent));
    if (words !== '' && words.length <= MAX_WORDS_UNDER) this.hints.push([index, words]);
  }

  // Describe a clickable element inside a clickable box whose name has the element's words: the words around it tell more than the
  // markup, unless the name consists of them.
  hintAmongWords(index, element) {
    const [words, hint] = [wordsBeside(element), hintOf(element)];
    let above = index - 1;
    while (above >= 0 && this.depths[above] >= this.depths[index]) above--;
    const isTold = words === '' || above >= 0 && this.names[above] === words;
    const told = isTold ? hint : hint === '' ? words : `"${words}" ${hint}`;
    if (told !== '') this.hints.push([index, told]);
  }

  // Describe a button inside a control, such as the cross of a chip, by the words beside it: these have no lines.
  beside(index, element) {
    const words = wordsBeside(element);
    if (words !== '') this.hints.push([index, words]);
  }

  // The short way for what holds one text and nothing else, such as most cells of a table.
  leaf(index, kind, text) {
    if (kind.cell && !this.names[index]) this.names[index] = text;
    else if (text && text !== this.names[index]) this.values.push([index, text]);
    else if (!text && this.isSilent(index, kind)) this.pop();
  }

  // A line whose only content is text takes it as its own; one that says nothing at all goes again, unless a frame's tree is to come below it.
  finish(index, it, why) {
    const { element, tag, kind } = it;
    this.flushInto(index, kind);
    const inside = this.depths.length - index - 1;
    if (
      inside === 0
      && (it.hidden === null && hiddenness(element) !== '' || why === '' && !tag.frame && this.isSilent(index, kind))
    )
      this.drop(index);
    if (inside >= 4 && tag.scrolls) this.noteScrolling(index, element);
  }

  isSilent(index, kind) {
    return !kind.alone && !this.names[index] && this.states.at(-1)?.[0] !== index && this.values.at(-1)?.[0] !== index;
  }

  isLastAndEmpty(index) {
    return this.depths.length === index + 1 && this.values.at(-1)?.[0] !== index;
  }

  drop(index) {
    this.pop();
    for (const notes of [this.states, this.values, this.hints]) if (notes.at(-1)?.[0] === index) notes.pop();
  }

  // All that there is to read in an element, with the links in it, is the element's own.
  flushInto(index, kind) {
    const run = this.run;
    const lines = this.endRun();
    if (lines.length === 1 && run.at === index + 1 && lines[0].at === run.at && !run.broken && kind !== GENERIC)
      this.adopt(index, kind, cleanText(lines[0].text));
    else this.place(lines);
  }

  adopt(index, kind, text) {
    if (kind.cell && !this.names[index]) this.names[index] = text;
    else if (text !== this.names[index]) this.values.push([index, text]);
  }

  noteScrolling(index, element) {
    const note = scrollNote(element);
    if (!note) return;
    const found = this.states.find(([line]) => line === index);
    if (found) found[1] += `, ${note}`;
    else this.states.push([index, note]);
  }

  // Whether the parent itself can be seen is only asked for when there is text to show.
  say(text, parent, depth, proven) {
    const words = text.trim();
    if (words === '' && this.run === null) return;
    if (words !== '' && parent.hidden === null) parent.hidden = proven ? '' : hiddenness(parent.element);
    if (parent.hidden !== '' && parent.hidden !== null) return;
    const hasLines = text.includes('\n');
    if (this.code ? hasLines : words.includes('\n') && keepsLines(parent)) return this.sayLines(text, parent, depth);
    if (words === '' && !this.code) return this.run.add(hasLines ? NEWLINE : BLANK, parent);
    const start = hasLines ? text.indexOf(words) : 0;
    if (hasLines && this.run !== null && text.slice(0, start).includes('\n')) this.run.add(NEWLINE, parent);
    this.words(shownText(text, parent.element), depth, this.code);
    if (hasLines && text.slice(start + words.length).includes('\n')) this.run.add(NEWLINE, parent);
  }

  words(text, depth, code) {
    this.run ??= new Run(this.depths.length, depth);
    this.run.say(text, this.depths.length, depth, code, ++this.said);
  }

  sayLines(text, parent, depth) {
    const lines = shownText(text, parent.element).split('\n');
    for (let index = 0; index < lines.length && mayRead(); index++) {
      if (index > 0) this.flush();
      if (lines[index] !== '') this.words(lines[index], depth, true);
    }
  }

  flush() {
    if (this.run !== null) this.place(this.endRun());
  }

  endRun() {
    const run = this.run;
    this.run = null;
    return run === null ? NOTHING : run.lines();
  }

  // Text goes out where it stands, or waits for its place before the links that are in it.
  place(sentences) {
    const end = this.depths.length;
    for (const sentence of sentences) {
      if (sentence.text === '') continue;
      if (sentence.at === end) {
        this.boxes.turns[this.depths.length] = sentence.turn;
        this.push(sentence.depth, TEXT, 0, sentence.text);
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

// Encode a walk, once every sentence is in its place: the head, and the columns of depths, kinds and names.
export function encode(walk) {
  const moved = insertSentences(walk);
  tellHintsApart(walk);
  const listed = [...new Set(walk.kinds)];
  const code = new Map(listed.map((kind, index) => [kind, BASE + index]));
  const trees = treesInside(walk.trees); // may give ids, so before the last one is told
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
    boxes: toldBoxes(walk, moved),
    hidden: walk.hidden,
    cut: readOfMore(),
    unlisted: walk.unlisted(),
    jumps: jumps(walk.ids),
    url: location.href,
    title: titleOf(document).toWellFormed(),
  };
  return [
    JSON.stringify(meta),
    characters(walk.depths),
    characters(walk.kinds.map((kind) => code.get(kind))),
    walk.names.join('\n'),
  ].join('\u001e');
}

// The shadow trees, and the documents of frames, in which Python asks who listens: about 0.6 ms for each that is new. Of more
// than these only `snapshot -C` does.
const MAX_TREES = 20;
const treesInside = (trees) =>
  trees.length > MAX_TREES ? [] : trees.slice(1).map(({ root, read }) => [idOf(root), read]);

// Put the sentences before their links, and move everything that is told by its line. Where each line is then; null where none moved.
function insertSentences(walk) {
  if (walk.sentences.length === 0) return null;
  const sentences = walk.sentences.toSorted((a, b) => a.at - b.at);
  const columns = [walk.depths, walk.kinds, walk.ids, walk.names];
  /** @type {any[][]} */
  const made = columns.map(() => []);
  const moved = new Array(walk.depths.length + 1);
  const turns = [];
  let next = 0;
  for (let line = 0; line <= walk.depths.length; line++) {
    for (; next < sentences.length && sentences[next].at === line; next++) {
      const { depth, text, turn } = sentences[next];
      turns[made[0].length] = turn;
      [BASE + depth, TEXT, 0, text].forEach((value, column) => made[column].push(value));
    }
    moved[line] = made[0].length;
    turns[made[0].length] = walk.boxes.turns[line];
    if (line < walk.depths.length) columns.forEach((column, index) => made[index].push(column[line]));
  }
  [walk.depths, walk.kinds, walk.ids, walk.names] = made;
  walk.boxes.turns = turns;
  for (const notes of [walk.states, walk.values, walk.hints, walk.remote])
    for (const note of notes) note[0] = moved[note[0]];
  if (walk.range !== null && walk.range[0] < walk.range[1])
    walk.range = walk.range.map((line, end) =>
      moved[line] - (end ? 0 : sentences.filter(({ at }) => at === line).length)
    );
  return moved;
}

// Ids mostly follow each other: told are only those that are not one more than the last, after their lines.
function jumps(ids) {
  const told = [];
  let last = 0;
  for (let line = 0; line < ids.length; line++) {
    const id = ids[line];
    if (id === 0) continue;
    if (id !== last + 1) told.push(line, id);
    last = Math.abs(id);
  }
  return told;
}

// A column of codes as one string, in pieces that fit a call's arguments.
function characters(codes) {
  let column = '';
  for (let index = 0; index < codes.length; index += 8192)
    column += String.fromCharCode.apply(null, codes.slice(index, index + 8192));
  return column;
}

// The address of a link, without the page's own origin: two copies of a site lead to the same places.
const MAX_ADDRESS = 300;
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

// Boxes: elements without a line of their own around controls and words, as a card or a chip is. What a box says tells its button
// from an equal one, see snapshot/annotate.py. The walk notes where each begins and ends; which are told is found out when all lines are there.

const MOST_LINES = 60; // what holds more is a part of the page
const FILLED = new Set(
  ['textbox', 'searchbox', 'combobox', 'listbox', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton'],
);

class Boxes {
  constructor() {
    this.edges = []; // of each box four: the lines where it begins and ends, and how many texts had been said by then
    this.turns = []; // of lines of text: how many texts had been said with its first one
    this.controls = 0; // so far
  }

  // A box inside of which lines were written. Text that is still being read may become a line behind its end, see `withTexts`.
  note(first, end, from, to) {
    if (end - first > MOST_LINES || end - first + to - from < 2) return;
    const last = this.edges.length - 4;
    const isKnown = last >= 0 && this.edges[last] === first && this.edges[last + 1] === end
      && this.edges[last + 2] === from && this.edges[last + 3] === to;
    if (!isKnown) this.edges.push(first, end, from, to);
  }
}

// The boxes that tell a control apart: [first, end, …] of those which hold one that reads as another one does, or has no name, and
// neither the next one of these nor the last; and of each field without a name the innermost that has words, which are beside this
// field as those of no other box are. `moved`: where lines are now, since sentences were put between them; null where none was.
function toldBoxes(walk, moved) {
  const { edges, turns } = walk.boxes;
  const told = [];
  if (edges.length === 0) return told;
  const asked = alikeLines(walk);
  if (asked.lines.length === 0) return told;
  const bare = asked.lines.filter((line) => walk.names[line] === '' && FILLED.has(walk.kinds[line].role));
  const worded = new Set(); // of these fields those around which words were found
  for (let box = 0; box < edges.length; box += 4) {
    const [first, end] = withTexts(walk.kinds, turns, moved, edges, box);
    const isWorded = givesWords(walk, bare, worded, first, end);
    if (isWorded || holdsOneAlone(asked, first, end) && saysMore(walk, asked, first, end)) told.push(first, end);
  }
  return told;
}

// Whether a box is the first with words around a field without a name. What is inside of another box was noted before that.
function givesWords(walk, bare, worded, first, end) {
  const inside = bare.slice(firstFrom(bare, first), firstFrom(bare, end)).filter((line) => !worded.has(line));
  if (inside.length === 0 || !holdsWords(walk, first, end)) return false;
  for (const line of inside) worded.add(line);
  return true;
}

function holdsWords({ kinds, ids, names }, first, end) {
  for (let line = first; line < end; line++)
    if (names[line] !== '' && (!kinds[line].operable || kinds[line] === LINK || ids[line] < 0)) return true;
  return false;
}

// Lines of controls that read as another one does, or have no name; with the last and the next such line of each, -1 for none.
function alikeLines({ kinds, ids, names }) {
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

function holdsOneAlone({ lines, last, next }, first, end) {
  for (let index = firstFrom(lines, first); index < lines.length && lines[index] < end; index++) {
    const line = lines[index];
    if (last[line] < first && (next[line] < 0 || next[line] >= end)) return true;
  }
  return false;
}

// The place of the first of some ascending numbers that is no less than that.
function firstFrom(numbers, least) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Buttons with a name of their own say something, too, as that of a list beside its arrow.
function saysMore({ kinds, names }, { last, next }, first, end) {
  if (end - first < 2) return false;
  for (let line = first; line < end; line++)
    if (kinds[line] !== BUTTON || names[line] !== '' && last[line] < 0 && next[line] < 0) return true;
  return false;
}

// Text becomes a line when its sentence ends, which may be behind the box that it is in, or inside of a box that it stands before.
function withTexts(kinds, turns, moved, edges, box) {
  const [from, to] = [edges[box + 2], edges[box + 3]];
  let first = moved === null ? edges[box] : moved[edges[box]];
  let end = moved === null ? edges[box + 1] : moved[edges[box + 1]];
  const isText = (line) => kinds[line] === TEXT;
  while (first > 0 && isText(first - 1) && turns[first - 1] > from) first--;
  while (first < end && isText(first) && turns[first] <= from) first++;
  while (end > first && isText(end - 1) && turns[end - 1] > to) end--;
  while (end < kinds.length && isText(end) && turns[end] <= to) end++;
  return [first, end];
}
