// The turns of the page's event loop that an answer waits for.
//
// Where scripts are forbidden (a frame whose sandbox says so, a document with such a policy) Chromium runs ours when we ask for them, but ends
// no timer, calls no listener and draws no frame for them. There nothing of the page's own comes after a turn either, so there is nothing to wait for.

import { exported } from './engine-dom.js';

/**
 * Whether scripts may run in this document. Tells nobody: to try it would be an error in the page's console. That never changes, and Chromium
 * looks anew at each such question when a style changes, so it is asked once.
 */
const runsScripts = () => !(forbidden ??= matchMedia('(scripting: none)').matches);

/** @type {boolean | undefined} */
let forbidden;

/** Comes back after so many milliseconds. */
const pause = (milliseconds) =>
  runsScripts() ? new Promise((done) => setTimeout(done, milliseconds)) : Promise.resolve();

/**
 * Comes back when what events of this turn have put off until the next one has happened, and the page's promises that were rejected have been told: that is
 * a turn of its own, which comes before the second of ours.
 */
const turnEnded = () => pause(0).then(() => pause(0));

/** Comes back in the frame after the next one: the next has been drawn by then. Where nothing is drawn that is never. */
const twoFrames = () =>
  runsScripts() ? new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))) : Promise.resolve(0);

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

export { pause, runsScripts, turnEnded, twoFrames };
