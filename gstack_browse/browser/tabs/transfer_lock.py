"""Keeps a session's transfer to another browser context apart from what else changes its tabs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType


class TransferLock:
    """Held by one transfer at a time. While that moves the tabs, commands on the browser wait (`until_moved`).

    A page that is made in the context which the session leaves would close with it: so a transfer first waits for tabs that
    open (`until_none_opens`).
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._is_still = asyncio.Event()
        self._is_still.set()
        self._opening = 0
        self._none_opens = asyncio.Event()
        self._none_opens.set()

    async def __aenter__(self) -> None:
        await self._lock.acquire()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    async def acquire(self) -> None:
        """Begin a transfer. Tabs do not move yet: commands go on."""
        await self._lock.acquire()

    def release(self) -> None:
        """End a transfer."""
        self.end_move()
        self._lock.release()

    def begin_move(self) -> None:
        """Have commands on the browser wait from now on."""
        self._is_still.clear()

    def end_move(self) -> None:
        """Let commands on the browser go on: every tab is where the session is."""
        self._is_still.set()

    async def until_moved(self) -> None:
        """Wait while tabs are moved."""
        await self._is_still.wait()

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Around the opening of a tab."""
        self._opening += 1
        self._none_opens.clear()
        try:
            yield
        finally:
            self._opening -= 1
            if not self._opening:
                self._none_opens.set()

    async def until_none_opens(self) -> None:
        """Wait until no tab is being opened."""
        await self._none_opens.wait()
