import { hasClassWord } from '../class-names.js';

/** @type {import('../rule-table.js').WidgetRule} */
export const chosenRule = {
  name: 'chosen',
  seenIn: 'Chosen 1.8',
  kind: 'list',
  matches: hasClassWord('chosen'),
};
