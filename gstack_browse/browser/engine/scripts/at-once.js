// Input without waiting: where one look proves that an action will reach its element, it is made ready in the same turn
// and dispatched at once. A guard in the isolated world blocks a press that would reach anything else, so that a miss
// does nothing at all.

import { documentOf, matches, method, rootOf, windowOf } from './engine-accessors.js';
import { ancestorsOf, attr, exported, isAlive } from './engine-dom.js';
import { idOf, nodeFor } from './engine-table.js';
import { hitAt, holds, reaches, shownBy } from './hits.js';
import { disarm, isPressDue, outcome, watchPress } from './presses.js';
import { pause, runsScripts, twoFrames } from './turns.js';

/**
 * @typedef {object} Filled
 * @property {boolean} gone
 * @property {boolean} missed
 * @property {string} value
 * @property {boolean} secret
 * @property {object | null} next
 */

/** @import { Held } from './fields.js' */
/** @import { Listing, Option } from './options.js' */

/**
 * @typedef {object} Choice
 * @property {boolean} multiple
 * @property {Option[]} options
 * @property {number[] | null} indices
 */

/**
 * @typedef {object} Chosen
 * @property {Listing | null} after
 */

/**
 * @typedef {object} Begun
 * @property {Held | null} before
 * @property {boolean} focused
 * @property {boolean} eachKey
 */

{
  /** Milliseconds after which a key that never came is no longer waited for: the next one is somebody else's. */
  const KEYS_FOR = 5000;

  /** What can be made ready. Each answers null when waiting is needed, and has then changed nothing. */
  const preparations = { press, point, text, choice };

  exported.prepare = (what, element, look, ...words) => preparations[what](element, look, ...words);

  /** Where to press for a click on the element, after putting a guard on what the press may reach. */
  function press(element, look) {
    const at = place(element, look);
    if (!at || look.disabled) return null;
    input = afterInput('pointerup', { begins: 'pointerdown' });
    watchPress(element);
    return at;
  }

  /** Where to point at the element. */
  function point(element, look) {
    const at = place(element, look);
    if (at) input = afterInput('pointermove');
    return at;
  }

  /** Where the element can be reached: null when it is hidden, covered, animated, out of view, in a frame or behind a label. */
  function place(element, look) {
    disarm();
    if (window !== window.top || !look.visible || look.cover || look.label || !look.inView || look.selectId)
      return null;
    return isMoving(shownBy(element)) ? null : look.point;
  }

  /** Whether an animation or a transition is running on the element or on anything that carries it. */
  function isMoving(element) {
    const running = document.getAnimations().filter((animation) => animation.playState === 'running');
    if (!running.length) return false;
    const carriers = new Set([element, ...ancestorsOf(element)]);
    return running.some((animation) =>
      animation.effect instanceof KeyframeEffect && carriers.has(animation.effect.target)
    );
  }

  /**
   * What became of the press, as `disarm` tells it. Null when the window is about to close, which is to be waited for.
   *
   * A page that is busy may hear of a press, or of its end, only after the time it has for that. Then the answer is "" and the guard stays,
   * to be asked once more when Chromium has said that the press was had.
   */
  exported.pressed = async () => {
    await heard();
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
    input = afterInput('pointerup', { begins: 'pointerdown' });
    return true;
  };

  /** Milliseconds after which input that the page did not hear of is looked for all the same. */
  const HEARD_WITHIN = 100;

  /** Whether the input that was waited for last was not heard of in time. */
  let isLate = false;

  /** Whether that was said: once is enough. */
  let isLateSaid = false;

  /** The same, said once. */
  function wasLate() {
    const late = isLate && !isLateSaid;
    isLateSaid = true;
    return late;
  }

  /** Behind the input; where that was late, behind what it may have put off just now. */
  async function heard() {
    await input;
    if (!isLate) return;
    for (let turn = 0; turn < TURNS; turn += 1) await pause(0);
  }

  const TURNS = 2;

  /**
   * Resolves in the turn after the one after the next event of that type, or when there was none in time: what the events
   * that follow it put off until the next turn, as a form its submission, has begun by then. `begins`: the event that comes
   * before it; without that it is the end of earlier input. `isLast`: nothing follows it. `count`: the last of so many is
   * waited for.
   */
  function afterInput(type, { begins = '', isLast = false, count = 1 } = {}) {
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

  /** The input that is on its way, listened for from the moment its element is ready. */
  let input = Promise.resolve();

  /** The field that keys are meant for, and whether one was on its way to anything else ("missed"). */
  let keyed = null;

  const COMPLETES = new Set(['inline', 'list', 'both']);

  const KEYS = ['keydown', 'keypress', 'beforeinput', 'keyup'];

  /**
   * From now on a key that would reach anything but the field is blocked. `beginning`: the text that the key is to follow;
   * with `isDue` it is put into the field as late as possible: pages put back what they do not know of. `count`: so many keys come.
   */
  function guardKeys(element, beginning, isDue, count = 1) {
    letGo();
    input = afterInput('keyup', { begins: 'keydown', isLast: true, count });
    keyed = { element, beginning, isDue, verdict: '', at: performance.now() };
    for (const type of KEYS) window.addEventListener(type, judgeKey, { capture: true });
  }

  /** Takes the guard of keys away, and tells whether it blocked one. */
  function letGo() {
    for (const type of KEYS) window.removeEventListener(type, judgeKey, { capture: true });
    const missed = keyed !== null && keyed.verdict === 'missed';
    keyed = null;
    return missed;
  }

  function judgeKey(event) {
    if (!keyed || !event.isTrusted) return;
    if (performance.now() - keyed.at > KEYS_FOR) {
      letGo();
      return;
    }
    if (event.type === 'keyup' && !keyed.verdict) return; // of a key that was pressed before
    if (!keyed.verdict || (keyed.verdict === 'hit' && event.type === 'keydown')) {
      keyed.verdict = isKeyFor(keyed.element, event.composedPath()[0]) ? 'hit' : 'missed';
    }
    if (keyed.verdict === 'missed') {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (keyed.beginning && (event.type === 'keydown' || event.type === 'beforeinput')) {
      keepBeginning(keyed, event.type === 'keydown');
    }
  }

  /** Let the key follow the text before it, which pages may have put back, or selected with all of the field. */
  function keepBeginning({ element, beginning, isDue }, isFirst) {
    if (!isAlive(element) || !('value' in element)) return;
    const { value } = element;
    if (isDue) {
      if (isFirst && value === beginning) element.value = ''; // a value that stays the same leaves all of it selected
      if (isFirst || !value.startsWith(beginning)) element.value = beginning;
    } else if (value && element.selectionStart === 0 && element.selectionEnd === value.length) {
      element.setSelectionRange(value.length, value.length); // asking where the selection is costs a layout
    }
  }

  /** Whether a key that goes to `at` is typed in the element; where the page has replaced that, in the field that has the focus. */
  function isKeyFor(element, at) {
    if (at === element) return true;
    if (!isAlive(element)) return matches(at, 'input,textarea') || at.isContentEditable;
    if (element.isContentEditable) return at.isContentEditable && (holds(at, element) || holds(element, at));
    return rootOf(element).activeElement === element && holds(at, element);
  }

  /** Where paragraphs were inserted Chromium leaves the caret before the last character of them. */
  function caretToEnd(element) {
    const selection = windowOf(documentOf(element)).getSelection();
    selection.selectAllChildren(element);
    selection.modify('move', 'forward', 'documentboundary');
  }

  /** Guard the field against keys that would go elsewhere. False when it has not the focus: none will reach it. */
  exported.awaitKey = (id, beginning, count) => {
    const element = nodeFor(id);
    const at = element && document.hasFocus() ? rootOf(element).activeElement : null;
    if (!at || !isKeyFor(element, at)) return false;
    if (beginning.includes('\n') && element.isContentEditable) caretToEnd(element);
    guardKeys(element, beginning, false, count);
    return true;
  };

  /**
   * What the field holds, as `value` tells it, once its input was had; `gone` when it is no more, and `missed` when a key
   * was blocked, since it would have reached something else. "" as in `pressed`, where keys are yet to come.
   * `ahead`: where the field holds `value` now, what `exported.ask` is asked next, whose answer comes along (null for none).
   * @returns {Promise<Filled | "">}
   */
  exported.filled = async (id, value, ahead) => {
    await heard();
    const late = wasLate();
    if (late && keyed) return '';
    const missed = letGo();
    const held = exported.value(id);
    const isDone = Boolean(ahead) && !late && !missed && held?.value === value;
    return {
      gone: held === null,
      missed,
      value: '',
      secret: false,
      ...held,
      next: isDone ? exported.askEach([ahead])[0] : null,
    };
  };

  /**
   * Whether the pointer, once it was moved to that point, is over the element, or over what stands for it. Chromium says so
   * (`:hover`) of where the element was before it ran away, so the point is looked at again.
   */
  exported.isPointedAt = async (id, x, y) => {
    await heard();
    const element = nodeFor(id);
    if (!element || !matches(element, ':hover')) return false;
    const hit = hitAt(x, y);
    return hit !== null && reaches(element, hit);
  };

  const runCommand = method(Document, 'execCommand');

  /**
   * What a text field holds (as `value` tells it), after focusing it and having the `beginning` of a value take the place
   * of that; a key is to follow. `focused` is false where the page moves the focus elsewhere.
   * `keys` is "each key" where all of the value can be typed; then `eachKey` says whether that is to be done, and nothing is inserted.
   * Null for what is no such field, or would not take `value`.
   * @returns {Begun | null}
   */
  function text(element, look, value, beginning, keys) {
    if (window !== window.top || !look.visible || look.disabled || look.readonly || look.blocker) return null;
    if (look.fill !== 'text' || (element.type === 'number' && value && !exported.parsed(idOf(element), value)))
      return null;
    const before = exported.value(idOf(element));
    element.focus();
    const focused = hasFocus(element);
    const eachKey = keys === 'each key' && look.collectsKeys;
    if (focused && eachKey) {
      guardKeys(element, '', false, value.length);
      element.select();
    } else if (focused) {
      const isDue = beginning !== '' && beginning !== value && takes(element, value, beginning);
      guardKeys(element, beginning, isDue);
      if (!isDue) element.select(); // the beginning takes the place of all there is, whatever is selected
      if (beginning && !isDue) runCommand(document, 'insertText', false, fits(element, value) ? beginning : value);
    }
    return { before, focused, eachKey };
  }

  /**
   * Whether a field may collect the keys that it hears of instead of reading its value, as the comboboxes of the ARIA
   * Authoring Practices do.
   */
  exported.collectsKeys = (element) =>
    attr(element, 'role') === 'combobox' || COMPLETES.has(attr(element, 'aria-autocomplete'));

  const fits = (element, value) => element.maxLength < 0 || value.length <= element.maxLength;

  /** Types of input that keep every text of one line as it is; a trial of the others costs as much as half of the look. */
  const KEEPS_TEXT = new Set(['text', 'search', 'tel', 'password']);

  /** Whether the beginning of a value can be put into a field as it is; else it is typed, with an event of its own. */
  function takes(element, value, beginning) {
    if (!fits(element, value) || beginning.includes('\r')) return false;
    return (KEEPS_TEXT.has(element.type) && !beginning.includes('\n'))
      || exported.parsed(idOf(element), beginning) === beginning;
  }

  const hasFocus = (element) => rootOf(element).activeElement === element;

  /** What `chosen` is to choose: `{ element, indices, ticket }`, or null. */
  let due = null;

  /**
   * The options of a list that can be chosen from now, and where the wanted ones are, if each word is the value or else the
   * label of one. `chosen`, with the same ticket, chooses those: nothing of the page runs before this look is answered.
   * @returns {Choice | null}
   */
  function choice(element, look, ticket, ...words) {
    due = null;
    const isReady = look.visible && !look.disabled && !look.blocker && !exported.isTucked(element);
    const listing = isReady ? exported.options(idOf(element)) : null;
    if (!listing) return null;
    const indices = placesOf(listing, words);
    if (indices) due = { element, indices, ticket };
    return { ...listing, indices };
  }

  /** Where the wanted options of a list are; null where one is not found by a word, or cannot be chosen with the others. */
  function placesOf(listing, words) {
    if (words.length > 1 && !listing.multiple) return null;
    const indices = words.map((word) => {
      const at = listing.options.findIndex((option) => option.value === word);
      const label = word.replace(/\s+/g, ' ').trim();
      return at < 0 ? listing.options.findIndex((option) => option.label === label) : at;
    });
    return indices.every((at) => at >= 0 && !listing.options[at].disabled) ? indices : null;
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
