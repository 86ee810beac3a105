// Reads the storage of a document's origin, as JSON. Not part of the engine, which a document that is about to be left need not get.
//
// { origin, items }: the session storage; `origin` is "" if it has none. With `all` also { local, databases }: the local storage in the
// form of Playwright, and the number of databases (IndexedDB), if both can be read.
(async (all) => {
  /** @type {{ origin: string, items: Record<string, string | null> }} */
  const stored = { origin: '', items: {} };
  /** Return [name, value] of each item of a storage area. `Object.keys` lists none with the name of a method, such as "key". */
  const itemsOf = (area) => {
    const names = Array.from({ length: area.length }, (_, index) => area.key(index));
    return names.map((name) => [name, area.getItem(name)]);
  };
  try {
    stored.items = Object.fromEntries(itemsOf(sessionStorage));
    stored.origin = location.origin;
    if (all) {
      const local = itemsOf(localStorage).map(([name, value]) => ({ name, value }));
      const databases = (await indexedDB.databases()).length;
      Object.assign(stored, { local, databases });
    }
  } catch {
    // an origin without storage
  }
  return JSON.stringify(stored);
});
