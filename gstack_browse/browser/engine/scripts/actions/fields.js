// Read the content of fields and how to fill them; begin to fill them; notice when the page changes a value or the browser finds it
// invalid.

import { FIELD } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { isSecret } from '../accname/states.js';
import {
  chipTexts,
  codeEditorText,
  displayedText,
  editableText,
  fillKind,
  isReadOnlyField,
  MAX_EDITOR_TEXT,
  valueOf,
} from '../accname/values.js';
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
  queryOne,
  rootOf,
  textContentOf,
  windowOf,
} from '../dom/accessors.js';
import {
  attr,
  cleanText,
  containsInFlatTree,
  contentDocumentOf,
  exported,
  focusedIn,
  hasAttr,
  isAlive,
  isFrame,
  queryAllIn,
  shadowRootOf,
  treeOf,
} from '../dom/dom.js';
import { nodeWithInternals } from '../dom/internals.js';
import { blurredFields } from '../dom/invoke.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { findPressPoint } from '../layout/hit-testing.js';
import { isVisible } from '../layout/visible.js';
import { briefDescriptionOf } from '../selectors/matching.js';
import { refuseOtherRecord } from '../selectors/records.js';

/**
 * Return the text in a field or editor, in the form in which `fill` would write it: each block of rich text is one line, where `innerText`
 * has two breaks between paragraphs. `readRich`: function that returns the text of a contenteditable element.
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
 * Return { value: the content of a field, secret: whether it must not be printed }; null for an element that is gone.
 * @returns {FieldContent | null}
 */
export function readFieldContent(id) {
  const element = nodeFor(id);
  return element ? { value: contentForFill(element), secret: isSecret(element) } : null;
}
exported.readFieldContent = readFieldContent;

/** Return whether the page has spread `text`, written into a field, over this field and the next ones, as the digits of a code. */
exported.isSpreadOverFields = (id, text) => {
  const field = nodeFor(id);
  if (field === null || !isAlive(field)) return false;
  const fields = [...queryAllIn(treeOf(field), 'input:not([type=hidden])')];
  let left = text;
  for (const { value } of fields.slice(fields.indexOf(field))) {
    if (value === '' || !left.startsWith(value)) return false;
    left = left.slice(value.length);
    if (left === '') return value !== text;
  }
  return false;
};

const ARIA_FIELD_ROLES = new Set(['combobox', 'searchbox', 'spinbutton', 'textbox']);
const TAGS_WITH_VALUE = /^(?:input|select|textarea|option|button|output|progress|meter|data|param)$/;

/**
 * Return { value, secret } of an element for the command `value`; of a list, the chosen values, one a line; of a label, that of its field.
 * `value` is null for an element without one. Null for an element that is gone.
 */
function readPrintedFieldValue(id) {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const name = localNameOf(element);
  if (name === 'label' && element.control) return readPrintedFieldValue(idOf(element.control));
  if (name === 'select')
    return { value: [...element.selectedOptions].map((option) => option.value).join('\n'), secret: false };
  const isValueField = name === 'input' || name === 'textarea' || name.includes('-') && 'value' in element;
  const role = isValueField ? '' : roleOf(element);
  if (ARIA_FIELD_ROLES.has(role) && fillKind(element) === '') {
    const inner = role === 'combobox' ? queryOne(element, FIELD) : null;
    const content = inner ? readPrintedFieldValue(idOf(inner)) : null;
    if (content)
      return content.value || content.secret ? content : { value: chipTexts(element).join('\n'), secret: false };
    return { value: attr(element, 'aria-valuenow') ?? valueOf(element, role, name), secret: false };
  }
  const hasValue = isValueField || TAGS_WITH_VALUE.test(name) || fillKind(element) !== '';
  const value = hasValue ? String(contentForFill(element, displayedText)) : attr(element, 'aria-valuenow'); // of a slider by ARIA
  return { value, secret: isSecret(element) };
}
exported.readPrintedFieldValue = readPrintedFieldValue;

/**
 * Return what becomes of `value` in an `<input>` of the type and limits of this element: corrected, or "" if invalid. Tried on a new
 * `<input>`. The value itself for any other element.
 */
export function parseFieldValue(id, value) {
  const element = nodeFor(id);
  if (!element || localNameOf(element) !== 'input') return value;
  const trial = newElement(document, 'input');
  for (const name of ['type', 'min', 'max', 'step'])
    if (hasAttr(element, name)) trial.setAttribute(name, attr(element, name));
  trial.value = value;
  return trial.value;
}
exported.parseFieldValue = parseFieldValue;

// An invalid value would move a range to its middle, and make a colour black.
/** Return whether an `<input>`, given by id, accepts a value as valid for its type. True for any other element. */
exported.acceptsValue = (id, value) => {
  const element = nodeFor(id);
  if (!element || localNameOf(element) !== 'input') return true;
  if (element.type === 'range') return value.trim() !== '' && Number.isFinite(Number(value));
  if (element.type === 'color')
    return parseFieldValue(id, value) !== parseFieldValue(id, '') || value.trim() === '#000000';
  return parseFieldValue(id, value) !== '';
};

// The page gets no event before the key: many pages take the value at the first event.
/**
 * Focus an `<input type=range>`, and set it one step beside a value. Return { from (this position), key (the arrow key that leads to the
 * value), wanted (the value as the range accepts it) }; null if no key leads to it.
 */
exported.prepareRangeStep = (id, value) => {
  const range = nodeFor(id);
  const wanted = parseFieldValue(id, value);
  for (const [step, key] of [[-1, 'ArrowUp'], [1, 'ArrowDown']]) {
    const from = valueAfterSteps(range, wanted, step);
    if (from === wanted) continue;
    range.focus();
    range.value = from; // the isolated world's setter: one that the page has defined is not called
    return { from, key, wanted };
  }
  return null;
};

/**
 * Return the value of an `<input type=range>` that is so many steps after `value` (negative: before it); `value` itself for `step="any"`,
 * where the step of keys is not specified.
 */
function valueAfterSteps(range, value, steps) {
  if (!range || attr(range, 'step') === 'any') return value;
  const trial = range.cloneNode(false);
  trial.value = value;
  trial.stepUp(steps);
  return trial.value;
}

// To insert a large text as a person does takes Chromium seconds.
/** Set the value of a text field by script, and dispatch `input` and `change`. Return false if the field is gone. */
exported.setFieldValue = (id, value) => {
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
 * Begin to fill a field. Return "set" if its type takes no keys, and its value is set; "insert" if it is focused with all content selected,
 * so that Python can insert the text; "refused" if its type does not accept the value; null for an element that is gone.
 */
exported.beginFill = (id, value) => {
  const element = nodeFor(id);
  if (!element) return null;
  refuseOtherRecord(element);
  const kind = fillKind(element);
  if (kind === 'set') return setNonTextValue(element, value.trim());
  if (kind === 'text' && element.type === 'number' && value && Number.isNaN(Number(value))) return 'refused';
  if (kind === 'text') element.select();
  else selectContents(element);
  focusOn(element);
  return 'insert';
};

/**
 * Set the value of a field such as a date by script, and dispatch `input` and `change`. Return "set", or "refused" for an invalid value.
 */
function setNonTextValue(element, value) {
  const wanted = element.type === 'color' ? value.toLowerCase() : value;
  focusOn(element);
  element.value = wanted; // the isolated world's setter: one that the page has defined is not called
  if (wanted && !element.value) return 'refused';
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  return 'set';
}

/** Select all content of an element, such as an editor. */
function selectContents(element) {
  const selection = windowOf(documentOf(element)).getSelection();
  const range = newRange(documentOf(element));
  range.selectNodeContents(element);
  selection.removeAllRanges();
  selection.addRange(range);
}

/**
 * Return the focused element in a document or shadow root (`tree`), also inside of shadow roots and same-origin frames; null for none or
 * the body.
 */
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
 * Describe the focused element. Throw an error if the field `fieldId` is in another record than when it was found. Return:
 *
 * - text: its description, "" for none; readonly: it is a read-only field; textless: it is a button, a link or the like
 * - id, content: of a visible, uncovered text field; else 0 and ""
 * - elsewhere: it is neither in nor around the visible text field `fieldId`; false without one
 * @returns {Focused}
 */
exported.describeFocused = (fieldId) => {
  const element = deepFocusedElement(document);
  const field = nodeFor(fieldId);
  if (field) refuseOtherRecord(field);
  if (!element) return { text: '', readonly: false, textless: false, id: 0, content: '', elsewhere: false };
  const isUsable = fillKind(element) === 'text' && isVisible(element) && documentOf(element) === document
    && findPressPoint(element).reachesTarget;
  return {
    text: briefDescriptionOf(element),
    readonly: Boolean(fillKind(element)) && isReadOnlyField(element),
    textless: matches(element, NO_TEXT_FIELD) && !hasAttr(element, 'role') && !isContentEditable(element),
    id: isUsable ? idOf(element) : 0,
    content: isUsable ? contentForFill(element) : '',
    elsewhere: field !== null && ['text', 'rich'].includes(fillKind(field)) && isVisible(field)
      && !containsInFlatTree(field, element) && !containsInFlatTree(element, field),
  };
};

/** Return whether keys go to this document now: it has the focus, and not a frame in it. */
export function getsKeys() {
  const focused = focusedIn(document);
  return documentHasFocus(document) && focused !== null && !matches(focused, 'iframe,frame,object,embed,fencedframe');
}
exported.getsKeys = getsKeys;

// Notice that a page changes the value of a text field after it has lost the focus: it clamps a number, rounds a price, empties an invalid
// text.

// More are not watched: a page that empties its form changes all fields.
const MAX_BLURRED_FIELDS = 2;

// Whether a field has lost the focus since the last call of `takeFieldsChangedAfterBlur`.
let hasNewBlur = false;

// Fields that hold a secret filled in by name: the page may have changed only its case, so the changed value is secret, too.
const unreportedFields = new WeakSet();

/** Return whether an element is a field for text or for a value such as a date. */
const isTextField = (element) => ['text', 'set'].includes(fillKind(element));

/** Handle a `change` event: remember the value with which a text field loses the focus, to notice when the page changes it. */
function rememberBlurredField(event) {
  const field = event.composedPath()[0];
  if (!event.isTrusted || !isTextField(field)) return;
  blurredFields.delete(field);
  blurredFields.set(field, field.value);
  if (blurredFields.size > MAX_BLURRED_FIELDS) blurredFields.delete(blurredFields.keys().next().value);
  hasNewBlur = true;
}

// Chromium dispatches `change` right before the focus leaves. This listener runs before those of the page.
window.addEventListener('change', rememberBlurredField, { capture: true });

// A field that has the focus again is being edited: its changes are not the page's.
window.addEventListener('focus', (event) => blurredFields.delete(event.composedPath()[0]), { capture: true });

/**
 * Return { changed: [{ id, value }] of the visible text fields whose values the page has changed since they lost the focus, waits: whether
 * a change may yet come, since a text field has the focus or has just lost it }. Stop watching fields that were changed, are gone, or have
 * the focus again.
 * @returns {ChangedFields}
 */
exported.takeFieldsChangedAfterBlur = () => {
  const changed = [];
  for (const [field, value] of blurredFields) {
    const isObsolete = !isAlive(field) || rootOf(field).activeElement === field;
    const isChanged = !isObsolete && field.value !== value;
    // a dialog that has closed empties its fields for the next time
    if (isChanged && isVisible(field) && !isSecret(field) && !unreportedFields.has(field))
      changed.push({ id: idOf(field), value: field.value });
    if (isObsolete || isChanged) blurredFields.delete(field);
  }
  const focused = focusedIn(document);
  const waits = hasNewBlur || focused !== null && isTextField(focused);
  hasNewBlur = false;
  return { changed, waits };
};

/** Stop watching whether the page changes the value of this field after it has lost the focus. */
exported.forgetBlurredField = (id) => {
  const field = nodeFor(id);
  if (field) blurredFields.delete(field);
};

/** Leave this field out of all results of `takeFieldsChangedAfterBlur`, since it contains a secret. */
exported.excludeFromReports = (id) => {
  const field = nodeFor(id);
  if (field) unreportedFields.add(field);
};

// Record form fields with an invalid value: the browser then does not submit the form, focuses the field, and shows the reason in a bubble
// that is not in the DOM.

// Targets with a listener for `invalid`: an event of that type does not leave its shadow tree.
let invalidListenerTargets = [];
// The `invalid` events so far: { event, field }.
let invalidEvents = [];

/** Record an `invalid` event and its field. */
const noteInvalidEvent = (event) => {
  if (event.isTrusted) invalidEvents.push({ event, field: event.composedPath()[0] }); // later it has no target
};

/** Record `invalid` events (of form validation) from now on, in the document and in the shadow tree of an element, if one is given. */
export function watchInvalidFields(element = null) {
  stopWatchingInvalidFields();
  invalidListenerTargets = [...new Set([window, element === null ? window : rootOf(element)])];
  for (const target of invalidListenerTargets) target.addEventListener('invalid', noteInvalidEvent, { capture: true });
}

/** Stop recording `invalid` events. Return those so far, as { event, field }. */
function stopWatchingInvalidFields() {
  for (const target of invalidListenerTargets)
    target.removeEventListener('invalid', noteInvalidEvent, { capture: true });
  invalidListenerTargets = [];
  const found = invalidEvents;
  invalidEvents = [];
  return found;
}

// A page that calls `checkValidity()` moves no focus; one that shows the reasons itself prevents the event.
/**
 * Return the invalid field that has kept the browser from submitting a form since `watchInvalidFields`, with the reason, such as
 * `textbox "Age": Value must be less than 9`; "" for none. Stop recording `invalid` events.
 */
export function takeShownInvalidField() {
  const shown = stopWatchingInvalidFields().find(({ event, field }) =>
    !event.defaultPrevented && rootOf(field).activeElement === field
  );
  const field = shown?.field;
  if (!field) return '';
  // As in the browser's bubble: the title says what the pattern wants.
  const wanted = field.validity?.patternMismatch ? attr(field, 'title') ?? '' : '';
  return `${briefDescriptionOf(field)}: ${cleanText(`${field.validationMessage ?? ''} ${wanted}`)}`;
}

/** Record `invalid` events (of form validation) from now on. `id`: of a field, whose shadow tree is included; 0 for none. */
exported.watchInvalidFields = (id) => watchInvalidFields(id ? nodeFor(id) : null);

exported.takeShownInvalidField = takeShownInvalidField;

// Types.

/** @typedef {{ value: string, secret: boolean }} FieldContent */

/** @typedef {{ text: string, readonly: boolean, textless: boolean, id: number, content: string, elsewhere: boolean }} Focused */

/** @typedef {{ id: number, value: string }} ChangedField */

/**
 * `waits`: whether a text field has the focus, or has lost it since the last call.
 * @typedef {{ changed: ChangedField[], waits: boolean }} ChangedFields
 */
