"""Documents that a tab has left do not stay in its renderer's memory."""

import pytest

from gstack_browse.browser.command import page_settling
from gstack_browse.browser.context import heaps
from tests.commands.conftest import Run, Shell, Show

HEAVY = "<script>window.held = new Array(1e6).fill(0).map((_, i) => ({i}))</script><p>x"


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
