"""Test events of other tabs while commands run.

A window begins, a document takes the place of another.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine import messages
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.errors import StaleRef
from gstack_browse.registry import REGISTRY, Command, Kind, Requires
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.test_examples import ELSEWHERE, furnish, here, lines_before, split
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

AFTER = {"throttle": "throttle off", "har-replay": "har-replay off"}
"""What undoes a command that the next one could not bear."""
AGAIN = "Run 'wait --load', and look at it before you try again"
WAITS = ("wait", "expect", "coverage", "diff-image")
"""Commands that look at what another one brings about."""


def first_examples(wanted: Requires) -> Iterator[tuple[Command, str]]:
    """Of each command that needs that, and nothing which no page has."""
    for command in REGISTRY.commands.values():
        if command.requires is wanted and command.name not in ELSEWHERE:
            yield command, command.examples[0]


async def unattached_tab(shell: Shell) -> Tab:
    """Return a window that is listed already, but not attached to."""
    browser = shell.browser
    tab = browser.tab_factory.adopt(await browser.pages.new())
    assert not tab.is_prepared
    return tab


@pytest.mark.fresh_session
async def test_window_that_begins_is_in_no_commands_way(run: Run, visit: Show, shell: Shell, web: Web) -> None:
    """Commands that need the browser do not wait for any page; some do something in each."""
    furnish(shell.workspace, web)
    await visit("examples.html?frame")
    failed = {}
    for command, example in first_examples(Requires.BROWSER):
        for line in lines_before(command, example):
            await run(line.replace("{url}", web.url))
        if all(tab.is_prepared for tab in shell.browser.tabs):
            window = await unattached_tab(shell)
        words, piped = split(example.replace("tab 2", f"tab {window.id}"))
        reply = await shell.send("", *[here(word, web) for word in words], stdin=piped)
        if reply.code:
            failed[example] = reply.message
        if command.name in AFTER:
            await run(AFTER[command.name])
    assert failed == {}


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
    for command, example in first_examples(Requires.PAGE):
        if command.kind is Kind.READ and command.name not in WAITS and "@" not in example:
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
