/** Count the colours, fonts, spaces and components of the page, or of the element `id`. */
export function designOf({ node: id }) {
  const MOST = {
    elements: 20_000,
    milliseconds: 3_000,
    kinds: 2_000,
    told: 600,
    ofOne: 60,
    frames: 60,
    characters: 1_000,
  };
  /** @type {any} */
  const engine = globalThis.__gbrowse;
  const { attr, childrenOf, contentDocumentOf, idOf, isFrame, nodeFor } = engine;
  /**
   * Return the getter of a prototype's property.
   * @type {(prototype: any, name: string) => any}
   */
  const getterOf = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name)?.get;
  const isShown = Element.prototype.checkVisibility;
  const rectOf = Element.prototype.getBoundingClientRect;
  const readName = getterOf(Element.prototype, 'localName');
  const readType = getterOf(Node.prototype, 'nodeType');
  const documentOf = getterOf(Node.prototype, 'ownerDocument');
  const stylesOf = Element.prototype.computedStyleMap;
  /** Return a property of the document, whatever elements have that name. */
  const ofDocument = (name) => Reflect.get(Document.prototype, name, document);
  const SEEN = { visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true };
  const SIDES = ['top', 'right', 'bottom', 'left'];
  const CORNERS = ['top-left', 'top-right', 'bottom-right', 'bottom-left'];
  const WHITE = [255, 255, 255, 1];
  const DARK = [18, 18, 18, 1];

  /** Counts occurrences and amounts of values; beyond a limit, further values are not counted. */
  class Counts {
    constructor() {
      this.found = new Map();
    }

    add(words, amount) {
      const key = JSON.stringify(words);
      const known = this.found.get(key);
      if (known) {
        known.count++;
        known.amount += amount;
      } else if (this.found.size < MOST.kinds) this.found.set(key, { words, count: 1, amount });
    }

    /** Returns the most frequent values, so many of each role, level or side: areas and characters cannot be compared. */
    told() {
      const shown = new Map();
      return [...this.found.values()].sort((a, b) => b.amount - a.amount).filter(({ words: [of] }) => {
        shown.set(of, (shown.get(of) ?? 0) + 1);
        return shown.get(of) <= MOST.ofOne;
      }).slice(0, MOST.told).map(({ words, count, amount }) => [...words, count, Math.round(amount)]);
    }
  }

  let canvas = null;
  const parsed = new Map();
  function colour(text) {
    if (!parsed.has(text)) parsed.set(text, plain(text) ?? paintedColour(text));
    return parsed.get(text);
  }

  function plain(text) {
    const found = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text);
    return found && [...found.slice(1, 4).map(Number), Number(found[4] ?? 1)];
  }

  /** Convert `oklch(…)` and the like to the colour on a screen; null for no colour. */
  function paintedColour(text) {
    if (!CSS.supports('color', text)) return null;
    canvas ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, opacity] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, Math.round(opacity / 2.55) / 100];
  }

  /** Whether a colour is none, or transparent. */
  const isClear = (rgba) => rgba === null || rgba[3] < 0.02;
  /** Return the opaque colour that a transparent one makes over a background. */
  const blendOver = (
    rgba,
    ground,
  ) => [...[0, 1, 2].map((part) => Math.round(rgba[part] * rgba[3] + ground[part] * (1 - rgba[3]))), 1];
  /** Return a CSS length in pixels, to two digits; 0 for none. */
  const pixels = (text) => Math.round(parseFloat(text) * 100) / 100 || 0;
  /** Whether an element has a border on a side. */
  const hasBorder = (style, side) =>
    pixels(style.getPropertyValue(`border-${side}-width`)) > 0
    && !['none', 'hidden'].includes(style.getPropertyValue(`border-${side}-style`));

  /** Counts an element's own characters, without those of its descendants. */
  function ownCharacters(element) {
    let characters = 0;
    for (const child of childrenOf(element)) if (readType.call(child) === 3) characters += child.data.trim().length;
    return characters;
  }

  /** Return an object without a prototype: a page may say role="constructor". */
  const nullPrototype = (entries) => Object.assign(Object.create(null), entries); // a page may say role="constructor"
  const FIELDS = nullPrototype({ checkbox: 'checkbox', radio: 'radio button', range: 'slider' });
  const PRESSED = new Set(['button', 'submit', 'reset', 'image']);
  const NAMED = nullPrototype({
    textbox: 'text field',
    searchbox: 'text field',
    combobox: 'list',
    listbox: 'list',
    radio: 'radio button',
  });
  for (const role of ['button', 'link', 'checkbox', 'switch', 'slider', 'tab', 'dialog']) NAMED[role] = role;
  const TAGS = nullPrototype({ button: 'button', summary: 'button', textarea: 'text field', select: 'list' });
  for (const name of ['table', 'dialog']) TAGS[name] = name;

  /** Return the kind of component, such as "button" or "card"; "" for an element that is none. */
  function componentKind(element, name, look) {
    const role = NAMED[(attr(element, 'role') ?? '').trim().split(/\s+/)[0]];
    if (role && role !== 'link') return role;
    if (name === 'input') {
      const type = (attr(element, 'type') ?? '').toLowerCase();
      return type === 'hidden' ? '' : PRESSED.has(type) ? 'button' : FIELDS[type] ?? 'text field';
    }
    if (TAGS[name]) return TAGS[name];
    if (role || (name === 'a' && attr(element, 'href') !== null))
      return (look.background || look.border) && look.padding !== '0px' ? 'button' : 'link';
    if (!look.background && !look.border && !look.shadow) return '';
    if (look.radius === '0px' || name === 'body' || name === 'html') return '';
    const elements = [...childrenOf(element)].filter((child) => readType.call(child) === 1).length;
    if (elements) return look.border || look.shadow || look.padding !== '0px' ? 'card' : '';
    return look.isInline && look.padding !== '0px' && look.characters > 0 && look.characters < 30 ? 'badge' : '';
  }

  /** Returns whether its background is that of the whole page. */
  const isCanvas = (element, name) =>
    (name === 'body' || name === 'html') && window === window.top && documentOf.call(element) === document;

  /** Return the layers of a shadow that have a colour. */
  const visibleShadow = (style) =>
    style.boxShadow === 'none'
      ? ''
      : style.boxShadow.split(/,\s*(?![^()]*\))/).filter((layer) => !/rgba\([^)]*, 0\)/.test(layer)).join(', ');

  /** Describe the look of an element: colours, border, radius, padding, font and shadow. */
  function describeLook(style, characters) {
    const background = colour(style.backgroundColor);
    const line = SIDES.find((side) => hasBorder(style, side));
    return {
      background: isClear(background) ? '' : background.join(','),
      color: (colour(style.color) ?? []).join(','),
      border: line
        ? [`border-${line}-width`, `border-${line}-style`].map((of) => style.getPropertyValue(of)).join(' ')
          + ` ${(colour(style.getPropertyValue(`border-${line}-color`)) ?? []).join(',')}`
        : '',
      radius: style.borderRadius,
      padding: style.padding,
      font: `${style.fontSize} ${style.fontWeight}`,
      shadow: visibleShadow(style),
      characters,
      isInline: style.display.startsWith('inline'),
    };
  }

  const HEADING = /^h[1-6]$/;
  const LEVELS = {
    button: 'button',
    link: 'link',
    'text field': 'field',
    list: 'field',
    tab: 'button',
    badge: 'badge',
  };
  /** Return the level of a text: heading, code, or that of its component. */
  const levelOf = (name, kind, level) =>
    HEADING.test(name) ? name : name === 'code' || name === 'pre' ? 'code' : LEVELS[kind] ?? level;
  const PARTS = { button: ['action-text', 'action'], link: ['link', 'surface'], tab: ['action-text', 'action'] };

  class Reading {
    constructor() {
      this.counts = {
        colors: new Counts(),
        pairs: new Counts(),
        type: new Counts(),
        spacing: new Counts(),
        radii: new Counts(),
        lines: new Counts(),
        shadows: new Counts(),
        gradients: new Counts(),
        components: new Counts(),
      };
      this.frames = [];
      this.read = 0;
      this.end = performance.now() + MOST.milliseconds;
      this.isCut = false;
    }

    /** Visits an element and its visible descendants. `ground`: the colour behind it; null for a picture. */
    walk(top, ground) {
      const left = [{ node: top, ground, level: 'body', kind: '' }];
      for (let next = left.pop(); next; next = left.pop()) {
        const { node, ground, level, kind } = next;
        if (readType.call(node) !== 1) continue;
        if (this.read >= MOST.elements || performance.now() > this.end) {
          this.isCut = true;
          return;
        }
        this.read++;
        const name = readName.call(node);
        const style = getComputedStyle(node);
        if (style.display !== 'contents' && !isShown.call(node, SEEN)) {
          // Descendants of an invisible box may be visible, unless it has no box at all.
          if (style.display === 'none' || style.visibility === 'visible') continue;
          this.inside(left, node, { ground, level, kind });
          continue;
        }
        left.push(...this.element(node, name, style, { ground, level, kind }));
      }
    }

    inside(left, node, context) {
      for (const child of [...childrenOf(node)].reverse()) left.push({ node: child, ...context });
    }

    /** Counts one element; returns the descendants to visit next. */
    element(node, name, style, { ground, level, kind }) {
      const box = rectOf.call(node);
      const characters = ownCharacters(node);
      const look = describeLook(style, characters);
      const own = componentKind(node, name, look);
      const within = {
        ground: this.paint(node, name, style, box, own, ground),
        level: levelOf(name, own, level),
        kind: own || kind,
      };
      if (box.width > 0 && box.height > 0) {
        this.distances(node, style);
        this.shape(style, look);
        if (own) this.component(own, look, box);
      }
      if (characters && box.width > 0) this.text(style, characters, within);
      if (style.fill !== 'none' && name !== 'svg' && node instanceof SVGGraphicsElement) this.drawn(style, box);
      if (isFrame(node)) return this.frame(node, box, within);
      const left = [];
      if (!(node instanceof SVGElement) || name === 'svg' || name === 'g') this.inside(left, node, within);
      return left;
    }

    frame(node, box, within) {
      if (!(box.width > 1 && box.height > 1)) return [];
      const inner = contentDocumentOf(node);
      if (inner?.documentElement) return [{ node: inner.documentElement, ...within, level: 'body', kind: '' }];
      if (!inner && this.frames.length < MOST.frames) this.frames.push(idOf(node));
      return [];
    }

    /** Counts background and lines; returns the colour behind its text. */
    paint(node, name, style, box, kind, ground) {
      const area = box.width * box.height;
      const background = colour(style.backgroundColor);
      if (!isClear(background) && area > 0) {
        const role = isCanvas(node, name) ? 'page' : PARTS[kind]?.[1] ?? 'surface';
        this.counts.colors.add([role, background.join(',')], area);
      }
      for (const side of SIDES)
        if (area > 0 && hasBorder(style, side)) {
          const line = colour(style.getPropertyValue(`border-${side}-color`));
          if (isClear(line)) continue;
          this.counts.colors.add(
            ['border', line.join(',')],
            side === 'top' || side === 'bottom' ? box.width : box.height,
          );
          this.counts.lines.add([pixels(style.getPropertyValue(`border-${side}-width`))], 1);
        }
      if (style.backgroundImage.includes('gradient(') && area > 0)
        this.counts.gradients.add([style.backgroundImage.slice(0, MOST.characters)], area);
      if (style.backgroundImage !== 'none') return null;
      return isClear(background) || ground === null && background[3] < 1
        ? ground
        : blendOver(background, ground ?? WHITE);
    }

    text(style, characters, { ground, level, kind }) {
      const ink = colour(style.color);
      if (isClear(ink)) return;
      this.counts.colors.add([PARTS[kind]?.[0] ?? 'text', ink.join(',')], characters);
      if (ground)
        this.counts.pairs.add(
          [ink.join(','), ground.join(','), pixels(style.fontSize), Number(style.fontWeight)],
          characters,
        );
      const type = [
        style.fontFamily.slice(0, 400),
        pixels(style.fontSize),
        Number(style.fontWeight),
        style.lineHeight,
        style.letterSpacing,
      ];
      this.counts.type.add([level, ...type], characters);
    }

    drawn(style, box) {
      const ink = colour(style.fill);
      if (!isClear(ink) && box.width > 0) this.counts.colors.add(['icon', ink.join(',')], box.width * box.height);
    }

    distances(node, style) {
      for (const side of SIDES) {
        const inner = pixels(style.getPropertyValue(`padding-${side}`));
        if (inner > 0) this.counts.spacing.add(['padding', inner], 1);
        const outer = pixels(style.getPropertyValue(`margin-${side}`));
        if (outer > 0 && String(stylesOf.call(node).get(`margin-${side}`)) !== 'auto')
          this.counts.spacing.add(['margin', outer], 1);
      }
      if (!/flex|grid/.test(style.display)) return;
      for (const gap of [pixels(style.rowGap), pixels(style.columnGap)])
        if (gap > 0) this.counts.spacing.add(['gap', gap], 1);
    }

    shape(style, look) {
      if (look.shadow) this.counts.shadows.add([look.shadow.slice(0, MOST.characters)], 1);
      if (!look.background && !look.border && !look.shadow && style.overflow === 'visible') return;
      const corners = new Set(CORNERS.map((corner) => style.getPropertyValue(`border-${corner}-radius`)));
      for (const corner of corners) if (parseFloat(corner) > 0) this.counts.radii.add([corner], 1);
    }

    component(kind, { background, color, border, radius, padding, font, shadow }, box) {
      const height = ['button', 'text field', 'list', 'tab', 'badge'].includes(kind) ? Math.round(box.height) : 0;
      this.counts.components.add([kind, { background, color, border, radius, padding, font, shadow, height }], 1);
    }

    /** Returns custom properties of the root that are colours, by the names of the page's authors. */
    names(root) {
      const found = [];
      for (const [name, [value]] of stylesOf.call(root)) {
        if (!name.startsWith('--') || found.length >= 500) continue;
        const text = String(value).trim().slice(0, 100);
        const rgba = text.includes('var(') || /^-?[\d.]/.test(text) ? null : paintedColour(text);
        if (rgba) found.push([name, rgba.join(',')]);
      }
      return found;
    }

    told() {
      const lists = Object.fromEntries(Object.entries(this.counts).map(([name, counts]) => [name, counts.told()]));
      return { ...lists, frames: this.frames, read: this.read, cut: this.isCut };
    }
  }

  /** Returns the colour that Chromium paints where a page paints nothing. */
  function canvasColour() {
    const isDark = getComputedStyle(ofDocument('documentElement')).colorScheme.includes('dark')
      && matchMedia('(prefers-color-scheme: dark)').matches;
    return isDark ? DARK : WHITE;
  }

  const top = id ? nodeFor(id) : ofDocument('documentElement');
  const reading = new Reading();
  if (!top) return id ? null : { ...reading.told(), names: [] };
  const ground = canvasColour();
  /** Whether a style paints a background. */
  const hasBackground = (style) => !isClear(colour(style.backgroundColor)) || style.backgroundImage !== 'none';
  const isPainted = [ofDocument('documentElement'), ofDocument('body')].some((part) =>
    part && hasBackground(getComputedStyle(part))
  );
  if (!id && !isPainted && window === window.top)
    reading.counts.colors.add(['page', ground.join(',')], innerWidth * innerHeight);
  reading.walk(top, ground);
  return { ...reading.told(), names: reading.names(ofDocument('documentElement')) };
}
