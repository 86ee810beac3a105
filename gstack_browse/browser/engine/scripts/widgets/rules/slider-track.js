import { ancestorsOf } from '../../dom/dom.js';
import { handlesIn, hasClass } from '../class-names.js';

/** The track has the focus, and moves the handle that stands beside it. @type {import('../rule-table.js').WidgetRule} */
export const sliderTrackRule = {
  name: 'slider-track',
  seenIn: 'ion.RangeSlider 2.3',
  kind: 'slider',
  matches: hasClass(/(?:^|[\s_-])(?:line|track|rail)(?![a-z])/i),
  handles: (element) =>
    [...ancestorsOf(element)].slice(0, 2).map(handlesIn).find((handles) => handles.length > 0) ?? [],
};
