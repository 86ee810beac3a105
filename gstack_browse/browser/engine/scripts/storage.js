// Local and session storage of a frame's origin, and the timing of its navigation.

import { exported } from './engine-dom.js';

{
  /** {localStorage, sessionStorage}; null where the origin may not have any (about:blank, data:, sandboxed frames). */
  exported.storage = () => {
    try {
      return { localStorage: itemsOf(localStorage), sessionStorage: itemsOf(sessionStorage) };
    } catch {
      return null;
    }
  };

  function itemsOf(area) {
    const items = {};
    for (let index = 0; index < area.length; index++) items[area.key(index)] = area.getItem(area.key(index));
    return items;
  }

  const areaOf = (session) => (session ? sessionStorage : localStorage);

  /** Do something to an area: "" when that is done, else why not. */
  function changed(session, change) {
    try {
      return change(areaOf(session));
    } catch (error) {
      return error instanceof DOMException && error.name === 'QuotaExceededError'
        ? 'it is full'
        : 'this page may not have any';
    }
  }

  /** Set an item of the local or the session storage: "" when it holds the value now, else why not. */
  exported.setItem = (session, key, value) =>
    changed(session, (area) => {
      area.setItem(key, value);
      return area.getItem(key) === value ? '' : 'the page changed it at once';
    });

  /** Remove an item, or all with `key` null: why not, and how many there were. */
  exported.removeItems = (session, key) => {
    let count = 0;
    const problem = changed(session, (area) => {
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
}
