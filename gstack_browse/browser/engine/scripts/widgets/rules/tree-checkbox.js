import { hasClass } from '../class-names.js';

const isCalledCheckbox = hasClass(/(^|[-_\s])check-?box(\s|$)/i);

/** An empty icon draws the box of an item of a tree, which says itself whether it is ticked. @type {import('../rule-table.js').WidgetRule} */
export const treeCheckboxRule = {
  name: 'tree-checkbox',
  seenIn: 'jsTree 3.3',
  kind: 'checkbox',
  matches: (element) => isCalledCheckbox(element) && !element.hasChildNodes(),
};
