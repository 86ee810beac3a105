// Runs axe-core in one frame, in the engine's world: the page cannot see it, and its content security policy does not hold there.
// What is found waits for `finishAudit` in the frame where the audit began; from other frames it is answered.
async function auditFrame({ number, node, context, options }) {
  /** @type {any} */
  const world = globalThis;
  const { axe, __gbrowse: engine } = world;

  // axe goes into the shadow trees that elements tell of. In this world closed ones are told of, too, while it runs.
  const opened = [];
  function openClosedRoots() {
    for (const root of engine.treeRoots()) {
      const { host } = root;
      if (!host || root.mode !== 'closed' || Object.hasOwn(host, 'shadowRoot')) continue;
      Object.defineProperty(host, 'shadowRoot', { value: root, configurable: true });
      opened.push(host);
    }
  }

  // An audit that was cut off has left its state behind.
  function reset() {
    axe.teardown();
    axe._running = false;
  }

  // Of a short element axe gives the whole markup, which may have a secret in it; of a long one only the opening tag.
  const told = (element, source) => ({
    where: [number, engine.idOf(element)],
    source: source?.includes('</') ? engine.maskedMarkup(element) : source,
  });

  const within = node ? engine.nodeFor(node) : context ?? document;
  if (!within) return null;
  openClosedRoots();
  reset();
  try {
    // The ids of the elements go along with what axe says of them.
    axe.utils.nodeSerializer.update({
      toSpec: (one) => ({ ...one.toJSON(), ...one.element && told(one.element, one.source) }),
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

export { auditFrame };
