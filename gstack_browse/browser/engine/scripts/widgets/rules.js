// Rules that recognise widgets without ARIA by class names of libraries. They apply last, after roles, states, native elements, focus, keys
// and displayed text. Each has a page of its name in tests/site/widget-rules/.

import { ancestorsOf, exported } from '../dom/dom.js';
import { handlesIn, hasClass, hasClassWord } from './class-names.js';

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

/** Return the handles of a slider in the nearest of an element's two ancestors that has any. */
const handlesAround = (element) =>
  [...ancestorsOf(element)].slice(0, 2).map(handlesIn).find((handles) => handles.length > 0) ?? [];

const hasCheckboxClass = hasClass(/(^|[-_\s])check-?box(\s|$)/i);

/**
 * The rules in their order: the first one that matches counts.
 * @type {WidgetRule[]}
 */
const WIDGET_RULES = [
  { name: 'dropdown', seenIn: 'Fomantic UI 2.9', kind: 'list', matches: hasClassWord('dropdown') },
  { name: 'select2', seenIn: 'Select2 3.5 (Flask-Admin)', kind: 'list', matches: hasClassWord('select2') },
  { name: 'selectize', seenIn: 'selectize 0.12', kind: 'list', matches: hasClassWord('selectize') },
  { name: 'selectric', seenIn: 'Selectric 1.13', kind: 'list', matches: hasClassWord('selectric') },
  { name: 'chosen', seenIn: 'Chosen 1.8', kind: 'list', matches: hasClassWord('chosen') },
  { name: 'combo', seenIn: 'EasyUI 1.11', kind: 'list', matches: hasClassWord('combo(?:box)?') },
  { name: 'select-box', seenIn: 'nice-select2 2.2, Materialize 1.0', kind: 'list', matches: hasClassWord('select') },
  // The handle has the focus.
  {
    name: 'slider-handle',
    seenIn: 'jQuery UI 1.13',
    kind: 'slider',
    matches: hasClass(/(?:^|[\s_-])slider[_-]*(?:handle|thumb|knob)(?![a-z])/i),
    handles: (element) => [element],
  },
  // The slider has the focus, and moves the handle in it.
  {
    name: 'slider-thumb',
    seenIn: 'Fomantic UI 2.9',
    kind: 'slider',
    matches: hasClass(/(?:^|\s)(?:[\w-]*-)?slider(?:\s|$)/i),
    handles: handlesIn,
  },
  // The track has the focus; its handle is a sibling of it.
  {
    name: 'slider-track',
    seenIn: 'ion.RangeSlider 2.3',
    kind: 'slider',
    matches: hasClass(/(?:^|[\s_-])(?:line|track|rail)(?![a-z])/i),
    handles: handlesAround,
  },
  // The checkbox of a tree item is drawn by an empty icon; the item itself has the state.
  {
    name: 'tree-checkbox',
    seenIn: 'jsTree 3.3',
    kind: 'checkbox',
    matches: (element) => hasCheckboxClass(element) && !element.hasChildNodes(),
  },
];

let rulesInUse = WIDGET_RULES;

/** Disable the widget rules with these names, as `BROWSE_WIDGET_RULES` asks for. Called right after the engine is created. */
exported.disableWidgetRules = (names) => {
  rulesInUse = WIDGET_RULES.filter((rule) => !names.includes(rule.name));
};

/** Return the first widget rule of a kind ("list", "slider" or "checkbox") that recognises an element; undefined for none. */
export const findWidgetRule = (kind, element) => rulesInUse.find((rule) => rule.kind === kind && rule.matches(element));
