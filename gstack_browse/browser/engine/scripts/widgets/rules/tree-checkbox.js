import { hasClass } from '../class-names.js';

const isCalledCheckbox = hasClass(/(^|[-_\s])check-?box(\s|$)/i);

/** The checkbox of a tree item is drawn by an empty icon; the item itself has the state. @type {import('../rule-table.js').WidgetRule} */
export const treeCheckboxRule = {
  name: 'tree-checkbox',
  seenIn: 'jsTree 3.3',
  kind: 'checkbox',
  matches: (element) => isCalledCheckbox(element) && !element.hasChildNodes(),
};
