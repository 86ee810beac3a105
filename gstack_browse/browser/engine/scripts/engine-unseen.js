// Rendered text that nobody can see: transparent, of no size, cut off, out of reach, or of the colour of its ground.
//
// Style sheets and attributes say which elements may have such text (engine-suspects.js); only these are asked for their style
// and their box. On most pages there are none. In doubt text is seen.

import {
  dataOf,
  documentOf,
  firstChildOf,
  getter,
  localNameOf,
  method,
  rectOf,
  rootElementOf,
  windowOf,
} from './engine-accessors.js';
import { isText, parentOf, shadowRootOf, siblingsFrom, treeOf } from './engine-dom.js';
import { styleOf } from './engine-hidden.js';
import { groundOf, isClear, isLost, isPaintedBehind, parsedColour } from './engine-colours.js';
import { FAINTEST, isFar, SMALLEST, suspectsIn } from './engine-suspects.js';

const SEEN = 0;
const FAINT = 1; // the text right inside cannot be read; of the elements inside each is asked
const GONE = 2; // nothing inside can be seen
const CLIPPED = 3; // the same, but for what is positioned out of it

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

export { isUnseen, lengthOf, SEEN, sightOf, sightWithin };
