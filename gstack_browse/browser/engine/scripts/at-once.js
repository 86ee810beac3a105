// Input without waiting: where one look proves that an action will reach its element, it is made ready in the same turn
// and dispatched at once. A guard in the isolated world blocks a press that would reach anything else, so that a miss
// does nothing at all. Texts are written in texts-at-once.js.

import { exported } from './engine-dom.js';
import { idOf, nodeFor } from './engine-table.js';
import { hitAt, reaches } from './hits.js';
import { isHovered } from './hovering.js';
import { awaitInput, HEARD_WITHIN, inputHeard, wasLate } from './input-heard.js';
import { disarm, isPressDue, outcome, watchPress } from './presses.js';
import { isOtherRecord } from './records.js';
import { beginText, beginWholeText } from './texts-at-once.js';
import { pause, twoFrames } from './turns.js';

/** @import { Listing, Option } from './options.js' */

/**
 * @typedef {object} Choice
 * @property {boolean} multiple
 * @property {Option[]} options
 * @property {import('./options.js').MeantOptions[]} meant
 * @property {number[] | null} indices
 */

/**
 * @typedef {object} Chosen
 * @property {Listing | null} after
 */

{
  /** What can be made ready. Each answers null when waiting is needed, and has then changed nothing. */
  const preparations = { press, point, text: beginText, whole: beginWholeText, choice };

  exported.prepare = (what, element, look, ...words) => preparations[what](element, look, ...words);

  /** Where to press for a click on the element, after putting a guard on what the press may reach. */
  function press(element, look) {
    const at = place(look);
    if (!at || look.disabled) return null;
    if (look.held) awaitInput('mousedown', { isLast: true });
    else awaitInput('pointerup', { begins: 'pointerdown' });
    watchPress(element);
    return at;
  }

  /** Where to point at the element. */
  function point(_, look) {
    const at = place(look);
    if (at) awaitInput('pointermove');
    return at;
  }

  /** Where the element can be reached: null when it is hidden, covered, about to stand still, out of view, in a frame or behind a label. */
  function place(look) {
    disarm();
    if (window !== window.top || !look.visible || look.cover || look.label || !look.inView || look.selectId)
      return null;
    return look.motion === 'ends' ? null : look.point;
  }

  /**
   * What became of the press, as `disarm` tells it. Null when the window is about to close, which is to be waited for.
   *
   * A page that is busy may hear of a press, or of its end, only after the time it has for that. Then the answer is "" and the guard stays,
   * to be asked once more when Chromium has said that the press was had.
   */
  exported.pressed = async () => {
    await inputHeard();
    if (wasLate() && isPressDue()) return '';
    const verdict = await outcome();
    return window.closed ? null : verdict;
  };

  /**
   * The pointer has moved to where a press is due: resolves when the page has drawn what that means, with what comes behind its frame, or has had
   * time to. The press is waited for from then on.
   */
  exported.followed = async () => {
    await Promise.race([twoFrames().then(() => pause(0)), pause(HEARD_WITHIN)]);
    awaitInput('pointerup', { begins: 'pointerdown' });
    return true;
  };

  /**
   * Whether the pointer, once it was moved to that point, is over the element, or over what stands for it. Chromium says so
   * (`:hover`) of where the element was before it ran away, so the point is looked at again.
   */
  exported.isPointedAt = async (id, x, y) => {
    await inputHeard();
    const element = nodeFor(id);
    if (!element || !isHovered(element) || isOtherRecord(element)) return false;
    const hit = hitAt(x, y);
    return hit !== null && reaches(element, hit);
  };

  /** What `chosen` is to choose: `{ element, indices, ticket }`, or null. */
  let due = null;

  /**
   * List the options of a list that can be chosen from now, and find the wanted ones, if each word means just one. `chosen`, with the same ticket,
   * chooses those: no script of the page runs in between.
   * @returns {Choice | null}
   */
  function choice(element, look, ticket, ...words) {
    due = null;
    const isReady = look.visible && !look.disabled && !look.blocker && !exported.isTucked(element);
    const listing = isReady ? exported.options(idOf(element), ...words) : null;
    if (!listing) return null;
    const indices = placesOf(listing);
    if (indices) due = { element, indices, ticket };
    return { ...listing, indices };
  }

  /** Indices of the wanted options; null if a word does not mean just one enabled option by its whole label or value. */
  function placesOf({ multiple, options, meant }) {
    if (meant.length > 1 && !multiple) return null;
    const isSure = ({ places, isPart }) => places.length === 1 && !isPart && !options[places[0]].disabled;
    return meant.every(isSure) ? meant.map(({ places }) => places[0]) : null;
  }

  /**
   * Choose what the look with that ticket has found, as `choose` does; null where there was nothing to choose.
   * @returns {Promise<Chosen> | null}
   */
  exported.chosen = (ticket) => {
    const found = due;
    due = null;
    if (!found || found.ticket !== ticket) return null;
    return exported.choose(idOf(found.element), found.indices).then((after) => ({ after }));
  };
}
