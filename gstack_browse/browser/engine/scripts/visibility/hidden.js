// Tells which elements are hidden: by display, visibility, inert, aria-hidden, closed details; and which boxes have no size.

import { labelsOf } from '../accname/names.js';
import { isFocusable } from '../accname/roles.js';
import { isEditingHost } from '../accname/values.js';
import {
  childElementCountOf,
  closest,
  dataOf,
  firstChildOf,
  getter,
  lateGetter,
  localNameOf,
  namespaceOf,
  offsetHeightOf,
  offsetWidthOf,
  rootOf,
  textContentOf,
} from '../dom/accessors.js';
import { ancestorsOf, attr, hasAttr, hasShadowTrees, HTML, isText, parentOf, queryOneIn, SVG } from '../dom/dom.js';
import { isRenderedOnceSettled } from './animations.js';

export const isRendered = Element.prototype.checkVisibility;
export const WITH_VISIBILITY = { visibilityProperty: true };
/** Return the computed style of an element, or of its pseudo-element. */
export const styleOf = (element, pseudo) => getComputedStyle(element, pseudo);

/**
 * Return "none" if nothing in an element is displayed, "self" if only its own text is hidden, else "". An element without a box may still
 * show its children (`display: contents`).
 */
export function hiddenness(element) {
  if (isRendered.call(element, WITH_VISIBILITY)) return '';
  const style = styleOf(element);
  if (style.display === 'none') return isAreaOfShownImage(element) ? '' : 'none';
  if (style.display === 'contents')
    return isParentDisplayed(element) ? style.visibility === 'visible' ? '' : 'self' : 'none';
  if (style.visibility !== 'visible')
    return isRenderedOnceSettled(element) ? '' : isRendered.call(element) ? 'self' : 'none';
  return isAreaOrOption(element) ? '' : 'none';
}

/** Whether a `<g>` of SVG has `display: none`: Chromium's `checkVisibility` says that what is in it is visible. */
export const isHiddenSvgGroup = (group) => styleOf(group).display === 'none';
const SVG_TEMPLATE_TAGS = new Set(['defs', 'symbol', 'clipPath']);
/** Whether an element is in a hidden part of an SVG drawing, or in one that is only drawn by a `<use>`. */
export function isInHiddenSvgPart(element) {
  if (namespaceOf(element) !== SVG && closest(element, 'foreignObject') === null) return false;
  for (let each = element; each !== null; each = parentOf(each)) {
    const name = namespaceOf(each) === SVG ? localNameOf(each) : '';
    if (SVG_TEMPLATE_TAGS.has(name) || name === 'g' && isHiddenSvgGroup(each)) return true;
  }
  return false;
}

/** Return "none" if an option is hidden by its style, else "". An option of a closed list has no box, so `hiddenness` cannot tell. */
export function optionHiddenness(option) {
  const style = styleOf(option);
  return style.display === 'none' || style.visibility !== 'visible' ? 'none' : '';
}

const innerTextOf = getter(HTMLElement, 'innerText');
const SPACE = /\s+/g;
/**
 * Whether all text of an element is displayed, by one comparison that takes a tenth of the time of asking each element. Then no element
 * with text in it is hidden, except options and elements with `display: contents`.
 */
export function displaysAllText(element) {
  if (hasShadowTrees || namespaceOf(element) !== HTML) return false;
  const text = textContentOf(element).replace(SPACE, '');
  return text !== '' && innerTextOf(element).replace(SPACE, '') === text;
}

/** Whether an element begins with text of its own. */
export function startsWithText(element) {
  const first = firstChildOf(element);
  return first !== null && isText(first) && /\S/.test(dataOf(first));
}

/** Whether an element can be used without a box: an area of an image map, or an option of a closed list. */
function isAreaOrOption(element) {
  const name = localNameOf(element);
  return name === 'area' || name === 'option' || name === 'optgroup';
}

const naturalWidthOf = lateGetter('HTMLImageElement', 'naturalWidth');
/** Whether an element is an area of an image map whose image is displayed. */
function isAreaOfShownImage(element) {
  const image = localNameOf(element) === 'area' ? imageOfArea(element) : null;
  return image !== null && naturalWidthOf(image) > 0 && isRendered.call(image, WITH_VISIBILITY);
}

/** Return the first image that uses the map of an area; null for none. */
export function imageOfArea(area) {
  const map = closest(area, 'map');
  const name = map && (attr(map, 'name') || attr(map, 'id'));
  return name ? queryOneIn(rootOf(area), `img[usemap="#${CSS.escape(name)}"]`) : null;
}

/** Whether the parent of an element with `display: contents` is displayed. */
function isParentDisplayed(element) {
  const parent = parentOf(element);
  if (!parent) return true;
  const style = styleOf(parent);
  return style.display === 'contents' ? isParentDisplayed(parent) : style.display !== 'none' && isRendered.call(parent);
}

/** Whether an attribute of the element hides it from assistive technology: `aria-hidden`, `inert` or `hidden=until-found`. */
export function isHiddenByAttribute(element) {
  return attr(element, 'aria-hidden') === 'true' || hasAttr(element, 'inert')
    || attr(element, 'hidden') === 'until-found';
}

/** Whether an element is hidden by itself or an ancestor. The walk does not call this, since it knows about ancestors already. */
export function isHidden(element) {
  if (hiddenness(element) || isInHiddenSvgPart(element)) return true;
  if (isHiddenByAttribute(element)) return true;
  for (const ancestor of ancestorsOf(element)) if (isHiddenByAttribute(ancestor)) return true;
  return false;
}

// Boxes of no size: their content may be visible, cut off, or there for keys only.

/**
 * Return "clipped" for an element whose box has no size and cuts off its content, "gone" for one with nothing to see or use; "" for any
 * other.
 */
export function collapsedState(element, tag, kind) {
  if (
    !hasAttr(element, 'class') && !hasAttr(element, 'style') && !hasAttr(element, 'width')
    && !hasAttr(element, 'height')
  ) return '';
  const [width, height] = [offsetWidthOf(element), offsetHeightOf(element)];
  if ((width <= 1 || height <= 1) && isUnreachableField(element, tag)) return 'gone';
  if (width > 0 && height > 0 || width === undefined) return '';
  if (tag.frame) return 'gone';
  if (tag.name === 'input' && element.type === 'file') return ''; // pages hide it behind a button of their own
  const style = styleOf(element);
  if (style.display === 'contents') return '';
  if (tag.name === 'input' || tag.name === 'select' || tag.name === 'textarea' || tag.name === 'button')
    return labelsOf(element).length || isInTabOrder(element) ? '' : 'gone';
  if (kind.role === 'textbox' && isInTabOrder(element)) return '';
  if (style.overflowX !== 'visible' && width === 0 || style.overflowY !== 'visible' && height === 0) return 'clipped';
  return kind.operable && kind.role !== 'textbox' && width === 0 && height === 0 && !childElementCountOf(element)
    ? 'gone'
    : '';
}

/** Whether a field can be reached neither by Tab nor by a label: widgets keep their value in such a one. */
const isUnreachableField = (element, tag) =>
  (tag.name === 'select' || tag.name === 'textarea' || tag.name === 'input' && hasTextSelection(element))
  && Number(attr(element, 'tabindex') || 0) < 0 && !labelsOf(element).length;
/** Whether an input has a text selection, so that text can be typed into it. */
const hasTextSelection = (input) => input.selectionStart !== null;

/** Whether the Tab key reaches an element. */
const isInTabOrder = (element) => isFocusable(element) && !(Number(attr(element, 'tabindex') || 0) < 0);

const MAX_CAPTURE_FIELD_WIDTH = 8; // pixels
/** Whether an invisible field only captures the keys of a code editor: it is in a narrow box at the caret, as in CodeMirror. */
export function isKeyCaptureField(field, box) {
  if (localNameOf(field) !== 'textarea' && !isEditingHost(field) || !isInTabOrder(field)) return false;
  return box.offsetWidth <= MAX_CAPTURE_FIELD_WIDTH;
}
