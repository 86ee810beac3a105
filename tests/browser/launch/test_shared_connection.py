"""Test a browser that others have started, and that falls silent without closing anything."""

import asyncio
import signal

import pytest

from gstack_browse.browser.launch import shared_connection
from gstack_browse.browser.launch.shared_connection import SharedConnection, SocketPipe, open_link
from tests.foreign import foreign


@pytest.mark.own_browser
async def test_a_browser_that_says_nothing_any_more_counts_as_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_connection, "BEAT_SECONDS", 0.01)
    monkeypatch.setattr(shared_connection, "SILENT_SECONDS", 1.0)
    with foreign() as browser:
        pipe = SocketPipe(await open_link(browser.url, {}, seconds=10, compress=False))
        connection = SharedConnection(pipe)
        gone: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        connection.on_end = lambda: gone.set_result(True)
        await connection.open()
        await connection.ask_browser("Browser.getVersion")
        browser.process.send_signal(signal.SIGSTOP)
        async with asyncio.timeout(60):
            assert await gone
        assert not pipe.is_open
