"""Test examples of commands that do without Playwright, in a browser that starts it on demand.

Slow: each family takes as long as a file. What is usual is in test_cold_start.py.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from gstack_browse import commands
from gstack_browse.daemon.service import Service
from gstack_browse.registry import REGISTRY, Command
from tests.commands.conftest import Shell, cold, forget_refs
from tests.commands.driver_calls import STARTS_DRIVER
from tests.commands.test_examples import address_of, furnish, here, lines_before, page_of, split
from tests.commands.web import Web

pytestmark = [pytest.mark.pipe, pytest.mark.own_browser, pytest.mark.slow]

assert commands
EARLY = [command for command in REGISTRY.commands.values() if command.before_playwright]
UNDO = {
    "har-replay": "har-replay off",
    "throttle": "throttle off",
    "dialog-dismiss": "dialog-accept",
}
"""What gives the next example the browser back as it was, by the command before."""
FAMILIES = sorted({command.handler.__module__.rpartition(".")[2] for command in EARLY})


class Early:
    """A browser that has not asked for Playwright; another one after an example that has."""

    def __init__(self, factory: pytest.TempPathFactory, web: Web) -> None:
        self._factory = factory
        self._web = web
        self._stack = AsyncExitStack()
        self._shell: Shell | None = None

    async def shell(self) -> Shell:
        """Return a shell that runs commands in it, with no ref given."""
        if self._shell and self._shell.browser.tab().is_early:
            forget_refs(self._shell.browser.tab(), self._shell.browser)
            furnish(self._shell.workspace, self._web)  # the pages that it names are gone with each test
            return self._shell
        await self.close()
        service = await self._stack.enter_async_context(cold(self._factory.mktemp("cold")))
        self._shell = Shell(service, Path(service.state.workspace))
        furnish(self._shell.workspace, self._web)
        return self._shell

    async def close(self) -> None:
        await self._stack.aclose()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def early(
    tmp_path_factory: pytest.TempPathFactory, server: Web, service: Service
) -> AsyncIterator[Early]:
    """Families share browsers, each of which costs more than all examples of a family."""
    early = Early(tmp_path_factory, server)
    yield early
    await early.close()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.usefixtures("without_playwright", "service")
async def test_the_examples_run(family: str, web: Web, early: Early) -> None:
    """See which of them start the driver, as they would a lazy one (`BROWSE_DRIVER=lazy`)."""
    members = [command for command in EARLY if command.handler.__module__.endswith(f".{family}")]
    starting = set()
    for command in members:
        for example in command.examples:
            shell = await early.shell()
            await _run(shell, web, command, example)
            if not shell.browser.tab().is_early:
                starting.add(example)
    listed = {example for command in members for example in command.examples} & STARTS_DRIVER
    assert starting == listed


async def _run(shell: Shell, web: Web, command: Command, example: str) -> None:
    own = page_of(example)
    await _must(shell, "goto", web.show(own) if own else f"{web.url}/{address_of(command)}")
    if "@" in example:
        await _must(shell, "snapshot")
    for line in lines_before(command, example):
        await _must(shell, line.replace("{url}", web.url))
    words, piped = split(example)
    await _must(shell, "", *(here(word, web) for word in words), stdin=piped)
    if command.name in UNDO:
        await _must(shell, UNDO[command.name])


async def _must(shell: Shell, line: str, *words: str, stdin: str | None = None) -> None:
    reply = await shell.send(line, *words, stdin=stdin)
    assert reply.code == 0, f"{line} {words}: {reply.message}\n{reply.hint}"
