// Follows a press: whether its events, and a click in the end, reach the element. A guard in the isolated world blocks a press that would
// reach anything else. If the element moves between press and release, the release is made once more, and the page gets only the
// events of it that it has not had yet.

import { getsKeys, takeShownRefusal, watchRefusals } from './fields.js';
import { boxesOf, hitAt, isInBox, isShadowHostOf, reaches } from './hit-testing.js';
import { closest, isContentEditable, labelsIn, localNameOf, matches, method, rectOf } from '../dom/accessors.js';
import { ancestorsOf, attr, exported, focusedIn, isAlive, isElement, shadowsMet } from '../dom/dom.js';
import { nodeFor } from '../dom/node-table.js';
import { awaitInput, HEARD_WITHIN, inputHeard, pause, twoFrames } from '../dom/turns.js';
import { isOtherRecord } from '../selectors/records.js';

/**
 * The press under way, or null.
 *
 * element: its target
 * isGuarded: block a press that would reach another element
 * isDouble, isDrag: a double click is due; only the press matters
 * verdict: "" until it is known, then "hit", "missed" or "another"
 * clicks: how many clicks of a double click have come
 * isThereAfterListeners, isSameAfterListeners: the element was still there, and of the same record, once the page had handled the press
 * wasThereAtFocus, hidAtItsFocus: the element was there when the press changed the focus; it was not when it got the focus itself
 * hasActed: the page's listeners have changed the document
 * release: where the pointer came up, see `releasePlace`
 * alreadyHeard: the types of events that are hidden from the page, since it had them before
 */
let currentPress = null;

/** The field that the browser refused when the last press would have sent its form, and why: see `takeShownRefusal`. */
let refused = '';

/** How many clicks of a failed double click came. */
let clicksHeard = 0;

const hasCapture = method(Element, 'hasPointerCapture');

const EXPANDED = 'aria-expanded';

const PRESSES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'];

/** Events that begin a press. An event before these is the end of an earlier press, as of a drag that was cut off. */
const BEGINNINGS = new Set(['pointerdown', 'mousedown']);

const DOWN = [...BEGINNINGS];

const ENDS = new Set(['pointerup', 'mouseup']);

/** Events to hide from the page when a release missed its element, by where that was: as if the pointer had followed the element. */
const HIDDEN_AFTER_RELEASE = {
  moved: new Set(['pointerup', 'mouseup', 'click', 'auxclick', 'contextmenu', 'dblclick']),
  away: new Set(['click']),
};

/** The events that a press with each of the buttons ends with. */
const CLICKS = new Set(['click', 'auxclick', 'contextmenu']);

/** Events of the focus, which a press changes by itself after the page's listeners of `mousedown`. */
const FOCUSES = ['blur', 'focus'];

/** Milliseconds in which a dispatched press has to come: a later one is that of a person. */
const PRESS_EXPECTED_FOR = 5000;

/** Note from now on what happens to a press on the element. With `isGuarded` block one that would reach anything else. */
export function watchPress(element, { isGuarded = true, isDouble = false, isDrag = false, alreadyHeard = [] } = {}) {
  endPressWatch();
  currentPress = {
    element,
    isGuarded,
    isDouble,
    isDrag,
    verdict: '',
    at: performance.now(),
    dispatchedBefore: countDispatched(DOWN),
    down: null,
    isThereAfterListeners: false,
    isSameAfterListeners: false,
    wasThereAtFocus: false,
    hasActed: false,
    changes: new MutationObserver(noteDocumentChange),
    hidAtItsFocus: false,
    release: '',
    clicks: 0,
    isClicked: false,
    expanded: { before: attr(element, EXPANDED), atPress: null },
    alreadyHeard: new Set(alreadyHeard),
  };
  for (const type of PRESSES) window.addEventListener(type, onPressEvent, { capture: true });
  window.addEventListener('mousedown', noteAfterPageListeners);
  window.addEventListener('focusin', noteTargetFocus);
  for (const type of FOCUSES) window.addEventListener(type, noteFocus, { capture: true });
  if (!isDrag) watchRefusals(element);
}

/** Watch the next press (see `watchPress`). `isDrag`: only the press matters, as with the other buttons. */
exported.watchPress = (id, isGuarded, isDouble, isDrag) => {
  const element = nodeFor(id);
  endPressWatch();
  if (element) watchPress(element, { isGuarded, isDouble, isDrag });
};

/** Watch the press that begins a drag (see `watchPress`). */
exported.watchGrip = (id) => {
  const element = nodeFor(id);
  if (!element) return;
  if (!isContentEditable(element)) getSelection()?.removeAllRanges(); // of what is selected Chromium begins a drag of its own
  watchPress(element, { isDrag: true });
};

const ALL_BUT_CLICK = ['pointerdown', 'mousedown', 'pointerup', 'mouseup'];

/** Events to hide from the page when a press is repeated, by its former verdict: it had them the first time. */
const HEARD_BEFORE = {
  moved: ['pointerdown', 'mousedown'],
  lost: ['pointerdown', 'mousedown'],
  unheard: ALL_BUT_CLICK,
  released: ALL_BUT_CLICK,
};

/** Watch the next press as a repetition of one with that verdict, of which the page gets only the events that it has not had. */
exported.endPress = (id, verdict, isGuarded) => {
  const element = nodeFor(id);
  endPressWatch();
  if (element) watchPress(element, { isGuarded, alreadyHeard: HEARD_BEFORE[verdict] });
};

/** Handle an event of the pointer: decide whether the press is on its target, and block it or note it. */
function onPressEvent(event) {
  if (!currentPress || !event.isTrusted) return;
  if (performance.now() - currentPress.at > PRESS_EXPECTED_FOR) {
    endPressWatch();
    return;
  }
  if (hitsOtherRecord(currentPress, event)) currentPress.verdict = 'another';
  const isOn = isPressOn(currentPress.element, event);
  if (!currentPress.verdict && BEGINNINGS.has(event.type) && (isOn || currentPress.isGuarded)) {
    currentPress.verdict = isOn ? 'hit' : 'missed';
  }
  if (currentPress.verdict && !currentPress.isDrag && ENDS.has(event.type))
    currentPress.release ||= releasePlace(currentPress, event, isOn);
  if (BLOCKED.has(currentPress.verdict)) hideFromPage(event);
  else if (currentPress.verdict === 'hit' && !currentPress.isDrag) notePressEvent(currentPress, event, isOn);
}

/** Verdicts after which all events of a press are hidden from the page. */
const BLOCKED = new Set(['missed', 'another']);

/**
 * Whether a press that begins, or clicks, would act on another record than the intended one. False if the page's listeners of the press
 * have drawn the other one: they have acted on the right one.
 */
function hitsOtherRecord(press, { type }) {
  const isDue = press.verdict ? press.isSameAfterListeners && CLICKS.has(type) : BEGINNINGS.has(type);
  return isDue && isOtherRecord(press.element);
}

/** Keep an event from the page, and Chromium from acting on it. */
function hideFromPage(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Note what an event tells of a press. Hide from the page events that it has heard before, and a release beside an element that moved. */
function notePressEvent(press, event, isOn) {
  const { type } = event;
  if (type === 'mousedown') press.down = event;
  if (BEGINNINGS.has(type)) press.expanded.atPress ??= attr(press.element, EXPANDED);
  if (type === 'pointerdown')
    press.changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  if (press.isDouble) noteDoubleClickEvent(press, event, isOn);
  else if (CLICKS.has(type)) press.isClicked ||= isOn;
  if (press.alreadyHeard.has(type)) event.stopImmediatePropagation();
  else if (!press.isDouble && HIDDEN_AFTER_RELEASE[press.release]?.has(type)) hideFromPage(event);
}

/**
 * Note an event of a double click's two presses. Chromium sends the double click right after the second `click`, to the same node, which
 * the page may have removed by then: so a double click is known by the second `click`.
 */
function noteDoubleClickEvent(press, event, isOn) {
  if (event.type === 'pointerdown') press.release = '';
  if (event.type !== 'click') return;
  const isHeard = isOn
    || !isInDocumentWithBox(press.element) && isSameKindOfElement(press.element, event.composedPath());
  if (isHeard) press.clicks += 1;
  press.isClicked ||= isHeard && event.detail === SECOND;
}

const SECOND = 2;

/** Whether the target of a click may be the page's replacement of an element: an element of the same kind. */
const isSameKindOfElement = (element, path) =>
  path.some((node) =>
    isElement(node) && localNameOf(node) === localNameOf(element) && attr(node, 'role') === attr(element, 'role')
  );

/**
 * Return where the pointer came up: "on" the element, where that has "moved" from, or while it was "away" (without a box, or removed from
 * the document).
 */
function releasePlace({ element, isThereAfterListeners }, event, isOn) {
  if (isOn) return 'on';
  if (!isInDocumentWithBox(element)) return isThereAfterListeners || isAlive(element) ? 'away' : 'elsewhere';
  if (isCaptured(event)) return 'elsewhere';
  const { clientX, clientY } = event;
  if (!boxesOf(element).some((box) => isInBox(box, clientX, clientY))) return 'moved';
  const hit = hitAt(clientX, clientY);
  return hit !== null && reaches(element, hit) ? 'moved' : 'elsewhere';
}

/** Whether the page has captured the pointer (`setPointerCapture`): its events go to one element wherever it is. */
function isCaptured(event) {
  const [target] = event.composedPath();
  return event.pointerId !== undefined && isElement(target) && hasCapture(target, event.pointerId);
}

/** Whether an element is in its document and has a box. */
const isInDocumentWithBox = (element) => isAlive(element) && boxesOf(element).length > 0;

/** Whether the element of an id is in its document and has a box. */
exported.isThere = (id) => {
  const element = nodeFor(id);
  return Boolean(element) && isInDocumentWithBox(element);
};

/** Note whether the element is still there after the page's own listeners of the press, where none of them has kept it from others. */
function noteAfterPageListeners(event) {
  if (!currentPress || event !== currentPress.down) return;
  currentPress.isThereAfterListeners = isInDocumentWithBox(currentPress.element);
  currentPress.isSameAfterListeners = currentPress.isThereAfterListeners && !currentPress.isDrag
    && !isOtherRecord(currentPress.element);
  notePendingChanges(currentPress);
}

/** Note that the page has changed the document. */
function noteDocumentChange() {
  if (currentPress) currentPress.hasActed = true;
}

/** Note whether the document has changed by now: then the page's listeners of the press have changed it. */
function notePendingChanges({ changes }) {
  if (changes.takeRecords().length > 0) noteDocumentChange();
  changes.disconnect();
}

/** Note whether the element is there as the focus changes: that comes after the page has handled the press. */
function noteFocus() {
  if (currentPress?.down?.eventPhase !== 0 || currentPress.release) return;
  currentPress.wasThereAtFocus ||= isInDocumentWithBox(currentPress.element);
  notePendingChanges(currentPress);
}

/**
 * Note whether the target hides when it gets the focus: by the press then (Chakra UI's Editable). Called behind the page's own listeners
 * of a change of focus.
 */
function noteTargetFocus(event) {
  if (
    currentPress?.down?.eventPhase === 0 && !currentPress.release && event.composedPath().includes(currentPress.element)
  )
    currentPress.hidAtItsFocus ||= !isInDocumentWithBox(currentPress.element);
}

/** Whether an event of the pointer goes to the element. A closed shadow root hides where in it that is, so the point is hit-tested. */
function isPressOn(element, event) {
  const path = event.composedPath();
  if (path.includes(element) || reaches(element, path[0])) return true;
  const hit = shadowsMet && isShadowHostOf(path[0], element) ? hitAt(event.clientX, event.clientY) : null;
  return hit !== null && reaches(element, hit);
}

/**
 * Remove the guard, and return the outcome of the press:
 *
 * - "hit", "missed", "another" (of another record); the latter two are blocked
 * - "undelivered": it has not come to this window; "": nothing is known of it; "held": the pointer has not come up
 * - "refused": it clicked a control that sends a form, and the browser refused a field of that (`refusedField`)
 * - no click, and the element is there: "released" or "disabled" (the pointer came up on it), "moved", "unheard" (it was away then), "elsewhere"
 *   (the page has drawn the release to another element)
 * - no click, and the element is not there: "gone", "lost" (it went as the focus changed), "taken" (likewise, and the page had changed
 *   something by the press before)
 * - "reclosed": a click on an element that opened as the pointer came over it, and that the click closed
 */
export function endPressWatch() {
  if (!currentPress) return '';
  for (const type of PRESSES) window.removeEventListener(type, onPressEvent, { capture: true });
  window.removeEventListener('mousedown', noteAfterPageListeners);
  window.removeEventListener('focusin', noteTargetFocus);
  for (const type of FOCUSES) window.removeEventListener(type, noteFocus, { capture: true });
  const press = currentPress;
  press.changes.disconnect();
  currentPress = null;
  refused = takeShownRefusal();
  if (!press.verdict && countDispatched(DOWN) === press.dispatchedBefore) return 'undelivered';
  if (press.verdict === 'hit' && !press.isClicked) return press.release ? outcomeWithoutClick(press) : 'held';
  if (press.verdict === 'hit' && refused) return 'refused';
  return press.verdict === 'hit' && isReclosed(press) ? 'reclosed' : press.verdict;
}

/** Whether an element opened as the pointer came over it, and the click closed it. */
const isReclosed = ({ element, expanded }) =>
  expanded.before === 'false' && expanded.atPress === 'true' && attr(element, EXPANDED) === 'false';

/** Return the outcome of a press on its target that made no click. */
function outcomeWithoutClick({ element, wasThereAtFocus, hidAtItsFocus, hasActed, release, clicks }) {
  clicksHeard = clicks;
  if (!isInDocumentWithBox(element)) {
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

/** Values of `release` if the element was on its way then. It may be back by now, and go away once more when it is hovered. */
const RETURNS = new Set(['away', 'moved']);

/** The outcome of a press, as `endPressWatch` tells it. An element that was away when the pointer came up gets time to come back. */
export async function pressOutcome() {
  const press = currentPress;
  /** Whether the element is away and may come back. */
  const isAwaited = () => currentPress === press && RETURNS.has(press?.release) && !isInDocumentWithBox(press.element);
  for (let turn = 0; turn < BACK_WITHIN && isAwaited() && isAlive(press.element); turn += 1)
    await pause(5);
  return endPressWatch();
}

/** Return the field that the browser refused as the last press was to send its form, and why; "" for none. */
exported.refusedField = () => refused;

/** Return how many clicks of the last double click came, if that failed. */
exported.clicksHeard = () => clicksHeard;

/** The outcome of the press that was watched, as `endPressWatch` tells it. */
exported.pressOutcome = pressOutcome;

/** The next click, whether the page lets it act or not, and the function that ends the wait for it. */
let nextClick = null;
let stopWatchingClick = () => {};

/** Note the next click, to be asked about once the page has handled it. */
exported.watchNextClick = () => {
  stopWatchingClick();
  nextClick = null;
  /** Note the click. */
  const noteClick = (event) => {
    if (event.isTrusted) nextClick = event;
  };
  for (const type of CLICKS) window.addEventListener(type, noteClick, { capture: true });
  stopWatchingClick = () => {
    for (const type of CLICKS) window.removeEventListener(type, noteClick, { capture: true });
  };
};

/** Return whether the page has prevented what the next click does by itself; null where no click has come. */
exported.isNextClickPrevented = () => {
  stopWatchingClick();
  return nextClick && nextClick.defaultPrevented;
};

/** Hide from the page the click that the next release makes: it ends a drag that was cut off. */
exported.ignoreClick = () => {
  /** Hide the click from the page. */
  const ignore = (event) => {
    if (event.isTrusted) hideFromPage(event);
  };
  /** Stop listening for the click. */
  const end = () => window.removeEventListener('click', ignore, { capture: true });
  window.addEventListener('click', ignore, { capture: true });
  window.addEventListener('mouseup', () => pause(0).then(end), { capture: true, once: true });
  window.addEventListener('pointerdown', end, { capture: true, once: true });
  return true;
};

/** Whether a press is waited for that has not come, or has not ended. */
export const isPressDue = () => currentPress !== null && !currentPress.release;

// Whether the pointer is to stay down on an element for some frames, as a person's does for a tenth of a second: what is drawn on or dragged, such as
// events of a calendar (TUI Calendar 2.1), may listen for the release only once the page has drawn what the press means.

/** Elements that are only clicked, never dragged or drawn on. */
const CLICKED = 'a[href],area,button,summary,label,option,select,input,textarea,[contenteditable],'
  + [
    'button',
    'link',
    'tab',
    'checkbox',
    'switch',
    'radio',
    'option',
    'menuitem',
    'menuitemcheckbox',
    'menuitemradio',
    'treeitem',
    'combobox',
    'textbox',
    'searchbox',
    'spinbutton',
  ]
    .map((role) => `[role=${role}]`).join();

/** Whether an element may be there to be dragged or drawn on: nothing says of it, nor of what it stands in, that it is only clicked. */
export const mayBeDragged = (element) => closest(element, CLICKED) === null;

/** Resolve when the page has drawn what the pressed pointer means, or has had time to. The release is waited for from then on. */
exported.awaitPressDrawn = async () => {
  await inputHeard();
  await Promise.race([twoFrames().then(() => pause(0)), pause(HEARD_WITHIN)]);
  awaitInput('pointerup');
  return true;
};

// Whether a widget may treat as clicked what it believes to be hovered: stars, and grids of sizes, that listen for moves of the pointer and
// for clicks, and draw a move in a frame of its own. A person's click comes later than that frame; ours has to wait for it.
// Seen in Ark UI and MUI: a click on the second star, behind one on the fifth, set five.

/** In a document in quirks mode `:hover` by itself is said of links only. */
const HOVERED = ':is(:hover)';
/** Whether the pointer is over an element. In a document in quirks mode `:hover` by itself matches links only. */
export const isHovered = (element) => matches(element, HOVERED);

const LEVELS_HOVERED = 3;
const HIGHEST_WIDGET = 400; // pixels
/** Elements that pages are mostly clicked at, and text fields. The place of the pointer in them does not matter. */
const NOT_DRIVEN =
  'a[href],button,select,summary,textarea,input:not([type=radio],[type=checkbox]),[role=button],[role=link],[role=tab],[role=checkbox],[role=switch],[contenteditable]';

/**
 * Whether the pointer rests on another element of the small widget that an element is in, as on the fifth star of a rating before the
 * second is clicked: then the page must first draw the move of the pointer.
 */
export function isPointerBeside(element) {
  if (isHovered(element) || [...(labelsIn(element) ?? [])].some(isHovered)) return false;
  let level = 0;
  for (const around of ancestorsOf(element)) {
    if (level++ === LEVELS_HOVERED || rectOf(around).height > HIGHEST_WIDGET) return false;
    if (isHovered(around)) return closest(element, NOT_DRIVEN) === null;
  }
  return false;
}

// Whether input has come to this window at all. Chromium keeps it back while it asks something in a window of its own, and says nothing of that.

/** Return how many events of these types this window has dispatched so far, those included that the page keeps from our listeners. */
const countDispatched = (types) => types.reduce((sum, type) => sum + (performance.eventCounts.get(type) ?? 0), 0);

/** Elements that may show a list or a calendar of Chromium's own, which takes keys before the page. */
const HAS_PICKER = 'select:open, input:open, input[list]';

/**
 * Return [document, keydown events so far]: two equal answers are of one document that got no key in between. Null where keys go
 * elsewhere: to a frame in it, to another document, to a picker of Chromium's own.
 */
exported.keysDispatched = () => {
  if (!getsKeys() || matches(focusedIn(document), HAS_PICKER)) return null;
  return [performance.timeOrigin, countDispatched(['keydown'])];
};
