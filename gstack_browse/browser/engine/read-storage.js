// Reads the storage of a document's origin, as JSON. Not part of the engine, which a document that is about to be left need not get.
//
// { origin, items }: the session storage; `origin` is "" if it has none. With `all` also { local, databases }: the local storage in the
// form of Playwright, and the number of databases (IndexedDB), if both can be read.
(async (all) => {
  /** @type {{ origin: string, items: Record<string, string | null> }} */
  const stored = { origin: '', items: {} };
  try {
    for (let index = 0; index < sessionStorage.length; index++) {
      const key = String(sessionStorage.key(index));
      stored.items[key] = sessionStorage.getItem(key);
    }
    stored.origin = location.origin;
    if (all) {
      const local = Object.keys(localStorage).map((name) => ({ name, value: localStorage.getItem(name) }));
      const databases = (await indexedDB.databases()).length;
      Object.assign(stored, { local, databases });
    }
  } catch {
    // an origin without storage
  }
  return JSON.stringify(stored);
});
