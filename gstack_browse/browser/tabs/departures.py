"""Remembers tabs that closed or crashed unasked, and whether a reply has said so.

When the active tab goes, another becomes active. A command that was meant for the first must not run there unnoticed
(docs/decisions/0002-lost-browser-state-is-an-error.md).
"""

from dataclasses import dataclass

from gstack_browse.errors import TabGone

MOST_REMEMBERED = 100


@dataclass(frozen=True)
class Departure:
    """A tab that has gone: its number, its last address, and why (`closed itself`)."""

    tab: int
    url: str
    reason: str


class Departures:
    """Tabs that have gone. `untold` is the active tab that went, until its user has been told."""

    def __init__(self) -> None:
        self.untold: Departure | None = None
        self._reasons: dict[int, str] = {}

    def note(self, went: Departure, *, was_active: bool) -> None:
        """Note that a tab has gone.

        Keeps the first active tab in `untold` if the tab that replaced it goes, too: commands were meant for the first.
        """
        self._reasons[went.tab] = went.reason
        if len(self._reasons) > MOST_REMEMBERED:
            del self._reasons[next(iter(self._reasons))]
        if was_active and self.untold is None:
            self.untold = went

    def settle(self) -> None:
        """Forget the unreported tab: the next caller knows which tab is active."""
        self.untold = None

    def returned(self, number: int) -> None:
        """Forget that tab `number` went: it is open again."""
        self._reasons.pop(number, None)
        if self.untold and self.untold.tab == number:
            self.untold = None

    def failure(self, number: int) -> TabGone:
        """Return the error that says why there is no tab `number`."""
        reason = self._reasons.get(number)
        message = f"Tab {number} {reason}" if reason else f"There is no tab {number}"
        return TabGone(message, "Run 'tabs' to see what is open")
