/**
 * Return the metadata of the document for search engines, feeds and social networks: { title, metas, links, jsonLd, microdata … }. Of each
 * kind the first `most` entries; texts are cut to `characters`.
 */
export function readPageData({ most, characters }) {
  /** Return a text without white space around it, cut to `characters`. */
  const shorten = (text) => String(text ?? '').trim().slice(0, characters);
  /** Return a property of the document, even if the page has an image or form of that name, which would hide it. */
  const ofDocument = (name) => Reflect.get(Document.prototype, name, document);
  /**
   * Return all elements of the document that match a selector.
   * @type {(selector: string) => any[]}
   */
  const findAll = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  /** Return the absolute URL of an address in the document; an invalid one as it is. */
  const toAbsoluteUrl = (address) => {
    try {
      return new URL(address, ofDocument('baseURI')).href;
    } catch {
      return address;
    }
  };

  const metas = findAll('meta[content]').map((meta) => [
    shorten(meta.getAttribute('property') || meta.getAttribute('name') || meta.getAttribute('http-equiv')),
    shorten(meta.getAttribute('content')),
  ]).filter(([name]) => name);
  const links = findAll('link[rel][href]').map((link) => ({
    rel: shorten(link.getAttribute('rel')).toLowerCase(),
    href: shorten(toAbsoluteUrl(link.getAttribute('href'))),
    hreflang: shorten(link.getAttribute('hreflang')),
    type: shorten(link.getAttribute('type')),
    title: shorten(link.getAttribute('title')),
    media: shorten(link.getAttribute('media')),
  }));
  const types = findAll('[itemscope][itemtype]').map((item) =>
    shorten(Element.prototype.getAttribute.call(item, 'itemtype'))
  );

  return {
    title: shorten(ofDocument('title')),
    language: shorten(ofDocument('documentElement')?.getAttribute('lang')),
    charset: ofDocument('characterSet'),
    address: location.href,
    metas: metas.slice(0, most),
    links: links.slice(0, most),
    jsonLd: findAll('script[type="application/ld+json" i]').slice(0, most).map((script) =>
      script.text.slice(0, 1_000_000)
    ),
    microdata: [...new Set(types)].slice(0, most),
  };
}

/**
 * Return facts about the security of a document, the first `most` of each kind, texts cut to `characters`. `insecure`: [tag or
 * "stylesheet", URL] of resources over plain http; `policies`: texts of `<meta>` elements. `forms`: name, action, method and hasPassword of
 * each; `passwords`: number of fields; `scripts`: url and integrity of each; `frames`: URLs of those without `sandbox`.
 */
export function readPageSecurity({ most, characters }) {
  /** Return a text cut to `characters`. */
  const shorten = (text) => String(text ?? '').slice(0, characters);
  /**
   * Return the first `most` elements of the document that match a selector.
   * @type {(selector: string) => any[]}
   */
  const findAll = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)].slice(0, most);
  /** Return an attribute of an element, even if the page has replaced `getAttribute`. */
  const attr = (element, name) => Element.prototype.getAttribute.call(element, name);
  /** Return the first element inside of another that matches a selector; null for none. */
  const findIn = (element, selector) => Element.prototype.querySelector.call(element, selector);
  /** Return the absolute URL of an attribute's value; "" for an invalid one. */
  const toAbsoluteUrl = (value) => {
    try {
      return new URL(value ?? '', Reflect.get(Node.prototype, 'baseURI', document)).href;
    } catch {
      return '';
    }
  };
  /** Return whether a URL is of plain http, without TLS. */
  const isInsecure = (url) => url.startsWith('http:');
  const insecure = [];
  for (
    const element of findAll(
      'img[src],audio[src],video[src],source[src],iframe[src],script[src],link[rel~=stylesheet][href]',
    )
  ) {
    const url = toAbsoluteUrl(attr(element, 'src') ?? attr(element, 'href'));
    const kind = element.localName === 'link' ? 'stylesheet' : element.localName;
    if (isInsecure(url)) insecure.push([kind, shorten(url)]);
  }
  return {
    insecure,
    policies: findAll('meta[http-equiv="Content-Security-Policy" i][content]').map((meta) =>
      shorten(attr(meta, 'content'))
    ),
    forms: findAll('form').map((form) => ({
      name: shorten(attr(form, 'aria-label') || attr(form, 'name') || attr(form, 'id')),
      action: shorten(toAbsoluteUrl(attr(form, 'action') || location.href)),
      method: (attr(form, 'method') || 'get').toLowerCase() === 'post' ? 'post' : 'get',
      hasPassword: findIn(form, 'input[type=password i]') !== null,
    })),
    passwords: findAll('input[type=password i]').length,
    scripts: findAll('script[src]').map((script) => ({
      url: shorten(toAbsoluteUrl(attr(script, 'src'))),
      integrity: shorten(attr(script, 'integrity')),
    })),
    frames: findAll('iframe[src]:not([sandbox])').map((frame) => shorten(toAbsoluteUrl(attr(frame, 'src')))),
  };
}

/**
 * Return the names of the first `most` ancestors of an element (`node`: its id), nearest first, as an inspector shows them:
 * `div#main.wide`. They are those of the flat tree, in which styles are inherited.
 */
export function listAncestors({ node, most }) {
  const engine = globalThis.__gbrowse;
  const element = engine.nodeFor(node);
  /** Return tag, id and first classes of an element: `div#main.wide`. */
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

/** Return { shorthand: names of its longhands } of those CSS properties among `names` that are shorthands. */
export function listLonghands(names) {
  const root = Reflect.get(Document.prototype, 'documentElement', document); // an image may have that name
  const plain = Document.prototype.createElementNS.call(document, 'http://www.w3.org/1999/xhtml', 'i');
  const style = Reflect.get(plain, 'style');
  /** Return the names of all properties that the CSS shorthand `all` stands for. */
  const allLonghands = () =>
    [...getComputedStyle(root)].filter((name) => !/^(?:--|direction$|unicode-bidi$)/u.test(name));
  /** Return the names of the longhands of a CSS property; its own name if it is no shorthand. */
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
 * List the links of the document and its shadow trees, or of the element with the id `within` (0: all). Return { links, total, agent,
 * languages }. `links`: the first `most` as [node id, URL, whether its fragment exists in this document (null: another document, or none)].
 */
export function listLinksToCheck({ most, within }) {
  const engine = globalThis.__gbrowse;
  /** Return a property of the document, even if the page has an image or form of that name, which would hide it. */
  const ofDocument = (name) => Reflect.get(Document.prototype, name, document);
  /** Return the document that a node is in; null for a document itself. */
  const documentOf = (root) => Reflect.get(Node.prototype, 'ownerDocument', root);
  /** Return all elements in a document or shadow root that match a selector. */
  const findAll = (root, selector) =>
    (root instanceof Document ? Document : DocumentFragment).prototype.querySelectorAll.call(root, selector);
  const element = within ? engine.nodeFor(within) : null;
  const links = [];
  let total = 0;

  /**
   * Return whether this document has a target for a URL's fragment, by Chromium's rules (HTML, "find a potential indicated element"); null
   * for a URL of another document, or without a fragment.
   */
  function fragmentExists(url) {
    const [address, fragment] = splitFragment(url);
    if (fragment === null || address !== splitFragment(location.href)[0]) return null;
    const name = decodeFragment(fragment.split(':~:')[0]);
    return isTop(name) || /^[/!]/.test(name) || Document.prototype.getElementById.call(document, name) !== null
      || [...Document.prototype.getElementsByName.call(document, name)].some((element) => element.localName === 'a');
  }

  /** Split a URL into [URL without fragment, fragment or null]. */
  function splitFragment(url) {
    const at = url.indexOf('#');
    return at < 0 ? [url, null] : [url.slice(0, at), url.slice(at + 1)];
  }

  /** Return whether a decoded fragment means the top of the page. */
  const isTop = (name) => name === '' || name.toLowerCase() === 'top';
  /** Decode the per cent escapes of a fragment; return it as it is if they are invalid. */
  function decodeFragment(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  /** Return whether a link is in the element `within`. */
  function isInElement(link) {
    for (let node = link; node; node = parentOf(node)) if (node === element) return true;
    return false;
  }

  /** Return the parent of a node; for a shadow root, its host. */
  const parentOf = (node) => node instanceof ShadowRoot ? node.host : Reflect.get(Node.prototype, 'parentNode', node);

  /** Return the absolute URL of a link, also of a link in SVG, whose `href` is no string; "" for an invalid one. */
  function linkAddress(link) {
    if (typeof link.href === 'string') return link.href;
    try {
      return new URL(link.getAttribute('href'), ofDocument('baseURI')).href;
    } catch {
      return '';
    }
  }

  for (const root of engine.listTreeRoots()) {
    if ((documentOf(root) ?? root) !== document) continue;
    for (const link of findAll(root, 'a[href],area[href]')) {
      if (element && !isInElement(link)) continue;
      total++;
      const url = linkAddress(link);
      if (links.length < most) links.push([engine.idOf(link), url.slice(0, 8000), fragmentExists(url)]);
    }
  }
  return { links, total, agent: navigator.userAgent, languages: navigator.languages.join(',') };
}

/**
 * Run axe-core in one frame, in the isolated world: the page cannot see it, and its content security policy does not apply. Return {
 * frames, partial }: the iframes inside as [node id, axe's context for it], and axe's result as JSON; null if the element is gone. Frame 0
 * has no `partial`, but keeps it for `finishAudit`. `number`: of the frame; `node`: id of the element to audit, 0 for all; `context`: axe's
 * context.
 */
export async function auditFrame({ number, node, context, options }) {
  const axe = globalThis.axe, engine = globalThis.__gbrowse;

  const opened = [];
  /** Give the hosts of closed shadow trees a `shadowRoot`, in this world only, so that axe enters these trees. */
  function openClosedRoots() {
    for (const root of engine.listTreeRoots()) {
      const { host } = root;
      if (!host || root.mode !== 'closed' || Object.hasOwn(host, 'shadowRoot')) continue;
      Object.defineProperty(host, 'shadowRoot', { value: root, configurable: true });
      opened.push(host);
    }
  }

  /** Clear the state that an interrupted audit has left in axe-core. */
  function resetAxe() {
    axe.teardown();
    axe._running = false;
  }

  /**
   * Return what is added to axe's result for an element: `where` ([frame number, node id]) and `source`, its markup with secrets masked:
   * axe gives the whole markup of a short element, and only the opening tag of a long one.
   */
  const describe = (element, source) => ({
    where: [number, engine.idOf(element)],
    source: source?.includes('</') ? engine.readMaskedMarkup(element) : source,
  });

  const within = node ? engine.nodeFor(node) : context ?? document;
  if (!within) return null;
  openClosedRoots();
  resetAxe();
  try {
    // Add the elements' ids to axe's results.
    axe.utils.nodeSerializer.update({
      toSpec: (one) => ({ ...one.toJSON(), ...one.element && describe(one.element, one.source) }),
    });
    const contexts = axe.utils.getFrameContexts(within, options);
    const partial = await engine.runWithTimers(() => axe.runPartial(within, options));
    const frames = partial.frames.map((frame, index) => [frame.where?.[1] ?? 0, contexts[index]?.frameContext ?? null]);
    if (number > 0) return { frames, partial: JSON.stringify(partial) };
    globalThis.__gbrowseAudit = partial;
    return { frames };
  } finally {
    for (const host of opened) delete host.shadowRoot;
  }
}

/**
 * Merge axe-core's results of all frames into { violations, incomplete, passed, version }. Called in frame 0, in the isolated world.
 * `partials`: results of the other frames, as JSON; `most`: how many elements are described. `violations` and `incomplete`: rules, see
 * `rulesByOutcome`; `passed`: number of rules that all elements pass.
 */
export async function finishAudit({ partials, options, most }) {
  const axe = globalThis.axe, engine = globalThis.__gbrowse, first = globalThis.__gbrowseAudit;
  delete globalThis.__gbrowseAudit;
  const found = [first, ...partials.map((text) => text && JSON.parse(text))];
  const results = await engine.runWithTimers(() => axe.finishRun(found, { ...options, reporter: 'raw' }));
  let left = most;

  /** Return markup, or a selector of axe's, with `…` for each value of an `<input>`, or in `[value=…]`: it may be a password. */
  const maskValues = (text) =>
    text.replace(/(<input\b(?:[^>"]|"[^"]*")*?\svalue=")[^"]*/gi, '$1…')
      .replace(/(\[value\W{0,2}=")(?:[^"\\]|\\.)*/g, '$1…');
  /**
   * Return a copy of axe's path of selectors with the values of fields masked: an array of texts, or of arrays in shadow trees.
   */
  const maskPath = (path) => Array.isArray(path) ? path.map(maskPath) : maskValues(String(path).slice(0, 1000));

  /**
   * Describe an element that axe has found, as { where, html, target: path of selectors, impact, checks, anyOf }. `where`: [number of its
   * frame, node id], or null. `checks`: results of axe's `none` and `all` checks; `anyOf`: of its `any` checks, of which one has to pass.
   */
  function describeFinding({ node, any, all, none, impact }) {
    return {
      where: node.where ?? null,
      html: maskValues(String(node.source ?? '')).slice(0, 300),
      target: maskPath(node.selector),
      impact,
      checks: [...none, ...all].map(describeCheck),
      anyOf: any.map(describeCheck),
    };
  }

  /** Describe the result of one of axe's checks of an element, as { id, message, contrast, needed }. */
  const describeCheck = ({ id, message, data }) => ({
    id,
    message: String(message ?? '').slice(0, 1000),
    contrast: data?.contrastRatio ?? null,
    needed: data?.expectedContrastRatio ?? null,
  });

  /**
   * Return axe's rules that elements violate (`outcome` "violations"), or may violate ("incomplete"), as [{ id, impact, help, helpUrl, tags,
   * count, elements }]. `count`: number of these elements; `elements`: the first of them, from `describeFinding`. Both outcomes together
   * describe `most` elements (of `finishAudit`), so call it for violations first.
   */
  function rulesByOutcome(outcome) {
    return results.filter((rule) => rule[outcome].length).map((rule) => {
      const shown = rule[outcome].slice(0, Math.max(left, 0));
      left -= shown.length;
      const { id, impact, help, helpUrl, tags } = rule;
      return { id, impact, help, helpUrl, tags, count: rule[outcome].length, elements: shown.map(describeFinding) };
    });
  }

  return {
    violations: rulesByOutcome('violations'),
    incomplete: rulesByOutcome('incomplete'),
    passed: results.filter((rule) => rule.passes.length && !rule.violations.length && !rule.incomplete.length).length,
    version: axe.version,
  };
}

/**
 * Return the images, videos and sounds of a document with its shadow trees, or in the element with the id `node` (0: all): { found, total,
 * isCut }. `found`: the first `most`, with their state and how they are displayed. `mostStyled`: how many elements are searched for
 * background images; `isCut`: whether there are more.
 */
export function listPageMedia({ node, most, mostStyled }) {
  const engine = globalThis.__gbrowse;
  const within = node ? engine.nodeFor(node) : null;
  if (node && !within) return null;
  const found = [];
  let total = 0;
  let styled = 0;

  /** Return the displayed [width, height] of an element, in whole CSS pixels. */
  const sizeOf = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return [Math.round(width), Math.round(height)];
  };
  /**
   * Return the last entry of the resource timing for a URL; undefined for none.
   * @type {(url: string) => any}
   */
  const requestOf = (url) => performance.getEntriesByName(url, 'resource').at(-1);
  /** Describe what images, videos and sounds have in common: kind, node id, URL, displayed size, bytes, visibility. */
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
  /** Return whether an image is an SVG, by its URL. */
  const isVector = (image) => /\.svg(?:[?#]|$)|^data:image\/svg/i.test(image.currentSrc);

  /** Describe a video or sound (`kind`): state, position, duration in seconds (-1: endless), flags and text tracks. */
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

  /**
   * Add an element to the result if it is an image, video or sound; also its background images, of the first `mostStyled` elements.
   */
  function addElement(element) {
    const describe = describers[element.localName];
    if (describe && element.namespaceURI === 'http://www.w3.org/1999/xhtml') addIfRoom(() => describe(element));
    if (styled++ >= mostStyled) return;
    const background = getComputedStyle(element).backgroundImage;
    if (!background.includes('url(')) return;
    for (const [, url] of background.matchAll(/url\("((?:[^"\\]|\\.)*)"\)/g))
      addIfRoom(() => ({
        ...describeMedium('background', element, url),
        state: requestOf(url)?.responseStatus >= 400 ? 'failed' : '',
      }));
  }

  /** Count an image, video or sound in `total`. If `found` has room, add `describe()`, which is called only then. */
  function addIfRoom(describe) {
    total++;
    if (found.length < most) found.push(describe());
  }

  /** Return whether a document or shadow root is inside of the element whose media are listed. */
  const isTreeWithin = (root) => {
    for (let at = root; at; at = at.host?.getRootNode())
      if (at === within || at.host && within.contains(at.host)) return true;
    return false;
  };
  if (within) addElement(within);
  for (const root of engine.listTreeRoots()) {
    if ((root.ownerDocument ?? root) !== document) continue;
    const isOwn = within && within.getRootNode() === root;
    if (within && !isOwn && !isTreeWithin(root)) continue;
    for (const element of (isOwn ? within : root).querySelectorAll('*')) addElement(element);
  }
  return { found, total, isCut: styled > mostStyled };
}
