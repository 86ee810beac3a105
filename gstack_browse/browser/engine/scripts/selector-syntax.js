// Parses selectors as typed: `form >> role=button[name="Save"] >> nth=0`. Looks at no element of the page.
//
// A selector is a chain of parts. Each part is `{ engine, body, ... }`, where the rest is what `parsePart` has read from its body.

import { queryInFragment } from './engine-accessors.js';

/**
 * @typedef {{ css: string, own: { name: string, args: any[] }[], joint: string }} Compound the elements of one step, and how it joins the next
 * @typedef {{ steps: Compound[], source: string, isOwn: boolean }} Complex `isOwn`: only we can match it
 * @typedef {{ key: string, operator: string, value: any, anyCase: boolean }} RoleAttribute
 * @typedef {{ engine: string, body: string, words: string, exact: boolean, pattern: RegExp | null, list: Complex[], role: string, attributes: RoleAttribute[], isTarget: boolean }} Part
 */

const BY_ATTRIBUTE = {
  placeholder: 'placeholder',
  alt: 'alt',
  title: 'title',
  testid: 'data-testid',
  id: 'id',
  'data-testid': 'data-testid',
  'data-test-id': 'data-test-id',
  'data-test': 'data-test',
};
const ENGINES = new Set(['css', 'text', 'role', 'label', 'xpath', 'nth', 'visible', ...Object.keys(BY_ATTRIBUTE)]);
/** Engines of Playwright's that are not among ours, and what to use in their place. */
const DROPPED = /^_react$|^_vue$|^internal:|^(?:left-of|right-of|above|below|near)$|:light$/;
const DROPPED_REASON = 'is known to Playwright only: use role=, text=, label= or CSS';

/** @returns {never} */
function refuse(reason) {
  throw new Error(`Not a selector: ${reason}`);
}

const quoted = (text) => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** The parts of a selector. Throws an error that begins with "Not a selector" or "There are no words". */
function parseSelector(selector) {
  const parts = splitChain(selector).map((typed) => parsePart(typed, selector));
  if (parts.filter((part) => part.isTarget).length > 1) refuse('only one part can have a * before it');
  return parts;
}

/** In parts of these engines a quote is a letter like any other, unless it stands first: `text=It's here`. */
const TAKES_WORDS = /^\s*\*?(?:text|label|placeholder|alt|title|testid|id|data-test|data-test-?id)\s*=\s*\S/;

/** The selector split at each `>>` outside of quotes. */
function splitChain(selector) {
  if (!selector.includes('>>')) return [selector.trim()];
  const parts = [];
  let [start, quote] = [0, ''];
  for (let at = 0; at < selector.length; at++) {
    const letter = selector[at];
    if (letter === '\\') at++;
    else if (quote) quote = letter === quote ? '' : quote;
    else if (/["'\u0060]/.test(letter) && !TAKES_WORDS.test(selector.slice(start, at))) quote = letter;
    else if (letter === '>' && selector[at + 1] === '>') {
      parts.push(selector.slice(start, at++).trim());
      start = at + 1;
    }
  }
  parts.push(selector.slice(start).trim());
  if (parts.includes('')) refuse(`there is nothing on one side of a >> in ${quoted(selector)}`);
  return parts;
}

const ENGINE_PREFIX = /^(\*?)([\w:+-]+)\s*=/;

/** @returns {Part} */
function parsePart(typed, selector) {
  const named = ENGINE_PREFIX.exec(typed);
  const engine = named
    ? named[2]
    : /^(["']).*\1$/s.test(typed) && typed.length > 1
    ? 'text'
    : isXPath(typed)
    ? 'xpath'
    : 'css';
  const body = named ? typed.slice(named[0].length).trim() : typed;
  if (DROPPED.test(engine)) refuse(`${engine}= ${DROPPED_REASON}`);
  if (!ENGINES.has(engine)) refuse(`unknown engine ${quoted(engine)} in ${quoted(selector)}`);
  /** @type {Part} */
  const part = {
    engine,
    body,
    isTarget: named !== null && named[1] === '*',
    words: '',
    exact: false,
    pattern: null,
    list: [],
    role: '',
    attributes: [],
  };
  if (engine === 'css') part.list = parseCss(body);
  else if (engine === 'role') Object.assign(part, parseRole(body));
  else if (engine === 'text') Object.assign(part, parseText(body, selector));
  else if (engine === 'nth' && !/^-?\d+$/.test(body)) refuse(`nth= takes a whole number, not ${quoted(body)}`);
  else if (engine === 'visible' && !/^(?:true|false)$/.test(body)) refuse('visible= is true or false');
  else if (engine === 'label' || engine in BY_ATTRIBUTE) Object.assign(part, unquote(body));
  return part;
}

const isXPath = (typed) => /^\(*\/\//.test(typed) || typed.startsWith('..');

/** Words without their quotes, which make them exact. A backslash is a letter of them. */
function unquote(typed) {
  const exact = typed.length > 1 && typed[0] === typed.at(-1) && /["']/.test(typed[0]);
  return { words: exact ? typed.slice(1, -1) : typed, exact };
}

const withoutBackslashes = (text) => text.replace(/\\([^])/g, '$1');

function parseText(body, selector) {
  const end = body.lastIndexOf('/');
  if (body[0] === '/' && end > 0) {
    requireWords(body.slice(1, end), selector);
    return { pattern: newPattern(body.slice(1, end), body.slice(end + 1)) };
  }
  const { words, exact } = unquote(body);
  requireWords(words, selector);
  return { words: exact ? withoutBackslashes(words) : words, exact };
}

function requireWords(words, selector) {
  if (!words.trim()) throw new Error(`There are no words in ${selector}`);
}

function newPattern(source, flags) {
  try {
    return new RegExp(source, flags.replace(/[gy]/g, '')); // those would remember where they have been
  } catch (error) {
    return refuse(error instanceof Error ? error.message : '');
  }
}

const ROLE_ATTRIBUTE =
  /\[\s*([\w-]+)\s*(?:([*^$|~]?=)\s*(?:("(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*')\s*([iIsS]?)|\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+)\/([dgimsuvy]*)|([^\]\s"'/]*))\s*)?\]\s*/y;
const ROLE_STATES = {
  checked: ['true', 'false', 'mixed'],
  pressed: ['true', 'false', 'mixed'],
  selected: ['true', 'false'],
  expanded: ['true', 'false'],
  disabled: ['true', 'false'],
  'include-hidden': ['true', 'false'],
};

/** `button[name="Go"][pressed]`: a role, and what its elements have to say. */
function parseRole(body) {
  const [start, role = ''] = /^([\w-]+)\s*/.exec(body) ?? [''];
  if (!role) refuse('role= needs the name of a role, as in role=button');
  const attributes = [];
  ROLE_ATTRIBUTE.lastIndex = start.length;
  while (ROLE_ATTRIBUTE.lastIndex < body.length) {
    const found = ROLE_ATTRIBUTE.exec(body);
    if (found === null)
      return refuse(`role= takes what stands in brackets, as [name="Go"] or [checked], in ${quoted(body)}`);
    attributes.push(roleAttribute(found));
  }
  return { role: role.toLowerCase(), attributes };
}

/** @param {any[]} found */
function roleAttribute([, key, operator = '', text, letterCase = '', source, flags, word]) {
  const value = source !== undefined
    ? newPattern(source, flags)
    : text !== undefined
    ? withoutBackslashes(text.slice(1, -1))
    : word ?? 'true';
  const attribute = { key, operator: operator || '=', value, anyCase: letterCase.toLowerCase() === 'i' };
  if (key === 'name' || key === 'description') {
    if (!operator) refuse(`[${key}] needs a text, as in [${key}="Go"]`);
    if (value instanceof RegExp && operator !== '=') refuse(`a pattern goes with =, not with ${operator}`);
    return attribute;
  }
  if (attribute.operator !== '=') refuse(`[${key}] goes with =, not with ${operator}`);
  if (key === 'level') {
    if (!operator || !/^\d+$/.test(value)) refuse('[level] takes a number, as in [level=2]');
    return attribute;
  }
  const known = ['name', 'description', 'level', ...Object.keys(ROLE_STATES)];
  if (!known.includes(key)) refuse(`unknown attribute "${key}": there are ${known.join(', ')}`);
  if (!ROLE_STATES[key].includes(value))
    refuse(`[${key}] is ${ROLE_STATES[key].join(', ')}, not ${quoted(String(value))}`);
  return attribute;
}

/** Pseudo-classes that we match ourselves: those that CSS lacks, and those in which these may stand. */
const OWN = {
  has: 'list',
  is: 'list',
  not: 'list',
  where: 'list',
  'nth-match': 'list and number',
  'has-text': 'text',
  text: 'text',
  'text-is': 'text',
  'text-matches': 'text',
  scope: '',
  visible: '',
};
const DROPPED_PSEUDO = new Set(['left-of', 'right-of', 'above', 'below', 'near', 'light']);
/** Of these CSS itself matches those that hold nothing of ours. */
const IN_CSS = new Set(['has', 'is', 'not', 'where']);

const STRING = /"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'/y;
const BRACKETS = /\[(?:"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\\[^]|[^\]"'\\])*\]/y;
const PSEUDO = /:([\w-]+)(\(?)/y;
const PLAIN = /(?:\\(?:[\da-fA-F]{1,6}\s?|[^])|[^\s>+~,():["'\\])+/y;
const NUMBER = /\d+(?=\s*\))/y;

/** Reads CSS from left to right. */
class CssReader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** Match a pattern at this place and go on behind it; null if it does not match. */
  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  get next() {
    return this.text[this.at] ?? '';
  }

  skipSpace() {
    while (/\s/.test(this.next)) this.at++;
  }

  /** @returns {never} */
  fail() {
    const what = this.next ? `unexpected ${quoted(this.next)}` : 'unexpected end';
    return refuse(`${what} in CSS ${quoted(this.text)}`);
  }

  /** @returns {Complex[]} */
  list() {
    const found = [this.complex()];
    while (this.next === ',') {
      this.at++;
      found.push(this.complex());
    }
    return found;
  }

  /** @returns {Complex} */
  complex() {
    this.skipSpace();
    const start = this.at;
    /** @type {Compound[]} */
    const steps = [];
    if (/[>+~]/.test(this.next)) steps.push({ css: '', own: [{ name: 'scope', args: [] }], joint: this.joint() });
    for (;;) {
      steps.push(this.compound());
      const joint = this.joint();
      if (joint === '') break;
      steps[steps.length - 1].joint = joint;
    }
    return { steps, source: this.text.slice(start, this.at).trim(), isOwn: steps.some(isOwnCompound) };
  }

  /** The combinator that stands here: one of ` >+~`, or '' at the end of a complex selector. */
  joint() {
    const before = this.at;
    this.skipSpace();
    if (/[>+~]/.test(this.next)) {
      const joint = this.text[this.at++];
      this.skipSpace();
      return joint;
    }
    return this.next === '' || this.next === ',' || this.next === ')' || this.at === before ? '' : ' ';
  }

  /** @returns {Compound} */
  compound() {
    let css = '';
    const own = [];
    for (;;) {
      const plain = this.take(PLAIN) ?? this.take(BRACKETS);
      if (plain !== null) css += plain[0];
      else if (this.next === ':') {
        const found = this.pseudo();
        if (typeof found === 'string') css += found;
        else own.push(found);
      } else break;
    }
    if (css === '' && own.length === 0 || !/^[\s>+~,)]?$/.test(this.next)) this.fail();
    requireCss(css, this);
    return { css, own, joint: '' };
  }

  /** A pseudo-class of ours, or the text of one of CSS's own. */
  pseudo() {
    const found = this.take(PSEUDO) ?? this.fail();
    const name = found[1].toLowerCase();
    if (DROPPED_PSEUDO.has(name)) refuse(`:${name} ${DROPPED_REASON}`);
    if (!Object.hasOwn(OWN, name)) return found[2] ? `:${name}(${this.untilClosed()}` : found[0];
    const takes = OWN[name];
    if (Boolean(takes) !== Boolean(found[2]))
      refuse(takes ? `:${name} needs something in brackets` : `:${name} takes no brackets`);
    const args = takes ? this.args(takes) : [];
    if (takes === 'text' && !args[0].trim()) throw new Error(`There are no words in ${this.text}`);
    return { name, args };
  }

  /** Read the arguments of a pseudo-class of ours: selectors, texts or a number, as it takes. */
  args(takes) {
    const args = [];
    do {
      this.skipSpace();
      const text = takes === 'text' ? this.take(STRING) ?? this.fail() : null;
      const number = takes === 'list and number' && args.length ? this.take(NUMBER) : null;
      args.push(text ? unescapeCss(text[0].slice(1, -1)) : number ? Number(number[0]) : this.complex());
      this.skipSpace();
    } while (this.next === ',' && this.at++ >= 0);
    if (this.next !== ')') this.fail();
    this.at++;
    if (takes === 'list and number' && !(args.at(-1) >= 1)) refuse(':nth-match ends with a number, counted from 1');
    return args;
  }

  /** Read up to the bracket that closes the one before this place. */
  untilClosed() {
    const start = this.at;
    for (let depth = 1; depth > 0;) {
      if (this.next === '') this.fail();
      if (this.take(STRING) !== null || this.take(BRACKETS) !== null) continue;
      if (this.next === '\\') this.at++;
      else if (this.next === '(') depth++;
      else if (this.next === ')') depth--;
      this.at++;
    }
    return this.text.slice(start, this.at);
  }
}

const isOwnCompound = ({ own }) => own.some(({ name, args }) => !IN_CSS.has(name) || args.some((one) => one.isOwn));

/** https://www.w3.org/TR/css-syntax-3/#consume-escaped-code-point */
const unescapeCss = (text) =>
  text.replace(
    /\\(?:([\da-fA-F]{1,6})\s?|([^]))/g,
    (_, code, letter) => code ? String.fromCodePoint(parseInt(code, 16)) : letter,
  );

/** Refuse what is no CSS, whether or not there is an element to try it on. */
function requireCss(css, reader) {
  if (css === '') return;
  try {
    queryInFragment(new DocumentFragment(), css);
  } catch {
    refuse(`${quoted(css)} is no CSS, in ${quoted(reader.text)}`);
  }
}

/** @returns {Complex[]} */
function parseCss(text) {
  const reader = new CssReader(text);
  const list = reader.list();
  reader.skipSpace();
  return reader.next === '' ? list : reader.fail();
}

export { BY_ATTRIBUTE, parseSelector };
