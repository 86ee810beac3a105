"""Test busy machines: a time limit ends before a process runs, or before a page shows an effect."""

import asyncio
from collections.abc import Coroutine
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from gstack_browse.browser.actions import navigate, readiness, upload, waiting
from gstack_browse.browser.actions.input import mouse, presses
from gstack_browse.browser.actions.lists import choosing, plain_lists, widget_list, widgets
from gstack_browse.browser.actions.locate import covers
from gstack_browse.browser.actions.pointer import changes, checking
from gstack_browse.browser.actions.text import filling, sliders
from gstack_browse.browser.cdp import tasks
from gstack_browse.browser.command import page_settling
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.engine import refs, world
from gstack_browse.browser.network import har_recording, shaping
from gstack_browse.browser.reading import expecting, screenshots
from gstack_browse.browser.tab import tab
from gstack_browse.errors import NavigationFailed, StaleRef, TimedOut
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.drawer import drawer_of, standing_still
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

LIMITS = [  # of effects of an action
    (page_settling, "QUIET_SECONDS"), (page_settling, "LOAD_SECONDS"), (page_settling, "WINDOW_SECONDS"), (navigate, "ERROR_PAGE_SECONDS"),
    (navigate, "DOWNLOAD_SECONDS"), (mouse, "DRAG_DATA_SECONDS"), (upload, "CHOOSER_SECONDS"),
]  # fmt: skip
LOOKS = [  # of looks at the page: they are over before its first answer
    (changes, "CHANGE_SECONDS"), (changes, "REST_SECONDS"), (checking, "TAKING_SECONDS"), (choosing, "OPTION_SECONDS"), (covers, "STILL_SECONDS"),
    (filling, "DRAW_SECONDS"), (plain_lists, "OPENING_SECONDS"), (plain_lists, "TAKING_SECONDS"), (presses, "COVERED_SECONDS"),
    (readiness, "SEVERAL_SECONDS"), (sliders, "STEP_SECONDS"), (waiting, "QUIET_SECONDS"), (widget_list, "OPTION_SECONDS"),
    (widgets, "TAKING_SECONDS"), (expecting, "AMBIGUOUS_SECONDS"),
]  # fmt: skip
ANSWERS = [  # of questions that are answered late
    (refs, "_LOOK_SECONDS"), (shaping, "TARGET_SECONDS"), (har_recording, "COVER_SECONDS"), (screenshots, "DRAWING_SECONDS"),
]  # fmt: skip
LATER = "<script>const later = (act) => setTimeout(act, 40), soon = (act) => setTimeout(act, 120)</script>"
"""`later` than what was asked for, `soon` after the page was opened."""


def end_at_once(monkeypatch: pytest.MonkeyPatch, limits: list[tuple[ModuleType, str]]) -> None:
    for module, limit in limits:
        monkeypatch.setattr(module, limit, 0.0)


@pytest.fixture(autouse=True)
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    end_at_once(monkeypatch, LIMITS)
    monkeypatch.setattr(tab, "ANSWERS", 100_000)  # a busy machine may need a second to begin a process


class Row(NamedTuple):
    """A page, a command, and what that must say."""

    markup: str
    line: str
    said: str


EFFECTS = {
    "an answer": Row(
        "<button onclick=\"fetch('/api/422', {method: 'POST'})\">Save</button>", "click button", "Clicked button\n→ failed: POST URL/api/422 → 422",
    ),
    "a page": Row("<a href=/plain.html>Go</a>", "click a", "Clicked a\n→ now at URL/plain.html"),
    "a window": Row("<button onclick=\"window.open('/plain.html')\">Go</button>", "click button", "Clicked button\n→ opened tab 2: URL/plain.html"),
    "a file": Row("<a href=/download>Get</a>", "click a", "Clicked a\n→ downloaded report.csv (8B): .gstack/downloads/report.csv"),
    "a chooser of files": Row(
        "<button onclick='document.createElement(`input`).click()'>Pick</button><script>HTMLInputElement.prototype.click = function () "
        "{ this.type = 'file'; this.showPicker() }</script>",
        "upload button a.txt", "Chose a.txt (1B)",
    ),
    "what is dragged": Row(
        "<p id=a draggable=true ondragstart=\"event.dataTransfer.setData('text/plain', 'Ann')\">Ann</p>"
        "<p id=b style='height:50px' ondragover='event.preventDefault()' ondrop=\"this.textContent = event.dataTransfer.getData('text/plain')\">Bin</p>",
        "drag '#a' '#b'", 'Dragged #a to #b\n→ <p#b> "Bin" reads "Ann"',
    ),
}  # fmt: skip


@each(EFFECTS)
async def test_effects_of_an_action_are_told(what: str, run: Run, show: Show, shell: Shell, web: Web) -> None:
    row = EFFECTS[what]
    (shell.workspace / "a.txt").write_text("a")
    await show(row.markup)
    assert await run(row.line) == row.said.replace("URL", web.url)


LATE = {
    "a check mark": Row(
        "<div id=c role=checkbox aria-checked=false tabindex=0 onclick=\"later(() => { c.ariaChecked = 'true' })\">Yes</div>", "check '#c'", "Checked #c",
    ),
    "a cover": Row(
        "<button style='position:absolute;top:0'>Go</button><div id=d style='position:fixed;inset:0'>Over</div><script>setTimeout(() => d.remove(), 300)</script>",
        "click button", "Clicked button",
    ),
    "rivals": Row("<button>Go</button><button id=b>Go</button><script>soon(() => b.remove())</script>", "click button", "Clicked button"),
    "rivals of what is expected": Row("<p class=p>Done<p class=p id=q>Done<script>soon(() => q.remove())</script>", "expect visible .p", "Expected: "),
    "a widget's value": Row(
        """<div id=c role=combobox tabindex=0 aria-label=Colour aria-controls=l aria-expanded=false>None</div>
        <div id=l role=listbox hidden><div role=option>Red</div></div><script>
        c.onclick = () => { l.hidden = false; c.ariaExpanded = 'true' };
        l.onclick = (event) => later(() => { c.textContent = event.target.textContent; l.hidden = true; c.ariaExpanded = 'false' })</script>""",
        "select '#c' Red", 'Selected "Red" in #c',
    ),
    "what came of a drop": Row(
        """<p id=z ondragover="event.preventDefault()" ondrop="event.preventDefault(); soon(() => { n.textContent = 'got it' })">zone</p><p id=n>none</p>""",
        "drop '#z' --text hi", "Dropped 2 characters on #z",
    ),
    "stillness": Row(
        "<p id=p>0</p><script>const t = setInterval(() => { p.textContent++; if (p.textContent == 9) clearInterval(t) }, 20)</script>",
        "wait --stable '#p'", "Element #p is stable",
    ),
}  # fmt: skip


@each(LATE)
async def test_change_shown_late_by_the_page_is_told(
    what: str, run: Run, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_at_once(monkeypatch, LOOKS)
    row = LATE[what]
    await show(LATER + row.markup)
    said = await run(row.line)
    assert said.startswith(row.said)
    assert "nothing changed" not in said
    if what == "stillness":
        assert await run("js p.textContent") == "9"


async def test_goto_of_a_file_and_of_an_error_is_told(run: Run, fails: Fails, show: Show, web: Web) -> None:
    reply = await fails("goto", NavigationFailed, f"{web.url}/download")
    assert reply.message.startswith(f"{web.url}/download is a download, not a page: downloaded report.csv (8B)")
    await show("<p>x")
    await fails("goto http://127.0.0.1:9/", NavigationFailed)
    (line,) = (await run("network")).splitlines()
    assert "ERR_UNSAFE_PORT" in line, "and no request of the page before"


async def test_a_file_is_told_of_once_in_a_reply(
    run: Run, show: Show, shell: Shell, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that arrives between the report of the action and the end of the command."""

    tell_late_news = PageCommand.add_late_effects

    async def meanwhile(page: PageCommand, text: str) -> str:
        web.gate("last").set()
        await until(lambda: not shell.service.default_context.downloads.list_running())
        return await tell_late_news(page, text)

    monkeypatch.setattr(tab, "ANSWERS", 10)
    await show("<a href='/large/0.2?announced=200001&gate=last'>Get</a>")
    monkeypatch.setattr(PageCommand, "add_late_effects", meanwhile)
    said = (await run("click a")).splitlines()
    assert len(said) == 2
    assert said[1].startswith("→ download of large.bin failed: the server broke off")


@pytest.mark.own_browser
async def test_an_action_for_which_the_page_draws_late(run: Run, show: Show, shell: Shell) -> None:
    """Two frames tell whether an element stands still: they are waited for as long as a page may draw none."""
    drawer = await drawer_of(shell)
    await show("<button ondblclick='document.title = 1'>Go</button>")
    await run("screenshot")  # Chromium gives a page no input before its first frame
    with standing_still(drawer):
        assert await run("click button --double --timeout 50") == "Clicked button"
    assert await run("title") == "1"


LATE_LIST = """<div id=c role=combobox aria-controls=l aria-expanded=false tabindex=0 aria-label=Colour>None</div>
        <div id=l role=listbox hidden><div role=option>Red</div></div><script>
        let keys = 0, presses = 0; c.onkeydown = () => { keys += 1 };
        c.onclick = () => { presses += 1; l.hidden = false; c.ariaExpanded = 'true' };
        l.onclick = (event) => { c.textContent = event.target.textContent; l.hidden = true; c.ariaExpanded = 'false' }</script>"""


@pytest.mark.own_browser
async def test_a_list_that_is_drawn_late(
    run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Press it once, and by the mouse."""
    drawer = await drawer_of(shell)
    await show(LATE_LIST)
    await run("screenshot")
    monkeypatch.setattr(widgets, "LOADING_SECONDS", 0.0)
    with standing_still(drawer):
        assert await run("select '#c' Red") == 'Selected "Red" in #c'
    assert await run("js '[keys, presses].join()'") == "0,1"


async def test_a_script_that_is_stopped_late(fails: Fails, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world, "_TERMINATE_SECONDS", 0.0)
    monkeypatch.setattr(world, "ANSWERS", 3_000)  # about a second, whatever else the machine does
    await show("<p>x")
    reply = await fails("js", TimedOut, "for (;;);", timeout=400)
    assert reply.message == "js did not finish in 0.4s: the page is stuck in a script, which was stopped"


@pytest.fixture
def late_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no time for questions, whose answers come all the same."""
    end_at_once(monkeypatch, ANSWERS)
    monkeypatch.setattr(tasks, "ANSWERS", 100_000)


@pytest.mark.usefixtures("late_answers")
async def test_a_stale_ref_names_what_is_like_it(run: Run, fails: Fails, show: Show) -> None:
    await show("<button id=b>Go</button>")
    await run("snapshot -i")
    await run("js", "b.outerHTML = '<button>Go</button><button>Go</button>'; 1")
    assert (await fails("click @e1", StaleRef)).message.endswith("; new ones like it are @e2, @e3")


@pytest.mark.usefixtures("late_answers")
async def test_targets_are_told_before_the_reply(run: Run, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep bodies from there on, where a recording begins."""
    within, over = tasks.run_with_timeout, []

    async def noted(connection: Any, work: Coroutine[Any, Any, Any], seconds: float) -> Any:
        task = asyncio.ensure_future(work)
        try:
            return await within(connection, task, seconds)
        finally:
            over.append(task.done())

    monkeypatch.setattr(tasks, "run_with_timeout", noted)
    await show("<p>x")
    for command in (
        "throttle --latency 1",
        "throttle off",
        "har-start",
        "har-stop made.har",
        "screenshot shot.png",
    ):
        await run(command)
    assert over == [True] * len(over)
    assert len(over) >= 4
