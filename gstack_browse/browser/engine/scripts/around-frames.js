// The effects of a page on a frame in it: it covers it, hides it, makes it inert. The frame itself cannot know these.

import { rectOf } from './engine-accessors.js';
import { exported } from './engine-dom.js';
import { isDistorted, outOfFrame } from './engine-places.js';
import { coverLook } from './actions.js';
import { blockerOf, treesIn } from './covers.js';
import { allInTree, hitAt } from './hits.js';
import { lookOf } from './matching.js';
import { isVisible } from './visible.js';

/** @import { CoverLook } from './actions.js' */

/**
 * @typedef {object} FrameLook
 * @property {boolean} hidden
 * @property {string} blocker
 */

/**
 * @typedef {object} OverFrame
 * @property {number[]} point
 * @property {CoverLook | null} cover
 * @property {boolean} distorted
 * @property {boolean} inView
 */

/** The element that shows a frame, which has that place among the frames of this window; null if the frames are other ones by now. */
function frameAt(place, frames) {
  const view = window.length === frames ? window[place] : null;
  const shows = (element) => element.contentWindow === view;
  const showing = (tree) => view && [...allInTree(tree, 'iframe,frame,object,embed')].find(shows);
  return showing(document) ?? (view && [...treesIn(document)].map(showing).find(Boolean)) ?? null;
}

/**
 * Points of the window of a frame (see `frameAt`) as points of this window, and what lies over them here.
 * @returns {OverFrame[]}
 */
exported.overFrame = (place, frames, points) => {
  const frame = frameAt(place, frames);
  return points.map((point) => {
    if (!frame) return { point, cover: null, distorted: true, inView: true };
    const [x, y] = outOfFrame(frame, point);
    const hit = hitAt(x, y);
    const distorted = isDistorted(frame);
    const inView = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
    return { point: [x, y], cover: hit === frame ? null : coverLook(frame, hit), distorted, inView };
  });
};

/**
 * Whether a frame (see `frameAt`) is hidden here, and what keeps even the keyboard from it.
 * @returns {FrameLook}
 */
exported.frameLook = (place, frames) => {
  const frame = frameAt(place, frames);
  if (!frame) return { hidden: false, blocker: '' };
  const { left, top, width, height } = rectOf(frame);
  const hit = hitAt(left + width / 2, top + height / 2);
  const blocker = hit === frame ? null : blockerOf(frame, hit);
  return { hidden: !isVisible(frame), blocker: blocker ? lookOf(blocker) : '' };
};
