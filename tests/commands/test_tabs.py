import asyncio
from collections.abc import Callable

import orjson
import pytest

from gstack_browse.browser.command import page_settling
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.state.context_state import ContextState, TabState
from gstack_browse.browser.transfer import capture
from gstack_browse.browser.transfer.restore import Reloader
from gstack_browse.browser.windows import popup_windows
from gstack_browse.errors import (
    ActionFailed,
    NavigationFailed,
    NoMatch,
    TabGone,
    TimedOut,
    UnknownRef,
    UsageError,
)
from tests.commands import in_page
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.web import Web
from tests.each import each
from tests.faults import fault

pytestmark = pytest.mark.same_session


async def test_tabs_are_listed_and_may_have_names(
    run: Run, visit: Show, web: Web, fails: Fails, shell: Shell
) -> None:
    """Give the names to the next browser, too."""
    await visit("plain.html")
    plain, form = f"{web.url}/plain.html", f"{web.url}/form.html"
    assert await run("newtab", form) == f"Opened tab 2 → {form} (200)"
    assert await run("newtab", form, "--name", "docs") == f"Opened tab 3 docs → {form} (200)"
    assert await run("tabs") == f"  [1] Plain — {plain}\n  [2] Form — {form}\n→ [3 docs] Form — {form}"
    assert (await fails("newtab --name docs", ActionFailed)).message == "Tab 3 is called docs already"
    assert (await run("tabs")).count("\n") == 2
    assert await run("tab 1") == "Switched to tab 1"
    assert (await run("tabs")).startswith("→ [1]")
    assert await run("tab docs") == "Switched to tab 3 docs"
    assert (await run("complete tabs")).endswith(f"docs\t{form}")
    assert await run("console --tab docs") == "(no console messages)"
    assert (await run("closetab docs")).startswith("Closed tab 3 docs; the active tab is now 2: http")
    for lost in ("tab docs", "closetab docs", "network --tab docs"):
        assert (await fails(lost, TabGone)).message == "There is no tab called docs"
    for lost in ("tab 99", "closetab 99"):
        assert (await fails(lost, TabGone)).message == "There is no tab 99"
    assert (await run("newtab", f"{web.url}/status/404", "--name", "docs")).endswith("/status/404 (404)")
    state = await capture.capture_state(shell.browser)
    carried = ContextState.from_dict(orjson.loads(orjson.dumps(state.as_dict())))
    assert [(tab.id, tab.name) for tab in carried.tabs] == [(1, ""), (2, ""), (5, "docs")]


async def test_command_is_run_in_each_tab(run: Run, visit: Show, web: Web, fails: Fails, shell: Shell) -> None:
    await visit("plain.html")
    plain, form = f"[1] {web.url}/plain.html", f"[2 docs] {web.url}/form.html"
    await run("newtab", f"{web.url}/form.html", "--name", "docs")
    await run("tab 1")
    assert await run("tab-each title") == f"{plain}\nPlain\n{form}\nForm"
    said = "console error: no"
    assert await run("tab-each", "js", "console.error('no'); 1+ -1") == f"{plain}\n{said}\n0\n{form}\n{said}\n0"
    assert (await run("tab-each console --errors")).count("no") == 2
    assert (await run("chain", stdin="tab-each count h1")).startswith(f"[tab-each] {plain}\n1")
    failed = await fails("tab-each fill '#name' -x --timeout 50", NoMatch)
    assert failed.text == f"{plain}\nError: {failed.message}\n{form}\nFilled #name"
    assert shell.browser.tabs.active == 1
    for wrong in ("tabs", "newtab", "closetab", "stop", "chain []", "tab-each url", "help"):
        await fails(f"tab-each {wrong}", UsageError)
    await fails("tab-each url", UsageError, tab=1)


async def test_a_hint_means_the_tab_that_was_named(run: Run, fails: Fails, show: Show) -> None:
    await show("x")
    await run("newtab")
    assert "'--tab 1 snapshot" in (await fails("click @e9", UnknownRef, tab=1)).hint
    assert "--tab" not in (await fails("click @e9", UnknownRef)).hint
    assert "--tab" not in (await fails("click @e9", UnknownRef, tab=2)).hint


@pytest.mark.fresh_session
async def test_newtab_that_fails_or_is_cut_off_leaves_no_tab_behind(
    fails: Fails, run: Run, shell: Shell, web: Web
) -> None:
    """Leave not even an unseen tab, at whichever moment it is cut off."""
    await fails("newtab", NavigationFailed, "http://127.0.0.1:1/")
    await fails("newtab", TimedOut, f"{web.url}/hang", "--timeout", "200")
    await fails("newtab", NavigationFailed, f"{web.url}/download")
    url = web.show("Late")
    for milliseconds in (1, 9, 30):
        reply = await shell.send("newtab", url, timeout=milliseconds)
        if reply.code:
            assert reply.error == TimedOut.kind, reply.message
        else:
            await run("closetab")
        assert await run("tabs") == "→ [1]  — about:blank"
    await _no_more_pages(shell, 1)


async def _no_more_pages(shell: Shell, count: int) -> None:
    """Wait until Chromium has at most `count` pages; the last ones are just being closed."""
    async with asyncio.timeout(60):
        while len(shell.browser.context.pages) > count:
            await in_page.next_event(shell.browser.context.pages[-1], "close")
    assert len(shell.browser.context.pages) == count


async def test_a_command_meets_a_window_that_has_just_appeared_or_is_just_closing(
    run: Run, show: Show, shell: Shell, web: Web
) -> None:
    """Run the command before anything has been made ready in the window."""
    await show(f"<a target=_blank href='{web.show('<title>New</title>')}'>Open</a>")
    for number, command in enumerate(("tabs", "goto about:blank"), 2):
        clicking = asyncio.ensure_future(run("click a"))
        await in_page.next_event(shell.browser.context, "page")
        assert shell.browser.tabs.numbers()[-1] == number
        await run(command, tab=None if command == "tabs" else number)
        await clicking
    clicking = asyncio.ensure_future(run("click a"))
    page = await in_page.next_event(shell.browser.context, "page")
    closing = asyncio.ensure_future(page.close())
    while not closing.done():
        assert (await run("tabs")).startswith("→ [1]")
    await clicking


async def test_a_tab_that_is_being_restored_is_where_it_will_be(run: Run, shell: Shell, web: Web) -> None:
    await run("goto about:blank")
    tab = shell.browser.tab()
    await tab.lock.acquire()
    carried = TabState(1, f"{web.url}/hang", web.url, {"draft": "x"})
    restoring = Reloader(shell.browser).start_loading(tab, carried)
    assert await run("tabs") == f"→ [1]  — {web.url}/hang"
    assert (await capture.capture_state(shell.browser)).tabs == [carried], (
        "nothing is lost when it is restarted again"
    )
    await run("closetab")
    await restoring


async def test_a_popup_is_a_tab_and_its_opener_tells_where_it_goes(run: Run, show: Show, web: Web) -> None:
    """Give it the viewport of the page that opens it. It is led by its name, and leads its opener."""
    await run("viewport 500x400 --scale 2")
    url = await show(
        "<button onclick=\"w = window.open('/plain.html', 'w')\">Open</button><a href=/form.html target=w>Lead</a><i onclick='w.close()'>Close</i>"
    )
    assert await run("click button") == f"Clicked button\n→ opened tab 2: {web.url}/plain.html"
    await run("tab 2")
    assert await run("text h1") == "A plain page"
    assert await run("js", "[innerWidth, devicePixelRatio]") == "[500,2]"
    await run("js", "document.querySelector('h1').onclick = () => opener.location.search = 'led'; 1")
    assert await run("click h1") == f"Clicked h1\n→ tab 1 now at {url}?led"
    await run("tab 1")
    await run("click button")
    assert await run("click a") == f"Clicked a\n→ tab 2 now at {web.url}/form.html"
    assert await run("click i") == "Clicked i\n→ tab 2 closed itself"
    assert "[2]" not in await run("tabs")


async def test_window_that_cannot_be_opened_shows_the_error_page(run: Run, show: Show, web: Web) -> None:
    await show("<a href=/drop?1 target=w>Open</a><b onclick=\"window.open('/drop?2', 'w')\">Lead</b>")
    assert await run("click a") == f"Clicked a\n→ opened tab 2: the browser's error page for {web.url}/drop?1"
    assert await run("click b") == f"Clicked b\n→ tab 2 now at the browser's error page for {web.url}/drop?2"
    await run("closetab 2")


NOT_THERE = "a window that the page has asked for is not there yet: see 'tabs'"
Windows = tuple[list[Page], Callable[[Page], None]]


@pytest.fixture
def held_back(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Windows:
    """Hold new windows back. Return those, and what tells the session of one."""
    held: list[Page] = []
    opened = shell.browser.pages._on_page_opened
    monkeypatch.setattr(page_settling, "WINDOW_SECONDS", 60.0)
    monkeypatch.setattr(shell.browser.pages, "_on_page_opened", held.append)
    return held, opened


OPENING = {"click button": "Clicked button", "js \"open('/plain.html'); 1\"": "1"}
"""What opens a window, and the beginning of the reply."""


@each(OPENING)
async def test_window_that_comes_late_is_waited_for_or_told(
    line: str, show: Show, shell: Shell, held_back: Windows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine Chromium reports the page seconds after the click, or the user's script, that opened it."""
    await show(
        "<button onclick=\"window.open('/plain.html')\">Open</button><a download href=/x onclick='return false'>No</a>"
    )
    held, opened = held_back
    monkeypatch.setattr(page_settling, "QUIET_SECONDS", 0.1)
    monkeypatch.setattr(page_settling, "WINDOW_SECONDS", 60.0)
    before = len(shell.browser.tabs)
    running = asyncio.ensure_future(shell.send(line))
    await until(lambda: held)
    await asyncio.wait({running}, timeout=0.3)
    opened(held.pop())
    reply = await running
    assert "\n→ ".join([reply.text, *reply.notes]).startswith(f"{OPENING[line]}\n→ opened tab ")

    monkeypatch.setattr(page_settling, "WINDOW_SECONDS", 0.1)
    reply = await shell.send(line)
    assert "\n→ ".join([reply.text, *reply.notes]) == f"{OPENING[line]}\n→ {NOT_THERE}"
    monkeypatch.setattr(page_settling, "WINDOW_SECONDS", 60.0)
    # Neither that window nor a download that a script prevents is waited for.
    assert (await shell.send("click a")).text == "Clicked a"
    opened(held.pop())
    await until(
        lambda: (
            len(shell.browser.tabs) == before + 2
            and shell.browser.tab(max(shell.browser.tabs.numbers())).is_unreported
        )
    )
    [told] = (await shell.send("text")).notes
    assert told.startswith("earlier: opened tab ")


async def test_a_window_that_closes_before_it_is_looked_at_leaves_no_tab(
    run: Run, show: Show, shell: Shell, held_back: Windows
) -> None:
    """Windows are looked at once the page that is being made is there: by then they may have closed."""
    await show("<button onclick=\"window.open('/plain.html')\">Open</button>")
    held, opened = held_back
    clicking = asyncio.ensure_future(run("click button"))
    await until(lambda: held)
    await held[0].close()
    await until(held[0].is_closed)
    opened(held[0])
    assert await clicking == "Clicked button"
    assert await run("tabs") == f"→ [1] Test — {shell.browser.tab().url}"
    assert await run("newtab") == "Opened tab 2"


async def test_a_page_that_answers_late_keeps_its_session_storage(
    run: Run, visit: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its script is not stopped, as the page does answer; then it has longer."""
    await run("newtab")
    await run("js", "location.href = 'data:text/html,words'")
    assert "lost" not in (await capture.capture_state(shell.browser)).summary(), "a blank tab has none to lose"
    await run("closetab")
    await visit("plain.html")
    await run("js", "sessionStorage.draft = 'x'")
    monkeypatch.setattr(capture, "ANSWER_SECONDS", 0.0)
    monkeypatch.delattr(World, "terminate")
    assert [tab.items for tab in (await capture.capture_state(shell.browser)).tabs] == [{"draft": "x"}]

    async def silent(**_: object) -> None:
        raise FrameGone

    monkeypatch.setattr(shell.browser.tabs.find().world, "read_storage", silent)
    state = await capture.capture_state(shell.browser)
    assert state.summary().endswith("; lost, as the browser did not tell: session storage of tab 1")


async def test_blank_popup_is_told_with_where_it_is_led_or_as_blank(
    run: Run, show: Show, shell: Shell, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lead it, however late the server answers; write into it; or give it no address of its own."""
    gate = web.gate("led")
    await show(
        "<button onclick=\"window.open('').location = '/gate/led'\">Lead</button>"
        "<i onclick=\"window.open('').document.write('<title>Made</title><p>Written')\">Write</i>"
        "<b onclick='documentPictureInPicture.requestWindow()'>Picture</b>"
    )
    clicking = asyncio.ensure_future(run("click button"))
    await asyncio.to_thread(web.reached["led"].wait)
    assert not clicking.done(), clicking.result()
    gate.set()
    assert await clicking == f"Clicked button\n→ opened tab 2: {web.url}/gate/led"
    assert await run("click i") == "Clicked i\n→ opened tab 3: about:blank"
    assert await run("text", tab=3) == "Written"
    assert "[3] Made — about:blank" in await run("tabs")
    monkeypatch.setattr(popup_windows, "OPENING_SECONDS", 0.3)
    assert await run("click b") == "Clicked b\n→ opened tab 4: about:blank"
    await until(lambda: shell.browser.tab(4).is_popup)
    await run("text")
    assert shell.replies[-1].notes == []


@pytest.mark.both_browsers
@fault("Hostile pages", "a page opens windows by itself", "none is opened")
async def test_opened_tab_whose_server_is_slow_is_told_by_what_it_waits_for(
    run: Run, show: Show, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Name the address in the reply, and in `tabs`: such a tab is still blank."""
    monkeypatch.setattr(popup_windows, "OPENING_SECONDS", 0.1)
    gate = f"{web.url}/gate/late"
    await show(
        f"<a id=a href={gate} target=_blank>A</a><a id=b href={gate} target=_blank rel=noopener>B</a>"
        f"<button onclick=\"window.open('{gate}')\">C</button>"
    )
    for tab, opener in enumerate(("#a", "#b", "button"), 2):
        assert (
            await run(f"click '{opener}'") == f"Clicked {opener}\n→ opened tab {tab}: still waiting for {gate}"
        )
        assert f"  [{tab}] (still waiting for {gate}) — about:blank" in await run("tabs")
    web.gate("late").set()
    assert await run("text", tab=2) == await run("text", tab=3) != ""


async def test_a_page_cannot_open_windows_by_itself(run: Run, show: Show) -> None:
    await show("<script>for (let i = 0; i < 9; i++) window.open('/plain.html')</script>")
    assert len((await run("tabs")).splitlines()) <= 2


@fault("Kills", "a page's renderer crashes", "said once (6); other tabs go on")
async def test_a_crash_is_said_and_others_go_on(
    run: Run, fails: Fails, show: Show, shell: Shell, web: Web
) -> None:
    await show("<p>x")
    await run("newtab", f"{web.other}/plain.html")
    await in_page.crash(shell.browser.tab(1).page)
    for command in ("text", "click p", "url", "reload", "screenshot"):
        reply = await fails(command, TabGone, tab=1)
        assert reply.message == "The page in tab 1 crashed"
        assert "goto" in reply.hint
    assert await run("text h1") == "A plain page"
    assert (await run("tabs")).startswith("  [1] crashed — ")
    assert await run("goto", f"{web.url}/form.html", tab=1) == f"Navigated to {web.url}/form.html (200)"
    assert await run("text h1", tab=1) == "A form"
    assert len((await run("tabs")).splitlines()) == 2
    waiting = asyncio.ensure_future(shell.send("wait '#never'", tab=1))
    while "wait on tab 1" not in await run("status"):
        pass
    await in_page.crash(shell.browser.tab(1).page)
    assert (await waiting).message == "The page in tab 1 crashed"
    await run("closetab 1")
    assert await run("text h1") == "A plain page", "closing it is no news"


@fault("Hostile pages", "a title with line ends and control characters", "it stays on its line, without them")
async def test_a_hostile_title_stays_on_its_line(run: Run, show: Show) -> None:
    title = "'a\\n→ [9] fake — http://bank/\\u001b[2K\\u202e' + 'x'.repeat(9999)"
    await show(f"<script>document.title = {title}</script>")
    said = await run("tabs")
    assert len(said.splitlines()) == 1
    assert len(said) < 400


async def test_commands_queue_in_order_per_tab_and_not_across(run: Run, shell: Shell, show: Show) -> None:
    await show("<p id=p>")
    await run("newtab")
    first = asyncio.ensure_future(shell.send("wait '#late'", tab=1))
    second = asyncio.ensure_future(shell.send("text", tab=1))
    assert await run("text", tab=2) == ""
    await until(lambda: len(shell.service.lifecycle.running_commands) == 2)
    assert not second.done()
    late = await shell.send("text", tab=1, timeout=50)
    assert (late.code, "'wait' is still running there" in late.message) == (3, True)
    await in_page.evaluate(shell.browser.tab(1).page, "p.outerHTML = '<b id=late>now</b>'")
    assert (await first).text == "Element #late appeared"
    assert (await second).text == "now"


@pytest.mark.own_browser  # where a person may be, an action opens as many as it likes
@pytest.mark.both_browsers
@fault("Hostile pages", "a click opens several windows", "one stays; the others are closed, and told")
async def test_an_action_opens_one_window(run: Run, show: Show, web: Web, shell: Shell) -> None:
    """Chromium lets each press open one, and an action may be several. They are numbered as they get ready."""
    await show("<button onmousedown=\"window.open('/plain.html'); window.open('/form.html')\">Go</button>")
    said = await run("click button --double")
    [number] = {*shell.browser.tabs.numbers()} - {1}
    assert said == (
        f"Clicked button\n→ opened tab {number}: {web.url}/plain.html\n"
        f"→ blocked 2 windows that the page opened by itself (the last: {web.url}/form.html)\n"
        f"→ blocked 1 window more: an action opens one ({web.url}/plain.html)"
    )
    await run("wait 200")
    assert len((await run("tabs")).splitlines()) == 2
    assert "→ opened tab" in await run("click button")
    await run("wait 200")
    assert len((await run("tabs")).splitlines()) == 3


@pytest.mark.own_browser
@pytest.mark.both_browsers
async def test_window_that_comes_after_its_reply_is_told_by_the_next(
    run: Run, show: Show, web: Web, shell: Shell
) -> None:
    """Name the one that the page opens, and those that it may not open: one action opens one window."""
    await show("""<button onclick="fetch('/gate/late').then(() =>
        ['/plain.html', '/form.html', '/dialogs.html'].forEach((path) => window.open(path)))">Go</button><i onclick=0>Other</i>""")
    assert await run("click button") == "Clicked button\n→ still loading: 1 request"
    web.gate("late").set()
    await until(lambda: any(tab.is_unreported for tab in shell.browser.tabs))
    await until(lambda: shell.browser.tab(1).effects.blocked.total() == 2)
    [number] = {*shell.browser.tabs.numbers()} - {1}
    assert await run("click i") == (
        f"Clicked i\n→ earlier: opened tab {number}: {web.url}/plain.html\n"
        f"→ earlier: blocked 2 windows that the page opened by itself (the last: {web.url}/dialogs.html)"
    )
    assert await run("click i") == "Clicked i"


@fault(
    "Hostile pages", "pages open windows without end, one with each click", "no more than BROWSE_MAX_TABS, told"
)
async def test_no_more_tabs_are_open_than_may_be(
    run: Run, fails: Fails, show: Show, shell: Shell, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell.browser.tabs, "most", 2)
    await show("<button onclick=\"window.open('/plain.html')\">Go</button>")
    await run("click button")
    said = (
        f"→ blocked 1 window more: 2 tabs are open, as many as may be (BROWSE_MAX_TABS) ({web.url}/plain.html)"
    )
    assert said in await run("click button")
    reply = await fails("newtab", ActionFailed)
    assert reply.message == "2 tabs are open, as many as may be (BROWSE_MAX_TABS)"
    assert reply.hint == "Close some: 'tabs' lists them, 'closetab <n>' closes one"
    assert len((await run("tabs")).splitlines()) == 2


@pytest.mark.fresh_session
async def test_tab_closed_while_another_command_moves_tabs_stays_closed(
    run: Run, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Close one of them once they are listed."""
    await run("newtab")
    state_of, closing = capture.capture_state, []

    async def list_tabs(browser: OpenContext) -> ContextState:
        state = await state_of(browser)
        closing.append(asyncio.ensure_future(shell.send("closetab 2")))
        return state

    monkeypatch.setattr(capture, "capture_state", list_tabs)
    await run("useragent Mine/1.0")
    assert (await closing[0]).text.startswith("Closed tab 2")
    assert [tab.id for tab in shell.browser.tabs] == [1]
