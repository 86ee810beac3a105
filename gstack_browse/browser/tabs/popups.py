"""Windows that a page opens by itself. Chromium blocks them; its headless shell, which has no such part, does not."""

import asyncio
from collections import deque
from typing import Any

from gstack_browse.browser.tabs.tab import Tab

_SECONDS = 3.0
"""How long after a page asked for a window that may appear."""


class Popups:
    """Tells windows that a person's input opened from those that a script opened without any."""

    def __init__(self) -> None:
        self._asked: deque[tuple[Tab, bool, float]] = deque()

    def ask(self, tab: Tab, event: dict[str, Any]) -> None:
        """`Page.windowOpen`: a page asks for a window, which appears a moment later."""
        self._asked.append((tab, bool(event["userGesture"]), self._now() + _SECONDS))

    def is_unwanted(self, opener: Tab | None) -> bool:
        """Whether a window that has just appeared is to be closed. A page that hides its origin has no opener."""
        while self._asked and self._asked[0][2] < self._now():
            self._asked.popleft()
        for entry in self._asked:
            if opener is None or entry[0] is opener:
                self._asked.remove(entry)
                return not entry[1]
        return False

    def first(self) -> Tab | None:
        """The tab that asked for the next window to appear, removed from the queue; None where no tab did."""
        return self._asked.popleft()[0] if self._asked else None

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
