// Finds rendered text that is invisible: transparent, of no size, cut off, out of reach, or of the colour of its background.
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
import { backgroundOf, isIndistinguishable, isPaintedBehind, isTransparent, parsedColour } from './colours.js';
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

// The values of a `sight`: whether text inside an element can be seen.
export const SEEN = 0;
const TEXT_UNREADABLE = 1; // the text right inside cannot be read; of the elements inside each is asked
const ALL_HIDDEN = 2; // nothing inside can be seen
const CLIPPED = 3; // the same, except elements positioned out of the box
export const CLOSED = 5; // the same, and nothing inside can be pressed before the page shows it: a closed drop-down
export const OFF_SCREEN = 6; // as CLIPPED: it stands where nobody can scroll to, as a drawer that is not out yet
export const NOT_LAID_OUT = 4; // the text right inside has no box; elements inside are judged by themselves

/**
 * Return the visibility of text inside an element, one of the values above. `outer`: that of its surroundings; `tag`: with the
 * element's name; `plain`: it has no attributes; `suspects`: the `Suspects` of its tree, null for none.
 */
export function sightOf(element, tag, plain, outer, suspects) {
  if (outer === ALL_HIDDEN || outer === NOT_LAID_OUT || outer === CLOSED) return outer;
  if (outer === CLIPPED || outer === OFF_SCREEN) return mayEscapeClip(element) ? computeSight(element) : outer;
  if (outer === TEXT_UNREADABLE || shadowRootOf(element) !== null) return computeSight(element);
  if (suspects === null || !suspects.has(element, tag, plain)) return SEEN;
  if (!suspects.isSuspectByColourOnly(element, tag, plain)) return computeSight(element);
  return isTextUnreadable(element, styleOf(element)) ? TEXT_UNREADABLE : SEEN; // whose colours are given by variables, on most pages
}

/** Whether an element is positioned, so that a box which clips its content need not clip it. */
const mayEscapeClip = (element) => PLACED.test(styleOf(element).position);

/** Return the visibility of text inside a single element; its ancestors are judged, too. */
export function sightWithin(element) {
  const path = [element];
  for (let parent = parentOf(element); parent; parent = parentOf(parent)) path.push(parent);
  let sight = SEEN;
  for (const each of path.reverse())
    sight = sightOf(each, { name: localNameOf(each) }, false, sight, suspectsIn(treeOf(each)));
  return sight;
}

/** Whether an element by itself hides its text, or makes it unreadable, whatever its ancestors do. */
export function hidesItsText(element) {
  const suspects = suspectsIn(treeOf(element));
  return suspects.has(element, { name: localNameOf(element) }, false) && computeSight(element) !== SEEN;
}

/** Whether an element by itself hides everything in it. Text that is made for screen readers, and cut off, counts as hidden. */
export function hidesAllInside(element) {
  return hidesItsText(element) && computeSight(element) !== TEXT_UNREADABLE;
}

/** Compute the visibility of text inside an element from its style and its box, ancestors apart. */
function computeSight(element) {
  const style = settledStyle(element);
  if (style.visibility !== 'visible' && styleOf(element).visibility === 'visible' || style.display === 'none')
    return ALL_HIDDEN;
  if (style.display === 'contents') return isTextUnreadable(element, style) ? TEXT_UNREADABLE : SEEN;
  if (laysNothingOut(style)) return NOT_LAID_OUT;
  const drawn = isDrawn(element);
  if ((drawn || style.opacity !== '1') && opacityOf(element) < FAINTEST)
    return isClosedPopup(element, style) ? CLOSED : ALL_HIDDEN;
  if (isFilteredAway(style) || isMaskedAway(element, style)) return ALL_HIDDEN;
  const box = settledBox(element);
  if (drawn) return isDrawnAway(element, style, box) ? ALL_HIDDEN : SEEN;
  return computeSightByBox(element, style, box);
}

/** Compute the visibility of text inside an element whose styles hide nothing, from its box. */
function computeSightByBox(element, style, box) {
  if (isCutAway(element, style, box)) return ALL_HIDDEN;
  if (isOfNoSize(element, style, box))
    return style.position === 'static' && style.transform === 'none' ? CLIPPED : ALL_HIDDEN;
  if (isFlattened(element, style, box)) return ALL_HIDDEN;
  if (isOffScreen(element, style, box)) return OFF_SCREEN; // a dialog may stand in a part that lies beyond
  return isTextUnreadable(element, style) ? TEXT_UNREADABLE : SEEN;
}

/** Return the box of an element with the size that it has once its animations have ended. */
function settledBox(element) {
  const box = rectOf(element);
  const { width, height } = settledSize(element);
  return width === box.width && height === box.height ? box : new DOMRect(box.x, box.y, width, height);
}

/** Whether an element takes no presses, is scaled to nothing, or stands where it cannot be scrolled to. */
function takesNoPress(element, style) {
  if (style.pointerEvents === 'none') return true;
  const box = rectOf(element);
  const isScaled = box.width === 0 && offsetWidthOf(element) > 0 || box.height === 0 && offsetHeightOf(element) > 0;
  return isScaled || isOffScreen(element, style, box);
}

const PLACED = /^(?:absolute|fixed)$/;
/**
 * Whether a transparent element is a closed drop-down: positioned over the page, with content, and taking no presses. Not one that
 * appears under the pointer, nor one that has the focus. Seen in nice-select2 2.5.
 */
const isClosedPopup = (element, style) =>
  takesNoPress(element, style) && PLACED.test(style.position) && childElementCountOf(element) > 0
  && !isRevealedWhenHovered(element) && !containsNode(element, focusOf(documentOf(element)));
const focusOf = getter(Document, 'activeElement');

const LABELLED = words('checkbox radio switch');
/** Whether a control in a closed drop-down can be used all the same: it takes presses, or see `isUsedUnseen`. */
export const isOpenToUse = (element, role) => isUsedUnseen(element, role) || !takesNoPress(element, styleOf(element));
/**
 * Whether a control is used though it cannot be seen: a press on its label toggles a checkbox, and lists and file fields are set
 * without a press.
 */
export const isUsedUnseen = (element, role) =>
  LABELLED.has(role) || localNameOf(element) === 'select' || attr(element, 'type') === 'file';

/** Whether a style gives the text right inside an element no box. Elements inside have one, or have no box and say so. */
export const laysNothingOut = (style) =>
  style.contentVisibility === 'hidden' && !/^(?:inline|table(?:-(?:row|column|header|footer).*)?)$/.test(style.display)
  || style.display.startsWith('table-column');

/** Whether an element is where nobody can scroll to, and no animation moves it from there. */
function isOffScreen(element, style, box) {
  return isBeyondScrollEdges(element, style, box) && !isMovedByAnimation(element);
}

/** Whether the box of an element is outside of its page, or of the viewport if it is `position: fixed`. */
function isBeyondScrollEdges(element, style, box) {
  if (box.width === 0 && box.height === 0) return false;
  const view = windowOf(documentOf(element));
  const isFixed = style.position === 'fixed';
  if (isFixed && endsBefore(view.innerHeight, box.top, box.height)) return true; // to all else a person can scroll down
  const isBeyondView = endsBefore(box.right, 0, box.width) || endsBefore(box.bottom, 0, box.height)
    || endsBefore(view.innerWidth, box.left, box.width);
  return isBeyondView && (isFixed || isBeyondPageEdges(element, box, view));
}

/**
 * Whether a box ends before an edge. A box without a size at the very edge does not: its content is elsewhere. Seen in Fluent UI, whose
 * dialogs are in a box without height at the top of the page.
 */
const endsBefore = (end, edge, size) => size > 0 ? end <= edge : end < edge;

/**
 * Whether a box is where neither the page nor a box with a scroll bar around it can be scrolled to. Not within a `position: fixed` part.
 */
function isBeyondPageEdges(element, box, view) {
  const root = rootElementOf(view.document);
  const page = scrollingElementOf(view.document) ?? root;
  let { left, right } = box;
  let [x, y] = [0, view.scrollY];
  for (let parent = parentOf(element); parent && parent !== root && parent !== page; parent = parentOf(parent)) {
    const { position, overflowX, direction } = styleOf(parent);
    if (position === 'fixed') return false;
    x += scrollLeftOf(parent);
    y += scrollTopOf(parent);
    if (!/auto|scroll/.test(overflowX)) continue;
    const around = rectOf(parent);
    if (direction !== 'rtl' && endsBefore(right + x, around.left, box.width)) return true;
    [left, right, x] = [around.left, around.right, 0]; // what is further to the right can be scrolled to
  }
  x += view.scrollX;
  const first = styleOf(root).direction === 'rtl' ? Math.min(view.innerWidth - scrollWidthOf(page), 0) : 0;
  return endsBefore(right + x, first, box.width) || endsBefore(box.bottom + y, 0, box.height)
    || endsBefore(first + Math.max(scrollWidthOf(page), view.innerWidth), left + x, box.width);
}

/** Whether the text right inside an element cannot be read: too small, moved out of its line, or of the colour of its background. */
function isTextUnreadable(element, style) {
  if (parseFloat(style.fontSize) < SMALLEST || style.webkitTextSecurity !== 'none') return true;
  if (parseFloat(style.letterSpacing) < 0 && isSqueezed(element)) return true;
  if (style.textIndent !== '0px' && isIndentedAway(element, style)) return true;
  return isTextColourInvisible(element, style);
}

/** Whether `text-indent` moves the text of an element out of its box, as headings are replaced by a picture. */
function isIndentedAway(element, style) {
  if (!isFar(style.textIndent)) return false;
  const box = firstTextBox(element);
  if (box === null || box.width === 0) return false;
  const around = rectOf(element);
  const isOutside = box.right <= around.left || box.left >= around.right;
  return isOutside && (style.overflowX !== 'visible' || isOffScreen(element, style, box));
}

/** Whether the letters of an element lie on one another, or run out of their line. */
function isSqueezed(element) {
  const box = firstTextBox(element);
  return box !== null && box.height > 0 && box.width < textContentOf(element).trim().length;
}

/** Return the box of the first text right inside an element; null for none. */
function firstTextBox(element) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (!isText(child) || dataOf(child).trim() === '') continue;
    const range = newRange(documentOf(element));
    range.selectNodeContents(child);
    return range.getBoundingClientRect();
  }
  return null;
}

/** Whether text is transparent, or has the colour of its background, without a shadow or an outline. */
function isTextColourInvisible(element, style) {
  const textColour = parsedColour(style.webkitTextFillColor);
  if (textColour === null || style.textShadow !== 'none' || parseFloat(style.webkitTextStrokeWidth) > 0) return false;
  if (isTransparent(textColour)) return !isFilledByBackground(element);
  const background = backgroundOf(element);
  return background !== null && isIndistinguishable(textColour, background)
    && !isPaintedBehind(element, firstTextBox(element), textColour);
}

/** Whether text is filled by a picture or a gradient (`background-clip: text`). */
function isFilledByBackground(element) {
  for (let each = element; each; each = parentOf(each)) if (/text/.test(styleOf(each).backgroundClip)) return true;
  return false;
}

/** Return the number of characters of a text, a run of white space counted as one. */
export const lengthOf = (text) => text.trim().replace(/\s+/g, ' ').length;
