import { hasClassWord } from '../class-names.js';

/** @type {import('../rule-table.js').WidgetRule} */
export const dropdownRule = {
  name: 'dropdown',
  seenIn: 'Fomantic UI 2.9',
  kind: 'list',
  matches: hasClassWord('dropdown'),
};
