// Waits: for turns of the page's event loop, for frames, for input to be handled, and for a document to stop changing.

import { exported } from './dom.js';

// In documents without scripts (a sandboxed frame, a policy) Chromium runs ours when we ask for them, but ends no timer, calls no
// listener and draws no frame for them. There no code of the page comes after a turn either, so there is nothing to wait for.

/**
 * Return whether scripts may run in this document: neither a sandboxed frame nor a content security policy forbids them. Cached, since
 * Chromium computes it anew after each change of style; a trial would be an error in the page's console.
 */
export const runsScripts = () => !(forbidden ??= matchMedia('(scripting: none)').matches);

let forbidden;

/** Wait `milliseconds`. In a document without scripts, where no timer ever fires, do not wait. */
export const pause = (milliseconds) =>
  runsScripts() ? new Promise((done) => setTimeout(done, milliseconds)) : Promise.resolve();

/** Wait for two turns (tasks) of the event loop: by then delayed events of this turn have fired, and rejected promises were reported. */
export const waitTwoTurns = () => pause(0).then(() => pause(0));

/** Wait for the frame after the next one: the next has been drawn by then. Never resolves while the page draws no frames. */
export const waitTwoFrames = () =>
  runsScripts() ? new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))) : Promise.resolve(0);

// Time limit of a wait for a frame: a page that is not shown draws none.
const FRAME_TIMEOUT_MS = 250;

/** Wait until the page draws its next frame, at most 250 ms. */
export const waitFrame = () =>
  runsScripts()
    ? Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(FRAME_TIMEOUT_MS)])
    : Promise.resolve();

exported.runsScripts = runsScripts;

/**
 * Call `work`, an async function that waits by timers, and return its result. In a document without scripts, where no timer ever fires,
 * have all timers fire at once meanwhile.
 */
exported.runWithTimers = async (work) => {
  if (runsScripts()) return await work();
  const { setTimeout } = globalThis;
  Object.assign(globalThis, { setTimeout: queueMicrotask });
  try {
    return await work();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
};

// No API lists a page's timers, so whether a document still changes after an action is found out by watching it for a while.

const POLL_MS = 10;

// The observer of the document and the time of its last change (0: none); null while it is not watched.
let changesWatched = null;

/** Start to record when the document changes, for the next `waitUntilUnchanged`. */
exported.watchChanges = () => {
  changesWatched?.observer.disconnect();
  if (!runsScripts()) return;
  const watch = { changedAt: 0, observer: new MutationObserver(() => watch.changedAt = performance.now()) };
  watch.observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  changesWatched = watch;
};

// Milliseconds within which a transition has to end for its end to be waited for.
const FADE_WITHIN = 500;

// Properties that change only the look of what is there, as most transitions of buttons do under the pointer.
const RESTYLING = /color|shadow|^background|^border|^outline|^text|^font|^fill|^stroke|^filter|^backdrop/;

/** Return whether an animation shows, hides or moves something and ends soon, so that scripts may wait for its end. */
function isFade({ playState, effect, timeline, currentTime, playbackRate, transitionProperty = '' }) {
  if (playState !== 'running' || !(timeline instanceof DocumentTimeline) || RESTYLING.test(transitionProperty))
    return false;
  const left = Number(effect?.getComputedTiming().endTime) - Number(currentTime);
  return playbackRate > 0 && left / playbackRate <= FADE_WITHIN;
}

/**
 * Wait until transitions and animations that show, hide or move something have ended, and the page has handled their end: it may open a
 * dialog only then. Those that take longer than 500 ms are not waited for.
 */
async function waitUntilFaded() {
  const fades = runsScripts() ? document.getAnimations().filter(isFade) : [];
  if (fades.length === 0) return;
  await Promise.race([Promise.allSettled(fades.map(({ finished }) => finished)), pause(2 * FADE_WITHIN)]);
  await waitFrame();
  await pause(0);
}
exported.waitUntilFaded = waitUntilFaded;

/**
 * Wait until the document has changed since `watchChanges` and then stayed unchanged for `quietMs`, or until `maxMs` have passed; wait for
 * fades first. Return false if it was still changing at the end.
 */
exported.waitUntilUnchanged = async (quietMs, maxMs) => {
  const watch = changesWatched;
  changesWatched = null;
  if (!watch) return true;
  await waitUntilFaded();
  const end = performance.now() + maxMs;
  /** Return whether nothing has changed for the last `quietMs`. */
  const isUnchangedLongEnough = () => performance.now() - watch.changedAt >= quietMs;
  /**
   * Return a promise of whether nothing has changed for `quietMs`, checked again one turn of the event loop later: on a busy machine,
   * timers of the page may be due and not have run yet.
   */
  const isUnchanged = async () => isUnchangedLongEnough() && await pause(0).then(isUnchangedLongEnough);
  while (performance.now() < end && !(watch.changedAt && await isUnchanged())) await pause(POLL_MS);
  const isSettled = watch.changedAt === 0 || await isUnchanged();
  watch.observer.disconnect();
  return isSettled;
};

// Time for the page to handle input, before its effect is checked all the same.
const INPUT_TIMEOUT_MS = 100;

/** Wait until the page has drawn what the last input has changed, at most 100 ms. */
export const waitUntilDrawn = () => Promise.race([waitTwoFrames().then(() => pause(0)), pause(INPUT_TIMEOUT_MS)]);

// Whether the page did not handle the expected input in time.
let inputTimedOut = false;

// Whether `takeInputTimeout` has reported that.
let isTimeoutReported = false;

/** Return whether the page did not handle the last expected input within 100 ms; true only once for each input. */
export function takeInputTimeout() {
  const timedOut = inputTimedOut && !isTimeoutReported;
  isTimeoutReported = true;
  return timedOut;
}

/**
 * Wait until the page has handled the input for which `expectInput` has begun to listen. If that timed out, wait for two more turns of the
 * event loop, in which the input may still arrive.
 */
export async function waitForInput() {
  await inputHandled;
  if (inputTimedOut) await waitTwoTurns();
}

// Resolves when the page has handled the expected input, or not in time.
let inputHandled = Promise.resolve();

/**
 * Start to listen for input that Python is about to dispatch, so that `waitForInput` can wait for it. `type`: of its last event, such as
 * "keyup"; `begins`: of an event that has to come first, "" for none; `isLast`: no event follows; `count`: number of such events.
 */
export function expectInput(type, options = /** @type {{ begins?: string, isLast?: boolean, count?: number }} */ ({})) {
  inputHandled = listenForInput(type, options);
}

/**
 * Return a promise that resolves two turns of the event loop after the next event of a type, or after 100 ms without it. By then, work that
 * the event's handlers put off to the next turn has begun, such as the submission of a form. `begins`: the type of an event that has to
 * come first, else the awaited one belongs to earlier input; "" for none. `isLast`: no event follows the awaited one, so one turn is
 * enough. `count`: number of events to wait for.
 */
function listenForInput(type, { begins = '', isLast = false, count = 1 }) {
  inputTimedOut = isTimeoutReported = false;
  if (!runsScripts()) {
    inputTimedOut = true;
    return Promise.resolve();
  }
  return new Promise((done) => {
    let hasBegun = !begins;
    /** Handle the event that has to come first: from now on, awaited events count. One that a script made changes nothing. */
    const onBeginning = (event) => {
      hasBegun ||= event.isTrusted;
    };
    /** Remove the listeners, and resolve the promise that `listenForInput` has returned. */
    const stopWaiting = () => {
      window.removeEventListener(type, onAwaitedEvent, { capture: true });
      if (begins) window.removeEventListener(begins, onBeginning, { capture: true });
      done(undefined);
    };
    /** End the wait without the event, which did not come in time; `takeInputTimeout` reports that. */
    const giveUp = () => {
      inputTimedOut = true;
      stopWaiting();
    };
    let timeout = setTimeout(giveUp, INPUT_TIMEOUT_MS);
    let left = count;
    /**
     * Handle an awaited event: once it is the last of `count`, end the wait of `listenForInput` one turn (`isLast`) or two turns later.
     * Events that a script made, or that come too early (`begins`), do not count. After each that does, the next one has 100 ms.
     */
    const onAwaitedEvent = (event) => {
      if (!event.isTrusted || !hasBegun) return;
      clearTimeout(timeout);
      left -= 1;
      if (left > 0) {
        timeout = setTimeout(giveUp, INPUT_TIMEOUT_MS);
        return;
      }
      setTimeout(isLast ? stopWaiting : () => setTimeout(stopWaiting, 0), 0);
    };
    window.addEventListener(type, onAwaitedEvent, { capture: true });
    if (begins) window.addEventListener(begins, onBeginning, { capture: true });
  });
}
