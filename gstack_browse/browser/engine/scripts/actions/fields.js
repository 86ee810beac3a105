// Reads the content of fields and tells how to fill them; begins to fill them; notices when the page changes a value or the browser finds
// it invalid.

import { FIELD } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { isSecret } from '../accname/states.js';
import {
  chipTexts,
  codeEditorOf,
  codeEditorText,
  displayedText,
  editableText,
  MAX_EDITOR_TEXT,
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
import { briefDescriptionOf } from '../selectors/matching.js';
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
 * Return how `fill` fills an element: "text": text field; "set": value set by script, as of a date or colour; "rich": contenteditable;
 * "keys": code editor; "sink": field that keeps no text (see `isKeySink`); "": not at all.
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
 * Return the outermost editable element around an element: the editor that a paragraph is in. Between nested editors there is a part that
 * is not editable.
 */
export function editingHostOf(element) {
  let host = element;
  for (let around = element; around && isContentEditable(around); around = parentElementOf(around)) host = around;
  return host;
}

const MAX_SINK_SIZE = 24; // pixels

/** Whether a text area is at most as large as a letter: a terminal takes its keys in such a one, and empties it at once. */
function isKeySink(element) {
  const { width, height } = rectOf(element);
  return width <= MAX_SINK_SIZE && height <= MAX_SINK_SIZE && isRendered.call(element);
}

/** Whether a field is read-only, by HTML or ARIA. */
export function isReadOnlyField(element) {
  if (localNameOf(element) === 'input' || localNameOf(element) === 'textarea') return element.readOnly;
  return attr(element, 'aria-readonly') === 'true';
}

/**
 * Return the content of an element in the form that `fill` writes: each block of rich text is one line, where `innerText` would have
 * two breaks between paragraphs. `readRich`: reads the text of a contenteditable element.
 */
function contentForFill(element, readRich = editableText) {
  const code = codeEditorText(element);
  if (code !== null) return code;
  if ('value' in element && fillKind(element) !== 'rich') return element.value;
  return fillKind(element) === 'rich' && textContentOf(element).length <= MAX_EDITOR_TEXT / 2
    ? readRich(element)
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
exported.fieldContent = fieldContent;

const ARIA_FIELD_ROLES = new Set(['combobox', 'searchbox', 'spinbutton', 'textbox']);
const TAGS_WITH_VALUE = /^(?:input|select|textarea|option|button|output|progress|meter|data|param)$/;

/**
 * Return { value, secret } of an element as the command `value` prints it: the values chosen in a list, one a line; `value` is null for an
 * element without one. Null for an element that is gone.
 */
function printedFieldValue(id) {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const name = localNameOf(element);
  if (name === 'select')
    return { value: [...element.selectedOptions].map((option) => option.value).join('\n'), secret: false };
  const isValueField = name === 'input' || name === 'textarea' || name.includes('-') && 'value' in element;
  const role = isValueField ? '' : roleOf(element);
  if (ARIA_FIELD_ROLES.has(role) && fillKind(element) === '') {
    const inner = role === 'combobox' ? queryOne(element, FIELD) : null;
    const content = inner ? printedFieldValue(idOf(inner)) : null;
    if (content)
      return content.value || content.secret ? content : { value: chipTexts(element).join('\n'), secret: false };
    return { value: attr(element, 'aria-valuenow') ?? valueOf(element, role, name), secret: false };
  }
  const hasValue = isValueField || TAGS_WITH_VALUE.test(name) || fillKind(element) !== '';
  const value = hasValue ? String(contentForFill(element, displayedText)) : attr(element, 'aria-valuenow'); // of a slider by ARIA
  return { value, secret: isSecret(element) };
}
exported.printedFieldValue = printedFieldValue;

/** Return what a field of this type and range makes of a value, such as "" of an invalid one. Tried on a new field outside of the page. */
export function parsedValue(id, value) {
  const element = nodeFor(id);
  if (!element || localNameOf(element) !== 'input') return value;
  const trial = newElement(document, 'input');
  for (const name of ['type', 'min', 'max', 'step'])
    if (hasAttr(element, name)) trial.setAttribute(name, attr(element, name));
  trial.value = value;
  return trial.value;
}
exported.parsedValue = parsedValue;

/** Whether a field of this type accepts a value. An invalid one would move a range to its middle, and make a colour black. */
exported.acceptsValue = (id, value) => {
  const element = nodeFor(id);
  if (!element || localNameOf(element) !== 'input') return true;
  if (element.type === 'range') return value.trim() !== '' && Number.isFinite(Number(value));
  if (element.type === 'color') return parsedValue(id, value) !== parsedValue(id, '') || value.trim() === '#000000';
  return parsedValue(id, value) !== '';
};

/**
 * Focus a range, and set it one step beside a value, so that one press of a key leads to the value: `{from, key, wanted}`; null where no
 * key does. The page gets no event before that press: many pages take the value at the first event.
 */
exported.prepareRangeStep = (id, value) => {
  const range = nodeFor(id);
  const wanted = parsedValue(id, value);
  for (const [step, key] of [[-1, 'ArrowUp'], [1, 'ArrowDown']]) {
    const from = valueAfterSteps(range, wanted, step);
    if (from === wanted) continue;
    range.focus();
    range.value = from; // the isolated world's setter: one that the page has defined is not called
    return { from, key, wanted };
  }
  return null;
};

/** Return the value of a range some steps after a value; the value itself for `step="any"`, where keys have no step that is specified. */
function valueAfterSteps(range, value, steps) {
  if (!range || attr(range, 'step') === 'any') return value;
  const trial = range.cloneNode(false);
  trial.value = value;
  trial.stepUp(steps);
  return trial.value;
}

/** Set the value of a text field by script: to insert a large text as a person does takes Chromium seconds. */
exported.setValue = (id, value) => {
  const element = nodeFor(id);
  if (!element) return false;
  refuseOtherRecord(element);
  focusOn(element);
  const maxLength = element.maxLength >= 0 ? element.maxLength : Infinity;
  element.value = value.slice(0, maxLength); // the isolated world's setter: one that the page has defined is not called
  element.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText' }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
};

/**
 * Begin to fill a field. Return "set" if its type takes no keys, and the value is set; "insert" if it is focused with all content selected,
 * to be replaced by a text; "refused" if its type does not accept the value; null for an element that is gone.
 */
exported.beginFill = (id, value) => {
  const element = nodeFor(id);
  if (!element) return null;
  refuseOtherRecord(element);
  const kind = fillKind(element);
  if (kind === 'set') return setTypedValue(element, value.trim());
  if (kind === 'text' && element.type === 'number' && value && Number.isNaN(Number(value))) return 'refused';
  if (kind === 'text') element.select();
  else selectContents(element);
  focusOn(element);
  return 'insert';
};

/** Set the value of a field such as a date, and dispatch the events for it. Return "set" or "refused". */
function setTypedValue(element, value) {
  const wanted = element.type === 'color' ? value.toLowerCase() : value;
  focusOn(element);
  element.value = wanted; // the isolated world's setter: one that the page has defined is not called
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

/** Return the focused element of a tree, through shadow roots and frames of this process; null for none and for the page's body. */
function deepFocusedElement(tree) {
  const element = nodeTypeOf(tree) === 9 ? activeElementOf(tree) : tree.activeElement;
  const inner = element && (isFrame(element) ? contentDocumentOf(element) : shadowRootOf(element));
  const deeper = inner ? deepFocusedElement(inner) : null;
  const isPage = element && matches(element, 'html,body') && !isContentEditable(element);
  return deeper || (isPage ? null : element);
}

const NO_TEXT_FIELD =
  'a,button,summary,input[type=button],input[type=submit],input[type=reset],input[type=image],input[type=checkbox],input[type=radio],input[type=file]';

/**
 * Describe the focused element: `text` is its description ("" for none), `readonly` and `textless` tell that it takes no text. For a
 * visible, uncovered text field also its id and content (`holds`).
 * @returns {Focused}
 */
exported.focused = () => {
  const element = deepFocusedElement(document);
  if (!element) return { text: '', readonly: false, textless: false, id: 0, holds: '' };
  const isUsable = fillKind(element) === 'text' && isVisible(element) && documentOf(element) === document
    && aimAt(element).reachesTarget;
  return {
    text: briefDescriptionOf(element),
    readonly: Boolean(fillKind(element)) && isReadOnlyField(element),
    textless: matches(element, NO_TEXT_FIELD) && !hasAttr(element, 'role') && !isContentEditable(element),
    id: isUsable ? idOf(element) : 0,
    holds: isUsable ? contentForFill(element) : '',
  };
};

/** Whether a key that is pressed now goes to this document: it has the focus, and not a frame in it. */
export function getsKeys() {
  const focused = focusedIn(document);
  return documentHasFocus(document) && focused !== null && !matches(focused, 'iframe,frame,object,embed,fencedframe');
}
exported.getsKeys = getsKeys;

// Notices that a page changes the value of a text field after it has lost the focus: it clamps a number, rounds a price, empties an invalid
// text.

/**
 * @typedef {object} ChangedField
 * @property {number} id
 * @property {string} value
 */

/**
 * @typedef {object} ChangedFields
 * @property {ChangedField[]} changed
 * @property {boolean} waits whether a text field has the focus, or has lost it since the last call
 */

// More are not watched: a page that empties its form changes all fields.
const MAX_BLURRED_FIELDS = 2;

// Field → its value when it lost the focus, for the last fields that the user had changed.
const blurredFields = new Map();

// Whether a field has lost the focus since the last call of `takeFieldsChangedAfterBlur`.
let hasNewBlur = false;

// Fields that hold a secret filled in by name: the page may have changed only its case, so the changed value is secret, too.
const unreportedFields = new WeakSet();

/** Whether an element is a field that holds a text or a value such as a date. */
const isTextField = (element) => ['text', 'set'].includes(fillKind(element));

/** Chromium dispatches `change` right before the focus leaves; this listener runs before those of the page. */
window.addEventListener('change', (event) => {
  /** @type {any} */
  const field = event.composedPath()[0];
  if (!event.isTrusted || !isTextField(field)) return;
  blurredFields.delete(field);
  blurredFields.set(field, field.value);
  if (blurredFields.size > MAX_BLURRED_FIELDS) blurredFields.delete(blurredFields.keys().next().value);
  hasNewBlur = true;
}, { capture: true });

// A field that has the focus again is being edited: its changes are not the page's.
window.addEventListener('focus', (event) => blurredFields.delete(event.composedPath()[0]), { capture: true });

/** Whether a field's value has changed since the field lost the focus. Every answer to Python carries this (`pack`). */
export const hasChangedFields = () => {
  for (const [field, value] of blurredFields) if (field.value !== value) return true;
  return false;
};

exported.hasChangedFields = hasChangedFields;

/**
 * Return the fields whose values the page has changed since they lost the focus, each once.
 * @returns {ChangedFields}
 */
exported.takeFieldsChangedAfterBlur = () => {
  /** @type {ChangedField[]} */
  const changed = [];
  for (const [field, value] of blurredFields) {
    const isObsolete = !isAlive(field) || rootOf(field).activeElement === field;
    const isChanged = !isObsolete && field.value !== value;
    if (isChanged && !isSecret(field) && !unreportedFields.has(field))
      changed.push({ id: idOf(field), value: field.value });
    if (isObsolete || isChanged) blurredFields.delete(field);
  }
  const focused = focusedIn(document);
  const waits = hasNewBlur || focused !== null && isTextField(focused);
  hasNewBlur = false;
  return { changed, waits };
};

/** Stop watching a field that has lost the focus: its changed value was reported already. */
exported.forgetBlurredField = (id) => {
  const field = nodeFor(id);
  if (field) blurredFields.delete(field);
};

/** Never report changed values of this field: it holds a secret. */
exported.excludeFromReports = (id) => {
  const field = nodeFor(id);
  if (field) unreportedFields.add(field);
};

// Notes form fields with an invalid value: the browser then does not submit the form, focuses the field, and shows why in a bubble that is
// not in the DOM.

// Targets with a listener for `invalid`: an event of that type does not leave its shadow tree.
let invalidListenerTargets = [];
// The `invalid` events so far: { event, field }.
let invalidEvents = [];

/** Record an `invalid` event with its field. */
const noteInvalidEvent = (event) => {
  if (event.isTrusted) invalidEvents.push({ event, field: event.composedPath()[0] }); // later it has no target
};

/** Record `invalid` events from now on, in the document and in the shadow tree of an element. */
export function watchInvalidFields(element = null) {
  stopWatchingInvalidFields();
  invalidListenerTargets = [...new Set([window, element === null ? window : rootOf(element)])];
  for (const target of invalidListenerTargets) target.addEventListener('invalid', noteInvalidEvent, { capture: true });
}

/** Stop listening for `invalid` events. Return those so far. */
function stopWatchingInvalidFields() {
  for (const target of invalidListenerTargets)
    target.removeEventListener('invalid', noteInvalidEvent, { capture: true });
  invalidListenerTargets = [];
  const found = invalidEvents;
  invalidEvents = [];
  return found;
}

/**
 * Stop listening for `invalid` events. Return the field that the browser has focused, with its reason: "textbox \"Age\": Value must be less
 * than 9"; "" for none. A page that calls `checkValidity()` moves no focus; one that shows the reasons itself prevents the event.
 */
export function takeShownInvalidField() {
  const shown = stopWatchingInvalidFields().find(({ event, field }) =>
    !event.defaultPrevented && rootOf(field).activeElement === field
  );
  const field = shown?.field;
  return field ? `${briefDescriptionOf(field)}: ${cleanText(field.validationMessage ?? '')}` : '';
}

/** Record `invalid` events from now on. `id`: of the field that is used next, 0 for none. */
exported.watchInvalidFields = (id) => watchInvalidFields(id ? nodeFor(id) : null);

exported.takeShownInvalidField = takeShownInvalidField;
