import { hasClassWord } from '../class-names.js';

/** @type {import('../rule-table.js').WidgetRule} */
export const selectizeRule = {
  name: 'selectize',
  seenIn: 'selectize 0.12',
  kind: 'list',
  matches: hasClassWord('selectize'),
};
