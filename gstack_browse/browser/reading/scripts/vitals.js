/**
 * Return the page's Web Vitals by the library web-vitals, its long tasks, and the `most` longest animation frames. The first call in a
 * document begins to observe them (`isNew`).
 */
export async function readVitals({ most }) {
  const webVitals = globalThis.webVitals, engine = globalThis.__gbrowse;

  /** Return an array that gets all performance entries of a type, past and future ones; the last 1000 are kept. */
  function collectEntries(type) {
    const entries = [];
    new PerformanceObserver((list) => {
      entries.push(...list.getEntries());
      entries.splice(0, entries.length - 1000);
    }).observe({ type, buffered: true });
    return entries;
  }

  /** Start to collect metrics, animation frames and long tasks. Return the object that gets them. */
  function observe() {
    const metrics = {}, options = { reportAllChanges: true };
    for (const name of ['LCP', 'CLS', 'INP', 'FCP', 'TTFB'])
      webVitals[`on${name}`]((metric) => metrics[name] = metric, options);
    return { metrics, frames: collectEntries('long-animation-frame'), tasks: collectEntries('longtask') };
  }

  /**
   * Wait until performance entries from before were delivered, at most 1 s. Observers get them in order: web-vitals has its own by then.
   */
  const waitForBufferedEntries = () =>
    new Promise((done) => {
      new PerformanceObserver(done).observe({ type: 'navigation', buffered: true });
      setTimeout(done, 1000);
    });
  /**
   * Wait until a frame was displayed, at most 500 ms: only then Chromium records a paint or interaction. A page that is not shown draws
   * none.
   */
  const waitForFrame = () =>
    new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
      setTimeout(done, 500);
    });
  /** Wait until the page is idle, at most 500 ms: web-vitals evaluates some entries then. */
  const waitUntilIdle = () => new Promise((done) => requestIdleCallback(done, { timeout: 500 }));

  await waitForFrame();
  const isNew = !Object.hasOwn(globalThis, '__gbrowseVitals'); // an element of that name is a property, too, but no own one
  if (isNew) globalThis.__gbrowseVitals = observe();
  if (isNew) await waitForBufferedEntries();
  await waitUntilIdle();
  const { metrics, frames, tasks } = globalThis.__gbrowseVitals;

  /** Return the node id of an element that is in the page; 0 for anything else. */
  const connectedNodeId = (node) => node instanceof Element && node.isConnected ? engine.idOf(node) : 0;
  /** Return an object with the properties `names` of another, rounded to integers; 0 for a missing one. */
  const rounded = (object, names) => Object.fromEntries(names.map((name) => [name, Math.round(object[name] ?? 0)]));
  /** Return only value and rating of a metric of web-vitals. */
  const valueAndRating = ({ value, rating }) => ({ value, rating });

  /**
   * Describe the largest contentful paint: value (ms) and rating, its element (`node`: node id, 0 for none; `tag`; `url`), and the parts of
   * its time in ms.
   */
  function describeLcp(metric) {
    const { attribution } = metric;
    const element = attribution.lcpEntry?.element ?? metric.entries.at(-1)?.element;
    return {
      ...valueAndRating(metric),
      node: connectedNodeId(element),
      tag: element ? element.localName : '',
      url: String(attribution.url ?? '').slice(0, 2000),
      ...rounded(attribution, ['timeToFirstByte', 'resourceLoadDelay', 'resourceLoadDuration', 'elementRenderDelay']),
    };
  }

  /**
   * Describe the layout shifts: value (a score) and rating, their `count`, and the `most` elements that moved most as [{ node: node id,
   * value: sum of their scores, at: ms }].
   */
  function describeCls(metric) {
    const moved = new Map();
    for (const { value, startTime, sources } of metric.entries) {
      for (const { node } of sources ?? []) {
        const element = node instanceof Element ? node : node?.parentElement;
        if (!element?.isConnected) continue;
        const [sum, at] = moved.get(element) ?? [0, startTime];
        moved.set(element, [sum + value, at]);
      }
    }
    const largestFirst = [...moved].sort(([, [one]], [, [other]]) => other - one);
    return {
      ...valueAndRating(metric),
      count: metric.entries.length,
      moved: largestFirst.slice(0, most).map(([element, [value, at]]) => ({
        node: connectedNodeId(element),
        value,
        at: Math.round(at),
      })),
    };
  }

  /**
   * Describe the slowest interaction: value (ms) and rating, its element (`node`: node id, 0 for none), its `kind`, and the parts of its
   * time in ms.
   */
  function describeInp(metric) {
    const { attribution } = metric;
    const target = metric.entries.map((entry) => entry.target).find((node) => node?.isConnected);
    return {
      ...valueAndRating(metric),
      node: connectedNodeId(target),
      kind: String(attribution.interactionType ?? ''),
      ...rounded(attribution, ['inputDelay', 'processingDuration', 'presentationDelay']),
    };
  }

  /** Describe a script that ran in a long animation frame: URL, name of its function, duration in ms. */
  const describeScript = ({ sourceURL, sourceFunctionName, invoker, duration }) => ({
    url: String(sourceURL ?? '').slice(0, 2000),
    name: String(sourceFunctionName || invoker || '').slice(0, 200),
    duration: Math.round(duration),
  });
  const longest = [...frames].sort((one, other) => other.duration - one.duration).slice(0, most);

  return {
    LCP: metrics.LCP ? describeLcp(metrics.LCP) : null,
    CLS: metrics.CLS ? describeCls(metrics.CLS) : null,
    INP: metrics.INP ? describeInp(metrics.INP) : null,
    FCP: metrics.FCP ? valueAndRating(metrics.FCP) : null,
    TTFB: metrics.TTFB
      ? {
        ...valueAndRating(metrics.TTFB),
        ...rounded(metrics.TTFB.attribution, [
          'waitingDuration',
          'dnsDuration',
          'connectionDuration',
          'requestDuration',
        ]),
      }
      : null,
    tasks: {
      count: tasks.length,
      blocked: Math.round(tasks.reduce((sum, { duration }) => sum + Math.max(duration - 50, 0), 0)),
      longest: Math.round(Math.max(0, ...tasks.map(({ duration }) => duration))),
    },
    frames: longest.map(({ startTime, duration, scripts }) => ({
      at: Math.round(startTime),
      duration: Math.round(duration),
      scripts: [...scripts ?? []].sort((one, other) => other.duration - one.duration).slice(0, 3).map(describeScript),
    })),
    isLoaded: Reflect.get(Document.prototype, 'readyState', document) === 'complete',
    isNew,
  };
}
