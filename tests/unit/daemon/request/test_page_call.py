import asyncio
from types import SimpleNamespace
from typing import cast

import pytest

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.engine import failures
from gstack_browse.daemon.request import command_run
from gstack_browse.errors import PageReplaced


async def nothing() -> None:
    pass


def page() -> PageCommand:
    """As much of a page as is asked for."""
    tab = SimpleNamespace(frame=None, gone_error=lambda: None, world=SimpleNamespace(caught_up=nothing))
    return cast("PageCommand", SimpleNamespace(tab=tab, notes=[]))


@pytest.mark.parametrize(
    "error", [failures.page_replaced_error(), ProtocolError("Cannot find context with specified id")]
)
async def test_a_page_that_is_being_replaced_for_a_moment_is_read_in_the_end(error: Exception) -> None:
    there = asyncio.get_running_loop().time() + 1.0

    async def read() -> str:
        if asyncio.get_running_loop().time() < there:
            raise error
        return "text"

    assert await command_run._read_again_if_replaced(page(), read) == "text"


async def test_one_that_is_replaced_again_and_again_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_run, "_PAUSES", (0.0,) * 4)
    asked = 0

    async def read() -> str:
        nonlocal asked
        asked += 1
        raise failures.page_replaced_error()

    with pytest.raises(PageReplaced):
        await command_run._read_again_if_replaced(page(), read)
    assert asked == 5
