// Lists the links of a document and its shadow trees, or those in an element (`within`), in order, and whether a fragment of this document exists.
export function linksToCheck({ most, within }) {
  /** @type {any} */
  const engine = globalThis.__gbrowse;
  // Images and forms of these names hide the document's own properties.
  const ofDocument = (name) => Reflect.get(Document.prototype, name, document);
  const documentOf = (root) => Reflect.get(Node.prototype, 'ownerDocument', root);
  const find = (root, selector) =>
    (root instanceof Document ? Document : DocumentFragment).prototype.querySelectorAll.call(root, selector);
  const element = within ? engine.nodeFor(within) : null;
  const links = [];
  let total = 0;

  // Finds a fragment by Chromium's rules (HTML, "find a potential indicated element"). null: another document, or no fragment.
  function isThere(url) {
    const [address, fragment] = parts(url);
    if (fragment === null || address !== parts(location.href)[0]) return null;
    const name = decoded(fragment.split(':~:')[0]);
    return isTop(name) || /^[/!]/.test(name) || Document.prototype.getElementById.call(document, name) !== null
      || [...Document.prototype.getElementsByName.call(document, name)].some((element) => element.localName === 'a');
  }

  function parts(url) {
    const at = url.indexOf('#');
    return at < 0 ? [url, null] : [url.slice(0, at), url.slice(at + 1)];
  }

  const isTop = (name) => name === '' || name.toLowerCase() === 'top';
  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  function isIn(link) {
    for (let node = link; node; node = parentOf(node)) if (node === element) return true;
    return false;
  }

  const parentOf = (node) => node instanceof ShadowRoot ? node.host : Reflect.get(Node.prototype, 'parentNode', node);

  // Links of SVG have an `href` that is no string.
  function addressOf(link) {
    if (typeof link.href === 'string') return link.href;
    try {
      return new URL(link.getAttribute('href'), ofDocument('baseURI')).href;
    } catch {
      return '';
    }
  }

  for (const root of engine.treeRoots()) {
    if ((documentOf(root) ?? root) !== document) continue;
    for (const link of find(root, 'a[href],area[href]')) {
      if (element && !isIn(link)) continue;
      total++;
      const url = addressOf(link);
      if (links.length < most) links.push([engine.idOf(link), url.slice(0, 8000), isThere(url)]);
    }
  }
  return { links, total, agent: navigator.userAgent, languages: navigator.languages.join(',') };
}
