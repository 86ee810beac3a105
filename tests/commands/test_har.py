"""Test `har-start` and `har-stop`, `memory` and `coverage`."""

import json
import re
from base64 import b64decode
from typing import Any

import pytest

from gstack_browse.errors import ActionFailed, FileFailed
from tests.commands.conftest import As, Fails, Run, Shell, Show
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
    redirect = entries["/redirect?to=/chunked"]["response"]
    assert redirect["redirectURL"] == "/chunked"
    assert (redirect["bodySize"], redirect["content"]["size"]) == (-1, -1), "its body is not read"
    assert "/api?before" not in entries
    assert len(log["pages"]) == 3
    assert all(entry["time"] > 0 for entry in entries.values())


async def test_recording_delays_an_upgrade_and_its_end_is_told(
    run: Run, by: As, show: Show, shell: Shell, web: Web
) -> None:
    upgrader = shell.upgrader
    await show("")
    for begins, ends in (("har-start", "har-stop a.har"), ("coverage-start", "useragent Other/1.0")):
        assert not upgrader.find_obstacle()
        await run(begins)
        assert upgrader.find_obstacle()
        await run(ends)
    assert not upgrader.find_obstacle(), "the page that was recorded is gone"
    for line in (f"newtab {web.show('hers')}", "har-start", "coverage-start"):
        await by("ann", line)
    assert upgrader.find_obstacle()
    number = (await by("ann", "tabs")).partition("→ [")[2].split()[0]
    closed = await run("context-close ann")
    assert closed.splitlines()[1] == f"→ ended: the recording of 0 requests, the coverage of tab {number}"
    assert not upgrader.find_obstacle()


async def test_memory_lists_detached_nodes(run: Run, show: Show) -> None:
    await show("""<p id=menu>Menu</p><script>
        window.kept = [];
        const leak = (count) => {
          for (; count > 0; count--) kept.push(Object.assign(document.createElement('li'), { className: 'row wide', innerHTML: 'text<b></b>' }));
        };
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
    files = {file["url"]: file for file in json.loads((shell.workspace / "coverage.json").read_text())}
    assert (files[script]["type"], files[script]["unused"]) == ("js", 29)
    assert files[script]["used"] == [{"start": 0, "end": 29}, {"start": 58, "end": 66}]
