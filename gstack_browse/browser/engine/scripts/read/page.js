// The page as a whole: where it is scrolled to, whether it shows a text, and the storage of its origin.

import { textById } from './text.js';
import { isSecret } from '../accname/states.js';
import {
  clientHeightOf,
  clientWidthOf,
  matches,
  queryInDocument,
  readyStateOf,
  rootElementOf,
  scrollHeightOf,
  scrollingElementOf,
} from '../dom/accessors.js';
import { attr, exported, queryAllIn, shadowRootOf } from '../dom/dom.js';
import { idOf } from '../dom/node-table.js';
import { isVisible } from '../visibility/visible.js';

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
  /** Return a text in the form that is compared. */
  const foldForSearch = (text) => text.replace(/\s+/g, ' ');
  const words = foldForSearch(wanted);
  if (foldForSearch(textById(0)).includes(words)) return true;
  for (const field of fieldsIn(document))
    if (foldForSearch(displayedValueOf(field)).includes(words) && isVisible(field)) return true;
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

/** Return the text that a field shows of its value. */
export function displayedValueOf(field) {
  if (isSecret(field) || WORDLESS.has(field.type)) return '';
  return textById(idOf(field)) || attr(field, 'placeholder') || '';
}

/** A round trip: when it has come back, everything the page did before has been reported. */
exported.tick = () => readyStateOf(document);

// Local and session storage of a frame's origin, and the timing of its navigation.

/** {localStorage, sessionStorage}; null where the origin may not have any (about:blank, data:, sandboxed frames). */
exported.storage = () => {
  try {
    return { localStorage: itemsOf(localStorage), sessionStorage: itemsOf(sessionStorage) };
  } catch {
    return null;
  }
};

/** Return the items of a storage area as an object. */
function itemsOf(area) {
  const items = {};
  for (let index = 0; index < area.length; index++) items[area.key(index)] = area.getItem(area.key(index));
  return items;
}

/** Return the session storage if `session`, else the local storage. */
const storageArea = (session) => (session ? sessionStorage : localStorage);

/** Change a storage area by `change`. Return "" when that is done, else why not. */
function changeStorage(session, change) {
  try {
    return change(storageArea(session));
  } catch (error) {
    return error instanceof DOMException && error.name === 'QuotaExceededError'
      ? 'it is full'
      : 'this page may not have any';
  }
}

/** Set an item of the local or the session storage: "" when it holds the value now, else why not. */
exported.setItem = (session, key, value) =>
  changeStorage(session, (area) => {
    area.setItem(key, value);
    return area.getItem(key) === value ? '' : 'the page changed it at once';
  });

/** Remove an item, or all with `key` null: why not, and how many there were. */
exported.removeItems = (session, key) => {
  let count = 0;
  const problem = changeStorage(session, (area) => {
    count = key === null ? area.length : Number(area.getItem(key) !== null);
    if (key === null) area.clear();
    else area.removeItem(key);
    return '';
  });
  return { problem, count };
};

/**
 * Milliseconds of each phase of the navigation (W3C Navigation Timing 2); null for what has not happened yet.
 */
exported.navigationTiming = () => {
  const [timing] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
  if (!timing) return null;
  const missing = timing.loadEventEnd > 0 ? 0 : null; // a phase that a loaded page never had took no time
  /** Return the milliseconds from one time of the navigation to another; null while it has not happened. */
  const span = (from, to) => (to > 0 ? Math.max(Math.round(to - from), 0) : missing);
  return {
    dns: span(timing.domainLookupStart, timing.domainLookupEnd),
    tcp: span(timing.connectStart, timing.connectEnd),
    ssl: timing.secureConnectionStart > 0 ? span(timing.secureConnectionStart, timing.connectEnd) : 0,
    ttfb: span(timing.requestStart, timing.responseStart),
    download: span(timing.responseStart, timing.responseEnd),
    domParse: span(timing.responseStart, timing.domInteractive),
    domReady: span(timing.startTime, timing.domContentLoadedEventEnd),
    load: span(timing.startTime, timing.loadEventEnd),
  };
};
