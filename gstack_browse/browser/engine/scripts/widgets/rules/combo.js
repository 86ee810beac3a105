import { hasClassWord } from '../class-names.js';

/** @type {import('../rule-table.js').WidgetRule} */
export const comboRule = {
  name: 'combo',
  seenIn: 'EasyUI 1.11',
  kind: 'list',
  matches: hasClassWord('combo(?:box)?'),
};
