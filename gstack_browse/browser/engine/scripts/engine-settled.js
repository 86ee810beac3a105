// Computes the style of an element as it will be once its animations have ended.
//
// A finite animation or transition counts with its end values, an endless one with those at which most can be seen. They are read from keyframes: to
// fast-forward an animation would be seen by the page.

import { offsetHeightOf, offsetWidthOf, rectOf } from './engine-accessors.js';
import { calls, closestWhere, OfTrees, parentOf, treeOf } from './engine-dom.js';
import { Animated } from './engine-animated.js';
import { isRendered, styleOf } from './engine-hidden.js';

export const animatedIn = new OfTrees((root) => new Animated(root));

/** The computed style of an element, with the end values of its animations instead of the present ones. */
export function settledStyle(element) {
  const style = styleOf(element);
  const ends = endValuesOf(element);
  return ends === null ? style : new Proxy(style, { get: (target, name) => ends[String(name)] ?? target[name] });
}

/** The end values of the animations of an element, by style property; null if none runs. */
function endValuesOf(element) {
  return animatedIn.of(treeOf(element)).has(element) ? endValuesByElement.of(element) : null;
}

// Keyframes take as long to read as ten properties of a style. So they are read once per call, of at most 300 elements; further ones (a page full
// of pulsing placeholders) count as they look now.
const MOST_ELEMENTS_READ = 300;
let countedInCall = -1;
let elementsRead = 0;
const endValuesByElement = new OfTrees((element) => {
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

/** The end value of one property. `frames`: the keyframes that have it. */
function endValueOf(name, frames, animation) {
  const { effect, playbackRate, timeline } = animation;
  const { iterations, currentIteration, progress, direction, fill, endTime } = effect.getComputedTiming();
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

/** The value of a property at which most of an element can be seen; the first if that makes no difference. */
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

/** The final width and height of an element: one that grows out of nothing has no box yet. */
export function settledSize(element) {
  const { width, height } = rectOf(element);
  const ends = endValuesOf(element);
  const size = { width: sizeOf(ends?.width) ?? width, height: sizeOf(ends?.height) ?? height };
  if (isShrunkAway(element)) return { width: 0, height: 0 };
  if (size.width > 0 && size.height > 0 || !isMovedByAnimation(element)) return size;
  return { width: size.width || offsetWidthOf(element) || 0, height: size.height || offsetHeightOf(element) || 0 };
}

function isShrunkAway(element) {
  return closestWhere(element, (each) => isShrunk(endValuesOf(each))) !== null;
}

const isShrunk = (ends) =>
  ends !== null && ['transform', 'scale'].some((name) => HIDES_ALL.get(name)?.test(ends[name] ?? ''));
const sizeOf = (value) => value?.endsWith('px') ? parseFloat(value) : undefined;

/** Whether an element is rendered and not `visibility: hidden` once its animations have ended. */
export function isRenderedOnceSettled(element) {
  if (animatedIn.of(treeOf(element)).isNobody) return isRendered.call(element, WITH_VISIBILITY);
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
