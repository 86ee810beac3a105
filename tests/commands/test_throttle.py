"""Test `throttle`: what it slows down, and that routes and other browsers keep to it."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from gstack_browse.errors import NavigationFailed
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.parts import ASK, PARTS, TIMED, page_of_parts, told_by_parts
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

LATENCY_MS = 250
SPIN = "const began = performance.now(); for (let n = 0; n < 1e7; n++); performance.now() - began"
SPINS = 3
OFFLINE = "TypeError: Failed to fetch"


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def full_speed(shell: Shell) -> AsyncIterator[None]:
    """Switch throttling off after each test."""
    yield
    await shell.send("throttle off")
    await shell.send("unroute")


async def test_everything_is_slowed_that_is_open_or_comes(run: Run, web: Web) -> None:
    page = page_of_parts(web, TIMED)
    await run("goto", page)
    assert await run("throttle") == "Throttled: nothing"
    assert await run(f"throttle --latency {LATENCY_MS}") == f"Throttled: {LATENCY_MS}ms latency"
    told = await told_by_parts(run, "/api/200")
    assert {name for name, took in told.items() if float(took) >= LATENCY_MS} == set(PARTS)
    await run("newtab", web.show_elsewhere(f"<script>ask = {TIMED}</script>"))  # in another process
    assert float(await run("js", "ask('/api/200')")) >= LATENCY_MS
    await run("closetab")
    assert "Throttled: 250ms latency" in await run("status")
    assert await run("throttle off") == "Throttled: nothing"
    fast = [float(await run("js", "ask('/api/200')")) for _ in range(3)]
    assert min(fast) < LATENCY_MS


async def test_first_document_of_tab_or_window_is_slowed(run: Run, shell: Shell, show: Show, web: Web) -> None:
    await show("<a href=/plain.html target=_blank>Go</a><button onclick=\"window.open('/plain.html')\">Open")
    await run(f"throttle --latency {LATENCY_MS}")
    for line in (f"newtab {web.url}/plain.html", "click text=Go", "click text=Open"):
        await run(line)
        await until(lambda: len(shell.browser.tabs) == 2)
        await run("tab", str(shell.browser.tabs.next_id - 1))
        took = await run("js", "performance.getEntriesByType('navigation')[0].responseEnd")
        assert float(took) >= LATENCY_MS, line
        await run("closetab")


async def test_scripts_are_slowed(run: Run, show: Show, web: Web) -> None:
    await show("<p>x")
    # Chromium slows a thread down from another one, and that begins some milliseconds late on a busy machine: several together.
    # The quickest one at full speed is the one that nobody else on the machine has held up.
    fast = SPINS * min([float(await run("js", SPIN)) for _ in range(SPINS)])
    assert await run("throttle --cpu 10") == "Throttled: scripts 10 times slower"
    for page in ("", web.show("<p>y").replace(web.url, web.other)):
        if page:
            await run("goto", page)
        async with asyncio.timeout(60):  # on a busy machine it begins later
            while sum([float(await run("js", SPIN)) for _ in range(SPINS)]) <= 2 * fast:
                pass


async def test_routes_answer_as_slowly_and_not_at_all_offline(
    run: Run, show: Show, fails: Fails, web: Web
) -> None:
    await show("<p>x")
    await run("route /made --body", "x" * 20_000)
    assert await run("throttle --latency 100 --down 800") == "Throttled: 100ms latency, 800 kbit/s down"
    assert float(await run("js", f"({TIMED})('/made')")) >= 300
    assert await run("throttle offline") == "Throttled: offline, 100ms latency, 800 kbit/s down"
    assert [await run("js", f"({ASK})('{url}')") for url in ("/made", "/api/200")] == [OFFLINE, OFFLINE]
    assert await run("emulate") == "Emulated: offline on"
    reply = await fails("goto", NavigationFailed, f"{web.url}/plain.html")
    assert "ERR_INTERNET_DISCONNECTED" in reply.message
    assert "'throttle off'" in reply.hint
    socket = f"new Promise((done) => new WebSocket('{web.url.replace('http', 'ws')}/api/200').onerror = () => done('no'))"
    assert await run("js", socket) == "no"
    assert await run("emulate --offline off") == "Emulated: nothing"
    assert float(await run("js", f"({TIMED})('{web.url}/made')")) >= 300
    await run("emulate --offline on")
    assert await run("js navigator.onLine") == "false"
    reply = await fails("goto", NavigationFailed, f"{web.url}/plain.html")
    assert "emulate --offline off" in reply.hint
    assert await run("throttle 4g") == "Throttled: 4g (165ms latency, 8100 kbit/s down, 1350 kbit/s up)"
    assert await run("emulate") == "Emulated: nothing"
