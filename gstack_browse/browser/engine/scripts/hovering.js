// Whether a widget may take for clicked what it believes to be hovered: stars, and grids of sizes, that hear of a move of the pointer and
// of a click, and draw what the move means in a frame of its own. A person's click comes later than that frame; ours has to wait for it.
// Seen in Ark UI and MUI: a click on the second star, behind one on the fifth, set five.

import { closest, labelsIn, matches, rectOf } from './engine-accessors.js';
import { ancestorsOf } from './engine-dom.js';

/** In a document in quirks mode `:hover` by itself is said of links only. */
const HOVERED = ':is(:hover)';
export const isHovered = (element) => matches(element, HOVERED);

const LEVELS = 3;
const HIGHEST = 400; // pixels
/** Elements that pages are mostly clicked at, and text fields. The place of the pointer in them does not matter. */
const NOT_DRIVEN =
  'a[href],button,select,summary,textarea,input:not([type=radio],[type=checkbox]),[role=button],[role=link],[role=tab],[role=checkbox],[role=switch],[contenteditable]';

/** Whether the pointer rests on something else in the small widget that the element is in. */
export function isPointerBeside(element) {
  if (isHovered(element) || [...(labelsIn(element) ?? [])].some(isHovered)) return false;
  let level = 0;
  for (const around of ancestorsOf(element)) {
    if (level++ === LEVELS || rectOf(around).height > HIGHEST) return false;
    if (isHovered(around)) return closest(element, NOT_DRIVEN) === null;
  }
  return false;
}
