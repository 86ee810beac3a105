// Finds rendered text that is invisible: transparent, of no size, cut off, off screen, or of the colour of its background.
//
// Style sheets and attributes tell which elements may have such text (visibility/suspects.js); only of these style and box are read. On
// most pages there are none. In doubt text counts as visible.

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
import { ancestorsOf, attr, isText, parentOf, shadowRootOf, siblingsFrom, treeOf, wordSet } from '../dom/dom.js';
import { mayAppearOnHover } from '../dom/style-sheets.js';
import { isMovedByAnimation, settledSize, settledStyle } from './animations.js';
import { backgroundOf, isIndistinguishable, isPaintedBehind, isTransparent, parsedColour } from './colours.js';
import {
  clipsAllContent,
  isCutAway,
  isFilteredAway,
  isFlattened,
  isMaskedAway,
  MIN_FONT_PIXELS,
  MIN_OPACITY,
  opacityOf,
} from './cut.js';
import { isSvgText, isSvgTextInvisible } from './drawings.js';
import { styleOf } from './hidden.js';
import { isFar, suspectsIn } from './suspects.js';

// Text visibility: whether text inside an element can be seen.
export const TEXT_VISIBLE = 0;
const TEXT_UNREADABLE = 1; // the element's own text cannot be read; child elements are judged one by one
const ALL_HIDDEN = 2; // nothing inside can be seen
const CLIPPED = 3; // nothing inside can be seen, except elements positioned out of the box
export const NOT_LAID_OUT = 4; // the element's own text has no box; child elements are judged one by one
export const CLOSED_POPUP = 5; // nothing inside can be seen, or pressed before the page opens it: a closed drop-down
export const OFF_SCREEN = 6; // as CLIPPED, but beyond what can be scrolled to: a drawer that is not open

/**
 * Return the visibility of text inside an element, one of the values above. `outer`: that of its parent; `tag`: its entry of `tagOf`;
 * `bare`: it has no attributes; `suspects`: the `Suspects` of its tree, null for none.
 */
export function textVisibilityInside(element, tag, bare, outer, suspects) {
  if (outer === ALL_HIDDEN || outer === NOT_LAID_OUT || outer === CLOSED_POPUP) return outer;
  if (outer === CLIPPED || outer === OFF_SCREEN) return mayEscapeClip(element) ? computeTextVisibility(element) : outer;
  if (outer === TEXT_UNREADABLE || shadowRootOf(element) !== null) return computeTextVisibility(element);
  if (suspects === null || !suspects.has(element, tag, bare)) return TEXT_VISIBLE;
  if (!suspects.isSuspectByColourOnly(element, tag, bare)) return computeTextVisibility(element);
  return isTextUnreadable(element, styleOf(element)) ? TEXT_UNREADABLE : TEXT_VISIBLE; // mostly a suspect only since its colours are given by variables
}

/** Whether an element is positioned, so that a box which clips its content need not clip it. */
const mayEscapeClip = (element) => POSITIONED.test(styleOf(element).position);

/** Return the visibility of text inside an element, given all its ancestors. */
export function textVisibilityOf(element) {
  let visibility = TEXT_VISIBLE;
  for (const each of [element, ...ancestorsOf(element)].reverse())
    visibility = textVisibilityInside(each, { name: localNameOf(each) }, false, visibility, suspectsIn(treeOf(each)));
  return visibility;
}

/** Whether an element by itself hides its text, or makes it unreadable, whatever its ancestors do. */
export function hidesItsText(element) {
  const suspects = suspectsIn(treeOf(element));
  return suspects.has(element, { name: localNameOf(element) }, false)
    && computeTextVisibility(element) !== TEXT_VISIBLE;
}

/** Whether an element by itself hides everything in it. Text for screen readers only, which is cut off, counts as hidden. */
export function hidesAllInside(element) {
  return hidesItsText(element) && computeTextVisibility(element) !== TEXT_UNREADABLE;
}

/** Compute the visibility of text inside an element from its style and box. Of its ancestors only opacity and background count. */
function computeTextVisibility(element) {
  const style = settledStyle(element);
  if (style.visibility !== 'visible' && styleOf(element).visibility === 'visible' || style.display === 'none')
    return ALL_HIDDEN;
  if (style.display === 'contents') return isTextUnreadable(element, style) ? TEXT_UNREADABLE : TEXT_VISIBLE;
  if (laysOutNoText(style)) return NOT_LAID_OUT;
  const isSvg = isSvgText(element);
  if ((isSvg || style.opacity !== '1') && opacityOf(element) < MIN_OPACITY)
    return isClosedPopup(element, style) ? CLOSED_POPUP : ALL_HIDDEN;
  if (isFilteredAway(style) || isMaskedAway(element, style)) return ALL_HIDDEN;
  const box = settledBox(element);
  if (isSvg) return isSvgTextInvisible(element, style, box) ? ALL_HIDDEN : TEXT_VISIBLE;
  return computeTextVisibilityByBox(element, style, box);
}

/** Compute the visibility of text inside an element whose styles hide nothing, from its box. */
function computeTextVisibilityByBox(element, style, box) {
  if (isCutAway(element, style, box)) return ALL_HIDDEN;
  if (clipsAllContent(element, style, box))
    return style.position === 'static' && style.transform === 'none' ? CLIPPED : ALL_HIDDEN;
  if (isFlattened(element, style, box)) return ALL_HIDDEN;
  if (isOffScreen(element, style, box)) return OFF_SCREEN;
  return isTextUnreadable(element, style) ? TEXT_UNREADABLE : TEXT_VISIBLE;
}

/** Return the box of an element with the size that it has once its animations have ended. */
function settledBox(element) {
  const box = rectOf(element);
  const { width, height } = settledSize(element);
  return width === box.width && height === box.height ? box : new DOMRect(box.x, box.y, width, height);
}

/** Whether an element has `pointer-events: none`, is scaled to nothing, or is off screen. */
function cannotBePressed(element, style) {
  if (style.pointerEvents === 'none') return true;
  const box = rectOf(element);
  const isScaled = box.width === 0 && offsetWidthOf(element) > 0 || box.height === 0 && offsetHeightOf(element) > 0;
  return isScaled || isOffScreen(element, style, box);
}

const POSITIONED = /^(?:absolute|fixed)$/;
/**
 * Whether a transparent element is a closed drop-down: positioned over the page, with content, and not to be pressed. Not one that appears
 * on hover, nor one with the focus. Seen in nice-select2 2.5.
 */
const isClosedPopup = (element, style) =>
  cannotBePressed(element, style) && POSITIONED.test(style.position) && childElementCountOf(element) > 0
  && !mayAppearOnHover(element) && !containsNode(element, focusOf(documentOf(element)));
const focusOf = getter(Document, 'activeElement');

const TOGGLED_BY_LABEL = wordSet('checkbox radio switch');
/** Whether a control in a closed drop-down can be used: by a press, or without one (`isUsableUnseen`). */
export const isUsableInClosedPopup = (element, role) =>
  isUsableUnseen(element, role) || !cannotBePressed(element, styleOf(element));
/**
 * Whether a control can be used though it is invisible: a press on its label toggles a checkbox, and lists and file fields are set without
 * a press.
 */
export const isUsableUnseen = (element, role) =>
  TOGGLED_BY_LABEL.has(role) || localNameOf(element) === 'select' || attr(element, 'type') === 'file';

/** Whether an element with this style gives its own text no box, though child elements may have one. */
export const laysOutNoText = (style) =>
  style.contentVisibility === 'hidden' && !/^(?:inline|table(?:-(?:row|column|header|footer).*)?)$/.test(style.display)
  || style.display.startsWith('table-column');

/** Whether an element is beyond what can be scrolled to, and no animation moves it from there. */
function isOffScreen(element, style, box) {
  return isBeyondScrollEdges(element, style, box) && !isMovedByAnimation(element);
}

/** Whether the box of an element is outside of its page, or of the viewport if it is `position: fixed`. */
function isBeyondScrollEdges(element, style, box) {
  if (box.width === 0 && box.height === 0) return false;
  const view = windowOf(documentOf(element));
  const isFixed = style.position === 'fixed';
  if (isFixed && endsBefore(view.innerHeight, box.top, box.height)) return true; // anything else below can be scrolled to
  const isBeyondView = endsBefore(box.right, 0, box.width) || endsBefore(box.bottom, 0, box.height)
    || endsBefore(view.innerWidth, box.left, box.width);
  return isBeyondView && (isFixed || isBeyondPageEdges(element, box, view));
}

/**
 * Whether a box ends before an edge. An empty box that ends at the edge does not: its content is elsewhere. Seen in Fluent UI, whose
 * dialogs are in a box without height at the top of the page.
 */
const endsBefore = (end, edge, size) => size > 0 ? end <= edge : end < edge;

/**
 * Whether neither the page nor a scroll container around an element can be scrolled to its box. False inside of a `position: fixed` part.
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
    [left, right, x] = [around.left, around.right, 0]; // the container can be scrolled to the right
  }
  x += view.scrollX;
  const first = styleOf(root).direction === 'rtl' ? Math.min(view.innerWidth - scrollWidthOf(page), 0) : 0;
  return endsBefore(right + x, first, box.width) || endsBefore(box.bottom + y, 0, box.height)
    || endsBefore(first + Math.max(scrollWidthOf(page), view.innerWidth), left + x, box.width);
}

/** Whether an element's own text cannot be read: too small, moved out of its line, or of the colour of its background. */
function isTextUnreadable(element, style) {
  if (parseFloat(style.fontSize) < MIN_FONT_PIXELS || style.webkitTextSecurity !== 'none') return true;
  if (parseFloat(style.letterSpacing) < 0 && isSqueezed(element)) return true;
  if (style.textIndent !== '0px' && isIndentedAway(element, style)) return true;
  return isTextColourInvisible(element, style);
}

/** Whether `text-indent` moves the text of an element out of its box, as where a picture replaces a heading. */
function isIndentedAway(element, style) {
  if (!isFar(style.textIndent)) return false;
  const box = firstTextBox(element);
  if (box === null || box.width === 0) return false;
  const around = rectOf(element);
  const isOutside = box.right <= around.left || box.left >= around.right;
  return isOutside && (style.overflowX !== 'visible' || isOffScreen(element, style, box));
}

/** Whether a negative letter spacing makes the first text of an element narrower than a pixel a letter. */
function isSqueezed(element) {
  const box = firstTextBox(element);
  return box !== null && box.height > 0 && box.width < textContentOf(element).trim().length;
}

/** Return the box of the first text node that is a child of an element; null for none. */
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

/** Whether the background of an element or an ancestor fills its text (`background-clip: text`). */
function isFilledByBackground(element) {
  for (let each = element; each; each = parentOf(each)) if (/text/.test(styleOf(each).backgroundClip)) return true;
  return false;
}

/** Return the number of characters of a text, a run of white space counted as one. */
export const lengthOf = (text) => text.trim().replace(/\s+/g, ' ').length;
