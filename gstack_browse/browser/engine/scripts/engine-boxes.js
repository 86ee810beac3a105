// Boxes: elements without a line of their own around controls and words, as a card or a chip is. What a box says tells its button
// from an equal one, see snapshot/annotate.py. The walk notes where each begins and ends; which are told is found out when all lines are there.

import { BUTTON, LINK, TEXT } from './engine-kinds.js';

const MOST_LINES = 60; // what holds more is a part of the page
const FILLED = new Set(
  ['textbox', 'searchbox', 'combobox', 'listbox', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton'],
);

export class Boxes {
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
export function toldBoxes(walk, moved) {
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
