"""Keeps the last seen tabs, cookies and storage of a browser that may end at any moment. Data only.

A look does not see IndexedDB, and no storage of origins without a tab. Those stay as in the last full capture.
"""

from dataclasses import replace
from typing import Any

from gstack_browse.browser.tabs.session_state import SessionState, TabState


class LastSeen:
    """A browser's state, brought up to date look by look."""

    def __init__(self, state: SessionState) -> None:
        self.saw_whole(state)

    def saw_whole(self, state: SessionState) -> None:
        """Keep the state of a full capture."""
        self._last = state
        self.tabs = {tab.id: tab for tab in state.tabs}
        """Every tab that was seen, closed ones included."""
        self._origins: dict[str, dict[str, Any]] = {
            origin["origin"]: origin for origin in state.storage.get("origins", [])
        }

    def saw(
        self, tabs: list[TabState], local: dict[str, list[dict[str, str]]], *, active: int, next_id: int
    ) -> None:
        """Keep the tabs and the local storage of the origins they show. Ignored without tabs."""
        if not tabs:
            return
        self.tabs.update({tab.id: tab for tab in tabs})
        for origin, items in local.items():
            known = self._origins.setdefault(origin, {"origin": origin})
            known["localStorage"] = items
        self._last = replace(self._last, tabs=tabs, active=active, next_id=next_id)

    def saw_cookies(self, cookies: list[Any]) -> None:
        """Keep all cookies."""
        self._last = replace(self._last, storage={**self._last.storage, "cookies": cookies})

    def state(self) -> SessionState:
        """Return the last seen state."""
        return replace(self._last, storage={**self._last.storage, "origins": list(self._origins.values())})
