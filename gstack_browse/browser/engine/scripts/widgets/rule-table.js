// Rules that recognise widgets without ARIA by class names of libraries. They apply last, after roles, states, native elements, focus, keys
// and displayed text. Each rule is a file in rules/ of its name; the first one that matches counts.

import { exported } from '../dom/dom.js';
import { chosenRule } from './rules/chosen.js';
import { comboRule } from './rules/combo.js';
import { dropdownRule } from './rules/dropdown.js';
import { selectBoxRule } from './rules/select-box.js';
import { select2Rule } from './rules/select2.js';
import { selectizeRule } from './rules/selectize.js';
import { selectricRule } from './rules/selectric.js';
import { sliderHandleRule } from './rules/slider-handle.js';
import { sliderThumbRule } from './rules/slider-thumb.js';
import { sliderTrackRule } from './rules/slider-track.js';
import { treeCheckboxRule } from './rules/tree-checkbox.js';

/**
 * `kind`: what a matching element is. A "list" displays options when it is pressed, and a text field in it filters them; a "slider" is
 * moved by keys, and its `handles` show its value by their position; a "checkbox" is the icon that is pressed to tick an item.
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

/**
 * Disable the widget rules (which recognise widgets by class names of libraries) with these names, as `BROWSE_WIDGET_RULES` asks for.
 * Called right after the engine is created.
 */
exported.disableWidgetRules = (names) => {
  rulesInUse = WIDGET_RULES.filter((rule) => !names.includes(rule.name));
};

/**
 * Return the first widget rule of a kind ("list", "slider" or "checkbox") that recognises an element by the class names of a library;
 * undefined for none.
 */
export const widgetRule = (kind, element) => rulesInUse.find((rule) => rule.kind === kind && rule.matches(element));
