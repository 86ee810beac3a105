"""Recordings: what pages load, as a HAR file."""

import json
from base64 import b64decode
from typing import Any

from gstack_browse.errors import ActionFailed, FileFailed
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

PAGE = """<img src="data:,"><script>
fetch('/api/500', {method: 'POST', body: JSON.stringify({password: 'hunter' + 22}), headers: {authorization: 'Bearer abcd' + 'efgh'}})
fetch('/redirect?to=/chunked').then(r => r.text()); fetch('/bytes').then(r => r.blob()); new Worker('/scripts/w.js')
</script>"""


def body_of(entry: dict[str, Any]) -> bytes:
    content = entry["response"]["content"]
    return b64decode(content["text"]) if "encoding" in content else content["text"].encode()


async def test_a_recording(run: Run, show: Show, web: Web, shell: Shell, fails: Fails) -> None:
    file = shell.workspace / "page.har"
    assert (await fails(f"har-stop {file}", ActionFailed)).message == "Nothing is recorded"
    await show("<script>fetch('/api?before')</script>")
    await run("wait --networkidle")
    assert await run("har-start") == "Recording requests: 'har-stop <file>' saves them"
    assert "it was already" in await run("har-start")
    web.pages["/scripts/w.js"] = "fetch('/api?worker')", {}
    text = await show(PAGE, Set_Cookie="sid=verysecret; Path=/")
    await run("wait --networkidle")
    assert "requests since" in await run("status")
    await run("newtab", web.show("<title>Other</title>").replace(web.url, web.other))
    await run("goto", web.show("<title>Last</title>"), tab=1)
    await fails(f"har-stop {shell.workspace}/missing/page.har", FileFailed)
    assert (await run(f"har-stop {file} --bodies")).startswith(f"HAR saved: {file} (9 requests, 8 bodies, ")
    assert "Recording" not in await run("status")
    assert file.stat().st_mode & 0o777 == 0o600
    saved = file.read_text()
    assert not [secret for secret in ("hunter22", "abcdefgh", "verysecret") if secret in saved]
    entries = {
        entry["request"]["url"].replace(web.url, ""): entry for entry in json.loads(saved)["log"]["entries"]
    }
    bodies = {url: body_of(entry) for url, entry in entries.items() if "text" in entry["response"]["content"]}
    assert bodies[text.replace(web.url, "")].endswith(PAGE.encode()), "of a document that the tab has left"
    assert bodies["/bytes"] == bytes(range(256)), "that was read as a Blob"
    assert bodies["/scripts/w.js"] == b"fetch('/api?worker')", "of a worker that has ended"
    assert (bodies["/chunked"], bodies["/api/500"], bodies["/api?worker"]) == (b"0123456789", b'{"ok":true}', b'{"ok":true}')  # fmt: skip
    assert entries["/redirect?to=/chunked"]["response"]["redirectURL"] == "/chunked"
    assert "/api?before" not in entries
    assert len(json.loads(saved)["log"]["pages"]) == 3
    assert all(entry["time"] > 0 for entry in entries.values())
