"""Recordings: what pages load, as a HAR file."""

import json
from base64 import b64decode
from typing import Any

import pytest

from gstack_browse.daemon.handover import Handover
from gstack_browse.daemon.server import Server
from gstack_browse.daemon.watch import BackgroundChecks
from gstack_browse.errors import ActionFailed, FileFailed
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = """<img src="data:,"><script>
fetch('/api/500', {method: 'POST', body: JSON.stringify({password: 'hunter' + 22}), headers: {authorization: 'Bearer abcd' + 'efgh'}})
fetch('/redirect?to=/chunked').then(r => r.text()); fetch('/bytes').then(r => r.blob()); new Worker('/scripts/w.js')
</script>"""


def body_of(entry: dict[str, Any]) -> bytes:
    content = entry["response"]["content"]
    return b64decode(content["text"]) if "encoding" in content else content["text"].encode()


async def test_recorded_requests_are_saved_as_har(
    run: Run, show: Show, web: Web, shell: Shell, fails: Fails
) -> None:
    """Those of a page that its tab has left, too, and of a worker that has ended."""
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
    watch = BackgroundChecks(shell.service, Handover(shell.service, Server(), -1, -1))
    await show("")
    assert not watch.is_occupied()
    await run("har-start")
    assert watch.is_occupied()
    await run("har-stop a.har")
    assert not watch.is_occupied()
    await run("coverage-start")
    assert watch.is_occupied()
    await run("useragent Other/1.0")
    assert not watch.is_occupied(), "the page that was recorded is gone"
    await run("newtab", web.show("hers"), as_="ann")
    await run("har-start", as_="ann")
    await run("coverage-start", as_="ann")
    assert watch.is_occupied()
    number = (await run("tabs", as_="ann")).partition("→ [")[2].split()[0]
    closed = await run("context-close ann")
    assert closed.splitlines()[1] == f"→ ended: the recording of 0 requests, the coverage of tab {number}"
    assert not watch.is_occupied()
