// Finds style rules for an element under the pointer: they give it the hand, or change its look, as those for the items of a
// menu do.

import { matches } from './engine-accessors.js';
import { treeOf } from './engine-dom.js';
import { styleOf } from './engine-hidden.js';
import { tagOf } from './engine-kinds.js';
import { Meant, Question, split } from './engine-pointers.js';

const HOVER = /:hover\b/g;
const INSIDE = /\([^()]*:hover/; // of `:not(:hover)` and the like
const MAX_SELECTORS = 200;

// Elements that selectors with `:hover` mean, and these selectors without it.
class MeantHovered extends Meant {
  constructor() {
    super();
    this.selectors = [];
  }

  /** @override */
  add(other) {
    super.add(other);
    this.selectors.push(...other.selectors);
  }

  /** @override */
  note(selector, outer) {
    for (const complex of split(selector, ',')) {
      if (!complex.includes(':hover') || INSIDE.test(complex) || this.selectors.length >= MAX_SELECTORS) continue;
      const bare = this.withoutHover(complex, outer);
      if (bare === '') continue;
      super.note(bare, outer);
      this.selectors.push(bare);
    }
  }

  // "" where that means everything, or cannot be told apart from its rule around.
  withoutHover(complex, outer) {
    const whole = complex.replace(/&/g, outer === '' ? '&' : `:is(${outer})`);
    const bare = whole.replace(HOVER, '').trim();
    return bare.includes('&') || bare === '' || /[\s>+~]$|^[>+~]/.test(bare) ? '' : bare;
  }

  means(element, tag, plain) {
    if (this.selectors.length === 0 || !this.mayMean(element, tag, plain)) return false;
    return this.selectors.some((selector) => isMatch(element, selector));
  }
}

// Selectors come out of sheets, so what is invalid in them is so without its `:hover` only.
function isMatch(element, selector) {
  try {
    return matches(element, selector);
  } catch {
    return false;
  }
}

const NOT_HOVERED = new MeantHovered();
const HANDS = new Question((style) => style.cursor === 'pointer', MeantHovered, NOT_HOVERED);
const LIT = new Question(
  (style) =>
    style.backgroundColor !== '' || style.color !== '' || style.backgroundImage !== '' || style.cursor === 'pointer',
  MeantHovered,
  NOT_HOVERED,
);

// Rows show their buttons so.
const REVEALS = new Question(
  (style) => style.opacity !== '' || style.pointerEvents !== '',
  MeantHovered,
  NOT_HOVERED,
);

// Has the hand as soon as the pointer is over it, and no other cursor before that. Seen in vanillajs-datepicker 1.3, EditorJS 2.31, Tabulator 6.5.
export function pointsWhenHovered(element, tag, plain) {
  if (!HANDS.in(treeOf(element)).means(element, tag, plain)) return false;
  const { cursor } = styleOf(element);
  return cursor === 'auto' || cursor === 'pointer' || cursor === 'default';
}

export const isLitWhenHovered = (element, tag, plain) => LIT.in(treeOf(element)).means(element, tag, plain);

export const isRevealedWhenHovered = (element) => REVEALS.in(treeOf(element)).means(element, tagOf(element), false);
