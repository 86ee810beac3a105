// Drawings (SVG): which of their words can be seen, those that a `<use>` draws, and shapes that merely listen.

import {
  childElementCountOf,
  containsNode,
  getter,
  localNameOf,
  namespaceOf,
  parentElementOf,
  parentNodeOf,
  rectOf,
  rootOf,
  textContentOf,
} from '../dom/accessors.js';
import { attr, cleanText, HTML, isElement, queryTree, SVG } from '../dom/dom.js';
import { backgroundOf, isIndistinguishable, isTransparent, parsedColour } from './colours.js';
import { FAINTEST, SMALLEST } from './cut.js';
import { styleOf } from './hidden.js';

// Hidden by attributes of their own, too (`fill`, `opacity`), and rare: each is asked.
export const DRAWN = new Set(['text', 'tspan', 'textPath']);
const MOST_LEVELS = 5; // of a `<use>` that draws another one
const MOST_PARTS = 100;
const MOST_CHARACTERS_DRAWN = 2000;

/** Whether an element is text of a drawing (SVG). */
export const isDrawn = (element) => DRAWN.has(localNameOf(element)) && namespaceOf(element) !== HTML;

/**
 * Whether the text of a drawing cannot be seen: too small, outside of its drawing, or without colour. Opacity, filters and masks are
 * asked elsewhere.
 */
export function isDrawnAway(element, style, box) {
  if (box.width < 1 || box.height < 1 || parseFloat(style.fontSize) < SMALLEST) return true;
  return isOutsideSvg(element, box) || hasNoVisibleColour(element, style, box);
}

const drawingOf = getter(SVGElement, 'ownerSVGElement');
/** Whether text lies outside of its `<svg>`, which cuts it off. */
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

/** Whether text has no colour, or that of the background, with no shape behind it. */
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
/** Return the colour of a `fill` or `stroke`; null for none, NO_PLAIN_COLOUR for a gradient or pattern. */
function paintColourOf(paint, opacity) {
  if (paint === 'none' || parseFloat(opacity) < FAINTEST) return null;
  const colour = parsedColour(paint);
  return colour === null ? NO_PLAIN_COLOUR : isTransparent(colour) ? null : colour;
}

// Elements that are drawn only if a `<use>` refers to them.
const NOWHERE_ELSE = 'defs,symbol';

/**
 * Return the text that a `<use>` draws and that is displayed nowhere else: of a `<symbol>` or in `<defs>`. Nested ones grow
 * exponentially in a hostile page, so each is computed once (`known`), to a depth of `levels`.
 */
export function wordsDrawnBy(use, levels = MOST_LEVELS, known = new Map()) {
  const name = attr(use, 'href') ?? attr(use, 'xlink:href') ?? '';
  if (!name.startsWith('#') || levels === 0) return '';
  let words = known.get(name);
  if (words === undefined) known.set(name, words = textOfUseTarget(use, name, levels, known));
  return words;
}

/** Return the visible text of the element that a `<use>` refers to. */
function textOfUseTarget(use, name, levels, known) {
  const meant = queryTree(rootOf(use), `#${CSS.escape(name.slice(1))}`);
  if (meant === null || meant.closest(NOWHERE_ELSE) === null || containsNode(meant, use)) return '';
  const parts = [...meant.matches('text,use') ? [meant] : [], ...meant.querySelectorAll('text,use')];
  const words = parts.slice(0, MOST_PARTS).map((part) =>
    !isVisibleIn(part, meant)
      ? ''
      : localNameOf(part) === 'use'
      ? wordsDrawnBy(part, levels - 1, known)
      : textContentOf(part)
  );
  return cleanText(words.join(' ')).slice(0, MOST_CHARACTERS_DRAWN);
}

/** Whether the styles of an element and its ancestors up to `top` show it: what is not drawn here has no box that could be asked. */
function isVisibleIn(element, top) {
  const own = styleOf(element);
  if (own.visibility !== 'visible' || parseFloat(own.fontSize) < SMALLEST) return false;
  if (paintColourOf(own.fill, own.fillOpacity) === null && paintColourOf(own.stroke, own.strokeOpacity) === null)
    return false;
  let opacity = 1;
  for (let each = element; each; each = each === top ? null : parentElementOf(each)) {
    const style = styleOf(each);
    if (each !== top && style.display === 'none') return false;
    opacity *= parseFloat(style.opacity);
  }
  return opacity >= FAINTEST;
}

// The shapes of a drawing that merely listen, as each bar of a chart does for its tooltip. Of many that say the same the rest is counted.

const LISTED_SHAPES = 3;
const FEW_SHAPES = 9; // siblings of which each is listed: the squares of a small board are what a person presses

/** Counts SVG shapes that merely listen, such as the bars of a chart. Of many alike in one parent only three are listed. */
export class Shapes {
  constructor() {
    this.counted = 0;
    this.groups = new Map(); // by what they are in: how many of each kind there are
  }

  /**
   * Whether three siblings like this shape, which has no name and no pointer cursor, are listed already. Then count it. `hint`: that
   * of its line.
   */
  isOneMore(element, hint) {
    if (namespaceOf(element) !== SVG) return false;
    const parent = parentNodeOf(element);
    if (!isElement(parent) || childElementCountOf(parent) <= FEW_SHAPES) return false;
    const kinds = this.groups.get(parent) ?? new Map();
    const kind = `${hint?.[1] ?? ''} ${attr(element, 'class') ?? ''}`;
    const met = kinds.get(kind) ?? 0;
    this.groups.set(parent, kinds.set(kind, met + 1));
    if (met < LISTED_SHAPES) return false;
    this.counted++;
    return true;
  }
}
