"""Test effects of an action on a busy machine, where our time limits end before a process runs."""

from typing import NamedTuple

import pytest

from gstack_browse.browser.engine import world
from gstack_browse.browser.input import mouse, navigate, plain_lists, upload, widgets
from gstack_browse.browser.tabs import observer, tab
from gstack_browse.browser.tabs.page import PageSession
from gstack_browse.errors import NavigationFailed, TimedOut
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.drawer import drawer_of, standing_still
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

LIMITS = [
    (observer, "QUIET_SECONDS"), (observer, "LOAD_SECONDS"), (observer, "WINDOW_SECONDS"), (navigate, "ERROR_PAGE_SECONDS"),
    (navigate, "DOWNLOAD_SECONDS"), (mouse, "CARGO_SECONDS"), (upload, "CHOOSER_SECONDS"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, limit in LIMITS:
        monkeypatch.setattr(module, limit, 0.0)
    monkeypatch.setattr(tab, "ANSWERS", 100_000)  # a busy machine may need a second to begin a process


class Row(NamedTuple):
    """A page, a command, and what that must say."""

    markup: str
    line: str
    said: str


ROWS = {
    "an answer": Row(
        "<button onclick=\"fetch('/api/422', {method: 'POST'})\">Save</button>",
        "click button",
        "Clicked button\n→ failed: POST URL/api/422 → 422",
    ),
    "a page": Row("<a href=/plain.html>Go</a>", "click a", "Clicked a\n→ now at URL/plain.html"),
    "a window": Row(
        "<button onclick=\"window.open('/plain.html')\">Go</button>",
        "click button",
        "Clicked button\n→ opened tab 2: URL/plain.html",
    ),
    "a file": Row(
        "<a href=/download>Get</a>",
        "click a",
        "Clicked a\n→ downloaded report.csv (8B): .gstack/downloads/report.csv",
    ),
    "a chooser of files": Row(
        "<button onclick='document.createElement(`input`).click()'>Pick</button><script>HTMLInputElement.prototype.click = function () "
        "{ this.type = 'file'; this.showPicker() }</script>",
        "upload button a.txt",
        "Chose a.txt (1B)",
    ),
    "what is dragged": Row(
        "<p id=a draggable=true ondragstart=\"event.dataTransfer.setData('text/plain', 'Ann')\">Ann</p>"
        "<p id=b style='height:50px' ondragover='event.preventDefault()' ondrop=\"this.textContent = event.dataTransfer.getData('text/plain')\">Bin</p>",
        "drag '#a' '#b'",
        'Dragged #a to #b\n→ <p#b> "Bin" reads "Ann"',
    ),
}


@pytest.mark.parametrize("name", ROWS)
async def test_effects_of_an_action_are_told_on_a_busy_machine(
    name: str, run: Run, show: Show, shell: Shell, web: Web
) -> None:
    row = ROWS[name]
    (shell.workspace / "a.txt").write_text("a")
    await show(row.markup)
    assert await run(row.line) == row.said.replace("URL", web.url)


async def test_an_address_that_leads_to_a_file(fails: Fails, web: Web) -> None:
    reply = await fails("goto", NavigationFailed, f"{web.url}/download")
    assert reply.message.startswith(f"{web.url}/download is a download, not a page: downloaded report.csv (8B)")


async def test_the_page_that_says_what_went_wrong(run: Run, fails: Fails, show: Show) -> None:
    await show("<p>x")
    await fails("goto http://127.0.0.1:9/", NavigationFailed)
    assert "ERR_UNSAFE_PORT" in await run("network")
    assert len((await run("network")).splitlines()) == 1, "the requests of the page before are not its own"


async def test_a_file_is_told_of_once_in_a_reply(
    run: Run, show: Show, shell: Shell, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that arrives between the report of the action and the end of the command."""

    tell_late_news = PageSession.with_late_news

    async def meanwhile(page: PageSession, text: str) -> str:
        web.gate("last").set()
        await until(lambda: not shell.service.downloads.running())
        return await tell_late_news(page, text)

    monkeypatch.setattr(tab, "ANSWERS", 10)
    await show("<a href='/large/0.2?announced=200001&gate=last'>Get</a>")
    monkeypatch.setattr(PageSession, "with_late_news", meanwhile)
    said = (await run("click a")).splitlines()
    assert len(said) == 2
    assert said[1].startswith("→ download of large.bin failed: the server broke off")


@pytest.mark.own_browser
async def test_an_action_for_which_the_page_draws_late(run: Run, show: Show, shell: Shell) -> None:
    """Two frames tell whether an element stands still: they are waited for as long as a page may draw none."""
    drawer = await drawer_of(shell)
    await show("<button ondblclick='document.title = 1'>Go</button>")
    with standing_still(drawer):
        assert await run("click button --double --timeout 50") == "Clicked button"
    assert await run("title") == "1"


LATE_LISTS = {
    "a widget": """<div id=c role=combobox aria-controls=l aria-expanded=false tabindex=0 aria-label=Colour>None</div>
        <div id=l role=listbox hidden><div role=option>Red</div></div><script>
        let keys = 0, presses = 0; c.onkeydown = () => { keys += 1 };
        c.onclick = () => { presses += 1; l.hidden = false; c.ariaExpanded = 'true' };
        l.onclick = (event) => { c.textContent = event.target.textContent; l.hidden = true; c.ariaExpanded = 'false' }</script>""",
    "a plain list": """<button id=c type=button aria-expanded=false>Level</button><script>
        let keys = 0, presses = 0; c.onkeydown = () => { keys += 1 };
        c.onclick = () => {
          presses += 1; c.ariaExpanded = 'true'; document.body.insertAdjacentHTML('beforeend', '<ul id=l><li>Info<li>Red</ul>');
          l.onclick = (event) => { c.textContent = event.target.textContent; l.remove(); c.ariaExpanded = 'false' } }</script>""",
}


@pytest.mark.own_browser
@pytest.mark.parametrize("markup", LATE_LISTS.values(), ids=LATE_LISTS)
async def test_a_list_that_is_drawn_late(
    run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch, markup: str
) -> None:
    """Press it once, and by the mouse."""
    drawer = await drawer_of(shell)
    await show(markup)
    monkeypatch.setattr(widgets, "LOADING_SECONDS", 0.0)
    monkeypatch.setattr(plain_lists, "PRESS_SECONDS", 0.0)
    with standing_still(drawer):
        assert await run("select '#c' Red") == 'Selected "Red" in #c'
    assert await run("js '[keys, presses].join()'") == "0,1"


async def test_a_script_that_is_stopped_late(fails: Fails, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world, "_TERMINATE_SECONDS", 0.0)
    monkeypatch.setattr(world, "ANSWERS", 3_000)  # about a second, whatever else the machine does
    await show("<p>x")
    reply = await fails("js", TimedOut, "for (;;);", timeout=400)
    assert reply.message == "js did not finish in 0.4s: the page is stuck in a script, which was stopped"
