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
  /** Preparations of an action. Each answers null, and has changed nothing, when the action has to wait. */
  const preparations = { press, point, text: beginText, whole: beginWholeText, choice };

  exported.prepare = (what, element, look, ...words) => preparations[what](element, look, ...words);

  /** Guard what a press may reach. Return the point to click on the element. */
  function press(element, look) {
    const at = place(look);
    if (!at || look.disabled) return null;
    if (look.held) awaitInput('mousedown', { isLast: true });
    else awaitInput('pointerup', { begins: 'pointerdown' });
    watchPress(element);
    return at;
  }

  /** Return the point to move the pointer to. */
  function point(_, look) {
    const at = place(look);
    if (at) awaitInput('pointermove');
    return at;
  }

  /** The reachable point of an element; null when it is hidden, covered, soon at rest, out of view, in a frame or behind a label. */
  function place(look) {
    disarm();
    if (window !== window.top || !look.visible || look.cover || look.label || !look.inView || look.selectId)
      return null;
    return look.motion === 'ends' ? null : look.point;
  }

  /**
   * The outcome of the press, as `disarm` tells it. Null when the window is about to close: the caller waits for that.
   *
   * A busy page may hear of a press, or of its end, later than its time allows. Then the answer is "" and the guard stays, to be asked
   * once more when Chromium has said that the press was delivered.
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

  /** The choice that `chosen` is to make: `{ element, indices, ticket }`, or null. */
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
