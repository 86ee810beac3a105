"""Limits the rate of a page's console messages.

A message costs a part of a millisecond, in one queue with the replies for all tabs. So a page that logs in a loop would delay
every other tab. To drop a message costs a microsecond.

The rate is computed from Chromium's time stamps, not from the times of reading. So a paused daemon or a slow machine changes nothing.

On a busy machine even dropping may be slower than the page's logging. Then its messages arrive later and later, and its scripts are
slowed down (`pace`).
"""

import asyncio
import time
from collections.abc import Callable

from gstack_browse.browser.cdp.pace import TIMES_SLOWER, CpuThrottle
from gstack_browse.logs import rate
from gstack_browse.text.columns import format_count

CALM_SECONDS = 1.0
"""Messages are kept again after so long below the limit."""
BEHIND_SECONDS = 0.5
"""A page is slowed down when its messages arrive so much later than when the limiter began to drop them."""
_HELD_BACK = f"Its scripts run {TIMES_SLOWER} times slower until it says less: it says more than can be read"


class ConsoleRateLimiter:
    """Limits the messages of a page with its frames and workers.

    `told` is called with a line for the log when dropping begins or ends.
    """

    def __init__(self, told: Callable[[str], None]) -> None:
        self._told = told
        self._loop = asyncio.get_running_loop()
        self._rate = rate.FloodDetector()
        self._missed = 0
        self._shut = 0.0
        """Time stamp of the message at which dropping began."""
        self._too_much = 0.0
        self._heard_too_much = 0.0
        self._shut_here = 0.0
        """When that message arrived, by the event loop's clock: a remote page's machine may have another clock."""
        self._held_back: list[CpuThrottle] = []
        self._timer: asyncio.TimerHandle | None = None

    def admit(self, characters: int, at: float, pace: CpuThrottle) -> bool:
        """Count a message. Return whether to keep it.

        Args:
            characters: length of the message
            at: Chromium's time stamp, in seconds
            pace: the throttle of the target that has logged it
        """
        if self._rate.add_message(at, characters, TIMES_SLOWER if self._held_back else 1):
            self._too_much, self._heard_too_much = at, self._loop.time()
            if not self._timer:
                self._shut, self._missed, self._shut_here = at, 0, self._loop.time()
                self._timer = self._loop.call_later(CALM_SECONDS, self._check_calm)
                self._told(
                    f"More than {rate.MOST_A_SECOND:,} messages a second: those that follow are not kept"
                )
        elif self._timer and at >= self._too_much + CALM_SECONDS:
            self._open(at)
        if self._timer:
            self._missed += 1
            if self._delay(at) > BEHIND_SECONDS and pace.slow_down():
                if not self._held_back:
                    self._told(_HELD_BACK)
                self._held_back.append(pace)
        return not self._timer

    def _delay(self, at: float) -> float:
        """Return how many seconds a message logged at `at` is later than the one at which dropping began."""
        return (self._loop.time() - self._shut_here) - (at - self._shut)

    def open(self) -> None:
        """Keep messages again, and report how many were dropped."""
        if self._timer:
            self._open(time.time())
            self._rate.reset()

    def close(self) -> None:
        """Stop the timer, and restore the speed of slowed-down targets."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        while self._held_back:
            self._held_back.pop().restore()

    def _open(self, at: float) -> None:
        self.close()
        seconds = max(at - self._shut, 0.0)
        were = "was" if self._missed == 1 else "were"
        self._told(
            f"Listening again: {format_count(self._missed, 'message')} in {seconds:.1f}s {were} not kept"
        )

    def _check_calm(self) -> None:
        calm_at = self._heard_too_much + CALM_SECONDS
        if self._loop.time() >= calm_at:
            self.open()
        else:
            self._timer = self._loop.call_at(calm_at, self._check_calm)
