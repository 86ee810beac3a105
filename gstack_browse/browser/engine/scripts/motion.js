// Whether an element stands still, as far as its page's animations say. What a script moves is only seen by looking twice.

import { rectOf, rootOf } from './engine-accessors.js';
import { ancestorsOf, exported } from './engine-dom.js';
import { nodeFor } from './engine-table.js';
import { shownBy } from './hits.js';
import { nextFrame, pause } from './turns.js';

/** Milliseconds within which an animation has to end for its end to be waited for: as long as a command waits for anything. */
const SOON = 5000;

/**
 * How animations and transitions move an element, or anything that carries it: "" where none runs, "ends" where one will soon have ended,
 * else "endless".
 */
export function motionOf(element) {
  let motion = '';
  for (const animation of movers(element)) {
    if (leftOf(animation) <= SOON) return 'ends';
    motion = 'endless';
  }
  return motion;
}

/** Animations that run on an element or its ancestors. Each tree is asked once: for each answer Chromium goes through all its animations. */
function* movers(element) {
  const carriers = new Set([element, ...ancestorsOf(element)]);
  for (const tree of new Set([...carriers].map(rootOf))) {
    for (const animation of tree.getAnimations?.() ?? []) {
      const { target, pseudoElement } = animation.effect ?? {};
      if (animation.playState === 'running' && carriers.has(target) && !pseudoElement) yield animation;
    }
  }
}

/** Milliseconds until an animation ends; Infinity for one that follows something other than the time. */
function leftOf({ effect, currentTime, playbackRate }) {
  const { endTime } = effect?.getComputedTiming() ?? {};
  const left = playbackRate < 0 ? currentTime : Number(endTime) - Number(currentTime);
  return Number.isNaN(Number(left)) ? Infinity : Number(left) / Math.abs(playbackRate);
}

/** The motion of what shows an element: see `motionOf`. Null if that is gone. */
exported.motion = (id) => {
  const element = nodeFor(id);
  return element ? motionOf(shownBy(element)) : null;
};

/** The motion (see `motionOf`) once animations that end soon have ended, or after so many milliseconds. */
exported.motionOnceEnded = async (id, milliseconds) => {
  const element = nodeFor(id);
  if (!element) return null;
  const ends = [...movers(shownBy(element))].filter((animation) => leftOf(animation) <= SOON);
  await Promise.race([Promise.allSettled(ends.map((animation) => animation.finished)), pause(milliseconds)]);
  return exported.motion(id);
};

/** Whether the box of an element is the same in two frames that follow each other. */
export async function standsStill(element) {
  const boxNow = () => {
    const { left, top, width, height } = rectOf(shownBy(element));
    return `${left} ${top} ${width} ${height}`;
  };
  await nextFrame();
  const before = boxNow();
  await nextFrame();
  return boxNow() === before;
}
