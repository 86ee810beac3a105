// The turns of the page's event loop that an answer waits for.
//
// In documents without scripts (a sandboxed frame, a policy) Chromium runs ours when we ask for them, but ends no timer, calls no
// listener and draws no frame for them. There no code of the page comes after a turn either, so there is nothing to wait for.

import { exported } from './engine-dom.js';

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
 * is a turn of its own, which comes before the second of ours.
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
