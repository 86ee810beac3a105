// Finds style rules that may set the hand as cursor, or make a box of an inline element. The sheets are asked, since asking every
// element costs more than the walk.

import { documentOf } from './engine-accessors.js';
import { attr, hasAttr, OfTrees } from './engine-dom.js';
import { OfSheets, sheetsOf } from './engine-sheets.js';

const MAX_ANSWERS = 5000;

// Classes, ids, tags and attributes of which the last part of a selector needs one: an element without any is not meant.
export class Meant {
  constructor() {
    this.classes = new Set();
    this.ids = new Set();
    this.tags = new Set();
    this.attributes = new Set();
    this.any = false; // or nothing is known
    this.answers = new Map(); // by the words of a class attribute: those of a list are all the same
  }

  add(other) {
    for (const set of ['classes', 'ids', 'tags', 'attributes']) for (const word of other[set]) this[set].add(word);
    this.any ||= other.any;
  }

  mayMean(element, tag, plain) {
    if (this.any || this.tags.has(tag.name)) return true;
    if (plain) return false;
    for (const attribute of this.attributes) if (hasAttr(element, attribute)) return true;
    if (this.ids.size > 0 && this.ids.has(attr(element, 'id'))) return true;
    return this.classes.size > 0 && this.meansClass(attr(element, 'class') || '');
  }

  meansClass(written) {
    let answer = this.answers.get(written);
    if (this.answers.size > MAX_ANSWERS) this.answers.clear();
    if (answer === undefined)
      this.answers.set(
        written,
        answer = written.split(/\s+/).some((word) => this.classes.has(word)),
      );
    return answer;
  }

  note(selector, outer) {
    for (const complex of split(selector, ',')) {
      const last = String(split(complex.trim(), ' >+~').at(-1));
      if (OF_NO_ELEMENT.test(last)) continue;
      const part = withoutArguments(last.replace(/::[\w-]+(?:\([^)]*\))?/g, ''));
      const found =
        /#(?<id>(?:[\w-]|[^\x00-\x7f]|\\.)+)|\.(?<name>(?:[\w-]|[^\x00-\x7f]|\\.)+)|\[\s*(?<attribute>[\w-]+)|^(?<tag>[a-z][\w-]*)/i
          .exec(part)?.groups;
      if (part.startsWith('&') && part.length === 1 && outer !== '') this.note(outer, '');
      else if (found === undefined) this.any ||= !part.startsWith(':host');
      else if (found.id) this.ids.add(unescaped(found.id));
      else if (found.name) this.classes.add(unescaped(found.name));
      else if (found.attribute) this.attributes.add(found.attribute.toLowerCase());
      else this.tags.add(found.tag.toLowerCase());
    }
  }
}

// A rule for `::after`, which is drawn beside an element, or for `::selection` says nothing of the box, words and cursor of an element.
const OF_NO_ELEMENT = /::(?!slotted|part)|:(?:before|after|first-l(?:ine|etter))$/;
export const meansElements = (selector) =>
  !selector.includes(':') || split(selector, ',').some((complex) => !OF_NO_ELEMENT.test(complex));

const unescaped = (word) =>
  word.replace(
    /\\([0-9a-f]{1,6}\s?|.)/gi,
    (_, code) => /^[0-9a-f]/i.test(code) ? String.fromCodePoint(parseInt(code, 16) % 0x110000) : code,
  );

// Split a selector at these characters outside of brackets and quotes.
export function split(selector, separators) {
  const parts = [''];
  let depth = 0;
  let quote = '';
  for (let index = 0; index < selector.length; index++) {
    const letter = selector[index];
    if (letter === '\\') parts[parts.length - 1] += letter + (selector[++index] ?? '');
    else if (depth === 0 && quote === '' && separators.includes(letter)) parts.push('');
    else {
      if (quote !== '') quote = letter === quote ? '' : quote;
      else if (letter === '"' || letter === "'") quote = letter;
      else if (letter === '(' || letter === '[') depth++;
      else if (letter === ')' || letter === ']') depth--;
      parts[parts.length - 1] += letter;
    }
  }
  const found = parts.filter((part) => part.trim() !== '');
  return found.length > 0 ? found : [''];
}

// `:not(.x)` says nothing of what is meant.
function withoutArguments(part) {
  let bare = part;
  for (let last = ''; last !== bare;) {
    last = bare;
    bare = bare.replace(/:[\w-]+\([^()]*\)/g, '');
  }
  return bare;
}

const UNKNOWN = Object.assign(new Meant(), { any: true });

// A question to the rules of all sheets: which of them do that?
/** @template {Meant} T */
export class Question {
  /** @param {(style: any) => boolean} does @param {new () => T} kind @param {T} unknown */
  constructor(does, kind, unknown) {
    this.does = does;
    this.kind = kind;
    this.none = new kind();
    this.roots = new OfTrees((root) => this.inSheets(sheetsOf(root)));
    this.sheets = new OfSheets((rules) => {
      const found = new kind();
      this.note(rules, found, '');
      return found;
    }, unknown);
  }

  /** @returns {T} */
  in(root) {
    return this.roots.of(root);
  }

  inSheets(sheets) {
    if (sheets.length <= 1) return sheets.length === 0 ? this.none : this.sheets.of(sheets[0]);
    const found = new this.kind();
    for (const sheet of sheets) found.add(this.sheets.of(sheet));
    return found;
  }

  // A rule with a style and no selector concerns the rule around it, or any element: a step of an animation.
  note(rules, found, outer) {
    for (const rule of rules) {
      const selector = rule.selectorText || '';
      if (rule.style && this.does(rule.style)) found.note(selector || outer, outer);
      if (rule.styleSheet) found.add(this.sheets.of(rule.styleSheet));
      if (rule.cssRules && rule.cssRules.length) this.note(rule.cssRules, found, selector || outer);
    }
  }
}

// The cursors over what is pressed, and over what is dragged.
export const CURSORS = new Set(['pointer', 'grab', 'move']);
export const POINTING = new Question((style) => CURSORS.has(style.cursor), Meant, UNKNOWN);
const SCROLLS = new Set(['auto', 'scroll']);
export const SCROLLING = new Question((style) => SCROLLS.has(style.overflowY), Meant, UNKNOWN);
const BOXING = new Question(
  (style) => style.display !== '' || style.position !== '' || style.cssFloat !== '',
  Meant,
  UNKNOWN,
);

// Whether the default box of the tag holds: no sheet and no attribute changes it.
export function isBoxedByTag(element, tag, quiet) {
  return quiet && !BOXING.in(documentOf(element)).mayMean(element, tag, false);
}
