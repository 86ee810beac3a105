"""Limit targets that keep browser or daemon busy: throttle their CPU, drop their console messages."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from gstack_browse.browser.cdp.session import Session
from gstack_browse.text.units import format_count

SLOW_DOWN = "Emulation.setCPUThrottlingRate"
_KINDS = frozenset({"page", "iframe"})
"""Kinds of targets that Chromium can throttle."""
TIMES_SLOWER = 20
"""Rate of a slowed-down target: its scripts run so many times slower."""


class CpuThrottle:
    """The throttle of one target, set in the session `observed`. Chromium cannot throttle workers."""

    def __init__(self, observed: Session, kind: str) -> None:
        self._observed = observed
        self.can_change = kind in _KINDS
        self._wanted = 1.0
        self.is_held_back = False

    def set_rate(self, times_slower: float) -> dict[str, Any]:
        """Set how many times slower scripts shall run by the session's emulation (1: full speed).

        Return the parameters of `Emulation.setCPUThrottlingRate`, for the caller to send.
        """
        self._wanted = times_slower
        return self._params()

    def slow_down(self) -> bool:
        """Slow down a target that logs too much. Return False if it is slow already, or cannot be (a worker)."""
        is_news = self.can_change and not self.is_held_back
        if is_news:
            self._apply(is_held_back=True)
        return is_news

    def restore(self) -> None:
        """Undo `slow_down`: return to the rate of `set_rate`."""
        self._apply(is_held_back=False)

    def _apply(self, *, is_held_back: bool) -> None:
        """Send Chromium the target's rate. `is_held_back`: slow the target down, since it logs too much."""
        self.is_held_back = is_held_back
        self._observed.notify(SLOW_DOWN, self._params())

    def _params(self) -> dict[str, Any]:
        """Return the parameters of `Emulation.setCPUThrottlingRate` for the present state."""
        return {"rate": max(self._wanted, TIMES_SLOWER) if self.is_held_back else self._wanted}


MOST_A_SECOND = 1_000
MOST_CHARACTERS_A_SECOND = 10_000_000


class FloodDetector:
    """Counts the console messages of the last second and their characters."""

    def __init__(self) -> None:
        self._messages: deque[tuple[float, int]] = deque()
        self._characters = 0

    def add_message(self, at: float, characters: int, slower: int = 1) -> bool:
        """Count a console message of time `at` (seconds). Return whether the last second exceeds a limit.

        `slower`: how many times slower than usual the page runs; the limits are divided by it. Messages of several threads
        may arrive slightly out of order. If the clock was set back, counting restarts.
        """
        last = self._messages[-1][0] if self._messages else at
        if at < last - 1.0:
            self.reset()
            last = at
        at = max(at, last)
        while self._messages and (at - self._messages[0][0] >= 1.0 or len(self._messages) > MOST_A_SECOND):
            self._characters -= self._messages.popleft()[1]
        self._messages.append((at, characters))
        self._characters += characters
        return (
            len(self._messages) * slower > MOST_A_SECOND or self._characters * slower > MOST_CHARACTERS_A_SECOND
        )

    def reset(self) -> None:
        """Forget the counted messages."""
        self._messages.clear()
        self._characters = 0


CALM_SECONDS = 1.0
"""Messages are kept again after so long below the limit."""
BEHIND_SECONDS = 0.5
"""A page is slowed down when its messages arrive so much later than when the limiter began to drop them."""
_HELD_BACK = f"Its scripts run {TIMES_SLOWER} times slower until it says less: it says more than can be read"


class ConsoleRateLimiter:
    """Drops console messages of a page, with its frames and workers, that logs too many.

    `report` is called with a line for the log when dropping begins or ends.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._rate = FloodDetector()
        self._dropped = 0
        self._dropping_since = 0.0
        """Time stamp of the message at which dropping began."""
        self._last_excess = 0.0
        self._last_excess_here = 0.0
        self._dropping_since_here = 0.0
        """When that message arrived, by the event loop's clock: a remote page's machine may have another clock."""
        self._held_back: list[CpuThrottle] = []
        self._timer: asyncio.TimerHandle | None = None

    def admit(self, characters: int, at: float, throttle: CpuThrottle) -> bool:
        """Count a message. Return whether to keep it, or drop it.

        Args:
            characters: length of the message
            at: Chromium's time stamp, in seconds
            throttle: that of the target that has logged it
        """
        if self._rate.add_message(at, characters, TIMES_SLOWER if self._held_back else 1):
            self._last_excess, self._last_excess_here = at, self._loop.time()
            if not self._timer:
                self._dropping_since, self._dropped, self._dropping_since_here = at, 0, self._loop.time()
                self._timer = self._loop.call_later(CALM_SECONDS, self._check_calm)
                self._report(f"More than {MOST_A_SECOND:,} messages a second: those that follow are not kept")
        elif self._timer and at >= self._last_excess + CALM_SECONDS:
            self._resume(at)
        if self._timer:
            self._dropped += 1
            if self._delay(at) > BEHIND_SECONDS and throttle.slow_down():
                if not self._held_back:
                    self._report(_HELD_BACK)
                self._held_back.append(throttle)
        return not self._timer

    def _delay(self, at: float) -> float:
        """Return how many seconds late a message arrives, compared with the first dropped one.

        `at`: the message's time stamp, in seconds.
        """
        return (self._loop.time() - self._dropping_since_here) - (at - self._dropping_since)

    def stop_dropping(self) -> None:
        """Keep messages again if they are dropped now, and report how many were dropped."""
        if self._timer:
            self._resume(time.time())
            self._rate.reset()

    def close(self) -> None:
        """Stop the timer, and restore the speed of slowed-down targets."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        while self._held_back:
            self._held_back.pop().restore()

    def _resume(self, at: float) -> None:
        """Keep messages again, and report how many were dropped. `at`: the end of dropping, in epoch seconds."""
        self.close()
        seconds = max(at - self._dropping_since, 0.0)
        were = "was" if self._dropped == 1 else "were"
        self._report(
            f"Listening again: {format_count(self._dropped, 'message')} in {seconds:.1f}s {were} not kept"
        )

    def _check_calm(self) -> None:
        """Stop dropping if the page has logged little for CALM_SECONDS; otherwise check again later."""
        calm_at = self._last_excess_here + CALM_SECONDS
        if self._loop.time() >= calm_at:
            self.stop_dropping()
        else:
            self._timer = self._loop.call_at(calm_at, self._check_calm)
