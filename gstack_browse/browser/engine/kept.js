// Reads the storage of a document's origin, as JSON. No part of the engine: a document that is about to be left need not get all
// of that.
//
// {origin, items}: the session storage; an origin of "" may not have any. With `all` also {local, databases}: the local storage as
// Playwright writes it down, and how many databases there are (IndexedDB), where both can be told.
(async (all) => {
  /** @type {{ origin: string, items: Record<string, string | null> }} */
  const kept = { origin: '', items: {} };
  try {
    for (let index = 0; index < sessionStorage.length; index++) {
      const key = String(sessionStorage.key(index));
      kept.items[key] = sessionStorage.getItem(key);
    }
    kept.origin = location.origin;
    if (all) {
      const local = Object.keys(localStorage).map((name) => ({ name, value: localStorage.getItem(name) }));
      const databases = (await indexedDB.databases()).length;
      Object.assign(kept, { local, databases });
    }
  } catch {
    // this origin may not have any
  }
  return JSON.stringify(kept);
});
