// Where a page's style sheets may show the hand: asked of the sheets, since asking every element costs more than the walk.

// What the last part of a selector needs: an element with none of it is not meant.
class Pointers {
  constructor() {
    this.classes = new Set();
    this.ids = new Set();
    this.tags = new Set();
    this.attributes = new Set();
    this.any = false;           // or nothing is known
  }

  get isEmpty() {
    return !this.any && this.classes.size === 0 && this.ids.size === 0 && this.tags.size === 0 && this.attributes.size === 0;
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
    return this.classes.size > 0 && (attr(element, 'class') || '').split(/\s+/).some(word => this.classes.has(word));
  }

  note(selector, outer) {
    for (const complex of split(selector, ',')) {
      const last = split(complex.trim(), ' >+~').at(-1).replace(/::[\w-]+(?:\([^)]*\))?/g, '');
      const part = withoutArguments(last);
      const found = /#(?<id>(?:[\w-]|[^\x00-\x7f]|\\.)+)|\.(?<name>(?:[\w-]|[^\x00-\x7f]|\\.)+)|\[\s*(?<attribute>[\w-]+)|^(?<tag>[a-z][\w-]*)/i.exec(part);
      if (part.startsWith('&') && part.length === 1 && outer !== '') this.note(outer, '');
      else if (found === null) this.any ||= !part.startsWith(':host');
      else if (found.groups.id) this.ids.add(unescaped(found.groups.id));
      else if (found.groups.name) this.classes.add(unescaped(found.groups.name));
      else if (found.groups.attribute) this.attributes.add(found.groups.attribute.toLowerCase());
      else this.tags.add(found.groups.tag.toLowerCase());
    }
  }
}

const unescaped = word => word.replace(/\\([0-9a-f]{1,6}\s?|.)/gi, (_, code) => /^[0-9a-f]/i.test(code) ? String.fromCodePoint(parseInt(code, 16) % 0x110000) : code);

// At these characters, where they stand outside of brackets and quotes.
function split(selector, separators) {
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
  const found = parts.filter(part => part.trim() !== '');
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

const rootPointers = new WeakMap();
const pointersIn = root => remembered(rootPointers, root, tree => {
  const found = new Pointers();
  for (const sheet of sheetsOf(tree)) found.add(pointersOf(sheet));
  return found;
});

const sheetPointers = new WeakMap();
function pointersOf(sheet) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return UNKNOWN;  // of another origin
  }
  const known = sheetPointers.get(sheet);
  if (known !== undefined && known.count === rules.length) return known.found;
  const found = new Pointers();
  notePointers(rules, found, '');
  sheetPointers.set(sheet, { count: rules.length, found });
  return found;
}
const UNKNOWN = Object.assign(new Pointers(), { any: true });

function notePointers(rules, found, outer) {
  for (const rule of rules) {
    const selector = rule.selectorText || '';
    if (selector && rule.style.cursor === 'pointer') found.note(selector, outer);
    if (rule.styleSheet) found.add(pointersOf(rule.styleSheet));
    if (rule.cssRules && rule.cssRules.length) notePointers(rule.cssRules, found, selector || outer);
  }
}
