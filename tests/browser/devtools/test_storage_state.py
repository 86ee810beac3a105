"""Test that what origins keep is read and written, whether a page shows them or not."""

from typing import Any

import pytest

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.browser import BrowserContext
from gstack_browse.browser.devtools.storage_state import StoredOrigins, read_origins, write_origins
from tests.browser.devtools.conftest import Chromium, evaluate

SHOP, NEWS = "https://shop.example", "http://news.example:8080"
HTML = "text/html", "<!doctype html><p>Page"
FILL = """new Promise((resolve, reject) => {
  localStorage.theme = 'dark \\u00fc \\ud800';
  const opening = indexedDB.open('all', 7);
  opening.onupgradeneeded = () => {
    const compound = opening.result.createObjectStore('compound', { keyPath: ['site', 'number'] });
    compound.createIndex('tags', 'tags', { unique: true, multiEntry: true });
    compound.createIndex('both', ['site', 'tags']);
    opening.result.createObjectStore('numbered', { autoIncrement: true });
    opening.result.createObjectStore('inline', { keyPath: 'id', autoIncrement: true });
    opening.result.createObjectStore('keyed');
  };
  opening.onsuccess = () => {
    const writing = opening.result.transaction(opening.result.objectStoreNames, 'readwrite');
    const into = (name) => writing.objectStore(name);
    into('compound').add({ site: 'a', number: 1, tags: ['x', 'y'] });
    into('compound').add({ site: 'a', number: 2, tags: ['z'] });
    into('numbered').add({ plain: [1, null, 'text', { deep: true }] });
    into('numbered').add(new Map([['when', new Date(5)], ['all', new Set([1n, undefined, NaN, -0])]]));
    into('inline').add({ bytes: new Uint8Array([0, 255]), floats: new Float64Array([0.5, -1]) });
    const shared = { name: 'shared' };
    shared.itself = shared;
    into('keyed').add([shared, shared, /a+/gi, new RangeError('far'), new Uint16Array([1, 515]).buffer], new Date(9));
    into('keyed').add('by bytes', new Uint8Array([1, 2]));
    writing.oncomplete = () => { opening.result.close(); resolve('filled'); };
    writing.onabort = () => reject(writing.error);
  };
})"""
LOOK = """new Promise((resolve) => {
  const opening = indexedDB.open('all');
  opening.onsuccess = () => {
    const stores = [...opening.result.objectStoreNames];
    const reading = opening.result.transaction(stores, 'readwrite');
    const of = (name) => reading.objectStore(name);
    const found = { version: opening.result.version, theme: localStorage.theme };
    const get = (name, request, show) => { request.onsuccess = () => { found[name] = show(request.result); }; };
    get('compound', of('compound').get(['a', 2]), (it) => it.tags);
    get('by tag', of('compound').index('tags').get('y'), (it) => it.number);
    const index = of('compound').index('tags');
    found.index = [index.unique, index.multiEntry, of('compound').index('both').keyPath];
    get('map', of('numbered').get(2), (it) =>
      [it.get('when').getTime(), [...it.get('all')].map(String), Object.is([...it.get('all')][3], 0)]);
    get('next', of('numbered').add('next'), (key) => key);
    get('inline', of('inline').get(1), (it) => [it.bytes.constructor.name, [...it.bytes], [...it.floats]]);
    get('keyed', of('keyed').get(new Date(9)), ([first, second, pattern, error, buffer]) =>
      [first === second && first.itself === first, String(pattern), String(error), [...new Uint16Array(buffer)]]);
    get('bytes', of('keyed').get(new Uint8Array([1, 2])), (it) => it);
    reading.oncomplete = () => { opening.result.close(); resolve(JSON.stringify(found)); };
  };
})"""


async def read(
    chromium: Chromium, context: BrowserContext, *origins: str, seconds: float = 20
) -> StoredOrigins:
    return await read_origins(chromium.opener(context), origins, seconds=seconds)


async def write(chromium: Chromium, context: BrowserContext, *origins: dict[str, Any]) -> None:
    await write_origins(chromium.opener(context), origins, seconds=20)


def origin_with(store: dict[str, Any]) -> dict[str, Any]:
    """Return the state of an origin that has a database with this store alone."""
    return {"origin": SHOP, "localStorage": [], "indexedDB": [{"name": "d", "version": 1, "stores": [store]}]}


async def test_databases_are_read_and_written_with_all_their_kinds_of_values(chromium: Chromium) -> None:
    chromium.pages[f"{SHOP}/"] = HTML
    first, second = await chromium.browser.new_context(), await chromium.browser.new_context()
    page = await chromium.open_page(first, f"{SHOP}/")
    assert await evaluate(page, FILL) == "filled"
    state = await read(chromium, first, SHOP)
    assert not state.missing
    await write(chromium, second, *state.origins)
    assert (await read(chromium, second, SHOP)).origins == state.origins
    other = await chromium.open_page(second, f"{SHOP}/")
    assert await evaluate(other, LOOK) == await evaluate(page, LOOK)
    [database] = state.origins[0]["indexedDB"]
    compound = next(store for store in database["stores"] if store["name"] == "compound")
    assert (database["version"], compound["keyPathArray"]) == (7, ["site", "number"])
    assert compound["records"][1] == {"value": {"site": "a", "number": 2, "tags": ["z"]}}


async def test_origins_without_a_page_are_reached_without_asking_their_servers(chromium: Chromium) -> None:
    context = await chromium.browser.new_context()
    given = [
        {"origin": origin, "localStorage": [{"name": "there", "value": origin}], "indexedDB": []}
        for origin in (NEWS, SHOP)
    ]
    await write(chromium, context, *given)
    assert (await read(chromium, context, SHOP, NEWS, "https://empty.example")).origins == given
    assert chromium.requested == []
    await write(chromium, context, {"origin": NEWS})
    assert (await read(chromium, context, SHOP, NEWS)).origins == given[1:]


async def test_origins_that_are_late_or_refused_are_told(chromium: Chromium) -> None:
    context = await chromium.browser.new_context()
    state = await read(chromium, context, SHOP, NEWS, seconds=0)
    assert (state.origins, state.missing) == ([], [f"storage of {NEWS}", f"storage of {SHOP}"])
    store = {"name": "s", "autoIncrement": True, "keyPath": "", "records": [], "indexes": []}
    with pytest.raises(ProtocolError, match=f"storage of {SHOP} was not set"):
        await write(chromium, context, origin_with(store))


async def test_state_that_playwright_wrote_is_written(chromium: Chromium) -> None:
    """A value as Playwright 1.5x encodes it, with kinds that it writes otherwise than we do."""
    encoded = {
        "o": [
            {"k": "list", "v": {"a": [1, {"v": "undefined"}, {"v": "null"}, {"v": "-Infinity"}], "id": 2}},
            {"k": "day", "v": {"d": "2020-01-02T03:04:05.000Z"}},
            {"k": "again", "v": {"ref": 2}},
            {"k": "url", "v": {"u": "https://a.example/"}},
            {"k": "big", "v": {"bi": "12345678901234567890"}},
            {"k": "bytes", "v": {"ta": {"b": "AQI=", "k": "i16"}}},
            {"k": "error", "v": {"e": {"n": "TypeError", "m": "no", "s": "TypeError: no"}}},
        ],
        "id": 1,
    }
    record = {"key": "k", "valueEncoded": encoded}
    context = await chromium.browser.new_context()
    await write(
        chromium,
        context,
        origin_with({"name": "s", "autoIncrement": False, "records": [record], "indexes": []}),
    )
    chromium.pages[f"{SHOP}/"] = HTML
    page = await chromium.open_page(context, f"{SHOP}/")
    found = """(it) => [it.list.map(String).join(), it.day.toISOString(), it.again === it.list, it.url, String(it.big),
      it.bytes.constructor.name + it.bytes[0], String(it.error)]"""
    opened = "indexedDB.open('d').onsuccess = ({ target }) => target.result.transaction('s').objectStore('s').get('k')"
    asked = (
        f"new Promise((done) => {{ {opened}.onsuccess = ({{ target }}) => done(({found})(target.result)) }})"
    )
    assert await evaluate(page, asked) == [
        "1,undefined,null,-Infinity", "2020-01-02T03:04:05.000Z", True, "https://a.example/", "12345678901234567890",
        "Int16Array513", "TypeError: no",
    ]  # fmt: skip
