// Layers of a page: dialogs, popups, whatever lies over the rest of it.

import { bodyOf, containsNode, localNameOf, rootOf } from './engine-accessors.js';
import { ancestorsOf, hasAttr } from './engine-dom.js';
import { explicitRoleOf } from './engine-explicit-roles.js';
import { styleOf } from './engine-hidden.js';
import { fillKind } from './fields.js';

/** Whether an element stands in a dialog, or in another part that lies over the page: Escape may close all of it. */
export const isInLayer = (element) =>
  [element, ...ancestorsOf(element)].some((each) =>
    localNameOf(each) === 'dialog' || /dialog$/.test(explicitRoleOf(each) || '') || hasAttr(each, 'popover')
    || each !== bodyOf(document) && styleOf(each).position === 'fixed'
  );

const OVER_OTHERS = new Set(['absolute', 'fixed']);

/**
 * Whether an element stands in a part that lies over the page, and the focus is in a field outside of that. The popup of a field mostly closes when the
 * field loses the focus, unless it has heard of a press in itself.
 */
export function isInPopupOfFocused(element) {
  const focused = rootOf(element).activeElement;
  if (!focused || focused === element || fillKind(focused) === '') return false;
  for (const each of ancestorsOf(element)) {
    if (each === bodyOf(document) || containsNode(each, focused)) return false;
    if (OVER_OTHERS.has(styleOf(each).position)) return true;
  }
  return false;
}
