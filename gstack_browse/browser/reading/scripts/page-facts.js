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

// Lists pictures, videos and sounds of a document with its shadow trees, or of an element: their state and how they are displayed.
export function pageMedia({ node, most, mostStyled }) {
  /** @type {any} */
  const engine = globalThis.__gbrowse;
  const within = node ? engine.nodeFor(node) : null;
  if (node && !within) return null;
  const found = [];
  let total = 0;
  let styled = 0;

  const sizeOf = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return [Math.round(width), Math.round(height)];
  };
  const requestOf = (url) => /** @type {any[]} */ (performance.getEntriesByName(url, 'resource')).at(-1);
  const base = (kind, element, url) => ({
    kind,
    node: engine.idOf(element),
    url: String(url ?? '').slice(0, 2000),
    shown: sizeOf(element),
    bytes: requestOf(String(url ?? ''))?.encodedBodySize ?? 0,
    isVisible: element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }),
  });

  const describers = {
    img: (image) => ({
      ...base('image', image, image.currentSrc || image.src),
      size: [image.naturalWidth, image.naturalHeight],
      state: !image.complete
        ? 'loading'
        : image.naturalWidth || isVector(image)
        ? 'loaded'
        : image.src
        ? 'failed'
        : 'empty',
      isVector: isVector(image),
      isLazy: image.loading === 'lazy',
      hasAlt: image.hasAttribute('alt') || image.getAttribute('role') === 'presentation',
    }),
    video: (video) => ({ ...playing('video', video), size: [video.videoWidth, video.videoHeight] }),
    audio: (audio) => playing('audio', audio),
  };
  const isVector = (image) => /\.svg(?:[?#]|$)|^data:image\/svg/i.test(image.currentSrc);

  function playing(kind, media) {
    return {
      ...base(kind, media, media.currentSrc || media.src),
      state: media.error ? 'failed' : media.readyState ? 'loaded' : media.networkState === 2 ? 'loading' : 'empty',
      seconds: Number.isFinite(media.duration) ? media.duration : media.duration === Infinity ? -1 : 0,
      at: media.currentTime,
      flags: [
        media.paused ? 'paused' : 'playing',
        media.muted ? 'muted' : '',
        media.loop ? 'loop' : '',
        media.autoplay ? 'autoplay' : '',
        media.controls ? '' : 'no controls',
      ].filter(Boolean),
      tracks: [...media.querySelectorAll('track')].slice(0, 20).map((track) =>
        `${track.kind} ${track.srclang || track.label}`.trim().slice(0, 60)
      ),
    };
  }

  // Adds an element, and its background pictures. Computed styles take time, so those of an enormous page are not all read.
  function add(element) {
    const describe = describers[element.localName];
    if (describe && element.namespaceURI === 'http://www.w3.org/1999/xhtml') keep(() => describe(element));
    if (styled++ >= mostStyled) return;
    const background = getComputedStyle(element).backgroundImage;
    if (!background.includes('url(')) return;
    for (const [, url] of background.matchAll(/url\("((?:[^"\\]|\\.)*)"\)/g))
      keep(() => ({
        ...base('background', element, url),
        state: requestOf(url)?.responseStatus >= 400 ? 'failed' : '',
      }));
  }

  function keep(describe) {
    total++;
    if (found.length < most) found.push(describe());
  }

  const contains = (root) => {
    for (let at = root; at; at = at.host?.getRootNode())
      if (at === within || at.host && within.contains(at.host)) return true;
    return false;
  };
  if (within) add(within);
  for (const root of engine.treeRoots()) {
    if ((root.ownerDocument ?? root) !== document) continue;
    const isOwn = within && within.getRootNode() === root;
    if (within && !isOwn && !contains(root)) continue;
    for (const element of (isOwn ? within : root).querySelectorAll('*')) add(element);
  }
  return { found, total, isCut: styled > mostStyled };
}
