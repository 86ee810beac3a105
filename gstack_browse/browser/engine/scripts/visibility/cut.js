// Finds styles that hide a whole element with all its content: opacity, filters, masks, clips, boxes of no size, transforms.

import { dataOf, documentOf, localNameOf, offsetHeightOf, offsetWidthOf, rectOf } from '../dom/accessors.js';
import { childrenOf, isElement, isText, parentOf, queryTree } from '../dom/dom.js';
import { settledStyle } from './animations.js';
import { isClear, parsedColour } from './colours.js';
import { styleOf } from './hidden.js';

export const FAINTEST = 0.05; // of opacity
export const SMALLEST = 2; // pixels of a font
const CLIPS = /paint|strict|content/; // of `contain`

/** How much of an element is let through by itself and what is around it. */
export function opacityOf(element) {
  let opacity = 1;
  for (let each = element; each; each = parentOf(each)) opacity *= parseFloat(settledStyle(each).opacity);
  return opacity;
}

/** Made transparent by a filter, or blurred by half a letter. */
export function isFilteredAway({ filter, fontSize }) {
  if (filter === 'none') return false;
  if (/opacity\(0(?:\.0\d*)?%?\)/.test(filter)) return true;
  const blur = /blur\(([\d.]+)px\)/.exec(filter);
  return blur !== null && Number(blur[1]) >= Math.max(parseFloat(fontSize) / 2, 4);
}

/** A mask that lets nothing through: without colour, without size, or one that is not there. */
export function isMaskedAway(element, style) {
  const image = style.maskImage;
  if (image === 'none') return false;
  if (style.maskSize.split(',').every((size) => /^0(?:px|%)|(?:^|\s)0(?:px|%)$/.test(size.trim()))) return true;
  const meant = referredTo(element, image);
  if (meant !== undefined) return meant === null || !meant.firstElementChild;
  const colours = image.match(/(?:rgba?|color|okl..|l..|hsla?)\([^()]*\)/g);
  return !image.includes('url(') && colours !== null && colours.map(parsedColour).every((one) => one && isClear(one));
}

/** The element that a style refers to in its own document: null if it is missing, undefined if the style refers to none. */
function referredTo(element, value) {
  const reference = /^url\("?#([^")]*)"?\)$/.exec(value);
  return reference === null ? undefined : queryTree(documentOf(element), `#${CSS.escape(reference[1])}`);
}

/** A box of a pixel that cuts off what is in it: what is for screen readers only is mostly made so. */
export function isOfNoSize(element, style, box) {
  if (style.display === 'inline' || localNameOf(element) === 'body' || localNameOf(element) === 'html') return false;
  if (style.display.endsWith('grid') && box.height <= 1 && isFolded(element)) return true;
  const clips = CLIPS.test(style.contain);
  const padding = style.paddingBottom === '0px' ? parseFloat(style.paddingTop) : 0; // what is in the box begins below
  return (clips || style.overflowX !== 'visible') && box.width <= 1
    || (clips || style.overflowY !== 'visible') && box.height - padding <= 1;
}

/** A grid whose one row has no height, as accordions are closed: what is in it cuts off all it has. */
function isFolded(grid) {
  for (const child of childrenOf(grid)) {
    if (isText(child) && dataOf(child).trim() !== '') return false;
    if (isElement(child) && (styleOf(child).overflowY === 'visible' || rectOf(child).height > 1)) return false;
  }
  return true;
}

const SCALED = 0.125; // at which letters of the usual size have two pixels

export function isFlattened(element, style, box) {
  if (parseFloat(style.zoom) < 0.1 || style.backfaceVisibility === 'hidden' && isTurnedAway(element)) return true;
  if (style.transform === 'none' && style.scale === 'none' && style.rotate === 'none') return false;
  if (box.width < 1 || box.height < 1) return isFlat(element, style, box);
  const laidOut = Math.max(offsetWidthOf(element), offsetHeightOf(element));
  return Math.max(box.width, box.height) <= laidOut * SCALED;
}

/** Flat by its transform, and not only because its box has no height to begin with: what is in such a box is drawn below it. */
function isFlat(element, style, box) {
  const { offsetWidth, offsetHeight } = element;
  if (offsetWidth >= 1 && box.width < 1 || offsetHeight >= 1 && box.height < 1) return true;
  const { m11, m12, m21, m22 } = turned(style);
  return Math.abs(m11 * m22 - m12 * m21) < 0.001 || style.scale.split(' ').some((part) => parseFloat(part) === 0);
}

/** Whether the back of an element is turned to the viewer, by itself and by those around that share its space. */
function isTurnedAway(element) {
  let matrix = new DOMMatrix();
  for (let each = element; each; each = parentOf(each)) {
    const style = styleOf(each);
    if (each !== element && style.transformStyle !== 'preserve-3d') break;
    matrix = turned(style).multiply(matrix);
  }
  return matrix.m11 * matrix.m22 - matrix.m12 * matrix.m21 < 0;
}

function turned(style) {
  const matrix = style.transform === 'none' ? new DOMMatrix() : new DOMMatrix(style.transform);
  const turn = /^(?:([xyz]|[-\d.e]+ [-\d.e]+ [-\d.e]+) )?([-\d.e]+)deg$/.exec(style.rotate);
  if (turn === null) return matrix;
  const axis = { x: [1, 0, 0], y: [0, 1, 0] }[turn[1]]
    ?? (turn[1]?.includes(' ') ? turn[1].split(' ').map(Number) : [0, 0, 1]);
  return new DOMMatrix().rotateAxisAngle(...axis, Number(turn[2])).multiply(matrix);
}

export function isCutAway(element, style, box) {
  if (style.clip !== 'auto' && style.position !== 'static' && style.position !== 'relative') {
    const [top, right, bottom, left] = style.clip.match(/-?[\d.]+(?=px)|auto/g) ?? [];
    if (Number(right) - Number(left) <= 1 || Number(bottom) - Number(top) <= 1) return true;
  }
  if (style.clipPath === 'none') return false;
  const shape = referredTo(element, style.clipPath); // one that is not there cuts nothing
  return shape ? !shape.firstElementChild : isNoShape(style.clipPath, box);
}

function isNoShape(shape, box) {
  if (/^(?:circle|ellipse)\(0(?:px|%)?[ )]|^(?:circle|ellipse)\([^)]*? 0(?:px|%) at/.test(shape)) return true;
  const inside = /^(inset|rect|xywh|polygon|path)\(([^)]*)\)/.exec(shape);
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
  if (inside[1] !== 'path') return false;
  const places = (inside[2].match(/-?[\d.]+/g) ?? ['0']).map(Number);
  return Math.max(...places) - Math.min(...places) <= 1;
}
