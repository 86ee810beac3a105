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
