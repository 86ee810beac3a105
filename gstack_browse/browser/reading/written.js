// How a value of the page is printed: called on the value, in the page's own world, where anything may be replaced.
// Returns text, or undefined when the value is better described by Chromium itself.
function written() {
  const MOST = 20000;
  const path = [];
  let count = 0;
  /** Of an element, whose fields may have the names of what it has itself. */
  const own = (node, name) => Reflect.get(Element.prototype, name, node);
  function element(node) {
    const id = own(node, 'id');
    const classes = [...own(node, 'classList')].map((name) => `.${name}`).join('');
    return `<${own(node, 'localName')}${id ? `#${id}` : ''}${classes}>`;
  }
  const isWindow = (value) => value.window === value && value.self === value;
  const isList = (value) => value instanceof Set || value instanceof NodeList || value instanceof HTMLCollection;

  function plain(value) {
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Element) return element(value);
    if (value instanceof Node) return `[${Reflect.get(Node.prototype, 'nodeName', value)}]`;
    if (isWindow(value)) return '[window]';
    if (value instanceof Error || value instanceof RegExp) return String(value);
    if (path.includes(value)) return '[circular]';
    if (++count > MOST) return '…';
    if (value instanceof Map) return Object.fromEntries(value);
    return isList(value) ? [...value] : value;
  }

  /** For JSON.stringify, which calls it on the object that holds the value: what we are inside of is a path. */
  function replace(key, value) {
    while (path.length && path[path.length - 1] !== this) path.pop();
    const shown = plain(value);
    if (typeof shown === 'object' && shown !== null) path.push(shown);
    return shown;
  }

  try {
    if (this instanceof Element) return element(this);
    if (this instanceof Node || isWindow(this) || this instanceof Promise) return undefined;
    if (this instanceof Error || this instanceof RegExp) return String(this);
    if (this instanceof Date) return isNaN(this) ? 'Invalid Date' : this.toISOString();
    return JSON.stringify(this, replace);
  } catch {
    return undefined;
  }
}
