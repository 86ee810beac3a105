// The elements around an element, the nearest first, as an inspector names them. Styles are inherited in the composed tree: through slots and shadow roots.
function ancestors({ node, most }) {
  /** @type {any} */
  const engine = globalThis.__gbrowse;
  const element = engine.nodeFor(node);
  const around = (inner) => inner.assignedSlot ?? inner.parentElement ?? inner.getRootNode().host ?? null;
  const named = ({ localName, id, classList }) =>
    `${localName}${id ? `#${id}` : ''}${[...classList].slice(0, 3).map((name) => `.${name}`).join('')}`.slice(0, 100);
  const found = [];
  for (let above = element && around(element); above && found.length < most; above = around(above))
    found.push(named(above));
  return found;
}

export { ancestors };
