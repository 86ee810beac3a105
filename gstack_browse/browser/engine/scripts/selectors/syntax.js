// Parses selectors, without regard to the page: `form >> role=button[name="Save"] >> nth=0`.
//
// A selector is a chain of parts, split at `>>`. A part is an engine and a body (`role` and `button[name="Save"]`), with what `parsePart`
// has read from the body. CSS is parsed only to separate pseudo-classes that browsers lack, such as `:has-text()`.

import { queryInFragment } from '../dom/accessors.js';
import { unescapeCss } from '../visibility/style-sheets.js';

// Engine → name of the attribute that it compares.
export const BY_ATTRIBUTE = {
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
// Engines that only Playwright has; an error message names what to use instead.
const UNSUPPORTED_ENGINES = /^_react$|^_vue$|^internal:|^(?:left-of|right-of|above|below|near)$|:light$/;
const UNSUPPORTED_REASON = 'is known to Playwright only: use role=, text=, label= or CSS';

/**
 * Throw an error "Not a selector: …" with this reason.
 * @returns {never}
 */
function refuseSelector(reason) {
  throw new Error(`Not a selector: ${reason}`);
}

/** Return a text in quotes for a message, cut at 100 characters. */
const quoted = (text) => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);

/**
 * @typedef {{ css: string, pseudos: { name: string, args: any[] }[], combinator: string }} Compound one step, `li.new:has-text("a")`: plain CSS, our pseudo-classes, and the combinator before the next step
 * @typedef {{ steps: Compound[], source: string, isExtended: boolean }} Complex steps with combinators, `ul > li`. `isExtended`: the browser's own `querySelectorAll` cannot match it
 * @typedef {{ key: string, operator: string, value: any, anyCase: boolean }} RoleAttribute
 * @typedef {{ engine: string, body: string, words: string, exact: boolean, pattern: RegExp | null, list: Complex[], role: string, attributes: RoleAttribute[], isTarget: boolean }} Part
 */

/** Parse a selector into its parts. Throws an error that begins with "Not a selector" or "There are no words". */
export function parseSelector(selector) {
  const parts = splitChain(selector).map((typed) => parsePart(typed, selector));
  if (parts.filter((part) => part.isTarget).length > 1) refuseSelector('only one part can have a * before it');
  return parts;
}

// A part of words up to a character of its body. If the body has begun without a quote, a quote in it is an ordinary character:
// `text=It's here`.
const UNQUOTED_BODY_STARTED = /^\s*\*?(?:text|label|placeholder|alt|title|testid|id|data-test|data-test-?id)\s*=\s*\S/;

/** Split a selector at each `>>` outside of quotes into the texts of its parts; throw "Not a selector" if one is empty. */
function splitChain(selector) {
  if (!selector.includes('>>')) return [selector.trim()];
  const parts = [];
  let [start, quote] = [0, ''];
  for (let at = 0; at < selector.length; at++) {
    const letter = selector[at];
    if (letter === '\\') at++;
    else if (quote) quote = letter === quote ? '' : quote;
    else if (/["'\u0060]/.test(letter) && !UNQUOTED_BODY_STARTED.test(selector.slice(start, at))) quote = letter;
    else if (letter === '>' && selector[at + 1] === '>') {
      parts.push(selector.slice(start, at++).trim());
      start = at + 1;
    }
  }
  parts.push(selector.slice(start).trim());
  if (parts.includes('')) refuseSelector(`there is nothing on one side of a >> in ${quoted(selector)}`);
  return parts;
}

const ENGINE_PREFIX = /^(\*?)([\w:+-]+)\s*=/;

/**
 * Parse one part of a selector, such as `role=button`. Without a prefix such as `role=` it is quoted text, an XPath, or else CSS.
 * `selector`: the whole one, for error messages.
 * @returns {Part}
 */
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
  if (UNSUPPORTED_ENGINES.test(engine)) refuseSelector(`${engine}= ${UNSUPPORTED_REASON}`);
  if (!ENGINES.has(engine)) refuseSelector(`unknown engine ${quoted(engine)} in ${quoted(selector)}`);
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
  else if (engine === 'nth' && !/^-?\d+$/.test(body)) refuseSelector(`nth= takes a whole number, not ${quoted(body)}`);
  else if (engine === 'visible' && !/^(?:true|false)$/.test(body)) refuseSelector('visible= is true or false');
  else if (engine === 'label' || engine in BY_ATTRIBUTE) Object.assign(part, unquote(body));
  return part;
}

/** Return whether a part of a selector without a prefix such as `css=` is an XPath. */
const isXPath = (typed) => /^\(*\/\//.test(typed) || typed.startsWith('..');

/** Remove quotes around a text: `"Save"` → { words: "Save", exact: true }, `Save` → { words: "Save", exact: false }. */
function unquote(typed) {
  const exact = typed.length > 1 && typed[0] === typed.at(-1) && /["']/.test(typed[0]);
  return { words: exact ? typed.slice(1, -1) : typed, exact };
}

/** Return a text without the backslashes that escape characters. */
const withoutBackslashes = (text) => text.replace(/\\([^])/g, '$1');

/**
 * Parse the body of `text=`: `Save` and `"Save"` become { words, exact: whether it is quoted }, `/save/i` becomes { pattern: RegExp }.
 * Throw an error for blank words or an invalid pattern. `selector`: the whole one, for that message.
 */
function parseText(body, selector) {
  const end = body.lastIndexOf('/');
  if (body[0] === '/' && end > 0) {
    requireWords(body.slice(1, end), selector);
    return { pattern: compilePattern(body.slice(1, end), body.slice(end + 1)) };
  }
  const { words, exact } = unquote(body);
  requireWords(words, selector);
  return { words: exact ? withoutBackslashes(words) : words, exact };
}

/** Throw an error "There are no words" if the words to search for are blank. `selector`: the whole one, for that message. */
function requireWords(words, selector) {
  if (!words.trim()) throw new Error(`There are no words in ${selector}`);
}

/** Compile a regular expression of a selector; throw "Not a selector" for an invalid one. */
function compilePattern(source, flags) {
  try {
    return new RegExp(source, flags.replace(/[gy]/g, '')); // with g or y, test() would begin where the last match ended
  } catch (error) {
    return refuseSelector(error instanceof Error ? error.message : '');
  }
}

// `[name="Go" i]`, `[name=/go/i]`, `[level=2]` or `[checked]`; `[name=Go on]`, too, since shells take quotes away.
// Groups: key, operator, string, i or s, pattern, its flags, plain value.
const ROLE_ATTRIBUTE =
  /\[\s*([\w-]+)\s*(?:([*^$|~]?=)\s*(?:("(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*')\s*([iIsS]?)|\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+)\/([dgimsuvy]*)|((?:[^\]\s"'/](?:[^\]]*[^\]\s])?)?))\s*)?\]\s*/y;
const ROLE_STATES = {
  checked: ['true', 'false', 'mixed'],
  pressed: ['true', 'false', 'mixed'],
  selected: ['true', 'false'],
  expanded: ['true', 'false'],
  disabled: ['true', 'false'],
  'include-hidden': ['true', 'false'],
};

/**
 * Parse the body of `role=`, such as `button[name="Go"][pressed]`, to { role: "button", attributes: [RoleAttribute] }. Throw "Not a
 * selector" for an invalid one.
 */
function parseRole(body) {
  const [start, role = ''] = /^([\w-]+)\s*/.exec(body) ?? [''];
  if (!role) refuseSelector('role= needs the name of a role, as in role=button');
  const attributes = [];
  ROLE_ATTRIBUTE.lastIndex = start.length;
  while (ROLE_ATTRIBUTE.lastIndex < body.length) {
    const found = ROLE_ATTRIBUTE.exec(body);
    if (found === null)
      return refuseSelector(`role= takes what stands in brackets, as [name="Go"] or [checked], in ${quoted(body)}`);
    attributes.push(parseRoleAttribute(found));
  }
  return { role: role.toLowerCase(), attributes };
}

/**
 * Convert a match of ROLE_ATTRIBUTE to a RoleAttribute; throw for an invalid one. A state without a value, as in `[checked]`, is "true".
 *
 * @param {any[]} match
 */
function parseRoleAttribute([, key, operator = '', text, letterCase = '', source, flags, word]) {
  const value = source !== undefined
    ? compilePattern(source, flags)
    : text !== undefined
    ? withoutBackslashes(text.slice(1, -1))
    : word ?? 'true';
  const attribute = { key, operator: operator || '=', value, anyCase: letterCase.toLowerCase() === 'i' };
  if (key === 'name' || key === 'description') {
    if (!operator) refuseSelector(`[${key}] needs a text, as in [${key}="Go"]`);
    if (value instanceof RegExp && operator !== '=') refuseSelector(`a pattern goes with =, not with ${operator}`);
    return attribute;
  }
  if (attribute.operator !== '=') refuseSelector(`[${key}] goes with =, not with ${operator}`);
  if (key === 'level') {
    if (!operator || !/^\d+$/.test(value)) refuseSelector('[level] takes a number, as in [level=2]');
    return attribute;
  }
  const known = ['name', 'description', 'level', ...Object.keys(ROLE_STATES)];
  if (!known.includes(key)) refuseSelector(`unknown attribute "${key}": there are ${known.join(', ')}`);
  if (!ROLE_STATES[key].includes(value))
    refuseSelector(`[${key}] is ${ROLE_STATES[key].join(', ')}, not ${quoted(String(value))}`);
  return attribute;
}

// Pseudo-class that selectors/selectors.js matches → kind of its arguments. Those of CSS are among them, since their arguments may contain
// others.
const OWN_PSEUDOS = {
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
const UNSUPPORTED_PSEUDOS = new Set(['left-of', 'right-of', 'above', 'below', 'near', 'light']);
// Those of OWN_PSEUDOS that the browser can match, too, unless an argument contains one that it lacks.
const CSS_PSEUDOS = new Set(['has', 'is', 'not', 'where']);

const STRING = /"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'/y;
const BRACKETS = /\[(?:"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\\[^]|[^\]"'\\])*\]/y;
const PSEUDO = /:([\w-]+)(\(?)/y;
const PLAIN = /(?:\\(?:[\da-fA-F]{1,6}\s?|[^])|[^\s>+~,():["'\\])+/y;
const NUMBER = /\d+(?=\s*\))/y;

/** Parses a list of CSS selectors by recursive descent. `at`: the index of the next character. */
class CssReader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** Move behind a match of a pattern at the current index. Return the match, or null. */
  takeMatch(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  /** The next character; "" at the end. */
  get next() {
    return this.text[this.at] ?? '';
  }

  /** Move to the next character that is no white space. */
  skipSpace() {
    while (/\s/.test(this.next)) this.at++;
  }

  /**
   * Throw an error about the next character.
   * @returns {never}
   */
  refuseNext() {
    const what = this.next ? `unexpected ${quoted(this.next)}` : 'unexpected end';
    return refuseSelector(`${what} in CSS ${quoted(this.text)}`);
  }

  /**
   * Read `a > b, c`: complex selectors with commas between.
   *
   * @returns {Complex[]}
   */
  readList() {
    const found = [this.readComplex()];
    while (this.next === ',') {
      this.at++;
      found.push(this.readComplex());
    }
    return found;
  }

  /**
   * Read `a > b`: steps with combinators between. One at the start, as in `:has(> b)`, joins the first step to `:scope`.
   *
   * @returns {Complex}
   */
  readComplex() {
    this.skipSpace();
    const start = this.at;
    /** @type {Compound[]} */
    const steps = [];
    if (/[>+~]/.test(this.next))
      steps.push({ css: '', pseudos: [{ name: 'scope', args: [] }], combinator: this.readCombinator() });
    for (;;) {
      steps.push(this.readCompound());
      const combinator = this.readCombinator();
      if (combinator === '') break;
      steps[steps.length - 1].combinator = combinator;
    }
    return { steps, source: this.text.slice(start, this.at).trim(), isExtended: steps.some(needsEngineMatching) };
  }

  /** Read a combinator: one of ` >+~`, or '' at the end of a complex selector. */
  readCombinator() {
    const before = this.at;
    this.skipSpace();
    if (/[>+~]/.test(this.next)) {
      const combinator = this.text[this.at++];
      this.skipSpace();
      return combinator;
    }
    return this.next === '' || this.next === ',' || this.next === ')' || this.at === before ? '' : ' ';
  }

  /**
   * Read one step, as `li.new:has-text("a")`, up to the next combinator.
   *
   * @returns {Compound}
   */
  readCompound() {
    let css = '';
    const pseudos = [];
    for (;;) {
      const plain = this.takeMatch(PLAIN) ?? this.takeMatch(BRACKETS);
      if (plain !== null) css += plain[0];
      else if (this.next === ':') {
        const found = this.readPseudo();
        if (typeof found === 'string') css += found;
        else pseudos.push(found);
      } else break;
    }
    if (css === '' && pseudos.length === 0 || !/^[\s>+~,)]?$/.test(this.next)) this.refuseNext();
    requireCss(css, this);
    return { css, pseudos, combinator: '' };
  }

  /** Read a pseudo-class: { name, args } for one that selectors/selectors.js matches, the source text for any other. */
  readPseudo() {
    const found = this.takeMatch(PSEUDO) ?? this.refuseNext();
    const name = found[1].toLowerCase();
    if (UNSUPPORTED_PSEUDOS.has(name)) refuseSelector(`:${name} ${UNSUPPORTED_REASON}`);
    if (!Object.hasOwn(OWN_PSEUDOS, name)) return found[2] ? `:${name}(${this.readUntilClosed()}` : found[0];
    const argumentKind = OWN_PSEUDOS[name];
    if (Boolean(argumentKind) !== Boolean(found[2]))
      refuseSelector(argumentKind ? `:${name} needs something in brackets` : `:${name} takes no brackets`);
    const args = argumentKind ? this.readArguments(argumentKind) : [];
    if (argumentKind === 'text' && !args[0].trim()) throw new Error(`There are no words in ${this.text}`);
    return { name, args };
  }

  /** Read the arguments of a pseudo-class up to the closing bracket. `kind`: a value of OWN_PSEUDOS. */
  readArguments(kind) {
    const args = [];
    do {
      this.skipSpace();
      const text = kind === 'text' ? this.takeMatch(STRING) ?? this.refuseNext() : null;
      const number = kind === 'list and number' && args.length ? this.takeMatch(NUMBER) : null;
      args.push(text ? unescapeCss(text[0].slice(1, -1)) : number ? Number(number[0]) : this.readComplex());
      this.skipSpace();
    } while (this.next === ',' && this.at++ >= 0);
    if (this.next !== ')') this.refuseNext();
    this.at++;
    if (kind === 'list and number' && !(args.at(-1) >= 1))
      refuseSelector(':nth-match ends with a number, counted from 1');
    return args;
  }

  /** Read up to the bracket that closes an opened one. */
  readUntilClosed() {
    const start = this.at;
    for (let depth = 1; depth > 0;) {
      if (this.next === '') this.refuseNext();
      if (this.takeMatch(STRING) !== null || this.takeMatch(BRACKETS) !== null) continue;
      if (this.next === '\\') this.at++;
      else if (this.next === '(') depth++;
      else if (this.next === ')') depth--;
      this.at++;
    }
    return this.text.slice(start, this.at);
  }
}

/**
 * Return whether one step of a parsed CSS selector has a pseudo-class that the browser's `matches` does not know, such as `:has-text()`.
 */
const needsEngineMatching = ({ pseudos }) =>
  pseudos.some(({ name, args }) => !CSS_PSEUDOS.has(name) || args.some((one) => one.isExtended));

/**
 * Throw "Not a selector" if the browser does not accept `css`, tried on an empty fragment. `reader`: the `CssReader` with the whole text,
 * for the message.
 */
function requireCss(css, reader) {
  if (css === '') return;
  try {
    queryInFragment(new DocumentFragment(), css);
  } catch {
    refuseSelector(`${quoted(css)} is no CSS, in ${quoted(reader.text)}`);
  }
}

/**
 * Parse a whole text as a list of CSS selectors with commas between; throw "Not a selector" for an invalid one.
 * @returns {Complex[]}
 */
function parseCss(text) {
  const reader = new CssReader(text);
  const list = reader.readList();
  reader.skipSpace();
  return reader.next === '' ? list : reader.refuseNext();
}
