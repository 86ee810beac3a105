"""Which windows a page may open. Chromium blocks the others; its headless shell, which has no such part, does not."""

import asyncio
from collections import deque
from typing import Any, NamedTuple

from gstack_browse.browser.tabs.tab import Tab

_SECONDS = 10.0
"""How long after a page asked for a window that may appear."""
BY_ITSELF = "that the page opened by itself"
SURPLUS = "more: an action opens one"


class WindowAsked(NamedTuple):
    """A page asked for a window. `problem` says, behind the word for it, why the page does not get it; "" where it does."""

    tab: Tab
    problem: str
    at: float

    @property
    def until(self) -> float:
        """When it is too late for the window to appear. None does before Playwright has the page."""
        return max(self.at, self.tab.adopted) + _SECONDS


class Popups:
    """Tells the one window that a person's input opens from those that a script opened besides, or without any."""

    def __init__(self) -> None:
        self._asked: deque[WindowAsked] = deque()

    def ask(self, tab: Tab, event: dict[str, Any]) -> WindowAsked:
        """`Page.windowOpen`: a page asks for a window, which appears a moment later."""
        problem = "" if event["userGesture"] else BY_ITSELF
        if not problem and not tab.effects.takes_window():
            problem = SURPLUS
        asked = WindowAsked(tab, problem, self._now())
        self._asked.append(asked)
        return asked

    def take(self, opener: Tab | None) -> WindowAsked | None:
        """What is known of a window that has just appeared. A page that hides its origin has no opener."""
        while self._asked and self._asked[0].until < self._now():
            self._asked.popleft()
        for entry in self._asked:
            if opener is None or entry.tab is opener:
                self._asked.remove(entry)
                return entry
        return None

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
