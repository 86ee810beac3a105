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
