// The shapes of a drawing that merely listen, as each bar of a chart does for its tooltip. Of many that say the same the rest is counted.

import { childElementCountOf, namespaceOf, parentNodeOf } from './engine-accessors.js';
import { attr, isElement, SVG } from './engine-dom.js';

const LISTED_SHAPES = 3;
const FEW_SHAPES = 9; // siblings of which each is listed: the squares of a small board are what a person presses

export class Shapes {
  constructor() {
    this.counted = 0;
    this.groups = new Map(); // by what they are in: how many of each kind there are
  }

  // Whether so many of its siblings are listed already that this one, which has no name and no hand, says nothing new. `hint`: of its line.
  isOneMore(element, hint) {
    if (namespaceOf(element) !== SVG) return false;
    const parent = parentNodeOf(element);
    if (!isElement(parent) || childElementCountOf(parent) <= FEW_SHAPES) return false;
    const kinds = this.groups.get(parent) ?? new Map();
    const kind = `${hint?.[1] ?? ''} ${attr(element, 'class') ?? ''}`;
    const met = kinds.get(kind) ?? 0;
    this.groups.set(parent, kinds.set(kind, met + 1));
    if (met < LISTED_SHAPES) return false;
    this.counted++;
    return true;
  }
}
