"""Pages that are shown with recorded answers, in the place of their servers."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from gstack_browse.browser.transfer import capture
from gstack_browse.errors import FileFailed, NavigationFailed, UsageError
from tests.commands.conftest import Fails, Run, Shell
from tests.commands.parts import ASK, PARTS, page_of_parts, told_by_parts
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

NOWHERE = "http://shop.test"
"""A host that there is not: what comes from there has been recorded."""
FAILED = "TypeError: Failed to fetch"


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def no_replay(shell: Shell) -> AsyncIterator[None]:
    """End replays before the next test."""
    yield
    for line in ("har-replay off", "unroute", "throttle off"):
        await shell.send(line)


def answer(
    url: str, text: str | None, kind: str = "text/html", status: int = 200, method: str = "GET", **more: str
) -> dict[str, Any]:
    headers = [{"name": name, "value": value} for name, value in {"Content-Type": kind, **more}.items()]
    return {
        "request": {"method": method, "url": url, "headers": []},
        "response": {"status": status, "headers": headers, "content": {"mimeType": kind, "text": text}},
    }


def _write(shell: Shell, *entries: dict[str, Any], name: str = "shop.har") -> Path:
    path = shell.workspace / name
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
async def test_a_page_is_shown_as_it_was_without_its_server(run: Run, shell: Shell, fails: Fails) -> None:
    _write(shell, *SHOP, {"request": {}})
    told = await run("har-replay shop.har")
    assert told == "Replaying shop.har: 7 answers\n→ left out: 1 entry without an answer over HTTP"
    assert await run("goto", f"{NOWHERE}/old") == f"Navigated to {NOWHERE}/ (200)"
    await run("wait --text one")
    assert "rgb(1, 2, 3)" in await run("css h1 color")
    await run("reload")
    await run("wait --text two")
    put = "{ method: 'PUT', headers: { 'X-A': 'b' } }"
    user = await run("js", f"({ASK})('http://api.test/user', {put})")
    assert user == "200 Ann", "another origin, with a preflight"
    reply = await fails("goto", NavigationFailed, f"{NOWHERE}/new")
    assert reply.hint == "It is not in shop.har, which is replayed: 'har-replay off' ends that"
    assert "failed: ERR_FAILED by har-replay" in await run("network --all-pages")
    # A full Chromium would ask for the page of an error once more a second later: --disable-auto-reload.
    replayed = "Replayed: shop.har: 10 requests answered; 1 not in the file and refused"
    assert replayed in await run("status"), await run("network --all-pages")
    assert (await run("har-replay off")).splitlines() == [
        "No longer replaying shop.har: 10 requests answered; 1 not in the file and refused",
        f"not in the file: GET {NOWHERE}/new",
    ]
    assert await run("har-replay") == "(nothing is replayed)"


async def test_no_part_of_a_page_reaches_a_server(run: Run, shell: Shell, web: Web) -> None:
    page = page_of_parts(web)
    await run("goto", page)
    api = answer(f"{web.url}/api/200", "recorded", "text/plain")
    far = answer(f"{web.other}/api/200", "recorded", "text/plain")
    _write(shell, api, far)
    await run("har-replay shop.har")
    assert await told_by_parts(run, "/api/200") == dict.fromkeys(PARTS, "200 recorded")
    assert set((await told_by_parts(run, "/api/404")).values()) == {FAILED}
    opens = f"new Promise((done) => {{ const it = new WebSocket('{web.url.replace('http', 'ws')}/socket'); it.onopen = it.onerror = (event) => done(event.type) }})"
    assert await run("js", opens) == "error"
    await run("har-replay shop.har --fallback")
    assert await told_by_parts(run, "/api/200") == dict.fromkeys(PARTS, "200 recorded")
    assert set((await told_by_parts(run, "/api/404")).values()) == {'404 {"ok":true}'}
    assert "5 requests answered; 5 not in the file and sent to the server" in await run("har-replay")
    assert await run("js", opens) == "open"


async def test_routes_go_before_and_the_network_is_slowed(run: Run, shell: Shell) -> None:
    _write(shell, *SHOP)
    await run("har-replay shop.har")
    await run("route /list --body three --times 1")
    await run("goto", f"{NOWHERE}/")
    await run("wait --text three")
    await run("route /list --delay 300")
    took = f"const began = performance.now(); const told = await ({ASK})('/list'); [told, performance.now() - began >= 300]"
    assert json.loads(await run("js", took)) == ["200 one", True]
    await run("unroute")
    await run("throttle --latency 300")
    assert json.loads(await run("js", took)) == ["200 two", True]
    await run("throttle offline")
    assert await run("js", f"({ASK})('/list')") == FAILED


async def test_bodies_may_be_in_files_beside(run: Run, shell: Shell, fails: Fails) -> None:
    beside, body = answer(f"{NOWHERE}/", None), shell.workspace / "a1b2.html"
    beside["response"]["content"]["_file"] = body.name
    _write(shell, beside)
    body.write_text("<h1>Beside</h1>")
    await run("har-replay shop.har")
    await run("goto", f"{NOWHERE}/")
    assert await run("text") == "Beside"
    body.unlink()
    os.mkfifo(body)
    await fails("goto", NavigationFailed, f"{NOWHERE}/")
    assert "a1b2.html beside the file cannot be read" in await run("har-replay")


@pytest.mark.fresh_session
async def test_replay_is_carried_over_and_asks_no_server_without_its_file(
    run: Run, shell: Shell, fails: Fails
) -> None:
    path = _write(shell, *SHOP)
    await run("har-replay shop.har")
    await run("goto", f"{NOWHERE}/")
    await run("useragent Mine/1.0")
    assert "Shop" in await run("text")
    state = await capture.capture_state(shell.browser)
    assert state.from_dict(state.as_dict()).shaping == {"replay": {"path": str(path), "passes_on": False}}
    path.unlink()
    shell.browser.shaping.restore(state.shaping)
    await run("useragent Mine/2.0")
    assert "Cannot read" in await run("har-replay")
    await fails("goto", NavigationFailed, f"{NOWHERE}/")


async def test_a_recording_of_ours_is_shown_as_it_was(run: Run, web: Web) -> None:
    picture = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
    script = web.script(
        "app.js",
        "fetch('/echo', { method: 'POST', body: 'n=1' }).then(async (it) => { out.innerHTML = await it.text(); out.append('ü') })",
    )
    page = web.show(f"<h1>Then</h1><img src='{picture}' alt=Dot><p id=out></p><script src='{script}'></script>")
    path = page.removeprefix(web.url)
    await run("har-start")
    await run("goto", page)
    await run("wait --text n")
    before = await run("text")
    await run("har-stop ours.har --bodies")
    kept, web.pages[path] = web.pages[path], ("<h1>Now</h1>", {})
    await run("goto", page)
    assert await run("text") == "Now"
    await run("har-replay ours.har")
    await run("goto", page)
    await run("wait --text n")
    assert await run("text") == before
    assert "ü" in before
    assert "3 requests answered" in await run("har-replay")
    web.pages[path] = kept


async def test_malformed_har_file_does_not_end_the_replay(run: Run, shell: Shell, fails: Fails) -> None:
    _write(shell, *SHOP)
    await run("har-replay shop.har")
    bad = shell.workspace / "bad.har"
    for content in (b"", b'{"log": {"entries": [1]}}', b"PK\x03\x04"):
        bad.write_bytes(content)
        await fails("har-replay bad.har", FileFailed)
    os.truncate(bad, 100_000_001)
    assert "larger than 100 MB" in (await fails("har-replay bad.har", FileFailed)).message
    bad.write_bytes(b'{"log": {"entries": [' + b"[]," * 1_000_000 + b"1]}}")
    asked = asyncio.ensure_future(fails("har-replay bad.har", FileFailed))
    await run("routes")
    assert not asked.done(), "the daemon answers others meanwhile"
    assert "more than 20,000 entries" in (await asked).message
    bad.unlink()
    os.mkfifo(bad)
    for file in ("bad.har", "missing.har"):
        await fails(f"har-replay {file}", FileFailed)
    for words in ("--fallback", "off --fallback"):
        await fails(f"har-replay {words}", UsageError)
    assert (await run("har-replay")).startswith("Replaying shop.har: 0 requests answered")
    await run("goto", f"{NOWHERE}/")
