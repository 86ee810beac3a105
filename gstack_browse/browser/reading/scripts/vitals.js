/**
 * Return web-vitals' measurements of the page, with the `most` longest frames. The first call starts to observe; later events are in
 * later answers.
 */
export async function pageVitals({ most }) {
  /** @type {any} */
  const world = globalThis;
  const { webVitals, __gbrowse: engine } = world;

  /** Start to collect metrics, animation frames and long tasks. */
  function observe() {
    const observed = { metrics: {}, frames: [], tasks: [] };
    const options = { reportAllChanges: true };
    for (const name of ['LCP', 'CLS', 'INP', 'FCP', 'TTFB'])
      webVitals[`on${name}`]((metric) => observed.metrics[name] = metric, options);
    for (
      const [type, kept]
        of /** @type {[string, any[]][]} */ ([['long-animation-frame', observed.frames], ['longtask', observed.tasks]])
    ) {
      new PerformanceObserver((list) => {
        kept.push(...list.getEntries());
        kept.splice(0, kept.length - 1000);
      }).observe({ type, buffered: true });
    }
    return observed;
  }

  /** Buffered entries come in the order of the observers, to ours last; web-vitals evaluates some when the page is idle. */
  const bufferedEntries = () =>
    new Promise((done) => {
      new PerformanceObserver(done).observe({ type: 'navigation', buffered: true });
      setTimeout(done, 1000);
    });
  /**
   * Wait until a frame was displayed: only then Chromium counts a paint, and an interaction. A page that is not drawn has no frames: stop
   * after 500 ms.
   */
  const frameDisplayed = () =>
    new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
      setTimeout(done, 500);
    });
  /** Wait until the page is idle, 500 ms at most. */
  const idle = () => new Promise((done) => requestIdleCallback(done, { timeout: 500 }));

  await frameDisplayed();
  const isNew = !Object.hasOwn(world, '__gbrowseVitals'); // an element's name is a property, too, but not an own one
  if (isNew) world.__gbrowseVitals = observe();
  if (isNew) await bufferedEntries();
  await idle();
  const { metrics, frames, tasks } = world.__gbrowseVitals;

  /** Return the id of an element that is in the page; 0 for any other. */
  const connectedNodeId = (node) => node instanceof Element && node.isConnected ? engine.idOf(node) : 0;
  /** Return those properties of an object, rounded. */
  const rounded = (object, names) => Object.fromEntries(names.map((name) => [name, Math.round(object[name] ?? 0)]));
  /** Return value and rating of a metric. */
  const valueAndRating = ({ value, rating }) => ({ value, rating });

  /** Describe the largest contentful paint: its element, and the parts of its time. */
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

  /** Describe the layout shifts, with the elements that moved most. */
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

  /** Describe the slowest interaction: its element, and the parts of its time. */
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

  /** Describe a script that ran in a long frame. */
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
