// Lists what in a document is of interest to its security: forms, scripts and frames of elsewhere, what is asked by http.
export function pageSecurity({ most, characters }) {
  const cut = (text) => String(text ?? '').slice(0, characters);
  // Images and forms of these names hide the document's own properties.
  /** @type {(selector: string) => any[]} */
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)].slice(0, most);
  const attr = (element, name) => Element.prototype.getAttribute.call(element, name);
  const find = (element, selector) => Element.prototype.querySelector.call(element, selector);
  const address = (word) => {
    try {
      return new URL(word ?? '', Reflect.get(Node.prototype, 'baseURI', document)).href;
    } catch {
      return '';
    }
  };
  const isPlain = (url) => url.startsWith('http:');
  const insecure = [];
  for (
    const element of all(
      'img[src],audio[src],video[src],source[src],iframe[src],script[src],link[rel~=stylesheet][href]',
    )
  ) {
    const url = address(attr(element, 'src') ?? attr(element, 'href'));
    const kind = element.localName === 'link' ? 'stylesheet' : element.localName;
    if (isPlain(url)) insecure.push([kind, cut(url)]);
  }
  return {
    insecure,
    policies: all('meta[http-equiv="Content-Security-Policy" i][content]').map((meta) => cut(attr(meta, 'content'))),
    forms: all('form').map((form) => ({
      name: cut(attr(form, 'aria-label') || attr(form, 'name') || attr(form, 'id')),
      action: cut(address(attr(form, 'action') || location.href)),
      method: (attr(form, 'method') || 'get').toLowerCase() === 'post' ? 'post' : 'get',
      hasPassword: find(form, 'input[type=password i]') !== null,
    })),
    passwords: all('input[type=password i]').length,
    scripts: all('script[src]').map((script) => ({
      url: cut(address(attr(script, 'src'))),
      integrity: cut(attr(script, 'integrity')),
    })),
    frames: all('iframe[src]:not([sandbox])').map((frame) => cut(address(attr(frame, 'src')))),
  };
}
