// Whether the page has heard of the input that was dispatched to it, and has ended the turns that follow.

import { pause, runsScripts } from './turns.js';

/** Milliseconds after which input that the page did not hear of is looked for all the same. */
export const HEARD_WITHIN = 100;

/** Whether the input that was waited for last was not heard of in time. */
let isLate = false;

/** Whether that was said: once is enough. */
let isLateSaid = false;

/** Whether the input that was waited for last was not heard of in time; said once. */
export function wasLate() {
  const late = isLate && !isLateSaid;
  isLateSaid = true;
  return late;
}

/** Behind the input; where that was late, behind what it may have put off just now. */
export async function inputHeard() {
  await awaited;
  if (!isLate) return;
  for (let turn = 0; turn < TURNS; turn += 1) await pause(0);
}

const TURNS = 2;

/** The input that is on its way, listened for from the moment its element is ready. */
let awaited = Promise.resolve();

/** Wait from now on for input, as `afterInput` says it. */
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
    const begin = (event) => {
      hasBegun ||= event.isTrusted;
    };
    const end = () => {
      window.removeEventListener(type, heard, { capture: true });
      if (begins) window.removeEventListener(begins, begin, { capture: true });
      done(undefined);
    };
    const giveUp = () => {
      isLate = true;
      end();
    };
    let late = setTimeout(giveUp, HEARD_WITHIN);
    let left = count;
    const heard = (event) => {
      if (!event.isTrusted || !hasBegun) return;
      clearTimeout(late);
      left -= 1;
      if (left > 0) {
        late = setTimeout(giveUp, HEARD_WITHIN);
        return;
      }
      setTimeout(isLast ? end : () => setTimeout(end, 0), 0);
    };
    window.addEventListener(type, heard, { capture: true });
    if (begins) window.addEventListener(begins, begin, { capture: true });
  });
}
