// Words in class names by which many libraries call the parts of a widget. Such a word proves nothing: it is asked for only where the page
// says nothing by roles and states. What single libraries need besides is in rules/.

import { queryAll } from '../dom/accessors.js';
import { attr } from '../dom/dom.js';

/**
 * Return a test whether one of the words of a pattern stands alone in an element's classes: `select` in `nice-select`, not in `selected`.
 */
export const hasClassWord = (words) => hasClass(new RegExp(`(?:^|[\\s_-])(?:${words})(?:$|[\\s_-])`, 'i'));

/** Return a test whether an element's classes match a pattern. */
export function hasClass(pattern) {
  return (element) => pattern.test(attr(element, 'class') || '');
}

/** Whether the classes call an element the arrow that opens the list of a field. */
export const isCalledArrow = hasClassWord('arrow|caret|chevron|toggle|trigger|expand|drop-?down|ddl');

/** Whether the classes call an element chosen, or the line that the keys are at: Fomantic UI names that one `selected`. */
export const isCalledChosen = hasClassWord('selected|active|checked|chosen');

/** Whether the classes call an element the handle of a slider. */
export const isCalledHandle = hasClass(/(?:^|[\s_-])(?:slider[_-]*)?(?:handle|thumb|knob)(?![a-z])/i);

/** Return the elements in another one whose classes call them the handle of a slider. */
export const handlesIn = (element) => [...queryAll(element, '[class]')].filter(isCalledHandle);
