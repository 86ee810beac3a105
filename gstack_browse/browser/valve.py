"""Holds back what a page says while that is more than anybody could read.

Each message costs the driver and us some 0.1 ms, in one queue with the replies for all tabs, so that a page which logs in
a loop would keep every other tab waiting. On the wire it costs a microsecond to leave it out.
"""

import asyncio
from collections.abc import Callable

from gstack_browse.logs import rate

CALM_SECONDS = 1.0
"""After so long without a second of too much it is heard again."""
_DUE = 1_000


class Valve:
    """Of one page with its frames and workers. `told` gets a line when it shuts, and one when it opens again."""

    def __init__(self, told: Callable[[str], None]) -> None:
        self._told = told
        self._loop = asyncio.get_running_loop()
        self._rate = rate.Rate()
        self._missed = 0
        self._shut = 0.0
        self._too_much = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_shut(self) -> bool:
        """Whether what comes now is held back."""
        return self._timer is not None

    @property
    def is_due(self) -> bool:
        """Whether a good many more have been held back: time to tidy up after them."""
        return self._missed % _DUE == 1

    def passes(self, characters: int) -> bool:
        """Whether a message of that length is heard. Counts it."""
        now = self._loop.time()
        if self._rate.is_exceeded(now, characters):
            self._too_much = now
            if not self._timer:
                self._shut, self._missed = now, 0
                self._timer = self._loop.call_later(CALM_SECONDS, self._look)
                self._told(
                    f"More than {rate.MOST_A_SECOND:,} messages a second: those that follow are not kept"
                )
        if self._timer:
            self._missed += 1
        return not self._timer

    def open(self) -> None:
        """Hear everything again, and say what was missed."""
        if self._timer:
            seconds = self._loop.time() - self._shut
            self.close()
            self._told(f"Listening again: {self._missed:,} messages in {seconds:.1f}s were not kept")
            self._rate = rate.Rate()

    def close(self) -> None:
        """The page is gone."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        calm_at = self._too_much + CALM_SECONDS
        if self._loop.time() >= calm_at:
            self.open()
        else:
            self._timer = self._loop.call_at(calm_at, self._look)
