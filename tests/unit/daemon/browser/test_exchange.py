"""Test that one browser is exchanged for another while other commands come in."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.daemon.browser.browser_manager import BrowserManager
from gstack_browse.daemon.request import view
from gstack_browse.daemon.service import Service
from gstack_browse.settings import Settings
from gstack_browse.workspace.state import WritableStateDir


async def test_no_other_command_starts_a_browser_while_connect_exchanges_it(
    state: WritableStateDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service(Settings(), state)

    async def list_tabs(_: object) -> list[object]:
        return []

    theirs: Any = SimpleNamespace(external_tabs=SimpleNamespace(list_tabs=list_tabs))
    opening: list[asyncio.Future[OpenContext]] = []

    async def connect_to(*_: object) -> Any:
        return SimpleNamespace(product="theirs")

    async def switch_to(*_: object) -> OpenContext:
        opening.append(asyncio.ensure_future(service.browser.open(lambda note: None)))
        for _ in range(5):
            await asyncio.sleep(0)
        service.default_context.browser = theirs
        return theirs

    def refuse(_: object) -> None:
        raise AssertionError("it starts a browser of its own")

    monkeypatch.setattr(service.browser, "connect_to", connect_to)
    monkeypatch.setattr(service.browser, "switch_to", switch_to)
    monkeypatch.setattr(BrowserManager, "_make_start", refuse)
    await view.connect(service, "9222")
    assert await opening[0] is theirs
