// Input without waiting: where one probe of an element (actionability.js) proves that an action will reach it, the action is prepared in
// the same turn, and Python dispatches its input at once. A guard in the isolated world blocks input that would reach anything else.

import { askEach } from '../selectors/matching.js';
import { chooseOptions, listOptions } from '../widgets/choices.js';
import { isVisuallyHidden } from '../widgets/widgets.js';
import { editingHostOf, fieldContent, fillKind, isReadOnlyField, parsedValue } from './fields.js';
import { containsComposed, hitAt, reaches } from './hit-testing.js';
import { endPressWatch, isHovered, pressOutcome, watchPress } from './presses.js';
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
import { ancestorsOf, attr, exported, isAlive, shadowRootOf } from '../dom/dom.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { expectInput, takeInputTimeout, waitForInput, waitTwoTurns, waitUntilDrawn } from '../dom/turns.js';
import { isOtherRecord, refuseOtherRecord } from '../selectors/records.js';
import { isVisible } from '../visibility/visible.js';

/** @import { Listing, Option } from '../widgets/choices.js' */

/**
 * @typedef {object} Choice
 * @property {boolean} multiple
 * @property {Option[]} options
 * @property {import('../widgets/choices.js').MeantOptions[]} meant
 * @property {number[] | null} indices
 */

/**
 * @typedef {object} Chosen
 * @property {Listing | null} after
 */

// Steps that can be prepared, by Python's names. Each returns null, and has changed nothing, if the action has to wait.
const preparations = {
  press: preparePress,
  point: preparePointerMove,
  text: prepareText,
  whole: prepareWholeText,
  choice: prepareChoice,
};

/**
 * Prepare a step for an element. `step`: a name above; `probe`: the element's probe; `words`: what is to be written or chosen. Return what
 * the step returns; null if the action has to wait.
 */
export const prepareAction = (step, element, probe, ...words) => preparations[step](element, probe, ...words);
exported.prepare = prepareAction;

/** Start to guard a press on an element. Return the point of the window to press; null if it has to wait. */
function preparePress(element, probe) {
  const at = pressablePoint(probe);
  if (!at || probe.disabled) return null;
  if (probe.held) expectInput('mousedown', { isLast: true });
  else expectInput('pointerup', { begins: 'pointerdown' });
  watchPress(element);
  return at;
}

/** Start to listen for a move of the pointer. Return the point of the window to move to; null if it has to wait. */
function preparePointerMove(_, probe) {
  const at = pressablePoint(probe);
  if (at) expectInput('pointermove');
  return at;
}

/**
 * Return the point of an element that a press reaches now; null if it is hidden, covered, about to stop moving, out of view, in a frame,
 * or pressed by its label.
 */
function pressablePoint(probe) {
  endPressWatch();
  if (window !== window.top || !probe.visible || probe.cover || probe.label || !probe.inView || probe.selectId)
    return null;
  return probe.motion === 'ends' ? null : probe.point;
}

/**
 * Wait until the press was handled, and return its outcome (see `endPressWatch`). Null when the window is about to close: the caller
 * waits for that. "" if a busy page has not handled it in time: the guard stays, and Python calls again once Chromium has confirmed that
 * the press was delivered, even if it was meanwhile: what its handlers put off may be still to come.
 */
exported.awaitPressOutcome = async () => {
  await waitForInput();
  if (takeInputTimeout()) return '';
  const verdict = await pressOutcome();
  return window.closed ? null : verdict;
};

/** Wait until the page has drawn its answer to a move of the pointer, or has had time to; then start to listen for a press. */
exported.awaitPointerDrawn = async () => {
  await waitUntilDrawn();
  expectInput('pointerup', { begins: 'pointerdown' });
  return true;
};

/**
 * Return whether the pointer, moved to a point, is over the element or its label. `:hover` may still match an element that has moved
 * away since, so the point is hit-tested again.
 */
exported.isPointedAt = async (id, x, y) => {
  await waitForInput();
  const element = nodeFor(id);
  if (!element || !isHovered(element) || isOtherRecord(element)) return false;
  const hit = hitAt(x, y);
  return hit !== null && reaches(element, hit);
};

// The choice for `choosePreparedOption`: { element, indices, requestId }; null for none.
let preparedChoice = null;

/**
 * List the options of a list, and keep those that the words mean for `choosePreparedOption`. `indices` is null unless each word means one
 * option. `requestId`: tells this preparation from others.
 * @returns {Choice | null}
 */
function prepareChoice(element, probe, requestId, ...words) {
  preparedChoice = null;
  const isReady = probe.visible && !probe.disabled && !probe.blocker && !isVisuallyHidden(element);
  const listing = isReady ? listOptions(idOf(element), ...words) : null;
  if (!listing) return null;
  const indices = optionIndices(listing);
  if (indices) preparedChoice = { element, indices, requestId };
  return { ...listing, indices };
}

/** Return the indices of the options to choose; null unless each word means just one enabled option by its whole label or value. */
function optionIndices({ multiple, options, meant }) {
  if (meant.length > 1 && !multiple) return null;
  const isUnambiguous = ({ places, isPart }) => places.length === 1 && !isPart && !options[places[0]].disabled;
  return meant.every(isUnambiguous) ? meant.map(({ places }) => places[0]) : null;
}

/**
 * Choose the options that `prepareChoice` has kept for a requestId; null if there are none.
 * @returns {Promise<Chosen> | null}
 */
exported.choosePreparedOption = (requestId) => {
  const choice = preparedChoice;
  preparedChoice = null;
  if (!choice || choice.requestId !== requestId) return null;
  return chooseOptions(idOf(choice.element), choice.indices).then((after) => ({ after }));
};

// Text that is written into a field in the turn of its probe, or as its key arrives.

/** @import { FieldContent } from './fields.js' */

/**
 * @typedef {object} WriteStart
 * @property {FieldContent | null} before
 * @property {boolean} focused
 * @property {boolean} eachKey
 * @property {number} replacement
 */

/**
 * @typedef {object} Filled
 * @property {boolean} gone
 * @property {boolean} missed
 * @property {string} value
 * @property {boolean} secret
 * @property {number} replacement
 * @property {object | null} next
 */

// Time for a dispatched key to arrive: a later one is that of a person.
const KEY_TIMEOUT_MS = 5000;

// The guard of the keys that are to reach a field: { element, beginning, isSetByScript, verdict, at }, see `guardKeys`; null for none.
let keyGuard = null;

const COMPLETION_KINDS = new Set(['inline', 'list', 'both']);

const KEY_EVENTS = ['keydown', 'keypress', 'beforeinput', 'keyup'];

/**
 * Block keys that would reach anything but the field, until `removeKeyGuard`. `beginning`: the text that the key is to follow.
 * `isSetByScript`: it is set as the key arrives, since pages undo a text that they got no event for. `count`: number of keys that come.
 */
function guardKeys(element, beginning, isSetByScript, count = 1) {
  removeKeyGuard();
  expectInput('keyup', { begins: 'keydown', isLast: true, count });
  keyGuard = { element, beginning, isSetByScript, verdict: '', at: performance.now() };
  for (const type of KEY_EVENTS) window.addEventListener(type, onGuardedKey, { capture: true });
}

/** Remove the guard of keys. Return whether it has blocked a key or a text. */
function removeKeyGuard() {
  for (const type of KEY_EVENTS) window.removeEventListener(type, onGuardedKey, { capture: true });
  const missed = keyGuard !== null && keyGuard.verdict === 'missed';
  keyGuard = null;
  return missed;
}

/** Let a key event through to the guarded field, or block it. */
function onGuardedKey(event) {
  if (!keyGuard || !event.isTrusted) return;
  if (performance.now() - keyGuard.at > KEY_TIMEOUT_MS) {
    removeKeyGuard();
    return;
  }
  if (event.type === 'keyup' && !keyGuard.verdict) return; // of an earlier key
  if (!keyGuard.verdict || (keyGuard.verdict === 'hit' && event.type !== 'keyup')) { // a page may move the focus at the first event of the key
    const isOther = !keyGuard.verdict && isOtherRecord(keyGuard.element);
    keyGuard.verdict = !isOther && isKeyFor(keyGuard.element, event.composedPath()[0]) ? 'hit' : 'missed';
  }
  if (keyGuard.verdict === 'missed') {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (keyGuard.beginning && (event.type === 'keydown' || event.type === 'beforeinput')) {
    restoreBeginning(keyGuard, event.type === 'keydown');
  }
}

/**
 * Put the text that a key is to follow into the field, and the caret behind it: the page may have set another text, or selected all of it.
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

/** Whether a key event with this target types into the element, or, if the page has removed that, into any field. */
function isKeyFor(element, target) {
  if (target === element) return true;
  if (!isAlive(element)) return matches(target, 'input,textarea') || isContentEditable(target);
  if (isContentEditable(element)) return isContentEditable(target) && editingHostOf(target) === editingHostOf(element);
  return isFocusedInTree(element) && containsComposed(target, element);
}

/** Move the caret to the end of an editor: after it inserts paragraphs Chromium leaves it before their last character. */
function moveCaretToEnd(element) {
  const selection = windowOf(documentOf(element)).getSelection();
  selection.selectAllChildren(element);
  selection.modify('move', 'forward', 'documentboundary');
}

/** Guard the next keys for a field (see `guardKeys`). Return false if it does not have the focus: no key would reach it. */
exported.guardNextKeys = (id, beginning, count) => {
  const element = nodeFor(id);
  if (element) refuseOtherRecord(element);
  const target = element && documentHasFocus(document) ? rootOf(element).activeElement : null;
  if (!target || !isKeyFor(element, target)) return false;
  if (beginning.includes('\n') && isContentEditable(element)) moveCaretToEnd(element);
  guardKeys(element, beginning, false, count);
  return true;
};

/** Guard the next inserted text for a field (see `guardKeys`): it comes without a key, right after the field is focused. */
exported.guardNextText = (id) => {
  const element = nodeFor(id);
  if (!element) return;
  refuseOtherRecord(element);
  guardKeys(element, '', false);
};

exported.removeKeyGuard = removeKeyGuard;

/**
 * Wait until the page has handled the keys, and return the content of the field (see `fillResult`); "" if a busy page has not handled them
 * in time: the guard stays, and Python calls again. `value`, `nextQuestion`: if the field then holds `value`, the question (as of
 * `askEach`) is answered in the same call, as `next`.
 * @returns {Promise<Filled | "">}
 */
exported.awaitFieldContent = async (id, value, nextQuestion) => {
  await waitForInput();
  const timedOut = takeInputTimeout();
  if (timedOut && keyGuard) return '';
  const missed = removeKeyGuard();
  const result = fillResult(id, missed);
  const isDone = Boolean(nextQuestion) && !timedOut && !missed && !result.gone && result.value === value;
  return { ...result, next: isDone ? askEach([nextQuestion])[0] : null };
};

/**
 * Focus a text field, and replace its content by the `beginning` of a value: the last character is to follow as a key. `keys`: "each key"
 * for a field that has to get each key (see `collectsKeys`). Return its former content; `focused` is false if the page moves the focus on.
 * @returns {WriteStart | null}
 */
function prepareText(element, probe, value, beginning, keys) {
  if (!canFillNow(element, probe, value)) return null;
  const before = fieldContent(idOf(element));
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
  return { before, focused, eachKey, replacement: focused ? 0 : replacementFieldId(element) };
}

// Levels above a field at which an element has to contain its replacement, too.
const MAX_LEVELS_TO_REPLACEMENT = 2;

/**
 * Return the id of the text field that a page shows in place of one that got the focus: `<input value="1,000 €">` hides, and
 * `<input value="1000">` beside it is focused. 0 for none. Seen in Kendo's NumericTextBox.
 */
function replacementFieldId(element) {
  const replacement = rootOf(element).activeElement;
  if (
    !replacement || isVisible(element) || !isVisible(replacement) || fillKind(replacement) !== 'text'
    || isReadOnlyField(replacement)
  ) return 0;
  const isBeside = [...ancestorsOf(element)].slice(0, MAX_LEVELS_TO_REPLACEMENT).some((around) =>
    containsComposed(around, replacement)
  );
  return isBeside ? idOf(replacement) : 0;
}

/** Return the id of the field that has replaced the field of an id on focus (see `replacementFieldId`); 0 for none. */
function replacementIdFor(id) {
  const element = nodeFor(id);
  return element && isAlive(element) && !isFocusedInTree(element) ? replacementFieldId(element) : 0;
}

// The text for `writePreparedText`: { element, value, requestId }; null for none.
let preparedText = null;

/**
 * Focus a text field, and keep the text for `writePreparedText`. Return its former content. `requestId`: tells this preparation from
 * others.
 * @returns {WriteStart | null}
 */
function prepareWholeText(element, probe, requestId, value) {
  preparedText = null;
  if (!canFillNow(element, probe, value) || !isInDocumentTree(element)) return null;
  const before = fieldContent(idOf(element));
  focusOn(element);
  const focused = isFocusedInTree(element);
  if (focused) preparedText = { element, value, requestId };
  return { before, focused, eachKey: false, replacement: focused ? 0 : replacementFieldId(element) };
}

/**
 * Replace the content of a field by the text that `prepareWholeText` has kept for a requestId: as an input method does, without keys.
 * Return the field's content two turns later (see `fillResult`); null if there is no such text, or the focus has moved.
 * @returns {Promise<Filled> | null}
 */
exported.writePreparedText = (requestId) => {
  const prepared = preparedText;
  preparedText = null;
  if (!prepared || prepared.requestId !== requestId) return null;
  const { element, value } = prepared;
  if (!isAlive(element) || isOtherRecord(element)) return null;
  const id = idOf(element);
  if (!isFocusedInTree(element)) return replacementFieldId(element) ? Promise.resolve(fillResult(id, true)) : null;
  element.select();
  runCommand(document, 'insertText', false, value);
  return waitTwoTurns().then(() => fillResult(id, false));
};

/**
 * Return the content of a field after input to it. `gone`: it is no longer there; `missed`: a key or text was blocked, since it would have
 * reached another element; `replacement`: id of the field that took its place on focus.
 * @returns {Filled}
 */
function fillResult(id, missed) {
  const content = fieldContent(id);
  return {
    gone: content === null,
    missed,
    value: '',
    secret: false,
    ...content,
    replacement: replacementIdFor(id),
    next: null,
  };
}

/** Whether an element is in no shadow tree and no custom element: no component around it can handle its input. */
function isInDocumentTree(element) {
  if (rootOf(element) !== document) return false;
  for (const around of ancestorsOf(element)) {
    if (localNameOf(around).includes('-') || shadowRootOf(around) !== null) return false;
  }
  return true;
}

/**
 * Whether a text may be written into an element without a wait: a visible, enabled text field that nothing blocks, in the main frame; a
 * number field only takes a number.
 */
function canFillNow(element, probe, value) {
  if (window !== window.top || !probe.visible || probe.disabled || probe.readonly || probe.blocker || probe.popup)
    return false;
  return probe.fill === 'text' && !(element.type === 'number' && value && !parsedValue(idOf(element), value));
}

/**
 * Whether a field may build its value from `keydown` events, as the comboboxes of the ARIA Authoring Practices do: such a field has to get
 * each key.
 */
export const collectsKeys = (element) =>
  attr(element, 'role') === 'combobox' || COMPLETION_KINDS.has(attr(element, 'aria-autocomplete'));
exported.collectsKeys = collectsKeys;

/** Whether a text is no longer than the field's `maxlength`. */
const fitsMaxLength = (element, value) => element.maxLength < 0 || value.length <= element.maxLength;

// Types of input that keep any text of one line. Other types need a trial value, which costs half as much as the probe.
const PLAIN_TEXT_TYPES = new Set(['text', 'search', 'tel', 'password']);

/** Whether a field keeps the beginning of a value unchanged when a script sets it. If not, it is inserted, with an event of its own. */
function keepsValueUnchanged(element, value, beginning) {
  if (!fitsMaxLength(element, value) || beginning.includes('\r')) return false;
  return (PLAIN_TEXT_TYPES.has(element.type) && !beginning.includes('\n'))
    || parsedValue(idOf(element), beginning) === beginning;
}

/** Whether an element has the focus in its document or shadow tree. */
export const isFocusedInTree = (element) => rootOf(element).activeElement === element;
