// Finds the elements of one tree that are animated now, or that an animation has brought to a lasting end.

import { lateMethod, nodeTypeOf } from './engine-accessors.js';

// The animations of a tree, by the elements that they run on.
//
// Before Chromium lists what is animated in a tree it looks twice whether the style of the page still holds, which takes as long as
// asking two dozen elements. Frames and shadow trees are many and small: there the first elements are asked by themselves.
export class Animated {
  constructor(root) {
    this.root = root;
    this.single = root === document ? 0 : ASKED_SINGLY;
    this.targets = undefined; // null where there are none
  }

  has(element) {
    return this.on(element).length > 0;
  }

  on(element) {
    if (this.targets === undefined) {
      if (this.single-- > 0) return animationsOn(element);
      this.targets = animationsByTarget(this.root);
    }
    return this.targets?.get(element) ?? NO_ANIMATIONS;
  }

  get isNobody() {
    if (this.targets === undefined) this.targets = animationsByTarget(this.root);
    return this.targets === null;
  }
}
const ASKED_SINGLY = 12;
const NO_ANIMATIONS = [];

function animationsByTarget(root) {
  if (nodeTypeOf(root) !== 9 && nodeTypeOf(root) !== 11) return null;
  const animations = nodeTypeOf(root) === 9 ? animationsOf(root) : animationsInShadow(root);
  return animations.length === 0 ? null : Map.groupBy(animations, (animation) => animation.effect?.target);
}
const callAnimationsOn = Element.prototype.getAnimations;
const animationsOn = (element) => callAnimationsOn.call(element);
const animationsOf = lateMethod('Document', 'getAnimations');
const animationsInShadow = lateMethod('ShadowRoot', 'getAnimations');
