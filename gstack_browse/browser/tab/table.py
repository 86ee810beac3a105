"""The tabs of a context by number: the active one, names, titles, and tabs that have closed."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.state.context_state import ClosedTab, ClosedTabs
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import ActionFailed, TabGone
from gstack_browse.settings import MAX_TABS


class TabNumbers:
    """Numbers tabs across all contexts of a daemon, each number once. `following` is the next one.

    Numbers below `first` are those of an earlier daemon, which was killed or replaced.
    """

    def __init__(self, first: int = 1) -> None:
        self.first = self.following = first

    def reserve(self, following: int) -> None:
        """Never give out numbers below `following`: they were in use."""
        self.following = max(self.following, following)


class TabTable:
    """Tabs by number. A number never changes and is never used again.

    `active` is the number of a tab in the table, or 0 while there is none. `on_change` is called after every change. `owner`
    returns the name of the other browser context that has the tab of a number; "" if none has.
    """

    def __init__(self, on_change: Callable[[], None], numbers: TabNumbers | None = None) -> None:
        self.active = 0
        self.owner: Callable[[int], str] = lambda number: ""
        self._numbers = numbers or TabNumbers()
        self.closed_tabs = ClosedTabs()
        self._tabs: dict[int, Tab] = {}
        self._carried: set[int] = set()
        """Numbers of this table's tabs that were given out by an earlier daemon."""
        self.on_change = on_change
        """Called when tabs or their addresses have changed."""
        self.most = MAX_TABS
        """Limit for open tabs."""
        self._watchers: list[Callable[[], object]] = []

    @contextmanager
    def watching_removals(self, on_removed: Callable[[], object]) -> Iterator[None]:
        """Call `on_removed` whenever a tab is removed during the `with` block."""
        self._watchers.append(on_removed)
        try:
            yield
        finally:
            self._watchers.remove(on_removed)

    @property
    def next_id(self) -> int:
        """Return the number of the next new tab."""
        return self._numbers.following

    def __len__(self) -> int:
        return len(self._tabs)

    def __iter__(self) -> Iterator[Tab]:
        """Iterate over a copy of the tabs, in the order they were added: tabs may come and go meanwhile."""
        return iter(list(self._tabs.values()))

    def __contains__(self, number: int) -> bool:
        return number in self._tabs

    def numbers(self) -> list[int]:
        """Return the numbers of all tabs."""
        return list(self._tabs)

    def get(self, number: int | None = None) -> Tab | None:
        """Return tab `number`, by default the active one; None if it does not exist."""
        return self._tabs.get(self.active if number is None else number)

    def find_by_page(self, page: Page) -> Tab | None:
        """Return the tab that shows `page`, or None."""
        return next((tab for tab in self._tabs.values() if tab.page is page), None)

    def find(self, number: int | None = None) -> Tab:
        """Return tab `number`, by default the active one.

        Raises TabGone if it does not exist, or if the caller may not know yet that another tab has become active.
        """
        if number is None and self.closed_tabs.unreported and (news := self.describe_departure()):
            raise TabGone(news, f"Run 'tab {self.active}' to go on there, or 'tabs' to see what is open")
        wanted = self.active if number is None else number
        if found := self._tabs.get(wanted):
            return found
        if name := self.owner(wanted):
            raise TabGone(f"Tab {wanted} belongs to {name!r}", "Run 'tabs' to see yours")
        if 0 < wanted < self._numbers.first and wanted not in self._carried:
            raise TabGone(
                f"Tab {wanted} is of an earlier daemon, and not open any more", "Run 'tabs' to see what is open"
            )
        raise self.closed_tabs.make_error(wanted)

    def find_by_name(self, name: str) -> Tab:
        """Return the tab with a name that `set_name` gave it. Raises TabGone."""
        if found := self._get_by_name(name):
            return found
        raise TabGone(f"There is no tab called {name}", "Run 'tabs' to see what is open")

    def set_name(self, tab: Tab, name: str) -> None:
        """Give a tab a name. Raises ActionFailed if another tab has it."""
        if (other := self._get_by_name(name)) and other is not tab:
            raise ActionFailed(f"Tab {other.id} is called {name} already", f"Run 'tab {name}' to go there")
        tab.name = name
        self.on_change()

    def _get_by_name(self, name: str) -> Tab | None:
        """Return the tab with that name, or None."""
        return next((tab for tab in self._tabs.values() if tab.name == name), None)

    def add(self, tab: Tab) -> None:
        """Add a tab under its own number, which may be from an earlier browser."""
        self.closed_tabs.remove(tab.id)
        self._tabs[tab.id] = tab
        if tab.id < self._numbers.first:
            self._carried.add(tab.id)
        self._numbers.reserve(tab.id + 1)
        self.on_change()

    def reserve(self, next_id: int) -> None:
        """Never give out numbers below `next_id`: they were in use."""
        self._numbers.reserve(next_id)

    def activate(self, number: int) -> None:
        """Make tab `number` the active one, or the newest if it does not exist, and call `on_change`."""
        self._activate(number)
        self.on_change()

    def _activate(self, number: int) -> None:
        """Make tab `number` the active one; the newest if it does not exist, 0 if there is no tab."""
        self.active = number if number in self._tabs else max(self._tabs, default=0)

    def remove(self, tab: Tab) -> bool:
        """Remove a tab; return False if not there. If it was active, activate its opener, or the newest tab."""
        if self._tabs.get(tab.id) is not tab:
            return False
        del self._tabs[tab.id]
        if self.active == tab.id:
            self._activate(tab.opener or 0)
        self.on_change()
        for gone in self._watchers:
            gone()
        return True

    def note_lost(self, tab: Tab, reason: str) -> None:
        """Note why a tab was closed by something other than a command. `reason` completes "the page …"."""
        tab.note_gone(reason)
        if self._tabs.get(tab.id) is tab:
            went = ClosedTab(tab.id, tab.url, tab.closed_reason)
            self.closed_tabs.add(went, was_active=self.active == tab.id)

    def describe_departure(self) -> str:
        """Say how the active tab was closed and which one is active now; "" if nothing is left to report.

        Says so again at each call, until `closed_tabs.mark_reported` is called: by the caller, once a reply has it.
        """
        went = self.closed_tabs.unreported
        return f"Tab {went.tab} {went.reason}{self.describe_active_after(went.tab)}" if went else ""

    def describe_active_after(self, number: int) -> str:
        """Return `; the active tab is now 3: URL` if tab `number` was active and closed by itself; else ""."""
        went, now = self.closed_tabs.unreported, self._tabs.get(self.active)
        if went is None or went.tab != number or now is None:
            return ""
        return _describe_active(now)

    def describe_active_unless(self, number: int) -> str:
        """Return `; the active tab is now 3: URL` for a reply; "" if tab `number` is the active one."""
        now = self._tabs.get(self.active)
        return _describe_active(now) if now and now.id != number else ""

    def has_popup_of(self, tab: Tab) -> bool:
        """Return whether a window that the tab's page has opened is still open."""
        return any(other.is_popup and other.opener == tab.id for other in self._tabs.values())


def _describe_active(tab: Tab) -> str:
    """Return the end of a reply's line that names the active tab: `; the active tab is now 3: URL`."""
    return f"; the active tab is now {tab.id}: {shown_url(tab.url)}"


BLANK = "about:blank"
READY_SECONDS = 2.0
"""Time limit for preparing a tab. A page that hangs meanwhile never gets ready."""
TITLE_SECONDS = 5.0
"""Time limit for the browser, which no page can block. A busy machine takes seconds."""


async def read_titles(tabs: TabTable, prepare: Callable[[Tab], Awaitable[None]]) -> dict[int, str]:
    """Return titles by tab number, "" for a tab without one. `prepare`: makes a tab ready for commands.

    Read from the browser, not the pages, so that a page that hangs has its title, too.
    """
    titled = list(tabs)
    found = await asyncio.gather(*(_read_title(tab, prepare) for tab in titled))
    return {tab.id: name for tab, name in zip(titled, found, strict=True)}


async def _read_title(tab: Tab, prepare: Callable[[Tab], Awaitable[None]]) -> str:
    """Return a tab's title; "" if it is only the URL, or is not read in time.

    `prepare`: makes the tab ready for commands.
    """
    try:
        async with asyncio.timeout(READY_SECONDS):
            await prepare(tab)
        async with asyncio.timeout(TITLE_SECONDS):
            answer = await tab.world.session.send("Target.getTargetInfo")
    except (TimeoutError, ProtocolError):
        return ""
    info = answer["targetInfo"]
    return str(info["title"]) if info["title"] not in (info["url"], BLANK) else ""
