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
