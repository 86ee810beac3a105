"""Lock for moving a session's tabs to another browser context.

acquire ─► wait_until_none_opens ─► begin_move (commands wait) ─► tabs are moved ─► end_move (commands go on) ─► release
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType


class TransferLock:
    """Is held by one transfer at a time. Commands on the browser wait only while tabs are moved.

    A transfer closes the old context with all its pages, also with one that is just opening: so it first waits for those.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._no_move = asyncio.Event()
        self._no_move.set()
        self._opening_count = 0
        self._none_opens = asyncio.Event()
        self._none_opens.set()

    async def __aenter__(self) -> None:
        await self._lock.acquire()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def locked(self) -> bool:
        """Return whether a transfer is under way."""
        return self._lock.locked()

    async def acquire(self) -> None:
        """Begin a transfer. Commands go on until `begin_move`."""
        await self._lock.acquire()

    def release(self) -> None:
        """End a transfer."""
        self.end_move()
        self._lock.release()

    def begin_move(self) -> None:
        """Make commands on the browser wait from now on."""
        self._no_move.clear()

    def end_move(self) -> None:
        """Let commands on the browser go on: every tab is in the new context."""
        self._no_move.set()

    async def wait_until_moved(self) -> None:
        """Wait while tabs are being moved."""
        await self._no_move.wait()

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Count a tab as opening until the block ends."""
        self._opening_count += 1
        self._none_opens.clear()
        try:
            yield
        finally:
            self._opening_count -= 1
            if not self._opening_count:
                self._none_opens.set()

    async def wait_until_none_opens(self) -> None:
        """Wait until no tab is being opened."""
        await self._none_opens.wait()
