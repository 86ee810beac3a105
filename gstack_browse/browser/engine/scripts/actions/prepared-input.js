// Input without waiting: if the probe of an element (actionability.js) proves that an action will reach it, the action is prepared in the
// same call, and Python dispatches its input at once. Listeners in the isolated world block input that would reach anything else.

import { explicitRoleOf } from '../accname/roles.js';
import { editingHostOf, fillKind, isReadOnlyField } from '../accname/values.js';
import { findNewLiveTexts } from './changes.js';
import { parseFieldValue, readFieldContent } from './fields.js';
import { endPressWatch, isHovered, takePressOutcome, watchPress } from './presses.js';
import {
  documentHasFocus,
  documentOf,
  focusOn,
  isContentEditable,
  localNameOf,
  matches,
  rootOf,
  runCommand,
  windowOf,
} from '../dom/accessors.js';
import { ancestorsOf, attr, containsInFlatTree, exported, focusedIn, isAlive, shadowRootOf } from '../dom/dom.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { expectInput, takeInputTimeout, waitForInput, waitTwoTurns, waitUntilDrawn } from '../dom/turns.js';
import { hitAt, pressReaches } from '../layout/hit-testing.js';
import { isVisible } from '../layout/visible.js';
import { findAndCallEach } from '../selectors/ask.js';
import { isOtherRecord, refuseOtherRecord } from '../selectors/records.js';
import { chooseOptions, listOptions } from '../widgets/choices.js';
import { isVisuallyHidden } from '../widgets/widgets.js';

// Kinds of input that can be prepared, by Python's names. Each function returns null, and has changed nothing, if the action has to wait.
const preparations = {
  press: preparePress,
  point: preparePointerMove,
  text: prepareText,
  whole: prepareWholeText,
  choice: prepareChoice,
};

/**
 * Prepare the page for the input that Python sends next to an element: watch or guard it. `step`: its kind, "press", "point" (a move of the
 * pointer), "text", "whole" (text inserted at once) or "choice"; `probe`: the element's `ElementProbe`; `words`: more arguments of the
 * function for that kind. Return the result of that function; null if the action has to wait.
 */
export const prepareAction = (step, element, probe, ...words) => preparations[step](element, probe, ...words);

/**
 * Watch the next press on an element, and block it if it would hit another one. Return the point [x, y] of the window to press; null if the
 * press has to wait. `probe`: the element's `ElementProbe`.
 */
function preparePress(element, probe) {
  const at = findPressablePoint(probe);
  if (!at || probe.disabled) return null;
  if (probe.held) expectInput('mousedown', { isLast: true });
  else expectInput('pointerup', { begins: 'pointerdown' });
  watchPress(element);
  return at;
}

/**
 * Start to wait for a move of the pointer to an element. Return the point [x, y] of the window to move to; null if it has to wait. `probe`:
 * the element's `ElementProbe`.
 */
function preparePointerMove(_, probe) {
  const at = findPressablePoint(probe);
  if (at) expectInput('pointermove');
  return at;
}

/**
 * Return the point [x, y] of the window where a press reaches an element now, by its `ElementProbe`. Null if the element is hidden,
 * covered, out of view, in a frame, pressed by its label, or in an animation that ends soon. Stops watching an earlier press.
 */
function findPressablePoint(probe) {
  endPressWatch();
  if (window !== window.top || !probe.visible || probe.cover || probe.label || !probe.inView || probe.selectId)
    return null;
  return probe.motion === 'ends' ? null : probe.point;
}

/**
 * Wait until the page has handled the press that Python sends. Return { outcome: a value of Python's `PressOutcome`, messages: new texts of
 * live regions }. Null when the window is about to close. "" if a busy page has not handled it in time: the watch goes on, and Python calls
 * again once Chromium has confirmed the delivery.
 * @returns {Promise<PressAnswer | "" | null>}
 */
exported.awaitPressOutcome = async () => {
  await waitForInput();
  if (takeInputTimeout()) return '';
  const outcome = await takePressOutcome();
  return window.closed ? null : { outcome, messages: findNewLiveTexts() };
};

/** Wait until the page has drawn the hover state after a move of the pointer, at most 100 ms; then start to wait for a press. */
exported.awaitPointerDrawn = async () => {
  await waitUntilDrawn();
  expectInput('pointerup', { begins: 'pointerdown' });
  return true;
};

// `:hover` may still match an element that has moved away since, so the point is hit-tested again.
/** Wait until the page has handled the pointer's move to a point of the window. Return whether it is over the element or its label. */
exported.isPointedAt = async (id, x, y) => {
  await waitForInput();
  const element = nodeFor(id);
  if (!element || !isHovered(element) || isOtherRecord(element)) return false;
  const hit = hitAt(x, y);
  return hit !== null && pressReaches(element, hit);
};

// The choice for `choosePreparedOption`: { element, indices, requestId }; null for none.
let preparedChoice = null;

/**
 * List the options of a `<select>`, and remember those to choose, for `choosePreparedOption`. In the result, `indices` is null unless each
 * word matches one option. Return null if the action has to wait. `probe`: its `ElementProbe`; `requestId`: a number that identifies this
 * preparation; `words`: labels or values of the options to choose.
 * @returns {Choice | null}
 */
function prepareChoice(element, probe, requestId, ...words) {
  preparedChoice = null;
  const isReady = probe.visible && !probe.disabled && !probe.blocker && !isVisuallyHidden(element);
  if (!isReady || localNameOf(element) !== 'select') return null;
  // As a person does: pages load a list then, and check the field before it.
  if (focusedIn(document) !== element) focusOn(element);
  const listing = listOptions(idOf(element), ...words);
  if (!listing) return null;
  const indices = findOptionIndices(listing);
  if (indices) preparedChoice = { element, indices, requestId };
  return { ...listing, indices };
}

/**
 * Return the indices of the options to choose from a `Listing`; null unless each word matches one enabled option by its whole label or
 * value.
 */
function findOptionIndices({ multiple, options, matches }) {
  if (matches.length > 1 && !multiple) return null;
  /** Return whether a word matches one enabled option, by its whole label or value. */
  const isUnambiguous = ({ indices, isPart }) => indices.length === 1 && !isPart && !options[indices[0]].disabled;
  return matches.every(isUnambiguous) ? matches.map(({ indices }) => indices[0]) : null;
}

/**
 * Choose the options that `prepareChoice` has remembered under a requestId. Return { after: the options of the list then }; null if none
 * are remembered.
 * @returns {Promise<Chosen> | null}
 */
exported.choosePreparedOption = (requestId) => {
  const choice = preparedChoice;
  preparedChoice = null;
  if (!choice || choice.requestId !== requestId) return null;
  return chooseOptions(idOf(choice.element), choice.indices).then((after) => ({ after }));
};

// Text that is written into a field in the call that probes it, or as its key arrives.

// Time for a dispatched key to arrive: a later one is that of a person.
const KEY_TIMEOUT_MS = 5000;

// The guard of the keys that are to reach a field: { element, beginning, isSetByScript, verdict ("", "delivered" or "blocked"), at (time)
// }, see `guardKeys`; null for none.
let keyGuard = null;

const COMPLETION_KINDS = new Set(['inline', 'list', 'both']);

const KEY_EVENTS = ['keydown', 'keypress', 'beforeinput', 'keyup'];

// `beginning` is set as the key arrives: pages undo a text that they got no event for.
/**
 * Block key events that would reach anything but a field (`element`), until `removeKeyGuard`. `beginning`: the text that is to be in the
 * field before the key is typed; `isSetByScript`: set that text as the key arrives; `count`: number of keys to expect.
 */
function guardKeys(element, beginning, isSetByScript, count = 1) {
  removeKeyGuard();
  expectInput('keyup', { begins: 'keydown', isLast: true, count });
  keyGuard = { element, beginning, isSetByScript, verdict: '', at: performance.now() };
  for (const type of KEY_EVENTS) window.addEventListener(type, onGuardedKey, { capture: true });
}

/** Stop blocking keys and texts. Return whether one was blocked since it would have reached another element. */
function removeKeyGuard() {
  for (const type of KEY_EVENTS) window.removeEventListener(type, onGuardedKey, { capture: true });
  const missed = keyGuard !== null && keyGuard.verdict === 'blocked';
  keyGuard = null;
  return missed;
}

/** Handle a key event while `keyGuard` is set: let it through to the guarded field, or block it. */
function onGuardedKey(event) {
  if (!keyGuard || !event.isTrusted) return;
  if (performance.now() - keyGuard.at > KEY_TIMEOUT_MS) {
    removeKeyGuard();
    return;
  }
  if (event.type === 'keyup' && !keyGuard.verdict) return; // of an earlier key
  if (!keyGuard.verdict || (keyGuard.verdict === 'delivered' && event.type !== 'keyup')) { // a page may move the focus at the first event of the key
    const isOther = !keyGuard.verdict && isOtherRecord(keyGuard.element);
    keyGuard.verdict = !isOther && isKeyFor(keyGuard.element, event.composedPath()[0]) ? 'delivered' : 'blocked';
  }
  if (keyGuard.verdict === 'blocked') {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (keyGuard.beginning && (event.type === 'keydown' || event.type === 'beforeinput')) {
    restoreBeginning(keyGuard, event.type === 'keydown');
  }
}

/**
 * Set the text that is to be in a guarded field before a key is typed, with the caret behind it: the page may have set another text, or
 * selected all of it. The arguments are of `keyGuard`; `isFirst`: the event is the `keydown`.
 */
function restoreBeginning({ element, beginning, isSetByScript }, isFirst) {
  if (!isAlive(element) || !('value' in element)) return;
  const { value } = element;
  if (isSetByScript) {
    if (isFirst && value === beginning) element.value = ''; // setting the same value would leave it selected
    if (isFirst || !value.startsWith(beginning)) element.value = beginning;
  } else if (value && element.selectionStart === 0 && element.selectionEnd === value.length) {
    element.setSelectionRange(value.length, value.length);
  }
}

/** Return whether a key event with this target types into `element`, or, if the page has removed that, into any field. */
function isKeyFor(element, target) {
  if (target === element) return true;
  if (!isAlive(element)) return matches(target, 'input,textarea') || isContentEditable(target);
  if (isContentEditable(element)) return isContentEditable(target) && editingHostOf(target) === editingHostOf(element);
  return isFocusedInTree(element) && containsInFlatTree(target, element);
}

// Chromium leaves the caret before the last character of inserted paragraphs.
/** Move the caret to the end of a contenteditable element. */
function moveCaretToEnd(element) {
  const selection = windowOf(documentOf(element)).getSelection();
  selection.selectAllChildren(element);
  selection.modify('move', 'forward', 'documentboundary');
}

/**
 * Block the next `count` keys unless they reach the field of an id. `beginning`: the text that is to be in it before they are typed. Return
 * false if the field does not have the focus.
 */
exported.guardNextKeys = (id, beginning, count) => {
  const element = nodeFor(id);
  if (element) refuseOtherRecord(element);
  const target = element && documentHasFocus(document) ? rootOf(element).activeElement : null;
  if (!target || !isKeyFor(element, target)) return false;
  if (beginning.includes('\n') && isContentEditable(element)) moveCaretToEnd(element);
  guardKeys(element, beginning, false, count);
  return true;
};

/** Block the next inserted text (`Input.insertText`) unless it reaches a field, which is focused right after this call. */
exported.guardNextText = (id) => {
  const element = nodeFor(id);
  if (!element) return;
  refuseOtherRecord(element);
  guardKeys(element, '', false);
};

exported.removeKeyGuard = removeKeyGuard;

/**
 * Wait until the page has handled the keys that Python sends, and return the content of the field (`Filled`); "" if a busy page has not
 * handled them in time: the guard stays, and Python calls again. If the field then contains `value`, answer `nextQuestion`, too (an
 * argument of `findAndCallEach`, null for none), as `next`.
 * @returns {Promise<Filled | "">}
 */
exported.awaitFieldContent = async (id, value, nextQuestion) => {
  await waitForInput();
  const timedOut = takeInputTimeout();
  if (timedOut && keyGuard) return '';
  const missed = removeKeyGuard();
  const result = readFillResult(id, missed);
  const isDone = Boolean(nextQuestion) && !timedOut && !missed && !result.gone && result.value === value;
  return { ...result, next: isDone ? findAndCallEach([nextQuestion])[0] : null };
};

/**
 * Focus a text field, and replace its content by the `beginning` of `value`: Python types the last character as a key. `probe`: its
 * `ElementProbe`; `keys`: "each key" to type all characters as keys into a field of `collectsKeys`. Return { before: its former content,
 * focused: false if the page has moved the focus, eachKey: all characters are to be typed, replacement: id of the field that the page shows
 * in its place since it got the focus, 0 for none }; null if the action has to wait.
 * @returns {WriteStart | null}
 */
function prepareText(element, probe, value, beginning, keys) {
  if (!canFillNow(element, probe, value)) return null;
  const before = readFieldContent(idOf(element));
  focusOn(element);
  const focused = isFocusedInTree(element);
  const eachKey = keys === 'each key' && probe.collectsKeys;
  if (focused && eachKey) {
    guardKeys(element, '', false, value.length);
    element.select();
  } else if (focused) {
    const isSetByScript = beginning !== '' && beginning !== value && keepsValueUnchanged(element, value, beginning);
    guardKeys(element, beginning, isSetByScript);
    if (!isSetByScript) element.select(); // the beginning replaces all content
    if (beginning && !isSetByScript)
      runCommand(document, 'insertText', false, fitsMaxLength(element, value) ? beginning : value);
  }
  return { before, focused, eachKey, replacement: focused ? 0 : findReplacementFieldId(element) };
}

// Levels above a field at which an element has to contain its replacement, too.
const MAX_LEVELS_TO_REPLACEMENT = 2;

/**
 * Return the id of the focused text field that a page shows in place of the field `element` that got the focus; 0 for none. In Kendo's
 * NumericTextBox `<input value="1,000 €">` hides, and `<input value="1000">` beside it is focused.
 */
function findReplacementFieldId(element) {
  const replacement = rootOf(element).activeElement;
  if (
    !replacement || isVisible(element) || !isVisible(replacement) || fillKind(replacement) !== 'text'
    || isReadOnlyField(replacement)
  ) return 0;
  const isBeside = [...ancestorsOf(element)].slice(0, MAX_LEVELS_TO_REPLACEMENT).some((around) =>
    containsInFlatTree(around, replacement)
  );
  return isBeside ? idOf(replacement) : 0;
}

/** Return the id of the focused text field that a page shows in place of the field of an id, which got the focus; 0 for none. */
function findReplacementIdFor(id) {
  const element = nodeFor(id);
  return element && isAlive(element) && !isFocusedInTree(element) ? findReplacementFieldId(element) : 0;
}

// The text for `writePreparedText`: { element, value, requestId }; null for none.
let preparedText = null;

/**
 * Focus a text field, and remember the text `value` for `writePreparedText`. Return the field's former content as `WriteStart`; null if the
 * action has to wait. `probe`: its `ElementProbe`; `requestId`: a number that identifies this preparation.
 * @returns {WriteStart | null}
 */
function prepareWholeText(element, probe, requestId, value) {
  preparedText = null;
  if (!canFillNow(element, probe, value) || !isInDocumentTree(element)) return null;
  const before = readFieldContent(idOf(element));
  focusOn(element);
  const focused = isFocusedInTree(element);
  if (focused) preparedText = { element, value, requestId };
  return { before, focused, eachKey: false, replacement: focused ? 0 : findReplacementFieldId(element) };
}

/**
 * Replace the content of a field by the text that `prepareWholeText` has remembered under a requestId: as an input method does, without
 * keys. Return the field's content two tasks later; null if there is no such text, or the focus has moved.
 * @returns {Promise<Filled> | null}
 */
exported.writePreparedText = (requestId) => {
  const prepared = preparedText;
  preparedText = null;
  if (!prepared || prepared.requestId !== requestId) return null;
  const { element, value } = prepared;
  if (!isAlive(element) || isOtherRecord(element)) return null;
  const id = idOf(element);
  if (!isFocusedInTree(element))
    return findReplacementFieldId(element) ? Promise.resolve(readFillResult(id, true)) : null;
  element.select();
  runCommand(document, 'insertText', false, value);
  return waitTwoTurns().then(() => readFillResult(id, false));
};

/**
 * Return { value, secret: content of a field after input to it, gone: it is no longer there, missed: the argument, whether a key or text
 * was blocked, replacement: id of the field that the page shows in its place since it got the focus, 0 for none }.
 * @returns {Filled}
 */
function readFillResult(id, missed) {
  const content = readFieldContent(id);
  return {
    gone: content === null,
    missed,
    value: '',
    secret: false,
    ...content,
    replacement: findReplacementIdFor(id),
    next: null,
  };
}

/** Return whether an element is in no shadow tree and no custom element, so that no component around it handles its input. */
function isInDocumentTree(element) {
  if (rootOf(element) !== document) return false;
  for (const around of ancestorsOf(element)) {
    if (localNameOf(around).includes('-') || shadowRootOf(around) !== null) return false;
  }
  return true;
}

/**
 * Return whether a value may be written into an element now: it is a visible, enabled text field in the main frame, nothing blocks it, and
 * a number field gets a number. `probe`: its `ElementProbe`.
 */
function canFillNow(element, probe, value) {
  if (window !== window.top || !probe.visible || probe.disabled || probe.readonly || probe.blocker || probe.popup)
    return false;
  return probe.fill === 'text' && !(element.type === 'number' && value && !parseFieldValue(idOf(element), value));
}

/**
 * Return whether a field is a combobox or completes its text, and so may build its value from `keydown` events, as in the ARIA Authoring
 * Practices: it has to get each key.
 */
export const collectsKeys = (element) =>
  explicitRoleOf(element) === 'combobox' || COMPLETION_KINDS.has(attr(element, 'aria-autocomplete'));
exported.collectsKeys = collectsKeys;

/** Return whether a text is no longer than the field's `maxlength`. */
const fitsMaxLength = (element, value) => element.maxLength < 0 || value.length <= element.maxLength;

// Types of input that keep any text of one line. Other types need a trial value, which costs half as much as the probe.
const PLAIN_TEXT_TYPES = new Set(['text', 'search', 'tel', 'password']);

/** Return whether a script can set a field to the `beginning` of `value`, and the field neither shortens nor changes it. */
function keepsValueUnchanged(element, value, beginning) {
  if (!fitsMaxLength(element, value) || beginning.includes('\r')) return false;
  return (PLAIN_TEXT_TYPES.has(element.type) && !beginning.includes('\n'))
    || parseFieldValue(idOf(element), beginning) === beginning;
}

/** Return whether an element has the focus in its document or shadow tree. */
export const isFocusedInTree = (element) => rootOf(element).activeElement === element;

// Types.

/** @import { Listing, Option } from '../widgets/choices.js' */

/** @import { FieldContent } from './fields.js' */

/**
 * @typedef {{ multiple: boolean, options: Option[], matches: import('../widgets/choices.js').OptionMatches[],
 *   indices: number[] | null }} Choice
 */

/** @typedef {{ after: Listing | null }} Chosen */

/** @typedef {{ before: FieldContent | null, focused: boolean, eachKey: boolean, replacement: number }} WriteStart */

/** @typedef {{ outcome: string, messages: string[] }} PressAnswer */

/** @typedef {{ gone: boolean, missed: boolean, value: string, secret: boolean, replacement: number, next: object | null }} Filled */
