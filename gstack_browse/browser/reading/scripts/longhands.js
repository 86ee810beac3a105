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
