// The selector engine that Playwright knows as "gbrowse": `locator("gbrowse=17")` is the node with that id.
//
// This file is registered by itself and runs in the same isolated world as the rest of the engine. Besides ids
// ("17") it knows two words:
//   now:17     the same, but fails where that node has gone: Playwright would wait for it until the time of an action is over
//   who        a detached element whose id names this frame (the page cannot see a detached element of this world)
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
