// The look of an element once its animations have ended: a finite animation or transition is judged by where it leads, one without end
// by what it shows at its clearest. Playing an animation on would be seen by the page, so its keyframes are read.

import { offsetHeightOf, offsetWidthOf, rectOf } from './engine-accessors.js';
import { calls, closestWhere, OfTrees, parentOf, treeOf } from './engine-dom.js';
import { Animated } from './engine-animated.js';
import { isRendered, styleOf } from './engine-hidden.js';

const animatedIn = new OfTrees((root) => new Animated(root));

/** The style of an element, with the values that its animations lead to. */
function settledStyle(element) {
  const style = styleOf(element);
  const ends = endsOf(element);
  return ends === null ? style : new Proxy(style, { get: (target, name) => ends[String(name)] ?? target[name] });
}

/** The values that the animations of an element lead to, by the names of the style; null where nothing runs on it. */
function endsOf(element) {
  return animatedIn.of(treeOf(element)).has(element) ? endsKnown.of(element) : null;
}

// To read keyframes takes as long as ten questions to a style: each element's are read once in a call, and those of so many elements. Of more,
// as in a page of placeholders that pulse, what shows now counts.
const MOST_ELEMENTS_ENDED = 300;
let endedIn = -1;
let endedElements = 0;
const endsKnown = new OfTrees((element) => {
  if (endedIn !== calls) [endedIn, endedElements] = [calls, 0];
  if (++endedElements > MOST_ELEMENTS_ENDED) return null;
  /** @type {Record<string, string>} */
  let ends = NO_ENDS;
  for (const animation of animatedIn.of(treeOf(element)).on(element)) {
    if (animation.playState !== 'running' || !animation.effect || animation.effect.pseudoElement) continue;
    ends = { ...ends, ...endsOfOne(animation) };
  }
  return ends === NO_ENDS ? null : ends;
});
/** @type {Record<string, string>} */
const NO_ENDS = {};

const NO_PROPERTIES = new Set(['offset', 'computedOffset', 'easing', 'composite']);

function endsOfOne(animation) {
  const frames = animation.effect.getKeyframes();
  const names = new Set(frames.flatMap(Object.keys).filter((name) => !NO_PROPERTIES.has(name)));
  /** @type {Record<string, string>} */
  const ends = {};
  for (const name of names) {
    const value = endOf(name, frames.filter((frame) => frame[name] !== undefined), animation);
    if (value !== undefined) ends[name] = value;
  }
  return ends;
}

/** The value that the frames of one property lead to. */
function endOf(name, frames, animation) {
  const { effect, playbackRate, timeline } = animation;
  const { iterations, currentIteration, progress, direction, fill, endTime } = effect.getComputedTiming();
  const clearest = () => clearestOf(name, frames.map((frame) => frame[name]));
  const isEndless = endTime === Infinity || !(timeline instanceof DocumentTimeline);
  if (isEndless || (currentIteration ?? 0) < iterations - 1) return clearest();
  const isOdd = (currentIteration ?? Math.max(iterations - 1, 0)) % 2 === 1;
  const isReversed = direction === 'reverse' || direction === 'alternate' && isOdd
    || direction === 'alternate-reverse' && !isOdd;
  const way = isReversed !== playbackRate < 0 ? frames.toReversed() : frames;
  const position = progress ?? way[0].computedOffset;
  const next = way.find((frame) => way === frames ? frame.computedOffset > position : frame.computedOffset < position);
  const last = way[way.length - 1];
  const isKept = fill === 'forwards' || fill === 'both' || animation instanceof CSSTransition;
  // Where the end is not kept the value before comes back, and no keyframe tells it: in doubt it can be seen.
  return clearestOf(name, [last[name], ...next ? [next[name]] : [], ...isKept ? [] : [clearest()]]);
}

/** Of several values the one at which most can be seen; the first where that makes no difference. */
function clearestOf(name, values) {
  if (name === 'opacity') return String(Math.max(...values.map(parseFloat)));
  return values.find((value) => !HIDES_ALL.get(name)?.test(value)) ?? values[0];
}
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

/** Whether an animation moves an element, or what carries it, to another place or size: its box of now says nothing of where it will be. */
function isOnItsWay(element) {
  return closestWhere(element, (each) => Object.keys(endsOf(each) ?? NO_ENDS).some((name) => MOVES.test(name)))
    !== null;
}
const MOVES =
  /^(?:transform|translate|scale|rotate|offset|left|right|top|bottom|inset|margin|width|height|max|min|block|inline|grid|zoom)/;

/** The width and height of an element once it is there: what grows out of nothing has its size before its box does. */
function settledSize(element) {
  const { width, height } = rectOf(element);
  const ends = endsOf(element);
  const size = { width: sizeOf(ends?.width) ?? width, height: sizeOf(ends?.height) ?? height };
  if (isShrunkAway(element)) return { width: 0, height: 0 };
  if (size.width > 0 && size.height > 0 || !isOnItsWay(element)) return size;
  return { width: size.width || offsetWidthOf(element) || 0, height: size.height || offsetHeightOf(element) || 0 };
}

function isShrunkAway(element) {
  return closestWhere(element, (each) => isShrunk(endsOf(each))) !== null;
}

const isShrunk = (ends) =>
  ends !== null && ['transform', 'scale'].some((name) => HIDES_ALL.get(name)?.test(ends[name] ?? ''));
const sizeOf = (value) => value?.endsWith('px') ? parseFloat(value) : undefined;

/** Whether an element is rendered, and not `visibility: hidden`, once what runs on it has ended. */
function isRenderedInTheEnd(element) {
  if (animatedIn.of(treeOf(element)).isNobody) return isRendered.call(element, SHOWN);
  if (!isRendered.call(element)) return false;
  let visibility = '';
  for (let each = element; each; each = parentOf(each)) {
    const ends = endsOf(each);
    if (ends?.display === 'none' || isShrunk(ends)) return false;
    visibility ||= ends?.visibility ?? '';
  }
  return visibility === '' ? isRendered.call(element, SHOWN) : visibility === 'visible';
}
const SHOWN = { visibilityProperty: true };

export { animatedIn, isOnItsWay, isRenderedInTheEnd, settledSize, settledStyle };
