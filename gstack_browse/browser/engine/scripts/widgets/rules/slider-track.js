import { ancestorsOf } from '../../dom/dom.js';
import { handlesIn, hasClass } from '../class-names.js';

/** A slider whose track takes the focus; its handle is a sibling of the track. @type {import('../rule-table.js').WidgetRule} */
export const sliderTrackRule = {
  name: 'slider-track',
  seenIn: 'ion.RangeSlider 2.3',
  kind: 'slider',
  matches: hasClass(/(?:^|[\s_-])(?:line|track|rail)(?![a-z])/i),
  handles: (element) =>
    [...ancestorsOf(element)].slice(0, 2).map(handlesIn).find((handles) => handles.length > 0) ?? [],
};
