"""Schedule deferred start-up work: 30 ms after the last reply, after 1 s at the latest, or on demand.

Importing Playwright and the rest of our code, and having Playwright take the page over, keeps this process busy for a third of a
second. An agent that sends its next commands at once gets their replies first, if they can do without. Node, a process of its own
that loads for as long, is started with the first reply.
"""

import asyncio
from collections.abc import Callable

QUIET_SECONDS = 0.03
"""Pause after a reply, without a command, from which on the daemon is idle."""
FIRST_SECONDS = 0.4
"""How long to wait for the reply to the first command."""
MOST_SECONDS = 1.0
"""How long commands in succession may delay the work."""


class IdleScheduler:
    """Tells when the daemon is idle for the first time. `is_busy`: whether a command runs."""

    def __init__(self, is_busy: Callable[[], bool]) -> None:
        self._is_busy = is_busy
        self._last_reply = 0.0
        self._changed = asyncio.Event()
        self._is_requested = False
        self._has_answered = False

    def on_reply(self) -> None:
        """Note that a command has just been answered."""
        self._last_reply = asyncio.get_running_loop().time()
        self._has_answered = True
        self._changed.set()

    def start_now(self) -> None:
        """Request the deferred work at once: a command waits for it."""
        self._is_requested = True
        self._changed.set()

    async def wait_for_first_reply(self) -> None:
        """Wait for the first reply, at most FIRST_SECONDS, or until the work is requested."""
        now = asyncio.get_running_loop().time
        give_up = now() + FIRST_SECONDS
        while not (self._is_requested or self._has_answered) and now() < give_up:
            await self._wait_for_change(give_up - now())

    async def wait_until_idle(self) -> None:
        """Wait until it is time to begin."""
        await self.wait_for_first_reply()
        now = asyncio.get_running_loop().time
        give_up = now() + MOST_SECONDS
        while not self._is_requested and (left := min(self._quiet_time(), give_up) - now()) > 0:
            await self._wait_for_change(left)

    async def wait_for_request(self) -> None:
        """Wait until the work is requested, however long no command runs."""
        while not self._is_requested:
            self._changed.clear()
            await self._changed.wait()

    def _quiet_time(self) -> float:
        """Return when the daemon will have been quiet for long enough, if nothing happens until then."""
        now = asyncio.get_running_loop().time()
        return (now if self._is_busy() else self._last_reply) + QUIET_SECONDS

    async def _wait_for_change(self, seconds: float) -> None:
        self._changed.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return
