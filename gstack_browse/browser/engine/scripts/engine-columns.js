// Encodes a walk as one string for snapshot/walked.py: a line of JSON, then columns with a character for each line, then the
// names.

import { readOfMore } from './engine-budget.js';
import { titleOf } from './engine-accessors.js';
import { attr, cleanText } from './engine-dom.js';
import { idOf, lastId, table } from './engine-table.js';
import { TEXT } from './engine-kinds.js';
import { tellHintsApart } from './engine-classes.js';
import { suspectCount } from './engine-closed.js';
import { customs } from './engine-internals.js';
import { toldBoxes } from './engine-boxes.js';

export const BASE = 93; // columns of small numbers travel as characters from here on: no JSON escape needed

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
export function addressOf(element) {
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
