import { hasClass } from '../class-names.js';

/** The handle has the focus. @type {import('../rule-table.js').WidgetRule} */
export const sliderHandleRule = {
  name: 'slider-handle',
  seenIn: 'jQuery UI 1.13',
  kind: 'slider',
  matches: hasClass(/(?:^|[\s_-])slider[_-]*(?:handle|thumb|knob)(?![a-z])/i),
  handles: (element) => [element],
};
