// Words in class names that many libraries use for the parts of a widget. They count only where roles and states tell nothing. Class names
// of single libraries are in rules.js.

import { queryAll } from '../dom/accessors.js';
import { attr } from '../dom/dom.js';

/**
 * Return a function that tells of an element whether its `class` contains one of these words, separated by `|`. `select` is a word of
 * `nice-select`, not of `selected`.
 */
export const hasClassWord = (words) => hasClass(new RegExp(`(?:^|[\\s_-])(?:${words})(?:$|[\\s_-])`, 'i'));

/** Return a function that tells of an element whether its `class` matches a regular expression. */
export function hasClass(pattern) {
  return (element) => pattern.test(attr(element, 'class') || '');
}

// Whether an element is the arrow that opens a list, by its classes.
export const hasArrowClass = hasClassWord('arrow|caret|chevron|toggle|trigger|expand|drop-?down|ddl');

// Whether an element is chosen, by its classes. It may only be the active option: Fomantic UI names that one `selected`.
export const hasChosenClass = hasClassWord('selected|active|checked|chosen');

// Whether an element is the handle of a slider, by its classes.
export const hasHandleClass = hasClass(/(?:^|[\s_-])(?:slider[_-]*)?(?:handle|thumb|knob)(?![a-z])/i);

/** Return the descendants of an element that are handles of a slider (its thumb, moved by dragging), by their class names. */
export const handlesIn = (element) => [...queryAll(element, '[class]')].filter(hasHandleClass);
