// Elements that do not exist for a person: display:none, visibility, inert, aria-hidden, closed details, no content; and boxes of no size.

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
import { ancestorsOf, attr, hasAttr, HTML, isText, parentOf, queryTree, shadowsMet, SVG } from '../dom/dom.js';
import { isRenderedOnceSettled } from './animations.js';

export const isRendered = Element.prototype.checkVisibility;
const VISIBLE = { visibilityProperty: true };
/** Return the computed style of an element, or of its pseudo-element. */
export const styleOf = (element, pseudo) => getComputedStyle(element, pseudo);

/**
 * Return "none" if nothing in an element can be seen, "self" if only its own text is hidden, else "". A box is the usual answer; an
 * element without one may still show its children (`display: contents`).
 */
export function hiddenness(element) {
  if (isRendered.call(element, VISIBLE)) return '';
  const style = styleOf(element);
  if (style.display === 'none') return isAreaOfShownImage(element) ? '' : 'none';
  if (style.display === 'contents')
    return isParentDisplayed(element) ? style.visibility === 'visible' ? '' : 'self' : 'none';
  if (style.visibility !== 'visible')
    return isRenderedOnceSettled(element) ? '' : isRendered.call(element) ? 'self' : 'none';
  return isAreaOrOption(element) ? '' : 'none';
}

/** Whether a `<g>` is not displayed: Chromium lays out what is in it, and calls it visible. The walk asks on its way down. */
export const isUndrawnGroup = (group) => styleOf(group).display === 'none';
const REFERRED_TO = new Set(['defs', 'symbol', 'clipPath']);
/** Whether an element is in a part of a drawing that is not displayed, or only where something refers to it. */
export function isUndrawn(element) {
  if (namespaceOf(element) !== SVG && closest(element, 'foreignObject') === null) return false;
  for (let each = element; each !== null; each = parentOf(each)) {
    const name = namespaceOf(each) === SVG ? localNameOf(each) : '';
    if (REFERRED_TO.has(name) || name === 'g' && isUndrawnGroup(each)) return true;
  }
  return false;
}

/** Return "none" if an option is not among the options of its list, else "": in a closed list it has no box, so only its style tells. */
export function optionHiddenness(option) {
  const style = styleOf(option);
  return style.display === 'none' || style.visibility !== 'visible' ? 'none' : '';
}

const innerTextOf = getter(HTMLElement, 'innerText');
const SPACE = /\s+/g;
/**
 * Whether all text of an element is displayed, by one question that takes a tenth of the time of asking each element. Then nothing in it
 * that has text of its own is hidden, except an option, and what is `display: contents`.
 */
export function showsAllWords(element) {
  if (shadowsMet || namespaceOf(element) !== HTML) return false;
  const words = textContentOf(element).replace(SPACE, '');
  return words !== '' && innerTextOf(element).replace(SPACE, '') === words;
}

/** Whether an element begins with text of its own. */
export function hasWords(element) {
  const first = firstChildOf(element);
  return first !== null && isText(first) && /\S/.test(dataOf(first));
}

/** Whether an element never has a box, and is there all the same: an area, or an option of a closed list. */
function isAreaOrOption(element) {
  const name = localNameOf(element);
  return name === 'area' || name === 'option' || name === 'optgroup';
}

const naturalWidthOf = lateGetter('HTMLImageElement', 'naturalWidth');
/** Whether an element is an area of an image map whose image is displayed. */
function isAreaOfShownImage(element) {
  const image = localNameOf(element) === 'area' ? imageOfArea(element) : null;
  return image !== null && naturalWidthOf(image) > 0 && isRendered.call(image, VISIBLE);
}

/** Return the first image that uses the map of an area; null for none. */
export function imageOfArea(area) {
  const map = closest(area, 'map');
  const name = map && (attr(map, 'name') || attr(map, 'id'));
  return name ? queryTree(rootOf(area), `img[usemap="#${CSS.escape(name)}"]`) : null;
}

/** Whether the parent of an element with `display: contents` is displayed. */
function isParentDisplayed(element) {
  const parent = parentOf(element);
  if (!parent) return true;
  const style = styleOf(parent);
  return style.display === 'contents' ? isParentDisplayed(parent) : style.display !== 'none' && isRendered.call(parent);
}

/** Whether an attribute of the element itself closes it to assistive technology. */
export function isClosedOff(element) {
  return attr(element, 'aria-hidden') === 'true' || hasAttr(element, 'inert')
    || attr(element, 'hidden') === 'until-found';
}

/** Whether an element is hidden by itself or an ancestor. For single questions; the walk asks on its way down instead. */
export function isHidden(element) {
  if (hiddenness(element) || isUndrawn(element)) return true;
  if (isClosedOff(element)) return true;
  for (const ancestor of ancestorsOf(element)) if (isClosedOff(ancestor)) return true;
  return false;
}

// Boxes of no size: what is in them can be seen all the same, or is cut off, or is there for keys only.

/**
 * Return "clipped" for an element without a size that cuts off its content, "gone" for one with nothing to see or use; "" for any other.
 */
export function collapse(element, tag, kind) {
  if (
    !hasAttr(element, 'class') && !hasAttr(element, 'style') && !hasAttr(element, 'width')
    && !hasAttr(element, 'height')
  ) return '';
  const [width, height] = [offsetWidthOf(element), offsetHeightOf(element)];
  if ((width <= 1 || height <= 1) && isOutOfReach(element, tag)) return 'gone';
  if (width > 0 && height > 0 || width === undefined) return '';
  if (tag.frame) return 'gone';
  if (tag.name === 'input' && element.type === 'file') return ''; // hidden behind a button of the page's own, it still takes files
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

/** Whether a page only keeps its widget's value in a field: not seen, nor reached by Tab or a label. */
const isOutOfReach = (element, tag) =>
  (tag.name === 'select' || tag.name === 'textarea' || tag.name === 'input' && takesTyping(element))
  && Number(attr(element, 'tabindex') || 0) < 0 && !labelsOf(element).length;
/** Whether text can be typed into an input. */
const takesTyping = (input) => input.selectionStart !== null;

/** Whether the Tab key reaches an element. */
const isInTabOrder = (element) => isFocusable(element) && !(Number(attr(element, 'tabindex') || 0) < 0);

const MAX_CATCHER = 8; // pixels; a folded box is flat instead, and wider
/** Whether a field only takes the keys of an editor: invisible, in a narrow box next to the cursor, as in CodeMirror. */
export function isKeyCatcher(field, box) {
  if (localNameOf(field) !== 'textarea' && !isEditingHost(field) || !isInTabOrder(field)) return false;
  return box.offsetWidth <= MAX_CATCHER;
}
