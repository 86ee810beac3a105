// Which elements are hidden: by display, visibility, inert, aria-hidden, closed details; and by styles that hide an element with all its
// content: opacity, filters, masks, clips, boxes without size, transforms.

import {
  closest,
  dataOf,
  documentOf,
  innerTextOf,
  isRendered,
  localNameOf,
  makeLateGetter,
  namespaceOf,
  offsetHeightOf,
  offsetWidthOf,
  rectOf,
  styleOf,
  textContentOf,
  WITH_VISIBILITY,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  hasAttr,
  hasShadowTrees,
  HTML,
  imageOfArea,
  isElement,
  isText,
  parentOf,
  queryOneIn,
  SVG,
} from '../dom/dom.js';
import { isRenderedOnceSettled, settledStyle } from './animations.js';
import { isTransparent, parseColour } from './colours.js';

/**
 * Return how much of an element `display` and `visibility` hide: "all", "text" (its own text, while child elements may be visible), or ""
 * for nothing.
 */
export function hiddenExtent(element) {
  if (isRendered.call(element, WITH_VISIBILITY)) return '';
  const style = styleOf(element);
  if (style.display === 'none') return isAreaOfShownImage(element) ? '' : 'all';
  if (style.display === 'contents')
    return isParentDisplayed(element) ? style.visibility === 'visible' ? '' : 'text' : 'all';
  if (style.visibility !== 'visible')
    return isRenderedOnceSettled(element) ? '' : isRendered.call(element) ? 'text' : 'all';
  return isAreaOrOption(element) ? '' : 'all';
}

/** Return whether a `<g>` of SVG has `display: none`; Chromium's `checkVisibility` returns true for elements in it. */
export const isHiddenSvgGroup = (group) => styleOf(group).display === 'none';
const SVG_TEMPLATE_TAGS = new Set(['defs', 'symbol', 'clipPath']);
/**
 * Return whether an element is in a part of an SVG drawing that is not displayed: a hidden group, or `<defs>` or `<symbol>`, which only a
 * `<use>` draws.
 */
export function isInHiddenSvgPart(element) {
  if (namespaceOf(element) !== SVG && closest(element, 'foreignObject') === null) return false;
  for (let each = element; each !== null; each = parentOf(each)) {
    const name = namespaceOf(each) === SVG ? localNameOf(each) : '';
    if (SVG_TEMPLATE_TAGS.has(name) || name === 'g' && isHiddenSvgGroup(each)) return true;
  }
  return false;
}

/** Return "all" if its style hides an `<option>`, else "". `hiddenExtent` cannot tell, since an option of a closed list has no box. */
export function hiddenExtentOfOption(option) {
  const style = styleOf(option);
  return style.display === 'none' || style.visibility !== 'visible' ? 'all' : '';
}

const SPACE = /\s+/g;
/**
 * Return whether all text of an element is displayed: `innerText` equals `textContent` but for white space. One call costs a tenth of
 * checking each element in it. If true, no element with text in it is hidden, except options and elements with `display: contents`.
 */
export function displaysAllText(element) {
  if (hasShadowTrees || namespaceOf(element) !== HTML) return false;
  const text = textContentOf(element).replace(SPACE, '');
  return text !== '' && innerTextOf(element).replace(SPACE, '') === text;
}

/** Return whether an element is an `<area>`, `<option>` or `<optgroup>`, which can be used without a box. */
function isAreaOrOption(element) {
  const name = localNameOf(element);
  return name === 'area' || name === 'option' || name === 'optgroup';
}

const naturalWidthOf = makeLateGetter('HTMLImageElement', 'naturalWidth');
/** Return whether an element is an `<area>` whose image is displayed. */
function isAreaOfShownImage(element) {
  const image = localNameOf(element) === 'area' ? imageOfArea(element) : null;
  return image !== null && naturalWidthOf(image) > 0 && isRendered.call(image, WITH_VISIBILITY);
}

/** Return whether the parent of an element is displayed; for a parent with `display: contents`, the nearest ancestor with a box. */
function isParentDisplayed(element) {
  const parent = parentOf(element);
  if (!parent) return true;
  const style = styleOf(parent);
  return style.display === 'contents' ? isParentDisplayed(parent) : style.display !== 'none' && isRendered.call(parent);
}

/**
 * Return whether an attribute of the element hides it from assistive technology, such as screen readers: `aria-hidden`, `inert` or
 * `hidden=until-found`.
 */
export function isHiddenByAttribute(element) {
  return attr(element, 'aria-hidden') === 'true' || hasAttr(element, 'inert')
    || attr(element, 'hidden') === 'until-found';
}

/** Return whether an element is hidden from the screen, or from assistive technology by an attribute, by itself or an ancestor. */
export function isHidden(element) {
  if (hiddenExtent(element) || isInHiddenSvgPart(element)) return true;
  if (isHiddenByAttribute(element)) return true;
  for (const ancestor of ancestorsOf(element)) if (isHiddenByAttribute(ancestor)) return true;
  return false;
}

// Styles that hide an element with all its content: opacity, filters, masks, clips, transforms.

export const MIN_OPACITY = 0.05; // less is invisible
export const MIN_FONT_PIXELS = 2; // smaller text cannot be read
const CLIPS = /paint|strict|content/; // of `contain`

/** Return the product of the opacities of an element and its ancestors at the end of their animations, 0 to 1. */
export function opacityOf(element) {
  let opacity = 1;
  for (let each = element; each; each = parentOf(each)) opacity *= parseFloat(settledStyle(each).opacity);
  return opacity;
}

/** Return whether the `filter` of a computed style makes an element transparent, or blurs it by half a letter or more. */
export function isFilteredAway({ filter, fontSize }) {
  if (filter === 'none') return false;
  if (/opacity\(0(?:\.0\d*)?%?\)/.test(filter)) return true;
  const blur = /blur\(([\d.]+)px\)/.exec(filter);
  return blur !== null && Number(blur[1]) >= Math.max(parseFloat(fontSize) / 2, 4);
}

/** Return whether the mask in the computed style of an element hides all of it: the mask is transparent, without size, empty or missing. */
export function isMaskedAway(element, style) {
  const image = style.maskImage;
  if (image === 'none') return false;
  if (style.maskSize.split(',').every((size) => /^0(?:px|%)|(?:^|\s)0(?:px|%)$/.test(size.trim()))) return true;
  const mask = elementOfUrl(element, image);
  if (mask !== undefined) return mask === null || !mask.firstElementChild;
  const colours = image.match(/(?:rgba?|color|okl..|l..|hsla?)\([^()]*\)/g);
  return !image.includes('url(') && colours !== null
    && colours.map(parseColour).every((one) => one && isTransparent(one));
}

/**
 * Return the element that a CSS value `url(#id)` names in the document of `element`: null if there is none, undefined if the value is no
 * such reference.
 */
function elementOfUrl(element, value) {
  const reference = /^url\("?#([^")]*)"?\)$/.exec(value);
  return reference === null ? undefined : queryOneIn(documentOf(element), `#${CSS.escape(reference[1])}`);
}

/**
 * Return whether an element clips all its content: it is at most a pixel wide or high, as pages hide text for screen readers, or is a
 * collapsed grid. `style`, `box`: computed style and box of the element.
 */
export function clipsAllContent(element, style, box) {
  if (style.display === 'inline' || localNameOf(element) === 'body' || localNameOf(element) === 'html') return false;
  if (style.display.endsWith('grid') && box.height <= 1 && isCollapsedGrid(element)) return true;
  const clips = CLIPS.test(style.contain);
  const padding = style.paddingBottom === '0px' ? parseFloat(style.paddingTop) : 0; // the content box begins below it
  return (clips || style.overflowX !== 'visible') && box.width <= 1
    || (clips || style.overflowY !== 'visible') && box.height - padding <= 1;
}

/** Return whether a grid is collapsed, as in a closed accordion: all its children clip their content and have no height. */
function isCollapsedGrid(grid) {
  for (const child of childrenOf(grid)) {
    if (isText(child) && dataOf(child).trim() !== '') return false;
    if (isElement(child) && (styleOf(child).overflowY === 'visible' || rectOf(child).height > 1)) return false;
  }
  return true;
}

const MIN_SCALE = 0.125; // makes letters of 16 pixels two pixels high

/**
 * Return whether a transform or zoom makes an element too small to be read, or shows its hidden back (`backface-visibility`). `style`,
 * `box`: computed style and box of the element.
 */
export function isFlattened(element, style, box) {
  if (parseFloat(style.zoom) < 0.1 || style.backfaceVisibility === 'hidden' && isTurnedAway(element)) return true;
  if (style.transform === 'none' && style.scale === 'none' && style.rotate === 'none') return false;
  if (box.width < 1 || box.height < 1) return isFlat(element, style, box);
  const laidOut = Math.max(offsetWidthOf(element), offsetHeightOf(element));
  return Math.max(box.width, box.height) <= laidOut * MIN_SCALE;
}

/**
 * Return whether a transform leaves an element without width or height. A box that has none before it does not count, since its content is
 * drawn below it. `style`, `box`: computed style and transformed box of the element.
 */
function isFlat(element, style, box) {
  const { offsetWidth, offsetHeight } = element;
  if (offsetWidth >= 1 && box.width < 1 || offsetHeight >= 1 && box.height < 1) return true;
  const { m11, m12, m21, m22 } = transformOf(style);
  return Math.abs(m11 * m22 - m12 * m21) < 0.001 || style.scale.split(' ').some((part) => parseFloat(part) === 0);
}

/** Return whether the back of an element faces the viewer, by its own transform and those of ancestors in the same 3D space. */
function isTurnedAway(element) {
  let matrix = new DOMMatrix();
  for (let each = element; each; each = parentOf(each)) {
    const style = styleOf(each);
    if (each !== element && style.transformStyle !== 'preserve-3d') break;
    matrix = transformOf(style).multiply(matrix);
  }
  return matrix.m11 * matrix.m22 - matrix.m12 * matrix.m21 < 0;
}

/** Return the properties `transform` and `rotate` of a computed style as one `DOMMatrix`. */
function transformOf(style) {
  const matrix = style.transform === 'none' ? new DOMMatrix() : new DOMMatrix(style.transform);
  const turn = /^(?:([xyz]|[-\d.e]+ [-\d.e]+ [-\d.e]+) )?([-\d.e]+)deg$/.exec(style.rotate);
  if (turn === null) return matrix;
  const axis = { x: [1, 0, 0], y: [0, 1, 0] }[turn[1]]
    ?? (turn[1]?.includes(' ') ? turn[1].split(' ').map(Number) : [0, 0, 1]);
  return new DOMMatrix().rotateAxisAngle(...axis, Number(turn[2])).multiply(matrix);
}

/** Return whether `clip` or `clip-path` clips away all of an element. `style`, `box`: computed style and box of the element. */
export function isClippedAway(element, style, box) {
  if (style.clip !== 'auto' && style.position !== 'static' && style.position !== 'relative') {
    const [top, right, bottom, left] = style.clip.match(/-?[\d.]+(?=px)|auto/g) ?? [];
    if (Number(right) - Number(left) <= 1 || Number(bottom) - Number(top) <= 1) return true;
  }
  if (style.clipPath === 'none') return false;
  const shape = elementOfUrl(element, style.clipPath); // a missing element cuts nothing
  return shape ? !shape.firstElementChild : isEmptyClipPath(style.clipPath, box);
}

/** Convert a CSS length such as "12px" or "50%" to pixels. `whole`: pixels that are 100 %. */
export const cssLengthInPixels = (word, whole) =>
  word.endsWith('%') ? parseFloat(word) * whole / 100 : parseFloat(word);

/**
 * Return whether a `clip-path` shape, such as `circle(0)`, encloses nothing, or at most a pixel. `box`: the element's box, for lengths in
 * per cent.
 */
function isEmptyClipPath(shape, box) {
  if (/^(?:circle|ellipse)\(0(?:px|%)?[ )]|^(?:circle|ellipse)\([^)]*? 0(?:px|%) at/.test(shape)) return true;
  const inside = /^(inset|rect|xywh|polygon|path)\(([^)]*)\)/.exec(shape);
  if (inside === null) return false;
  if (inside[1] === 'inset') {
    const [top, right = top, bottom = top, left = right] = inside[2].split(' round')[0].trim().split(/\s+/);
    return cssLengthInPixels(top, box.height) + cssLengthInPixels(bottom, box.height) >= box.height - 1
      || cssLengthInPixels(left, box.width) + cssLengthInPixels(right, box.width) >= box.width - 1;
  }
  if (inside[1] === 'polygon') {
    const points = inside[2].split(',').map((point) => point.trim().split(/\s+/).slice(-2));
    /** Return the distance in pixels between the outermost points along one axis (0: x, 1: y). `whole`: pixels that are 100 %. */
    const spread = (axis, whole) => {
      const positions = points.map((point) => cssLengthInPixels(point[axis] ?? '0', whole));
      return Math.max(...positions) - Math.min(...positions);
    };
    return spread(0, box.width) <= 1 || spread(1, box.height) <= 1;
  }
  if (inside[1] !== 'path') return false;
  const numbers = (inside[2].match(/-?[\d.]+/g) ?? ['0']).map(Number);
  return Math.max(...numbers) - Math.min(...numbers) <= 1;
}
