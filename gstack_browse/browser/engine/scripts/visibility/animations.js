// Animations: which elements are animated, how they look once that has ended, and whether one stands still.

import { displayElementOf } from '../actions/hit-testing.js';
import { lateMethod, nodeTypeOf, offsetHeightOf, offsetWidthOf, rectOf, rootOf } from '../dom/accessors.js';
import { ancestorsOf, calls, closestWhere, exported, parentOf, PerCallCache, treeOf } from '../dom/dom.js';
import { nodeFor } from '../dom/node-table.js';
import { nextFrame, pause } from '../dom/turns.js';
import { isRendered, styleOf } from './hidden.js';

/**
 * The animations of a tree, by the elements that they run on. Chromium lists those of a tree as slowly as it answers for two dozen
 * elements: in a frame or shadow tree, which are many and small, the first elements are asked one by one.
 */
class Animated {
  constructor(root) {
    this.root = root;
    this.single = root === document ? 0 : ASKED_SINGLY;
    this.targets = undefined; // null where there are none
  }

  /** Whether any animation runs on an element. */
  has(element) {
    return this.on(element).length > 0;
  }

  /** Return the animations that run on an element. */
  on(element) {
    if (this.targets === undefined) {
      if (this.single-- > 0) return animationsOn(element);
      this.targets = animationsByTarget(this.root);
    }
    return this.targets?.get(element) ?? NO_ANIMATIONS;
  }

  /** Whether no animation runs in the tree. */
  get isEmpty() {
    if (this.targets === undefined) this.targets = animationsByTarget(this.root);
    return this.targets === null;
  }
}
const ASKED_SINGLY = 12;
const NO_ANIMATIONS = [];

/** Group the animations of a document or shadow root by their target element; null if there are none. */
function animationsByTarget(root) {
  if (nodeTypeOf(root) !== 9 && nodeTypeOf(root) !== 11) return null;
  const animations = nodeTypeOf(root) === 9 ? animationsOf(root) : animationsInShadow(root);
  return animations.length === 0 ? null : Map.groupBy(animations, (animation) => animation.effect?.target);
}
const callAnimationsOn = Element.prototype.getAnimations;
/** Return the animations of one element. */
const animationsOn = (element) => callAnimationsOn.call(element);
const animationsOf = lateMethod('Document', 'getAnimations');
const animationsInShadow = lateMethod('ShadowRoot', 'getAnimations');

// Computes the style of an element as it will be once its animations have ended.
//
// A finite animation or transition counts with its end values, an endless one with those at which most can be seen. They are read from keyframes: to
// fast-forward an animation would be seen by the page.

export const animatedIn = new PerCallCache((root) => new Animated(root));

/** Return the computed style of an element with the end values of its animations. */
export function settledStyle(element) {
  const style = styleOf(element);
  const ends = endValuesOf(element);
  return ends === null ? style : new Proxy(style, { get: (target, name) => ends[String(name)] ?? target[name] });
}

/** Return the end values of an element's animations, by style property; null if none runs. */
function endValuesOf(element) {
  return animatedIn.of(treeOf(element)).has(element) ? endValuesByElement.of(element) : null;
}

// Keyframes take as long to read as ten properties of a style. So they are read once per call, of at most 300 elements; further ones (a page full
// of pulsing placeholders) count as they look now.
const MOST_ELEMENTS_READ = 300;
let countedInCall = -1;
let elementsRead = 0;
const endValuesByElement = new PerCallCache((element) => {
  if (countedInCall !== calls) [countedInCall, elementsRead] = [calls, 0];
  if (++elementsRead > MOST_ELEMENTS_READ) return null;
  /** @type {Record<string, string>} */
  let ends = NO_END_VALUES;
  for (const animation of animatedIn.of(treeOf(element)).on(element)) {
    if (animation.playState !== 'running' || !animation.effect || animation.effect.pseudoElement) continue;
    ends = { ...ends, ...endValuesOfAnimation(animation) };
  }
  return ends === NO_END_VALUES ? null : ends;
});
/** @type {Record<string, string>} */
const NO_END_VALUES = {};

/** Fields of a keyframe that are no style properties. */
const NOT_PROPERTIES = new Set(['offset', 'computedOffset', 'easing', 'composite']);

/** Return the values of an animated element's properties at the end of one animation, by property. */
function endValuesOfAnimation(animation) {
  const frames = animation.effect.getKeyframes();
  const names = new Set(frames.flatMap(Object.keys).filter((name) => !NOT_PROPERTIES.has(name)));
  /** @type {Record<string, string>} */
  const ends = {};
  for (const name of names) {
    const value = endValueOf(name, frames.filter((frame) => frame[name] !== undefined), animation);
    if (value !== undefined) ends[name] = value;
  }
  return ends;
}

/** Return the end value of one property. `frames`: the keyframes that have it. */
function endValueOf(name, frames, animation) {
  const { effect, playbackRate, timeline } = animation;
  const { iterations, currentIteration, progress, direction, fill, endTime } = effect.getComputedTiming();
  /** Return the value of all keyframes at which most of the element can be seen. */
  const clearest = () => clearestOf(name, frames.map((frame) => frame[name]));
  const isEndless = endTime === Infinity || !(timeline instanceof DocumentTimeline);
  if (isEndless || (currentIteration ?? 0) < iterations - 1) return clearest();
  const isOdd = (currentIteration ?? Math.max(iterations - 1, 0)) % 2 === 1;
  const isReversed = direction === 'reverse' || direction === 'alternate' && isOdd
    || direction === 'alternate-reverse' && !isOdd;
  const ordered = isReversed !== playbackRate < 0 ? frames.toReversed() : frames;
  const position = progress ?? ordered[0].computedOffset;
  const next = ordered.find((frame) =>
    ordered === frames ? frame.computedOffset > position : frame.computedOffset < position
  );
  const last = ordered[ordered.length - 1];
  const isKept = fill === 'forwards' || fill === 'both' || animation instanceof CSSTransition;
  // Without `fill` the value from before the animation comes back, which no keyframe has: assume one that can be seen.
  return clearestOf(name, [last[name], ...next ? [next[name]] : [], ...isKept ? [] : [clearest()]]);
}

/** Return the value of a property at which most of an element can be seen; the first if that makes no difference. */
function clearestOf(name, values) {
  if (name === 'opacity') return String(Math.max(...values.map(parseFloat)));
  return values.find((value) => !HIDES_ALL.get(name)?.test(value)) ?? values[0];
}
/** Style property → values that hide an element altogether. */
const HIDES_ALL = new Map(Object.entries({
  visibility: /hidden|collapse/,
  display: /none/,
  scale: /^0(?:\.0*)?(?:\s|$)/,
  transform: /scale[XY]?\(0(?:\.0*)?[,)]|matrix\(0, 0, 0, 0,/,
  height: /^0px/,
  width: /^0px/,
  maxHeight: /^0px/,
  maxWidth: /^0px/,
  clipPath: /^(?!none)/,
  filter: /^(?!none)/,
}));

/** Whether an animation moves or resizes an element or its ancestors, so that its box is not final. */
export function isMovedByAnimation(element) {
  return closestWhere(
    element,
    (each) => Object.keys(endValuesOf(each) ?? NO_END_VALUES).some((name) => MOVING_PROPERTIES.test(name)),
  )
    !== null;
}
const MOVING_PROPERTIES =
  /^(?:transform|translate|scale|rotate|offset|left|right|top|bottom|inset|margin|width|height|max|min|block|inline|grid|zoom)/;

/** Return the final { width, height } of an element: one that grows out of nothing has no box yet. */
export function settledSize(element) {
  const { width, height } = rectOf(element);
  const ends = endValuesOf(element);
  const size = { width: parsePixels(ends?.width) ?? width, height: parsePixels(ends?.height) ?? height };
  if (isShrunkAway(element)) return { width: 0, height: 0 };
  if (size.width > 0 && size.height > 0 || !isMovedByAnimation(element)) return size;
  return { width: size.width || offsetWidthOf(element) || 0, height: size.height || offsetHeightOf(element) || 0 };
}

/** Whether the animations of an element or an ancestor end with a scale of 0. */
function isShrunkAway(element) {
  return closestWhere(element, (each) => isShrunk(endValuesOf(each))) !== null;
}

/** Whether these end values scale an element to nothing. */
const isShrunk = (ends) =>
  ends !== null && ['transform', 'scale'].some((name) => HIDES_ALL.get(name)?.test(ends[name] ?? ''));
/** Return a length in px as a number; undefined for any other value. */
const parsePixels = (value) => value?.endsWith('px') ? parseFloat(value) : undefined;

/** Whether an element is rendered and not `visibility: hidden` once its animations have ended. */
export function isRenderedOnceSettled(element) {
  if (animatedIn.of(treeOf(element)).isEmpty) return isRendered.call(element, WITH_VISIBILITY);
  if (!isRendered.call(element)) return false;
  let visibility = '';
  for (let each = element; each; each = parentOf(each)) {
    const ends = endValuesOf(each);
    if (ends?.display === 'none' || isShrunk(ends)) return false;
    visibility ||= ends?.visibility ?? '';
  }
  return visibility === '' ? isRendered.call(element, WITH_VISIBILITY) : visibility === 'visible';
}
const WITH_VISIBILITY = { visibilityProperty: true };

// Whether an element stands still, as far as its page's animations say. What a script moves is only seen by looking twice.

/** Milliseconds within which an animation has to end for its end to be waited for: as long as a command waits for anything. */
const SOON = 5000;

/** Return how animations move an element, alone or with an ancestor: "" if none runs, "ends" if one ends within 5 s, else "endless". */
export function motionOf(element) {
  let motion = '';
  for (const animation of animationsMoving(element)) {
    if (remainingTime(animation) <= SOON) return 'ends';
    motion = 'endless';
  }
  return motion;
}

/**
 * Yield the animations that run on an element or its ancestors. Each tree is asked once: for each answer Chromium goes through all its
 * animations.
 */
function* animationsMoving(element) {
  const carriers = new Set([element, ...ancestorsOf(element)]);
  for (const tree of new Set([...carriers].map(rootOf))) {
    for (const animation of tree.getAnimations?.() ?? []) {
      const { target, pseudoElement } = animation.effect ?? {};
      if (animation.playState === 'running' && carriers.has(target) && !pseudoElement) yield animation;
    }
  }
}

/** Return the milliseconds until an animation ends; Infinity for one that follows something other than the time. */
function remainingTime({ effect, currentTime, playbackRate }) {
  const { endTime } = effect?.getComputedTiming() ?? {};
  const left = playbackRate < 0 ? currentTime : Number(endTime) - Number(currentTime);
  return Number.isNaN(Number(left)) ? Infinity : Number(left) / Math.abs(playbackRate);
}

/** Return the motion (see `motionOf`) of what shows the element of an id; null if that is gone. */
function motionById(id) {
  const element = nodeFor(id);
  return element ? motionOf(displayElementOf(element)) : null;
}
exported.motion = motionById;

/** Wait for animations that end soon, `milliseconds` at most, and return the motion then (see `motionOf`). */
exported.motionOnceEnded = async (id, milliseconds) => {
  const element = nodeFor(id);
  if (!element) return null;
  const ends = [...animationsMoving(displayElementOf(element))].filter((animation) => remainingTime(animation) <= SOON);
  await Promise.race([Promise.allSettled(ends.map((animation) => animation.finished)), pause(milliseconds)]);
  return motionById(id);
};

/** Whether the box of an element is the same in two successive frames. */
export async function isStill(element) {
  /** Return the present box of the element as a text. */
  const boxNow = () => {
    const { left, top, width, height } = rectOf(displayElementOf(element));
    return `${left} ${top} ${width} ${height}`;
  };
  await nextFrame();
  const before = boxNow();
  await nextFrame();
  return boxNow() === before;
}
