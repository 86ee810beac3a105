import { handlesIn, hasClass } from '../class-names.js';

/** The slider has the focus, and moves the handle in it. @type {import('../rule-table.js').WidgetRule} */
export const sliderThumbRule = {
  name: 'slider-thumb',
  seenIn: 'Fomantic UI 2.9',
  kind: 'slider',
  matches: hasClass(/(?:^|\s)(?:[\w-]*-)?slider(?:\s|$)/i),
  handles: handlesIn,
};
