import { hasClassWord } from '../class-names.js';

/** @type {import('../rule-table.js').WidgetRule} */
export const selectBoxRule = {
  name: 'select-box',
  seenIn: 'nice-select2 2.2, Materialize 1.0',
  kind: 'list',
  matches: hasClassWord('select'),
};
