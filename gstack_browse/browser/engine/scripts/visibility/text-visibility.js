// Find rendered text that is invisible: transparent, of no size, clipped, off screen, or of the colour of its background.
//
// Style sheets and attributes give the candidates (invisible-text-candidates.js); only of these style and box are read. On most pages there
// are none. In doubt text counts as visible.

import {
  activeElementOf,
  childElementCountOf,
  containsNode,
  dataOf,
  documentOf,
  firstChildOf,
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
  styleOf,
  textContentOf,
  windowOf,
} from '../dom/accessors.js';
import { ancestorsOf, attr, isText, parentOf, shadowRootOf, siblingsFrom, treeOf, wordSet } from '../dom/dom.js';
import { isMovedByAnimation, settledSize, settledStyle } from './animations.js';
import { backgroundOf, isIndistinguishable, isPaintedBehind, isTransparent, parseColour } from './colours.js';
import { isSvgText, isSvgTextInvisible } from './drawings.js';
import {
  clipsAllContent,
  isClippedAway,
  isFilteredAway,
  isFlattened,
  isMaskedAway,
  MIN_FONT_PIXELS,
  MIN_OPACITY,
  opacityOf,
} from './hidden.js';
import { invisibleTextCandidatesIn, isFar } from './invisible-text-candidates.js';
import { mayAppearOnHover } from './style-sheets.js';

// Text visibility: whether text inside an element can be seen.
export const TEXT_VISIBLE = 0;
const TEXT_UNREADABLE = 1; // the element's own text cannot be read; child elements are judged one by one
const ALL_HIDDEN = 2; // nothing inside can be seen
const CLIPPED = 3; // nothing inside can be seen, except elements positioned out of the box
export const NOT_LAID_OUT = 4; // the element's own text has no box; child elements are judged one by one
export const CLOSED_POPUP = 5; // nothing inside can be seen, or pressed before the page opens it: a closed drop-down
export const OFF_SCREEN = 6; // as CLIPPED, but beyond what can be scrolled to: a drawer that is not open

/**
 * Return the visibility of text inside an element, one of the constants TEXT_VISIBLE, ALL_HIDDEN, CLIPPED, …, given that of its parent
 * (`outer`). `tag`: facts about its tag (`tagOf`); `bare`: it has no attributes; `candidates`: the `InvisibleTextCandidates` of its tree,
 * null for none: an element that is none of them hides nothing.
 */
export function textVisibilityInside(element, tag, bare, outer, candidates) {
  if (outer === ALL_HIDDEN || outer === NOT_LAID_OUT || outer === CLOSED_POPUP) return outer;
  if (outer === CLIPPED || outer === OFF_SCREEN)
    return mayEscapeClip(element) ? computeOwnTextVisibility(element) : outer;
  if (outer === TEXT_UNREADABLE || shadowRootOf(element) !== null) return computeOwnTextVisibility(element);
  if (candidates === null || !candidates.has(element, tag, bare)) return TEXT_VISIBLE;
  if (!candidates.isCandidateByColourOnly(element, tag, bare)) return computeOwnTextVisibility(element);
  return isTextUnreadable(element, styleOf(element)) ? TEXT_UNREADABLE : TEXT_VISIBLE; // mostly a suspect only since its colours are given by variables
}

/** Return whether an element is positioned (absolute, fixed), so that an ancestor which clips its content need not clip it. */
const mayEscapeClip = (element) => POSITIONED.test(styleOf(element).position);

/**
 * Return the visibility of text inside an element, one of the constants TEXT_VISIBLE, ALL_HIDDEN, CLIPPED, …, computed from its outermost
 * ancestor inwards.
 */
export function textVisibilityOf(element) {
  let visibility = TEXT_VISIBLE;
  for (const each of [element, ...ancestorsOf(element)].reverse())
    visibility = textVisibilityInside(
      each,
      { name: localNameOf(each) },
      false,
      visibility,
      invisibleTextCandidatesIn(treeOf(each)),
    );
  return visibility;
}

/** Return whether an element itself, apart from its ancestors, hides its text or makes it unreadable. */
export function hidesItsText(element) {
  const candidates = invisibleTextCandidatesIn(treeOf(element));
  return candidates.has(element, { name: localNameOf(element) }, false)
    && computeOwnTextVisibility(element) !== TEXT_VISIBLE;
}

/**
 * Return whether an element itself, apart from its ancestors, hides everything in it. Clipped text, for screen readers only, counts as
 * hidden.
 */
export function hidesAllInside(element) {
  return hidesItsText(element) && computeOwnTextVisibility(element) !== TEXT_UNREADABLE;
}

/**
 * Compute the visibility of text in an element by its style and box at the end of animations: one of the constants from TEXT_VISIBLE to
 * OFF_SCREEN above. Ancestors that hide it are left to `textVisibilityOf`, except for their opacity around SVG and around an element with
 * an opacity of its own.
 */
function computeOwnTextVisibility(element) {
  const style = settledStyle(element);
  if (style.visibility !== 'visible' && styleOf(element).visibility === 'visible' || style.display === 'none')
    return ALL_HIDDEN;
  if (style.display === 'contents') return isTextUnreadable(element, style) ? TEXT_UNREADABLE : TEXT_VISIBLE;
  if (laysOutNoText(style)) return NOT_LAID_OUT;
  const isSvg = isSvgText(element);
  if ((isSvg || style.opacity !== '1') && opacityOf(element) < MIN_OPACITY)
    return isClosedPopup(element, style) || isScaledAway(element) ? CLOSED_POPUP : ALL_HIDDEN;
  if (isFilteredAway(style) || isMaskedAway(element, style)) return ALL_HIDDEN;
  const box = settledBox(element);
  if (isSvg) return isSvgTextInvisible(element, style, box) ? ALL_HIDDEN : TEXT_VISIBLE;
  return computeTextVisibilityByBox(element, style, box);
}

/**
 * Compute the visibility of text inside an element, as far as it depends on its box: clipped, flattened, off screen; else whether it can be
 * read. `style`, `box`: computed style and box of the element.
 */
function computeTextVisibilityByBox(element, style, box) {
  if (isClippedAway(element, style, box)) return ALL_HIDDEN;
  if (clipsAllContent(element, style, box))
    return style.position === 'static' && style.transform === 'none' ? CLIPPED : ALL_HIDDEN;
  if (isFlattened(element, style, box)) return isScaledAway(element) ? CLOSED_POPUP : ALL_HIDDEN;
  if (isOffScreen(element, style, box)) return OFF_SCREEN;
  return isTextUnreadable(element, style) ? TEXT_UNREADABLE : TEXT_VISIBLE;
}

/** Return the DOMRect of an element with the size that it will have at the end of its animations. */
function settledBox(element) {
  const box = rectOf(element);
  const { width, height } = settledSize(element);
  return width === box.width && height === box.height ? box : new DOMRect(box.x, box.y, width, height);
}

/**
 * Return whether a press cannot reach an element: it has `pointer-events: none`, is scaled to nothing, or is off screen. `style`: its
 * computed style.
 */
function cannotBePressed(element, style) {
  return style.pointerEvents === 'none' || isScaledToNothing(element)
    || isOffScreen(element, style, rectOf(element));
}

/** Return whether an element has a size, and is scaled to nothing at the end of its animations. */
function isScaledToNothing(element) {
  const { width, height } = settledSize(element);
  return width === 0 && offsetWidthOf(element) > 0 || height === 0 && offsetHeightOf(element) > 0;
}

/** Return whether an element is scaled to nothing until the page opens it, as the actions of a speed dial are. */
export const isScaledAway = (element) => isScaledToNothing(element) && !isShownByHoverOrFocus(element);

/** Return whether an element may appear on hover, or has the focus in it. */
const isShownByHoverOrFocus = (element) =>
  mayAppearOnHover(element) || containsNode(element, activeElementOf(documentOf(element)));

const POSITIONED = /^(?:absolute|fixed)$/;
/**
 * Return whether a transparent element is a closed drop-down, as in nice-select2 2.5: positioned over the page, with content, and out of
 * reach of a press; not if it appears on hover, or has the focus in it, or is a box of one pixel. `style`: its computed style.
 */
const isClosedPopup = (element, style) =>
  cannotBePressed(element, style) && POSITIONED.test(style.position) && childElementCountOf(element) > 0
  && !isOnePixel(element) && !isShownByHoverOrFocus(element);

/**
 * Return whether an element has the size of one pixel: pages hide a control in it from the eye only, and keep it for the keyboard and screen
 * readers.
 */
const isOnePixel = (element) => offsetWidthOf(element) === 1 && offsetHeightOf(element) === 1;

const TOGGLED_BY_LABEL = wordSet('checkbox radio switch');
/** Return whether a control in a closed drop-down can be used nevertheless: it can be pressed, or works although it is invisible. */
export const isUsableInClosedPopup = (element, role) =>
  isUsableUnseen(element, role) || !cannotBePressed(element, styleOf(element));
/**
 * Return whether a control can be used although it is invisible: a checkbox by its label, a `<select>` or file field without a press.
 * `role`: its role.
 */
export const isUsableUnseen = (element, role) =>
  TOGGLED_BY_LABEL.has(role) || localNameOf(element) === 'select' || attr(element, 'type') === 'file';

/**
 * Return whether the own text of an element with this computed style is not laid out, although child elements may be:
 * `content-visibility: hidden`, table columns.
 */
export const laysOutNoText = (style) =>
  style.contentVisibility === 'hidden' && !/^(?:inline|table(?:-(?:row|column|header|footer).*)?)$/.test(style.display)
  || style.display.startsWith('table-column');

/**
 * Return whether an element is where nobody can scroll to, and no animation moves it from there. `style`, `box`: its computed style and
 * box.
 */
function isOffScreen(element, style, box) {
  return isBeyondScrollEdges(element, style, box) && !isMovedByAnimation(element);
}

/**
 * Return whether the box of an element is outside of all that can be scrolled to; for `position: fixed` outside of the viewport. `style`:
 * its computed style.
 */
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
 * Return whether a box lies before `edge` in one direction. `end`: its side next to the edge; `size`: its length in that direction; all in
 * pixels. An empty box that ends at the edge does not: its content may be elsewhere, as in dialogs of Fluent UI.
 */
const endsBefore = (end, edge, size) => size > 0 ? end <= edge : end < edge;

/**
 * Return whether neither the page nor a scroll container around an element can be scrolled to its box. False inside of a `position: fixed`
 * element. `view`: the element's window.
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

/**
 * Return whether an element's own text cannot be read: masked, too small, moved out of its box, or of the colour of its background.
 * `style`: its computed style.
 */
function isTextUnreadable(element, style) {
  if (parseFloat(style.fontSize) < MIN_FONT_PIXELS || style.webkitTextSecurity !== 'none') return true;
  if (parseFloat(style.letterSpacing) < 0 && isSqueezed(element)) return true;
  if (style.textIndent !== '0px' && isIndentedAway(element, style)) return true;
  return isTextColourInvisible(element, style);
}

/**
 * Return whether `text-indent` moves the text of an element out of its box, as where a picture replaces the text of a heading. `style`: its
 * computed style.
 */
function isIndentedAway(element, style) {
  if (!isFar(style.textIndent)) return false;
  const box = firstTextBox(element);
  if (box === null || box.width === 0) return false;
  const around = rectOf(element);
  const isOutside = box.right <= around.left || box.left >= around.right;
  return isOutside && (style.overflowX !== 'visible' || isOffScreen(element, style, box));
}

/** Return whether a negative letter spacing makes the text of an element unreadable: less than one pixel wide per letter. */
function isSqueezed(element) {
  const box = firstTextBox(element);
  return box !== null && box.height > 0 && box.width < textContentOf(element).trim().length;
}

/** Return the box of the first text node with more than white space that is a child of an element; null for none. */
function firstTextBox(element) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (!isText(child) || dataOf(child).trim() === '') continue;
    const range = newRange(documentOf(element));
    range.selectNodeContents(child);
    return range.getBoundingClientRect();
  }
  return null;
}

/**
 * Return whether the text of an element is transparent, or has the colour of its background, without a shadow or an outline. `style`: its
 * computed style.
 */
function isTextColourInvisible(element, style) {
  const textColour = parseColour(style.webkitTextFillColor);
  if (textColour === null || style.textShadow !== 'none' || parseFloat(style.webkitTextStrokeWidth) > 0) return false;
  if (isTransparent(textColour)) return !isFilledByBackground(element);
  const background = backgroundOf(element);
  return background !== null && isIndistinguishable(textColour, background)
    && !isPaintedBehind(element, firstTextBox(element), textColour);
}

/** Return whether the letters of an element are filled by its background or that of an ancestor (`background-clip: text`). */
function isFilledByBackground(element) {
  for (let each = element; each; each = parentOf(each)) if (/text/.test(styleOf(each).backgroundClip)) return true;
  return false;
}

/** Return the number of characters of a text, with each run of white space counted as one and none at its ends. */
export const lengthOf = (text) => text.trim().replace(/\s+/g, ' ').length;
