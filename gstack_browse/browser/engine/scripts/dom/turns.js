// Turns of the page's event loop: those that an answer waits for, those that input takes, and those in which a document still changes.

import { exported } from './dom.js';

// The turns of the page's event loop that an answer waits for.
//
// In documents without scripts (a sandboxed frame, a policy) Chromium runs ours when we ask for them, but ends no timer, calls no
// listener and draws no frame for them. There no code of the page comes after a turn either, so there is nothing to wait for.

/**
 * Whether scripts may run in this document: not in a sandboxed frame, or by a content security policy. Asked once, since Chromium
 * computes the answer anew after each change of style; a trial would be an error in the page's console.
 */
export const runsScripts = () => !(forbidden ??= matchMedia('(scripting: none)').matches);

/** @type {boolean | undefined} */
let forbidden;

/** Wait so many milliseconds; not at all in documents without scripts. */
export const pause = (milliseconds) =>
  runsScripts() ? new Promise((done) => setTimeout(done, milliseconds)) : Promise.resolve();

/** Wait for two turns of the event loop: events that this turn has put off have fired by then, and rejected promises were reported. */
export const turnEnded = () => pause(0).then(() => pause(0));

/** Wait for the frame after the next one: the next has been drawn by then. Never ends where scripts run and nothing is drawn. */
export const twoFrames = () =>
  runsScripts() ? new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))) : Promise.resolve(0);

/** Milliseconds to wait for a frame: a page that is not shown draws none, and nothing that is drawn moves an element there. */
const FRAME_WITHIN = 250;

/** Wait until the page draws its next frame. */
export const nextFrame = () =>
  runsScripts()
    ? Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(FRAME_WITHIN)])
    : Promise.resolve();

exported.runsScripts = runsScripts;

/** Do work that waits by timers. In a document without scripts, where no timer ends, they end at once while the work goes on. */
exported.withTimers = async (work) => {
  if (runsScripts()) return await work();
  const { setTimeout } = globalThis;
  globalThis.setTimeout = /** @type {any} */ (queueMicrotask);
  try {
    return await work();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
};

// Waits until a document has stopped changing after an action. No API lists timers, so changes are watched for a while.

const POLL_MILLISECONDS = 10;

/** The observer of the document and the time of its last change (0: none); null while it is not watched. */
let changesWatched = null;

/** Start to record when the document changes. */
exported.watchChanges = () => {
  changesWatched?.observer.disconnect();
  if (!runsScripts()) return;
  const watch = { changedAt: 0, observer: new MutationObserver(() => watch.changedAt = performance.now()) };
  watch.observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  changesWatched = watch;
};

/** Milliseconds within which a transition has to end for its end to be waited for. */
const FADE_WITHIN = 500;

/** Properties that change only the look of what is there, as most transitions of buttons do under the pointer. */
const RESTYLING = /color|shadow|^background|^border|^outline|^text|^font|^fill|^stroke|^filter|^backdrop/;

/** Whether an animation shows, hides or moves something and ends soon, so that scripts may wait for its end. */
function isFade({ playState, effect, timeline, currentTime, playbackRate, transitionProperty = '' }) {
  if (playState !== 'running' || !(timeline instanceof DocumentTimeline) || RESTYLING.test(transitionProperty))
    return false;
  const left = Number(effect?.getComputedTiming().endTime) - Number(currentTime);
  return playbackRate > 0 && left / playbackRate <= FADE_WITHIN;
}

/**
 * Wait until the transitions and animations have ended that show, hide or move something, and the frame is drawn in which the page hears
 * of that: a dialog may be opened only once what lies below it has faded in. Those that take longer than 500 ms are not waited for.
 */
async function fadesEnded() {
  const fades = runsScripts() ? document.getAnimations().filter(isFade) : [];
  if (fades.length === 0) return;
  await Promise.race([Promise.allSettled(fades.map(({ finished }) => finished)), pause(2 * FADE_WITHIN)]);
  await nextFrame();
  await pause(0);
}
exported.fadesEnded = fadesEnded;

/**
 * Wait until fades have ended, the watched document has changed and then stayed unchanged for `quiet` milliseconds, or until `most` have passed. Return false if
 * it was still changing then.
 */
exported.waitUntilUnchanged = async (quiet, most) => {
  const watch = changesWatched;
  changesWatched = null;
  if (!watch) return true;
  await fadesEnded();
  const end = performance.now() + most;
  /** Whether nothing has changed for as long as was asked. */
  const isUnchangedLongEnough = () => performance.now() - watch.changedAt >= quiet;
  /** A process that was given no time changes nothing either: its timers that are due come first. */
  const isUnchanged = async () => isUnchangedLongEnough() && await pause(0).then(isUnchangedLongEnough);
  while (performance.now() < end && !(watch.changedAt && await isUnchanged())) await pause(POLL_MILLISECONDS);
  const isSettled = watch.changedAt === 0 || await isUnchanged();
  watch.observer.disconnect();
  return isSettled;
};

// Whether the page has heard of the input that was dispatched to it, and has ended the turns that follow.

/** Milliseconds to wait for the page to handle input, before its effect is checked all the same. */
export const HEARD_WITHIN = 100;

/** Whether the page did not handle the last awaited input in time. */
let isLate = false;

/** Whether `wasLate` has reported that: once is enough. */
let isLateSaid = false;

/** Return whether the page did not handle the awaited input in time; true only at the first call. */
export function wasLate() {
  const late = isLate && !isLateSaid;
  isLateSaid = true;
  return late;
}

/** Wait until the page has handled the awaited input. If that was late, wait for two more turns, in which it may still come. */
export async function inputHeard() {
  await awaited;
  if (!isLate) return;
  for (let turn = 0; turn < TURNS; turn += 1) await pause(0);
}

const TURNS = 2;

/** The input that is on its way, listened for from the moment its element is ready. */
let awaited = Promise.resolve();

/** Listen from now on for input that is about to be dispatched; `inputHeard` waits for it. Arguments as of `afterInput`. */
export function awaitInput(type, which = /** @type {{ begins?: string, isLast?: boolean, count?: number }} */ ({})) {
  awaited = afterInput(type, which);
}

/**
 * Resolve two turns after the next event of a type, or after 100 ms without it: what the event's handlers put off until the next turn,
 * such as the submission of a form, has begun by then. `begins`: the event that has to come first; else it is the end of earlier input.
 * `isLast`: no event follows it, so one turn is enough. `count`: wait for so many.
 */
function afterInput(type, { begins = '', isLast = false, count = 1 }) {
  isLate = isLateSaid = false;
  if (!runsScripts()) {
    isLate = true;
    return Promise.resolve();
  }
  return new Promise((done) => {
    let hasBegun = !begins;
    /** Note the event that comes before the awaited one. */
    const onBeginning = (event) => {
      hasBegun ||= event.isTrusted;
    };
    /** Stop listening, and resolve. */
    const stopWaiting = () => {
      window.removeEventListener(type, onAwaitedEvent, { capture: true });
      if (begins) window.removeEventListener(begins, onBeginning, { capture: true });
      done(undefined);
    };
    /** Resolve without the event: it was late. */
    const giveUp = () => {
      isLate = true;
      stopWaiting();
    };
    let late = setTimeout(giveUp, HEARD_WITHIN);
    let left = count;
    /** Resolve once the last of the awaited events, and what it put off, has happened. */
    const onAwaitedEvent = (event) => {
      if (!event.isTrusted || !hasBegun) return;
      clearTimeout(late);
      left -= 1;
      if (left > 0) {
        late = setTimeout(giveUp, HEARD_WITHIN);
        return;
      }
      setTimeout(isLast ? stopWaiting : () => setTimeout(stopWaiting, 0), 0);
    };
    window.addEventListener(type, onAwaitedEvent, { capture: true });
    if (begins) window.addEventListener(begins, onBeginning, { capture: true });
  });
}
