"""The deadline of a command: like `asyncio.timeout_at`, on a machine that may have no time for this process, too."""

import asyncio
from types import TracebackType

LATE_SECONDS = 0.1
"""A deadline that is noticed so much later was missed because the daemon did not run."""
AGAIN_SECONDS = 0.25
"""What a command gets then to end by itself: as much as its own waits end earlier than it, to say why (see `PageSession.remaining`)."""


class Deadline:
    """Around a command: cancels that when its time is over, and raises TimeoutError in its place.

    Where the daemon did not run, the command's own waits have ended at the same moment, and nothing of what they have to say
    was said: `asyncio` would cancel the command in the same turn.
    """

    def __init__(self, when: float) -> None:
        """`when`: on the loop's clock."""
        self._loop = asyncio.get_running_loop()
        self._when = when
        self._limit = asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> "Deadline":
        await self._limit.__aenter__()
        self._timer = self._loop.call_at(self._when, self._over)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lift()
        await self._limit.__aexit__(kind, error, trace)

    def lift(self) -> None:
        """Let the command go on for as long as it likes."""
        if self._timer:
            self._timer.cancel()

    def _over(self) -> None:
        now = self._loop.time()
        if now - self._when > LATE_SECONDS:
            self._timer = self._loop.call_at(now + AGAIN_SECONDS, self._limit.reschedule, now)
        else:
            self._limit.reschedule(now)
