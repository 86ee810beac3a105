// Reads the content of fields, and the way to fill them; notices what the page or the browser makes of it. Only `setValue` changes what one holds.

import { FIELD } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { isSecret } from '../accname/states.js';
import {
  chipTexts,
  codeEditorOf,
  codeEditorText,
  displayedText,
  editableText,
  MAX_WRITTEN,
  valueOf,
} from '../accname/values.js';
import { aimAt } from './hit-testing.js';
import {
  activeElementOf,
  documentHasFocus,
  documentOf,
  focusOn,
  isContentEditable,
  localNameOf,
  matches,
  newElement,
  newRange,
  nodeTypeOf,
  parentElementOf,
  queryOne,
  rectOf,
  rootOf,
  textContentOf,
  windowOf,
} from '../dom/accessors.js';
import {
  attr,
  cleanText,
  contentDocumentOf,
  exported,
  focusedIn,
  hasAttr,
  isAlive,
  isFrame,
  shadowRootOf,
} from '../dom/dom.js';
import { nodeWithInternals } from '../dom/internals.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { lookOf } from '../selectors/matching.js';
import { refuseOtherRecord } from '../selectors/records.js';
import { isRendered } from '../visibility/hidden.js';
import { isVisible } from '../visibility/visible.js';

/**
 * @typedef {object} FieldContent
 * @property {string} value
 * @property {boolean} secret
 */

/**
 * @typedef {object} Focused
 * @property {string} text
 * @property {boolean} readonly
 * @property {boolean} textless
 * @property {number} id
 * @property {string} holds
 */

const TEXT_TYPES = new Set(['', 'text', 'search', 'email', 'url', 'tel', 'password', 'number']);
const SET_TYPES = new Set(['color', 'date', 'time', 'datetime-local', 'month', 'week', 'range']);

/**
 * Return the way to `fill` an element: "text", "set" (a date, a colour), "rich" (contenteditable), "keys" for a code editor, "sink" for
 * a field that keeps no text; "" for none.
 */
export function fillKind(element) {
  if (codeEditorOf(element)) return 'keys';
  if (localNameOf(element) === 'textarea') return isKeySink(element) ? 'sink' : 'text';
  if (localNameOf(element) === 'input') {
    if (TEXT_TYPES.has(element.type)) return 'text';
    return SET_TYPES.has(element.type) ? 'set' : '';
  }
  return isContentEditable(element) ? 'rich' : '';
}

/**
 * Return the element whose content is edited, for a paragraph in an editor. An editor inside another one has a part around it that cannot
 * be edited.
 */
export function editingHostOf(element) {
  let host = element;
  for (let around = element; around && isContentEditable(around); around = parentElementOf(around)) host = around;
  return host;
}

const MAX_SINK = 24;

/** Whether a field is as large as a letter, in which a terminal or the like takes its keys: it is emptied at once. */
function isKeySink(element) {
  const { width, height } = rectOf(element);
  return width <= MAX_SINK && height <= MAX_SINK && isRendered.call(element);
}

/** Whether a field is read-only, by HTML or ARIA. */
export function isReadOnlyField(element) {
  if (localNameOf(element) === 'input' || localNameOf(element) === 'textarea') return element.readOnly;
  return attr(element, 'aria-readonly') === 'true';
}

/**
 * Return the content of an element in the form that `fill` writes: each block of rich text is one line, where `innerText` would have
 * two breaks between paragraphs. `read`: how to read rich text.
 */
function contentForFill(element, read = editableText) {
  const drawn = codeEditorText(element);
  if (drawn !== null) return drawn;
  if ('value' in element && fillKind(element) !== 'rich') return element.value;
  return fillKind(element) === 'rich' && textContentOf(element).length <= MAX_WRITTEN / 2
    ? read(element)
    : element.innerText;
}

/**
 * Return the content of a field, as { value, secret }; null for an element that is gone.
 * @returns {FieldContent | null}
 */
export function fieldContent(id) {
  const element = nodeFor(id);
  return element ? { value: contentForFill(element), secret: isSecret(element) } : null;
}
exported.value = fieldContent;

const BUILT_FIELDS = new Set(['combobox', 'searchbox', 'spinbutton', 'textbox']);
const HOLDS = /^(?:input|select|textarea|option|button|output|progress|meter|data|param)$/;

/**
 * Return { value, secret } of an element as `read` prints it: the values chosen in a list, one a line; `value` is null for an element
 * without one. Null for an element that is gone.
 */
function ownFieldValue(id) {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const name = localNameOf(element);
  if (name === 'select')
    return { value: [...element.selectedOptions].map((option) => option.value).join('\n'), secret: false };
  const keepsIt = name === 'input' || name === 'textarea' || name.includes('-') && 'value' in element;
  const role = keepsIt ? '' : roleOf(element);
  if (BUILT_FIELDS.has(role) && fillKind(element) === '') {
    const inner = role === 'combobox' ? queryOne(element, FIELD) : null;
    const held = inner ? ownFieldValue(idOf(inner)) : null;
    if (held) return held.value || held.secret ? held : { value: chipTexts(element).join('\n'), secret: false };
    return { value: attr(element, 'aria-valuenow') ?? valueOf(element, role, name), secret: false };
  }
  const holds = keepsIt || HOLDS.test(name) || fillKind(element) !== '';
  const value = holds ? String(contentForFill(element, displayedText)) : attr(element, 'aria-valuenow'); // a slider that a page has built itself
  return { value, secret: isSecret(element) };
}
exported.fieldValue = ownFieldValue;

/** Return the value that a field of this type would make of another one. Tried on a field of our own: a wrong value does no harm there. */
export function parsedValue(id, value) {
  const element = nodeFor(id);
  if (!element || localNameOf(element) !== 'input') return value;
  const trial = newElement(document, 'input');
  for (const name of ['type', 'min', 'max', 'step'])
    if (hasAttr(element, name)) trial.setAttribute(name, attr(element, name));
  trial.value = value;
  return trial.value;
}
exported.parsed = parsedValue;

/** Whether a value fits a field of this type: an invalid one would move a range to its middle, and make a color black. */
exported.takes = (id, value) => {
  const element = nodeFor(id);
  if (!element || localNameOf(element) !== 'input') return true;
  if (element.type === 'range') return value.trim() !== '' && Number.isFinite(Number(value));
  if (element.type === 'color') return parsedValue(id, value) !== parsedValue(id, '') || isBlack(value);
  return parsedValue(id, value) !== '';
};

/** Whether a value is the colour black. */
const isBlack = (value) => /^#0{6}$/.test(value.trim());

/**
 * Give a range the focus, and the value from where one press of a key leads to another: `{from, key, wanted}`; null where no press does.
 * The page gets no event before that press: many pages take the value of the first one.
 */
exported.beginStep = (id, value) => {
  const range = nodeFor(id);
  const wanted = parsedValue(id, value);
  for (const [step, key] of [[-1, 'ArrowUp'], [1, 'ArrowDown']]) {
    const from = nextStepValue(range, wanted, step);
    if (from === wanted) continue;
    range.focus();
    range.value = from; // this world's setter: what a page put over its own is not called
    return { from, key, wanted };
  }
  return null;
};

/** Return the value of a range so many steps further; the same where its step is "any". */
function nextStepValue(range, value, step) {
  if (!range || attr(range, 'step') === 'any') return value; // a key moves that by what Chromium likes
  const trial = range.cloneNode(false);
  trial.value = value;
  trial.stepUp(step);
  return trial.value;
}

/** Give a text field its value at once, where inserting it as a person would takes Chromium seconds. */
exported.setValue = (id, value) => {
  const element = nodeFor(id);
  if (!element) return false;
  refuseOtherRecord(element);
  focusOn(element);
  const most = element.maxLength >= 0 ? element.maxLength : Infinity;
  element.value = value.slice(0, most); // this world's setter: what a page put over its own is not called
  element.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText' }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
};

const NUMERIC = 'number';

/**
 * Begin to fill a field: give it the value at once where its type takes no keys ("set"), or focus it with all of its content selected, for a
 * text that takes its place ("insert"). "refused" if its type does not take the value; null for an element that is gone.
 */
exported.beginFill = (id, value) => {
  const element = nodeFor(id);
  if (!element) return null;
  refuseOtherRecord(element);
  const kind = fillKind(element);
  if (kind === 'set') return setTypedValue(element, value.trim());
  if (kind === 'text' && element.type === NUMERIC && value && Number.isNaN(Number(value))) return 'refused';
  if (kind === 'text') element.select();
  else selectContents(element);
  focusOn(element);
  return 'insert';
};

/** Give a field such as a date its value, and tell the page. */
function setTypedValue(element, value) {
  const wanted = element.type === 'color' ? value.toLowerCase() : value;
  focusOn(element);
  element.value = wanted; // this world's setter: what a page put over its own is not called
  if (wanted && !element.value) return 'refused';
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  return 'set';
}

/** Select all content of an element. */
function selectContents(element) {
  const selection = windowOf(documentOf(element)).getSelection();
  const range = newRange(documentOf(element));
  range.selectNodeContents(element);
  selection.removeAllRanges();
  selection.addRange(range);
}

/** Return the focused element of a tree, through shadow roots and frames of this process; null for none, and for the page itself. */
function deepFocusedElement(tree) {
  const element = nodeTypeOf(tree) === 9 ? activeElementOf(tree) : tree.activeElement;
  const inner = element && (isFrame(element) ? contentDocumentOf(element) : shadowRootOf(element));
  const deeper = inner ? deepFocusedElement(inner) : null;
  const isPage = element && matches(element, 'html,body') && !isContentEditable(element);
  return deeper || (isPage ? null : element);
}

const TEXTLESS =
  'a,button,summary,input[type=button],input[type=submit],input[type=reset],input[type=image],input[type=checkbox],input[type=radio],input[type=file]';

/**
 * Return the focused element: its description (`text`, "" for none), whether it is read-only, or of a kind without text. For a visible
 * text field also its id and content (`holds`).
 * @returns {Focused}
 */
exported.focused = () => {
  const element = deepFocusedElement(document);
  if (!element) return { text: '', readonly: false, textless: false, id: 0, holds: '' };
  const isSeen = fillKind(element) === 'text' && isVisible(element) && documentOf(element) === document
    && aimAt(element).arrives;
  return {
    text: lookOf(element),
    readonly: Boolean(fillKind(element)) && isReadOnlyField(element),
    textless: matches(element, TEXTLESS) && !hasAttr(element, 'role') && !isContentEditable(element),
    id: isSeen ? idOf(element) : 0,
    holds: isSeen ? contentForFill(element) : '',
  };
};

/** Whether a key that is pressed now goes to this document, and not to one in a frame of it, or elsewhere. */
export function getsKeys() {
  const focused = focusedIn(document);
  return documentHasFocus(document) && focused !== null && !matches(focused, 'iframe,frame,object,embed,fencedframe');
}
exported.getsKeys = getsKeys;

// Notices that a page changes the value of a text field as the field is left: it clamps a number, rounds a price, empties what it does not accept.

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

/** Whether a field was left since the last call of `changedAsLeft`. */
let isLeftAnew = false;

/** Fields with a secret that was filled in by name: what a page makes of it may be the same in capital letters. */
const silentFields = new WeakSet();

/** Whether an element is a field that holds a text or a value such as a date. */
const isTextField = (element) => ['text', 'set'].includes(fillKind(element));

/** Chromium dispatches `change` right before the focus leaves; this listener runs before those of the page. */
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
 * Return the fields whose values the page has changed since they lost the focus, each once.
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

/** Forget that a field was left: what the page made of its value was reported already. */
exported.forgetLeftField = (id) => {
  const field = nodeFor(id);
  if (field) leftFields.delete(field);
};

/** Do not report what the page makes of the value of this field. */
exported.keepSilent = (id) => {
  const field = nodeFor(id);
  if (field) silentFields.add(field);
};

// Notes form fields that the browser refuses: it keeps the form from being sent, gives the field the focus, and says why in a
// bubble that is no part of the page.

/** Targets that we listen on for `invalid`, which leaves no shadow tree; and the events so far, with their fields. */
let refusalPlaces = [];
let refusedFields = [];

/** Note that the browser refuses a field: its `invalid` event. */
const noteRefused = (event) => {
  if (event.isTrusted) refusedFields.push({ event, field: event.composedPath()[0] }); // later it has no target
};

/** Note from now on fields that the browser refuses, in the document and in the shadow tree of that element. */
export function watchRefusals(element = null) {
  stopWatchingRefusals();
  refusalPlaces = [...new Set([window, element === null ? window : rootOf(element)])];
  for (const place of refusalPlaces) place.addEventListener('invalid', noteRefused, { capture: true });
}

/** Stop listening for fields that the browser refuses. */
function stopWatchingRefusals() {
  for (const place of refusalPlaces) place.removeEventListener('invalid', noteRefused, { capture: true });
  refusalPlaces = [];
  const found = refusedFields;
  refusedFields = [];
  return found;
}

/**
 * Stop listening for refused fields, and return the one that the browser has shown with the reason, as "textbox \"Age\": Value must be
 * less than 9"; "" for none. A page that only checks its fields (`checkValidity()`) moves no focus; one that shows the reasons itself
 * prevents the event.
 */
export function takeShownRefusal() {
  const shown = stopWatchingRefusals().find(({ event, field }) =>
    !event.defaultPrevented && rootOf(field).activeElement === field
  );
  const field = shown?.field;
  return field ? `${lookOf(field)}: ${cleanText(field.validationMessage ?? '')}` : '';
}

exported.watchRefusals = (id) => watchRefusals(id ? nodeFor(id) : null);

exported.takeShownRefusal = takeShownRefusal;
