// The page as a whole: its scroll position, whether it shows a text, the storage of its origin, and the timing of its navigation.

import { isSecret } from '../accname/states.js';
import {
  clientHeightOf,
  clientWidthOf,
  matches,
  rootElementOf,
  scrollHeightOf,
  scrollingElementOf,
} from '../dom/accessors.js';
import { attr, elementsBelow, exported } from '../dom/dom.js';
import { idOf } from '../dom/node-table.js';
import { isVisible } from '../layout/visible.js';
import { readVisibleText } from './text.js';

/**
 * Scroll the page, or the pane that fills it. `direction`: "up" or "down" by `pixels` (0: by nine tenths of the visible height), "top",
 * "bottom". Return { moved, top, end }: by how many pixels it has moved, its scroll position, and the largest possible one.
 */
exported.scrollPage = (direction, pixels) => {
  const area = findScrollArea();
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
 * Return the element to scroll for the page: the document's root, or if that cannot scroll the largest scroll container (an application's
 * own pane); null without a root.
 * @returns {Element | null}
 */
function findScrollArea() {
  const root = scrollingElementOf(document) || rootElementOf(document);
  if (!root || scrollHeightOf(root) > clientHeightOf(root) + 1) return root;
  let best = root;
  let bestArea = 0;
  for (const element of elementsBelow(document)) {
    if (scrollHeightOf(element) <= clientHeightOf(element) + 1 || clientHeightOf(element) < 50) continue;
    if (!/auto|scroll/.test(getComputedStyle(element).overflowY)) continue;
    const area = clientWidthOf(element) * clientHeightOf(element);
    if (area > bestArea) [best, bestArea] = [element, area];
  }
  return best;
}

/**
 * Return the pane that scrolls in place of the page, as [id, its height, that of its content]; null for none. A pane that covers less than
 * half of the window counts as a part of the page.
 */
exported.findPagePane = () => {
  const pane = findScrollArea();
  if (!pane || pane === scrollingElementOf(document) || pane === rootElementOf(document)) return null;
  const [shown, whole] = [clientHeightOf(pane), scrollHeightOf(pane)];
  if (clientWidthOf(pane) * shown * 2 < innerWidth * innerHeight) return null;
  return [idOf(pane), shown, whole];
};

/**
 * Return "page" if the displayed text of the page contains `wanted`, "field" if only the displayed value of a field does, else "". Each run
 * of white space counts as one blank.
 */
exported.locateText = (wanted) => {
  /** Return whether a text contains `wanted`. */
  const isMatch = (text) => text.replace(/\s+/g, ' ').includes(wanted.replace(/\s+/g, ' '));
  if (isMatch(readVisibleText(0))) return 'page';
  for (const field of fieldsIn(document)) if (isMatch(displayedValueOf(field)) && isVisible(field)) return 'field';
  return '';
};

/** Yield the form fields below a document, shadow root or element, those in shadow trees included. */
export function* fieldsIn(root) {
  for (const element of elementsBelow(root)) if (matches(element, 'input,textarea,select')) yield element;
}

// Types of input that do not display their value as text.
const TYPES_WITHOUT_TEXT = new Set(['checkbox', 'color', 'file', 'hidden', 'image', 'password', 'radio', 'range']);

/** Return the text that a field displays: its value or placeholder; "" for a secret, and for a type without text, such as a checkbox. */
export function displayedValueOf(field) {
  if (isSecret(field) || TYPES_WITHOUT_TEXT.has(field.type)) return '';
  return readVisibleText(idOf(field)) || attr(field, 'placeholder') || '';
}

/** Return null. Python calls this to wait until all earlier events of the page have been reported: they come before the answer. */
exported.completeRoundTrip = () => null;

/** Return { localStorage, sessionStorage } as objects; null if the origin has none (about:blank, data:, sandboxed frames). */
exported.readStorage = () => {
  try {
    return { localStorage: itemsOf(localStorage), sessionStorage: itemsOf(sessionStorage) };
  } catch {
    return null;
  }
};

/** Return the items of a web storage area as an object, key → value. */
function itemsOf(area) {
  const keys = Array.from({ length: area.length }, (_, index) => area.key(index));
  return Object.fromEntries(keys.map((key) => [key, area.getItem(key)]));
}

/**
 * Call `change` with the session storage if `session` is true, else with the local storage. Return its result ("" for done), or why it
 * failed.
 */
function changeStorage(session, change) {
  try {
    return change(session ? sessionStorage : localStorage);
  } catch (error) {
    return error instanceof DOMException && error.name === 'QuotaExceededError'
      ? 'it is full'
      : 'this page may not have any';
  }
}

/** Set an item of the session storage if `session` is true, else of the local storage. Return "", or why it failed. */
exported.setStorageItem = (session, key, value) =>
  changeStorage(session, (area) => {
    area.setItem(key, value);
    return area.getItem(key) === value ? '' : 'the page changed it at once';
  });

/**
 * Remove the item `key`, or all items if it is null, from the session storage if `session` is true, else from the local storage. Return {
 * problem ("" for none), count: of removed items }.
 */
exported.removeStorageItems = (session, key) => {
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
 * Return the milliseconds of each phase of the page's navigation (W3C Navigation Timing 2), by name, null for a phase that has not ended;
 * null if the page has no such entry.
 */
exported.readNavigationTiming = () => {
  const [timing] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
  if (!timing) return null;
  const missing = timing.loadEventEnd > 0 ? 0 : null; // a loaded page skipped the phase
  /** Return the milliseconds between two times of the navigation; `missing` (0 or null) if the second has not come. */
  const millisecondsBetween = (from, to) => (to > 0 ? Math.max(Math.round(to - from), 0) : missing);
  return {
    dns: millisecondsBetween(timing.domainLookupStart, timing.domainLookupEnd),
    tcp: millisecondsBetween(timing.connectStart, timing.connectEnd),
    ssl: timing.secureConnectionStart > 0 ? millisecondsBetween(timing.secureConnectionStart, timing.connectEnd) : 0,
    ttfb: millisecondsBetween(timing.requestStart, timing.responseStart),
    download: millisecondsBetween(timing.responseStart, timing.responseEnd),
    domParse: millisecondsBetween(timing.responseStart, timing.domInteractive),
    domReady: millisecondsBetween(timing.startTime, timing.domContentLoadedEventEnd),
    load: millisecondsBetween(timing.startTime, timing.loadEventEnd),
  };
};
