"""Throttles the processor of a target, also while it logs more than can be read."""

from typing import Any

from gstack_browse.browser.cdp.session import Session

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
        """Set the rate that the session wants (1: full speed).

        Return the parameters of `SLOW_DOWN`, for the caller to send.
        """
        self._wanted = times_slower
        return self._params()

    def slow_down(self) -> bool:
        """Slow the scripts down. Return whether they were not slowed down before."""
        is_news = self.can_change and not self.is_held_back
        if is_news:
            self._apply(is_held_back=True)
        return is_news

    def restore(self) -> None:
        """Restore the rate that the session wants."""
        self._apply(is_held_back=False)

    def _apply(self, *, is_held_back: bool) -> None:
        self.is_held_back = is_held_back
        self._observed.notify(SLOW_DOWN, self._params())

    def _params(self) -> dict[str, Any]:
        return {"rate": max(self._wanted, TIMES_SLOWER) if self.is_held_back else self._wanted}
