// Turns of the page's event loop: those that an answer waits for, those that input takes, and those in which a document still changes.

import { exported } from './dom.js';

// The turns of the page's event loop that an answer waits for.
//
// In documents without scripts (a sandboxed frame, a policy) Chromium runs ours when we ask for them, but ends no timer, calls no
// listener and draws no frame for them. There no code of the page comes after a turn either, so there is nothing to wait for.

/**
 * Whether scripts may run in this document. A trial would be an error in the page's console. The answer never changes, and Chromium
 * computes it anew at each question when a style has changed, so it is asked once.
 */
export const runsScripts = () => !(forbidden ??= matchMedia('(scripting: none)').matches);

/** @type {boolean | undefined} */
let forbidden;

/** Wait so many milliseconds; not at all in documents without scripts. */
export const pause = (milliseconds) =>
  runsScripts() ? new Promise((done) => setTimeout(done, milliseconds)) : Promise.resolve();

/**
 * Wait until the events that this turn has put off until the next one have happened, and the page's rejected promises were reported: that
 * is a turn of its own.
 */
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

/** Does work that gives the page turns by timers of its own: where none ends, they end at once as long as the work goes on. */
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

/**
 * Wait until the watched document has changed and then stayed unchanged for `quiet` milliseconds, or until `most` have passed. Return false if
 * it was still changing then.
 */
exported.waitUntilUnchanged = async (quiet, most) => {
  const watch = changesWatched;
  changesWatched = null;
  if (!watch) return true;
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

/** Milliseconds after which input that the page did not hear of is looked for all the same. */
export const HEARD_WITHIN = 100;

/** Whether the input that was waited for last was not heard of in time. */
let isLate = false;

/** Whether that was said: once is enough. */
let isLateSaid = false;

/** Return whether the awaited input was not heard of in time; true only once. */
export function wasLate() {
  const late = isLate && !isLateSaid;
  isLateSaid = true;
  return late;
}

/** Wait until the page has heard of the awaited input; where that was late, until what it may have put off has happened. */
export async function inputHeard() {
  await awaited;
  if (!isLate) return;
  for (let turn = 0; turn < TURNS; turn += 1) await pause(0);
}

const TURNS = 2;

/** The input that is on its way, listened for from the moment its element is ready. */
let awaited = Promise.resolve();

/** Listen from now on for input that is about to be sent, as `afterInput` does. */
export function awaitInput(type, which = /** @type {{ begins?: string, isLast?: boolean, count?: number }} */ ({})) {
  awaited = afterInput(type, which);
}

/**
 * Resolves in the turn after the one after the next event of that type, or when there was none in time: what the events
 * that follow it put off until the next turn, as a form its submission, has begun by then. `begins`: the event that comes
 * before it; without that it is the end of earlier input. `isLast`: nothing follows it. `count`: the last of so many is
 * waited for.
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
    /** Stop to listen, and resolve. */
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
