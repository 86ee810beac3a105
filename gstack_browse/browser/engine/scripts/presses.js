// What became of a press: whether its element heard of it, and of a click in the end. A guard in the isolated world blocks a
// press that would reach anything but its element. What moves its element between press and release is outlived by a second
// half of the gesture, of which the page hears only what it has not heard yet.

import { dispatched } from './dispatched.js';
import { closest, isContentEditable, localNameOf, method } from './engine-accessors.js';
import { attr, exported, isAlive, isElement, shadowsMet } from './engine-dom.js';
import { nodeFor } from './engine-table.js';
import { isOtherRecord } from './records.js';
import { boxesOf, hitAt, isHostOf, isInBox, reaches } from './hits.js';
import { hearRefusals, refusal } from './refused-fields.js';
import { pause } from './turns.js';

// The press that is under way, and what is known of it: its `element`; whether a press that would reach something else is blocked
// (`isGuarded`); whether a double click is due, or nothing matters but the press (`isDrag`); its `verdict`, "" until it has come, then
// "hit" or "missed"; how many `clicks` of a double one were heard; whether the element was still there behind the page's listeners of it (`outlived`), and its record the same (`isSameBehindPress`), when the focus changed by
// it, and when it had got the focus itself (`hidAtItsFocus`: it was not); whether the page's listeners have changed anything (`hasActed`); where the pointer came up (`release`, see `whereReleased`); and what the page is not to hear of again (`unsaid`).
let armed = null;

/** The field that the browser did not accept as the last press would have sent its form, and why: see `refusal`. */
let refused = '';

/** How many clicks were heard of a double click that was none. */
let clicksHeard = 0;

const hasCapture = method(Element, 'hasPointerCapture');

const EXPANDED = 'aria-expanded';

const PRESSES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'];

/** What a press begins with. What comes before that is the end of an earlier one, as of a drag that was cut off. */
const BEGINNINGS = new Set(['pointerdown', 'mousedown']);

const DOWN = [...BEGINNINGS];

const ENDS = new Set(['pointerup', 'mouseup']);

/** What the page does not hear of a release that its element has missed: as if the pointer had gone along with that. */
const UNHEARD_OF = {
  moved: new Set(['pointerup', 'mouseup', 'click', 'auxclick', 'contextmenu', 'dblclick']),
  away: new Set(['click']),
};

/** What comes of a press with each of the buttons. */
const CLICKS = new Set(['click', 'auxclick', 'contextmenu']);

/** What a press changes by itself, once the page has heard of it: the focus. */
const FOCUSES = ['blur', 'focus'];

/** Milliseconds after which a press that never came is no longer waited for: the next one is somebody else's. */
const ARMED_FOR = 5000;

/** From now on what becomes of a press on the element is noted; with `isGuarded` one that would reach anything else is blocked. */
function watchPress(element, { isGuarded = true, isDouble = false, isDrag = false, unsaid = [] } = {}) {
  disarm();
  armed = {
    element,
    isGuarded,
    isDouble,
    isDrag,
    verdict: '',
    at: performance.now(),
    dispatchedBefore: dispatched(DOWN),
    down: null,
    outlived: false,
    isSameBehindPress: false,
    wasThereAtFocus: false,
    hasActed: false,
    changes: new MutationObserver(noteChange),
    hidAtItsFocus: false,
    release: '',
    clicks: 0,
    isClicked: false,
    expanded: { before: attr(element, EXPANDED), atPress: null },
    unsaid: new Set(unsaid),
  };
  for (const type of PRESSES) window.addEventListener(type, judge, { capture: true });
  window.addEventListener('mousedown', noteOutlived);
  window.addEventListener('focusin', noteItsFocus);
  for (const type of FOCUSES) window.addEventListener(type, noteFocus, { capture: true });
  if (!isDrag) hearRefusals(element);
}

/** The same for a press that Playwright makes. `isDrag`: nothing matters but the press, as with the other buttons. */
exported.watchPress = (id, isGuarded, isDouble, isDrag) => {
  const element = nodeFor(id);
  disarm();
  if (element) watchPress(element, { isGuarded, isDouble, isDrag });
};

/** The same for one that a drag begins with. */
exported.watchGrip = (id) => {
  const element = nodeFor(id);
  if (!element) return;
  if (!isContentEditable(element)) getSelection()?.removeAllRanges(); // of what is selected Chromium begins a drag of its own
  watchPress(element, { isDrag: true });
};

const ALL_BUT_CLICK = ['pointerdown', 'mousedown', 'pointerup', 'mouseup'];

/** What the page has heard of a press, and need not hear again of the one that ends the gesture. */
const SAID_BEFORE = {
  moved: ['pointerdown', 'mousedown'],
  lost: ['pointerdown', 'mousedown'],
  unheard: ALL_BUT_CLICK,
  released: ALL_BUT_CLICK,
};

/** The next press on the element is the end of one whose verdict was that. */
exported.endPress = (id, verdict, isGuarded) => {
  const element = nodeFor(id);
  disarm();
  if (element) watchPress(element, { isGuarded, unsaid: SAID_BEFORE[verdict] });
};

function judge(event) {
  if (!armed || !event.isTrusted) return;
  if (performance.now() - armed.at > ARMED_FOR) {
    disarm();
    return;
  }
  if (hitsOtherRecord(armed, event)) armed.verdict = 'another';
  const isOn = isPressOn(armed.element, event);
  if (!armed.verdict && BEGINNINGS.has(event.type) && (isOn || armed.isGuarded)) {
    armed.verdict = isOn ? 'hit' : 'missed';
  }
  if (armed.verdict && !armed.isDrag && ENDS.has(event.type)) armed.release ||= whereReleased(armed, event, isOn);
  if (BLOCKED.has(armed.verdict)) block(event);
  else if (armed.verdict === 'hit' && !armed.isDrag) note(armed, event, isOn);
}

/** Verdicts after which the page hears nothing of a press. */
const BLOCKED = new Set(['missed', 'another']);

/**
 * Whether a press that begins, or clicks, would act on another record than the one that is meant. Not where the page's listeners of the press have drawn
 * that: they have acted on the right one.
 */
function hitsOtherRecord(press, { type }) {
  const isDue = press.verdict ? press.isSameBehindPress && CLICKS.has(type) : BEGINNINGS.has(type);
  return isDue && isOtherRecord(press.element);
}

function block(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** What is known of a press by this event. The page hears of none that it has heard, nor of a release beside what has moved. */
function note(press, event, isOn) {
  const { type } = event;
  if (type === 'mousedown') press.down = event;
  if (BEGINNINGS.has(type)) press.expanded.atPress ??= attr(press.element, EXPANDED);
  if (type === 'pointerdown')
    press.changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  if (press.isDouble) noteOfTwo(press, event, isOn);
  else if (CLICKS.has(type)) press.isClicked ||= isOn;
  if (press.unsaid.has(type)) event.stopImmediatePropagation();
  else if (!press.isDouble && UNHEARD_OF[press.release]?.has(type)) block(event);
}

/**
 * The same of one of two presses. Chromium tells of the double click right behind the second `click`, and tells the same node, which the page may
 * have taken away by then: so a double click is known by the second `click`.
 */
function noteOfTwo(press, event, isOn) {
  if (event.type === 'pointerdown') press.release = '';
  if (event.type !== 'click') return;
  const isHeard = isOn || !isStillThere(press.element) && isOfTheKind(press.element, event.composedPath());
  if (isHeard) press.clicks += 1;
  press.isClicked ||= isHeard && event.detail === SECOND;
}

const SECOND = 2;

/** Whether what heard a click may be what the page has drawn in the place of an element: an element of the same kind. */
const isOfTheKind = (element, path) =>
  path.some((node) =>
    isElement(node) && localNameOf(node) === localNameOf(element) && attr(node, 'role') === attr(element, 'role')
  );

/**
 * Where the pointer came up: "on" the element, where that has "moved" from, while it was "away" (without a box, or taken out of the document by
 * something else than the press), or "elsewhere" by the page's will, as on what it has put over the element. Chromium forgets that the pointer was over the element
 * before it tells of the release: what `:hover` has moved is back by then.
 */
function whereReleased({ element, outlived }, event, isOn) {
  if (isOn) return 'on';
  if (!isStillThere(element)) return outlived || isAlive(element) ? 'away' : 'elsewhere';
  if (isCaptured(event)) return 'elsewhere';
  const { clientX, clientY } = event;
  if (!boxesOf(element).some((box) => isInBox(box, clientX, clientY))) return 'moved';
  const hit = hitAt(clientX, clientY);
  return hit !== null && reaches(element, hit) ? 'moved' : 'elsewhere';
}

/** Whether the page has what the pointer does told to one of its elements, wherever the pointer is. */
function isCaptured(event) {
  const [target] = event.composedPath();
  return event.pointerId !== undefined && isElement(target) && hasCapture(target, event.pointerId);
}

/** Whether an element is in its document and has a box. */
const isStillThere = (element) => isAlive(element) && boxesOf(element).length > 0;

exported.isThere = (id) => {
  const element = nodeFor(id);
  return Boolean(element) && isStillThere(element);
};

/** Called behind the page's own listeners of the press, where none of them has kept it from others. */
function noteOutlived(event) {
  if (!armed || event !== armed.down) return;
  armed.outlived = isStillThere(armed.element);
  armed.isSameBehindPress = armed.outlived && !armed.isDrag && !isOtherRecord(armed.element);
  noteChanges(armed);
}

function noteChange() {
  if (armed) armed.hasActed = true;
}

/** What has changed in the document by now the page's listeners of the press have changed. */
function noteChanges({ changes }) {
  if (changes.takeRecords().length > 0) noteChange();
  changes.disconnect();
}

/** The focus changes behind the page's own listeners of the press: what is there by then, these have left there. */
function noteFocus() {
  if (armed?.down?.eventPhase !== 0 || armed.release) return;
  armed.wasThereAtFocus ||= isStillThere(armed.element);
  noteChanges(armed);
}

/** Called behind the page's own listeners of a change of focus: what hides when it gets the focus does so by the press. */
function noteItsFocus(event) {
  if (armed?.down?.eventPhase === 0 && !armed.release && event.composedPath().includes(armed.element))
    armed.hidAtItsFocus ||= !isStillThere(armed.element);
}

/** Whether an event of the pointer is on its way to the element; a closed root keeps quiet about where in it that is. */
function isPressOn(element, event) {
  const path = event.composedPath();
  if (path.includes(element) || reaches(element, path[0])) return true;
  const hit = shadowsMet && isHostOf(path[0], element) ? hitAt(event.clientX, event.clientY) : null;
  return hit !== null && reaches(element, hit);
}

/**
 * Takes the guard away, and tells what became of the press: "hit", "missed" or "another" (of another record; both are blocked), "undelivered" when it has
 * not come to this window, "" when nothing is known of it, "refused" where it
 * clicked on what sends a form, and the browser does not accept a field of that (`refusedField`); "held" where the pointer has not come up; where no
 * click came of it, "moved" or "unheard" of an element that is there, "released" of one on which the pointer came up all the same,
 * "gone" of one that the page took away when it heard of the press, "lost" of one that went as the focus changed, or "taken" where the page had changed
 * something by the press before that, "disabled", or "elsewhere" of one whose release the page has drawn to itself. "reclosed" is a click on what has
 * opened as the pointer came over it, and closed by the click.
 */
function disarm() {
  if (!armed) return '';
  for (const type of PRESSES) window.removeEventListener(type, judge, { capture: true });
  window.removeEventListener('mousedown', noteOutlived);
  window.removeEventListener('focusin', noteItsFocus);
  for (const type of FOCUSES) window.removeEventListener(type, noteFocus, { capture: true });
  const press = armed;
  press.changes.disconnect();
  armed = null;
  refused = refusal();
  if (!press.verdict && dispatched(DOWN) === press.dispatchedBefore) return 'undelivered';
  if (press.verdict === 'hit' && !press.isClicked) return press.release ? withoutClick(press) : 'held';
  if (press.verdict === 'hit' && refused) return 'refused';
  return press.verdict === 'hit' && isReclosed(press) ? 'reclosed' : press.verdict;
}

const isReclosed = ({ element, expanded }) =>
  expanded.before === 'false' && expanded.atPress === 'true' && attr(element, EXPANDED) === 'false';

function withoutClick({ element, wasThereAtFocus, hidAtItsFocus, hasActed, release, clicks }) {
  clicksHeard = clicks;
  if (!isStillThere(element)) {
    const isLost = wasThereAtFocus && !hidAtItsFocus && release !== 'on' && !clicks;
    return !isLost ? 'gone' : hasActed ? 'taken' : 'lost';
  }
  if (release === 'on') return closest(element, ':disabled') ? 'disabled' : 'released';
  return release === 'away' ? 'unheard' : release;
}

/**
 * Turns, of 5 ms or what the page takes for one, within which an element is expected back that went away between press and release,
 * as while a picture loads. Not a time: where the machine is busy what the page has planned for that time is late, too.
 */
const BACK_WITHIN = 20;

/** Where the pointer came up while an element was on its way: what was there again by then may be away once more, as it is hovered. */
const RETURNS = new Set(['away', 'moved']);

/** What became of a press, as `disarm` tells it; an element that was away when the pointer came up gets the time to come back. */
async function outcome() {
  const press = armed;
  const isAwaited = () => armed === press && RETURNS.has(press?.release) && !isStillThere(press.element);
  for (let turn = 0; turn < BACK_WITHIN && isAwaited() && isAlive(press.element); turn += 1)
    await pause(5);
  return disarm();
}

exported.refusedField = () => refused;

/** How many clicks the last double click was, where it was none. */
exported.clicksHeard = () => clicksHeard;

/** What became of a press that Playwright has made, as `disarm` tells it. */
exported.pressBecame = outcome;

/** Whether the element has heard of the click that a press was to end with, of which Playwright has not seen the end. */
exported.wasClicked = () => {
  const press = armed;
  disarm();
  return press !== null && press.isClicked;
};

/** The next click, whatever becomes of it, and what ends the wait for it. */
let nextClick = null;
let forgetClick = () => {};

/** From now on the next click is noted, to be asked about once the page has handled it. */
exported.hearClick = () => {
  forgetClick();
  nextClick = null;
  const note = (event) => {
    if (event.isTrusted) nextClick = event;
  };
  for (const type of CLICKS) window.addEventListener(type, note, { capture: true });
  forgetClick = () => {
    for (const type of CLICKS) window.removeEventListener(type, note, { capture: true });
  };
};

/** Whether the page has kept Chromium from doing what that click does by itself; null where none has come. */
exported.isPrevented = () => {
  forgetClick();
  return nextClick && nextClick.defaultPrevented;
};

/** The page is not to hear of the click that the next release makes: of a drag that was cut off. */
exported.ignoreClick = () => {
  const ignore = (event) => {
    if (event.isTrusted) block(event);
  };
  const end = () => window.removeEventListener('click', ignore, { capture: true });
  window.addEventListener('click', ignore, { capture: true });
  window.addEventListener('mouseup', () => pause(0).then(end), { capture: true, once: true });
  window.addEventListener('pointerdown', end, { capture: true, once: true });
  return true;
};

/** Whether a press is waited for that has not come, or has not ended. */
const isPressDue = () => armed !== null && !armed.release;

export { disarm, isPressDue, outcome, watchPress };
