"""Holds back what a page says while that is more than anybody could read.

Each message costs us a part of a millisecond, in one queue with the replies for all tabs, so that a page which logs in
a loop would keep every other tab waiting. To leave it out costs a microsecond.

How much a page says is judged by when it said it, as Chromium dates it, not by when we come to read it: a daemon that was
paused, or a machine that is slow, makes no flood of a quiet page, and no quiet page of a flood.

Where the daemon gets little of the processor, even leaving out is slower than what the page says, and replies wait behind ever
more of it. Such a page is slowed down: it is known by what it says reaching us later and later.
"""

import asyncio
import time
from collections.abc import Callable

from gstack_browse.browser.cdp.pace import TIMES_SLOWER, Pace
from gstack_browse.logs import rate
from gstack_browse.text.columns import format_count

CALM_SECONDS = 1.0
"""After so long without a second of too much it is heard again."""
BEHIND_SECONDS = 0.5
"""A page whose messages reach us so much later than they did when the valve was shut says more than we can read."""
_HELD_BACK = f"Its scripts run {TIMES_SLOWER} times slower until it says less: it says more than can be read"


class Valve:
    """Limits the messages of a page with its frames and workers. `told` gets a line when it shuts or opens."""

    def __init__(self, told: Callable[[str], None]) -> None:
        self._told = told
        self._loop = asyncio.get_running_loop()
        self._rate = rate.FloodDetector()
        self._missed = 0
        self._shut = 0.0
        """When the message was said that shut it."""
        self._too_much = 0.0
        self._heard_too_much = 0.0
        self._shut_here = 0.0
        """When that message reached us, by the event loop's clock: the page may be on a machine whose clock is another."""
        self._held_back: list[Pace] = []
        self._timer: asyncio.TimerHandle | None = None

    def passes(self, characters: int, at: float, pace: Pace) -> bool:
        """Count a message of so many characters, logged at `at` (wall clock, seconds) by the target that `pace` is of.

        Returns whether to let the message through.
        """
        if self._rate.add_message(at, characters, TIMES_SLOWER if self._held_back else 1):
            self._too_much, self._heard_too_much = at, self._loop.time()
            if not self._timer:
                self._shut, self._missed, self._shut_here = at, 0, self._loop.time()
                self._timer = self._loop.call_later(CALM_SECONDS, self._look)
                self._told(
                    f"More than {rate.MOST_A_SECOND:,} messages a second: those that follow are not kept"
                )
        elif self._timer and at >= self._too_much + CALM_SECONDS:
            self._open(at)
        if self._timer:
            self._missed += 1
            if self._behind(at) > BEHIND_SECONDS and pace.hold_back():
                if not self._held_back:
                    self._told(_HELD_BACK)
                self._held_back.append(pace)
        return not self._timer

    def _behind(self, at: float) -> float:
        """Seconds by which what was said at `at` reaches us later than what shut the valve."""
        return (self._loop.time() - self._shut_here) - (at - self._shut)

    def open(self) -> None:
        """Hear everything again, and say what was missed."""
        if self._timer:
            self._open(time.time())
            self._rate.reset()

    def close(self) -> None:
        """The page is gone."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        while self._held_back:
            self._held_back.pop().let_go()

    def _open(self, at: float) -> None:
        self.close()
        seconds = max(at - self._shut, 0.0)
        were = "was" if self._missed == 1 else "were"
        self._told(
            f"Listening again: {format_count(self._missed, 'message')} in {seconds:.1f}s {were} not kept"
        )

    def _look(self) -> None:
        calm_at = self._heard_too_much + CALM_SECONDS
        if self._loop.time() >= calm_at:
            self.open()
        else:
            self._timer = self._loop.call_at(calm_at, self._look)
