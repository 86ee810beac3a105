"""Notices that a browser on the other end of a network is gone, though nothing has closed the connection."""

import asyncio
from collections.abc import Callable

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.playwright_names import Error

BEAT_SECONDS = 2.0
"""How often the browser is asked whether it is there. Services end a session that is silent for longer."""
SILENT_SECONDS = 16.0
"""A browser that has not answered for so long counts as gone."""


class Heartbeat:
    """Asks the browser now and then, until `stop`, and calls `silent` when nothing comes from there any more.

    `heard`: how many messages have come, of whatever kind. A browser whose answer waits behind thousands of events is slow, and there.
    """

    def __init__(self, connection: Connection, heard: Callable[[], int], silent: Callable[[], None]) -> None:
        self._connection = connection
        self._heard = heard
        self._silent = silent
        self._beating = asyncio.create_task(self._beat())

    def stop(self) -> None:
        self._beating.cancel()

    async def _beat(self) -> None:
        misses = 0
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            before = self._heard()
            try:
                async with asyncio.timeout(SILENT_SECONDS / 2):
                    await self._connection.ask_browser("Browser.getVersion")
                misses = 0
            except TimeoutError:
                # twice: the time may have passed while we could not run
                misses = misses + 1 if self._heard() == before else 0
            except Error:
                return  # the connection has ended
            if misses == 2:
                self._silent()
                return
