"""Test pages that say more than can be read.

The rest of it is held back and counted, and other pages lose nothing.
"""

import asyncio
import json
import re
import time
from typing import Any

import pytest

from gstack_browse.browser.cdp import throttling
from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.cdp.throttling import SLOW_DOWN
from tests.commands.conftest import Run, Shell, Show
from tests.commands.web import Web
from tests.faults import Seen, fault

MOST = 50
"""Far below what any machine can do in a second."""
FLOOD = "for (let i = 0; i < 300; i++) console.log('flood', i)"
Paces = list[tuple[float, "asyncio.Future[dict[str, Any]]"]]
FULL = "[lost] More than 50 messages a second: those that follow are not kept"


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttling, "MOST_A_SECOND", MOST)
    monkeypatch.setattr(throttling, "MOST_CHARACTERS_A_SECOND", 50_000)
    monkeypatch.setattr(throttling, "CALM_SECONDS", 60.0)
    monkeypatch.setattr(throttling, "BEHIND_SECONDS", 60.0)  # a busy machine is behind at times


async def lines(run: Run, *words: str) -> list[str]:
    return [line.partition("] ")[2] for line in (await run("console", *words)).splitlines()]


@fault("Floods", "a page writes thousands of console messages", "the first are kept, the rest is mentioned")
async def test_of_a_flood_the_first_messages_are_kept_and_the_rest_is_mentioned(run: Run, show: Show) -> None:
    await show("<p>x")
    await run("js", FLOOD)
    said = await lines(run)
    assert said[0] == "[log] flood 0"
    assert said[49] == "[log] flood 49"
    assert said[50:] == [FULL]
    assert await lines(run, "--errors") == [FULL], "errors may be among what is lost"


@fault("Floods", "other tabs write messages during a flood", "they are heard")
async def test_meanwhile_other_tabs_and_new_ones_are_heard(run: Run, show: Show, web: Web) -> None:
    await show("<p>x")
    await run("newtab", web.show("<p>y"))
    await run("js", FLOOD, tab=1)
    await run("js", "console.log('other')", tab=2)
    await run("newtab", web.show("<p>z"))
    await run("js", "console.log('new')", tab=3)
    assert await run("js", "console.log('flooding')", tab=1) == ""
    assert (await lines(run, "--tab", "2"))[-1].startswith("[log] other")
    assert (await lines(run, "--tab", "3"))[-1].startswith("[log] new")
    assert (await lines(run, "--tab", "1"))[-1] == FULL


@fault(
    "Floods",
    "a page writes 200,000 console messages in one loop",
    "a script in another tab waits at most 1.3 s, `url` less than that",
    slow=True,
)
async def test_flood_does_not_hold_other_tabs(shell: Shell, run: Run, show: Show, web: Web, seen: Seen) -> None:
    await show("<p>x")
    await run("newtab", web.show("<p>y"))
    flood = asyncio.ensure_future(shell.send("js", FLOOD.replace("300", "200_000"), tab=1, timeout=120_000))
    waited = {"js 1": 0.0, "url": 0.0}
    while not flood.done():
        for command in waited:
            begun = time.monotonic()
            await run(command, tab=2)
            waited[command] = max(waited[command], time.monotonic() - begun)
    assert max(waited.values()) < 1.3, waited
    seen(f"js {waited['js 1']:.2f} s, url {waited['url']:.2f} s")


async def test_page_is_heard_once_it_stops(run: Run, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    await show(f"<script>flood = setInterval(() => {{ {FLOOD} }}, 10)</script>")
    async with asyncio.timeout(60):
        while (await lines(run))[50:] != [FULL]:
            pass
        await run("js", "clearInterval(flood)")
        monkeypatch.setattr(throttling, "CALM_SECONDS", 0.5)
        monkeypatch.setattr(
            throttling, "MOST_A_SECOND", 100_000
        )  # a fast machine writes hundreds of the next ones
        while (said := await lines(run))[-1] != "[log] calm":
            await run("js", "console.log('calm')")
    assert re.fullmatch(r"\[lost\] Listening again: [\d,]+ messages in .*s were not kept", said[-2])


@fault("Floods", "a page throws thousands of errors", "the first are kept, the rest is mentioned")
async def test_a_flood_of_errors(run: Run, show: Show) -> None:
    await show("<p>x")
    await run("js", "for (let i = 0; i < 300; i++) reportError(new Error('bad ' + i))")
    said = await lines(run, "--errors")
    assert said[0].startswith("[error] Uncaught Error: bad 0")
    assert said[50:] == [FULL]


@fault("Floods", "enormous console messages", "cut at a limit, the rest is mentioned")
async def test_enormous_console_messages_are_cut(run: Run, show: Show) -> None:
    await show("<p>x")
    await run("js", "for (let i = 0; i < 4; i++) console.log('x'.repeat(20000))")
    said = await lines(run)
    assert [len(line) < 11_000 for line in said] == [True, True, True]
    assert said[2] == FULL


async def test_a_flood_of_a_worker_is_its_pages(run: Run, show: Show) -> None:
    await show("<p>x")
    code = "onmessage = () => { for (let i = 0; i < 300; i++) console.log('flood', i); postMessage(1) }"
    worker = f"const w = new Worker(URL.createObjectURL(new Blob([{json.dumps(code)}])))"
    await run("js", f"{worker}; await new Promise((done) => {{ w.onmessage = done; w.postMessage(0) }})")
    await run("js", "console.log('of the page')")
    assert (await lines(run, "--tab", "1"))[50:] == [FULL]
    await show("<p>y")
    assert (await lines(run, "--all-pages"))[-1].startswith("[lost] Listening again: 251 messages")


@pytest.fixture
def paces(monkeypatch: pytest.MonkeyPatch) -> Paces:
    """Record by how many times scripts are slowed down, and Chromium's answer to it.

    Chromium is told without waiting for its answer.
    """
    told: Paces = []
    notify = Session.notify

    def record_pace(session: Session, method: str, params: dict[str, Any] | None = None) -> None:
        if method == SLOW_DOWN and params:
            told.append((params["rate"], session.send(method, params)))
        else:
            notify(session, method, params)

    monkeypatch.setattr(Session, "notify", record_pace)
    return told


@fault(
    "Floods",
    "a page says more than the daemon can read",
    "its scripts run 20 times slower until it says less, so that replies to others do not wait behind what it says",
)
@pytest.mark.parametrize(
    "says", ["the page", pytest.param("a frame of another site", marks=pytest.mark.both_browsers)]
)
async def test_page_that_says_more_than_can_be_read_is_slowed_down(
    run: Run, show: Show, web: Web, monkeypatch: pytest.MonkeyPatch, paces: Paces, says: str
) -> None:
    """Leave open by how much Chromium slows down: its thread for that needs time, too."""
    await show(f"<iframe src='{web.show_elsewhere('<p>')}'></iframe>")
    if says != "the page":
        await run("frame iframe")
    monkeypatch.setattr(throttling, "BEHIND_SECONDS", -1.0)  # as if what it says came ever later
    await run("js", FLOOD)
    assert (await lines(run))[-1] == (
        "[lost] Its scripts run 20 times slower until it says less: it says more than can be read"
    )
    assert [throttling for throttling, _ in paces] == [20]
    await show("<p>y")
    assert [throttling for throttling, _ in paces] == [20, 1]
    first, second = await asyncio.gather(*(taken for _, taken in paces), return_exceptions=True)
    is_gone = (
        isinstance(second, ProtocolError) and says != "the page"
    )  # with its page, where it has its own process
    assert (first, is_gone or second) == ({}, is_gone or {}), "Chromium takes that of either"
