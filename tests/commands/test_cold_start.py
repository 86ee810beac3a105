"""Test the first page of a cold start, in a Chromium that was started before the daemon's imports.

It is the same as later in every respect, and each thing is told once.

The other tests of commands can be run in this state, too: `BROWSE_TEST_COLD=1 bin/test tests/commands/test_navigation.py`.
"""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import psutil
import pytest

from gstack_browse.browser.command import page_settling
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.launch.launch import STARTED_EARLY
from gstack_browse.daemon.browser.browser_manager import BrowserStart
from gstack_browse.daemon.request import timeouts
from gstack_browse.errors import TimedOut
from tests import processes
from tests.commands.conftest import Fails, Run, Shell, Show, cold, until
from tests.commands.replies import ref_of
from tests.commands.web import Web

pytestmark = [pytest.mark.cold, pytest.mark.own_browser]

SEEN = """JSON.stringify([
  innerWidth, innerHeight, outerWidth, outerHeight, screen.width, screen.height, screen.orientation.type, devicePixelRatio,
  document.hasFocus(), document.visibilityState, navigator.userAgent, navigator.webdriver, navigator.languages, navigator.maxTouchPoints,
  ...["(prefers-color-scheme: light)", "(prefers-reduced-motion)", "(forced-colors: active)", "(prefers-contrast: more)", "(hover)",
    "(pointer: fine)", "print"].map((query) => matchMedia(query).matches),
  getComputedStyle(document.documentElement).fontFamily, new Date(0).getTimezoneOffset(),
])"""


@pytest.mark.both_browsers
async def test_a_page_sees_the_same_browser_as_any_later_one(run: Run, show: Show, shell: Shell) -> None:
    """See it with no process of its own for the network. Refs hold as in any later page."""
    frame = "<iframe srcdoc='<button>Inner</button>'></iframe>"
    page = f"<button>Outer</button>{frame}<pre id=seen></pre><script>seen.textContent = {SEEN}</script>"
    await show(page)
    first = json.loads(await run("text #seen"))
    words = {
        process: " ".join(processes.words(process)) for process in psutil.Process().children(recursive=True)
    }
    ours = [process for process, line in words.items() if shell.browser.running.scratch.name in line]
    below = {process for one in ours for process in [one, *one.children(recursive=True)]}
    lines = [" ".join(processes.words(process)) for process in below]
    assert any("--type=renderer" in line for line in lines)
    assert [line for line in lines if "--utility-sub-type=network" in line] == []
    await refs_hold_in_a_frame_that_loads_later(run)
    await show(page)
    assert json.loads(await run("text #seen")) == first
    assert json.loads(await run("js", SEEN)) == first


async def test_time_of_a_command_begins_when_missing_programs_are_installed(
    run: Run, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium, or a library that it lacks, takes longer to install than a page to load."""
    seconds, left = iter([30.0]), []
    wait, begin = BrowserStart.wait_for_browser, PageCommand.__init__

    async def install(start: BrowserStart, *words: Any) -> OpenContext:
        start.is_installing = True
        return await wait(start, *words)

    def note(page: PageCommand, *words: Any, **options: Any) -> None:
        left.append(options["deadline"] - asyncio.get_running_loop().time())
        begin(page, *words, **options)

    monkeypatch.setattr(timeouts, "deadline_seconds", lambda *_: next(seconds, 60.0))
    monkeypatch.setattr(BrowserStart, "wait_for_browser", install)
    monkeypatch.setattr(PageCommand, "__init__", note)
    await run("goto", f"{web.url}/plain.html")
    assert left[0] > 30


async def test_dialogs_and_windows_of_its_own_are_told_once(run: Run, shell: Shell, web: Web) -> None:
    """Answer the dialogs, and block the windows."""
    page = web.show("""<script>document.title = confirm('Sure?') && prompt('Name?', 'Ada')
        open('/plain.html'); open('/form.html', '', 'noopener')</script>""")
    said = await run("goto", page)
    assert sorted(said.splitlines()[1:]) == [
        f"→ blocked 2 windows that the page opened by itself (the last: {web.url}/form.html)",
        '→ confirm "Sure?": accepted (dialog-dismiss refuses later ones, dialog-hold leaves them open)',
        '→ prompt "Name?": accepted "Ada"',
    ]
    assert await run("js document.title") == "Ada"
    await run("js", "confirm('Again?')")
    assert len(list(shell.service.default_context.logs.dialog)) == 3
    assert (await run("tabs")).count("\n") == 0
    await until(lambda: shell.browser.context.pages == [shell.browser.tab().page])


@pytest.mark.both_browsers
async def test_frames_of_another_site_and_workers_are_part_of_it(run: Run, web: Web, shell: Shell) -> None:
    """Carry the storage of all sites to another browser context."""
    inner = web.show_elsewhere(
        "<button onclick=\"console.log('pressed', document.cookie)\">In</button><script>console.log('far'); localStorage.inner = 'kept'\n"
        "document.cookie = 'inner=kept; SameSite=None; Secure'\n"
        "fetch('/api').then((got) => got.text())</script>"
    )
    worker = "new Worker(URL.createObjectURL(new Blob([`console.log('worker'); postMessage(1)`])))"
    service = web.script("worker.js", "self.addEventListener('install', () => self.skipWaiting())")
    page = web.show(
        f"<iframe src='{inner}'></iframe><script>console.log('near'); localStorage.outer = 'kept'\n"
        f"done = new Promise((heard) => {worker}.onmessage = heard); ready = navigator.serviceWorker.register('{service}')</script>"
    )
    await run("goto", page)
    await run("js", "done.then(() => 1)")
    logs = shell.service.default_context.logs  # what a frame in another process says comes by itself
    await until(lambda: logs.console.total == 3)
    await until(lambda: any("/api" in one.url and one.is_done for one in logs.network))
    assert sorted(line.split()[2] for line in (await run("console")).splitlines()) == ["far", "near", "worker"]
    assert (await run("network")).count("/api → 200") == 1
    await run(f"click {await ref_of(run, 'In')}")
    await until(lambda: logs.console.total == 4)
    assert "pressed inner=kept" in await run("console")
    assert await run("js", "ready.then((found) => new URL(found.scope).pathname.split('/')[1])") == "scripts"
    await run("useragent", "Another/1.0")
    assert await run("js localStorage.outer") == "kept"
    await run("goto", f"{web.other}/plain.html")
    assert await run("js", "localStorage.inner") == "kept"


async def refs_hold_in_a_frame_that_loads_later(run: Run) -> None:
    outer = await ref_of(run, "Outer")
    loads = "f = document.querySelector('iframe'); f.onload = done; f.srcdoc = '<button>Inner</button>'"
    for _ in range(2):
        await run("js", f"new Promise(done => {{ {loads} }})")
        inner = await ref_of(run, "Inner")
        assert await run("click", inner) == f"Clicked {inner}"
        assert [await ref_of(run, name) for name in ("Outer", "Inner")] == [outer, inner]


async def test_a_page_that_is_stuck_keeps_only_its_own_tab(
    run: Run, fails: Fails, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_settling, "TURN_SECONDS", 0.2)
    loop = web.show("<script>addEventListener('load', () => setTimeout(() => { for (;;); }))</script>")
    said = await run("goto", loop)
    assert said.splitlines()[-1] == "→ the page does not answer: a script keeps it busy"
    assert STARTED_EARLY in await run("status", timeout=30_000)
    for command in ("console", "network", "dialog"):
        assert await run(command, timeout=30_000)
    assert (await run("tabs", timeout=30_000)).startswith("→ [1] ")
    await run(f"newtab {web.url}/plain.html", timeout=30_000)
    reply = await fails("text", TimedOut, tab=1, timeout=300)
    assert reply.message.endswith("the page is stuck in a script, which was stopped")
    assert await run(f"goto {web.url}/plain.html", tab=1) == f"Navigated to {web.url}/plain.html (200)"
    await run("text", tab=1)


@pytest.mark.usefixtures("service")
async def test_first_page_belongs_to_the_agent_who_comes_first(tmp_path: Path, web: Web) -> None:
    """Give the default context a tab when a command needs one, and nothing of the first agent's."""
    page_of_ann = web.show("""<script>document.cookie = 'who=ann'; window.kept = Math.random(); console.log('of ann')
        document.title += confirm('Sure?') ? '!' : '?'</script>""")
    async with cold(tmp_path, "ann") as service:
        shell = Shell(service, tmp_path)

        async def run(line: str, *words: str, as_: str = "ann") -> str:
            reply = await shell.send(line, *words, as_=as_)
            assert reply.code == 0, f"{line}: {reply.message}"
            return reply.text

        plain = f"{web.url}/plain.html"
        said, other = await asyncio.gather(run("goto", page_of_ann), run("goto", plain, as_="bob"))
        assert 'confirm "Sure?": accepted' in said
        assert other == f"Navigated to {plain} (200)"
        assert service.record.describe_open("ann") == f"1 tab, last at {page_of_ann}", "lost with a crash"
        kept = await run("js", "window.kept + document.title")
        assert kept.endswith("Test!")
        assert re.search(r"default +0 tabs", await run("contexts"))
        carried = await service.capture()
        assert carried
        assert [tab.url for tab in carried.contexts["ann"].tabs] == [page_of_ann]
        await run("newtab", page_of_ann)
        assert await run("js", "window.kept + document.title") != kept
        assert (await run("tabs")).count(" of ann] Test!") == 2
        assert (await run("console --all-pages")).count("of ann") == 2
        for name in ("", "bob"):
            await run("goto", plain, as_=name)
            seen = [await run(read, as_=name) for read in ("cookies", "console --all-pages", "dialog", "tabs")]
            assert "ann" not in " ".join(seen).lower(), name
        assert await run("context-close ann", as_="bob") == "Closed context ann (2 tabs)"
        assert "who" not in await run("cookies")
