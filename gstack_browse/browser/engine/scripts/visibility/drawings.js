// SVG drawings: which of their text is visible, text that a `<use>` draws, and shapes with a listener.

import {
  childElementCountOf,
  containsNode,
  localNameOf,
  makeGetter,
  namespaceOf,
  parentElementOf,
  parentNodeOf,
  rectOf,
  rootOf,
  styleOf,
  textContentOf,
} from '../dom/accessors.js';
import { attr, cleanText, HTML, isElement, queryOneIn, SVG } from '../dom/dom.js';
import { backgroundOf, isIndistinguishable, isTransparent, parseColour } from './colours.js';
import { MIN_FONT_PIXELS, MIN_OPACITY } from './hidden.js';

// Elements that may also be hidden by attributes such as `fill` and `opacity`. They are rare, so each is checked.
export const SVG_TEXT_TAGS = new Set(['text', 'tspan', 'textPath']);
const MAX_USE_LEVELS = 5; // of a `<use>` that draws another one
const MAX_USE_PARTS = 100;
const MAX_USE_TEXT = 2000;

/** Return whether an element is a text element of SVG. */
export const isSvgText = (element) => SVG_TEXT_TAGS.has(localNameOf(element)) && namespaceOf(element) !== HTML;

/**
 * Return whether SVG text is invisible: too small, outside of its drawing, or without colour. `style`, `box`: computed style and box of the
 * element. Opacity, filters and masks are checked by `computeOwnTextVisibility`.
 */
export function isSvgTextInvisible(element, style, box) {
  if (box.width < 1 || box.height < 1 || parseFloat(style.fontSize) < MIN_FONT_PIXELS) return true;
  return isOutsideSvg(element, box) || hasNoVisibleColour(element, style, box);
}

const drawingOf = makeGetter(SVGElement, 'ownerSVGElement');
/** Return whether SVG text lies outside of an `<svg>` around it, which clips it. `box`: of the text. */
function isOutsideSvg(element, box) {
  for (let drawing = drawingOf(element); drawing; drawing = drawingOf(drawing)) {
    const area = rectOf(drawing);
    const isOutside = box.right <= area.left || box.left >= area.right || box.bottom <= area.top
      || box.top >= area.bottom || area.width < 1 || area.height < 1;
    if (isOutside && styleOf(drawing).overflowX !== 'visible') return true;
  }
  return false;
}

const SHAPES = 'rect,path,circle,ellipse,polygon,polyline,line,image,foreignObject,use';

/**
 * Return whether SVG text has no colour, or the colour of its background and no shape behind it. `style`, `box`: computed style and box of
 * the text.
 */
function hasNoVisibleColour(element, style, box) {
  const [fill, stroke] = [
    paintColourOf(style.fill, style.fillOpacity),
    paintColourOf(style.stroke, style.strokeOpacity),
  ];
  if (fill === null && stroke === null) return true;
  const drawing = drawingOf(element);
  if (fill === NO_PLAIN_COLOUR || stroke !== null || !drawing) return false;
  const background = backgroundOf(drawing);
  if (background === null || !isIndistinguishable(fill, background)) return false;
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  return ![...drawing.querySelectorAll(SHAPES)].some((shape) => {
    const area = rectOf(shape);
    return area.left <= x && x <= area.right && area.top <= y && y <= area.bottom;
  });
}

const NO_PLAIN_COLOUR = [];
/**
 * Return the colour [red, green, blue, opacity] of an SVG `fill` or `stroke`; null for none or a transparent one, NO_PLAIN_COLOUR for a
 * gradient or pattern. `paint`, `opacity`: the values of the two CSS properties.
 */
function paintColourOf(paint, opacity) {
  if (paint === 'none' || parseFloat(opacity) < MIN_OPACITY) return null;
  const colour = parseColour(paint);
  return colour === null ? NO_PLAIN_COLOUR : isTransparent(colour) ? null : colour;
}

// Elements whose content is drawn only if a `<use>` refers to it.
const SVG_TEMPLATES = 'defs,symbol';

/**
 * Return the text that a `<use>` of SVG draws from a `<symbol>` or `<defs>`; "" if its target is displayed itself. `levels`: how many
 * nested ones are followed; `known`: the texts so far, by reference such as "#icon", since nested ones of a hostile page grow
 * exponentially.
 */
export function textDrawnByUse(use, levels = MAX_USE_LEVELS, known = new Map()) {
  const name = attr(use, 'href') ?? attr(use, 'xlink:href') ?? '';
  if (!name.startsWith('#') || levels === 0) return '';
  let words = known.get(name);
  if (words === undefined) known.set(name, words = textOfUseTarget(use, name, levels, known));
  return words;
}

/**
 * Return the visible text of the element that a `<use>` of SVG draws. `name`: its reference, such as "#icon"; `levels`, `known`: see
 * `textDrawnByUse`.
 */
function textOfUseTarget(use, name, levels, known) {
  const target = queryOneIn(rootOf(use), `#${CSS.escape(name.slice(1))}`);
  if (target === null || target.closest(SVG_TEMPLATES) === null || containsNode(target, use)) return '';
  const parts = [...target.matches('text,use') ? [target] : [], ...target.querySelectorAll('text,use')];
  const words = parts.slice(0, MAX_USE_PARTS).map((part) =>
    !isVisibleIn(part, target)
      ? ''
      : localNameOf(part) === 'use'
      ? textDrawnByUse(part, levels - 1, known)
      : textContentOf(part)
  );
  return cleanText(words.join(' ')).slice(0, MAX_USE_TEXT);
}

/** Return whether the styles of an element and its ancestors up to `top` leave it visible. For content of a `<use>`, which has no box. */
function isVisibleIn(element, top) {
  const own = styleOf(element);
  if (own.visibility !== 'visible' || parseFloat(own.fontSize) < MIN_FONT_PIXELS) return false;
  if (paintColourOf(own.fill, own.fillOpacity) === null && paintColourOf(own.stroke, own.strokeOpacity) === null)
    return false;
  let opacity = 1;
  for (let each = element; each; each = each === top ? null : parentElementOf(each)) {
    const style = styleOf(each);
    if (each !== top && style.display === 'none') return false;
    opacity *= parseFloat(style.opacity);
  }
  return opacity >= MIN_OPACITY;
}

const MAX_LISTED_SHAPES = 3;
const MAX_FEW_SHAPES = 9; // so many siblings are all listed: they may be the squares of a small board

/** Counts SVG shapes that have only a listener, such as the bars of a chart. Of many equal ones in one parent only three are listed. */
export class ListeningShapes {
  constructor() {
    this.skipped = 0;
    this.groups = new Map(); // parent → kind → number of shapes
  }

  /**
   * Count a shape without name and pointer cursor. Return whether its line is to be left out, since three equal siblings are listed
   * already. `hint`: the hint of its line, or undefined.
   */
  skipIfRepeated(element, hint) {
    if (namespaceOf(element) !== SVG) return false;
    const parent = parentNodeOf(element);
    if (!isElement(parent) || childElementCountOf(parent) <= MAX_FEW_SHAPES) return false;
    const kinds = this.groups.get(parent) ?? new Map();
    const kind = `${hint?.[1] ?? ''} ${attr(element, 'class') ?? ''}`;
    const before = kinds.get(kind) ?? 0;
    this.groups.set(parent, kinds.set(kind, before + 1));
    if (before < MAX_LISTED_SHAPES) return false;
    this.skipped++;
    return true;
  }
}
