// Input without waiting: where one look at an element (`probe`) proves that an action will reach it, the action is prepared in the same
// turn, and Python dispatches its input at once. A guard in the isolated world blocks input that would reach anything else, so that a
// miss does nothing at all.

import { askEach } from '../selectors/matching.js';
import { chooseOptions, listOptions } from '../widgets/choices.js';
import { isTuckedAway } from '../widgets/widgets.js';
import { editingHostOf, fieldContent, fillKind, isReadOnlyField, parsedValue } from './fields.js';
import { containsComposed, hitAt, reaches } from './hit-testing.js';
import { endPressWatch, isHovered, isPressDue, pressOutcome, watchPress } from './presses.js';
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
import { awaitInput, HEARD_WITHIN, inputHeard, pause, turnEnded, twoFrames, wasLate } from '../dom/turns.js';
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

/** Steps that can be prepared, by Python's names. Each returns null, and has changed nothing, if the action has to wait. */
const preparations = {
  press: preparePress,
  point: preparePoint,
  text: prepareText,
  whole: prepareWholeText,
  choice: prepareChoice,
};

/**
 * Prepare a step (`what`: a name above) for an element. `look`: the `ActionLook` at it; `words`: what is to be written or chosen.
 * Return what the step returns; null if the action has to wait.
 */
export const prepareAction = (what, element, look, ...words) => preparations[what](element, look, ...words);
exported.prepare = prepareAction;

/**
 * Prepare a press in the turn of the look: guard what it may reach. Return the point to click on the element; null if that cannot be done
 * at once.
 */
function preparePress(element, look) {
  const at = pointFromLook(look);
  if (!at || look.disabled) return null;
  if (look.held) awaitInput('mousedown', { isLast: true });
  else awaitInput('pointerup', { begins: 'pointerdown' });
  watchPress(element);
  return at;
}

/** Prepare a move of the pointer. Return the point to move to, or null. */
function preparePoint(_, look) {
  const at = pointFromLook(look);
  if (at) awaitInput('pointermove');
  return at;
}

/**
 * Return the point of an element that a press reaches; null if it is hidden, covered, about to come to rest, out of view, in a frame,
 * or pressed by its label.
 */
function pointFromLook(look) {
  endPressWatch();
  if (window !== window.top || !look.visible || look.cover || look.label || !look.inView || look.selectId)
    return null;
  return look.motion === 'ends' ? null : look.point;
}

/**
 * Wait until the press was handled, and return its outcome (see `endPressWatch`). Null when the window is about to close: the caller
 * waits for that. "" if a busy page has not handled it in time: the guard stays, and Python asks again once Chromium has said that the
 * press was delivered.
 */
exported.awaitPressOutcome = async () => {
  await inputHeard();
  if (wasLate() && isPressDue()) return '';
  const verdict = await pressOutcome();
  return window.closed ? null : verdict;
};

/**
 * Resolve once the page has drawn its answer to a move of the pointer, or has had time to. From then on the press is waited for.
 */
exported.awaitPointerDrawn = async () => {
  await Promise.race([twoFrames().then(() => pause(0)), pause(HEARD_WITHIN)]);
  awaitInput('pointerup', { begins: 'pointerdown' });
  return true;
};

/**
 * Return whether the pointer, moved to a point, is over the element or its label. `:hover` may still match an element that has moved
 * away since, so the point is hit-tested again.
 */
exported.isPointedAt = async (id, x, y) => {
  await inputHeard();
  const element = nodeFor(id);
  if (!element || !isHovered(element) || isOtherRecord(element)) return false;
  const hit = hitAt(x, y);
  return hit !== null && reaches(element, hit);
};

/** The choice that `choosePreparedOption` makes: { element, indices, requestId }; null for none. */
let preparedChoice = null;

/**
 * List the options of a list, and keep those that the words mean as the choice that `choosePreparedOption` makes. Without `indices` where
 * the words do not mean one option each.
 * @returns {Choice | null}
 */
function prepareChoice(element, look, requestId, ...words) {
  preparedChoice = null;
  const isReady = look.visible && !look.disabled && !look.blocker && !isTuckedAway(element);
  const listing = isReady ? listOptions(idOf(element), ...words) : null;
  if (!listing) return null;
  const indices = optionIndices(listing);
  if (indices) preparedChoice = { element, indices, requestId };
  return { ...listing, indices };
}

/** Return the indices of the options to choose; null unless each word means just one enabled option by its whole label or value. */
function optionIndices({ multiple, options, meant }) {
  if (meant.length > 1 && !multiple) return null;
  /** Whether a word means just one enabled option, by its whole label or value. */
  const isSure = ({ places, isPart }) => places.length === 1 && !isPart && !options[places[0]].disabled;
  return meant.every(isSure) ? meant.map(({ places }) => places[0]) : null;
}

/**
 * Choose what the look with that requestId has found, as `choose` does; null where there was nothing to choose.
 * @returns {Promise<Chosen> | null}
 */
exported.choosePreparedOption = (requestId) => {
  const found = preparedChoice;
  preparedChoice = null;
  if (!found || found.requestId !== requestId) return null;
  return chooseOptions(idOf(found.element), found.indices).then((after) => ({ after }));
};

// Text that is written into a field in the turn of the look at it, or as its key arrives.

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

/** Milliseconds after which a key that never came is no longer expected: a later one is not ours. */
const KEYS_FOR = 5000;

/** The guard of the keys that are to reach a field: { element, beginning, isDue, verdict, at }, see `guardKeys`; null for none. */
let keyGuard = null;

const COMPLETES = new Set(['inline', 'list', 'both']);

const KEYS = ['keydown', 'keypress', 'beforeinput', 'keyup'];

/**
 * Block from now on keys that would reach anything but the field. `beginning`: the text that the key is to follow; with `isDue` it is put
 * into the field as late as possible, since pages put back text that they do not know of. `count`: so many keys come.
 */
function guardKeys(element, beginning, isDue, count = 1) {
  removeKeyGuard();
  awaitInput('keyup', { begins: 'keydown', isLast: true, count });
  keyGuard = { element, beginning, isDue, verdict: '', at: performance.now() };
  for (const type of KEYS) window.addEventListener(type, onGuardedKey, { capture: true });
}

/** Remove the guard of keys. Return whether it has blocked one. */
function removeKeyGuard() {
  for (const type of KEYS) window.removeEventListener(type, onGuardedKey, { capture: true });
  const missed = keyGuard !== null && keyGuard.verdict === 'missed';
  keyGuard = null;
  return missed;
}

/** Let a key event through to the guarded field, or block it. */
function onGuardedKey(event) {
  if (!keyGuard || !event.isTrusted) return;
  if (performance.now() - keyGuard.at > KEYS_FOR) {
    removeKeyGuard();
    return;
  }
  if (event.type === 'keyup' && !keyGuard.verdict) return; // of a key that was pressed before
  if (!keyGuard.verdict || (keyGuard.verdict === 'hit' && event.type !== 'keyup')) { // a page may move the focus as it hears of the key
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
 * Put the text that a key is to follow into the field, and the caret behind it: pages may have put back another text, or selected all of
 * it.
 */
function restoreBeginning({ element, beginning, isDue }, isFirst) {
  if (!isAlive(element) || !('value' in element)) return;
  const { value } = element;
  if (isDue) {
    if (isFirst && value === beginning) element.value = ''; // a value that stays the same leaves all of it selected
    if (isFirst || !value.startsWith(beginning)) element.value = beginning;
  } else if (value && element.selectionStart === 0 && element.selectionEnd === value.length) {
    element.setSelectionRange(value.length, value.length); // asking where the selection is costs a layout
  }
}

/** Whether a key that goes to `at` is typed in the element; where the page has replaced that, in the field that has the focus. */
function isKeyFor(element, at) {
  if (at === element) return true;
  if (!isAlive(element)) return matches(at, 'input,textarea') || isContentEditable(at);
  if (isContentEditable(element)) return isContentEditable(at) && editingHostOf(at) === editingHostOf(element);
  return rootOf(element).activeElement === element && containsComposed(at, element);
}

/** Move the caret to the end of an editor: after it inserts paragraphs Chromium leaves it before their last character. */
function moveCaretToEnd(element) {
  const selection = windowOf(documentOf(element)).getSelection();
  selection.selectAllChildren(element);
  selection.modify('move', 'forward', 'documentboundary');
}

/** Guard a field against keys that would go elsewhere (see `guardKeys`). Return false if it has not the focus: no key would reach it. */
exported.awaitKey = (id, beginning, count) => {
  const element = nodeFor(id);
  if (element) refuseOtherRecord(element);
  const at = element && documentHasFocus(document) ? rootOf(element).activeElement : null;
  if (!at || !isKeyFor(element, at)) return false;
  if (beginning.includes('\n') && isContentEditable(element)) moveCaretToEnd(element);
  guardKeys(element, beginning, false, count);
  return true;
};

/** Guard a field against a text that would go elsewhere: text comes without a key, right after the focus. */
exported.awaitText = (id) => {
  const element = nodeFor(id);
  if (!element) return;
  refuseOtherRecord(element);
  guardKeys(element, '', false);
};

/** Remove the guard of keys. Return whether it has blocked a key or a text. */
exported.endKeyGuard = () => removeKeyGuard();

/**
 * Wait until input was delivered, and return the content of the field. `gone`: it is no longer there; `missed`: a key was blocked,
 * since it would have reached another element. "" if keys are yet to come (see `awaitPressOutcome`). `value`, `ahead`: if the field
 * holds `value`, the answer to the question `ahead` (of `exported.ask`) comes along as `next`; else null.
 * @returns {Promise<Filled | "">}
 */
exported.awaitFieldContent = async (id, value, ahead) => {
  await inputHeard();
  const late = wasLate();
  if (late && keyGuard) return '';
  const missed = removeKeyGuard();
  const held = currentContent(id, missed);
  const isDone = Boolean(ahead) && !late && !missed && !held.gone && held.value === value;
  return { ...held, next: isDone ? askEach([ahead])[0] : null };
};

/**
 * Focus a text field, replace its content by the `beginning` of a value, and return its former content; a key is to follow. `focused` is
 * false if the page moves the focus on.
 * @returns {WriteStart | null}
 */
function prepareText(element, look, value, beginning, keys) {
  if (!takesTextAtOnce(element, look, value)) return null;
  const before = fieldContent(idOf(element));
  focusOn(element);
  const focused = hasFocusInTree(element);
  const eachKey = keys === 'each key' && look.collectsKeys;
  if (focused && eachKey) {
    guardKeys(element, '', false, value.length);
    element.select();
  } else if (focused) {
    const isDue = beginning !== '' && beginning !== value && keepsValueUnchanged(element, value, beginning);
    guardKeys(element, beginning, isDue);
    if (!isDue) element.select(); // the beginning takes the place of all there is, whatever is selected
    if (beginning && !isDue)
      runCommand(document, 'insertText', false, fitsMaxLength(element, value) ? beginning : value);
  }
  return { before, focused, eachKey, replacement: focused ? 0 : replacementFieldId(element) };
}

/** How many levels above a field the element may be that contains both the field and its replacement. */
const LEVELS_TO_REPLACEMENT = 2;

/**
 * Return the id of the text field beside an element that has taken its place when it got the focus: `<input value="1,000 €">` hides,
 * and `<input value="1000">` is focused. 0 for none. Seen in Kendo's NumericTextBox.
 */
function replacementFieldId(element) {
  const replacement = rootOf(element).activeElement;
  if (
    !replacement || isVisible(element) || !isVisible(replacement) || fillKind(replacement) !== 'text'
    || isReadOnlyField(replacement)
  ) return 0;
  const isBeside = [...ancestorsOf(element)].slice(0, LEVELS_TO_REPLACEMENT).some((around) =>
    containsComposed(around, replacement)
  );
  return isBeside ? idOf(replacement) : 0;
}

/** Return the id of the field that has replaced the field of an id (see `replacementFieldId`); 0 for none. */
function currentReplacementId(id) {
  const element = nodeFor(id);
  return element && isAlive(element) && !hasFocusInTree(element) ? replacementFieldId(element) : 0;
}

/** The text that `writePreparedText` writes: { element, value, requestId }; null for none. */
let preparedText = null;

/**
 * Focus a text field, and keep the text that `writePreparedText` is to write. Return its former content.
 * @returns {WriteStart | null}
 */
function prepareWholeText(element, look, requestId, value) {
  preparedText = null;
  if (!takesTextAtOnce(element, look, value) || !isInDocumentTree(element)) return null;
  const before = fieldContent(idOf(element));
  focusOn(element);
  const focused = hasFocusInTree(element);
  if (focused) preparedText = { element, value, requestId };
  return { before, focused, eachKey: false, replacement: focused ? 0 : replacementFieldId(element) };
}

/**
 * Replace the content of a field by the text of the look with that requestId, as an input method does it, without a key. Return the field's
 * content when the turn has ended, as `awaitFieldContent` tells it; null if there was nothing to write, or the focus has gone elsewhere.
 * @returns {Promise<Filled> | null}
 */
exported.writePreparedText = (requestId) => {
  const due = preparedText;
  preparedText = null;
  if (!due || due.requestId !== requestId || !isAlive(due.element) || isOtherRecord(due.element)) return null;
  const id = idOf(due.element);
  if (!hasFocusInTree(due.element))
    return replacementFieldId(due.element) ? Promise.resolve(currentContent(id, true)) : null;
  due.element.select();
  runCommand(document, 'insertText', false, due.value);
  return turnEnded().then(() => currentContent(id, false));
};

/**
 * Return the present content of a field, as `awaitFieldContent` does. `missed`: a key or text was blocked.
 * @returns {Filled}
 */
function currentContent(id, missed) {
  const held = fieldContent(id);
  return {
    gone: held === null,
    missed,
    value: '',
    secret: false,
    ...held,
    replacement: currentReplacementId(id),
    next: null,
  };
}

/** Whether an element is in no shadow tree, and in no custom element: nobody else can handle input to it on its way. */
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
function takesTextAtOnce(element, look, value) {
  if (window !== window.top || !look.visible || look.disabled || look.readonly || look.blocker || look.popup)
    return false;
  return look.fill === 'text' && !(element.type === 'number' && value && !parsedValue(idOf(element), value));
}

/**
 * Whether a field may build its value from the keys that it hears of, as the comboboxes of the ARIA Authoring Practices do: such a
 * field has to get each key.
 */
export const collectsKeys = (element) =>
  attr(element, 'role') === 'combobox' || COMPLETES.has(attr(element, 'aria-autocomplete'));
exported.collectsKeys = collectsKeys;

/** Whether a text is no longer than the field's `maxlength`. */
const fitsMaxLength = (element, value) => element.maxLength < 0 || value.length <= element.maxLength;

/** Types of input that keep any text of one line. Of other types a trial value is needed, which costs half as much as the look. */
const KEEPS_TEXT = new Set(['text', 'search', 'tel', 'password']);

/** Whether a field holds the beginning of a value unchanged, so that it may be set; else it is typed, with an event of its own. */
function keepsValueUnchanged(element, value, beginning) {
  if (!fitsMaxLength(element, value) || beginning.includes('\r')) return false;
  return (KEEPS_TEXT.has(element.type) && !beginning.includes('\n'))
    || parsedValue(idOf(element), beginning) === beginning;
}

/** Whether an element has the focus in its tree. */
const hasFocusInTree = (element) => rootOf(element).activeElement === element;
