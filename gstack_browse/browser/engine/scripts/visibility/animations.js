// Animations: which elements are animated, their style at the end of their animations, and whether an element stands still.

import {
  isRendered,
  makeLateMethod,
  nodeTypeOf,
  offsetHeightOf,
  offsetWidthOf,
  rectOf,
  rootOf,
  styleOf,
  WITH_VISIBILITY,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  calls,
  closestWhere,
  displayElementOf,
  exported,
  parentOf,
  PerCallCache,
  treeOf,
} from '../dom/dom.js';
import { nodeFor } from '../dom/node-table.js';
import { pause, waitFrame } from '../dom/turns.js';

// To list the animations of a tree takes Chromium as long as to list those of two dozen elements. So in frames and shadow trees, which are
// many and small, the first elements are looked up one by one.
/** The animations of a document or shadow root, by element. */
class TreeAnimations {
  constructor(root) {
    this.root = root;
    this.singleLookupsLeft = root === document ? 0 : MAX_SINGLE_LOOKUPS;
    this.targets = undefined; // null where there are none
  }

  /** Return whether any animation runs on an element. */
  has(element) {
    return this.on(element).length > 0;
  }

  /** Return the animations that run on an element. */
  on(element) {
    if (this.targets === undefined) {
      if (this.singleLookupsLeft-- > 0) return animationsOn(element);
      this.targets = animationsByTarget(this.root);
    }
    return this.targets?.get(element) ?? NO_ANIMATIONS;
  }

  /** Return whether no animation runs in the tree. */
  get isEmpty() {
    if (this.targets === undefined) this.targets = animationsByTarget(this.root);
    return this.targets === null;
  }
}
const MAX_SINGLE_LOOKUPS = 12;
const NO_ANIMATIONS = [];

/** Group the animations of a document or shadow root by their target element, in a Map; null if there are none. */
function animationsByTarget(root) {
  if (nodeTypeOf(root) !== 9 && nodeTypeOf(root) !== 11) return null;
  const animations = nodeTypeOf(root) === 9 ? animationsOf(root) : animationsInShadow(root);
  return animations.length === 0 ? null : Map.groupBy(animations, (animation) => animation.effect?.target);
}
const callAnimationsOn = Element.prototype.getAnimations;
/** Return the animations of an element itself, without those of its descendants. */
const animationsOn = (element) => callAnimationsOn.call(element);
const animationsOf = makeLateMethod('Document', 'getAnimations');
const animationsInShadow = makeLateMethod('ShadowRoot', 'getAnimations');

// Settled style: the style of an element at the end of its animations. A finite animation counts with its end values, an endless one with
// those at which the element is most visible. They are read from keyframes, since the page would notice if an animation were finished
// early.

export const animatedIn = new PerCallCache((root) => new TreeAnimations(root));

/** Return the computed style of an element with the values that it will have at the end of its animations. */
export function settledStyle(element) {
  const style = styleOf(element);
  const ends = endValuesOf(element);
  return ends === null ? style : new Proxy(style, { get: (target, name) => ends[String(name)] ?? target[name] });
}

/** Return the values of style properties at the end of an element's animations, as { property: value }; null if no animation runs. */
function endValuesOf(element) {
  return animatedIn.of(treeOf(element)).has(element) ? endValuesByElement.of(element) : null;
}

// Keyframes take as long to read as ten properties of a style, so they are read once per call, of at most 300 elements. Further ones (on a
// page full of pulsing placeholders) count with their current style.
const MAX_KEYFRAME_ELEMENTS = 300;
let keyframeCall = -1;
let keyframeElements = 0;
const endValuesByElement = new PerCallCache((element) => {
  if (keyframeCall !== calls) [keyframeCall, keyframeElements] = [calls, 0];
  if (++keyframeElements > MAX_KEYFRAME_ELEMENTS) return null;
  let ends = NO_END_VALUES;
  for (const animation of animatedIn.of(treeOf(element)).on(element)) {
    if (animation.playState !== 'running' || !animation.effect || animation.effect.pseudoElement) continue;
    ends = { ...ends, ...endValuesOfAnimation(animation) };
  }
  return ends === NO_END_VALUES ? null : ends;
});
const NO_END_VALUES = Object.create(null);

// Fields of a keyframe that are no style properties.
const NOT_PROPERTIES = new Set(['offset', 'computedOffset', 'easing', 'composite']);

/** Return the values of style properties at the end of one animation, as { property: value }. */
function endValuesOfAnimation(animation) {
  const frames = animation.effect.getKeyframes();
  const names = new Set(frames.flatMap(Object.keys).filter((name) => !NOT_PROPERTIES.has(name)));
  const ends = {};
  for (const name of names) {
    const value = endValueOf(name, frames.filter((frame) => frame[name] !== undefined), animation);
    if (value !== undefined) ends[name] = value;
  }
  return ends;
}

/**
 * Return the value of the style property `name` at the end of an animation; of one that is endless, repeats or runs backwards the value at
 * which the element is most visible. `frames`: the keyframes that set the property.
 */
function endValueOf(name, frames, animation) {
  const { effect, playbackRate, timeline } = animation;
  const { iterations, progress, direction, fill, endTime } = effect.getComputedTiming();
  /** Return the value that the property has in the keyframe in which the element is most visible. */
  const mostVisible = () => mostVisibleValue(name, frames.map((frame) => frame[name]));
  const isForwards = direction === 'normal' && playbackRate > 0;
  if (endTime === Infinity || iterations > 1 || !isForwards || !(timeline instanceof DocumentTimeline))
    return mostVisible();
  const position = progress ?? frames[0].computedOffset;
  const next = frames.find((frame) => frame.computedOffset > position);
  const last = frames[frames.length - 1];
  const isKept = fill === 'forwards' || fill === 'both' || animation instanceof CSSTransition;
  // Without `fill` the value from before the animation comes back, which no keyframe has: assume the most visible one.
  return mostVisibleValue(name, [last[name], ...next ? [next[name]] : [], ...isKept ? [] : [mostVisible()]]);
}

/**
 * Return that one of the values of a style property at which an element is most visible, such as the highest opacity; the first if all are
 * equal in that.
 */
function mostVisibleValue(name, values) {
  if (name === 'opacity') return String(Math.max(...values.map(parseFloat)));
  return values.find((value) => !HIDING_VALUES.get(name)?.test(value)) ?? values[0];
}
// Style property → pattern of values that hide all of an element.
const HIDING_VALUES = new Map(Object.entries({
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

/** Return whether an animation moves or resizes an element or an ancestor, so that the element's box is not final. */
export function isMovedByAnimation(element) {
  return closestWhere(
    element,
    (each) => Object.keys(endValuesOf(each) ?? NO_END_VALUES).some((name) => MOVING_PROPERTIES.test(name)),
  )
    !== null;
}
const MOVING_PROPERTIES =
  /^(?:transform|translate|scale|rotate|offset|left|right|top|bottom|inset|margin|width|height|max|min|block|inline|grid|zoom)/;

/** Return { width, height } of an element at the end of its animations, in CSS pixels. */
export function settledSize(element) {
  const { width, height } = rectOf(element);
  const ends = endValuesOf(element);
  const size = { width: parsePixels(ends?.width) ?? width, height: parsePixels(ends?.height) ?? height };
  if (isShrunkAtEnd(element)) return { width: 0, height: 0 };
  if (size.width > 0 && size.height > 0 || !isMovedByAnimation(element)) return size;
  return { width: size.width || offsetWidthOf(element) || 0, height: size.height || offsetHeightOf(element) || 0 };
}

/** Return whether an element or an ancestor is scaled to nothing at the end of its animations. */
function isShrunkAtEnd(element) {
  return closestWhere(element, (each) => isShrunk(endValuesOf(each))) !== null;
}

/** Return whether style values scale an element to nothing. `ends`: { property: value } at the end of its animations, or null. */
const isShrunk = (ends) =>
  ends !== null && ['transform', 'scale'].some((name) => HIDING_VALUES.get(name)?.test(ends[name] ?? ''));
/** Convert a CSS length in px to a number; undefined for any other value. */
const parsePixels = (value) => value?.endsWith('px') ? parseFloat(value) : undefined;

/** Return whether an element is rendered and not `visibility: hidden` once its animations have ended. */
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

// Whether an element stands still: by animations, or for movement by script by its box in two frames.

// An action waits for the end of an animation that lasts no longer: the time limit of any wait of a command.
const MAX_ANIMATION_WAIT_MS = 5000;

/** Return how an element or an ancestor is animated: "" if not, "ends" if an animation ends within 5 s, else "endless". */
export function motionOf(element) {
  let motion = '';
  for (const animation of runningAnimationsOf(element)) {
    if (remainingMs(animation) <= MAX_ANIMATION_WAIT_MS) return 'ends';
    motion = 'endless';
  }
  return motion;
}

// Each tree is asked once, since each answer takes Chromium a pass over all its animations.
/** Yield the running animations of an element and its ancestors, without those of pseudo-elements. */
function* runningAnimationsOf(element) {
  const carriers = new Set([element, ...ancestorsOf(element)]);
  for (const tree of new Set([...carriers].map(rootOf))) {
    for (const animation of tree.getAnimations?.() ?? []) {
      const { target, pseudoElement } = animation.effect ?? {};
      if (animation.playState === 'running' && carriers.has(target) && !pseudoElement) yield animation;
    }
  }
}

/** Return the milliseconds until an animation ends; Infinity for an endless one, or one driven by scrolling. */
function remainingMs({ effect, currentTime, playbackRate }) {
  const { endTime } = effect?.getComputedTiming() ?? {};
  const left = playbackRate < 0 ? currentTime : Number(endTime) - Number(currentTime);
  return Number.isNaN(Number(left)) ? Infinity : Number(left) / Math.abs(playbackRate);
}

/**
 * Return how the element of an id, or an ancestor, is animated: "" if not, "ends" if an animation ends within 5 s, else "endless"; null if
 * it is gone.
 */
function readMotion(id) {
  const element = nodeFor(id);
  return element ? motionOf(displayElementOf(element)) : null;
}
exported.readMotion = readMotion;

/**
 * Wait until the animations of an element that end within 5 s have ended, `milliseconds` at most. Return how it is animated then: "" (not),
 * "ends" (within 5 s) or "endless"; null if it is gone.
 */
exported.waitForMotionEnd = async (id, milliseconds) => {
  const element = nodeFor(id);
  if (!element) return null;
  const ends = [...runningAnimationsOf(displayElementOf(element))].filter((animation) =>
    remainingMs(animation) <= MAX_ANIMATION_WAIT_MS
  );
  await Promise.race([Promise.allSettled(ends.map((animation) => animation.finished)), pause(milliseconds)]);
  return readMotion(id);
};

/** Return whether an element does not move: its box is the same in two successive animation frames. */
export async function isStill(element) {
  /** Return position and size of the element as one string. */
  const boxNow = () => {
    const { left, top, width, height } = rectOf(displayElementOf(element));
    return `${left} ${top} ${width} ${height}`;
  };
  await waitFrame();
  const before = boxNow();
  await waitFrame();
  return boxNow() === before;
}
