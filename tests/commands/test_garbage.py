"""Documents that a tab has left do not stay in its renderer's memory."""

import asyncio
from contextlib import ExitStack
from typing import Any

import pytest

from gstack_browse.browser.command import page_settling
from gstack_browse.browser.context import heaps
from tests.commands.conftest import Run, Shell, Show
from tests.commands.drawer import standing_still

HEAVY = "<script>window.held = new Array(3e5).fill(0).map((_, i) => ({i}))</script><p>x"


async def heap(shell: Shell) -> int:
    used: int = (await shell.browser.tab().world.session.send("Runtime.getHeapUsage"))["usedSize"]
    return used


async def test_left_documents_are_let_go_of(show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heaps, "DOCUMENTS", 3)
    await show(HEAVY)
    await show(HEAVY)
    await heaps.collect_garbage(shell.browser.tabs, is_idle=True)
    assert shell.browser.tab().collected == 0, "not due yet"
    await show("<p>light")
    held = await heap(shell)
    await heaps.collect_garbage(shell.browser.tabs, is_idle=False)
    assert await heap(shell) > held / 2, "somebody may be waiting"
    await heaps.collect_garbage(shell.browser.tabs, is_idle=True)
    assert await heap(shell) < held / 2


async def test_a_page_that_hangs_is_left_alone(
    run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heaps, "DOCUMENTS", 1)
    monkeypatch.setattr(heaps, "COLLECT_SECONDS", 0.05)
    monkeypatch.setattr(page_settling, "TURN_SECONDS", 0.1)
    await show("<p>x")
    await run("js", "setTimeout(() => { for (;;); })")
    await heaps.collect_garbage(shell.browser.tabs, is_idle=True)
    await heaps.collect_garbage(shell.browser.tabs, is_idle=True)
    assert await run("closetab") == "Closed tab 1; the active tab is now 2: about:blank"


@pytest.mark.own_browser
async def test_heaps_are_measured_in_time_on_a_busy_machine(
    show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show("<p>x")
    connection = shell.browser.running.connection
    told = await connection.ask_browser("SystemInfo.getProcessInfo")
    ask = connection.ask_browser

    async def answer_late(method: str, **params: object) -> Any:
        await asyncio.sleep(0.2)
        return await ask(method, **params)

    monkeypatch.setattr(connection, "ask_browser", answer_late)
    with ExitStack() as stack:
        for process in told["processInfo"]:
            if process["type"] == "renderer":
                stack.enter_context(standing_still(process["id"]))
        async with asyncio.timeout(20):
            assert await heaps.measure_heaps(shell.browser) == {1: 0}
