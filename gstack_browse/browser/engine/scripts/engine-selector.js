// The selector engine that Playwright knows as "gbrowse": `locator("gbrowse=17")` is the node with that id.
//
// This file is registered by itself and runs in the same isolated world as the rest of the engine. Besides ids
// ("17") it knows eight words:
//   now:17     the same, but fails where that node has gone: Playwright would wait for it until the time of an action is over
//   who        a detached element whose id names this frame (the page cannot see a detached element of this world)
//   note:KEY   keeps the elements it is chained to under KEY, at most 500, and answers with them
//   isNamed:WORDS, isNamedWith:WORDS   of the elements they are chained to, keep those whose printed name is just the words, or contains
//              them; percent-encoded
//   role:ROLE  finds the elements of that role that are not hidden
//   textIs:WORDS, textHas:WORDS   find the innermost elements whose printed text is just the words, or contains them; percent-encoded
({
  queryAll(root, selector) {
    const own = (name) => Object.hasOwn(globalThis, name) ? globalThis[name] : undefined;
    const engine = own('__gbrowse');
    // A form's fields and a document's images may have the names of what it has itself.
    const documentOf = (node) => Reflect.get(Node.prototype, 'ownerDocument', node);
    const create = Document.prototype.createElement;
    const detached = (id) => Object.assign(create.call(document, 'i'), { id });
    if (selector === 'who') return [detached(own('__gbrowseFrame') || '')];
    if (!engine) return [];
    if (selector.startsWith('note:')) {
      const noted = engine.table.noted;
      const key = selector.slice(5);
      if (!noted.has(key)) noted.set(key, []);
      if (noted.get(key).length < 500 && !noted.get(key).includes(root)) noted.get(key).push(root);
      return [root];
    }
    const printed = /^(isNamed|isNamedWith|textIs|textHas|role):/.exec(selector);
    if (printed) {
      const words = decodeURIComponent(selector.slice(printed[0].length));
      const answer = JSON.parse(engine.invoke(printed[1], [root, words]).slice(2));
      return Array.isArray(answer) ? answer.map(engine.nodeFor) : answer ? [root] : [];
    }
    const isDue = selector.startsWith('now:');
    const node = engine.nodeFor(isDue ? selector.slice(4) : selector);
    if (!node && isDue) throw new Error('gbrowse: the element has gone');
    if (!node) return [];
    return Node.prototype.contains.call(root, node) || documentOf(node) === root ? [node] : [];
  },
  query(root, selector) {
    return this.queryAll(root, selector)[0] ?? null;
  },
});
