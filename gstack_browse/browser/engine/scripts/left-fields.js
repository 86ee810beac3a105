// Notices that a page changes the value of a text field as the field is left: it clamps a number, rounds a price, empties what it does not accept.

import { rootOf } from './engine-accessors.js';
import { exported, isAlive } from './engine-dom.js';
import { idOf, nodeFor } from './engine-table.js';
import { focusedIn } from './engine-focus.js';
import { isSecret } from './engine-states.js';
import { fillKind } from './fields.js';

/**
 * @typedef {object} ChangedField
 * @property {number} id
 * @property {string} value
 */

/**
 * @typedef {object} ChangedFields
 * @property {ChangedField[]} changed
 * @property {boolean} waits whether a field of text has the focus, or was left since the last question
 */

/** How many fields are watched after they were left. Pages that empty a form change all of it. */
const WATCHED = 2;

/** The last fields that were left with another value than before, and that value. */
const leftFields = new Map();

/** Whether a field was left since `changedAsLeft` was asked last. */
let isLeftAnew = false;

/** Fields with a secret that was filled in by name: what a page makes of it may be the same in capital letters. */
const silentFields = new WeakSet();

const isTextField = (element) => ['text', 'set'].includes(fillKind(element));

/** Chromium dispatches `change` right before it takes the focus away, and before the page hears of either. */
window.addEventListener('change', (event) => {
  /** @type {any} */
  const field = event.composedPath()[0];
  if (!event.isTrusted || !isTextField(field)) return;
  leftFields.delete(field);
  leftFields.set(field, field.value);
  if (leftFields.size > WATCHED) leftFields.delete(leftFields.keys().next().value);
  isLeftAnew = true;
}, { capture: true });

// Do not tell of a field that has the focus again: later changes come from the one who focused it.
window.addEventListener('focus', (event) => leftFields.delete(event.composedPath()[0]), { capture: true });

/** Whether a field's value has changed since the field was left. Every answer of the engine says so (`pack`). */
export const hasChangedFields = () => {
  for (const [field, value] of leftFields) if (field.value !== value) return true;
  return false;
};

exported.hasChangedFields = hasChangedFields;

/**
 * The fields whose values have changed since they were left, each told once.
 * @returns {ChangedFields}
 */
exported.changedAsLeft = () => {
  /** @type {ChangedField[]} */
  const changed = [];
  for (const [field, value] of leftFields) {
    const isOver = !isAlive(field) || rootOf(field).activeElement === field;
    const isTold = !isOver && field.value !== value;
    if (isTold && !isSecret(field) && !silentFields.has(field)) changed.push({ id: idOf(field), value: field.value });
    if (isOver || isTold) leftFields.delete(field);
  }
  const focused = focusedIn(document);
  const waits = isLeftAnew || focused !== null && isTextField(focused);
  isLeftAnew = false;
  return { changed, waits };
};

/** Forget what the page made of a field: it is told already. */
exported.toldOfField = (id) => {
  const field = nodeFor(id);
  if (field) leftFields.delete(field);
};

/** Never tell what the page makes of the value of this field. */
exported.keepSilent = (id) => {
  const field = nodeFor(id);
  if (field) silentFields.add(field);
};
