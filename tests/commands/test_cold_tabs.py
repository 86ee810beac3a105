"""Tabs that are closed in a browser that starts, before Playwright has its first page."""

import asyncio

import pytest

from gstack_browse.errors import TabGone
from tests.commands.conftest import Run, Shell
from tests.commands.web import Web

pytestmark = [pytest.mark.cold, pytest.mark.pipe, pytest.mark.own_browser]


@pytest.mark.usefixtures("without_playwright")
async def test_a_command_that_waits_for_playwright_ends_with_its_tab(run: Run, web: Web, shell: Shell) -> None:
    await run(f"goto {web.url}/plain.html")
    waiting, closed = await asyncio.gather(shell.send("storage"), shell.send("closetab"))
    assert waiting.code == TabGone.code
    assert waiting.message == "The page in tab 1 was closed"
    assert closed.text == "Closed tab 1"


async def test_tabs_may_be_closed_one_after_the_other(run: Run, web: Web) -> None:
    await run(f"goto {web.url}/plain.html")
    assert [(await run("closetab"))[:10] for _ in range(6)] == ["Closed tab"] * 6
    assert (await run("tabs")).endswith("about:blank")
