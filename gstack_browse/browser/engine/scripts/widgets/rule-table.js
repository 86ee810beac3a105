// Rules for widgets without ARIA and native elements. Roles, states, native elements, focus, keys and what the page shows are tried first.
// Where they tell nothing, the first of these rules that matches counts. Each is a file in rules/ of the rule's name.

import { exported } from '../dom/dom.js';
import { chosenRule } from './rules/chosen.js';
import { comboRule } from './rules/combo.js';
import { dropdownRule } from './rules/dropdown.js';
import { select2Rule } from './rules/select2.js';
import { selectBoxRule } from './rules/select-box.js';
import { selectizeRule } from './rules/selectize.js';
import { selectricRule } from './rules/selectric.js';
import { sliderHandleRule } from './rules/slider-handle.js';
import { sliderThumbRule } from './rules/slider-thumb.js';
import { sliderTrackRule } from './rules/slider-track.js';
import { treeCheckboxRule } from './rules/tree-checkbox.js';

/**
 * `kind`: what an element is that matches. A "list" opens lines to choose from when it is pressed, and a text field in it only narrows them
 * down; a "slider" is moved by keys, and `handles` are drawn where it is; a "checkbox" is the icon that is pressed to tick an item.
 * @typedef {{
 *   name: string,
 *   seenIn: string,
 *   kind: 'list' | 'slider' | 'checkbox',
 *   matches: (element: Element) => boolean,
 *   handles?: (element: Element) => Element[],
 * }} WidgetRule
 */

/** @type {WidgetRule[]} */
const WIDGET_RULES = [
  dropdownRule,
  select2Rule,
  selectizeRule,
  selectricRule,
  chosenRule,
  comboRule,
  selectBoxRule,
  sliderHandleRule,
  sliderThumbRule,
  sliderTrackRule,
  treeCheckboxRule,
];

let rulesInUse = WIDGET_RULES;

/** Leave out the rules of these names (`BROWSE_WIDGET_RULES`): called as the engine is made. */
exported.switchRulesOff = (names) => {
  rulesInUse = WIDGET_RULES.filter((rule) => !names.includes(rule.name));
};

/** Return the first rule of a kind that matches an element; undefined for none. */
export const widgetRule = (kind, element) => rulesInUse.find((rule) => rule.kind === kind && rule.matches(element));
