// Which elements are hidden: by display, visibility, inert, aria-hidden, closed details; and which boxes have no size.

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
/** Return the computed style of an element, or of its pseudo-element, such as "::before". */
export const styleOf = (element, pseudo) => getComputedStyle(element, pseudo);

/**
 * Return how much of an element is hidden by `display` and `visibility`: "all", "text" (its own text, while child elements may be visible),
 * or "" for nothing.
 */
export function hiddenExtent(element) {
  if (isRendered.call(element, WITH_VISIBILITY)) return '';
  const style = styleOf(element);
  if (style.display === 'none') return isAreaOfShownImage(element) ? '' : 'all';
  if (style.display === 'contents')
    return isParentDisplayed(element) ? style.visibility === 'visible' ? '' : 'text' : 'all';
  if (style.visibility !== 'visible')
    return isRenderedOnceSettled(element) ? '' : isRendered.call(element) ? 'text' : 'all';
  return isAreaOrOption(element) ? '' : 'all';
}

// Chromium's `checkVisibility` returns true for elements in such a group.
/** Return whether a `<g>` of SVG has `display: none`. */
export const isHiddenSvgGroup = (group) => styleOf(group).display === 'none';
const SVG_TEMPLATE_TAGS = new Set(['defs', 'symbol', 'clipPath']);
/** Return whether an element is in a hidden group of an SVG drawing, or in `<defs>` or `<symbol>`, which only a `<use>` draws. */
export function isInHiddenSvgPart(element) {
  if (namespaceOf(element) !== SVG && closest(element, 'foreignObject') === null) return false;
  for (let each = element; each !== null; each = parentOf(each)) {
    const name = namespaceOf(each) === SVG ? localNameOf(each) : '';
    if (SVG_TEMPLATE_TAGS.has(name) || name === 'g' && isHiddenSvgGroup(each)) return true;
  }
  return false;
}

// An option of a closed list has no box, so `hiddenExtent` cannot tell.
/** Return "all" if an `<option>` is hidden by its style, else "" (see `hiddenExtent`). */
export function hiddenExtentOfOption(option) {
  const style = styleOf(option);
  return style.display === 'none' || style.visibility !== 'visible' ? 'all' : '';
}

const innerTextOf = getter(HTMLElement, 'innerText');
const SPACE = /\s+/g;
// Takes a tenth of the time of checking each element. If true, no element with text in it is hidden, except options and elements with
// `display: contents`.
/** Return whether all text of an element is displayed: `innerText` equals `textContent` but for white space. */
export function displaysAllText(element) {
  if (hasShadowTrees || namespaceOf(element) !== HTML) return false;
  const text = textContentOf(element).replace(SPACE, '');
  return text !== '' && innerTextOf(element).replace(SPACE, '') === text;
}

/** Return whether the first child of an element is a text node with more than white space. */
export function startsWithText(element) {
  const first = firstChildOf(element);
  return first !== null && isText(first) && /\S/.test(dataOf(first));
}

/** Return whether an element is an `<area>`, `<option>` or `<optgroup>`, which can be used without a box. */
function isAreaOrOption(element) {
  const name = localNameOf(element);
  return name === 'area' || name === 'option' || name === 'optgroup';
}

const naturalWidthOf = lateGetter('HTMLImageElement', 'naturalWidth');
/** Return whether an element is an `<area>` whose image is displayed. */
function isAreaOfShownImage(element) {
  const image = localNameOf(element) === 'area' ? imageOfArea(element) : null;
  return image !== null && naturalWidthOf(image) > 0 && isRendered.call(image, WITH_VISIBILITY);
}

/** Return the first image that uses the `<map>` of an `<area>`; null for none. */
export function imageOfArea(area) {
  const map = closest(area, 'map');
  const name = map && (attr(map, 'name') || attr(map, 'id'));
  return name ? queryOneIn(rootOf(area), `img[usemap="#${CSS.escape(name)}"]`) : null;
}

/** Return whether the parent of an element is displayed; for a parent with `display: contents`, the nearest ancestor with a box. */
function isParentDisplayed(element) {
  const parent = parentOf(element);
  if (!parent) return true;
  const style = styleOf(parent);
  return style.display === 'contents' ? isParentDisplayed(parent) : style.display !== 'none' && isRendered.call(parent);
}

/** Return whether an attribute of the element hides it from assistive technology: `aria-hidden`, `inert` or `hidden=until-found`. */
export function isHiddenByAttribute(element) {
  return attr(element, 'aria-hidden') === 'true' || hasAttr(element, 'inert')
    || attr(element, 'hidden') === 'until-found';
}

/** Return whether an element is hidden from screen or assistive technology, by itself or an ancestor. */
export function isHidden(element) {
  if (hiddenExtent(element) || isInHiddenSvgPart(element)) return true;
  if (isHiddenByAttribute(element)) return true;
  for (const ancestor of ancestorsOf(element)) if (isHiddenByAttribute(ancestor)) return true;
  return false;
}

// Boxes without size: their content may be visible, clipped, or there for keys only.

/**
 * Return "clipped" for an element whose box has no size and clips its content, "unusable" for one with nothing to see or use; "" for any
 * other. `tag`, `kind`: facts about its tag and role (accname/roles.js, kinds.js).
 */
export function collapsedState(element, tag, kind) {
  if (
    !hasAttr(element, 'class') && !hasAttr(element, 'style') && !hasAttr(element, 'width')
    && !hasAttr(element, 'height')
  ) return '';
  const [width, height] = [offsetWidthOf(element), offsetHeightOf(element)];
  if ((width <= 1 || height <= 1) && isUnreachableField(element, tag)) return 'unusable';
  if (width > 0 && height > 0 || width === undefined) return '';
  if (tag.frame) return 'unusable';
  if (tag.name === 'input' && element.type === 'file') return ''; // pages hide it behind a button of their own
  const style = styleOf(element);
  if (style.display === 'contents') return '';
  if (tag.name === 'input' || tag.name === 'select' || tag.name === 'textarea' || tag.name === 'button')
    return labelsOf(element).length || isInTabOrder(element) ? '' : 'unusable';
  if (kind.role === 'textbox' && isInTabOrder(element)) return '';
  if (style.overflowX !== 'visible' && width === 0 || style.overflowY !== 'visible' && height === 0) return 'clipped';
  return kind.operable && kind.role !== 'textbox' && width === 0 && height === 0 && !childElementCountOf(element)
    ? 'unusable'
    : '';
}

/** Return whether a field can be reached neither by Tab nor by a label, as one in which a widget stores its value. */
const isUnreachableField = (element, tag) =>
  (tag.name === 'select' || tag.name === 'textarea' || tag.name === 'input' && hasTextSelection(element))
  && Number(attr(element, 'tabindex') || 0) < 0 && !labelsOf(element).length;
/** Return whether an input has a text selection, so that text can be typed into it. */
const hasTextSelection = (input) => input.selectionStart !== null;

/** Return whether the Tab key reaches an element. */
const isInTabOrder = (element) => isFocusable(element) && !(Number(attr(element, 'tabindex') || 0) < 0);

const MAX_CAPTURE_FIELD_WIDTH = 8; // pixels
/**
 * Return whether a field only captures the keys of a code editor, as in CodeMirror. `box`: the invisible element around it, at the caret.
 */
export function isKeyCaptureField(field, box) {
  if (localNameOf(field) !== 'textarea' && !isEditingHost(field) || !isInTabOrder(field)) return false;
  return box.offsetWidth <= MAX_CAPTURE_FIELD_WIDTH;
}
