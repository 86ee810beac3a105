/**
 * Return the text that the command `js` prints for an object (`this`): JSON, or its tag, message or date; undefined if Chromium's own
 * description of it is better.
 */
function formatObject() {
  const MAX_OBJECTS = 20000;
  const path = [];
  let count = 0;
  /** Return a property of an element, even if the element is a form with a field of that name. */
  const ownProperty = (node, name) => Reflect.get(Element.prototype, name, node);
  /** Return tag, id and classes of an element, as `<div#main.wide>`. */
  function describeElement(node) {
    const id = ownProperty(node, 'id');
    const classes = [...ownProperty(node, 'classList')].map((name) => `.${name}`).join('');
    return `<${ownProperty(node, 'localName')}${id ? `#${id}` : ''}${classes}>`;
  }
  /** Return whether a value is a `Window` object, also that of another frame. */
  const isWindow = (value) => value.window === value && value.self === value;
  /** Return whether a value is a collection that is printed as an array. */
  const isList = (value) => value instanceof Set || value instanceof NodeList || value instanceof HTMLCollection;

  /**
   * Return a value for `JSON.stringify`: a text in place of anything that JSON cannot express, arrays in place of sets and lists.
   */
  function toJsonValue(value) {
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Element) return describeElement(value);
    if (value instanceof Node) return `[${Reflect.get(Node.prototype, 'nodeName', value)}]`;
    if (isWindow(value)) return '[window]';
    if (value instanceof Error || value instanceof RegExp) return String(value);
    if (path.includes(value)) return '[circular]';
    if (++count > MAX_OBJECTS) return '…';
    if (value instanceof Map) return Object.fromEntries(value);
    return isList(value) ? [...value] : value;
  }

  /**
   * Replacer for `JSON.stringify`: return the value to write. Finds circles by `path`, the objects from the root to the one that has the
   * value (`this`).
   */
  function replace(key, value) {
    while (path.length && path[path.length - 1] !== this) path.pop();
    const shown = toJsonValue(value);
    if (typeof shown === 'object' && shown !== null) path.push(shown);
    return shown;
  }

  try {
    if (this instanceof Element) return describeElement(this);
    if (this instanceof Node || isWindow(this) || this instanceof Promise) return undefined;
    if (this instanceof Error || this instanceof RegExp) return String(this);
    if (this instanceof Date) return isNaN(this) ? 'Invalid Date' : this.toISOString();
    return JSON.stringify(this, replace);
  } catch {
    return undefined;
  }
}
