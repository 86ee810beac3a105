// The longhands of each of these properties that is a shorthand.
function longhands(names) {
  const { style } = document.createElementNS('http://www.w3.org/1999/xhtml', 'i');
  const everything = () =>
    [...getComputedStyle(document.documentElement)].filter((name) => !/^(?:--|direction$|unicode-bidi$)/u.test(name));
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

export { longhands };
