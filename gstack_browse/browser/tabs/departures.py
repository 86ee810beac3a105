"""Tabs that went without anybody having asked for it: what became of them, and whether that has been said.

Where the active tab goes, another one becomes active; a command that was meant for the first must not run there unawares
(docs/decisions/0027-a-tab-that-went.md).
"""

from dataclasses import dataclass

from gstack_browse.errors import TabGone

MOST_REMEMBERED = 100


@dataclass(frozen=True)
class Departure:
    """A tab that is no more: its number, its last address, and what became of it (`closed itself`)."""

    tab: int
    url: str
    reason: str


class Departures:
    """Tabs that have gone. `untold` says how the active tab went, until a caller who may have meant that tab was told."""

    def __init__(self) -> None:
        self.untold: Departure | None = None
        self._reasons: dict[int, str] = {}

    def note(self, went: Departure, *, was_active: bool) -> None:
        """A tab has gone. Where the one that took its place goes, too, the first is what commands were meant for."""
        self._reasons[went.tab] = went.reason
        if len(self._reasons) > MOST_REMEMBERED:
            del self._reasons[next(iter(self._reasons))]
        if was_active and self.untold is None:
            self.untold = went

    def settle(self) -> None:
        """Whoever is next knows which tab is active."""
        self.untold = None

    def returned(self, number: int) -> None:
        """The tab of that number is open again."""
        self._reasons.pop(number, None)
        if self.untold and self.untold.tab == number:
            self.untold = None

    def failure(self, number: int) -> TabGone:
        """Why there is no tab of that number."""
        reason = self._reasons.get(number)
        message = f"Tab {number} {reason}" if reason else f"There is no tab {number}"
        return TabGone(message, "Run 'tabs' to see what is open")
