"""Which windows a page may open: one for each action of a command, and none by itself.

A full Chromium blocks windows that a page opens by itself. Its headless shell has no such part: there we close them.
"""

import asyncio
from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import Any

from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.urls import NO_PAGE
from gstack_browse.policy import external

_SECONDS = 10.0
"""Time after a page's request in which its window may appear."""
BY_ITSELF = "that the page opened by itself"
SURPLUS = "more: an action opens one"


@dataclass(frozen=True, eq=False)
class Window:
    """A window of a tab's page before it has come. `at` is the time in the event loop's clock."""

    tab: Tab
    at: float

    @property
    def until(self) -> float:
        """Return the time after which the window will not appear."""
        return self.at + _SECONDS


@dataclass(frozen=True, eq=False)
class WindowAsked(Window):
    """A page's request for a window.

    `problem` says why the page does not get it, to be put behind the word for it; "" if it does. `url` is the window's address;
    "" if it has none.
    """

    problem: str
    url: str

    @property
    def leads(self) -> bool:
        """Return whether the window is to load an address."""
        return self.url not in NO_PAGE

    @property
    def shows(self) -> bool:
        """Return whether the window can show a page.

        Chromium shows no window of `data:`, nor for an external program.
        """
        return not (self.url.lower().startswith("data:") or external.is_external(self.url))


@dataclass(frozen=True, eq=False)
class WindowCame(Window):
    """A page has opened a window, whose target has this id."""

    id: str


class Popups:
    """Tells the one window that a person's input opens from other windows that scripts open."""

    def __init__(self) -> None:
        self.chromium_blocks = False
        """Whether Chromium itself blocks windows that a page opens by itself."""
        self.limits_actions = True
        """Whether an action may open one window only. A person who uses the browser, too, may open any number."""
        self._asked: deque[WindowAsked] = deque()
        self._came: deque[WindowCame] = deque()

    def ask(self, tab: Tab, event: dict[str, Any]) -> WindowAsked:
        """Record a page's request for a window (`Page.windowOpen`), unless Chromium blocks the window."""
        problem = "" if event["userGesture"] else BY_ITSELF
        if not problem and not tab.effects.takes_window() and self.limits_actions:
            problem = SURPLUS
        asked = WindowAsked(tab, self._now(), problem, event.get("url", ""))
        if self.will_come(asked):
            self._asked.append(asked)
        elif asked.shows:
            tab.effects.blocked[problem] += 1
        return asked

    def will_come(self, asked: WindowAsked) -> bool:
        """Return whether Chromium opens a window that a page has asked for."""
        return not (self.chromium_blocks and asked.problem == BY_ITSELF)

    def came(self, tab: Tab, window: str) -> None:
        """Note that a window of a tab's page has appeared. `window` is the id of its target.

        Corrects the count if it was counted as blocked: a person allows this site all windows in their profile.
        """
        if self.chromium_blocks and not any(asked.tab is tab for asked in self._asked):
            tab.effects.blocked[BY_ITSELF] = max(tab.effects.blocked[BY_ITSELF] - 1, 0)
        self._came.append(WindowCame(tab, self._now(), window))

    def take(self, opener: Tab | None, window: str = "") -> WindowAsked | None:
        """Take the record of a window that has just come, or None.

        A page that hides its origin has no opener. The first window that came is the first that was asked for.
        """
        self._forget()
        came = next((came for came in self._came if came.id == window), None)
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
        """Drop windows that have not appeared in time."""
        windows: deque[WindowAsked] | deque[WindowCame]
        for windows in (self._asked, self._came):
            while windows and windows[0].until < self._now():
                windows.popleft()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
