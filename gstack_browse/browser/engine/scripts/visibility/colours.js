// Colours of text and of what is behind it, as far as they can be told without a picture.

import {
  containsNode,
  documentOf,
  localNameOf,
  queryInDocument,
  rectOf,
  rootElementOf,
  windowOf,
} from '../dom/accessors.js';
import { parentOf, PerCallCache } from '../dom/dom.js';
import { mayHaveGeneratedContent } from '../dom/style-sheets.js';
import { styleOf } from './hidden.js';

const SAME = 12; // of 255: nobody tells such colours apart
const CLEAR = 0.05;
const MOST_COLOURS = 2000;

const parsed = new Map();
/** Return a CSS colour as [red, green, blue, opacity], 0–255 and 0–1; null where it depends on something else, such as a variable. */
export function parsedColour(text) {
  let colour = parsed.get(text);
  if (colour === undefined) {
    if (parsed.size > MOST_COLOURS) parsed.clear();
    parsed.set(text, colour = parseColour(text));
  }
  return colour;
}

/** Compute the answer of `parsedColour`. */
function parseColour(text) {
  const plain = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text);
  if (plain !== null) return [...plain.slice(1, 4).map(Number), Number(plain[4] ?? 1)];
  return KNOWN_COLOURS.get(text) ?? paintColour(text);
}

// The names that most pages know. Others need a canvas, of which each document makes its own.
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

// A canvas parses any other colour (`oklch(…)`, a name that is not known here).
let canvas = null;
/** Parse any colour that Chromium knows (`oklch(…)`, a rarer name) by painting it on a canvas; null for no colour. */
function paintColour(text) {
  if (text.includes('var(') || !CSS.supports('color', text)) return null;
  canvas ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = text;
  canvas.fillRect(0, 0, 1, 1);
  const [red, green, blue, opacity] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, opacity / 255];
}

/** Whether a colour is transparent. */
export const isClear = (colour) => colour[3] < CLEAR;

/** Whether text of the colour `ink` cannot be told from the background colour `ground`. */
export const isLost = (ink, ground) =>
  Math.max(Math.abs(ink[0] - ground[0]), Math.abs(ink[1] - ground[1]), Math.abs(ink[2] - ground[2])) * ink[3] <= SAME;

/** Return the plain colour behind what is in an element; null behind pictures, gradients and blends. */
export const groundOf = (element) => grounds.of(element);
const grounds = new PerCallCache((element) => computeBackground(element));

/** Compute the answer of `groundOf`. */
function computeBackground(element) {
  const style = styleOf(element);
  if (style.backgroundImage !== 'none' || style.mixBlendMode !== 'normal') return null;
  const own = parsedColour(style.backgroundColor);
  if (own === null || own[3] > 0.99) return own;
  const parent = parentOf(element);
  const below = parent ? groundOf(parent) : backgroundOfDocument(element);
  return below === null || isClear(own) ? below : blendColours(own, below);
}

/** Return the opaque colour that a transparent colour makes over another. */
const blendColours = (over, below) => [
  ...[0, 1, 2].map((part) => over[part] * over[3] + below[part] * (1 - over[3])),
  1,
];

/**
 * Return the colour behind a whole document: that of its frame element, else white, or dark in a dark colour scheme. Null where a frame
 * of another origin decides.
 */
function backgroundOfDocument(element) {
  const view = windowOf(documentOf(element));
  try {
    if (view.frameElement) return groundOf(view.frameElement);
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

/** Whether something that is no ancestor lies where the text is, on which it could be read: a picture beside it, a layer below. */
export function isPaintedBehind(element, box, ink) {
  if (box === null) return false;
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const painters = paintersIn.of(documentOf(element));
  return painters === null
    || painters.some(({ painter, colour, area, isAround }) =>
      area.left <= x && x <= area.right && area.top <= y && y <= area.bottom
      && !(colour !== null && isLost(ink, colour)) && (isAround || !containsNode(painter, element))
    );
}
const paintersIn = new PerCallCache((root) => findPainters(root));

const MOST_ELEMENTS = 20000;
const PAINTED_TAGS = new Set('img video canvas svg object embed iframe input'.split(' '));

/**
 * Return everything in a document that has a colour or a picture of its own: [{ painter, colour, area, isAround }]; null where that is
 * too much to look at.
 */
function findPainters(root) {
  const elements = queryInDocument(root, '*');
  if (elements.length > MOST_ELEMENTS) return null;
  const found = [];
  for (const painter of elements) {
    const style = styleOf(painter);
    const colour = paintOf(style);
    if (PAINTED_TAGS.has(localNameOf(painter)))
      found.push({ painter, colour: null, area: rectOf(painter), isAround: false });
    else if (colour !== undefined) found.push({ painter, colour, area: rectOf(painter), isAround: false });
    if (!mayHaveGeneratedContent(painter)) continue;
    for (const place of ['::before', '::after']) {
      const generated = styleOf(painter, place);
      const paint = generated.content === 'none' ? undefined : paintOf(generated);
      if (paint !== undefined) found.push({ painter, colour: paint, area: rectOf(painter), isAround: true });
    }
  }
  return found;
}

/** Return the background colour of a style; null for a picture or a gradient, undefined for a transparent one. */
function paintOf(style) {
  if (style.backgroundImage !== 'none') return null;
  const colour = parsedColour(style.backgroundColor);
  return colour === null || !isClear(colour) ? colour : undefined;
}
