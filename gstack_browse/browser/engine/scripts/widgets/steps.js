// Describes controls that keys move step by step: sliders, spin buttons and splitters that are no native fields. Changes nothing.

import { handlesIn, isCalledHandle } from './class-names.js';
import { widgetRule } from './rule-table.js';
import { hasBox } from '../visibility/visible.js';
import { fillKind } from '../actions/fields.js';
import { explicitRoleOf, isFocusable, roleOf } from '../accname/roles.js';
import {
  dataOf,
  localNameOf,
  matches,
  queryAll,
  rectOf,
  rootElementOf,
  rootOf,
  textContentOf,
} from '../dom/accessors.js';
import { ancestorsOf, attr, childrenOf, exported, hasAttr, isElement, isText } from '../dom/dom.js';
import { nodeWithInternals } from '../dom/internals.js';
import { idOf } from '../dom/node-table.js';

const STEPPED = new Set(['slider', 'spinbutton', 'separator', 'scrollbar']);

/** Whether an element is a slider, spin button or splitter that a page has built itself. */
export const isCustomSlider = (element) =>
  STEPPED.has(explicitRoleOf(element)) && hasAttr(element, 'aria-valuenow') && !fillKind(element)
    && fieldOfSpinButton(element) === null
  || isSliderWithoutAria(element);

/**
 * Return the only text field in an element that says that it is a spin button, such as a frame around a field and its two buttons: it
 * takes the typed text. Null for none, and for several. Seen in jqWidgets and Webix; keys would take 30 s there, in steps of 0.01.
 */
export function fieldOfSpinButton(element) {
  if (explicitRoleOf(element) !== 'spinbutton' || fillKind(element)) return null;
  const fields = [...queryAll(element, 'input')].filter((inner) =>
    fillKind(inner) === 'text' && hasBox(inner) && matches(inner, ':read-write')
  );
  return fields.length === 1 ? fields[0] : null;
}

/**
 * Whether the element is a part of a date, a time or the like, into which keys are typed: a spin button that the page writes into itself,
 * or one that has no value yet. Seen in React Aria, MUI X and bits-ui.
 */
const isDatePart = (element) =>
  explicitRoleOf(element) === 'spinbutton' && isFocusable(element)
  && (fillKind(element) === 'rich'
    || !fillKind(element) && !hasAttr(element, 'aria-valuenow') && localNameOf(element) !== 'input');

const SIDES = ['left', 'bottom', 'right', 'top'];

/** Whether the element is a slider, or the handle of one, without ARIA: known by a rule, with keys, and with its place in per cent. */
const isSliderWithoutAria = (element) =>
  hasAttr(element, 'tabindex') && !hasAttr(element, 'aria-valuenow') && isFocusable(element)
  && percentOf(element) !== null;

/** Return the place of a handle on its track in per cent: of the only one that a rule names. Null if its style does not tell. */
function percentOf(element) {
  const handles = widgetRule('slider', element)?.handles?.(element) ?? [];
  const style = handles.length === 1 ? /** @type {HTMLElement} */ (handles[0]).style : null;
  const place = style && SIDES.map((side) => /^(?:calc\()?(-?[\d.]+)%/.exec(style[side])).find(Boolean);
  return place ? parseFloat(place[1]) : null;
}

/** Whether the style of a handle places it in per cent. */
const isPlacedByPercent = (handle) => SIDES.some((side) => /^(?:calc\()?-?[\d.]+%/.test(handle.style[side]));

/** Return the ids of the handles to drag for an element: itself, or those beside a read-only field. */
exported.handlesFor = (id) => {
  const element = nodeWithInternals(id);
  if (!element) return [];
  if (isCalledHandle(element) && isPlacedByPercent(element)) return [id];
  if (!('readOnly' in element) || !element.readOnly) return [];
  const beside = [element.previousElementSibling, element.nextElementSibling].filter((each) => each !== null);
  return beside.flatMap(handlesIn).filter(isPlacedByPercent).slice(0, MOST_HANDLES).map((handle) => idOf(handle));
};
const MOST_HANDLES = 4;

/** How far up from a handle the number may be that a page shows for it, and how many numbers are read. */
const LEVELS_OF_NUMBERS = 4;
const MOST_NUMBERS = 2000;
const NUMBER_SHOWN = /(?<![\d.,])-?\d+(?:,\d{3})*(?:\.\d+)?/g;

/** Return all numbers that the page shows around a handle, in its texts and fields, in order. */
function numbersAround(handle) {
  const outer = [...ancestorsOf(handle)].filter((each) => each !== rootElementOf(document));
  const numbers = [];
  for (const text of textsShownIn(outer[Math.min(LEVELS_OF_NUMBERS, outer.length) - 1])) {
    for (const number of text.match(NUMBER_SHOWN) || []) numbers.push(Number(number.replaceAll(',', '')));
    if (numbers.length > MOST_NUMBERS) return [];
  }
  return numbers;
}

const UNSHOWN = new Set(['script', 'style', 'template', 'noscript']);

/** Yield the texts in an element, and the values of its text fields. */
function* textsShownIn(element) {
  if (UNSHOWN.has(localNameOf(element))) return;
  if (fillKind(element) === 'text') yield element.value;
  for (const child of childrenOf(element)) {
    if (isText(child)) yield dataOf(child);
    else if (isElement(child)) yield* textsShownIn(child);
  }
}

/** Return how `fill` can be done where it is no matter of text: "steps", "part" of a date, "choice" for radio buttons; "" for none. */
export function otherFill(element) {
  if (isDatePart(element)) return 'part';
  if (isCustomSlider(element)) return 'steps';
  const role = roleOf(element);
  return role === 'radio' || role === 'radiogroup' ? 'choice' : '';
}

/** Pixels: what is longer, and thinner, than this is a track and no handle. */
const SHORTEST_TRACK = 90, THICKEST_TRACK = 60;

/**
 * @typedef {object} Track
 * @property {number} id
 * @property {boolean} across
 */

/**
 * Return the track of a slider: the element or one of two ancestors. `across`: it is horizontal. Null for none.
 * @returns {Track | null}
 */
exported.trackOf = (id) => {
  const element = nodeWithInternals(id);
  if (!element || explicitRoleOf(element) !== 'slider') return null;
  for (const part of [element, ...[...ancestorsOf(element)].slice(0, 2)]) {
    const { width, height } = rectOf(part);
    if (Math.max(width, height) < SHORTEST_TRACK) continue;
    const isTrack = Math.min(width, height) <= THICKEST_TRACK && [...queryAll(part, '[role=slider]')].length <= 1;
    return isTrack ? { id: idOf(part), across: width > height } : null;
  }
  return null;
};

/** Return an attribute as a number; null without it. */
const numericAttribute = (element, name) => hasAttr(element, name) ? Number(attr(element, name)) : null;

/**
 * Return the number that a slider is at. Where `aria-valuetext` has just one number, and `aria-valuenow` is that number with fewer
 * digits, the former is exact: noUiSlider rounds the latter to one digit.
 */
function exactSliderValue(element) {
  const now = numericAttribute(element, 'aria-valuenow');
  const said = (attr(element, 'aria-valuetext') || '').match(NUMBER_SHOWN) || [];
  if (now === null || said.length !== 1) return now;
  const exact = Number(said[0].replaceAll(',', ''));
  const digits = (attr(element, 'aria-valuenow').split('.')[1] || '').length;
  return Math.abs(exact - now) <= 0.5 * 10 ** -digits + 1e-9 ? exact : now;
}

/** Return `aria-valuenow` if it is no number, as the two of Quasar's range: "20|80"; else "". */
const nonNumericValue = (element) =>
  Number.isNaN(numericAttribute(element, 'aria-valuenow')) ? attr(element, 'aria-valuenow') : '';

/**
 * Return the value and limits of a slider or spin button as numbers (null without), and its `text` for screen readers; null for an
 * element that is gone. Of a handle without ARIA `now` is its place in per cent, and `numbers` are those that the page shows around it.
 * `focused`: it gets the keys; `rule`: the widget rule by which it is known, "" for none.
 */
exported.position = (id) => {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const focused = rootOf(element).activeElement === element;
  const rule = isSliderWithoutAria(element) ? widgetRule('slider', element)?.name ?? '' : '';
  if (rule)
    return { now: percentOf(element), min: 0, max: 100, text: '', numbers: numbersAround(element), focused, rule };
  const range = localNameOf(element) === 'input' && element.type === 'range';
  return {
    now: range ? Number(element.value) : exactSliderValue(element),
    min: range ? Number(element.min || 0) : numericAttribute(element, 'aria-valuemin'),
    max: range ? Number(element.max || 100) : numericAttribute(element, 'aria-valuemax'),
    text: attr(element, 'aria-valuetext')
      || (isDatePart(element) ? textContentOf(element).trim() : nonNumericValue(element)),
    numbers: null,
    focused,
    rule: '',
  };
};
