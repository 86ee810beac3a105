"""A deadline like `asyncio.timeout_at`, but fair to commands while the daemon gets no processor time."""

import asyncio
from types import TracebackType

LATE_SECONDS = 0.1
"""A deadline that is noticed so much later (s) was missed because the daemon did not run."""
EXTRA_SECONDS = 0.25
"""Time (s) to end by itself that a command gets then: its own waits end so much earlier, to say why (see `PageSession.remaining`)."""


class Deadline:
    """Context manager: cancel the command at a time, and raise TimeoutError.

    If the daemon did not run, the command's own waits have ended at the same moment. `asyncio` would cancel the command in the same
    turn of the loop, before it could say why it failed.
    """

    def __init__(self, when: float) -> None:
        """Set the time `when`, on the loop's clock."""
        self._loop = asyncio.get_running_loop()
        self._when = when
        self._limit = asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> "Deadline":
        await self._limit.__aenter__()
        self._timer = self._loop.call_at(self._when, self._expire)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lift()
        await self._limit.__aexit__(kind, error, trace)

    def lift(self) -> None:
        """Remove the deadline."""
        if self._timer:
            self._timer.cancel()

    def _expire(self) -> None:
        now = self._loop.time()
        if now - self._when > LATE_SECONDS:
            self._timer = self._loop.call_at(now + EXTRA_SECONDS, self._limit.reschedule, now)
        else:
            self._limit.reschedule(now)
