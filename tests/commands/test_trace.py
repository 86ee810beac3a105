"""Traces: what one has that was recorded while commands ran, and what Playwright's own reader makes of it."""

import json
import re
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from gstack_browse.agent.local.local_command import run_local_command
from gstack_browse.browser.auditing import trace_recorder
from gstack_browse.documents.traces import trace_writer
from gstack_browse.errors import ActionFailed, FileFailed
from gstack_browse.protocol import Reply, Request
from tests.commands import in_page
from tests.commands.conftest import As, Fails, Run, Shell, Show
from tests.faults import fault
from tests.processes import run_program

pytestmark = pytest.mark.same_session

PAGE = """<h1 onclick="x">Shop</h1><input id=name><input id=pin type=password>
<button onclick="document.querySelector('h1').textContent = 'Sold'; console.log('sold'); console.error('out of stock')">Buy</button>
<div id=host></div><iframe srcdoc="<p>Inner"></iframe><script>
host.attachShadow({ mode: 'open' }).innerHTML = '<p>In the shadow';
window.seen = [];
new MutationObserver((all) => seen.push(...all.map((one) => one.target.nodeName))).observe(document, { subtree: true, childList: true, attributes: true });
</script>"""


def trace(shell: Shell, *words: str) -> Reply:
    """Run the local command."""
    request = Request("trace", [*words], cwd=str(shell.workspace))
    return run_local_command(request, "gstack_browse.agent.local.traces", str(shell.workspace), {})


ACTION = re.compile(r" *\d+  \+[0-9.]+s  (?:not ended|[0-9.]+ m?s) +(.*)")


def titles_of(found: list[str]) -> list[str]:
    return [match[1] for line in found if (match := ACTION.fullmatch(line))]


def lines(shell: Shell, *words: str) -> list[str]:
    reply = trace(shell, *words)
    assert reply.code == 0, reply.message
    return reply.text.split("\n")


async def test_trace_has_commands_pictures_documents_requests_and_messages(
    shell: Shell, run: Run, show: Show, fails: Fails
) -> None:
    await run("trace-start")
    assert "already" in await run("trace-start")
    await show(PAGE)
    await run("fill #name", "a word")
    await run("fill #pin", "4711-secret")
    await run("click button")
    assert await run("js", "seen.join()") == "H1"
    await shell.send("text #nothing")
    await run("chain", '[["url"], ["title"]]')
    status = await run("status")
    assert re.search(r"Trace: +\d+ commands since [\d:.]+; 'trace-stop <file.zip>' saves it", status)
    assert "har-stop" not in status
    assert (await run("trace-stop trace.zip")).startswith("Trace saved: ")
    assert (await fails("trace-stop trace.zip", ActionFailed)).hint.startswith("Run 'trace-start'")
    assert not shell.service.feed
    assert not shell.browser.recording

    headline, *actions = lines(shell, "trace.zip")
    assert trace(shell, "trace.zip", "--max", "9").text.startswith(f"{headline[:9]}\n… cut after 9 of ")
    assert "made by gbrowse, Chromium" in headline
    titles = titles_of(actions)
    assert titles[0].startswith("goto http://")
    assert titles[1:4] == ["fill '#name' '[redacted]'", "fill '#pin' '[redacted]'", "click button"]
    assert titles[-4:] == ['chain \'[["url"], ["title"]]\'', "url", "title", "status"]
    assert actions[6] == "      failed: No element matches #nothing"
    requests = lines(shell, "trace.zip", "requests")
    assert any("text/html" in line and "GET" in line and "200" in line for line in requests)
    console = [line.split("  ", 1)[1].partition(" (")[0] for line in lines(shell, "trace.zip", "console")]
    of_page = [line for line in console if "[DOM]" not in line]  # a full Chromium's advice on password fields
    assert of_page[:2] == ["log: sold", "error: out of stock"]
    shown = lines(shell, "trace.zip", "snapshot", "4", "--picture", "page.jpg")
    assert shown[0].startswith("Picture saved: ")
    assert (shell.workspace / "page.jpg").read_bytes().startswith(b"\xff\xd8\xff")
    assert {"# Sold", "In the shadow"} <= set(shown)
    assert "# Shop" in lines(shell, "trace.zip", "snapshot", "3")
    path = shell.workspace / "trace.zip"
    assert path.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(path) as archive:
        assert b"onclick" not in archive.read("trace.trace"), "scripts are left out"
        whole = b"".join(archive.read(name) for name in archive.namelist())
    assert b"4711-secret" not in whole
    assert b"a word" not in whole
    (shell.workspace / "no.zip").write_bytes(b"PK, or not")
    reply = trace(shell, "no.zip")
    assert (reply.code, reply.error, "no ZIP archive" in reply.message) == (1, FileFailed.kind, True)
    assert trace(shell, "no.zip", "snapshot").message == "'snapshot' needs the number of an action"
    for words in (["no.zip", "actions", "3"], ["no.zip", "--picture", "a.jpg"]):
        assert trace(shell, *words).code == 2
    if find_spec("playwright"):
        check_that_playwright_reads_it(path)


def check_that_playwright_reads_it(path: Path) -> None:
    def playwright(*words: str) -> str:
        done = run_program([sys.executable, "-m", "playwright", "trace", *words], cwd=path.parent)
        assert done.returncode == 0, done.stderr
        return done.stdout

    playwright("open", path.name)
    listed = playwright("actions")
    assert "click button" in listed
    assert "✗" in next(line for line in listed.splitlines() if "#nothing" in line)
    playwright("close")


async def test_requests_of_a_trace_are_recorded_whatever_har_start_and_har_stop_do(
    shell: Shell, run: Run, show: Show, fails: Fails
) -> None:
    """Begin and end recordings in each order: each has its own requests, with their bodies."""
    await run("har-start")
    await show(PAGE)
    await run("trace-start")
    await show("<p>In both")
    assert "(2 requests, " in await run("har-stop whole.har --bodies")
    assert (await fails("har-stop again.har", ActionFailed)).message == "Nothing is recorded"
    await show("<p>In the trace")
    await run("har-start")
    await show("<p>In both again")
    assert "Recording: " in await run("status")
    await run("trace-stop trace.zip")
    assert len(lines(shell, "trace.zip", "requests")) == 3
    with zipfile.ZipFile(shell.workspace / "trace.zip") as archive:
        bodies = b"".join(archive.read(name) for name in archive.namelist() if name.endswith(".dat"))
    assert b"In the trace" in bodies
    assert "(1 request, 1 body, " in await run("har-stop last.har --bodies")
    assert not shell.browser.recording


@fault(
    "Kills", "a page crashes, or its tab closes, while a trace is recorded", "the trace goes on, and is saved"
)
async def test_trace_goes_on_after_a_crash(shell: Shell, run: Run, show: Show) -> None:
    await run("trace-start")
    await show(PAGE)
    await run("newtab")
    await in_page.crash(shell.browser.tab(1).page)
    await run("goto about:blank", tab=1)
    await run("closetab 2")
    for levels in (100, 3000):
        await show("<div>" * levels + "<button onclick='this.textContent = `Deep`'>Go")
        await run("click button")
    assert "(8 commands" in await run("trace-stop crashed.zip")
    assert len(lines(shell, "crashed.zip")) == 9
    assert "Deep" in "".join(lines(shell, "crashed.zip", "snapshot", "6"))
    assert "no document" in "".join(lines(shell, "crashed.zip", "snapshot", "8")), (
        "Chromium tells of no such depth"
    )


@fault(
    "Full disks",
    "a trace needs more than it may, or than there is",
    "commands go on; the reply counts what is left out",
)
async def test_trace_without_room_is_saved_in_part(
    shell: Shell, run: Run, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_writer, "MOST_BYTES", 3000)
    monkeypatch.setattr(trace_recorder, "MOST_NODES", 5)
    await run("trace-start")
    await show(PAGE)
    await run("click button")
    assert "had no room" in await run("trace-stop small.zip")
    assert json.dumps(lines(shell, "small.zip")).count("goto") == 1


async def test_several_contexts_are_recorded_at_once_each_until_it_is_closed(shell: Shell, by: As) -> None:
    for name in ("ann", "ben", "carl"):
        await by(name, "trace-start")
    for name in ("ann", "ben"):
        assert await by(name, f"js '\"{name}\"'") == name
    for name in ("ann", "ben"):
        await by(name, f"trace-stop {name}.zip")
        assert titles_of(lines(shell, f"{name}.zip")) == [f"js '\"{name}\"'"]
    assert shell.service.feed
    await by("carl", "newtab about:blank")
    await shell.send("context-close carl")
    assert not shell.service.feed
    assert not shell.service.feed.page_work
    assert not trace_recorder.recorders, "nobody can save it any more"
