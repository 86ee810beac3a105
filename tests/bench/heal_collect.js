// Describes elements of a page before and after a rule of heal_mutations.js, by the engine: for `heal.py`.
globalThis.healCollect = (rule, most) => {
  const OPERABLE = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[role=tab],[role=checkbox]';
  const invoke = (name, ...args) => JSON.parse(__gbrowse.invoke(name, args).slice(2));
  const ofNode = (node) => __gbrowse.nodeFor(node);
  let seed = 12345;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const shown = [...document.querySelectorAll(OPERABLE)].filter((element) => element.checkVisibility({ visibilityProperty: true }));
  for (let last = shown.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [shown[last], shown[other]] = [shown[other], shown[last]];
  }
  const marked = shown.slice(0, most);
  const meant = marked.map((element, place) => {
    element.dataset.truth = String(place);
    const id = __gbrowse.idOf(element);
    return { ...invoke('identifyElement', id, true), ...invoke('completeIdentity', id) };
  });
  const gone = new Set(healRules[rule](marked, random));
  const groups = {};
  const cases = meant.map((told, place) => {
    const group = `${told.tag} ${told.role}`;
    groups[group] ??= invoke('identifyCandidates', told.tag, told.role).map((each) => ({
      ...each,
      truth: ofNode(each.node)?.dataset?.truth ?? '',
    }));
    let matches = [];
    try {
      matches = invoke('identifyMatches', told.selector).map((each) => ({ ...each, truth: ofNode(each.node)?.dataset?.truth ?? '' }));
    } catch {
      // a selector that the page no longer has an answer to
    }
    return { meant: told, group, matches, truth: gone.has(marked[place]) || !marked[place].isConnected ? '' : String(place) };
  });
  return JSON.stringify({ cases, groups });
};
