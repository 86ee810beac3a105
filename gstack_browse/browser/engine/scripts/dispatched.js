// Whether input has come to this window at all. Chromium keeps it back while it asks something in a window of its own, and says nothing of that.

import { matches } from './engine-accessors.js';
import { exported } from './engine-dom.js';
import { focusedIn } from './engine-focus.js';

/** Events of these types that this window has dispatched so far, those included that the page keeps from our listeners. */
export const dispatched = (types) => types.reduce((sum, type) => sum + (performance.eventCounts.get(type) ?? 0), 0);

/** Elements that may show a list or a calendar of Chromium's own, which takes keys before the page. */
const HAS_PICKER = 'select:open, input:open, input[list]';

/**
 * This document, and how many keys have gone down in it: two equal answers are of one document that has heard no key in between. Null where keys go
 * elsewhere: to a frame in it, to another document, to a picker.
 */
exported.keysDispatched = () => {
  if (!exported.getsKeys() || matches(focusedIn(document), HAS_PICKER)) return null;
  return [performance.timeOrigin, dispatched(['keydown'])];
};
