"""What was last seen of a browser that may end at any moment: its tabs, cookies, and the storage of what its tabs show.

What a look does not see (IndexedDB, the storage of origins that no tab shows) stays as the last whole capture told. Data only.
"""

from dataclasses import replace
from typing import Any

from gstack_browse.browser.tabs.session_state import SessionState, TabState


class LastSeen:
    """A browser's state, brought up to date look by look."""

    def __init__(self, state: SessionState) -> None:
        self.saw_whole(state)

    def saw_whole(self, state: SessionState) -> None:
        """A whole capture."""
        self._last = state
        self.tabs = {tab.id: tab for tab in state.tabs}
        """Every tab that was seen, those that have closed, too."""
        self._origins: dict[str, dict[str, Any]] = {
            origin["origin"]: origin for origin in state.storage.get("origins", [])
        }

    def saw(self, tabs: list[TabState], local: dict[str, dict[str, str]], *, active: int, next_id: int) -> None:
        """A look: tabs, and the local storage of the origins they show."""
        if not tabs:
            return
        self.tabs.update({tab.id: tab for tab in tabs})
        for origin, items in local.items():
            known = self._origins.setdefault(origin, {"origin": origin})
            known["localStorage"] = [{"name": name, "value": value} for name, value in items.items()]
        self._last = replace(self._last, tabs=tabs, active=active, next_id=next_id)

    def saw_cookies(self, cookies: list[Any]) -> None:
        """All cookies."""
        self._last = replace(self._last, storage={**self._last.storage, "cookies": cookies})

    def state(self) -> SessionState:
        """All that is known."""
        return replace(self._last, storage={**self._last.storage, "origins": list(self._origins.values())})
