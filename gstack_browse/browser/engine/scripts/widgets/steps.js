// Custom sliders, spin buttons and splitters, whose value arrow keys change step by step.

import { explicitRoleOf, isFocusable, roleOf } from '../accname/roles.js';
import { fillKind } from '../accname/values.js';
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
import { hasBox } from '../layout/visible.js';
import { handlesIn, hasHandleClass } from './class-names.js';
import { findWidgetRule } from './rules.js';

const STEPPED_ROLES = new Set(['slider', 'spinbutton', 'separator', 'scrollbar']);

/**
 * Return whether an element has a value that arrow keys change: a slider, spin button, splitter or scroll bar by ARIA, or a slider without
 * ARIA; not a native field.
 */
export const isCustomSlider = (element) =>
  STEPPED_ROLES.has(explicitRoleOf(element)) && hasAttr(element, 'aria-valuenow') && !fillKind(element)
    && fieldOfSpinButton(element) === null
  || isSliderWithoutAria(element);

/**
 * Return the only editable text field in an element with the role spinbutton that wraps field and buttons, as in jqWidgets and Webix; null
 * for none or several. Text is typed into it: arrow keys would take 30 s in steps of 0.01.
 */
export function fieldOfSpinButton(element) {
  if (explicitRoleOf(element) !== 'spinbutton' || fillKind(element)) return null;
  const fields = [...queryAll(element, 'input')].filter((inner) =>
    fillKind(inner) === 'text' && hasBox(inner) && matches(inner, ':read-write')
  );
  return fields.length === 1 ? fields[0] : null;
}

/**
 * Return whether an element is a part of a date or time field (day, month), into which keys are typed: a spin button that is
 * contenteditable, or has no value yet. Seen in React Aria, MUI X and bits-ui.
 */
const isDatePart = (element) =>
  explicitRoleOf(element) === 'spinbutton' && isFocusable(element)
  && (fillKind(element) === 'rich'
    || !fillKind(element) && !hasAttr(element, 'aria-valuenow') && localNameOf(element) !== 'input');

const SIDES = ['left', 'bottom', 'right', 'top'];

/**
 * Return whether an element is a slider without ARIA: known by its class names, focusable, and with a handle (thumb) that its style
 * positions in per cent.
 */
const isSliderWithoutAria = (element) =>
  hasAttr(element, 'tabindex') && !hasAttr(element, 'aria-valuenow') && isFocusable(element)
  && handlePercent(element) !== null;

/**
 * Return the position in per cent of the only handle (thumb) of a slider without ARIA; null if it has no such handle, or its style does not
 * position it so.
 */
function handlePercent(element) {
  const handles = findWidgetRule('slider', element)?.handles?.(element) ?? [];
  const style = handles.length === 1 ? /** @type {HTMLElement} */ (handles[0]).style : null;
  const match = style && SIDES.map((side) => /^(?:calc\()?(-?[\d.]+)%/.exec(style[side])).find(Boolean);
  return match ? parseFloat(match[1]) : null;
}

/** Return whether the `style` attribute of a slider's handle (thumb) positions it in per cent. */
const isPositionedInPercent = (handle) => SIDES.some((side) => /^(?:calc\()?-?[\d.]+%/.test(handle.style[side]));

/**
 * Return the ids of the slider handles (thumbs) to drag for an element: itself if it is one, or those beside a read-only field that
 * displays their value; else [].
 */
exported.findHandlesFor = (id) => {
  const element = nodeWithInternals(id);
  if (!element) return [];
  if (hasHandleClass(element) && isPositionedInPercent(element)) return [id];
  if (!('readOnly' in element) || !element.readOnly) return [];
  const beside = [element.previousElementSibling, element.nextElementSibling].filter((each) => each !== null);
  return beside.flatMap(handlesIn).filter(isPositionedInPercent).slice(0, MAX_HANDLES).map((handle) => idOf(handle));
};
const MAX_HANDLES = 4;

// Levels above a handle at which a page may display its number.
const MAX_NUMBER_LEVELS = 4;
const MAX_NUMBERS = 2000;
const DISPLAYED_NUMBER = /(?<![\d.,])-?\d+(?:,\d{3})*(?:\.\d+)?/g;

/**
 * Return all numbers that the page displays near a slider, in texts and fields, in order, among which its value may be; [] if there are
 * more than 2000.
 */
function numbersDisplayedAround(handle) {
  const outer = [...ancestorsOf(handle)].filter((each) => each !== rootElementOf(document));
  const numbers = [];
  for (const text of textsShownIn(outer[Math.min(MAX_NUMBER_LEVELS, outer.length) - 1])) {
    for (const number of text.match(DISPLAYED_NUMBER) || []) numbers.push(Number(number.replaceAll(',', '')));
    if (numbers.length > MAX_NUMBERS) return [];
  }
  return numbers;
}

const UNDISPLAYED_TAGS = new Set(['script', 'style', 'template', 'noscript']);

/** Yield the texts in an element, also hidden ones but no scripts and styles, and the values of its text fields. */
function* textsShownIn(element) {
  if (UNDISPLAYED_TAGS.has(localNameOf(element))) return;
  if (fillKind(element) === 'text') yield element.value;
  for (const child of childrenOf(element)) {
    if (isText(child)) yield dataOf(child);
    else if (isElement(child)) yield* textsShownIn(child);
  }
}

/**
 * Return how the command `fill` sets an element that takes no text: "steps" (a slider, by keys), "part" (of a date, by typing), "choice"
 * (radio buttons); "": it cannot.
 */
export function nonTextFillKind(element) {
  if (isDatePart(element)) return 'part';
  if (isCustomSlider(element)) return 'steps';
  const role = roleOf(element);
  return role === 'radio' || role === 'radiogroup' ? 'choice' : '';
}

// A longer and thinner element, in pixels, is the track of a slider and not a handle.
const MIN_TRACK_LENGTH = 90, MAX_TRACK_THICKNESS = 60;

/** @typedef {{ id: number, horizontal: boolean }} Track */

/**
 * Return the track of a slider, on which a press moves the handle: the slider or one of its two nearest ancestors, as { id, horizontal };
 * null for none. Not a bar that is filled up to the handle (Vant): on that the handle is not where its value is.
 * @returns {Track | null}
 */
exported.findTrackOf = (id) => {
  const element = nodeWithInternals(id);
  if (!element || explicitRoleOf(element) !== 'slider') return null;
  for (const part of [element, ...[...ancestorsOf(element)].slice(0, 2)]) {
    const { width, height } = rectOf(part);
    if (Math.max(width, height) < MIN_TRACK_LENGTH) continue;
    const isTrack = Math.min(width, height) <= MAX_TRACK_THICKNESS
      && [...queryAll(part, '[role=slider i]')].length <= 1;
    if (!isTrack) return null;
    if (part === element || isAtItsValue(element, part)) return { id: idOf(part), horizontal: width > height };
  }
  return null;
};

const MAX_VALUE_OFFSET = 24; // pixels from the middle of a handle to where its value is: a track may begin beside its box
/** Return whether the handle of a slider is where its value is on a track that begins on the left or at the bottom. */
function isAtItsValue(handle, track) {
  const [now, lowest, highest] = ['aria-valuenow', 'aria-valuemin', 'aria-valuemax'].map((name) =>
    numericAttribute(handle, name) ?? NaN
  );
  const [box, whole] = [rectOf(handle), rectOf(track)];
  const way = (now - lowest) / (highest - lowest);
  const offset = whole.width > whole.height
    ? (box.left + box.right) / 2 - whole.left - way * whole.width
    : whole.bottom - (box.top + box.bottom) / 2 - way * whole.height;
  return Math.abs(offset) <= MAX_VALUE_OFFSET;
}

/** Return an attribute of an element as a number, NaN if it is none; null without the attribute. */
const numericAttribute = (element, name) => hasAttr(element, name) ? Number(attr(element, name)) : null;

/**
 * Return the value of a slider, null for none: `aria-valuenow`, or if that is rounded (as by noUiSlider) the only number in
 * `aria-valuetext`.
 */
function exactSliderValue(element) {
  const now = numericAttribute(element, 'aria-valuenow');
  const numbers = (attr(element, 'aria-valuetext') || '').match(DISPLAYED_NUMBER) || [];
  if (now === null || numbers.length !== 1) return now;
  const exact = Number(numbers[0].replaceAll(',', ''));
  const digits = (attr(element, 'aria-valuenow').split('.')[1] || '').length;
  return Math.abs(exact - now) <= 0.5 * 10 ** -digits + 1e-9 ? exact : now;
}

/** Return the text of `aria-valuenow` if it is no number, as Quasar's "20|80" for a range; else "". */
const nonNumericValue = (element) =>
  Number.isNaN(numericAttribute(element, 'aria-valuenow')) ? attr(element, 'aria-valuenow') : '';

/**
 * Return { now (value), min, max (numbers; null for none), text (`aria-valuetext`), numbers, focused, rule } of a slider or spin button;
 * null if it is gone. For a slider without ARIA, `now` is the position of its handle in per cent, and `numbers` are those that the page
 * displays around it. `rule`: name of the widget rule by which it is known, "" for none.
 */
exported.readSliderPosition = (id) => {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const focused = rootOf(element).activeElement === element;
  const rule = isSliderWithoutAria(element) ? findWidgetRule('slider', element)?.name ?? '' : '';
  if (rule)
    return {
      now: handlePercent(element),
      min: 0,
      max: 100,
      text: '',
      numbers: numbersDisplayedAround(element),
      focused,
      rule,
    };
  const isRange = localNameOf(element) === 'input' && element.type === 'range';
  return {
    now: isRange ? Number(element.value) : exactSliderValue(element),
    min: isRange ? Number(element.min || 0) : numericAttribute(element, 'aria-valuemin'),
    max: isRange ? Number(element.max || 100) : numericAttribute(element, 'aria-valuemax'),
    text: attr(element, 'aria-valuetext')
      || (isDatePart(element) ? textContentOf(element).trim() : nonNumericValue(element)),
    numbers: null,
    focused,
    rule: '',
  };
};
