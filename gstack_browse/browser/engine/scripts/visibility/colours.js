// Colours of text and of the background behind it, as far as styles tell.

import {
  containsNode,
  documentOf,
  localNameOf,
  queryInDocument,
  rectOf,
  rootElementOf,
  styleOf,
  windowOf,
} from '../dom/accessors.js';
import { exported, parentOf, PerCallCache } from '../dom/dom.js';
import { mayHaveGeneratedContent } from './style-sheets.js';

const MAX_INDISTINGUISHABLE = 12; // difference of 255 in red, green or blue that nobody sees
const TRANSPARENT_BELOW = 0.05; // opacity
const MAX_CACHED_COLOURS = 2000;

const parsed = new Map();
/** Return a CSS colour as [red, green, blue, opacity], 0–255 and 0–1; null for an invalid one, and for one with a variable. Cached. */
export function parseColour(text) {
  let colour = parsed.get(text);
  if (colour === undefined) {
    if (parsed.size > MAX_CACHED_COLOURS) parsed.clear();
    parsed.set(text, colour = parseColourUncached(text));
  }
  return colour;
}

exported.parseColour = parseColour;

/** Compute the result of `parseColour`, [red, green, blue, opacity] or null, without its cache. */
function parseColourUncached(text) {
  const plain = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text);
  if (plain !== null) return [...plain.slice(1, 4).map(Number), Number(plain[4] ?? 1)];
  return KNOWN_COLOURS.get(text) ?? paintColour(text);
}

// The most usual names, since others need a canvas.
const KNOWN_COLOURS = new Map(Object.entries({
  white: [255, 255, 255, 1],
  black: [0, 0, 0, 1],
  transparent: [0, 0, 0, 0],
  red: [255, 0, 0, 1],
  green: [0, 128, 0, 1],
  blue: [0, 0, 255, 1],
  gray: [128, 128, 128, 1],
  grey: [128, 128, 128, 1],
}));

let canvas = null;
/** Convert a CSS colour such as `oklch(…)` to [red, green, blue, opacity] by painting it on a canvas; null for an invalid one. */
function paintColour(text) {
  if (text.includes('var(') || !CSS.supports('color', text)) return null;
  canvas ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = text;
  canvas.fillRect(0, 0, 1, 1);
  const [red, green, blue, opacity] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, Math.round(opacity / 2.55) / 100];
}

/** Return whether a colour [red, green, blue, opacity] is transparent, or nearly so. */
export const isTransparent = (colour) => colour[3] < TRANSPARENT_BELOW;

/** Return whether text of one colour cannot be seen on a background of another; both as [red, green, blue, opacity]. */
export const isIndistinguishable = (textColour, background) =>
  Math.max(
        Math.abs(textColour[0] - background[0]),
        Math.abs(textColour[1] - background[1]),
        Math.abs(textColour[2] - background[2]),
      ) * textColour[3] <= MAX_INDISTINGUISHABLE;

/**
 * Return the colour [red, green, blue, opacity] behind the content of an element; null if pictures, gradients or blend modes make it
 * unknown. Cached.
 */
export const backgroundOf = (element) => backgrounds.of(element);
const backgrounds = new PerCallCache((element) => computeBackground(element));

/** Compute the result of `backgroundOf`, the colour behind an element's content or null, without its cache. */
function computeBackground(element) {
  const style = styleOf(element);
  if (style.backgroundImage !== 'none' || style.mixBlendMode !== 'normal') return null;
  const own = parseColour(style.backgroundColor);
  if (own === null || own[3] > 0.99) return own;
  const parent = parentOf(element);
  const below = parent ? backgroundOf(parent) : backgroundOfDocument(element);
  return below === null || isTransparent(own) ? below : blendColours(own, below);
}

/** Return the opaque colour that results from a partly transparent colour over another; colours are [red, green, blue, opacity]. */
const blendColours = (over, below) => [
  ...[0, 1, 2].map((part) => over[part] * over[3] + below[part] * (1 - over[3])),
  1,
];

/**
 * Return the colour [red, green, blue, opacity] behind the whole document of an element: that of its iframe, else white, or dark in a dark
 * colour scheme. Null in an iframe of another origin.
 */
function backgroundOfDocument(element) {
  const view = windowOf(documentOf(element));
  try {
    if (view.frameElement) return backgroundOf(view.frameElement);
  } catch {
    return null; // of another origin
  }
  if (view !== view.parent) return null;
  const isDark = styleOf(rootElementOf(view.document)).colorScheme.includes('dark')
    && view.matchMedia('(prefers-color-scheme: dark)').matches;
  return isDark ? DARK : WHITE;
}
const WHITE = [255, 255, 255, 1];
const DARK = [18, 18, 18, 1];

/**
 * Return whether something that is no ancestor, such as a picture or a layer of another colour than the text, lies at the centre of the
 * text of an element, so that it may be readable. `box`: of the text; null gives false. `textColour`: [red, green, blue, opacity] of the
 * text. True in a document of too many elements to look.
 */
export function isPaintedBehind(element, box, textColour) {
  if (box === null) return false;
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const painters = paintersIn.of(documentOf(element));
  return painters === null
    || painters.some(({ painter, colour, area, isPseudo }) =>
      area.left <= x && x <= area.right && area.top <= y && y <= area.bottom
      && !(colour !== null && isIndistinguishable(textColour, colour)) && (isPseudo || !containsNode(painter, element))
    );
}
const paintersIn = new PerCallCache((root) => findPainters(root));

const MAX_PAINTED_ELEMENTS = 20000;
const PAINTED_TAGS = new Set('img video canvas svg object embed iframe input'.split(' '));

/**
 * Return all elements of a document that have a background or are a picture: [{ painter, colour (null for a picture), area (its box),
 * isPseudo }]. `isPseudo`: `::before` or `::after` paints it, so it may lie behind the element's own text. Null if the document has too
 * many elements.
 */
function findPainters(root) {
  const elements = queryInDocument(root, '*');
  if (elements.length > MAX_PAINTED_ELEMENTS) return null;
  const found = [];
  for (const painter of elements) {
    const style = styleOf(painter);
    const colour = paintOf(style);
    if (PAINTED_TAGS.has(localNameOf(painter)))
      found.push({ painter, colour: null, area: rectOf(painter), isPseudo: false });
    else if (colour !== undefined) found.push({ painter, colour, area: rectOf(painter), isPseudo: false });
    if (!mayHaveGeneratedContent(painter)) continue;
    for (const place of ['::before', '::after']) {
      const generated = styleOf(painter, place);
      const paint = generated.content === 'none' ? undefined : paintOf(generated);
      if (paint !== undefined) found.push({ painter, colour: paint, area: rectOf(painter), isPseudo: true });
    }
  }
  return found;
}

/**
 * Return the background colour of a computed style as [red, green, blue, opacity]; null for a picture, gradient or unknown colour,
 * undefined if it is transparent.
 */
function paintOf(style) {
  if (style.backgroundImage !== 'none') return null;
  const colour = parseColour(style.backgroundColor);
  return colour === null || !isTransparent(colour) ? colour : undefined;
}
