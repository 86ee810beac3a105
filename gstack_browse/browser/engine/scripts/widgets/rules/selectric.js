import { hasClassWord } from '../class-names.js';

/** @type {import('../rule-table.js').WidgetRule} */
export const selectricRule = {
  name: 'selectric',
  seenIn: 'Selectric 1.13',
  kind: 'list',
  matches: hasClassWord('selectric'),
};
