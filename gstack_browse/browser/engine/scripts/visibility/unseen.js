// Finds rendered text that is invisible: transparent, of no size, cut off, out of reach, or of the colour of its ground.
//
// Style sheets and attributes say which elements may have such text (visibility/suspects.js); only these are asked for their style
// and their box. On most pages there are none. In doubt text counts as visible.

import {
  childElementCountOf,
  containsNode,
  dataOf,
  documentOf,
  firstChildOf,
  getter,
  localNameOf,
  newRange,
  offsetHeightOf,
  offsetWidthOf,
  rectOf,
  rootElementOf,
  scrollingElementOf,
  scrollLeftOf,
  scrollTopOf,
  scrollWidthOf,
  textContentOf,
  windowOf,
} from '../dom/accessors.js';
import { attr, isText, parentOf, shadowRootOf, siblingsFrom, treeOf, words } from '../dom/dom.js';
import { isRevealedWhenHovered } from '../dom/style-sheets.js';
import { isMovedByAnimation, settledSize, settledStyle } from './animations.js';
import { groundOf, isClear, isLost, isPaintedBehind, parsedColour } from './colours.js';
import {
  FAINTEST,
  isCutAway,
  isFilteredAway,
  isFlattened,
  isMaskedAway,
  isOfNoSize,
  opacityOf,
  SMALLEST,
} from './cut.js';
import { isDrawn, isDrawnAway } from './drawings.js';
import { styleOf } from './hidden.js';
import { isFar, suspectsIn } from './suspects.js';

export const SEEN = 0;
const FAINT = 1; // the text right inside cannot be read; of the elements inside each is asked
const GONE = 2; // nothing inside can be seen
const CLIPPED = 3; // the same, but for what is positioned, and may be elsewhere
export const CLOSED = 5; // the same, and nothing inside can be pressed before the page shows it: a closed drop-down
export const BEYOND = 6; // as CLIPPED: it stands where nobody can scroll to, as a drawer that is not out yet
export const SHUT = 4; // the text right inside is not even laid out; elements inside say so themselves

// How an element is seen whose surroundings are seen as `outer`. `tag`: with the element's name.
export function sightOf(element, tag, plain, outer, suspects) {
  if (outer === GONE || outer === SHUT || outer === CLOSED) return outer;
  if (outer === CLIPPED || outer === BEYOND) return isOutOfClip(element) ? judged(element) : outer;
  if (outer === FAINT || shadowRootOf(element) !== null) return judged(element);
  if (suspects === null || !suspects.has(element, tag, plain)) return SEEN;
  if (!suspects.isOnlyInked(element, tag, plain)) return judged(element);
  return isFaint(element, styleOf(element)) ? FAINT : SEEN; // whose colours are given by variables, on most pages
}

const isOutOfClip = (element) => PLACED.test(styleOf(element).position);

// How a single element is seen: its ancestors are judged, too.
export function sightWithin(element) {
  const path = [element];
  for (let parent = parentOf(element); parent; parent = parentOf(parent)) path.push(parent);
  let sight = SEEN;
  for (const each of path.reverse())
    sight = sightOf(each, { name: localNameOf(each) }, false, sight, suspectsIn(treeOf(each)));
  return sight;
}

// Whether an element by itself hides what is in it, wherever it is.
export function isUnseen(element) {
  const suspects = suspectsIn(treeOf(element));
  return suspects.has(element, { name: localNameOf(element) }, false) && judged(element) !== SEEN;
}

// Whether nothing that is in an element can be seen, by what that one says: words that are made for screen readers are cut off.
export function isGone(element) {
  return isUnseen(element) && judged(element) !== FAINT;
}

function judged(element) {
  const style = settledStyle(element);
  if (style.visibility !== 'visible' && styleOf(element).visibility === 'visible' || style.display === 'none')
    return GONE;
  if (style.display === 'contents') return isFaint(element, style) ? FAINT : SEEN;
  if (laysNothingOut(style)) return SHUT;
  const drawn = isDrawn(element);
  if ((drawn || style.opacity !== '1') && opacityOf(element) < FAINTEST)
    return isClosedPart(element, style) ? CLOSED : GONE;
  if (isFilteredAway(style) || isMaskedAway(element, style)) return GONE;
  const box = settledBox(element);
  if (drawn) return isDrawnAway(element, style, box) ? GONE : SEEN;
  return judgedByBox(element, style, box);
}

function judgedByBox(element, style, box) {
  if (isCutAway(element, style, box)) return GONE;
  if (isOfNoSize(element, style, box))
    return style.position === 'static' && style.transform === 'none' ? CLIPPED : GONE;
  if (isFlattened(element, style, box)) return GONE;
  if (isBeyondEdges(element, style, box)) return BEYOND; // a dialog may stand in a part that lies beyond
  return isFaint(element, style) ? FAINT : SEEN;
}

// The box of an element, of the size that it is about to have.
function settledBox(element) {
  const box = rectOf(element);
  const { width, height } = settledSize(element);
  return width === box.width && height === box.height ? box : new DOMRect(box.x, box.y, width, height);
}

// Whether an element takes no presses, is scaled to nothing, or stands where it cannot be scrolled to.
function isPressedNowhere(element, style) {
  if (style.pointerEvents === 'none') return true;
  const box = rectOf(element);
  const isScaled = box.width === 0 && offsetWidthOf(element) > 0 || box.height === 0 && offsetHeightOf(element) > 0;
  return isScaled || isBeyondEdges(element, style, box);
}

// A part that lies over the page, is wholly transparent and takes no presses. One that comes as the pointer does is there for who
// points at it, and what has the focus is in use. Seen in nice-select2 2.5.
const PLACED = /^(?:absolute|fixed)$/;
const isClosedPart = (element, style) =>
  isPressedNowhere(element, style) && PLACED.test(style.position) && childElementCountOf(element) > 0
  && !isRevealedWhenHovered(element) && !containsNode(element, focusOf(documentOf(element)));
const focusOf = getter(Document, 'activeElement');

// Elements that are still there in a closed part: they take presses, or a press on their label does it.
const LABELLED = words('checkbox radio switch');
export const isOpenToUse = (element, role) =>
  isUsedUnseen(element, role) || !isPressedNowhere(element, styleOf(element));
export const isUsedUnseen = (element, role) =>
  LABELLED.has(role) || localNameOf(element) === 'select' || attr(element, 'type') === 'file';

// Loose words of an element that lays nothing out: those of other elements have no box.
export const laysNothingOut = (style) =>
  style.contentVisibility === 'hidden' && !/^(?:inline|table(?:-(?:row|column|header|footer).*)?)$/.test(style.display)
  || style.display.startsWith('table-column');

// Beyond the edges to which a person can scroll.
function isBeyondEdges(element, style, box) {
  return isBeyondReach(element, style, box) && !isMovedByAnimation(element);
}

function isBeyondReach(element, style, box) {
  if (box.width === 0 && box.height === 0) return false;
  const view = windowOf(documentOf(element));
  const isFixed = style.position === 'fixed';
  if (isFixed && isBefore(view.innerHeight, box.top, box.height)) return true; // to all else a person can scroll down
  const isBeyondView = isBefore(box.right, 0, box.width) || isBefore(box.bottom, 0, box.height)
    || isBefore(view.innerWidth, box.left, box.width);
  return isBeyondView && (isFixed || isBeyondPage(element, box, view));
}

// The content of a box without width or height is not at the box: such a box at the very edge does not count as beyond it.
// Seen in Fluent UI, whose dialogs are in a box without height at the top of the page.
const isBefore = (end, edge, size) => size > 0 ? end <= edge : end < edge;

function isBeyondPage(element, box, view) {
  const root = rootElementOf(view.document);
  const page = scrollingElementOf(view.document) ?? root;
  let [x, y] = [view.scrollX, view.scrollY];
  for (let parent = parentOf(element); parent && parent !== root && parent !== page; parent = parentOf(parent)) {
    if (styleOf(parent).position === 'fixed') return false;
    x += scrollLeftOf(parent);
    y += scrollTopOf(parent);
  }
  const first = styleOf(root).direction === 'rtl' ? Math.min(view.innerWidth - scrollWidthOf(page), 0) : 0;
  return isBefore(box.right + x, first, box.width) || isBefore(box.bottom + y, 0, box.height)
    || isBefore(first + Math.max(scrollWidthOf(page), view.innerWidth), box.left + x, box.width);
}

// Whether the text right inside an element cannot be read: too small, moved out of its line, or without colour.
function isFaint(element, style) {
  if (parseFloat(style.fontSize) < SMALLEST || style.webkitTextSecurity !== 'none') return true;
  if (parseFloat(style.letterSpacing) < 0 && isSqueezed(element)) return true;
  if (style.textIndent !== '0px' && isIndentedAway(element, style)) return true;
  return isColourless(element, style);
}

function isIndentedAway(element, style) {
  if (!isFar(style.textIndent)) return false;
  const box = wordsBox(element);
  if (box === null || box.width === 0) return false;
  const around = rectOf(element);
  const isOutside = box.right <= around.left || box.left >= around.right;
  return isOutside && (style.overflowX !== 'visible' || isBeyondEdges(element, style, box));
}

// Letters that lie on one another, or run out of their line.
function isSqueezed(element) {
  const box = wordsBox(element);
  return box !== null && box.height > 0 && box.width < textContentOf(element).trim().length;
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
export const lengthOf = (text) => text.trim().replace(/\s+/g, ' ').length;
