// Watch a press (pointerdown to click): whether its events, and a click in the end, reach the element. Listeners in the isolated world
// block a press that would reach anything else. If the element moves between press and release, Python repeats the release, and the page
// gets only the events that it has not had yet.

import { isResizeHandle } from '../clickable/clickable.js';
import { getsKeys, takeShownInvalidField, watchInvalidFields } from './fields.js';
import {
  closest,
  isContentEditable,
  labelsIn,
  localNameOf,
  makeMethod,
  matches,
  rectOf,
  rootOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  childrenOf,
  containsInFlatTree,
  exported,
  focusedIn,
  hasShadowTrees,
  isAlive,
  isElement,
} from '../dom/dom.js';
import { nodeFor } from '../dom/node-table.js';
import { expectInput, pause, waitForInput, waitUntilDrawn } from '../dom/turns.js';
import { boxesOf, hitAt, isInBox, isShadowHostOf, pressReaches } from '../layout/hit-testing.js';
import { isInSameRecord, isOtherRecord } from '../selectors/records.js';

// The press under way, or null.
//
// element: its target
// isDouble: a double click is expected; isDrag: only pointerdown and mousedown matter
// verdict: "" until it is known, then "clicked" (on the target so far), "blocked", "other-record" or "other-record-since"
// clicks: how many clicks of a double click have come; additions: the elements that the page has added meanwhile, see `watchAdditions`;
// isSecondLost: the second press is on something else, and hidden from the page
// isThereAfterListeners, isSameAfterListeners: the element was in the document with a box, and of the same record, after the page's
// listeners
// wasThereAtFocus: the element was there when the press moved the focus; hidOnFocus: it was not when it got the focus itself
// hasActed: the page's listeners have changed the document
// field: the field with the focus and its value before the press, see `readFocusedField`
// release: where the pointer came up, see `locateRelease`
// hiddenTypes: the types of events that are hidden from the page, since it had them before
let currentPress = null;

// The field whose invalid value kept the last press from submitting its form, and why: see `takeShownInvalidField`.
let invalidFieldText = '';

// How many clicks of the last double click came before it failed.
let clicksBeforeFailure = 0;

const hasPointerCapture = makeMethod(Element, 'hasPointerCapture');

const EXPANDED = 'aria-expanded';

const PRESS_EVENTS = [
  'pointerdown',
  'mousedown',
  'pointerup',
  'mouseup',
  'click',
  'dblclick',
  'auxclick',
  'contextmenu',
];

// Events that begin a press. Any event before these belongs to an earlier press, such as a drag that was cut off.
const DOWN_EVENTS = new Set(['pointerdown', 'mousedown']);

const UP_EVENTS = new Set(['pointerup', 'mouseup']);

// Events to hide from the page when a release missed its element, by where that was: as if the pointer had followed the element.
const HIDDEN_AFTER_RELEASE = {
  moved: new Set(['pointerup', 'mouseup', 'click', 'auxclick', 'contextmenu', 'dblclick']),
  away: new Set(['click']),
};

// The events that a press ends with: of the left, middle and right button.
const CLICK_EVENTS = new Set(['click', 'auxclick', 'contextmenu']);

// A press moves the focus after the page's listeners of `mousedown` have run.
const FOCUS_EVENTS = ['blur', 'focus'];

// Time for a dispatched press to arrive: a later one is that of a person.
const PRESS_TIMEOUT_MS = 5000;

/**
 * Watch the next press on an element, and block it if it would reach anything else; `endPressWatch` returns its outcome. `isDouble`: it is
 * a double click; `isDrag`: only pointerdown and mousedown matter; `hiddenTypes`: types of events to hide from the page.
 */
export function watchPress(element, { isDouble = false, isDrag = false, hiddenTypes = [] } = {}) {
  endPressWatch();
  currentPress = {
    element,
    isDouble,
    isDrag,
    verdict: '',
    at: performance.now(),
    dispatchedBefore: countDispatched([...DOWN_EVENTS]),
    down: null,
    isThereAfterListeners: false,
    isSameAfterListeners: false,
    wasThereAtFocus: false,
    hasActed: false,
    changes: new MutationObserver(noteDocumentChange),
    hidOnFocus: false,
    field: readFocusedField(),
    release: '',
    clicks: 0,
    additions: isDouble ? watchAdditions(element) : null,
    isSecondLost: false,
    isClicked: false,
    expanded: { before: attr(element, EXPANDED), atPress: null },
    hiddenTypes: new Set(hiddenTypes),
  };
  for (const type of PRESS_EVENTS) window.addEventListener(type, onPressEvent, { capture: true });
  window.addEventListener('mousedown', noteAfterPageListeners);
  window.addEventListener('focusin', noteTargetFocus);
  for (const type of FOCUS_EVENTS) window.addEventListener(type, noteFocusMove, { capture: true });
  if (!isDrag) watchInvalidFields(element);
}

/**
 * Watch the next press on the element of an id, and block it if it would reach anything else; `takePressOutcome` returns its outcome.
 * `isDouble`: it is a double click.
 */
exported.watchPress = (id, isDouble) => {
  const element = nodeFor(id);
  endPressWatch();
  if (element) watchPress(element, { isDouble });
};

/** Watch the press that begins a drag of an element. Remove a selection of text first, which Chromium would drag instead. */
exported.watchDragStart = (id) => {
  const element = nodeFor(id);
  if (!element) return;
  const selection = getSelection();
  // A mere caret stays: without its caret, a focused field scrolls back into view at the press.
  if (!isContentEditable(element) && selection && !selection.isCollapsed) selection.removeAllRanges();
  watchPress(element, { isDrag: true });
};

const ALL_BUT_CLICK = ['pointerdown', 'mousedown', 'pointerup', 'mouseup'];

// Events to hide from the page when a press is repeated, by its first outcome: the page had them the first time.
const EVENTS_HAD_BEFORE = {
  'moved': ['pointerdown', 'mousedown'],
  'removed-by-focus': ['pointerdown', 'mousedown'],
  'away': ALL_BUT_CLICK,
  'released-without-click': ALL_BUT_CLICK,
};

/**
 * Watch the next press on an element, which repeats one without a click. Hide from the page the events that it had the first time.
 * `firstOutcome`: outcome of the first press, a value of Python's `PressOutcome`.
 */
exported.watchRepeatedPress = (id, firstOutcome) => {
  const element = nodeFor(id);
  endPressWatch();
  if (element) watchPress(element, { hiddenTypes: EVENTS_HAD_BEFORE[firstOutcome] });
};

/** Handle an event of the watched press: hide it from the page if the press is on another element or row, else record it. */
function onPressEvent(event) {
  if (!currentPress || !event.isTrusted) return;
  if (performance.now() - currentPress.at > PRESS_TIMEOUT_MS) {
    endPressWatch();
    return;
  }
  const isOther = showsOtherRecord(currentPress, event);
  if (isOther && !CLICK_EVENTS.has(event.type))
    currentPress.verdict = currentPress.verdict ? 'other-record-since' : 'other-record';
  const isOn = isPressOn(currentPress.element, event);
  if (event.type === 'pointerdown' && currentPress.isDouble && currentPress.down)
    noteSecondPress(currentPress, event, isOn);
  if (!currentPress.verdict && DOWN_EVENTS.has(event.type))
    currentPress.verdict = isOn && !(currentPress.isDrag && isOnResizeHandle(currentPress.element, event))
      ? 'clicked'
      : 'blocked';
  if (currentPress.verdict && !currentPress.isDrag && UP_EVENTS.has(event.type))
    currentPress.release ||= locateRelease(currentPress, event, isOn);
  if (isOther) currentPress.release = 'released-on-other';
  if (isOther || currentPress.isSecondLost || BLOCKED_VERDICTS.has(currentPress.verdict)) hideFromPage(event);
  else if (currentPress.verdict === 'clicked' && !currentPress.isDrag) notePressEvent(currentPress, event, isOn);
}

// Verdicts after which all events of a press are hidden from the page.
const BLOCKED_VERDICTS = new Set(['blocked', 'other-record', 'other-record-since']);

/**
 * Return whether the element of a press is now in another row or card, or another option, than when it was found. Checked at the first event
 * of the press, at its release and at its click. Not at the release if the page's listeners of the press have changed the record: without
 * the release the page would take the button for pressed. `type`: of event.
 */
function showsOtherRecord(press, { type }) {
  const isChecked = !press.verdict
    ? DOWN_EVENTS.has(type)
    : press.verdict === 'clicked' && !press.isDrag && !press.isSecondLost
      && (CLICK_EVENTS.has(type) || UP_EVENTS.has(type) && press.isSameAfterListeners);
  return isChecked && isOtherRecord(press.element);
}

/** Stop an event before it reaches the page, and prevent Chromium's default action. */
function hideFromPage(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/**
 * Record what an event tells about a press on its target. Hide it from the page if the page had it before, or if the release will be
 * repeated. `isOn`: the event is on the target.
 */
function notePressEvent(press, event, isOn) {
  const { type } = event;
  if (type === 'mousedown') press.down = event;
  if (DOWN_EVENTS.has(type)) press.expanded.atPress ??= attr(press.element, EXPANDED);
  if (type === 'pointerdown')
    press.changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  if (press.isDouble) noteDoubleClickEvent(press, event, isOn);
  else if (CLICK_EVENTS.has(type)) press.isClicked ||= isOn;
  if (press.hiddenTypes.has(type)) event.stopImmediatePropagation();
  else if (!press.isDouble && HIDDEN_AFTER_RELEASE[press.release]?.has(type)) hideFromPage(event);
}

/**
 * Collect the nodes that the page adds from now on to the document, and to the shadow tree of `element`. Return { added: WeakSet of them,
 * observer, for the caller to disconnect }.
 */
function watchAdditions(element) {
  const added = new WeakSet();
  const observer = new MutationObserver((changes) => collectAdded(added, changes));
  for (const tree of new Set([document, rootOf(element)])) observer.observe(tree, { subtree: true, childList: true });
  return { added, observer };
}

/** Put the nodes that were added by `changes`, records of a MutationObserver, into the set `added`. */
function collectAdded(added, changes) {
  for (const { addedNodes } of changes) for (const node of addedNodes) added.add(node);
}

/**
 * Record whether the second press of a double click is lost: on something else than the element, which the first click may have taken away,
 * and than an element of the same tag, role and record that the page has added since. `isOn`: it is on the element.
 */
function noteSecondPress(press, event, isOn) {
  const { element, additions: { added, observer } } = press;
  collectAdded(added, observer.takeRecords());
  /** Return whether the page has added a node, or one around it. */
  const isAdded = (node) => [node, ...ancestorsOf(node)].some((each) => added.has(each));
  const replacement = isOn || isInDocumentWithBox(element)
    ? null
    : eventPathOf(event).find((node) => hasSameTagAndRole(element, [node]) && isAdded(node));
  press.isSecondLost = isOn ? isOtherRecord(element) : !replacement || !isInSameRecord(replacement);
  press.release = press.isSecondLost && isOn ? 'released-on-other' : '';
}

// The second `click` decides: the `dblclick` right behind it goes to the same node, which the page may have removed by then.
/** Record what an event tells about a double click: count its clicks on the target. `isOn`: the event is on the target. */
function noteDoubleClickEvent(press, event, isOn) {
  if (event.type !== 'click') return;
  const isOnTarget = isOn
    || !isInDocumentWithBox(press.element) && hasSameTagAndRole(press.element, eventPathOf(event));
  if (isOnTarget) press.clicks += 1;
  press.isClicked ||= isOnTarget && event.detail === SECOND_CLICK;
}

const SECOND_CLICK = 2;

/** Return the target of an event, and its ancestors. */
function eventPathOf(event) {
  const [target] = event.composedPath();
  return [target, ...ancestorsOf(target)];
}

/**
 * Return whether one of `nodes` (the target of a click and its ancestors) has the tag and `role` of an element. The page may have
 * replaced the element by that node.
 */
const hasSameTagAndRole = (element, nodes) =>
  nodes.some((node) =>
    isElement(node) && localNameOf(node) === localNameOf(element) && attr(node, 'role') === attr(element, 'role')
  );

/**
 * Return where the pointer was released: "on" the element; at a point that the element "moved" from; while the element was "away" (removed
 * or without a box); or on another element ("released-on-other").
 */
function locateRelease({ element, isThereAfterListeners }, event, isOn) {
  if (isOn) return 'on';
  if (!isInDocumentWithBox(element)) return isThereAfterListeners || isAlive(element) ? 'away' : 'released-on-other';
  if (isCaptured(event)) return 'released-on-other';
  const { clientX, clientY } = event;
  if (!boxesOf(element).some((box) => isInBox(box, clientX, clientY))) return 'moved';
  const hit = hitAt(clientX, clientY);
  return hit !== null && pressReaches(element, hit) ? 'moved' : 'released-on-other';
}

/** Return whether the target of a pointer event has captured the pointer (`setPointerCapture`), and gets its events wherever it is. */
function isCaptured(event) {
  const [target] = event.composedPath();
  return event.pointerId !== undefined && isElement(target) && hasPointerCapture(target, event.pointerId);
}

/** Return whether an element is in its document and takes up space (has a box). */
const isInDocumentWithBox = (element) => isAlive(element) && boxesOf(element).length > 0;

/** Return whether the element of an id is in its document and takes up space (has a box). */
exported.isInDocumentWithBox = (id) => {
  const element = nodeFor(id);
  return Boolean(element) && isInDocumentWithBox(element);
};

/**
 * Handle `mousedown` after the page's own listeners: record whether the pressed element is still there. Not called if one stops the event.
 */
function noteAfterPageListeners(event) {
  if (!currentPress || event !== currentPress.down) return;
  currentPress.isThereAfterListeners = isInDocumentWithBox(currentPress.element);
  currentPress.isSameAfterListeners = currentPress.isThereAfterListeners && !currentPress.isDrag
    && !isOtherRecord(currentPress.element);
  noteChangesSoFar(currentPress);
}

/** Record that the page has changed the document since the press. */
function noteDocumentChange() {
  if (currentPress) currentPress.hasActed = true;
}

/** Record whether the page's listeners of the press have changed the document, and stop observing. `changes`: a MutationObserver. */
function noteChangesSoFar({ changes }) {
  if (changes.takeRecords().length > 0) noteDocumentChange();
  changes.disconnect();
}

// A press moves the focus when the dispatch of its mousedown has ended: `eventPhase` is 0.
/** Handle `blur` and `focus` of a press: record whether the pressed element is in the document now, and whether the page has changed it. */
function noteFocusMove() {
  if (currentPress?.down?.eventPhase !== 0 || currentPress.release) return;
  currentPress.wasThereAtFocus ||= isInDocumentWithBox(currentPress.element);
  noteChangesSoFar(currentPress);
}

/**
 * Handle `focusin` after the page's own listeners: record whether the pressed element is hidden as it gets the focus (Chakra's Editable).
 */
function noteTargetFocus(event) {
  if (
    currentPress?.down?.eventPhase === 0 && !currentPress.release && event.composedPath().includes(currentPress.element)
  )
    currentPress.hidOnFocus ||= !isInDocumentWithBox(currentPress.element);
}

/**
 * Return whether the target of a pointer event is the element or a part of it; in a closed shadow root by hit-testing the event's point.
 */
function isPressOn(element, event) {
  const path = event.composedPath();
  if (path.includes(element) || pressReaches(element, path[0])) return true;
  const hit = hasShadowTrees && isShadowHostOf(path[0], element) ? hitAt(event.clientX, event.clientY) : null;
  return hit !== null && pressReaches(element, hit);
}

/**
 * Return whether the target of an event is a resize handle beside `element`, in the same button or the like: a press on it acts on `element`,
 * and a drag does not. Such a handle often appears only with the pointer.
 */
function isOnResizeHandle(element, event) {
  const [hit] = event.composedPath();
  return isElement(hit) && !containsInFlatTree(element, hit) && !containsInFlatTree(hit, element)
    && isResizeHandle(hit, textContentOf(hit).trim()) && !isResizeHandle(element, textContentOf(element).trim());
}

/**
 * Stop watching the press, and return its outcome, a value of Python's `PressOutcome`:
 *
 * - "clicked"; "form-refused": clicked, but an invalid field kept the form from being submitted (`readInvalidField`); "closed-again": the click
 *   closed an element that had opened when the pointer came over it
 * - "blocked" (the press was on another element), "other-record" (the element shows another record), "other-record-since" (since the press)
 * - "undelivered": no event came to this window; "in-frame": none, since the pointer is on a frame in the element, which got the press
 * - "": no press was watched, or nothing is known; "still-down": the page got no release
 * - no click, and the element is there: "released-without-click" or "disabled" (the pointer was released on it), "moved", "away" (it was
 *   hidden at the release), "released-on-other"
 * - no click, and the element is not there: "removed", "removed-by-focus" (as the focus moved), "removed-after-action" (likewise, after the
 *   page had changed something at the press)
 */
export function endPressWatch() {
  if (!currentPress) return '';
  for (const type of PRESS_EVENTS) window.removeEventListener(type, onPressEvent, { capture: true });
  window.removeEventListener('mousedown', noteAfterPageListeners);
  window.removeEventListener('focusin', noteTargetFocus);
  for (const type of FOCUS_EVENTS) window.removeEventListener(type, noteFocusMove, { capture: true });
  const press = currentPress;
  press.changes.disconnect();
  press.additions?.observer.disconnect();
  currentPress = null;
  invalidFieldText = takeShownInvalidField();
  if (!press.verdict && countDispatched([...DOWN_EVENTS]) === press.dispatchedBefore)
    return hasPointedFrame(press.element) ? 'in-frame' : 'undelivered';
  if (press.verdict !== 'clicked') return press.verdict;
  if (!press.isClicked) return press.release ? explainMissingClick(press) : 'still-down';
  if (invalidFieldText) return 'form-refused';
  return isClosedAgain(press) ? 'closed-again' : 'clicked';
}

const NESTED_PAGES = 'iframe,frame,object,embed';

/** Return whether the pointer is on a frame that is this node, or is in it, shadow trees included. */
const hasPointedFrame = (node) =>
  isElement(node) && isHovered(node)
  && (matches(node, NESTED_PAGES) || [...childrenOf(node)].some(hasPointedFrame));

/** Return whether the target of a press was opened (`aria-expanded`) by the pointer coming over it, and closed again by the click. */
const isClosedAgain = ({ element, expanded }) =>
  expanded.before === 'false' && expanded.atPress === 'true' && attr(element, EXPANDED) === 'false';

/** Return { element, value } of the element with the focus; `value` is undefined for one that is no field. */
function readFocusedField() {
  const element = focusedIn(document);
  return { element, value: element?.value };
}

/** Return whether the field that had the focus has got the text of an element since, as from a list that takes its item as it closes. */
const hasTakenText = ({ element: field, value }, element) =>
  value !== undefined && field.value !== value && field.value === textContentOf(element).trim();

/** Return the outcome, a value of Python's `PressOutcome` such as "moved", of a press that reached its target but caused no click. */
function explainMissingClick({ element, wasThereAtFocus, hidOnFocus, hasActed, field, release, clicks }) {
  clicksBeforeFailure = clicks;
  if (!isInDocumentWithBox(element)) {
    const isLost = wasThereAtFocus && !hidOnFocus && release !== 'on' && !clicks && !hasTakenText(field, element);
    return !isLost ? 'removed' : hasActed ? 'removed-after-action' : 'removed-by-focus';
  }
  if (release === 'on') return closest(element, ':disabled') ? 'disabled' : 'released-without-click';
  return release;
}

// Turns of 5 ms or more in which an element may come back that went away between press and release, as while a picture loads. Counted in
// turns, since on a busy machine the page's own timers are late, too.
const MAX_RETURN_TURNS = 20;

// Values of `release` after which the element may come back.
const MAY_RETURN = new Set(['away', 'moved']);

/**
 * Stop watching the press, and return its outcome, a value of Python's `PressOutcome`. If its element is gone, wait for it first, up to 20
 * times 5 ms: it may come back.
 */
export async function takePressOutcome() {
  const press = currentPress;
  /** Return whether the pressed element is gone, and the page may put it back. */
  const mayComeBack = () =>
    currentPress === press && MAY_RETURN.has(press?.release) && !isInDocumentWithBox(press.element);
  for (let turn = 0; turn < MAX_RETURN_TURNS && mayComeBack() && isAlive(press.element); turn += 1)
    await pause(5);
  return endPressWatch();
}

/** Describe the field whose invalid value kept the last press from submitting its form, with the reason; "" for none. */
exported.readInvalidField = () => invalidFieldText;

/** Return how many clicks of the last failed double click the page got: 0 or 1. */
exported.countClicksBeforeFailure = () => clicksBeforeFailure;

exported.takePressOutcome = takePressOutcome;

// The click that `watchNextClick` waits for; null until it comes.
let nextClick = null;
let stopWatchingClick = () => {};

/** Watch for the next click in this document. `isNextClickPrevented` returns whether the page has prevented it. */
exported.watchNextClick = () => {
  stopWatchingClick();
  nextClick = null;
  /** Record the click, unless a script has made it. */
  const noteClick = (event) => {
    if (event.isTrusted) nextClick = event;
  };
  for (const type of CLICK_EVENTS) window.addEventListener(type, noteClick, { capture: true });
  stopWatchingClick = () => {
    for (const type of CLICK_EVENTS) window.removeEventListener(type, noteClick, { capture: true });
  };
};

/** Return whether the page has prevented the default action of the click that `watchNextClick` waited for; null if none came. */
exported.isNextClickPrevented = () => {
  stopWatchingClick();
  return nextClick && nextClick.defaultPrevented;
};

/** Hide the next click from the page, until the next press: the release that causes it only ends an interrupted drag. */
exported.ignoreNextClick = () => {
  /** Hide a click from the page, unless a script has made it. */
  const ignore = (event) => {
    if (event.isTrusted) hideFromPage(event);
  };
  /** Stop hiding clicks. */
  const end = () => window.removeEventListener('click', ignore, { capture: true });
  window.addEventListener('click', ignore, { capture: true });
  window.addEventListener('mouseup', () => pause(0).then(end), { capture: true, once: true });
  window.addEventListener('pointerdown', end, { capture: true, once: true });
  return true;
};

// A person holds the pointer down for a tenth of a second. What is dragged or drawn on, such as events of a calendar (TUI Calendar 2.1),
// may listen for the release only after the frame that follows the press, so the pointer has to stay down on such elements for some frames.

// Elements that are only clicked, never dragged or drawn on.
const ONLY_CLICKED = 'a[href],area,button,summary,label,option,select,input,textarea,[contenteditable],'
  + ('button link tab checkbox switch radio option menuitem menuitemcheckbox menuitemradio treeitem combobox textbox searchbox '
    + 'spinbutton').split(' ').map((role) => `[role=${role} i]`).join();

/**
 * Return whether an element may be dragged or drawn on: neither it nor an ancestor is a link, button, field or the like, which is only
 * clicked.
 */
export const mayBeDragged = (element) => closest(element, ONLY_CLICKED) === null;

/** Wait until the page has handled and drawn a pointerdown, at most 100 ms for each; then start to wait for the release. */
exported.awaitPressDrawn = async () => {
  await waitForInput();
  await waitUntilDrawn();
  expectInput('pointerup');
  return true;
};

// Some widgets (ratings with stars, grids of sizes) act on a click according to what they last drew as hovered, and draw a move of the
// pointer in the next frame. A person's click comes later than that frame; a dispatched one has to wait for it. Seen in Ark UI and MUI:
// after a click on the fifth star, a click on the second set five.

// In quirks mode `:hover` by itself matches links only.
const HOVERED = ':is(:hover)';
/** Return whether the pointer is over an element. */
export const isHovered = (element) => matches(element, HOVERED);

const MAX_WIDGET_LEVELS = 3;
const MAX_WIDGET_HEIGHT = 400; // pixels
// Controls that do not depend on where in them the pointer is.
const NOT_DRAWN_BY_HOVER =
  'a[href],button,select,summary,textarea,input:not([type=radio],[type=checkbox]),[role=button i],[role=link i],[role=tab i],[role=checkbox i],[role=switch i],[contenteditable]';

/**
 * Return whether the pointer is on another element of the small widget around an element, as on the fifth star of a rating before the
 * second is clicked: then the page must first draw the move of the pointer.
 */
export function isPointerElsewhereInWidget(element) {
  if (isHovered(element) || [...(labelsIn(element) ?? [])].some(isHovered)) return false;
  let level = 0;
  for (const around of ancestorsOf(element)) {
    if (level++ === MAX_WIDGET_LEVELS || rectOf(around).height > MAX_WIDGET_HEIGHT) return false;
    if (isHovered(around)) return closest(element, NOT_DRAWN_BY_HOVER) === null;
  }
  return false;
}

// Whether input has come to this window at all: Chromium silently holds it back while it shows a window of its own with a question.

/** Return how many events of these types this window has dispatched so far, those that the page's listeners have stopped included. */
const countDispatched = (types) => types.reduce((sum, type) => sum + (performance.eventCounts.get(type) ?? 0), 0);

// Elements for which Chromium may show a list or calendar of its own, which gets keys before the page.
const HAS_PICKER = 'select:open, input:open, input[list]';

/**
 * Return [`timeOrigin` of the document, number of its keydown events so far]: two equal results mean that it got no key in between. Null if
 * keys go to a frame in it, to another document, or to one of Chromium's own pickers.
 */
exported.countKeydowns = () => {
  if (!getsKeys() || matches(focusedIn(document), HAS_PICKER)) return null;
  return [performance.timeOrigin, countDispatched(['keydown'])];
};
