"""Which windows a page may open. Chromium blocks the others; its headless shell, which has no such part, does not."""

import asyncio
from collections import deque
from itertools import islice
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


class WindowCame(NamedTuple):
    """A page has opened a window, of which Playwright tells a moment later."""

    tab: Tab
    window: str
    at: float

    @property
    def until(self) -> float:
        """As for `WindowAsked`."""
        return max(self.at, self.tab.adopted) + _SECONDS


class Popups:
    """Tells the one window that a person's input opens from those that a script opened besides, or without any."""

    def __init__(self) -> None:
        self._asked: deque[WindowAsked] = deque()
        self._came: deque[WindowCame] = deque()

    def ask(self, tab: Tab, event: dict[str, Any]) -> WindowAsked:
        """`Page.windowOpen`: a page asks for a window, which appears a moment later."""
        problem = "" if event["userGesture"] else BY_ITSELF
        if not problem and not tab.effects.takes_window():
            problem = SURPLUS
        asked = WindowAsked(tab, problem, self._now())
        self._asked.append(asked)
        return asked

    def came(self, tab: Tab, window: str) -> None:
        """A window that a tab's page has opened has come, by the id of its target."""
        self._came.append(WindowCame(tab, window, self._now()))

    def take(self, opener: Tab | None, window: str = "") -> WindowAsked | None:
        """What is known of a window that Playwright has just told of. A page that hides its origin has no opener.

        Playwright tells of windows in the order in which it has got ready for them; the first that came is the first that was asked for.
        """
        self._forget()
        came = next((came for came in self._came if came.window == window), None)
        before = 0
        if came:
            opener = came.tab
            before = sum(other.tab is opener for other in islice(self._came, self._came.index(came)))
            self._came.remove(came)
        asked = [entry for entry in self._asked if opener is None or entry.tab is opener][: before + 1]
        if not asked:
            return None
        self._asked.remove(asked[-1])
        return asked[-1]

    def _forget(self) -> None:
        """Those that have not appeared in time will not."""
        now = self._now()
        while self._asked and self._asked[0].until < now:
            self._asked.popleft()
        while self._came and self._came[0].until < now:
            self._came.popleft()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
