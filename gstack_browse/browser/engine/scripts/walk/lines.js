// The lines of a snapshot: collected during the tree walk, with text and links joined to sentences, then encoded for snapshot/walked.py.

import { shownText, textWithoutElements } from '../accname/contents.js';
import { hintOf, makeHintsDistinct, textBeside } from '../accname/hints.js';
import { BUTTON, GENERIC, LINK, TEXT } from '../accname/kinds.js';
import { statesOf, tooltipState } from '../accname/states.js';
import { mayShowChoice, onOneLine, valueOf } from '../accname/values.js';
import { parentNodeOf, styleOf, textContentOf, titleOf } from '../dom/accessors.js';
import { attr, cleanText, hasAttr, isElement } from '../dom/dom.js';
import { closedRootCandidateCount, pendingCustomElements } from '../dom/internals.js';
import { elementsReadBeforeLimit, mayRead } from '../dom/invoke.js';
import { idOf, lastId, table } from '../dom/node-table.js';
import { hiddenExtent } from '../visibility/hidden.js';
import { scrollNote } from './scrolling.js';
import { BLANK, keepsLines, NEWLINE, TextRun } from './sentences.js';

const MAX_TEXT_UNDER_FIELD = 40;
/** @type {any} */
const NOTHING = Object.freeze([]);

/** Collects the lines of a walk, as parallel columns (`depths`, `kinds`, …), and joins text and links to sentences. */
export class LineCollector {
  constructor(options) {
    this.addresses = options.addresses === true;
    this.depths = [];
    this.kinds = [];
    this.ids = []; // negative for what has no role and can be clicked, 0 for text
    this.names = [];
    this.states = [];
    this.values = [];
    this.hints = []; // descriptions of controls without a name: [line, text]
    this.run = null; // the open text, see sentences.js
    this.code = false; // inside <pre>, where line breaks are displayed
    this.sentences = []; // sentences with links, to be inserted before the lines of these
    this.boxes = new BoxRecorder();
    this.textCount = 0; // texts so far
    this.active = null; // the focused element
    this.pointedAt = null; // its `aria-activedescendant`
  }

  /**
   * Stop collecting text at the beginning of an element. Return the `TextRun` so far, or null. `joins`: the element, such as a link, is
   * part of the sentence, which goes on behind it (`resumeText`); else the sentence ends.
   */
  suspendText(joins) {
    const run = this.run;
    if (!joins) this.endText();
    this.run = null;
    return run;
  }

  /** Continue the sentence behind an element that is part of it. `run`: returned by `suspendText`; `index`: the element's line. */
  resumeText(run, index, facts, name, depth) {
    const { kind } = facts;
    const isListed = this.depths.length > index;
    this.run = run ?? (isListed ? new TextRun(index, depth) : null);
    if (isListed) this.run.addControl(facts, name, index, depth, kind.joins && kind !== LINK, ++this.textCount);
  }

  /** Return the text of an element whose only child is a text node; null for other content, and for text of several lines. */
  onlyTextOf(facts) {
    if (facts.count > 0 || facts.hidden !== '') return null;
    const text = textWithoutElements(facts.element);
    return text !== null && text.includes('\n') && text.trim().includes('\n') && keepsLines(facts) ? null : text;
  }

  /**
   * Add a line. `depth`: of the element in the printed tree; `kind`: `Kind` of its role; `id`: node id, negative for an element without a
   * role that can be clicked, 0 for text.
   */
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

  /**
   * Add the states and the value of an element to line number `index`. `why`: its `clickReasons`, printed as a state; `isOffScreen`: it is
   * where nobody can scroll to, printed as a state.
   */
  addStatesAndValue(index, { element, tag, kind, bare, plain }, why, isOffScreen) {
    const states = bare && !tag.stateful ? NOTHING : statesOf(element, kind.role, tag.name, plain);
    const tooltip = plain ? NOTHING : tooltipState(element, kind.role, this.names[index], states);
    const focus = element === this.active && tag.name !== 'body'
      ? ['focused']
      : element === this.pointedAt
      ? ['active']
      : NOTHING;
    const rest = [...why ? [why] : NOTHING, ...isOffScreen ? ['off screen'] : NOTHING];
    if (states.length || tooltip.length || focus.length || rest.length)
      this.states.push([index, [...states, ...tooltip, ...focus, ...rest].join(', ')]);
    if (this.addresses && hasAttr(element, 'href')) this.values.push([index, addressOf(element)]);
    if (!tag.valued && !kind.valued && (plain || kind !== BUTTON || !mayShowChoice(element))) return;
    const value = onOneLine(valueOf(element, kind.role, tag.name));
    if (value && value !== this.names[index]) this.values.push([index, value]);
  }

  /** Add a hint from the markup of an element, such as `.icon-trash`, to line number `index`. */
  addHint(index, element) {
    const hint = hintOf(element);
    if (hint !== '') this.hints.push([index, hint]);
  }

  /**
   * Add the text around a transparent file field as its hint: `<label>Upload <input type=file style="opacity:0"></label>`. The field's name
   * ("Choose File") is not displayed.
   */
  addTextUnderField(index, element) {
    const parent = parentNodeOf(element);
    if (element.type !== 'file' || !isElement(parent) || styleOf(element).opacity !== '0') return;
    const words = cleanText(textContentOf(parent));
    if (words !== '' && words.length <= MAX_TEXT_UNDER_FIELD) this.hints.push([index, words]);
  }

  /**
   * Add a hint to the line of a clickable element inside of another one whose name contains its text: the text beside it, unless that is
   * the name of the outer one, and a hint from its markup.
   */
  addHintWithTextBeside(index, element) {
    const [words, hint] = [textBeside(element), hintOf(element)];
    let above = index - 1;
    while (above >= 0 && this.depths[above] >= this.depths[index]) above--;
    const isKnown = words === '' || above >= 0 && this.names[above] === words;
    const text = isKnown ? hint : hint === '' ? words : `"${words}" ${hint}`;
    if (text !== '') this.hints.push([index, text]);
  }

  /** Add the text beside a button within a control, as "Ann" in `[Ann ×]`, as a hint to its line: the text has no line of its own. */
  addTextBeside(index, element) {
    const words = textBeside(element);
    if (words !== '') this.hints.push([index, words]);
  }

  /** Finish the line of an element with one text and nothing else, as most table cells: the text becomes its name or value. */
  finishLeaf(index, kind, text) {
    if (kind.cell && !this.names[index]) this.names[index] = text;
    else if (text && text !== this.names[index]) this.values.push([index, text]);
    else if (!text && this.isEmptyLine(index, kind)) this.popLine();
  }

  /**
   * Finish the line of an element after its content: a text that is the only content becomes its name or value. Remove an empty line,
   * except that of a frame, whose document may come later.
   */
  finishLine(index, facts, why) {
    const { element, tag, kind } = facts;
    this.endTextInto(index, kind);
    const inside = this.depths.length - index - 1;
    if (
      inside === 0
      && (facts.hidden === null && hiddenExtent(element) !== ''
        || why === '' && !tag.frame && this.isEmptyLine(index, kind))
    )
      this.dropLine(index);
    if (inside >= 4 && tag.scrolls) this.addScrollNote(index, element);
  }

  /** Return whether a line has no name, state or value, and its kind is not listed without these. */
  isEmptyLine(index, kind) {
    return !kind.alone && !this.names[index] && this.states.at(-1)?.[0] !== index && this.values.at(-1)?.[0] !== index;
  }

  /** Return whether a line is the last one, and has no value: nothing was found inside of its element. */
  isLastAndEmpty(index) {
    return this.depths.length === index + 1 && this.values.at(-1)?.[0] !== index;
  }

  /** Remove the last line, with its states, value and hint. */
  dropLine(index) {
    this.popLine();
    for (const notes of [this.states, this.values, this.hints]) if (notes.at(-1)?.[0] === index) notes.pop();
  }

  /**
   * End the open text at the end of an element. If the only content of the element is one sentence, that becomes its name or value.
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
   * Add a text of the page to the open sentence, if its parent is not hidden. `text`: as in the markup; `parent`: `Facts` about its parent;
   * `isVisible`: the parent is known not to be hidden.
   */
  addText(text, parent, depth, isVisible) {
    const words = text.trim();
    if (words === '' && this.run === null) return;
    if (words !== '' && parent.hidden === null) parent.hidden = isVisible ? '' : hiddenExtent(parent.element);
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

  /** Add displayed text to the open sentence; open one where there is none. `code`: keep its blanks. */
  appendText(text, depth, code) {
    this.run ??= new TextRun(this.depths.length, depth);
    this.run.addText(text, this.depths.length, depth, code, ++this.textCount);
  }

  /** Add each line of a text with displayed line breaks as a sentence. */
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
    return run === null ? NOTHING : run.makeSentences();
  }

  /**
   * Add a line for each sentence. One with links belongs before their lines, so it is inserted at the end of the walk (`insertSentences`).
   */
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

// Encode a walk as one string for snapshot/walked.py: a line of JSON, then columns with a character for each line, then the names.

const BASE = 93; // small numbers are sent as characters from this code on, which JSON does not escape

/**
 * @typedef {{ document: number, last: number, kinds: string[], range: number[] | null, remote: [number, number][], suspects: number,
 *   customs: number, trees: [number, number][], states: [number, string][], values: [number, string][], hints: [number, string][],
 *   boxes: number[], hidden: number, cut: number, unlisted: number, jumps: number[], url: string, title: string }} WalkHead
 */

/** Encode a finished `Walk` as one string: JSON of a `WalkHead`, then the columns of depths, kinds and names, separated by U+001E. */
export function encodeWalk(walk) {
  const moved = insertSentences(walk);
  makeHintsDistinct(walk);
  const listed = [...new Set(walk.kinds)];
  const code = new Map(listed.map((kind, index) => [kind, BASE + index]));
  const trees = listTreesForListeners(walk.trees); // may give ids, so before `lastId` is read
  /** @type {WalkHead} */
  const meta = {
    document: table.first,
    last: lastId(),
    kinds: listed.map((kind) => kind.role || 'generic'),
    range: walk.range,
    remote: walk.remote,
    suspects: closedRootCandidateCount(),
    customs: pendingCustomElements.length,
    trees,
    states: walk.states,
    values: walk.values,
    hints: walk.hints,
    boxes: findDistinguishingBoxes(walk, moved),
    hidden: walk.hidden,
    cut: elementsReadBeforeLimit(),
    unlisted: walk.countUnlisted(),
    jumps: compressIds(walk.ids),
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

// To look for click listeners in a tree takes Python about 0.6 ms. In more trees only `snapshot -C` does.
const MAX_TREES = 20;
/**
 * Return [id, number of elements] of each shadow tree and frame that a walk (one pass over the page) has entered, for Python to look for
 * click listeners in them; [] if they are too many. `trees`: { root, read: number of elements } of each, the document first.
 */
const listTreesForListeners = (trees) =>
  trees.length > MAX_TREES ? [] : trees.slice(1).map(({ root, read }) => [idOf(root), read]);

/**
 * Insert a line for each sentence with links before the lines of these links, and renumber everything in a `Walk` that refers to lines.
 * Return an array of the new number of each line; null if there are no such sentences.
 */
function insertSentences(walk) {
  if (walk.sentences.length === 0) return null;
  const sentences = walk.sentences.toSorted((a, b) => a.at - b.at);
  const columns = [walk.depths, walk.kinds, walk.ids, walk.names];
  const newColumns = columns.map((column) => column.slice(0, 0));
  const moved = new Array(walk.depths.length + 1);
  const textNumbers = [];
  let next = 0;
  for (let line = 0; line <= walk.depths.length; line++) {
    for (; next < sentences.length && sentences[next].at === line; next++) {
      const { depth, text, textNumber } = sentences[next];
      textNumbers[newColumns[0].length] = textNumber;
      [BASE + depth, TEXT, 0, text].forEach((value, column) => newColumns[column].push(value));
    }
    moved[line] = newColumns[0].length;
    textNumbers[newColumns[0].length] = walk.boxes.textNumbers[line];
    if (line < walk.depths.length) columns.forEach((column, index) => newColumns[index].push(column[line]));
  }
  [walk.depths, walk.kinds, walk.ids, walk.names] = newColumns;
  walk.boxes.textNumbers = textNumbers;
  for (const notes of [walk.states, walk.values, walk.hints, walk.remote])
    for (const note of notes) note[0] = moved[note[0]];
  if (walk.range !== null && walk.range[0] < walk.range[1])
    walk.range = walk.range.map((line, end) =>
      moved[line] - (end ? 0 : sentences.filter(({ at }) => at === line).length)
    );
  return moved;
}

/**
 * Compress the ids of snapshot lines to [line, id, line, id, …], with only those ids that are not one more than the id before: most are.
 */
function compressIds(ids) {
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

/** Convert an array of character codes to one string, in pieces, since a call takes a limited number of arguments. */
function encodeColumn(codes) {
  let column = '';
  for (let index = 0; index < codes.length; index += 8192)
    column += String.fromCharCode.apply(null, codes.slice(index, index + 8192));
  return column;
}

const MAX_ADDRESS = 300; // characters
/**
 * Return the URL of a link for its line in a snapshot, at most 300 characters; without the page's own origin, so that two copies of a site
 * print the same.
 */
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

// Boxes: elements without a line of their own around controls and text, such as a card or a chip. The text in a box tells its button from
// an equal one in another box (snapshot/disambiguation/). The walk records all boxes; at the end only those that help are sent to Python.

const MAX_BOX_LINES = 60; // a larger box is a part of the page
const FIELD_ROLES = new Set(
  ['textbox', 'searchbox', 'combobox', 'listbox', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton'],
);

/** Records at which lines boxes begin and end. */
class BoxRecorder {
  constructor() {
    this.edges = []; // four numbers for each box: first line, line after the last, and the number of texts before each of these two
    this.textNumbers = []; // line of a text → number of its first text
    this.controls = 0; // lines of controls so far
  }

  /**
   * Record a box with the lines from `first` to before `end`, and the texts after number `from` up to `to`. Its last text may become a line
   * only after the box, see `rangeWithTexts`.
   */
  recordBox(first, end, from, to) {
    if (end - first > MAX_BOX_LINES || end - first + to - from < 2) return;
    const last = this.edges.length - 4;
    const isKnown = last >= 0 && this.edges[last] === first && this.edges[last + 1] === end
      && this.edges[last + 2] === from && this.edges[last + 3] === to;
    if (!isKnown) this.edges.push(first, end, from, to);
  }
}

/**
 * Return the boxes (elements without a line of their own around several lines, such as a card) whose text distinguishes controls, as [first
 * line, line after the last, first line, …]: boxes with just one of several controls of the same role and name, and the innermost box with
 * text around a field without a name. `moved`: what `insertSentences` returned.
 */
function findDistinguishingBoxes(walk, moved) {
  const { edges, textNumbers } = walk.boxes;
  const found = [];
  if (edges.length === 0) return found;
  const ambiguous = findAmbiguousLines(walk);
  if (ambiguous.lines.length === 0) return found;
  const unnamedFields = ambiguous.lines.filter((line) =>
    walk.names[line] === '' && FIELD_ROLES.has(walk.kinds[line].role)
  );
  const fieldsWithText = new Set(); // those of these fields for which a box was found
  for (let box = 0; box < edges.length; box += 4) {
    const [first, end] = rangeWithTexts(walk.kinds, textNumbers, moved, edges.slice(box, box + 4));
    const isNeededByField = markFieldsWithText(walk, unnamedFields, fieldsWithText, first, end);
    if (
      isNeededByField
      || hasOnlyOneOfEqual(ambiguous, first, end) && hasMoreThanEqualButtons(walk, ambiguous, first, end)
    )
      found.push(first, end);
  }
  return found;
}

/**
 * If a box (lines from `first` to before `end`) has text, add the unnamed fields in it to the set `fieldsWithText`; return whether any was
 * added. Called for inner boxes first, so each field is added for the innermost one. `unnamedFields`: lines of fields without a name,
 * ascending.
 */
function markFieldsWithText(walk, unnamedFields, fieldsWithText, first, end) {
  const inside = unnamedFields.slice(lowerBound(unnamedFields, first), lowerBound(unnamedFields, end)).filter((line) =>
    !fieldsWithText.has(line)
  );
  if (inside.length === 0 || !hasTextLine(walk, first, end)) return false;
  for (const line of inside) fieldsWithText.add(line);
  return true;
}

/**
 * Return whether one of a walk's lines from `first` to before `end` is text, or a link or clickable element with a name; names of other
 * controls do not count. `kinds`, `ids`, `names`: of the walk, one for each line.
 */
function hasTextLine({ kinds, ids, names }, first, end) {
  for (let line = first; line < end; line++)
    if (names[line] !== '' && (!kinds[line].operable || kinds[line] === LINK || ids[line] < 0)) return true;
  return false;
}

/**
 * Find the snapshot lines of controls that need more than their name. Return { lines, last, next }. `lines`: of controls without a name, or
 * with a name and role that another one has, too (two "Edit" buttons); `last[line]`, `next[line]`: the previous and next line with that
 * name and role, -1 for none.
 */
function findAmbiguousLines({ kinds, ids, names }) {
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

/**
 * Return whether a box (lines from `first` to before `end`) contains just one of several controls with the same role and name. `lines`,
 * `last`, `next`: of `findAmbiguousLines`.
 */
function hasOnlyOneOfEqual({ lines, last, next }, first, end) {
  for (let index = lowerBound(lines, first); index < lines.length && lines[index] < end; index++) {
    const line = lines[index];
    if (last[line] < first && (next[line] < 0 || next[line] >= end)) return true;
  }
  return false;
}

/** Return the index of the first of ascending numbers that is not less than `least`, by binary search; their count if there is none. */
function lowerBound(numbers, least) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Return whether a box (lines from `first` to before `end`) contains more than buttons that also occur elsewhere: an "Edit" and a "Delete"
 * button alone do not distinguish a row. `last`, `next`: of `findAmbiguousLines`.
 */
function hasMoreThanEqualButtons({ kinds, names }, { last, next }, first, end) {
  if (end - first < 2) return false;
  for (let line = first; line < end; line++)
    if (kinds[line] !== BUTTON || names[line] !== '' && last[line] < 0 && next[line] < 0) return true;
  return false;
}

/**
 * Return [first line, line after the last] of a box, so that it contains all lines of its own texts, and no text of another box. The
 * recorded lines are not exact: a text becomes a line only when its sentence ends, which may be after the box. `kinds`: the `Kind` of each
 * line; `textNumbers`: number of the first text of each text line; `edges`: the recorded box, four numbers (see `BoxRecorder`); `moved`:
 * what `insertSentences` returned.
 */
function rangeWithTexts(kinds, textNumbers, moved, edges) {
  const [from, to] = edges.slice(2);
  let [first, end] = edges.slice(0, 2).map((line) => moved === null ? line : moved[line]);
  /** Return whether a snapshot line is text without an element. */
  const isTextLine = (line) => kinds[line] === TEXT;
  while (first > 0 && isTextLine(first - 1) && textNumbers[first - 1] > from) first--;
  while (first < end && isTextLine(first) && textNumbers[first] <= from) first++;
  while (end > first && isTextLine(end - 1) && textNumbers[end - 1] > to) end--;
  while (end < kinds.length && isTextLine(end) && textNumbers[end] <= to) end++;
  return [first, end];
}
