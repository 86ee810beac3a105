// Rendered text that nobody can see: transparent, of no size, cut off, out of reach, or of the colour of its ground.
//
// Style sheets and attributes say which elements may have such text; only these are asked for their style and their box. On most
// pages there are none. In doubt text is seen.

import {
  dataOf,
  documentOf,
  firstChildOf,
  getter,
  lateMethod,
  localNameOf,
  method,
  nodeTypeOf,
  rectOf,
  rootElementOf,
  windowOf,
} from './engine-accessors.js';
import {
  attr,
  hasAttr,
  isText,
  OfTrees,
  parentOf,
  queryTree,
  shadowRootOf,
  siblingsFrom,
  treeOf,
  withTag,
} from './engine-dom.js';
import { styleOf } from './engine-hidden.js';
import { sheetsOf } from './engine-sheets.js';
import { Meant } from './engine-pointers.js';
import { groundOf, isClear, isLost, isPaintedBehind, parsedColour } from './engine-colours.js';

const SEEN = 0;
const FAINT = 1; // the text right inside cannot be read; of the elements inside each is asked
const GONE = 2; // nothing inside can be seen
const CLIPPED = 3; // the same, but for what is positioned out of it

const FAINTEST = 0.05; // of opacity
const SMALLEST = 2; // pixels of a font
const FAR = 200; // pixels; nobody moves a word that far within its box

const isSmall = (value) =>
  isUnclear(value) || parseFloat(value) <= 1 && !/^(?:1|100)(?:%|r?em|[sld]?v\w+|ch|lh)$/.test(value);
const isUnclear = (value) => value === '' || /var\(|calc|env\(|min\(|max\(|clamp\(/.test(value);
function isFar(value) {
  if (isUnclear(value)) return true;
  const size = Math.abs(parseFloat(value));
  return value.endsWith('px') ? size >= FAR : /em$/.test(value) ? size >= FAR / 16 : size >= 50;
}
const isTiny = (value) =>
  isUnclear(value) || parseFloat(value) < (/p[xt]$/.test(value) ? SMALLEST : value.endsWith('%') ? 15 : 0.15);
const isMoved = (value) => value !== 'none';
const isSet = (value) => value !== 'auto' && value !== 'none';

// What a rule may hide text by, and with which values.
const HIDES = new Map(Object.entries({
  opacity: (value) => !(parseFloat(value) >= FAINTEST),
  filter: (value) => value.includes('opacity') || isUnclear(value),
  clip: isSet,
  'clip-path': isSet,
  transform: isMoved,
  translate: isMoved,
  scale: isMoved,
  rotate: isMoved,
  zoom: (value) => !(parseFloat(value) >= 0.2),
  'font-size': isTiny,
  'text-indent': (value) => value.startsWith('-') || isFar(value),
}));
for (const side of ['width', 'height', 'block-size', 'inline-size'])
  for (const name of [side, `max-${side}`]) HIDES.set(name, isSmall);
for (const side of ['left', 'right', 'top', 'bottom', 'block-start', 'block-end', 'inline-start', 'inline-end'])
  for (const name of [side, `inset-${side}`, `margin-${side}`]) HIDES.set(name, isFar);

const INHERITS = /^(?:inherit|initial|unset|revert|revert-layer|currentcolor)$/i;
const INKS = new Set(['color', '-webkit-text-fill-color']);
const GROUND = 'background-color';
const STYLED =
  /opacity|clip|colou?r|background|font|indent|transform|translate|scale|rotate|left|right|top|bottom|inset|margin|width|height|size|filter|zoom/;

// What the rules of one sheet may hide, and which colours they give to whom.
class Said {
  constructor(count) {
    this.count = count;
    this.always = new Meant();
    this.inks = []; // [colour or null, selector, the one around]
    this.grounds = [];
  }

  add(other) {
    this.always.add(other.always);
    this.inks.push(...other.inks);
    this.grounds.push(...other.grounds);
  }

  noteRules(rules, outer) {
    for (const rule of rules) {
      const selector = rule.selectorText || '';
      if (rule.style) this.noteStyle(rule.style, selector || outer, outer);
      if (rule.styleSheet) this.add(saidIn(rule.styleSheet));
      if (rule.cssRules && rule.cssRules.length) this.noteRules(rule.cssRules, selector || outer);
    }
  }

  noteColour(colours, value, selector, outer) {
    if (!INHERITS.test(value)) colours.push([parsedColour(value), selector, outer]);
  }

  noteStyle(style, selector, outer) {
    for (let index = 0; index < style.length; index++) {
      const name = style[index];
      if (INKS.has(name)) this.noteColour(this.inks, style.getPropertyValue(name), selector, outer);
      else if (name === GROUND) this.noteColour(this.grounds, style.getPropertyValue(name), selector, outer);
      else if (HIDES.get(name)?.(style.getPropertyValue(name))) this.always.note(selector, outer);
    }
  }
}

const saidBefore = new WeakMap();
function saidIn(sheet) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return UNREADABLE; // of another origin
  }
  const known = saidBefore.get(sheet);
  if (known !== undefined && known.count === rules.length) return known;
  const said = new Said(rules.length);
  said.noteRules(rules, '');
  saidBefore.set(sheet, said);
  return said;
}
const UNREADABLE = new Said(0);
UNREADABLE.always.any = true;

// Who may have text that nobody can see, in one tree.
class Suspects {
  constructor(said, animated, isShadow) {
    this.said = said;
    this.animated = animated; // an Animated
    this.isShadow = isShadow;
    this.meant = meantBefore(said, isShadow);
    this.inks = null; // those of attributes that have been met
    this.grounds = null;
  }

  // Whether only the attributes of an element can make it one.
  get areRare() {
    return this.meant === NOBODY && this.animated.isNobody;
  }

  // Whether an element is none of them that says nothing of its style by attributes.
  spares(element) {
    return this.meant === NOBODY && !this.animated.has(element);
  }

  has(element, tag, plain) {
    if (!plain && isStyled(element)) return this.learn(element);
    return this.meant.mayMean(element, tag, plain) || this.animated.has(element);
  }

  // What an element says of its own colours concerns all that is in it.
  learn(element) {
    const style = styleOf(element);
    const [ink, ground] = [style.color, style.backgroundColor];
    this.inks ??= new Set();
    this.grounds ??= new Set();
    if (this.inks.has(ink) && this.grounds.has(ground)) return true;
    this.inks.add(ink);
    this.grounds.add(ground);
    if (this.inks.size + this.grounds.size <= MOST_LEARNT)
      this.meant = worked(this.said, this.isShadow, this.inks, this.grounds);
    else this.meant = EVERYBODY;
    return true;
  }
}
const MOST_LEARNT = 60;

function isStyled(element) {
  const style = attr(element, 'style');
  return style !== null && STYLED.test(style)
    || hasAttr(element, 'bgcolor') || hasAttr(element, 'color') || hasAttr(element, 'text');
}

const bodyOf = getter(Document, 'body');
// Whether any element of a tree may have such attributes: `<font color>` and `<body text>` are what was before style sheets.
const hasStyled = (root) =>
  queryTree(root, '[style],[bgcolor]') !== null
  || nodeTypeOf(root) === 9
    && (withTag(root, 'font').length > 0 || hasAttr(bodyOf(root) ?? rootElementOf(root), 'text'));

// Those of a document or a shadow tree.
const suspectsIn = (root) => suspectsOf.of(root);
const suspectsOf = new OfTrees((root) => findSuspects(root));

const findSuspects = (root) => new Suspects(sheetsOf(root).map(saidIn), new Animated(root), nodeTypeOf(root) === 11);

const NOBODY = new Meant();
const EVERYBODY = Object.assign(new Meant(), { any: true });
const NOTHING_SAID = [];
const workedBefore = new WeakMap(); // by the last sheet: what the same sheets meant last time

let inPlainShadow = null; // in a shadow tree without style sheets

function meantBefore(said, isShadow) {
  if (said.length === 0)
    return isShadow ? inPlainShadow ??= worked(said, isShadow, NOTHING_SAID, NOTHING_SAID) : NOBODY;
  const last = said[said.length - 1];
  const known = workedBefore.get(last);
  if (
    known !== undefined && known.isShadow === isShadow && known.said.length === said.length
    && known.said.every((one, at) => one === said[at])
  )
    return known.meant;
  const meant = worked(said, isShadow, NOTHING_SAID, NOTHING_SAID);
  workedBefore.set(last, { said, isShadow, meant });
  return meant;
}

function worked(said, isShadow, ownInks, ownGrounds) {
  const all = new Said(0);
  for (const one of said) all.add(one);
  const grounds = distinct([
    ...all.grounds.map(([colour]) => colour),
    ...Array.from(ownGrounds, parsedColour),
    ...PLAIN_GROUNDS,
  ]);
  const inks = distinct([...all.inks.map(([colour]) => colour), ...Array.from(ownInks, parsedColour), ...PLAIN_INKS]);
  noteWhere(all.inks, (ink) => grounds.some((ground) => isLost(ink, ground)), all.always);
  noteWhere(all.grounds, (ground) => !isClear(ground) && inks.some((ink) => isLost(ink, ground)), all.always);
  if (isShadow) all.always.attributes.add('part'); // the rules for it are in the tree around
  const { any, classes, ids, tags, attributes } = all.always;
  return any || classes.size + ids.size + tags.size + attributes.size > 0 ? all.always : NOBODY;
}

const PLAIN_GROUNDS = ['#fff', '#121212'].map(parsedColour);
const PLAIN_INKS = ['#000', '#fff', '#00e', '#551a8b'].map(parsedColour); // of text and links that no rule speaks of

const distinct = (colours) => [
  ...new Map(colours.filter((colour) => colour !== null && !isClear(colour)).map((colour) => [colour.join(), colour]))
    .values(),
];

// The rules whose colour does that, or is not known before an element is asked.
function noteWhere(rules, does, meant) {
  const answers = new Map();
  for (const [colour, selector, outer] of rules) {
    const key = colour === null ? '' : colour.join();
    if (!answers.has(key)) answers.set(key, colour === null || does(colour));
    if (answers.get(key)) meant.note(selector, outer);
  }
}

// What a script or a rule animates now, or has brought to a lasting end, in one tree.
//
// Before Chromium lists what is animated in a tree it looks twice whether the style of the page still holds, which takes as long as
// asking two dozen elements. Frames and shadow trees are many and small: there the first elements are asked by themselves.
class Animated {
  constructor(root) {
    this.root = root;
    this.single = root === document ? 0 : ASKED_SINGLY;
    this.targets = undefined; // null where there are none
  }

  has(element) {
    if (this.targets === undefined) {
      if (this.single-- > 0) return animationsOn(element).length > 0;
      this.targets = animatedIn(this.root);
    }
    return this.targets !== null && this.targets.has(element);
  }

  get isNobody() {
    if (this.targets === undefined) this.targets = animatedIn(this.root);
    return this.targets === null;
  }
}
const ASKED_SINGLY = 12;

function animatedIn(root) {
  if (nodeTypeOf(root) !== 9 && nodeTypeOf(root) !== 11) return null;
  const animations = nodeTypeOf(root) === 9 ? animationsOf(root) : animationsInShadow(root);
  return animations.length === 0 ? null : new Set(animations.map((animation) => animation.effect?.target));
}
const callAnimationsOn = Element.prototype.getAnimations;
const animationsOn = (element) => callAnimationsOn.call(element);
const animationsOf = lateMethod('Document', 'getAnimations');
const animationsInShadow = lateMethod('ShadowRoot', 'getAnimations');

// How an element is seen whose surroundings are seen as `outer`. `tag`: with the element's name.
function sightOf(element, tag, plain, outer, suspects) {
  if (outer === GONE) return GONE;
  if (outer === CLIPPED) return isOutOfClip(element) ? judged(element) : CLIPPED;
  const isAsked = outer === FAINT || suspects !== null && suspects.has(element, tag, plain)
    || shadowRootOf(element) !== null;
  return isAsked ? judged(element) : SEEN;
}

const isOutOfClip = (element) => /^(?:absolute|fixed)$/.test(styleOf(element).position);

// The same for an element by itself: what its ancestors do to it is asked, too.
function sightWithin(element) {
  const path = [element];
  for (let parent = parentOf(element); parent; parent = parentOf(parent)) path.push(parent);
  let sight = SEEN;
  for (const each of path.reverse())
    sight = sightOf(each, { name: localNameOf(each) }, false, sight, suspectsIn(treeOf(each)));
  return sight;
}

// Whether an element by itself hides what is in it, wherever it is.
function isUnseen(element) {
  const suspects = suspectsIn(treeOf(element));
  return suspects.has(element, { name: localNameOf(element) }, false) && judged(element) !== SEEN;
}

function judged(element) {
  const style = styleOf(element);
  if (style.display === 'contents') return isFaint(element, style) ? FAINT : SEEN;
  if (parseFloat(style.opacity) < FAINTEST || /opacity\(0(?:\.0\d*)?%?\)/.test(style.filter)) return GONE;
  const box = rectOf(element);
  if (isCutAway(style, box)) return GONE;
  if (isOfNoSize(element, style, box))
    return style.position === 'static' && style.transform === 'none' ? CLIPPED : GONE;
  if (isFlattened(style, box) || isBeyondEdges(element, style, box)) return GONE;
  return isFaint(element, style) ? FAINT : SEEN;
}

// A box of a pixel that cuts off what is in it: what is for screen readers only is mostly made so.
function isOfNoSize(element, style, box) {
  if (style.display === 'inline' || localNameOf(element) === 'body' || localNameOf(element) === 'html') return false;
  return style.overflowX !== 'visible' && box.width <= 1 || style.overflowY !== 'visible' && box.height <= 1;
}

const isFlattened = (style, box) =>
  (box.width < 1 || box.height < 1) && (style.transform !== 'none' || style.scale !== 'none' || style.rotate !== 'none')
  || parseFloat(style.zoom) < 0.1;

function isCutAway(style, box) {
  if (style.clip !== 'auto' && style.position !== 'static' && style.position !== 'relative') {
    const [top, right, bottom, left] = style.clip.match(/-?[\d.]+(?=px)|auto/g) ?? [];
    if (Number(right) - Number(left) <= 1 || Number(bottom) - Number(top) <= 1) return true;
  }
  return style.clipPath !== 'none' && isNoShape(style.clipPath, box);
}

function isNoShape(shape, box) {
  if (/^(?:circle|ellipse)\(0(?:px|%)?[ )]|^(?:circle|ellipse)\([^)]*? 0(?:px|%) at/.test(shape)) return true;
  const inside = /^(inset|rect|xywh|polygon)\(([^)]*)\)/.exec(shape);
  if (inside === null) return false;
  const size = (word, whole) => word.endsWith('%') ? parseFloat(word) * whole / 100 : parseFloat(word);
  if (inside[1] === 'inset') {
    const [top, right = top, bottom = top, left = right] = inside[2].split(' round')[0].trim().split(/\s+/);
    return size(top, box.height) + size(bottom, box.height) >= box.height - 1
      || size(left, box.width) + size(right, box.width) >= box.width - 1;
  }
  if (inside[1] === 'polygon') {
    const points = inside[2].split(',').map((point) => point.trim().split(/\s+/).slice(-2));
    const spread = (at, whole) => {
      const places = points.map((point) => size(point[at] ?? '0', whole));
      return Math.max(...places) - Math.min(...places);
    };
    return spread(0, box.width) <= 1 || spread(1, box.height) <= 1;
  }
  return false;
}

// Beyond the edges to which a person can scroll.
function isBeyondEdges(element, style, box) {
  if (box.width === 0 && box.height === 0) return false;
  const view = windowOf(documentOf(element));
  const isBeyondView = box.right <= 0 || box.bottom <= 0 || box.left >= view.innerWidth || box.top >= view.innerHeight;
  return isBeyondView && (style.position === 'fixed' || isBeyondPage(element, box, view));
}

const scrollLeftOf = getter(Element, 'scrollLeft');
const scrollTopOf = getter(Element, 'scrollTop');
const pageOf = getter(Document, 'scrollingElement');
function isBeyondPage(element, box, view) {
  const root = rootElementOf(view.document);
  const page = pageOf(view.document) ?? root;
  let [x, y] = [view.scrollX, view.scrollY];
  for (let parent = parentOf(element); parent && parent !== root && parent !== page; parent = parentOf(parent)) {
    if (styleOf(parent).position === 'fixed') return false;
    x += scrollLeftOf(parent);
    y += scrollTopOf(parent);
  }
  const first = styleOf(root).direction === 'rtl' ? Math.min(view.innerWidth - page.scrollWidth, 0) : 0;
  return box.right + x <= first || box.bottom + y <= 0
    || box.left + x >= first + Math.max(page.scrollWidth, view.innerWidth);
}

// Whether the text right inside an element cannot be read: too small, moved out of its line, or without colour.
function isFaint(element, style) {
  if (parseFloat(style.fontSize) < SMALLEST) return true;
  if (style.textIndent !== '0px' && isIndentedAway(element, style)) return true;
  return isColourless(element, style);
}

const newRange = method(Document, 'createRange');
function isIndentedAway(element, style) {
  if (!isFar(style.textIndent)) return false;
  const box = wordsBox(element);
  if (box === null || box.width === 0) return false;
  const around = rectOf(element);
  const isOutside = box.right <= around.left || box.left >= around.right;
  return isOutside && (style.overflowX !== 'visible' || isBeyondEdges(element, style, box));
}

function wordsBox(element) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (!isText(child) || dataOf(child).trim() === '') continue;
    const range = newRange(documentOf(element));
    range.selectNodeContents(child);
    return range.getBoundingClientRect();
  }
  return null;
}

function isColourless(element, style) {
  const ink = parsedColour(style.webkitTextFillColor);
  if (ink === null || style.textShadow !== 'none' || parseFloat(style.webkitTextStrokeWidth) > 0) return false;
  if (isClear(ink)) return !isFilledByGround(element);
  const ground = groundOf(element);
  return ground !== null && isLost(ink, ground) && !isPaintedBehind(element, wordsBox(element), ink);
}

// Letters cut out of a picture or a gradient.
function isFilledByGround(element) {
  for (let each = element; each; each = parentOf(each)) if (/text/.test(styleOf(each).backgroundClip)) return true;
  return false;
}

// How many characters there are to be read in a text.
const lengthOf = (text) => text.trim().replace(/\s+/g, ' ').length;

export { hasStyled, isUnseen, lengthOf, SEEN, sightOf, sightWithin, suspectsIn };
