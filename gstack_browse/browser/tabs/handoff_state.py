"""What is remembered while a person has the browser: why, since when, and what was last seen in the window.

The person may close a tab, the window or the whole program; what was there shortly before is kept.
"""

import time
from dataclasses import replace
from typing import Any

from gstack_browse.browser.tabs.session_state import SessionState, TabState

TOGETHER_SECONDS = 1.5
"""Tabs closed so near to each other went with their window, not one by one."""


class HandoffState:
    """A browser in a person's hands. `is_over`: its program has ended."""

    def __init__(self, reason: str, carried: SessionState) -> None:
        self.reason = reason
        self.since = time.monotonic()
        self.is_over = False
        self._last = carried
        self._seen = {tab.id: tab for tab in carried.tabs}
        self._origins: dict[str, dict[str, Any]] = {
            origin["origin"]: origin for origin in carried.storage.get("origins", [])
        }
        self._closings: list[tuple[float, TabState]] = []

    def closed(self, tab: TabState) -> None:
        """The person closed a tab, alone or with its window."""
        seen = self._seen.get(tab.id, tab)
        self._closings.append((time.monotonic(), replace(seen, url=tab.url, following=tab.following)))

    def saw(self, tabs: list[TabState], local: dict[str, dict[str, str]], *, active: int, next_id: int) -> None:
        """A look at the window: its tabs, and the local storage of the origins they show."""
        if not tabs:
            return
        self._seen.update({tab.id: tab for tab in tabs})
        for origin, items in local.items():
            known = self._origins.setdefault(origin, {"origin": origin})
            known["localStorage"] = [{"name": name, "value": value} for name, value in items.items()]
        self._last = replace(self._last, tabs=tabs, active=active, next_id=next_id)

    def saw_cookies(self, cookies: list[Any]) -> None:
        """All cookies of the window's browser."""
        self._last = replace(self._last, storage={**self._last.storage, "cookies": cookies})

    def left(self) -> SessionState:
        """What was there shortly before the window closed."""
        storage = {**self._last.storage, "origins": list(self._origins.values())}
        return replace(self._last, storage=storage, tabs=self.last_tabs() or self._last.tabs)

    def last_tabs(self) -> list[TabState]:
        """The tabs that went together with the last one."""
        if not self._closings:
            return []
        end = self._closings[-1][0]
        last = {tab.id: tab for at, tab in self._closings if end - at <= TOGETHER_SECONDS}
        return [last[number] for number in sorted(last)]
