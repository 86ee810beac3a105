import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.state.cookie_jar import MOST_AT_ONCE
from gstack_browse.browser.transfer import state_file
from gstack_browse.browser.transfer.state_file import SavedState
from gstack_browse.errors import ActionFailed, FileFailed, Refused, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.playwright_browser import playwright_browser

if TYPE_CHECKING:
    from playwright.async_api import Browser

KEEP = """new Promise((done, failed) => {
  const opening = indexedDB.open('shop', 3);
  opening.onupgradeneeded = () => opening.result.createObjectStore('cart', {keyPath: 'id'}).createIndex('by', 'name');
  opening.onsuccess = () => {
    const writing = opening.result.transaction('cart', 'readwrite');
    writing.objectStore('cart').put({id: 1, name: 'pear', when: new Date(0)});
    writing.oncomplete = () => { opening.result.close(); done('kept'); };
  };
  opening.onerror = () => failed(opening.error);
})"""
KEEP_FILE = """new Promise(done => {
  const opening = indexedDB.open('files');
  opening.onupgradeneeded = () => opening.result.createObjectStore('s').add(new Blob(['x']), 1);
  opening.onsuccess = () => { opening.result.close(); done('kept'); };
})"""
LOOK = """new Promise((done, failed) => {
  const opening = indexedDB.open('shop');
  opening.onsuccess = () => {
    const asking = opening.result.transaction('cart').objectStore('cart').get(1);
    asking.onsuccess = () => { opening.result.close(); done(JSON.stringify([asking.result, opening.result.version])); };
  };
  opening.onerror = () => failed(opening.error);
})"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def theirs() -> "AsyncIterator[Browser]":
    """Start a browser of Playwright's, for all tests of this file."""
    async with playwright_browser() as browser:
        yield browser


async def context_ids(running: RunningBrowser) -> list[str]:
    told = await running.connection.ask_browser("Target.getBrowserContexts")
    return list(told["browserContextIds"])


async def until_contexts(running: RunningBrowser, count: int) -> None:
    """Wait until Chromium has that many browser contexts."""
    async with asyncio.timeout(60):
        while len(await context_ids(running)) != count:
            pass


async def test_loaded_state_replaces_the_present_one(run: Run, shell: Shell, visit: Show, web: Web) -> None:
    await run("cookie-set session ann --domain 127.0.0.1 --http-only")
    await visit("welcome")
    await run("storage-set theme dark")
    await run("storage-set step 2 --session")
    await run("storage-set key 3")
    await run("storage-set __proto__ 4")
    await run("storage-set __proto__ 5 --session")
    assert await run("js", KEEP) == "kept"
    await run("newtab", f"{web.other}/plain.html")
    await run("storage-set there yes")
    await run("tab 1")
    file = shell.workspace / "s.json"
    assert await run("state-save s.json") == f"State saved: {file} (1 cookie, 2 origins, 2 tabs)"
    assert file.stat().st_mode & 0o777 == 0o600

    await run("cookie-set session bob")
    await run("cookie-set other x")
    await run("storage-clear")
    await run("storage-set theme light")
    await visit("form.html")
    await run("newtab")
    loaded = f"State loaded: {file} (1 cookie, 2 origins, 2 tabs)"
    assert await run("state-load s.json") == f"{loaded}\n→ in the place of all cookies and storage there were"
    assert (await run("tabs")).count("\n") == 1
    assert "Hello ann" in await run("text")
    stored = {
        "localStorage": {"theme": "dark", "key": "3", "__proto__": "4"},
        "sessionStorage": {"step": "2", "__proto__": "5"},
    }
    assert json.loads(await run("storage")) == stored
    found, version = json.loads(await run("js", LOOK))
    assert (found["name"], found["when"], version) == ("pear", "1970-01-01T00:00:00.000Z", 3)
    assert json.loads(await run("cookies"))[0]["name"] == "session"
    assert json.loads(await run("storage", tab=2))["localStorage"] == {"there": "yes"}


async def test_load_brings_halves_of_characters_back_and_makes_refs_stale(
    run: Run, shell: Shell, visit: Show
) -> None:
    """Keep halves, which JavaScript's strings may hold."""
    await visit("form.html")
    await run("js", "localStorage['\\ud801'] = sessionStorage.half = '\\ud800'; 1")
    before = await run("snapshot -i")
    await run("state-save s.json")
    await run("storage-clear")
    await run("state-load s.json")
    codes = "[Object.keys(localStorage)[0], localStorage['\\ud801'], sessionStorage.half].map((text) => text.charCodeAt(0)).join()"
    assert await run("js", codes) == "55297,55296,55296"
    assert (await shell.send("click @e1")).code == 5
    refs = {word for word in (await run("snapshot -i")).split() if word.startswith("@e")}
    assert not refs & set(before.split())


async def test_parts_of_a_state_that_cannot_be_loaded_are_told(run: Run, shell: Shell, web: Web) -> None:
    good = {"name": "good", "value": "1", "domain": "127.0.0.1", "path": "/"}
    old = [good | {"name": "old", "expires": time.time() - 5}, good | {"name": "older", "expires": 1}]
    items = [{"name": "a", "value": "b"}]
    origins = [("file:///etc", items), (web.url, [*items, {"name": 7, "value": "c"}])]
    urls = ("file:///etc/passwd", f"{web.url}/plain.html", "javascript:1")
    mixed = {
        "cookies": [good, *old, good | {"name": "a;b"}],
        "origins": [{"origin": origin, "localStorage": stored} for origin, stored in origins],
        "gbrowse": {"tabs": [*({"url": url} for url in urls), 7]},
    }
    (shell.workspace / "mixed.json").write_text(json.dumps(mixed))
    said = await run("state-load mixed.json")
    assert said.splitlines()[0].endswith("(1 cookie, 1 origin, 1 tab)")
    for line in (
        "file:///etc/passwd",
        "→ 2 cookies expired, left out",
        "→ 1 cookie rejected by Chromium, left out",
        "→ 1 origin without a valid address, left out",
        "→ 1 item malformed, left out",
        "→ 2 tabs without an address to open, left out",
    ):
        assert line in said
    assert await run("url") == f"{web.url}/plain.html"
    assert await run("js localStorage.a") == "b"


async def test_malformed_state_file_changes_nothing(run: Run, fails: Fails, shell: Shell, visit: Show) -> None:
    await visit("plain.html")
    await run("cookie-set a 1")
    bad = shell.workspace / "bad.json"
    for content, hint in (("[]", "cookie-import"), ("{}", "state-save"), ("no", ""), ('{"cookies": 7}', "")):
        bad.write_text(content)
        assert hint in (await fails("state-load bad.json", UsageError)).hint
    store = {"name": "s", "autoIncrement": False, "records": [{"value": 1}], "indexes": []}
    twice = {"name": "db", "version": 1, "stores": [store, store]}
    bad.write_text(json.dumps({"origins": [{"origin": "http://x.example", "indexedDB": [twice]}]}))
    assert "did not take" in (await fails("state-load bad.json", ActionFailed)).message
    await fails("state-load nothing.json", FileFailed)
    await fails("state-load /etc/hostname", Refused)
    os.symlink("/etc/hostname", shell.workspace / "link.json")
    await fails("state-save link.json", Refused)
    assert json.loads(await run("cookies"))[0]["name"] == "a"
    assert "plain.html" in await run("url")


async def test_the_last_of_two_that_are_the_same_cookie_holds_beside_one_that_is_refused(
    run: Run, shell: Shell
) -> None:
    at = {"domain": "a.example", "path": "/", "value": "first"}
    others = [{**at, "name": f"n{number}"} for number in range(3 * MOST_AT_ONCE)]
    own = {**at, "name": "own", "secure": True, "sameSite": "None", "partitionKey": "https://b.example"}
    refused = {**at, "name": "bad\nname"}
    await run("cookie-set before 1 --domain a.example")
    jar = shell.browser.current.jar
    await jar.set_cookies(
        [{**at, "name": "twice"}, refused, *others, own, {**at, "name": "twice", "value": "last"}]
    )
    there = await jar.cookies()
    held = {cookie["name"]: cookie["value"] for cookie in there}
    assert held == {"before": "1", "twice": "last", **{cookie["name"]: "first" for cookie in (*others, own)}}
    other = {**there[0], "value": "other"}
    assert await jar.find_missing([other, *there[1:]]) == [other]
    await run("state-save many.json")
    assert f"({len(there)} cookies," in await run("state-load many.json")
    assert await shell.browser.current.jar.cookies() == there


def cookie_file(shell: Shell, **cookies: str) -> None:
    """`cookies.json` in the workspace: a state of these cookies for the test's server, and no tabs."""
    entries = [{"name": name, "value": value, "domain": "127.0.0.1"} for name, value in cookies.items()]
    (shell.workspace / "cookies.json").write_text(json.dumps({"cookies": entries, "origins": []}))


async def test_open_pages_load_again_behind_the_answer(run: Run, shell: Shell, web: Web) -> None:
    gate, reached = web.gate("again"), web.reached["again"]
    gate.set()
    await run("goto", f"{web.url}/gate/again")
    await run("newtab", f"{web.url}/welcome")
    await run("storage-set step 2 --session")
    await run("newtab", f"{web.url}/plain.html")
    contexts = len(await context_ids(shell.browser.running))
    cookie_file(shell, session="bob")
    gate.clear()
    reached.clear()
    assert "(1 cookie, 0 origins, 0 tabs)" in await run("state-load cookies.json")
    assert [tab.id for tab in shell.browser.tabs] == [1, 2, 3]
    assert shell.browser.tabs.active == 3
    await run("closetab 3")
    assert await asyncio.to_thread(reached.wait, 60), "it asks its server again"
    reading = asyncio.ensure_future(run("text", tab=1))
    assert "Hello bob" in await run("text", tab=2), "it waits for its own page only"
    assert json.loads(await run("storage", tab=2))["sessionStorage"] == {"step": "2"}
    assert shell.browser.tabs.find(1).url == f"{web.url}/gate/again"
    gate.set()
    assert "again is open" in await reading
    await until_contexts(shell.browser.running, contexts)
    assert [tab.id for tab in shell.browser.tabs] == [1, 2]
    assert all(tab.page.context == shell.browser.context for tab in shell.browser.tabs)
    for name in ("ann", "carl"):
        cookie_file(shell, session=name)
        await run("state-load cookies.json")
    assert "Hello carl" in await run("text", tab=2), "of one load right after another"


async def test_browser_context_made_in_vain_or_left_early_is_closed(
    run: Run, shell: Shell, visit: Show
) -> None:
    await visit("plain.html")
    await run("cookie-set a 1")
    browser = shell.browser
    contexts = len(await context_ids(browser.running))
    saved = SavedState([{"name": "n", "value": "v", "domain": "n.example"}])
    checking = browser.background.start(state_file.check_state(saved))
    making = browser.background.start(state_file.make_context(browser, saved, checking))
    assert (await making).context.id in await context_ids(browser.running)
    await state_file.close_unused_context(browser, making)
    assert len(await context_ids(browser.running)) == contexts

    async def leave() -> None:
        with browser.current.moving_to(browser.running):
            await browser.open_context(None, 1)
            raise LookupError

    with pytest.raises(LookupError):
        await leave()
    await run("newtab about:blank")
    assert json.loads(await run("cookies"))[0]["name"] == "a"
    await until_contexts(browser.running, contexts)


async def test_the_storage_of_every_origin_is_what_playwright_says(
    run: Run, shell: Shell, visit: Show, web: Web, theirs: "Browser"
) -> None:
    """Let Playwright put into a browser of its own what is saved: it finds the same there."""

    async def saved() -> dict[str, list[tuple[str, str]]]:
        await run("state-save each.json")
        found = json.loads((shell.workspace / "each.json").read_bytes())["origins"]
        context = await theirs.new_context(storage_state=shell.workspace / "each.json")
        state = await context.storage_state(indexed_db=True)
        await context.close()
        assert sorted(found, key=str) == sorted(state["origins"], key=str)
        return {
            item["origin"]: sorted((stored["name"], stored["value"]) for stored in item["localStorage"])
            + [(base["name"], store["name"]) for base in item["indexedDB"] for store in base["stores"]]
            for item in found
        }

    both = {web.url: [("__proto__", "ü"), ("theme", "dark")], web.other: [("there", "yes")]}
    await visit("plain.html")
    await run("js", "localStorage.theme = 'dark'; localStorage.setItem('__proto__', 'ü'); 1")
    await run("goto", f"{web.other}/plain.html".replace("//", "//ann:pw@"))
    await run("storage-set there yes")
    await run("state-save each.json")
    await run("state-load each.json")
    assert await saved() == both, "no tab shows the first one now, nor was it visited since it was restored"
    await run("newtab", f"{web.url}/plain.html")
    await run("storage-clear")
    assert await run("js", KEEP) == "kept"
    await run("closetab")
    assert await saved() == both | {web.url: [("shop", "cart")]}


async def test_no_script_or_request_of_ours_reaches_an_origin_that_is_saved(
    run: Run, shell: Shell, visit: Show, web: Web
) -> None:
    await visit("plain.html")
    await run("js", KEEP)
    await run("goto", f"{web.other}/plain.html")
    await run("init-script -", stdin="localStorage.marked = 'by a script'")
    before, tabs = await run("network"), await run("tabs")
    await run("state-save quiet.json")
    found = json.loads((shell.workspace / "quiet.json").read_bytes())["origins"]
    assert [item["origin"] for item in found if item["indexedDB"]] == [web.url]
    assert "marked" not in json.dumps(found)
    assert (await run("network"), await run("tabs")) == (before, tabs)
    await run("js", KEEP_FILE)
    said = await run("state-save files.json")
    assert (
        f"→ values such as files and keys in 1 database record of {web.other} left out: a state holds none"
        in said
    )


async def test_cookies_of_imported_sites_are_saved_only_when_that_is_said(
    run: Run, shell: Shell, visit: Show
) -> None:
    await visit("plain.html")
    await run("cookie-set a s3cret-of-mine")
    shell.browser.imported.add("127.0.0.1")
    left_out = "→ 1 cookie of imported sites left out: --imported saves them, too"
    assert (await run("state-save")).endswith(f"(0 cookies, 0 origins, 1 tab)\n{left_out}")
    kept = shell.browser.pictures / "state.json"
    assert "s3cret-of-mine" not in kept.read_text()
    await run("state-save s.json --imported")
    assert "s3cret-of-mine" in (shell.workspace / "s.json").read_text()
    shell.browser.imported.clear()
    await run("state-load s.json")
    assert shell.browser.imported == {"127.0.0.1"}
    assert not [reply for reply in shell.replies if "s3cret-of-mine" in reply.text]


async def test_an_open_dialog_is_still_open_after_a_save(run: Run, show: Show) -> None:
    await show("<button onclick='document.title = confirm(\"Sure?\")'>Ask</button>")
    await run("dialog-hold")
    await run("click button")
    assert (await run("state-save s.json")).endswith("1 tab)")
    await run("dialog-accept")
    assert await run("title") == "true"
