// Runs axe-core in one frame, in the engine's world: the page cannot see it, and its content security policy does not hold there.
// The result stays for `finishAudit` in the frame where the audit began; other frames return theirs.
export async function auditFrame({ number, node, context, options }) {
  /** @type {any} */
  const world = globalThis;
  const { axe, __gbrowse: engine } = world;

  // axe enters shadow trees by `shadowRoot`. While it runs, closed ones have that property in this world, too.
  const opened = [];
  function openClosedRoots() {
    for (const root of engine.treeRoots()) {
      const { host } = root;
      if (!host || root.mode !== 'closed' || Object.hasOwn(host, 'shadowRoot')) continue;
      Object.defineProperty(host, 'shadowRoot', { value: root, configurable: true });
      opened.push(host);
    }
  }

  // Clear the state of an audit that was cut off.
  function reset() {
    axe.teardown();
    axe._running = false;
  }

  // axe returns the whole markup of a short element, which may have a secret in it; of a long one only the opening tag.
  const describe = (element, source) => ({
    where: [number, engine.idOf(element)],
    source: source?.includes('</') ? engine.maskedMarkup(element) : source,
  });

  const within = node ? engine.nodeFor(node) : context ?? document;
  if (!within) return null;
  openClosedRoots();
  reset();
  try {
    // Add the elements' ids to axe's results.
    axe.utils.nodeSerializer.update({
      toSpec: (one) => ({ ...one.toJSON(), ...one.element && describe(one.element, one.source) }),
    });
    const contexts = axe.utils.getFrameContexts(within, options);
    const partial = await engine.withTimers(() => axe.runPartial(within, options));
    const frames = partial.frames.map((frame, index) => [frame.where?.[1] ?? 0, contexts[index]?.frameContext ?? null]);
    if (number > 0) return { frames, partial: JSON.stringify(partial) };
    world.__gbrowseAudit = partial;
    return { frames };
  } finally {
    for (const host of opened) delete host.shadowRoot;
  }
}

// Merges axe-core's results of all frames: in the frame where the audit began, in the engine's world.
export async function finishAudit({ partials, options, most }) {
  /** @type {any} */
  const world = globalThis;
  const { axe, __gbrowse: engine, __gbrowseAudit: first } = world;
  delete world.__gbrowseAudit;
  const found = [first, ...partials.map((text) => text && JSON.parse(text))];
  const results = await engine.withTimers(() => axe.finishRun(found, { ...options, reporter: 'raw' }));
  let left = most;

  // Values of fields are masked: they may be passwords.
  const masked = (text) =>
    text.replace(/(<input\b(?:[^>"]|"[^"]*")*?\svalue=")[^"]*/gi, '$1…')
      .replace(/(\[value\W{0,2}=")(?:[^"\\]|\\.)*/g, '$1…');
  const maskedAll = (path) => Array.isArray(path) ? path.map(maskedAll) : masked(String(path).slice(0, 1000));

  function element({ node, any, all, none, impact }) {
    return {
      where: node.where ?? null,
      html: masked(String(node.source ?? '')).slice(0, 300),
      target: maskedAll(node.selector),
      impact,
      checks: [...none, ...all].map(check),
      anyOf: any.map(check),
    };
  }

  const check = ({ id, message, data }) => ({
    id,
    message: String(message ?? '').slice(0, 1000),
    contrast: data?.contrastRatio ?? null,
    needed: data?.expectedContrastRatio ?? null,
  });

  function report(kind) {
    return results.filter((rule) => rule[kind].length).map((rule) => {
      const shown = rule[kind].slice(0, Math.max(left, 0));
      left -= shown.length;
      const { id, impact, help, helpUrl, tags } = rule;
      return { id, impact, help, helpUrl, tags, count: rule[kind].length, elements: shown.map(element) };
    });
  }

  return {
    violations: report('violations'),
    incomplete: report('incomplete'),
    passed: results.filter((rule) => rule.passes.length && !rule.violations.length && !rule.incomplete.length).length,
    version: axe.version,
  };
}
