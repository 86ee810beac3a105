/**
 * Count the colours, fonts, distances, shapes and components of the page, or of the element with node id `node` (0: the page). Return
 * { colors, type, spacing, …, names, frames, read, cut }; null if the element is gone. `names`: custom properties that are colours;
 * `frames`: node ids of frames of other origins; `read`: number of elements read; `cut`: whether a limit was reached.
 */
export function collectDesign({ node: id }) {
  const LIMITS = {
    elements: 20_000,
    milliseconds: 3_000,
    values: 2_000, // different ones that are counted, of each kind
    reported: 600, // of each kind
    perGroup: 60, // of those: for each role, level or side
    frames: 60,
    characters: 1_000, // of one value
  };
  const engine = globalThis.__gbrowse;
  const { attr, childrenOf, contentDocumentOf, idOf, isFrame, nodeFor, parseColour } = engine;
  /**
   * Return the getter of a property of a prototype, which the page's elements cannot hide.
   * @type {(prototype: any, name: string) => any}
   */
  const getterOf = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name)?.get;
  const isShown = Element.prototype.checkVisibility;
  const rectOf = Element.prototype.getBoundingClientRect;
  const readName = getterOf(Element.prototype, 'localName');
  const readType = getterOf(Node.prototype, 'nodeType');
  const documentOf = getterOf(Node.prototype, 'ownerDocument');
  const stylesOf = Element.prototype.computedStyleMap;
  /** Return a property of the document, even if the page has an image or form of that name, which would hide it. */
  const ofDocument = (name) => Reflect.get(Document.prototype, name, document);
  const VISIBLE = { visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true };
  const SIDES = ['top', 'right', 'bottom', 'left'];
  const CORNERS = ['top-left', 'top-right', 'bottom-right', 'bottom-left'];
  const WHITE = [255, 255, 255, 1];
  const DARK = [18, 18, 18, 1];

  /** Return whether a colour ([red, green, blue, alpha], or null for none) is invisible. */
  const isTransparent = (rgba) => rgba === null || rgba[3] < 0.02;
  /** Return the opaque colour that a partly transparent one has over another (`ground`), as [red, green, blue, 1]. */
  const blendOver = (
    rgba,
    ground,
  ) => [...[0, 1, 2].map((part) => Math.round(rgba[part] * rgba[3] + ground[part] * (1 - rgba[3]))), 1];
  /** Parse a CSS length in pixels (`12.345px`), to two decimals; 0 if it is none. */
  const toPixels = (text) => Math.round(parseFloat(text) * 100) / 100 || 0;
  /** Return whether a computed style has a border on a side, such as "top". */
  const hasBorder = (style, side) =>
    toPixels(style.getPropertyValue(`border-${side}-width`)) > 0
    && !['none', 'hidden'].includes(style.getPropertyValue(`border-${side}-style`));

  /** Count the characters in an element's own text nodes. */
  function countOwnCharacters(element) {
    let characters = 0;
    for (const child of childrenOf(element)) if (readType.call(child) === 3) characters += child.data.trim().length;
    return characters;
  }

  /** Return an object with these entries and without a prototype, to look up words of the page such as `role="constructor"`. */
  const createMap = (entries) => Object.assign(Object.create(null), entries);
  const KIND_BY_INPUT_TYPE = createMap({ checkbox: 'checkbox', radio: 'radio button', range: 'slider' });
  const BUTTON_TYPES = new Set(['button', 'submit', 'reset', 'image']);
  const KIND_BY_ROLE = createMap({
    textbox: 'text field',
    searchbox: 'text field',
    combobox: 'list',
    listbox: 'list',
    radio: 'radio button',
  });
  for (const role of ['button', 'link', 'checkbox', 'switch', 'slider', 'tab', 'dialog']) KIND_BY_ROLE[role] = role;
  const KIND_BY_TAG = createMap({ button: 'button', summary: 'button', textarea: 'text field', select: 'list' });
  for (const name of ['table', 'dialog']) KIND_BY_TAG[name] = name;

  /**
   * Return what component an element is, such as "button" or "card"; "" for none. `name`: its tag; `look`: see `describeLook`.
   */
  function componentKind(element, name, look) {
    const role = KIND_BY_ROLE[(attr(element, 'role') ?? '').trim().split(/\s+/)[0]];
    if (role && role !== 'link') return role;
    if (name === 'input') {
      const type = (attr(element, 'type') ?? '').toLowerCase();
      return type === 'hidden' ? '' : BUTTON_TYPES.has(type) ? 'button' : KIND_BY_INPUT_TYPE[type] ?? 'text field';
    }
    if (KIND_BY_TAG[name]) return KIND_BY_TAG[name];
    if (role || (name === 'a' && attr(element, 'href') !== null))
      return (look.background || look.border) && look.padding !== '0px' ? 'button' : 'link';
    if (!look.background && !look.border && !look.shadow) return '';
    if (look.radius === '0px' || name === 'body' || name === 'html') return '';
    const elements = [...childrenOf(element)].filter((child) => readType.call(child) === 1).length;
    if (elements) return look.border || look.shadow || look.padding !== '0px' ? 'card' : '';
    return look.isInline && look.padding !== '0px' && look.characters > 0 && look.characters < 30 ? 'badge' : '';
  }

  /** Return whether an element is the page's root or body, whose background is that of the whole page. */
  const paintsWholePage = (element, name) =>
    (name === 'body' || name === 'html') && window === window.top && documentOf.call(element) === document;

  /** Return the shadow of a computed style without its transparent layers; "" for none. */
  const visibleShadow = (style) =>
    style.boxShadow === 'none'
      ? ''
      : style.boxShadow.split(/,\s*(?![^()]*\))/).filter((layer) => !/rgba\([^)]*, 0\)/.test(layer)).join(', ');

  /**
   * Return the look of an element by its computed style, as { background, color, border, radius, padding, font, shadow, characters,
   * isInline }. `characters`: length of its own text.
   */
  function describeLook(style, characters) {
    const background = parseColour(style.backgroundColor);
    const line = SIDES.find((side) => hasBorder(style, side));
    return {
      background: isTransparent(background) ? '' : background.join(','),
      color: (parseColour(style.color) ?? []).join(','),
      border: line
        ? [`border-${line}-width`, `border-${line}-style`].map((of) => style.getPropertyValue(of)).join(' ')
          + ` ${(parseColour(style.getPropertyValue(`border-${line}-color`)) ?? []).join(',')}`
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
  const LEVEL_BY_KIND = {
    button: 'button',
    link: 'link',
    'text field': 'field',
    list: 'field',
    tab: 'button',
    badge: 'badge',
  };
  /**
   * Return the level of an element's text in the type scale: "h1", "code", "button" …; that of its parent (`level`) for other elements.
   */
  const typeLevelOf = (name, kind, level) =>
    HEADING.test(name) ? name : name === 'code' || name === 'pre' ? 'code' : LEVEL_BY_KIND[kind] ?? level;
  // Kind of component → roles of the colours of its text and background.
  const COLOUR_ROLES = { button: ['action-text', 'action'], link: ['link', 'surface'], tab: ['action-text', 'action'] };

  /** Return whether a computed style paints a background. */
  const hasBackground = (style) =>
    !isTransparent(parseColour(style.backgroundColor)) || style.backgroundImage !== 'none';

  /** Return the colour that Chromium paints behind a page without a background. */
  function canvasColour() {
    const isDark = getComputedStyle(ofDocument('documentElement')).colorScheme.includes('dark')
      && matchMedia('(prefers-color-scheme: dark)').matches;
    return isDark ? DARK : WHITE;
  }

  /** Counts how often values occur, and in which amount (area or characters). */
  class Counts {
    constructor() {
      this.found = new Map();
    }

    /** Count one occurrence of a value: an array that begins with its group (role, level or side). */
    add(value, amount) {
      const key = JSON.stringify(value);
      const known = this.found.get(key);
      if (known) {
        known.count++;
        known.amount += amount;
      } else if (this.found.size < LIMITS.values) this.found.set(key, { value, count: 1, amount });
    }

    /**
     * Return the values with the largest amounts as [...value, count, amount], so many of each group: areas and characters cannot be
     * compared.
     */
    report() {
      const reported = new Map();
      return [...this.found.values()].sort((a, b) => b.amount - a.amount).filter(({ value: [group] }) => {
        reported.set(group, (reported.get(group) ?? 0) + 1);
        return reported.get(group) <= LIMITS.perGroup;
      }).slice(0, LIMITS.reported).map(({ value, count, amount }) => [...value, count, Math.round(amount)]);
    }
  }

  /** Goes through the elements, and counts their styles. */
  class StyleCounter {
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
      this.end = performance.now() + LIMITS.milliseconds;
      this.isCut = false;
    }

    /** Visit an element and its visible descendants. `ground`: the colour behind it; null for an image. */
    walk(top, ground) {
      const left = [{ node: top, ground, level: 'body', kind: '' }];
      for (let next = left.pop(); next; next = left.pop()) {
        const { node, ground, level, kind } = next;
        if (readType.call(node) !== 1) continue;
        if (this.read >= LIMITS.elements || performance.now() > this.end) {
          this.isCut = true;
          return;
        }
        this.read++;
        const name = readName.call(node);
        const style = getComputedStyle(node);
        if (style.display !== 'contents' && !isShown.call(node, VISIBLE)) {
          // Descendants of an invisible box may be visible, unless it has no box at all.
          if (style.display === 'none' || style.visibility === 'visible') continue;
          this.addChildren(left, node, { ground, level, kind });
          continue;
        }
        left.push(...this.countElement(node, name, style, { ground, level, kind }));
      }
    }

    /** Add the children of an element to the nodes that are left to visit. */
    addChildren(left, node, context) {
      for (const child of [...childrenOf(node)].reverse()) left.push({ node: child, ...context });
    }

    /** Count one element. Return the nodes to visit next, in it. */
    countElement(node, name, style, { ground, level, kind }) {
      const box = rectOf.call(node);
      const characters = countOwnCharacters(node);
      const look = describeLook(style, characters);
      const own = componentKind(node, name, look);
      const within = {
        ground: this.countColours(node, name, style, box, own, ground),
        level: typeLevelOf(name, own, level),
        kind: own || kind,
      };
      if (box.width > 0 && box.height > 0) {
        this.countDistances(node, style);
        this.countShape(style, look);
        if (own) this.countComponent(own, look, box);
      }
      if (characters && box.width > 0) this.countText(style, characters, within);
      if (style.fill !== 'none' && name !== 'svg' && node instanceof SVGGraphicsElement) this.countFill(style, box);
      if (isFrame(node)) return this.visitFrame(node, box, within);
      const left = [];
      if (!(node instanceof SVGElement) || name === 'svg' || name === 'g') this.addChildren(left, node, within);
      return left;
    }

    /** Return the root of a frame's document to visit next; record the id of a frame of another origin. */
    visitFrame(node, box, within) {
      if (!(box.width > 1 && box.height > 1)) return [];
      const inner = contentDocumentOf(node);
      if (inner?.documentElement) return [{ node: inner.documentElement, ...within, level: 'body', kind: '' }];
      if (!inner && this.frames.length < LIMITS.frames) this.frames.push(idOf(node));
      return [];
    }

    /** Count background, borders and gradients. Return the colour behind the element's text; null for an image. */
    countColours(node, name, style, box, kind, ground) {
      const area = box.width * box.height;
      const background = parseColour(style.backgroundColor);
      if (!isTransparent(background) && area > 0) {
        const role = paintsWholePage(node, name) ? 'page' : COLOUR_ROLES[kind]?.[1] ?? 'surface';
        this.counts.colors.add([role, background.join(',')], area);
      }
      for (const side of SIDES)
        if (area > 0 && hasBorder(style, side)) {
          const line = parseColour(style.getPropertyValue(`border-${side}-color`));
          if (isTransparent(line)) continue;
          this.counts.colors.add(
            ['border', line.join(',')],
            side === 'top' || side === 'bottom' ? box.width : box.height,
          );
          this.counts.lines.add([toPixels(style.getPropertyValue(`border-${side}-width`))], 1);
        }
      if (style.backgroundImage.includes('gradient(') && area > 0)
        this.counts.gradients.add([style.backgroundImage.slice(0, LIMITS.characters)], area);
      if (style.backgroundImage !== 'none') return null;
      return isTransparent(background) || ground === null && background[3] < 1
        ? ground
        : blendOver(background, ground ?? WHITE);
    }

    /** Count colour, contrast pair and font of a text. */
    countText(style, characters, { ground, level, kind }) {
      const ink = parseColour(style.color);
      if (isTransparent(ink)) return;
      this.counts.colors.add([COLOUR_ROLES[kind]?.[0] ?? 'text', ink.join(',')], characters);
      if (ground)
        this.counts.pairs.add(
          [ink.join(','), ground.join(','), toPixels(style.fontSize), Number(style.fontWeight)],
          characters,
        );
      const type = [
        style.fontFamily.slice(0, 400),
        toPixels(style.fontSize),
        Number(style.fontWeight),
        style.lineHeight,
        style.letterSpacing,
      ];
      this.counts.type.add([level, ...type], characters);
    }

    /** Count the fill colour of an SVG element. */
    countFill(style, box) {
      const ink = parseColour(style.fill);
      if (!isTransparent(ink) && box.width > 0) this.counts.colors.add(['icon', ink.join(',')], box.width * box.height);
    }

    /** Count padding, margins and gaps. */
    countDistances(node, style) {
      for (const side of SIDES) {
        const inner = toPixels(style.getPropertyValue(`padding-${side}`));
        if (inner > 0) this.counts.spacing.add(['padding', inner], 1);
        const outer = toPixels(style.getPropertyValue(`margin-${side}`));
        if (outer > 0 && String(stylesOf.call(node).get(`margin-${side}`)) !== 'auto')
          this.counts.spacing.add(['margin', outer], 1);
      }
      if (!/flex|grid/.test(style.display)) return;
      for (const gap of [toPixels(style.rowGap), toPixels(style.columnGap)])
        if (gap > 0) this.counts.spacing.add(['gap', gap], 1);
    }

    /** Count shadow and radii. */
    countShape(style, look) {
      if (look.shadow) this.counts.shadows.add([look.shadow.slice(0, LIMITS.characters)], 1);
      if (!look.background && !look.border && !look.shadow && style.overflow === 'visible') return;
      const corners = new Set(CORNERS.map((corner) => style.getPropertyValue(`border-${corner}-radius`)));
      for (const corner of corners) if (parseFloat(corner) > 0) this.counts.radii.add([corner], 1);
    }

    /** Count a component by its kind and look. */
    countComponent(kind, { background, color, border, radius, padding, font, shadow }, box) {
      const height = ['button', 'text field', 'list', 'tab', 'badge'].includes(kind) ? Math.round(box.height) : 0;
      this.counts.components.add([kind, { background, color, border, radius, padding, font, shadow, height }], 1);
    }

    /** Return the custom properties of the root that are colours: [name, colour] of each. */
    colourProperties(root) {
      const found = [];
      for (const [name, [value]] of stylesOf.call(root)) {
        if (!name.startsWith('--') || found.length >= 500) continue;
        const text = String(value).trim().slice(0, 100);
        const rgba = text.includes('var(') || /^-?[\d.]/.test(text) ? null : parseColour(text);
        if (rgba) found.push([name, rgba.join(',')]);
      }
      return found;
    }

    /** Return all counts. */
    report() {
      const lists = Object.fromEntries(Object.entries(this.counts).map(([name, counts]) => [name, counts.report()]));
      return { ...lists, frames: this.frames, read: this.read, cut: this.isCut };
    }
  }

  const top = id ? nodeFor(id) : ofDocument('documentElement');
  const counter = new StyleCounter();
  if (!top) return id ? null : { ...counter.report(), names: [] };
  const ground = canvasColour();
  const isPainted = [ofDocument('documentElement'), ofDocument('body')].some((part) =>
    part && hasBackground(getComputedStyle(part))
  );
  if (!id && !isPainted && window === window.top)
    counter.counts.colors.add(['page', ground.join(',')], innerWidth * innerHeight);
  counter.walk(top, ground);
  return { ...counter.report(), names: counter.colourProperties(ofDocument('documentElement')) };
}
