"""Test `har-replay`: pages are shown as they were recorded, without their server."""

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
from tests.commands.conftest import Check, Fails, Run, Shell
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
    answered = "async (it) => { out.innerHTML = await it.text(); out.append('ü') }"
    script = web.script("app.js", f"fetch('/echo', {{ method: 'POST', body: 'n=1' }}).then({answered})")
    page = web.show(f"<h1>Then</h1><p id=out></p><script src='{script}'></script>")
    await check({"har-start": "…", f"goto {page}": "…", "wait --text ü": "…"})
    before = await run("text")
    await run("har-stop ours.har --bodies")
    web.pages[page.removeprefix(web.url)] = "<h1>Now</h1>", {}
    await check([
        ("har-replay ours.har", "…"), (f"goto {page}", "…"), ("wait --text ü", "…"), ("text", before), ("har-replay", "…3 requests answered…"),
    ])  # fmt: skip


async def test_malformed_har_file_ends_no_replay(run: Run, check: Check, shell: Shell, fails: Fails) -> None:
    """Answer others while a large one is read. What is no archive: tests/unit/network/shaping/test_har.py."""
    _write(shell, *SHOP)
    await run("har-replay shop.har")
    bad = shell.workspace / "bad.har"
    bad.write_bytes(b"PK\x03\x04")
    os.mkfifo(shell.workspace / "pipe.har")
    await check(
        dict.fromkeys(("har-replay bad.har", "har-replay pipe.har", "har-replay missing.har"), FileFailed)
    )
    os.truncate(bad, 100_000_001)
    await check({"har-replay bad.har": (FileFailed, "…larger than 100 MB…")})
    bad.write_bytes(b'{"log": {"entries": [' + b"[]," * 100_000 + b"1]}}")
    asked = asyncio.ensure_future(fails("har-replay bad.har", FileFailed))
    await run("routes")
    assert not asked.done()
    assert "more than 20,000 entries" in (await asked).message
    await check({
        "har-replay --fallback": UsageError, "har-replay off --fallback": UsageError, "har-replay": "Replaying shop.har: 0 requests answered…",
        f"goto {NOWHERE}/": "…",
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
