"""Test pages that flood Chromium's browser process with work.

They are slowed down, which their agent is told, and closed if they go on.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable

import psutil
import pytest
import pytest_asyncio

from gstack_browse.browser.cdp import throttling
from gstack_browse.daemon.browser import flood_guard
from gstack_browse.daemon.browser.flood_guard import FloodGuard
from gstack_browse.errors import TabGone
from tests.browser.relay.raw_client import RawClient
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.web import Web
from tests.faults import fault

pytestmark = pytest.mark.same_session
FLOOD = "<body><script>begin = () => setInterval(() => { for (let i = 0; i < 500; i++) { %s } }, 1)</script>"
"""Told when to begin: while a busy machine opened the tab, it would fill the queue with minutes of work."""
FLOODS = {
    "cookies": "document.cookie = `flood${i % 50}=${Math.random()}`",
    "frames": "const frame = document.createElement('iframe'); document.body.append(frame); frame.remove()",
}

Ticks = Callable[[Callable[[], object]], Awaitable[None]]


@pytest_asyncio.fixture(loop_scope="session")
async def guard(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ticks]:
    """Tick a guard until a condition holds, then let it end what it has begun.

    The next test has a tab of the same number. The guard takes a short queue for a flood: floods of tests are small.
    """
    monkeypatch.setattr(flood_guard, "FLOOD_CPU_SECONDS", 0.01)
    monkeypatch.setattr(flood_guard, "BUSY_CPU_SECONDS", 0.0)
    guard, contexts = FloodGuard(shell.service.attachments.detach_flooders), list(shell.service.contexts)

    async def ticks(condition: Callable[[], object]) -> None:
        def is_over() -> object:
            guard.tick(contexts)
            return condition()

        await until(is_over)

    yield ticks
    if guard._restraining:
        await asyncio.wait({guard._restraining})


@fault(
    "Floods",
    "a page sets a cookie, or adds and removes frames, thousands of times a second without end",
    "it runs 20 times slower for a while, which its agent is told; other tabs are answered",
)
@pytest.mark.parametrize(
    "kind",
    ["cookies", pytest.param("frames", marks=pytest.mark.slow)],  # half a minute of the processor
)
async def test_a_page_that_floods_the_browser_is_slowed_down(
    run: Run, show: Show, web: Web, shell: Shell, guard: Ticks, kind: str
) -> None:
    await show("<h1>Quiet</h1>")
    await run("newtab", web.show(FLOOD % FLOODS[kind]))
    await run("js", "begin()")
    quiet, flooding = (shell.browser.tab(number).world.frames.target.throttle for number in (1, 2))
    await guard(lambda: shell.service.default_context.notice)
    assert (quiet.is_held_back, flooding.is_held_back) == (False, True)
    told = await shell.send("text", tab=1)
    assert told.text == "Quiet"
    assert told.notes == [
        "The page in tab 2 keeps the browser busy for all other pages: its scripts run 20 times slower for 10s"
    ]


@fault(
    "Floods",
    "a page goes on flooding the browser though it was slowed down",
    "its tab is closed, and the next command hears why",
)
async def test_a_page_that_floods_the_browser_though_slowed_down_is_closed(
    run: Run, fails: Fails, show: Show, web: Web, shell: Shell, guard: Ticks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        throttling, "TIMES_SLOWER", 1
    )  # as for a page with workers, which cannot be slowed down
    monkeypatch.setattr(flood_guard, "SLOW_SECONDS", 600.0)
    await show("<h1>Quiet</h1>")
    await run("newtab", web.show(FLOOD % FLOODS["cookies"]))
    await run("js", "begin()")
    await guard(lambda: 2 not in shell.browser.tabs)
    reply = await fails("text", TabGone)
    assert reply.message.startswith(f"Tab 2 {flood_guard.CLOSED}; the active tab is now 1: ")
    assert await run("text") == "Quiet"


@fault(
    "Floods",
    "an attached program sends requests without end that keep the browser busy",
    "it is disconnected, which the agent is told; the page that it works on is neither slowed down nor closed",
)
async def test_a_program_that_floods_the_browser_is_detached_and_its_page_stays(
    run: Run, show: Show, shell: Shell, guard: Ticks
) -> None:
    await show("<h1>Quiet</h1>")
    address = await run("attach")
    client = await RawClient.connect(address.removeprefix("ws+unix://").partition(":/")[0])
    throttle = shell.browser.tab().world.frames.target.throttle
    session = await client.attach(shell.browser.tab().world.frames.target.id)
    for number in range(1000, 1500):
        request = {"id": number, "sessionId": session, "method": "Page.captureScreenshot"}
        await client.socket.send_str(json.dumps(request))
    await guard(lambda: shell.service.default_context.notice)
    assert await client.close_code() == 1008
    assert not throttle.is_held_back
    told = await shell.send("text")
    assert told.text == "Quiet"
    assert told.notes == [
        "The attached program was disconnected: its requests kept the browser busy for all others"
    ]
    await client.leave()
    await run("detach")


async def test_a_page_that_loads_much_is_no_flood(run: Run, web: Web, shell: Shell) -> None:
    guard, contexts = FloodGuard(shell.service.attachments.detach_flooders), list(shell.service.contexts)
    await run("goto", web.show("<p>x" + "<iframe src=/plain.html></iframe>" * 10))
    for _ in range(2):
        guard.tick(contexts)
    assert not shell.service.default_context.notice
    assert psutil.Process(shell.browser.running.chromium_pid).is_running()
