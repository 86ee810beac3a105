"""How fast a target's scripts run: as its session wants, or slower while it says more than we can read."""

from typing import Any

from gstack_browse.browser.cdp.session import Session

SLOW_DOWN = "Emulation.setCPUThrottlingRate"
_KINDS = frozenset({"page", "iframe"})
"""Targets that take it."""
TIMES_SLOWER = 20
"""How much slower a target runs that is held back."""


class Pace:
    """That of one target, which is told of it in the session `observed`. A worker's cannot be changed."""

    def __init__(self, observed: Session, kind: str) -> None:
        self._observed = observed
        self.can_change = kind in _KINDS
        self._wanted = 1.0
        self.is_held_back = False

    def want(self, times_slower: float) -> dict[str, Any]:
        """From now on so many times slower is what its session wants. Returns the parameters of `SLOW_DOWN` that say so."""
        self._wanted = times_slower
        return self._params()

    def hold_back(self) -> bool:
        """Slow its scripts down, and return whether that is news."""
        is_news = self.can_change and not self.is_held_back
        if is_news:
            self._tell(is_held_back=True)
        return is_news

    def let_go(self) -> None:
        """Its scripts run as its session wants."""
        self._tell(is_held_back=False)

    def _tell(self, *, is_held_back: bool) -> None:
        self.is_held_back = is_held_back
        self._observed.notify(SLOW_DOWN, self._params())

    def _params(self) -> dict[str, Any]:
        return {"rate": max(self._wanted, TIMES_SLOWER) if self.is_held_back else self._wanted}
