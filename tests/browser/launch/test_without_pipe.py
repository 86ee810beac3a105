"""Test a browser that is driven through Playwright alone.

It was asked for, or the pipe is of no use.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.tunnel import TunnelConnection
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.launch import launch, pipe_launcher
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.settings import Settings
from tests import chromiums
from tests.browser.launch import stand_in

Start = Callable[[Settings], Awaitable[RunningBrowser]]


@pytest_asyncio.fixture(loop_scope="session")
async def start() -> AsyncIterator[Start]:
    started: list[RunningBrowser] = []

    async def start(wanted: Settings) -> RunningBrowser:
        started.append(await launch.start(wanted, lambda line: None, lambda what: None))
        return started[-1]

    yield start
    for running in started:
        await running.close()


async def answer(running: RunningBrowser, expression: str) -> object:
    """Return what a new page answers to the expression, in a session of our own."""
    page = await running.browser.new_page()
    world = World(page, running.connection)
    await world.frames.open()
    reply = await world.session.send("Runtime.evaluate", {"expression": expression})
    return reply["result"]["value"]


async def test_a_browser_that_was_asked_for_without_a_pipe(start: Start) -> None:
    running = await start(Settings(wire=False))
    assert isinstance(running.connection, TunnelConnection)
    assert running.connection.no_pipe_reason == "BROWSE_WIRE=0"
    assert await answer(running, "1 + 1") == 2


async def test_a_browser_that_writes_its_messages_in_another_form(start: Start, tmp_path: Path) -> None:
    odd = stand_in.write(tmp_path / "chromium", chromiums.usual(), stand_in.WITH_BLANKS)
    running = await start(Settings(chromium=odd))
    assert isinstance(running.connection, PipeConnection)
    assert running.connection.no_pipe_reason == ""
    assert await answer(running, "1 + 1") == 2


async def test_a_browser_that_answers_playwright_alone_is_started_again_without_a_pipe(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipe_launcher, "HANDSHAKE_SECONDS", 0.5)
    logged: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: logged.append(context["message"]))
    odd = stand_in.write(tmp_path / "chromium", chromiums.usual(), stand_in.DEAF_TO_US)
    running = await start(Settings(chromium=odd))
    asyncio.get_running_loop().set_exception_handler(None)
    assert running.connection.no_pipe_reason.startswith("gbrowse cannot speak with Chromium ")
    assert [line for line in logged if "BROWSE_WIRE=0" in line] == [
        f"{running.connection.no_pipe_reason}: going on as with BROWSE_WIRE=0"
    ]
    assert await answer(running, "1 + 1") == 2
