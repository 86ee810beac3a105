// Names an element's ancestors like an inspector, nearest first: in the composed tree, in which styles are inherited.
export function ancestors({ node, most }) {
  /** @type {any} */
  const engine = globalThis.__gbrowse;
  const element = engine.nodeFor(node);
  const nameOf = (each) => {
    const id = engine.attr(each, 'id');
    const classes = (engine.attr(each, 'class') ?? '').split(/\s+/).filter(Boolean).slice(0, 3);
    const name = Reflect.get(Element.prototype, 'localName', each); // a field of a form may be called so
    return `${name}${id ? `#${id}` : ''}${classes.map((one) => `.${one}`).join('')}`.slice(0, 100);
  };
  const found = [];
  for (let above = element && engine.parentOf(element); above && found.length < most; above = engine.parentOf(above))
    found.push(nameOf(above));
  return found;
}

// Returns the longhands of those properties that are shorthands.
export function longhands(names) {
  const root = Reflect.get(Document.prototype, 'documentElement', document); // an image may have that name
  /** @type {any} */
  const { style } = Document.prototype.createElementNS.call(document, 'http://www.w3.org/1999/xhtml', 'i');
  const everything = () =>
    [...getComputedStyle(root)].filter((name) => !/^(?:--|direction$|unicode-bidi$)/u.test(name));
  const of = (name) => {
    if (name === 'all') return everything();
    style.cssText = '';
    style.setProperty(name, 'initial');
    return [...style];
  };
  return Object.fromEntries(
    names.map((name) => [name, of(name)]).filter(([name, found]) => found.some((each) => each !== name)),
  );
}
