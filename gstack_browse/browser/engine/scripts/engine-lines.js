// The lines of the walk: the columns it writes, and the text that is put together into sentences on the way.

import { parentNodeOf, textContentOf } from './engine-accessors.js';
import { mayRead } from './engine-budget.js';
import { cleanText, hasAttr, isElement } from './engine-dom.js';
import { hiddenness, styleOf } from './engine-hidden.js';
import { onlyText, shownText } from './engine-contents.js';
import { statesOf, tooltipBeside } from './engine-states.js';
import { mayShowChoice, onOneLine, valueOf } from './engine-values.js';
import { BUTTON, GENERIC, LINK, TEXT } from './engine-kinds.js';
import { hintOf, wordsBeside } from './engine-hints.js';
import { scrollNote } from './engine-scrolling.js';
import { BLANK, keepsLines, NEWLINE, Run } from './engine-flow.js';
import { Boxes } from './engine-boxes.js';
import { addressOf, BASE } from './engine-columns.js';

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
    this.run = null; // the text that is being read, see engine-flow.js
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

  describe(index, { element, tag, kind, plain, quiet }, why) {
    const states = plain && !tag.stateful ? NOTHING : statesOf(element, kind.role, tag.name, quiet);
    const tooltip = quiet ? NOTHING : tooltipBeside(element, kind.role, this.names[index], states);
    const focus = element === this.active && tag.name !== 'body'
      ? ['focused']
      : element === this.pointedAt
      ? ['active']
      : NOTHING;
    if (states.length || tooltip.length || focus.length || why)
      this.states.push([index, [...states, ...tooltip, ...focus, ...why ? [why] : []].join(', ')]);
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
