"""The table of tabs: their numbers, which one is active, and what became of those that went."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gstack_browse.browser.cdp.playwright_names import Page
from gstack_browse.browser.tabs.departures import Departure, Departures
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.errors import ActionFailed, TabGone
from gstack_browse.settings import MAX_TABS


class TabNumbers:
    """The numbers of tabs, given out to all sessions of a daemon: none is used twice. `following` is the next one.

    Numbers below `first` are those of a daemon that was killed.
    """

    def __init__(self, first: int = 1) -> None:
        self.first = self.following = first

    def reserve(self, following: int) -> None:
        """Numbers below were in use: give them out no more."""
        self.following = max(self.following, following)


class TabTable:
    """Tabs by number. A number never changes and is never used again.

    `active` is the number of a tab in the table, or 0 while there is none. `changed` is called after every change. `owner`
    says, in the name of a browser context, whose the tab of a number is that is not here; "" where it is nobody's.
    """

    def __init__(self, changed: Callable[[], None], numbers: TabNumbers | None = None) -> None:
        self.active = 0
        self.owner: Callable[[int], str] = lambda number: ""
        self._numbers = numbers or TabNumbers()
        self.departures = Departures()
        self._tabs: dict[int, Tab] = {}
        self._carried: set[int] = set()
        """Of the numbers that were given out before this browser, those that it has had."""
        self.changed = changed
        """What is called when tabs or their addresses have changed."""
        self.most = MAX_TABS
        """How many tabs may be open."""
        self._watchers: list[Callable[[], object]] = []

    @contextmanager
    def watched(self, gone: Callable[[], object]) -> Iterator[None]:
        """While this is entered, call `gone` whenever a tab was taken out."""
        self._watchers.append(gone)
        try:
            yield
        finally:
            self._watchers.remove(gone)

    @property
    def next_id(self) -> int:
        """The number of the next new tab."""
        return self._numbers.following

    def __len__(self) -> int:
        return len(self._tabs)

    def __iter__(self) -> Iterator[Tab]:
        """The tabs in the order in which they came, of a copy: tabs may come and go meanwhile."""
        return iter(list(self._tabs.values()))

    def __contains__(self, number: int) -> bool:
        return number in self._tabs

    def numbers(self) -> list[int]:
        """The numbers of all tabs."""
        return list(self._tabs)

    def get(self, number: int | None = None) -> Tab | None:
        """The tab of that number, or the active one; None where there is none."""
        return self._tabs.get(self.active if number is None else number)

    def of_page(self, page: Page) -> Tab | None:
        """The tab that shows a page; None where none does. A page that Playwright has taken over meanwhile is the same page."""
        return next((tab for tab in self._tabs.values() if tab.page == page), None)

    def find(self, number: int | None = None) -> Tab:
        """The tab of that number, or the active one.

        Raises TabGone when there is no such tab, or when another one is active than the caller may believe.
        """
        if number is None and self.departures.untold and (news := self.departed()):
            raise TabGone(news, f"Run 'tab {self.active}' to go on there, or 'tabs' to see what is open")
        wanted = self.active if number is None else number
        if found := self._tabs.get(wanted):
            return found
        if name := self.owner(wanted):
            raise TabGone(f"Tab {wanted} belongs to {name!r}", "Run 'tabs' to see yours")
        if 0 < wanted < self._numbers.first and wanted not in self._carried:
            raise TabGone(
                f"Tab {wanted} is from before the browser's state was lost", "Run 'tabs' to see what is open"
            )
        raise self.departures.failure(wanted)

    def called(self, name: str) -> Tab:
        """The tab of that name. Raises TabGone."""
        if found := self._of_name(name):
            return found
        raise TabGone(f"There is no tab called {name}", "Run 'tabs' to see what is open")

    def call(self, tab: Tab, name: str) -> None:
        """Give a tab a name. Raises ActionFailed where another one has it."""
        if (other := self._of_name(name)) and other is not tab:
            raise ActionFailed(f"Tab {other.id} is called {name} already", f"Run 'tab {name}' to go there")
        tab.name = name
        self.changed()

    def _of_name(self, name: str) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.name == name), None)

    def add(self, tab: Tab) -> None:
        """Take a tab in under its number, which may be one that it had in another browser."""
        self.departures.returned(tab.id)
        self._tabs[tab.id] = tab
        if tab.id < self._numbers.first:
            self._carried.add(tab.id)
        self._numbers.reserve(tab.id + 1)
        self.changed()

    def reserve(self, next_id: int) -> None:
        """Numbers below `next_id` were in use: give them out no more."""
        self._numbers.reserve(next_id)

    def activate(self, number: int) -> None:
        """Make that tab the active one, or another where that number is not there (any more)."""
        self._choose(number)
        self.changed()

    def _choose(self, number: int) -> None:
        self.active = number if number in self._tabs else max(self._tabs, default=0)

    def remove(self, tab: Tab) -> bool:
        """Take a tab out. Where it was active, its opener is then, or the newest. False when it was not there."""
        if self._tabs.get(tab.id) is not tab:
            return False
        del self._tabs[tab.id]
        if self.active == tab.id:
            self._choose(tab.opener or 0)
        self.changed()
        for gone in self._watchers:
            gone()
        return True

    def lose(self, tab: Tab, reason: str) -> None:
        """Remember how a tab goes that nobody has asked to go; `reason` completes "the page …"."""
        tab.close_because(reason)
        if tab.id in self._tabs:
            went = Departure(tab.id, tab.url, tab.closed_reason)
            self.departures.note(went, was_active=self.active == tab.id)

    def departed(self) -> str:
        """What became of the last active tab, and which tab is active now; "" where the user knows."""
        went = self.departures.untold
        return f"Tab {went.tab} {went.reason}{self.active_after(went.tab)}" if went else ""

    def active_after(self, number: int) -> str:
        """The sentence that names the active tab after another one went; "" where nothing changed."""
        went, now = self.departures.untold, self._tabs.get(self.active)
        if went is None or went.tab != number or now is None:
            return ""
        return _active_now(now)

    def active_instead_of(self, active: int) -> str:
        """The same after a tab was closed on purpose. `active`: the one that was active until then."""
        now = self._tabs.get(self.active)
        return _active_now(now) if now and now.id != active else ""

    def need_playwright(self) -> None:
        """Have Playwright take over now what was begun without it, and not when there is time."""
        for tab in self:
            tab.need_playwright()

    def has_popup_of(self, tab: Tab) -> bool:
        """Whether a window is open that a tab's page has opened."""
        return any(other.is_popup and other.opener == tab.id for other in self._tabs.values())


def _active_now(tab: Tab) -> str:
    return f"; the active tab is now {tab.id}: {shown_url(tab.url)}"
