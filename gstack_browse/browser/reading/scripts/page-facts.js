/**
 * Return what a document says of itself for search engines, feeds and social networks: the first `most` of each kind, texts cut to
 * `characters`.
 */
export function pageData({ most, characters }) {
  const cut = (text) => String(text ?? '').trim().slice(0, characters);
  /** Images and forms of these names hide the document's own properties. */
  const ofDocument = (name) => Reflect.get(Document.prototype, name, document);
  /** @type {(selector: string) => any[]} */
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  /** Return a URL in full, or as it is if it is none. */
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

/** Lists what in a document is of interest to its security: forms, scripts and frames of elsewhere, what is asked by http. */
export function pageSecurity({ most, characters }) {
  const cut = (text) => String(text ?? '').slice(0, characters);
  // Images and forms of these names hide the document's own properties.
  /** @type {(selector: string) => any[]} */
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)].slice(0, most);
  const attr = (element, name) => Element.prototype.getAttribute.call(element, name);
  const find = (element, selector) => Element.prototype.querySelector.call(element, selector);
  /** Return a URL in full; "" for none. */
  const address = (word) => {
    try {
      return new URL(word ?? '', Reflect.get(Node.prototype, 'baseURI', document)).href;
    } catch {
      return '';
    }
  };
  /** Whether a URL is of plain http. */
  const isInsecure = (url) => url.startsWith('http:');
  const insecure = [];
  for (
    const element of all(
      'img[src],audio[src],video[src],source[src],iframe[src],script[src],link[rel~=stylesheet][href]',
    )
  ) {
    const url = address(attr(element, 'src') ?? attr(element, 'href'));
    const kind = element.localName === 'link' ? 'stylesheet' : element.localName;
    if (isInsecure(url)) insecure.push([kind, cut(url)]);
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

/** Names an element's ancestors like an inspector, nearest first: in the composed tree, in which styles are inherited. */
export function ancestors({ node, most }) {
  /** @type {any} */
  const engine = globalThis.__gbrowse;
  const element = engine.nodeFor(node);
  /** Return tag, id and classes of an element, as `div#main.wide`. */
  const inspectorName = (each) => {
    const id = engine.attr(each, 'id');
    const classes = (engine.attr(each, 'class') ?? '').split(/\s+/).filter(Boolean).slice(0, 3);
    const name = Reflect.get(Element.prototype, 'localName', each); // a field of a form may be called so
    return `${name}${id ? `#${id}` : ''}${classes.map((one) => `.${one}`).join('')}`.slice(0, 100);
  };
  const found = [];
  for (let above = element && engine.parentOf(element); above && found.length < most; above = engine.parentOf(above))
    found.push(inspectorName(above));
  return found;
}

/** Returns the longhands of those properties that are shorthands. */
export function longhands(names) {
  const root = Reflect.get(Document.prototype, 'documentElement', document); // an image may have that name
  /** @type {any} */
  const { style } = Document.prototype.createElementNS.call(document, 'http://www.w3.org/1999/xhtml', 'i');
  /** Return all properties that `all` stands for. */
  const allLonghands = () =>
    [...getComputedStyle(root)].filter((name) => !/^(?:--|direction$|unicode-bidi$)/u.test(name));
  /** Return the longhands of a property. */
  const longhandsOf = (name) => {
    if (name === 'all') return allLonghands();
    style.cssText = '';
    style.setProperty(name, 'initial');
    return [...style];
  };
  return Object.fromEntries(
    names.map((name) => [name, longhandsOf(name)]).filter(([name, found]) => found.some((each) => each !== name)),
  );
}

/**
 * Lists the links of a document and its shadow trees, or those in an element (`within`), in order, and whether a fragment of this document exists.
 */
export function linksToCheck({ most, within }) {
  /** @type {any} */
  const engine = globalThis.__gbrowse;
  /** Images and forms of these names hide the document's own properties. */
  const ofDocument = (name) => Reflect.get(Document.prototype, name, document);
  /** Return the document of a node. */
  const documentOf = (root) => Reflect.get(Node.prototype, 'ownerDocument', root);
  const find = (root, selector) =>
    (root instanceof Document ? Document : DocumentFragment).prototype.querySelectorAll.call(root, selector);
  const element = within ? engine.nodeFor(within) : null;
  const links = [];
  let total = 0;

  /**
   * Whether the fragment of a URL exists in this document, by Chromium's rules (HTML, "find a potential indicated element"). null:
   * another document, or no fragment.
   */
  function fragmentExists(url) {
    const [address, fragment] = splitFragment(url);
    if (fragment === null || address !== splitFragment(location.href)[0]) return null;
    const name = decoded(fragment.split(':~:')[0]);
    return isTop(name) || /^[/!]/.test(name) || Document.prototype.getElementById.call(document, name) !== null
      || [...Document.prototype.getElementsByName.call(document, name)].some((element) => element.localName === 'a');
  }

  /** Split a URL into [URL without fragment, fragment or null]. */
  function splitFragment(url) {
    const at = url.indexOf('#');
    return at < 0 ? [url, null] : [url.slice(0, at), url.slice(at + 1)];
  }

  /** Whether a fragment means the top of the page. */
  const isTop = (name) => name === '' || name.toLowerCase() === 'top';
  /** Decode per cent escapes; return the text as it is if they are invalid. */
  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  /** Whether a link is in the element that was asked for. */
  function isInElement(link) {
    for (let node = link; node; node = parentOf(node)) if (node === element) return true;
    return false;
  }

  /** Return the parent of a node; of a shadow root its host. */
  const parentOf = (node) => node instanceof ShadowRoot ? node.host : Reflect.get(Node.prototype, 'parentNode', node);

  /** Return the URL of a link, also of SVG, whose `href` is no string; "" for none. */
  function linkAddress(link) {
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
      if (element && !isInElement(link)) continue;
      total++;
      const url = linkAddress(link);
      if (links.length < most) links.push([engine.idOf(link), url.slice(0, 8000), fragmentExists(url)]);
    }
  }
  return { links, total, agent: navigator.userAgent, languages: navigator.languages.join(',') };
}

/**
 * Runs axe-core in one frame, in the engine's world: the page cannot see it, and its content security policy does not hold there.
 * The result stays for `finishAudit` in the frame where the audit began; other frames return theirs.
 */
export async function auditFrame({ number, node, context, options }) {
  /** @type {any} */
  const world = globalThis;
  const { axe, __gbrowse: engine } = world;

  // axe enters shadow trees by `shadowRoot`. While it runs, closed ones have that property in this world, too.
  const opened = [];
  /** Give the hosts of closed shadow trees the property by which axe enters them. */
  function openClosedRoots() {
    for (const root of engine.treeRoots()) {
      const { host } = root;
      if (!host || root.mode !== 'closed' || Object.hasOwn(host, 'shadowRoot')) continue;
      Object.defineProperty(host, 'shadowRoot', { value: root, configurable: true });
      opened.push(host);
    }
  }

  /** Clear the state of an audit that was cut off. */
  function reset() {
    axe.teardown();
    axe._running = false;
  }

  /**
   * Return what is added to axe's description of an element: its place, and its markup with secrets masked. axe returns the whole markup
   * of a short element, of a long one only the opening tag.
   */
  const describe = (element, source) => ({
    where: [number, engine.idOf(element)],
    source: source?.includes('</') ? engine.maskedMarkup(element) : source,
  });

  const within = node ? engine.nodeFor(node) : context ?? document;
  if (!within) return null;
  openClosedRoots();
  reset();
  try {
    // Add the elements' ids to axe's results.
    axe.utils.nodeSerializer.update({
      toSpec: (one) => ({ ...one.toJSON(), ...one.element && describe(one.element, one.source) }),
    });
    const contexts = axe.utils.getFrameContexts(within, options);
    const partial = await engine.withTimers(() => axe.runPartial(within, options));
    const frames = partial.frames.map((frame, index) => [frame.where?.[1] ?? 0, contexts[index]?.frameContext ?? null]);
    if (number > 0) return { frames, partial: JSON.stringify(partial) };
    world.__gbrowseAudit = partial;
    return { frames };
  } finally {
    for (const host of opened) delete host.shadowRoot;
  }
}

/** Merges axe-core's results of all frames: in the frame where the audit began, in the engine's world. */
export async function finishAudit({ partials, options, most }) {
  /** @type {any} */
  const world = globalThis;
  const { axe, __gbrowse: engine, __gbrowseAudit: first } = world;
  delete world.__gbrowseAudit;
  const found = [first, ...partials.map((text) => text && JSON.parse(text))];
  const results = await engine.withTimers(() => axe.finishRun(found, { ...options, reporter: 'raw' }));
  let left = most;

  /** Mask the values of fields in a text of axe: they may be passwords. */
  const masked = (text) =>
    text.replace(/(<input\b(?:[^>"]|"[^"]*")*?\svalue=")[^"]*/gi, '$1…')
      .replace(/(\[value\W{0,2}=")(?:[^"\\]|\\.)*/g, '$1…');
  /** Mask the values of fields in axe's path to an element. */
  const maskedAll = (path) => Array.isArray(path) ? path.map(maskedAll) : masked(String(path).slice(0, 1000));

  /** Describe an element that axe has found. */
  function describeFinding({ node, any, all, none, impact }) {
    return {
      where: node.where ?? null,
      html: masked(String(node.source ?? '')).slice(0, 300),
      target: maskedAll(node.selector),
      impact,
      checks: [...none, ...all].map(describeCheck),
      anyOf: any.map(describeCheck),
    };
  }

  /** Describe the result of one check of axe. */
  const describeCheck = ({ id, message, data }) => ({
    id,
    message: String(message ?? '').slice(0, 1000),
    contrast: data?.contrastRatio ?? null,
    needed: data?.expectedContrastRatio ?? null,
  });

  /** Return the rules with elements of this outcome ("violations" or "incomplete"), each with the first of these elements. */
  function rulesByOutcome(kind) {
    return results.filter((rule) => rule[kind].length).map((rule) => {
      const shown = rule[kind].slice(0, Math.max(left, 0));
      left -= shown.length;
      const { id, impact, help, helpUrl, tags } = rule;
      return { id, impact, help, helpUrl, tags, count: rule[kind].length, elements: shown.map(describeFinding) };
    });
  }

  return {
    violations: rulesByOutcome('violations'),
    incomplete: rulesByOutcome('incomplete'),
    passed: results.filter((rule) => rule.passes.length && !rule.violations.length && !rule.incomplete.length).length,
    version: axe.version,
  };
}

/** Lists pictures, videos and sounds of a document with its shadow trees, or of an element: their state and how they are displayed. */
export function pageMedia({ node, most, mostStyled }) {
  /** @type {any} */
  const engine = globalThis.__gbrowse;
  const within = node ? engine.nodeFor(node) : null;
  if (node && !within) return null;
  const found = [];
  let total = 0;
  let styled = 0;

  /** Return width and height of an element, in whole pixels. */
  const sizeOf = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return [Math.round(width), Math.round(height)];
  };
  /** Return the last request of a URL, as performance has recorded it; undefined for none. */
  const requestOf = (url) => /** @type {any[]} */ (performance.getEntriesByName(url, 'resource')).at(-1);
  /** Describe what pictures, videos and sounds have in common. */
  const describeMedium = (kind, element, url) => ({
    kind,
    node: engine.idOf(element),
    url: String(url ?? '').slice(0, 2000),
    shown: sizeOf(element),
    bytes: requestOf(String(url ?? ''))?.encodedBodySize ?? 0,
    isVisible: element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }),
  });

  const describers = {
    img: (image) => ({
      ...describeMedium('image', image, image.currentSrc || image.src),
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
    video: (video) => ({ ...describePlayer('video', video), size: [video.videoWidth, video.videoHeight] }),
    audio: (audio) => describePlayer('audio', audio),
  };
  /** Whether a picture is an SVG. */
  const isVector = (image) => /\.svg(?:[?#]|$)|^data:image\/svg/i.test(image.currentSrc);

  /** Describe a video or sound. */
  function describePlayer(kind, media) {
    return {
      ...describeMedium(kind, media, media.currentSrc || media.src),
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

  /** Add an element, and its background pictures. Computed styles take time, so those of an enormous page are not all read. */
  function addElement(element) {
    const describe = describers[element.localName];
    if (describe && element.namespaceURI === 'http://www.w3.org/1999/xhtml') keepIfRoom(() => describe(element));
    if (styled++ >= mostStyled) return;
    const background = getComputedStyle(element).backgroundImage;
    if (!background.includes('url(')) return;
    for (const [, url] of background.matchAll(/url\("((?:[^"\\]|\\.)*)"\)/g))
      keepIfRoom(() => ({
        ...describeMedium('background', element, url),
        state: requestOf(url)?.responseStatus >= 400 ? 'failed' : '',
      }));
  }

  /** Count a medium, and keep its description if there is room. */
  function keepIfRoom(describe) {
    total++;
    if (found.length < most) found.push(describe());
  }

  /** Whether a tree is inside of the element that was asked for. */
  const isTreeWithin = (root) => {
    for (let at = root; at; at = at.host?.getRootNode())
      if (at === within || at.host && within.contains(at.host)) return true;
    return false;
  };
  if (within) addElement(within);
  for (const root of engine.treeRoots()) {
    if ((root.ownerDocument ?? root) !== document) continue;
    const isOwn = within && within.getRootNode() === root;
    if (within && !isOwn && !isTreeWithin(root)) continue;
    for (const element of (isOwn ? within : root).querySelectorAll('*')) addElement(element);
  }
  return { found, total, isCut: styled > mostStyled };
}
