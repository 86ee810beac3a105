// Boxes of no size: what is in them can be seen all the same, or is cut off, or is there for keys only.

import { childElementCountOf, localNameOf, offsetHeightOf, offsetWidthOf } from './engine-accessors.js';
import { attr, hasAttr } from './engine-dom.js';
import { isFocusable } from './engine-explicit-roles.js';
import { styleOf } from './engine-hidden.js';
import { labelsOf } from './engine-relations.js';
import { isEditingHost } from './engine-editors.js';

// Judge a box of no size: 'clipped' if it cuts off its content, 'gone' if there is nothing to see or to use; '' for any other box.
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

// A field that a page keeps its own widget's value in: neither seen, nor reached by Tab or by a label.
const isOutOfReach = (element, tag) =>
  (tag.name === 'select' || tag.name === 'textarea' || tag.name === 'input' && isWritten(element))
  && Number(attr(element, 'tabindex') || 0) < 0 && !labelsOf(element).length;
const isWritten = (input) => input.selectionStart !== null;

const isInTabOrder = (element) => isFocusable(element) && !(Number(attr(element, 'tabindex') || 0) < 0);

// A field in which CodeMirror and its like take keys: invisible, in a box next to the cursor, a few pixels wide. Folded boxes are
// flat instead.
const MAX_CATCHER = 8;
export function isKeyCatcher(field, box) {
  if (localNameOf(field) !== 'textarea' && !isEditingHost(field) || !isInTabOrder(field)) return false;
  return box.offsetWidth <= MAX_CATCHER;
}
