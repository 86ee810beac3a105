"""The state of a handoff to a person: the reason, the start, and what was last seen in the window.

The person may close a tab, the window or the whole program. What was there shortly before is kept.
"""

import time
from dataclasses import replace

from gstack_browse.browser.tabs.last_seen import LastSeen
from gstack_browse.browser.tabs.session_state import SessionState, TabState

TOGETHER_SECONDS = 1.5
"""Tabs closed within this time closed with their window, not one by one."""


class HandoffState(LastSeen):
    """A browser in a person's hands. `is_over`: its program has ended."""

    def __init__(self, reason: str, carried: SessionState) -> None:
        super().__init__(carried)
        self.reason = reason
        self.since = time.monotonic()
        self.is_over = False
        self._closings: list[tuple[float, TabState]] = []

    def closed(self, tab: TabState) -> None:
        """Note that the person closed a tab, alone or with its window."""
        seen = self.tabs.get(tab.id, tab)
        self._closings.append((time.monotonic(), replace(seen, url=tab.url, following=tab.following)))

    def left(self) -> SessionState:
        """Return the state shortly before the window closed."""
        state = self.state()
        return replace(state, tabs=self.last_tabs() or state.tabs)

    def last_tabs(self) -> list[TabState]:
        """Return the tabs that closed together with the last one."""
        if not self._closings:
            return []
        end = self._closings[-1][0]
        last = {tab.id: tab for at, tab in self._closings if end - at <= TOGETHER_SECONDS}
        return [last[number] for number in sorted(last)]
