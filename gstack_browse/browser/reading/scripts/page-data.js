// Collects a document's metadata for search engines, feeds and social networks.
export function pageData({ most, characters }) {
  const cut = (text) => String(text ?? '').trim().slice(0, characters);
  // Images and forms of these names hide the document's own properties.
  const ofDocument = (name) => Reflect.get(Document.prototype, name, document);
  /** @type {(selector: string) => any[]} */
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  const absolute = (address) => {
    try {
      return new URL(address, ofDocument('baseURI')).href;
    } catch {
      return address;
    }
  };

  const metas = all('meta[content]').map((meta) => [
    cut(meta.getAttribute('property') || meta.getAttribute('name') || meta.getAttribute('http-equiv')),
    cut(meta.getAttribute('content')),
  ]).filter(([name]) => name);
  const links = all('link[rel][href]').map((link) => ({
    rel: cut(link.getAttribute('rel')).toLowerCase(),
    href: cut(absolute(link.getAttribute('href'))),
    hreflang: cut(link.getAttribute('hreflang')),
    type: cut(link.getAttribute('type')),
    title: cut(link.getAttribute('title')),
    media: cut(link.getAttribute('media')),
  }));
  const types = all('[itemscope][itemtype]').map((item) => cut(Element.prototype.getAttribute.call(item, 'itemtype')));

  return {
    title: cut(ofDocument('title')),
    language: cut(ofDocument('documentElement')?.getAttribute('lang')),
    charset: ofDocument('characterSet'),
    address: location.href,
    metas: metas.slice(0, most),
    links: links.slice(0, most),
    jsonLd: all('script[type="application/ld+json" i]').slice(0, most).map((script) => script.text.slice(0, 1_000_000)),
    microdata: [...new Set(types)].slice(0, most),
  };
}
