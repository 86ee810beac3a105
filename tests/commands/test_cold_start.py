"""Test the first page of a cold start, which runs before Playwright has it.

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

from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.engine import closed_roots, internals
from gstack_browse.browser.launch import known_start
from gstack_browse.browser.launch.takeover import START_DESCRIPTION
from gstack_browse.browser.output import expecting
from gstack_browse.browser.output.expected_elements import ElementCount
from gstack_browse.browser.tabs.page import PageSession
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.daemon import respite, timeouts
from gstack_browse.daemon.browser_start import BrowserStart
from gstack_browse.errors import NavigationFailed, TabGone, TimedOut
from tests import processes
from tests.commands.conftest import As, Fails, Run, Shell, Show, cold, hang, until
from tests.commands.web import Web

pytestmark = [pytest.mark.cold, pytest.mark.pipe, pytest.mark.own_browser]

SEEN = """JSON.stringify([
  innerWidth, innerHeight, outerWidth, outerHeight, screen.width, screen.height, screen.orientation.type, devicePixelRatio,
  document.hasFocus(), document.visibilityState, navigator.userAgent, navigator.webdriver, navigator.languages, navigator.maxTouchPoints,
  ...["(prefers-color-scheme: light)", "(prefers-reduced-motion)", "(forced-colors: active)", "(prefers-contrast: more)", "(hover)",
    "(pointer: fine)", "print"].map((query) => matchMedia(query).matches),
  getComputedStyle(document.documentElement).fontFamily, new Date(0).getTimezoneOffset(),
])"""


def ref_of(snapshot: str, words: str) -> str:
    return next(line.split()[0] for line in snapshot.splitlines() if words in line)


@pytest.mark.both_browsers
async def test_a_page_sees_the_same_browser_as_any_later_one(run: Run, show: Show) -> None:
    page = f"<pre id=seen></pre><script>seen.textContent = {SEEN}</script>"
    await show(page)
    first = json.loads(await run("text #seen"))
    await show(page)
    assert json.loads(await run("text #seen")) == first
    assert json.loads(await run("js", SEEN)) == first


async def test_time_of_a_command_begins_when_missing_programs_are_installed(
    run: Run, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium, or a library that it lacks, takes longer to install than a page to load."""
    seconds, left = iter([30.0]), []
    earliest, begin = BrowserStart.wait_for_early_session, PageSession.__init__

    async def install(start: BrowserStart, *words: Any) -> BrowserSession | None:
        start.is_installing = True
        return await earliest(start, *words)

    def note(page: PageSession, *words: Any, **options: Any) -> None:
        left.append(options["deadline"] - asyncio.get_running_loop().time())
        begin(page, *words, **options)

    monkeypatch.setattr(timeouts, "deadline_seconds", lambda *_: next(seconds, 60.0))
    monkeypatch.setattr(BrowserStart, "wait_for_early_session", install)
    monkeypatch.setattr(PageSession, "__init__", note)
    await run("goto", f"{web.url}/plain.html")
    assert left[0] > 30


async def test_chromium_needs_no_process_for_the_network(run: Run, web: Web, shell: Shell) -> None:
    await run("goto", f"{web.url}/plain.html")
    place = shell.browser.running.scratch.name
    ours = [
        process
        for process in psutil.Process().children(recursive=True)
        if place in " ".join(processes.words(process))
    ]
    assert ours, "Chromium runs; beside that, those of other tests may"
    below = {process for one in ours for process in [one, *one.children(recursive=True)]}
    lines = [" ".join(processes.words(process)) for process in below]
    assert any("--type=renderer" in line for line in lines)
    assert [line for line in lines if "--utility-sub-type=network" in line] == []


@pytest.mark.both_browsers
async def test_page_of_a_cold_start_goes_on_when_playwright_takes_it(
    run: Run, show: Show, web: Web, shell: Shell
) -> None:
    url = await show(
        f"<a href='{web.url}/plain.html'>Next</a><input id=typed><script>window.kept = Math.random();"
        "socket = new WebSocket(`ws://${location.host}/hang`); fetch('/api'); console.log('said'); sessionStorage.tab = 1; setTimeout(() => { throw new Error('late') })</script>"
    )
    kept = await run("js window.kept")
    assert shell.browser.running.start_description == START_DESCRIPTION
    assert await run("js window.kept") == kept
    assert (await run("console")).count("said") == 1
    assert (await run("console --errors")).count("late") == 1
    asked = [line.split()[2] for line in (await run("network")).splitlines()]
    assert sorted(asked) == sorted([url, f"{web.url}/api", f"{web.url}/hang".replace("http", "ws")])
    await run("js", "socket.close(); 1")
    await until(lambda: all(entry.is_done for entry in shell.service.logs.network))
    ref = next(line.split()[0] for line in (await run("snapshot -i")).splitlines() if "Next" in line)
    assert await run(f"click {ref}") == f"Clicked {ref}\n→ now at {web.url}/plain.html"
    assert (await run("back")).startswith(f"Back → {url}")


@pytest.mark.usefixtures("without_playwright")
async def test_listeners_are_listed_before_and_after_playwright_has_the_page(
    run: Run, show: Show, shell: Shell
) -> None:
    await show(
        "<b>One</b><script>document.querySelector('b').addEventListener('click', later)\n"
        "function later() { const next = document.createElement('b'); next.textContent = 'Two'; this.after(next); next.onclick = () => 0 }</script>"
    )
    shown = await run("snapshot -i")
    assert shell.browser.tab().is_early
    await run("click", ref_of(shown, "One"))
    await shell.browser.tab().until_adopted()
    assert [line.partition(" ")[2] for line in (await run("snapshot -i")).splitlines()] == [
        '[generic] "One" [listener]',
        '[generic] "Two" [listener]',
    ]


@pytest.mark.usefixtures("without_playwright")
async def test_playwright_may_take_the_page_over_in_the_middle_of_a_snapshot(
    run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show("<b>One</b><script>document.querySelector('b').addEventListener('click', () => 0)</script>")
    resolve = closed_roots.resolve

    async def taken_over(*words: Any) -> str:
        node = await resolve(*words)
        await shell.browser.tab().until_adopted()
        return node

    monkeypatch.setattr(closed_roots, "resolve", taken_over)
    assert '"One" [listener]' in await run("snapshot -i")
    assert not shell.browser.tab().is_early


@pytest.mark.usefixtures("without_playwright")
async def test_playwright_may_take_the_page_over_while_internals_are_read(
    run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects of one session are unknown in the next."""
    await show(
        "<x-box tabindex=0>Dark</x-box><script>customElements.define('x-box', class extends HTMLElement {"
        " internals = this.attachInternals(); constructor() { super(); this.internals.role = 'switch'; this.internals.ariaChecked = 'true' } })</script>"
    )
    find = internals._describe

    async def take_over(*words: Any) -> internals._CustomElement:
        found = await find(*words)
        await shell.browser.tab().until_adopted()
        return found

    monkeypatch.setattr(internals, "_describe", take_over)
    assert await run("is checked x-box") == "true"
    assert not shell.browser.tab().is_early


@pytest.mark.usefixtures("without_playwright")
async def test_common_commands_are_answered_without_playwright(run: Run, web: Web, shell: Shell) -> None:
    page = web.show(
        "<title>Cold</title><button onclick='document.title = who.value'>Go</button><input id=who aria-label=Name>"
        "<select id=size aria-label=Size><option>S<option>L</select><label><input type=checkbox id=box>Box</label>"
        "<a href='/plain.html'>Next</a><script>alert('asked'); console.log('said')</script>"
    )
    await run("goto", page)
    shown = await run("snapshot -i")
    button, field = ref_of(shown, '"Go"'), ref_of(shown, '"Name"')
    assert await run("fill", field, "Ada") == f"Filled {field}"
    assert await run("select #size L") == 'Selected "L" in #size'
    assert await run("click", button) == f"Clicked {button}"
    assert await run("title") == "Ada"
    assert await run("check #box") == "Checked #box"
    assert await run("is checked #box") == "true"
    assert await run("js", f"{field}.value + size.value") == "AdaL"
    assert await run("expect value '#who' Ada")
    assert await run("wait --text Next")
    assert (await run("hover #box"), await run("value #who"), await run("count option")) == (
        "Hovered #box",
        "Ada",
        "2",
    )
    assert await run("url") == page
    assert f"URL: {page}" in (await run("status")).splitlines()
    hints = [(await shell.send("click '#nope' --timeout 10")).hint for _ in range(3)]
    assert ["handoff" in hint for hint in hints] == [False, False, True]
    assert await run("tabs") == f"→ [1] Ada — {page}"
    await run("type --into #who", " Lovelace, née 漢")
    assert await run("value #who") == "Ada Lovelace, née 漢"
    await run("press Backspace")
    await run("press !")
    assert await run("value #who") == "Ada Lovelace, née !"
    await run("press Tab")
    assert await run("js document.activeElement.id") == "size"
    await run("press Shift+Tab")
    assert await run("js document.activeElement.id") == "who"
    await run("press End")
    await run("keydown Shift")
    await run("press Home")
    await run("keyup Shift")
    assert await run("js getSelection().toString()") == "Ada Lovelace, née !"
    tab = shell.browser.tab()
    assert tab.is_early, "none of them has waited for Playwright"
    await tab.until_adopted()
    await run("fill", field, "Bea")
    assert await run("click", button) == f"Clicked {button}", "refs that were given before hold"
    assert await run("title") == "Bea"
    shown = await run("snapshot -i")
    assert ref_of(shown, '"Go"') == button
    link = ref_of(shown, '"Next"')
    assert await run("click", link) == f"Clicked {link}\n→ now at {web.url}/plain.html"


@pytest.mark.usefixtures("without_playwright")
async def test_keys_ask_and_submit_before_playwright_as_later(run: Run, web: Web, shell: Shell) -> None:
    asks = "this.title = confirm('Sure?')"
    await run("goto", web.show(f'<form action="/plain.html"><input name=q autofocus onkeydown="{asks}">'))
    said = await run("press a")
    assert said.startswith("Pressed a\n→ "), said
    assert "Sure?" in said
    assert shell.browser.tab().is_early
    await run("js", "document.querySelector('input').onkeydown = null; 1")
    assert await run("press Enter") == f"Pressed Enter\n→ now at {web.url}/plain.html?q=a"
    assert shell.browser.tab().is_early


@pytest.mark.usefixtures("without_playwright")
async def test_a_window_that_opens_meanwhile_is_among_the_tabs(run: Run, web: Web, shell: Shell) -> None:
    later = "setTimeout(() => window.open('/plain.html'), 200)"
    await run("goto", web.show(f'<button onclick="{later}">Go</button>'))
    await run("click button")
    await until(lambda: shell.browser.tab(1).needs_playwright)
    assert "/inline/" in await run("tabs")
    assert shell.service.browser, "it has waited for Playwright, which takes windows in"
    await until(lambda: 2 in shell.browser.tabs)
    assert (await run("tabs")).count("\n") == 1


@pytest.fixture
def lazy_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start Playwright's driver when it is needed, though it would be time for it at once."""
    monkeypatch.setenv("BROWSE_DRIVER", "lazy")
    for name in ("QUIET_SECONDS", "FIRST_SECONDS", "MOST_SECONDS"):
        monkeypatch.setattr(respite, name, 0.0)


def drivers() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "run-driver" in processes.words(child)]


@pytest.mark.usefixtures("without_playwright")
async def test_a_size_is_kept_when_playwright_takes_the_page_over(run: Run, web: Web, shell: Shell) -> None:
    await run("goto", f"{web.url}/plain.html")
    await run("viewport 500x400 --scale 2")
    assert shell.browser.tab().is_early
    await shell.browser.tab().until_adopted()
    for site in ("", web.url, web.other):
        if site:
            await run("goto", f"{site}/form.html")
        assert (
            await run("js", "[innerWidth, innerHeight, devicePixelRatio, screen.width].join()")
            == "500,400,2,500"
        )


@pytest.mark.usefixtures("lazy_driver")
async def test_lazy_driver_starts_with_the_first_command_that_needs_it(
    run: Run, web: Web, shell: Shell
) -> None:
    others = drivers()
    await run("goto", f"{web.url}/form.html")
    await shell.service.idle_scheduler.wait_until_idle()
    for line in ("fill '#name' Ann", "snapshot -i", "click '#name'", "js 1", "console", "screenshot a.png"):
        await run(line)
    assert "Chromium first" in await run("status")
    assert drivers() == others
    assert not shell.service.is_starting, "an upgrade has not to wait"
    await asyncio.wait_for(shell.service.wait_until_started(), 10)
    await run("cookies")
    assert len(drivers()) == len(others) + 1
    assert await run("value '#name'") == "Ann"
    assert await run(f"newtab {web.url}/plain.html")


@pytest.mark.usefixtures("lazy_driver")
async def test_lazy_driver_starts_for_another_context(run: Run, by: As, web: Web, shell: Shell) -> None:
    await run("goto", f"{web.url}/form.html")
    await run("fill '#name' Ann")
    assert await by("bea", f"goto {web.url}/plain.html") == f"Navigated to {web.url}/plain.html (200)"
    assert await run("value '#name'") == "Ann"


@pytest.mark.usefixtures("lazy_driver")
async def test_state_is_captured_before_a_driver_was_needed(run: Run, web: Web, shell: Shell) -> None:
    await run("goto", f"{web.url}/form.html")
    await run("storage-set theme dark")
    state = await shell.service.capture()
    assert state
    assert "dark" in json.dumps(state.storage)


@pytest.mark.usefixtures("without_playwright")
async def test_commands_that_need_playwright_wait_for_it(run: Run, web: Web, shell: Shell) -> None:
    inner = web.show("<button onclick='parent.postMessage(1, `*`)'>In</button>").replace(web.url, web.other)
    page = web.show(
        f"<iframe src='{inner}'></iframe><p contenteditable id=text>Old</p><a href='/plain.html' target=_blank>Window</a>"
        "<script>addEventListener('message', () => document.title = 'heard')</script>"
    )
    await run("goto", page)
    assert await run("click text=Window") == f"Clicked text=Window\n→ opened tab 2: {web.url}/plain.html"
    shown = await run("snapshot -i", tab=1)
    inside = ref_of(shown, '"In"')
    await run("click", inside, tab=1)
    assert await run("wait --js 'document.title == `heard`'", tab=1)
    assert await run("fill #text New", tab=1) == "Filled #text"


@pytest.mark.usefixtures("without_playwright")
@pytest.mark.parametrize(
    "taken_over_by",
    [
        "click {inner}",
        *(pytest.param(line, marks=pytest.mark.slow) for line in ("is visible {inner}", "press Tab", "text")),
    ],
)
async def test_refs_hold_in_frames_that_load_later(
    run: Run, show: Show, shell: Shell, taken_over_by: str
) -> None:
    await show("<button>Outer</button><iframe srcdoc='<button>Inner</button>'></iframe>")
    first = await run("snapshot -i")
    await run(taken_over_by.format(inner=ref_of(first, "Inner")))
    for _ in range(2):
        await run(
            "js \"new Promise(r => { const f = document.querySelector('iframe'); f.onload = r; f.srcdoc = '<button>Inner</button>' })\""
        )
        later = await run("snapshot -i")
        assert ref_of(later, "Outer") == ref_of(first, "Outer")
        inner = ref_of(later, "Inner")
        assert await run("click", inner) == f"Clicked {inner}"
        shown = await run("snapshot -i")
        assert (ref_of(shown, "Outer"), ref_of(shown, "Inner")) == (ref_of(first, "Outer"), inner)
    assert not shell.browser.tab().is_early


@pytest.mark.usefixtures("without_playwright")
async def test_expect_has_its_whole_time_once_playwright_has_the_page(
    run: Run, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Look at something that Playwright has to be asked for.

    On a busy machine that takes longer than the page may.
    """
    waits: list[Tab] = []
    until_adopted = Tab.until_adopted

    async def late(tab: Tab) -> None:
        waits.append(tab)
        if len(waits) == 1:
            await asyncio.Event().wait()  # until the look has no more time
        monkeypatch.setattr(expecting, "ANSWER_SECONDS", 60.0)
        monkeypatch.setattr(expecting, "WAIT_SECONDS", 60.0)
        await until_adopted(tab)

    async def ask_playwright(count: ElementCount) -> bool:
        return await count.page.frame.locator("input").count() == 1

    await show("<label>Name <input value=Ada></label>")
    monkeypatch.setattr(ElementCount, "check", ask_playwright)
    monkeypatch.setattr(expecting, "ANSWER_SECONDS", 0.5)  # in which a page answers that is there already
    monkeypatch.setattr(expecting, "WAIT_SECONDS", 0.5)
    monkeypatch.setattr(expecting, "ANSWERS", 3_000)  # about a second, whatever else the machine does
    monkeypatch.setattr(Tab, "until_adopted", late)
    assert (await run("expect count input 1")).startswith("Expected: ")
    assert len(waits) > 1


BLANK = {
    "text": (0, ""),
    "links": (0, "(no links)"),
    "snapshot -i": (0, "(no accessible elements found)"),
    "count body": (0, "1"),
    "js \"Promise.reject('plain')\"": (1, "plain"),
    "click body": (0, "Clicked body"),
}


@pytest.mark.usefixtures("without_playwright")
@pytest.mark.parametrize(
    "first", [pytest.param(line, marks=[pytest.mark.slow] * (line != "click body")) for line in BLANK]
)
async def test_the_blank_page_that_a_download_leaves_is_a_page(web: Web, shell: Shell, first: str) -> None:
    assert (await shell.send(f"goto {web.url}/download")).code == 1
    for words in (first, *BLANK):
        reply = await shell.send(words)
        assert (reply.code, reply.text or reply.message) == BLANK[words], words
    assert shell.browser.tab().is_early
    await shell.browser.tab().until_adopted()
    assert (await shell.send("count body")).text == "1"


async def test_a_dialog_is_answered_and_told_once(run: Run, show: Show, shell: Shell, web: Web) -> None:
    said = await run(
        "goto", web.show("<script>document.title = confirm('Sure?') && prompt('Name?', 'Ada')</script>")
    )
    assert [line for line in said.splitlines() if "Sure?" in line or "Name?" in line] == [
        '→ confirm "Sure?": accepted (dialog-dismiss refuses later ones, dialog-hold leaves them open)',
        '→ prompt "Name?": accepted "Ada"',
    ]
    assert await run("js document.title") == "Ada"
    assert len(list(shell.service.logs.dialog)) == 2
    await run("js", "confirm('Again?')")
    assert len(list(shell.service.logs.dialog)) == 3


@pytest.mark.both_browsers
async def test_a_window_that_it_opens_by_itself_is_blocked(run: Run, web: Web, shell: Shell) -> None:
    said = await run(
        "goto", web.show("<script>open('/plain.html'); open('/form.html', '', 'noopener')</script>")
    )
    assert said.splitlines()[1:] == ["→ blocked 2 windows that the page opened by itself"]
    assert (await run("tabs")).count("\n") == 0
    await shell.browser.tab().until_adopted()
    await until(lambda: shell.browser.context.pages == [shell.browser.tab().page])


async def test_a_download_is_no_page_and_is_counted_once(
    run: Run, fails: Fails, web: Web, shell: Shell
) -> None:
    reply = await fails("goto", NavigationFailed, f"{web.url}/download")
    assert reply.message.startswith(f"{web.url}/download is a download, not a page: downloaded report.csv (8B)")
    await run("tabs")
    await shell.browser.tab().until_adopted()
    await run("js 1")
    assert [download.name for download in shell.service.downloads] == ["report.csv"]
    assert await run("url") == "about:blank"


@pytest.mark.both_browsers
async def test_frames_of_another_site_and_workers_are_part_of_it(run: Run, web: Web, shell: Shell) -> None:
    inner = web.show(
        "<button onclick=\"console.log('pressed')\">In</button><script>console.log('far'); fetch('/api').then((got) => got.text())</script>"
    )
    worker = "new Worker(URL.createObjectURL(new Blob([`console.log('worker'); postMessage(1)`])))"
    page = web.show(
        f"<iframe src='{inner.replace(web.url, web.other)}'></iframe><script>console.log('near');"
        f"done = new Promise((heard) => {worker}.onmessage = heard)</script>"
    )
    await run("goto", page)
    await run("js", "done.then(() => 1)")
    logs = shell.service.logs  # what a frame in another process says comes by itself
    await until(
        lambda: logs.console.total == 3 and any("/api" in one.url and one.is_done for one in logs.network)
    )
    assert sorted(line.split()[2] for line in (await run("console")).splitlines()) == ["far", "near", "worker"]
    assert (await run("network")).count("/api → 200") == 1
    ref = next(line.split()[0] for line in (await run("snapshot -i")).splitlines() if '"In"' in line)
    await run(f"click {ref}")
    await until(lambda: logs.console.total == 4)
    assert "pressed" in await run("console")


async def test_a_service_worker_runs(run: Run, web: Web) -> None:
    worker = web.script("worker.js", "self.addEventListener('install', () => self.skipWaiting())")
    await run("goto", web.show(f"<script>ready = navigator.serviceWorker.register('{worker}')</script>"))
    assert await run("js", "ready.then((found) => new URL(found.scope).pathname.split('/')[1])") == "scripts"


async def test_a_page_that_closes_before_playwright_has_it_leaves_a_blank_one(
    run: Run, fails: Fails, web: Web, shell: Shell
) -> None:
    await run("goto", f"{web.url}/plain.html")
    assert shell.browser.tab().is_early
    await shell.browser.tab().page.close()
    await until(lambda: 1 not in shell.browser.tabs)
    assert (await fails("text", TabGone)).message == "Tab 1 closed itself; the active tab is now 2: about:blank"
    assert await run("goto", f"{web.url}/plain.html") == f"Navigated to {web.url}/plain.html (200)"


async def test_a_page_that_is_closed_before_playwright_is_sent_for(
    run: Run, shell: Shell, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The start goes on without the page, and the next one is as quick."""
    until_needed = BrowserStart._wait_until_needed

    async def late(start: BrowserStart, browser: BrowserSession) -> None:
        await until(lambda: 1 not in browser.tabs)
        await until_needed(start, browser)

    monkeypatch.setattr(BrowserStart, "_wait_until_needed", late)
    reply = await shell.send("goto", web.show("<script>while (true) alert('again')</script>"))
    assert reply.message == "The page in tab 1 showed 25 dialogs in a row and was closed"
    assert (await run("tabs")).startswith("→ [2]")
    assert await run("goto", f"{web.url}/plain.html") == f"Navigated to {web.url}/plain.html (200)"
    assert known_start.load()


async def test_a_crash_is_told_until_the_tab_is_somewhere_else(
    run: Run, fails: Fails, web: Web, shell: Shell
) -> None:
    await shell.send("goto", "chrome://crash")
    await shell.send("goto", f"{web.url}/plain.html")
    assert "crashed" not in await run("text")


async def test_a_page_that_is_stuck_keeps_only_its_own_tab(
    run: Run, fails: Fails, web: Web, shell: Shell
) -> None:
    said = await run(
        "goto", web.show("<script>addEventListener('load', () => setTimeout(() => { for (;;); }))</script>")
    )
    assert said.splitlines()[-1] == "→ the page does not answer: a script keeps it busy"
    assert "Chromium first" in await run("status", timeout=30_000)
    for command in ("console", "network", "dialog"):
        assert await run(command, timeout=30_000)
    assert (await run("tabs", timeout=30_000)).startswith("→ [1] ")
    await run(f"newtab {web.url}/plain.html", timeout=30_000)
    reply = await fails("text", TimedOut, tab=1, timeout=1000)
    assert reply.message.endswith("the page is stuck in a script, which was stopped")
    assert await run(f"goto {web.url}/plain.html", tab=1) == f"Navigated to {web.url}/plain.html (200)"
    await run("text", tab=1)


async def test_a_server_that_does_not_answer_keeps_only_its_own_tab(run: Run, fails: Fails, web: Web) -> None:
    await fails("goto", TimedOut, f"{web.url}/hang", timeout=2000)
    await run(f"newtab {web.url}/plain.html", timeout=30_000)
    assert await run(f"goto {web.url}/plain.html", tab=1) == f"Navigated to {web.url}/plain.html (200)"


async def test_storage_of_all_sites_is_carried_to_another_browser(run: Run, web: Web) -> None:
    inner = web.show("<script>localStorage.inner = 'kept'</script>").replace(web.url, web.other)
    await run("goto", web.show(f"<iframe src='{inner}'></iframe><script>localStorage.outer = 'kept'</script>"))
    await run("useragent", "Another/1.0")
    assert await run("js localStorage.outer") == "kept"
    await run("goto", f"{web.other}/plain.html")
    assert await run("js localStorage.inner") == "kept"


@pytest.mark.usefixtures("without_playwright")
async def test_storage_of_a_page_that_hangs_before_playwright_is_carried_over(
    run: Run, show: Show, shell: Shell, web: Web
) -> None:
    """Hang in a script that never ends, so that Playwright cannot take the page over.

    It alone knows what is in the storage of others.
    """
    await show(
        "<script>localStorage.kept = 'yes'; sessionStorage.tab = 'here'; document.cookie = 'who=ann'</script>"
    )
    stuck = await hang(shell, 60_000)
    assert shell.browser.tabs.find().is_early
    carried = await shell.service.capture()
    assert carried
    assert (carried.missing, carried.tabs[0].items) == ("", {"tab": "here"})
    (origin,) = carried.storage["origins"]
    assert (origin["origin"], origin["localStorage"]) == (web.url, [{"name": "kept", "value": "yes"}])
    assert [cookie["name"] for cookie in carried.storage["cookies"]] == ["who"]
    await stuck


@pytest.fixture
def page_of_ann(web: Web) -> str:
    return web.show(
        "<script>document.cookie = 'who=ann'; window.kept = Math.random(); console.log('of ann');"
        "document.title += confirm('Sure?') ? '!' : '?'</script>"
    )


@pytest.mark.usefixtures("service")
async def test_first_page_belongs_to_the_agent_who_comes_first(
    tmp_path: Path, page_of_ann: str, web: Web
) -> None:
    """Start under a name, which makes nothing slower.

    The default context gets a tab when a command needs one, and knows nothing of it.
    """
    async with cold(tmp_path, "ann") as service:
        shell = Shell(service, tmp_path)

        async def run(line: str, *words: str, as_: str = "ann") -> str:
            reply = await shell.send(line, *words, as_=as_)
            assert reply.code == 0, f"{line}: {reply.message}"
            return reply.text

        said, other = await asyncio.gather(
            run("goto", page_of_ann), run("goto", f"{web.url}/plain.html", as_="bob")
        )
        assert 'confirm "Sure?": accepted' in said
        assert other == f"Navigated to {web.url}/plain.html (200)"
        ann = service.contexts.get_or_make("ann").browser
        assert ann
        assert ann.running.start_description == START_DESCRIPTION
        kept = await run("js", "window.kept + document.title")
        assert kept.endswith("Test!")
        assert re.search(r"default +0 tabs", await run("contexts"))
        await run("newtab", page_of_ann)
        assert await run("js", "window.kept + document.title", as_="ann") != kept
        assert (await run("tabs")).count(" of ann] Test!") == 2
        assert (await run("console --all-pages")).count("of ann") == 2
        for name in ("", "bob"):
            await run("goto", f"{web.url}/plain.html", as_=name)
            seen = [await run(read, as_=name) for read in ("cookies", "console --all-pages", "dialog", "tabs")]
            assert "ann" not in " ".join(seen).lower(), name


@pytest.mark.usefixtures("service")
async def test_a_page_of_an_agent_is_there_before_playwright(tmp_path: Path, page_of_ann: str) -> None:
    async with cold(tmp_path, "ann") as service:
        shell = Shell(service, tmp_path)
        await shell.send("goto", page_of_ann, as_="ann")
        early = service.contexts.get_or_make("ann").early_session
        assert early
        assert (service.browser, service.contexts.get_or_make("ann").browser, early.tab().is_early) == (
            None,
            None,
            True,
        )
        assert service.record.describe_open("ann") == f"1 tab, last at {page_of_ann}", (
            "for whom it is lost with a crash"
        )
        assert (await shell.send("context-close ann", as_="bob")).text == "Closed context ann (1 tab)"
        assert "who" not in (await shell.send("cookies", as_="ann")).text


@pytest.mark.usefixtures("without_playwright")
async def test_a_dialog_while_playwright_takes_the_page_over_is_told(
    run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_page, goes_on = asyncio.Event(), asyncio.Event()
    attach = PipeConnection.attach

    async def late(connection: PipeConnection, target_id: str) -> Target:
        has_page.set()
        await goes_on.wait()
        return await attach(connection, target_id)

    await show("<button onclick=\"out.textContent = prompt('Name?')\">Go</button><output id=out></output>")
    await run("dialog-accept Ann")
    tab = shell.browser.tab()
    early = tab.page
    monkeypatch.setattr(PipeConnection, "attach", late)
    adopting = asyncio.ensure_future(tab.until_adopted())
    await has_page.wait()
    clicking = asyncio.ensure_future(shell.send("click button"))
    await until(lambda: shell.service.logs.dialog.total)
    assert [entry.tab for entry in shell.service.logs.dialog] == [1]
    goes_on.set()
    assert (await clicking).text == 'Clicked button\n→ prompt "Name?": accepted "Ann"'
    await adopting
    assert await run("text '#out'") == "Ann"
    assert tab.page is not early
    assert shell.browser.tabs.of_page(early) is tab, (
        "a dialog that the early page has told of is looked at a moment later"
    )


@pytest.mark.usefixtures("without_playwright")
@pytest.mark.parametrize(
    "answered", [["dialog-accept"], pytest.param(["chain", '[["dialog-accept"]]'], marks=pytest.mark.slow)]
)
async def test_a_dialog_is_answered_though_it_keeps_playwright_from_the_page(
    run: Run, show: Show, monkeypatch: pytest.MonkeyPatch, answered: list[str]
) -> None:
    monkeypatch.setattr(Tab, "need_playwright", lambda tab: None)
    await show("<button onclick='document.title = confirm(\"Sure?\")'>Ask</button>")
    await run("dialog-hold")
    await run("click button")
    assert 'Accepted confirm "Sure?"' in await run(*answered, timeout=8000)
    monkeypatch.undo()
    assert await run("title") == "true"


@pytest.mark.usefixtures("without_playwright")
async def test_requests_are_shaped_before_playwright_as_later(run: Run, web: Web, shell: Shell) -> None:
    """Apply headers, passwords, routes, limits and cookies to the first page.

    They still hold once Playwright has it.
    """
    await run("goto", f"{web.url}/plain.html")
    await run("header X-Team blue")
    await run(f"http-auth ann --origin {web.url}", stdin="correct horse")
    await run("cookie-set theme dark")
    await run("throttle --latency 1")
    await run("route **/routed --body Ours --content-type text/html")
    for is_early in (True, False):
        await run("goto", f"{web.url}/headers")
        shown = await run("text")
        assert "X-Team: blue" in shown
        assert "theme=dark" in shown
        await run("goto", f"{web.url}/members")
        assert "Hello ann" in await run("text")
        await run("goto", f"{web.url}/routed")
        assert await run("text") == "Ours"
        await run("storage-set step 2")
        assert "2" in await run("storage")
        tab = shell.browser.tab()
        assert tab.is_early is is_early
        await tab.until_adopted()


@pytest.mark.usefixtures("without_playwright")
async def test_dialogs_are_answered_before_playwright_as_later(run: Run, web: Web, shell: Shell) -> None:
    await run("goto", web.show("<button onclick=\"this.title = prompt('Who?')\">Go</button>"))
    await run("dialog-accept Ann")
    await run("click button")
    assert await run("js", "document.querySelector('button').title") == "Ann"
    await run("dialog-dismiss")
    await run("click button")
    assert await run("js", "document.querySelector('button').title") == "null"
    assert shell.browser.tab().is_early


@pytest.mark.usefixtures("without_playwright")
async def test_offline_waits_for_playwright(run: Run, fails: Fails, web: Web) -> None:
    await run("goto", f"{web.url}/plain.html")
    assert await run("throttle offline") == "Throttled: offline"
    await fails("goto", NavigationFailed, f"{web.url}/form.html")


@pytest.mark.usefixtures("without_playwright")
async def test_focus_and_clipboard_wait_for_playwright_only_in_a_frame(
    run: Run, web: Web, shell: Shell
) -> None:
    inner = web.show("<input id=i value=Within onfocus='select()'>")
    await run("goto", web.show(f"<input id=a value=Text><input id=b><iframe src='{inner}'></iframe>"))
    await run("select-text '#a'")
    assert "Text" in await run("copy")
    await run("focus '#b'")
    await run("paste")
    assert await run("value '#b'") == "Text"
    assert await run("blur") == "Blurred <input#b>"
    assert shell.browser.tab().is_early
    await run("js", "document.querySelector('iframe').contentDocument.querySelector('input').focus(); 1")
    assert "Within" in await run("copy")
    assert not shell.browser.tab().is_early
    assert await run("blur") == "Blurred <input#i>"
