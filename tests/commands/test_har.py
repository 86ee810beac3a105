"""Test recordings: HAR files, what is replayed of them, `memory` and `coverage`."""

import asyncio
import json
import os
import re
from base64 import b64decode
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from gstack_browse.browser.transfer import capture
from gstack_browse.errors import ActionFailed, FileFailed, NavigationFailed, UsageError
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.parts import ASK, PARTS, page_of_parts, told_by_parts
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = """<img src="data:,"><script>
fetch('/api/500', {method: 'POST', body: JSON.stringify({password: 'hunter' + 22}), headers: {authorization: 'Bearer abcd' + 'efgh'}})
fetch('/redirect?to=/chunked').then(r => r.text()); fetch('/bytes').then(r => r.blob()); new Worker('/scripts/w.js')
</script>"""


def body_of(entry: dict[str, Any]) -> bytes:
    content = entry["response"]["content"]
    return b64decode(content["text"]) if "encoding" in content else content["text"].encode()


async def test_recorded_requests_are_saved(run: Run, show: Show, web: Web, shell: Shell, fails: Fails) -> None:
    """Save also requests of a page that its tab has left, and of a worker that has ended."""
    web.pages["/scripts/w.js"] = "fetch('/api?worker')", {}
    file = shell.workspace / "page.har"
    assert (await fails(f"har-stop {file}", ActionFailed)).message == "Nothing is recorded"
    await show("<script>fetch('/api?before')</script>")
    await run("wait --networkidle")
    assert await run("har-start") == "Recording requests: 'har-stop <file>' saves them"
    assert "it was already" in await run("har-start")
    text = await show(PAGE, Set_Cookie="sid=verysecret; Path=/")
    await run("wait --networkidle")
    assert "requests since" in await run("status")
    await run("newtab", web.show_elsewhere("<title>Other</title>"))
    await run("goto", web.show("<title>Last</title>"), tab=1)
    await fails(f"har-stop {shell.workspace}/missing/page.har", FileFailed)
    assert (await run(f"har-stop {file} --bodies")).startswith(f"HAR saved: {file} (9 requests, 8 bodies, ")
    assert "Recording" not in await run("status")
    assert file.stat().st_mode & 0o777 == 0o600
    saved = file.read_text()
    assert not [secret for secret in ("hunter22", "abcdefgh", "verysecret") if secret in saved]
    log = json.loads(saved)["log"]
    entries = {entry["request"]["url"].replace(web.url, ""): entry for entry in log["entries"]}
    bodies = {url: body_of(entry) for url, entry in entries.items() if "text" in entry["response"]["content"]}
    assert bodies[text.replace(web.url, "")].endswith(PAGE.encode())
    assert bodies["/bytes"] == bytes(range(256)), "that was read as a Blob"
    assert (bodies["/chunked"], bodies["/api/500"]) == (b"0123456789", b'{"ok":true}')
    assert (bodies["/scripts/w.js"], bodies["/api?worker"]) == (b"fetch('/api?worker')", b'{"ok":true}')
    assert entries["/redirect?to=/chunked"]["response"]["redirectURL"] == "/chunked"
    assert "/api?before" not in entries
    assert len(log["pages"]) == 3
    assert all(entry["time"] > 0 for entry in entries.values())


async def test_recording_delays_an_upgrade_and_its_end_is_told(
    run: Run, show: Show, shell: Shell, web: Web
) -> None:
    upgrader = shell.upgrader
    await show("")
    assert not upgrader.find_obstacle()
    await run("har-start")
    assert upgrader.find_obstacle()
    await run("har-stop a.har")
    assert not upgrader.find_obstacle()
    await run("coverage-start")
    assert upgrader.find_obstacle()
    await run("useragent Other/1.0")
    assert not upgrader.find_obstacle(), "the page that was recorded is gone"
    await run("newtab", web.show("hers"), as_="ann")
    await run("har-start", as_="ann")
    await run("coverage-start", as_="ann")
    assert upgrader.find_obstacle()
    number = (await run("tabs", as_="ann")).partition("→ [")[2].split()[0]
    closed = await run("context-close ann")
    assert closed.splitlines()[1] == f"→ ended: the recording of 0 requests, the coverage of tab {number}"
    assert not upgrader.find_obstacle()


async def test_memory_lists_detached_nodes(run: Run, show: Show) -> None:
    await show("""<p id=menu>Menu</p><script>
        window.kept = [];
        function leak(count) {
          for (let index = 0; index < count; index++) {
            const row = document.createElement('li');
            row.className = 'row wide';
            row.append('text', document.createElement('b'));
            kept.push(row);
          }
        }
        </script>""")
    assert "detached nodes  0" in await run("memory --gc")
    before = json.loads(await run("memory --gc --json"))
    await run("js leak(100)")
    after = json.loads(await run("memory --gc --json"))
    assert after["detached"] == [{"root": "li.row.wide", "trees": 100, "nodes": 300}]
    assert before["nodes"] < 300 <= after["nodes"]
    assert after["heap"] > 100_000
    told = await run("memory")
    assert "\n  li.row.wide × 100: 300 nodes" in told
    await run("js kept.length=0")
    assert "detached nodes  0" in await run("memory --gc")
    assert json.loads(await run("memory --gc --json"))["nodes"] < 300


async def test_coverage_lists_used_parts(run: Run, fails: Fails, show: Show, web: Web, shell: Shell) -> None:
    """Tell the parts in a file, too. Begin once where it is begun twice."""
    used, never = "function used() { return 1 }", "function never() { return 2 }"
    script = web.script("app.js", f"{used} {never} used();")
    web.pages["/scripts/app.css"] = ".a { color: red } .never { color: blue }", {}
    markup = f"<link rel=stylesheet href=/scripts/app.css><script src='{script}'></script><p class=a>A<button onclick='never()'>Go</button><script>eval('1')</script>"
    page = await show(markup)
    assert "coverage-start" in (await fails("coverage", ActionFailed)).hint
    for _ in range(2):
        await run("coverage-start")
    await run("reload")
    first = (await run("coverage --keep")).splitlines()
    assert [re.split(r" {2,}", line) for line in first[:2]] == [
        ["29 B", "of 66 B", "44 %", "js", script],
        ["23 B", "of 40 B", "58 %", "css", f"{web.url}/scripts/app.css"],
    ]
    assert first[-1] == "Unused: 29 B of 75 B js (39 %), 23 B of 40 B css (58 %)"
    await run("click button")
    assert f"0 B   of 66 B  0 %   js   {script}" in (await run("coverage --keep")).splitlines()
    await run("goto", page.replace(web.url, web.other))
    told = await run("coverage --out coverage.json")
    assert told.splitlines()[1] == "Unused: 29 B of 75 B js (39 %), 23 B of 40 B css (58 %)"
    await fails("coverage", ActionFailed)
    (file,) = [
        file for file in json.loads((shell.workspace / "coverage.json").read_text()) if file["url"] == script
    ]
    assert (file["type"], file["unused"], file["used"]) == (
        "js",
        29,
        [{"start": 0, "end": 29}, {"start": 58, "end": 66}],
    )


NOWHERE = "http://shop.test"
"""A host that there is not: what comes from there has been recorded."""
FAILED = "TypeError: Failed to fetch"


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def no_replay(shell: Shell) -> AsyncIterator[None]:
    """End replays before the next test."""
    yield
    for line in ("har-replay off", "unroute", "throttle off"):
        await shell.send(line)


def answer(url: str, text: str | None, kind: str = "text/html", **more: Any) -> dict[str, Any]:
    """Return an entry of an archive, with `status`, `method` and headers as in `Location`."""
    status, method = more.pop("status", 200), more.pop("method", "GET")
    headers = [{"name": name, "value": value} for name, value in {"Content-Type": kind, **more}.items()]
    return {
        "request": {"method": method, "url": url, "headers": []},
        "response": {"status": status, "headers": headers, "content": {"mimeType": kind, "text": text}},
    }


def _write(shell: Shell, *entries: dict[str, Any]) -> Path:
    path = shell.workspace / "shop.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    return path


SHOP = (
    answer(f"{NOWHERE}/", "<title>Shop</title><link rel=stylesheet href=a.css><h1>Shop</h1><script src=a.js></script>"),
    answer(f"{NOWHERE}/a.css", "h1 { color: rgb(1, 2, 3) }", "text/css"),
    answer(f"{NOWHERE}/a.js", "fetch('/list').then(async (it) => document.body.append(await it.text()))", "text/javascript"),
    answer(f"{NOWHERE}/list", "one", "text/plain"),
    answer(f"{NOWHERE}/list", "two", "text/plain"),
    answer(f"{NOWHERE}/old", None, status=302, Location="/"),
    answer("http://api.test/user", "Ann", "text/plain", method="PUT"),
)  # fmt: skip


@pytest.mark.both_browsers
async def test_a_page_is_shown_as_it_was_without_its_server(check: Check, shell: Shell) -> None:
    """A full Chromium would ask for an error's page once more a second later: --disable-auto-reload."""
    _write(shell, *SHOP, {"request": {}})
    counts = "10 requests answered; 1 not in the file and refused"
    await check({
        "har-replay shop.har": "Replaying shop.har: 7 answers\n→ left out: 1 entry without an answer over HTTP",
        f"goto {NOWHERE}/old": f"Navigated to {NOWHERE}/ (200)", "wait --text one": "…", "css h1 color": "…rgb(1, 2, 3)…",
        "reload": "…", "wait --text two": "…",
        f"js ({ASK})('http://api.test/user', {{ method: 'PUT', headers: {{ 'X-A': 'b' }} }})": "200 Ann",
        f"goto {NOWHERE}/new": (NavigationFailed, "…\nIt is not in shop.har, which is replayed: 'har-replay off' ends that"),
        "network --all-pages": "…failed: ERR_FAILED by har-replay…", "status": f"…Replayed: shop.har: {counts}…",
        "har-replay off": f"No longer replaying shop.har: {counts}\nnot in the file: GET {NOWHERE}/new",
        "har-replay": "(nothing is replayed)",
    })  # fmt: skip


async def test_no_part_of_a_page_reaches_a_server(run: Run, shell: Shell, web: Web) -> None:
    await run("goto", page_of_parts(web))
    _write(shell, *(answer(f"{site}/api/200", "recorded", "text/plain") for site in (web.url, web.other)))
    opens = f"new Promise((done) => {{ const it = new WebSocket('{web.url.replace('http', 'ws')}/socket'); it.onopen = it.onerror = (event) => done(event.type) }})"
    for option, other, socket in (("", FAILED, "error"), ("--fallback", '404 {"ok":true}', "open")):
        await run(f"har-replay shop.har {option}")
        assert await told_by_parts(run, "/api/200") == dict.fromkeys(PARTS, "200 recorded")
        assert await told_by_parts(run, "/api/404") == dict.fromkeys(PARTS, other)
        assert await run("js", opens) == socket
    assert "5 requests answered; 5 not in the file and sent to the server" in await run("har-replay")


async def test_routes_go_before_and_the_network_is_slowed(check: Check, shell: Shell) -> None:
    _write(shell, *SHOP)
    took = f"js const began = performance.now(); const told = await ({ASK})('/list'); [told, performance.now() - began >= 300]"
    await check([
        ("har-replay shop.har", "…"), ("route /list --body three --times 1", "…"), (f"goto {NOWHERE}/", "…"), ("wait --text three", "…"),
        ("route /list --delay 300", "…"), (took, '["200 one",true]'), ("unroute", "…"), ("throttle --latency 300", "…"),
        (took, '["200 two",true]'), ("throttle offline", "…"), (f"js ({ASK})('/list')", FAILED),
    ])  # fmt: skip


async def test_bodies_may_be_in_files_beside(check: Check, shell: Shell) -> None:
    beside, body = answer(f"{NOWHERE}/", None), shell.workspace / "a1b2.html"
    beside["response"]["content"]["_file"] = body.name
    _write(shell, beside)
    body.write_text("<h1>Beside</h1>")
    await check({"har-replay shop.har": "…", f"goto {NOWHERE}/": "…", "text": "Beside"})
    body.unlink()
    os.mkfifo(body)
    await check({f"goto {NOWHERE}/": NavigationFailed, "har-replay": "…a1b2.html beside the file cannot be read…"})  # fmt: skip


@pytest.mark.fresh_session
async def test_replay_is_carried_over_and_asks_no_server_without_its_file(check: Check, shell: Shell) -> None:
    path = _write(shell, *SHOP)
    await check({"har-replay shop.har": "…", f"goto {NOWHERE}/": "…", "useragent Mine/1.0": "…", "text": "Shop…"})  # fmt: skip
    state = await capture.capture_state(shell.browser)
    assert state.from_dict(state.as_dict()).shaping == {"replay": {"path": str(path), "passes_on": False}}
    path.unlink()
    shell.browser.shaping.restore(state.shaping)
    await check({"useragent Mine/2.0": "…", "har-replay": "…Cannot read…", f"goto {NOWHERE}/": NavigationFailed})  # fmt: skip


async def test_a_recording_of_ours_is_shown_as_it_was(run: Run, check: Check, web: Web) -> None:
    script = web.script(
        "app.js",
        "fetch('/echo', { method: 'POST', body: 'n=1' }).then(async (it) => { out.innerHTML = await it.text(); out.append('ü') })",
    )
    page = web.show(f"<h1>Then</h1><p id=out></p><script src='{script}'></script>")
    await check({"har-start": "…", f"goto {page}": "…", "wait --text n": "…"})
    before = await run("text")
    assert "ü" in before
    await run("har-stop ours.har --bodies")
    web.pages[page.removeprefix(web.url)] = "<h1>Now</h1>", {}
    await check([
        (f"goto {page}", "…"), ("text", "Now"), ("har-replay ours.har", "…"), (f"goto {page}", "…"), ("wait --text n", "…"),
        ("text", before), ("har-replay", "…3 requests answered…"),
    ])  # fmt: skip


async def test_malformed_har_file_ends_no_replay(run: Run, check: Check, shell: Shell, fails: Fails) -> None:
    """Answer others while a large one is read."""
    _write(shell, *SHOP)
    await run("har-replay shop.har")
    bad = shell.workspace / "bad.har"
    for content in (b"", b'{"log": {"entries": [1]}}', b"PK\x03\x04"):
        bad.write_bytes(content)
        await fails("har-replay bad.har", FileFailed)
    os.truncate(bad, 100_000_001)
    await check({"har-replay bad.har": (FileFailed, "…larger than 100 MB…")})
    bad.write_bytes(b'{"log": {"entries": [' + b"[]," * 1_000_000 + b"1]}}")
    asked = asyncio.ensure_future(fails("har-replay bad.har", FileFailed))
    await run("routes")
    assert not asked.done()
    assert "more than 20,000 entries" in (await asked).message
    bad.unlink()
    os.mkfifo(bad)
    await check({
        "har-replay bad.har": FileFailed, "har-replay missing.har": FileFailed, "har-replay --fallback": UsageError,
        "har-replay off --fallback": UsageError, "har-replay": "Replaying shop.har: 0 requests answered…", f"goto {NOWHERE}/": "…",
    })  # fmt: skip


async def test_reply_on_recording_without_bodies_names_the_option_that_keeps_them(
    run: Run, shell: Shell, fails: Fails
) -> None:
    """Refuse what a reload gives: the server says that the cache has the page, and nothing more."""
    page = answer(f"{NOWHERE}/", None)
    page["response"]["content"]["size"] = 20
    _write(shell, page)
    assert "1 answer; they are empty (har-stop <file> --bodies" in await run("har-replay shop.har")
    _write(shell, answer(f"{NOWHERE}/", None, status=304))
    assert "har-stop <file> --bodies" in (await fails("har-replay shop.har", FileFailed)).hint
