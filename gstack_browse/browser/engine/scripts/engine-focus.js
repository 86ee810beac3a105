// Finds the focused element of a tree.

import { activeElementOf, lateGetter } from './engine-accessors.js';
import { hasAttrs, referenced, shadowRootOf } from './engine-dom.js';

// The element that has the focus, in whatever shadow tree; a frame's own document knows its own.
const activeInShadow = lateGetter('ShadowRoot', 'activeElement');
export const focusedIn = (root) => focusedUnder(activeElementOf(root));

// The focused element in the shadow trees of an element, known closed ones included; the element itself if none is.
export function focusedUnder(element) {
  let focused = element;
  for (let shadow = focused && shadowRootOf(focused); shadow; shadow = shadowRootOf(focused)) {
    const inner = activeInShadow(shadow);
    if (inner === null) break;
    focused = inner;
  }
  return focused;
}

export const activeDescendantOf = (focused) =>
  focused && hasAttrs(focused) ? referenced(focused, 'aria-activedescendant')[0] ?? null : null;
