"""Test tabs that close, open or change by themselves: no next command runs in another tab unawares."""

from collections.abc import Awaitable, Callable
from typing import Any

import orjson
import pytest

from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.dialogs import MOST_DIALOGS
from gstack_browse.browser.engine import messages
from gstack_browse.browser.state.context_state import ContextState
from gstack_browse.browser.transfer import capture
from gstack_browse.errors import StaleRef, TabGone, UsageError
from gstack_browse.registry import REGISTRY, Kind, Requires
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.test_examples import ELSEWHERE, furnish, here, split
from tests.commands.web import Web
from tests.faults import fault

pytestmark = pytest.mark.same_session

OPENER = """<title>Shop</title><button id=login onclick="window.open('LOGIN')">Log in</button>
<button id=b onclick="out.textContent = 'hit'">B</button><input id=draft><output id=out></output>"""
CLOSES = "<title>Log in</title><button id=b onclick=window.close()>Allow</button>"
LOOP = "<button id=b onclick='for (;;) alert(1)'>Again</button>"

Leave = Callable[[str], Awaitable[str]]


@pytest.fixture
def popup(run: Run, show: Show, web: Web) -> Leave:
    """Open a page from another, and switch to it. Returns the other one's address."""

    async def popup(markup: str) -> str:
        shop = await show(OPENER.replace("LOGIN", web.show(markup)))
        await run("click '#login'")
        await run("tab 2")
        return shop

    return popup


async def test_next_command_fails_once_and_tells_of_the_closed_tab(
    run: Run, fails: Fails, popup: Leave
) -> None:
    """Close no other tab in its place. What names the closed one fails each time."""
    shop = await popup(CLOSES)
    assert await run("click '#b'") == f"Clicked #b\n→ the page closed itself; the active tab is now 1: {shop}"
    reply = await fails("click '#b'", TabGone)
    assert reply.message == f"Tab 2 closed itself; the active tab is now 1: {shop}"
    assert reply.hint == "Run 'tab 1' to go on there, or 'tabs' to see what is open"
    assert await run("text '#out'") == "", "nothing was done in the other tab"
    assert await run("click '#b'") == "Clicked #b"
    for words, tab in (("closetab 2", None), ("url", 2), ("goto about:blank", 2), ("tab 2", None)):
        assert (await fails(words, TabGone, tab=tab)).message == "Tab 2 closed itself"
    await run("click '#login'")
    await run("click '#b'", tab=3)
    assert await run("click '#b'") == "Clicked #b", "it was not active"
    await run("click '#login'")
    await run("tab 4")
    await run("click '#b'")
    await fails("closetab", TabGone)
    assert len((await run("tabs")).splitlines()) == 1


@fault(
    "Floods",
    "a page opens one alert after another",
    "the tab is closed at the 26th, and the next command hears why; windows in its process go on",
)
async def test_loop_of_alerts_is_told_by_its_command_or_next(
    run: Run, fails: Fails, popup: Leave, shell: Shell
) -> None:
    gone = "showed 25 dialogs in a row and was closed"
    told = f"Tab {{}} {gone}; the active tab is now 1"
    await popup(LOOP)
    assert (await fails("click '#b'", TabGone)).message == f"The page in tab 2 {gone}"
    assert (await fails("click '#b'", TabGone)).message.startswith(told.format(2))
    assert await run("text '#out'") == "", "nothing was done in the other tab"
    assert await run("click '#b'") == "Clicked #b", "who was told goes on"
    await run("click '#login'")
    await run("tab 3")
    tab, before = shell.browser.tab(3), shell.browser.logs.dialog.total
    await run("js", "setTimeout(() => { for (;;) alert(1) }, 50)")
    await tab.wait_until(lambda: bool(tab.closed_reason), 60)
    assert shell.browser.logs.dialog.total - before <= MOST_DIALOGS + 1
    assert await run("text '#out'", tab=1) == "hit"
    assert (await fails("text", TabGone)).message.startswith(told.format(3))


async def test_command_that_shows_or_chooses_a_tab_needs_not_be_told(
    run: Run, show: Show, shell: Shell, web: Web
) -> None:
    await show(OPENER.replace("LOGIN", web.show(CLOSES)))
    for settles in ("tab 1", "tabs", "newtab", "goto about:blank"):
        await run("click '#login'", tab=1)
        number = shell.browser.tabs.next_id - 1
        await run(f"tab {number}")
        await run("click '#b'")
        said = await run(settles)
        if settles == "tabs":
            assert said.splitlines()[1].startswith(f"  [{number}] closed itself — http://127.0.0.1:")
        if settles.startswith("goto"):
            assert shell.replies[-1].notes[0].startswith(f"Tab {number} closed itself; the active tab is now ")
        assert "Lost" not in await run("status")
        assert len((await run("tabs")).splitlines()) == 1 + (settles in ("newtab", "goto about:blank"))


async def test_last_tab_that_closes_itself_leaves_a_blank_one(run: Run, fails: Fails, popup: Leave) -> None:
    await popup(CLOSES)
    await run("closetab 1")
    active = "closed itself; the active tab is now 3: about:blank"
    assert await run("click '#b'") == f"Clicked #b\n→ the page {active}"
    assert (await fails("text", TabGone)).message == f"Tab 2 {active}"
    assert await run("text") == ""


async def test_the_rest_of_a_chain_does_not_run_in_another_tab(run: Run, fails: Fails, popup: Leave) -> None:
    """Run it where the chain says so."""
    steps = '[["click","#b"],["click","#b"],["goto","about:blank"],["text"]]'
    await popup(CLOSES)
    reply = await fails("chain", TabGone, steps)
    assert reply.message.startswith("Tab 2 closed itself;")
    assert "Tab 2 closed itself" not in reply.text
    assert await run("text '#out'") == "", "it was said"
    await run("click '#login'")
    await run("tab 3")
    reply = await fails("chain --keep-going", TabGone, steps)
    assert reply.message.startswith("3 of 4 steps failed")
    assert reply.text.count("[click] Error: Tab 3 closed itself") == 1
    assert reply.text.count("Tab 3 closed itself") == 3
    assert await run("text '#out'") == ""
    await run("click '#login'")
    await run("tab 4")
    said = await run("chain", '[["click","#b"],["tab","1"],["click","#b"],["text","#out"]]')
    assert said.endswith("[text] hit")


async def test_commands_that_need_no_tab_go_on(run: Run, fails: Fails, popup: Leave, shell: Shell) -> None:
    """Leave it also to a successor, and tell of a mistake in the words first."""
    await popup(CLOSES)
    await run("click '#b'")
    assert "Lost: Tab 2 closed itself; the active tab is now 1" in await run("status")
    for command in ("console", "network", "dialog", "dialog-accept", "cookies"):
        await run(command)
    await run("url", tab=1)
    await fails("click", UsageError)
    carried = await capture.capture_state(shell.browser)
    taken = ContextState.from_dict(orjson.loads(orjson.dumps(carried.as_dict())))
    assert taken.departed == shell.browser.tabs.closed_tabs.unreported
    await fails("url", TabGone)


AGAIN = "Run 'wait --load', and look at it before you try again"
WAITS = ("wait", "expect", "coverage", "diff-image")
"""Commands that look at what another one brings about."""


class Replacement:
    """Loads the page again within a command: right before the engine is asked what `is_time` says of."""

    def __init__(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_time: Callable[[str], bool] = lambda question: False
        self.count = 0
        """How often a page was loaded again."""
        self._shell = shell
        self._send = messages.send
        monkeypatch.setattr(messages, "send", self._sent)

    async def _sent(self, context: ExecutionContext, method: str, **parameters: Any) -> dict[str, Any]:
        if self.is_time(parameters.get("expression", "")):
            self.is_time = lambda question: False
            tab = self._shell.browser.tab()
            document = tab.document
            await tab.world.session.send("Page.reload")
            assert await tab.wait_until(lambda: tab.document != document and tab.page.target.has_loaded, 60)
            self.count += 1
        return await self._send(context, method, **parameters)

    def at(self, number: int) -> None:
        """Let `is_time` hold for the question of that number."""
        left = iter(range(number - 1, -1, -1))
        self.is_time = lambda question: next(left) == 0


async def test_read_looks_again(visit: Show, shell: Shell, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the third question most have begun with the document."""
    furnish(shell.workspace, web)
    await visit("examples.html?frame")
    replacement, failed = Replacement(shell, monkeypatch), {}
    for command in REGISTRY.commands.values():
        example = command.examples[0]
        is_read = command.requires is Requires.PAGE and command.kind is Kind.READ
        if is_read and command.name not in {*WAITS, *ELSEWHERE} and "@" not in example:
            replacement.at(3)
            words, piped = split(example)
            reply = await shell.send("", *[here(word, web) for word in words], stdin=piped)
            if reply.code and "axe-core found" not in reply.message:
                failed[example] = reply.message
    assert failed == {}
    assert replacement.count


async def test_page_that_is_replaced_each_time_and_frame_that_went_with_it_are_told(
    run: Run, show: Show, shell: Shell, fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def raise_frame_gone(*_: object, **parameters: Any) -> dict[str, Any]:
        raise messages.FrameGone("Cannot find context")

    await show("<h1>Outer</h1><iframe srcdoc='<h1>Inner</h1>'></iframe>")
    with monkeypatch.context() as patch:
        patch.setattr(messages, "send", raise_frame_gone)
        reply = await shell.send("data")
    assert (reply.code, reply.error, reply.hint) == (1, "page-replaced", AGAIN)
    await run("frame iframe")
    Replacement(shell, monkeypatch).is_time = lambda question: '"readText"' in question
    await fails("text", StaleRef)
