import { hasClassWord } from '../class-names.js';

/** @type {import('../rule-table.js').WidgetRule} */
export const select2Rule = {
  name: 'select2',
  seenIn: 'Select2 3.5 (Flask-Admin)',
  kind: 'list',
  matches: hasClassWord('select2'),
};
