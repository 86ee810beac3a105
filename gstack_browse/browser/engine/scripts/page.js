// The page as a whole: where it is scrolled to, and whether it shows a text.

import {
  clientHeightOf,
  clientWidthOf,
  matches,
  queryInDocument,
  readyStateOf,
  rootElementOf,
  scrollHeightOf,
  scrollingElementOf,
} from './engine-accessors.js';
import { attr, exported, queryAllIn, shadowRootOf } from './engine-dom.js';
import { idOf } from './engine-table.js';
import { isSecret } from './engine-states.js';
import { isVisible } from './visible.js';

/** Scroll the page, or what fills it, by a named amount; says where it is now and whether it moved. */
exported.scroll = (direction, pixels) => {
  const area = scrollArea();
  if (!area) return { moved: 0, top: 0, end: 0 };
  const before = area.scrollTop;
  const step = pixels || Math.round(clientHeightOf(area) * 0.9);
  const goal = { up: before - step, down: before + step, top: 0, bottom: scrollHeightOf(area) }[direction];
  area.scrollTo({ top: goal, behavior: 'instant' });
  return {
    moved: Math.round(area.scrollTop - before),
    top: Math.round(area.scrollTop),
    end: Math.round(scrollHeightOf(area) - clientHeightOf(area)),
  };
};

/**
 * The document, or when that cannot scroll the largest element that can (an application's own pane); null without a root.
 * @returns {Element | null}
 */
function scrollArea() {
  const root = scrollingElementOf(document) || rootElementOf(document);
  if (!root || scrollHeightOf(root) > clientHeightOf(root) + 1) return root;
  let best = root;
  let bestArea = 0;
  for (const element of queryInDocument(document, '*')) {
    if (scrollHeightOf(element) <= clientHeightOf(element) + 1 || clientHeightOf(element) < 50) continue;
    if (!/auto|scroll/.test(getComputedStyle(element).overflowY)) continue;
    const area = clientWidthOf(element) * clientHeightOf(element);
    if (area > bestArea) [best, bestArea] = [element, area];
  }
  return best;
}

/** Whether the visible text of the page contains `wanted`, or what one of its fields shows does. */
exported.showsText = (wanted) => {
  const fold = (text) => text.replace(/\s+/g, ' ');
  const words = fold(wanted);
  if (fold(exported.text(0)).includes(words)) return true;
  for (const field of fieldsIn(document)) if (fold(shownIn(field)).includes(words) && isVisible(field)) return true;
  return false;
};

/** Fields in a tree and in the shadow trees in it. */
export function* fieldsIn(root) {
  for (const element of queryAllIn(root, '*')) {
    if (matches(element, 'input,textarea,select')) yield element;
    const inner = shadowRootOf(element);
    if (inner) yield* fieldsIn(inner);
  }
}

/** Types of input whose value is not what a person sees of it. */
const WORDLESS = new Set(['checkbox', 'color', 'file', 'hidden', 'image', 'password', 'radio', 'range']);

/** The text that a person reads in a field: its value, else its placeholder; "" for a secret. */
export function shownIn(field) {
  if (isSecret(field) || WORDLESS.has(field.type)) return '';
  return exported.text(idOf(field)) || attr(field, 'placeholder') || '';
}

/** A round trip: when it has come back, everything the page did before has been reported. */
exported.tick = () => readyStateOf(document);
