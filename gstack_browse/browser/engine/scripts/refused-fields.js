// Notes form fields that the browser refuses: it keeps the form from being sent, gives the field the focus, and says why in a
// bubble that is no part of the page.

import { rootOf } from './engine-accessors.js';
import { cleanText, exported } from './engine-dom.js';
import { nodeFor } from './engine-table.js';
import { lookOf } from './matching.js';

/** Targets with a listener for `invalid`, and the events heard there with their fields; the event leaves no shadow tree. */
let refusalPlaces = [];
let refusedFields = [];

const noteRefused = (event) => {
  if (event.isTrusted) refusedFields.push({ event, field: event.composedPath()[0] }); // later it has no target
};

/** Note from now on fields that the browser refuses, in the document and in the shadow tree of that element. */
export function hearRefusals(element = null) {
  stopHearing();
  refusalPlaces = [...new Set([window, element === null ? window : rootOf(element)])];
  for (const place of refusalPlaces) place.addEventListener('invalid', noteRefused, { capture: true });
}

function stopHearing() {
  for (const place of refusalPlaces) place.removeEventListener('invalid', noteRefused, { capture: true });
  refusalPlaces = [];
  const found = refusedFields;
  refusedFields = [];
  return found;
}

/**
 * The field that the browser has shown as the first of those that it does not accept, and why, in words; "" where it has shown none. A
 * page that only checks its fields moves no focus; one that shows the reasons itself prevents the event.
 */
export function refusal() {
  const shown = stopHearing().find(({ event, field }) =>
    !event.defaultPrevented && rootOf(field).activeElement === field
  );
  const field = shown?.field;
  return field ? `${lookOf(field)}: ${cleanText(field.validationMessage ?? '')}` : '';
}

exported.hearRefusals = (id) => hearRefusals(id ? nodeFor(id) : null);

exported.refusal = refusal;
