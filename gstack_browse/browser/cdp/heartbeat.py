"""Pings a remote browser, and reports when it no longer answers though the connection is open."""

import asyncio
from collections.abc import Callable

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.errors import ProtocolError

BEAT_SECONDS = 2.0
"""Interval of pings. Some services end a session without messages after a while."""
SILENT_SECONDS = 16.0
"""A browser without an answer for so long counts as lost."""


class Heartbeat:
    """Pings the browser until `stop`. Calls `silent` when nothing arrives any more.

    `heard` returns the number of messages so far, of whatever kind: a browser whose answer is queued behind events is not lost.
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
                # twice, since the time may have passed while this process was paused
                misses = misses + 1 if self._heard() == before else 0
            except ProtocolError:
                return  # the connection has ended
            if misses == 2:
                self._silent()
                return
