"""Which page is in which tab, and which document it shows, so that each log entry is somebody's.

Documents have numbers of ours, counted over all pages: an entry is of the document that was there when it came about.
"""

import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.tabs.requests import PageRequest, RefusedRequest
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.logs.entries import ConsoleEntry, NetworkEntry

MOST_EARLY = 100
"""Entries and requests of a page that are kept for the tab it will get."""
MOST_ASKED = 50
"""Steps of documents that a page has asked for; a redirection has at most 20."""

_numbers = itertools.count(1)
Entry = ConsoleEntry | NetworkEntry


@dataclass
class Page:
    """One page with its frames and workers; or a worker that belongs to none."""

    document: int
    is_page: bool = True
    tab: Tab | None = None
    begun_by: tuple[int, int] | None = None
    """Of a shared worker: the document that has begun it, and the number of its tab."""
    open: dict[str, PageRequest] = field(default_factory=dict)
    """Requests under way, by their number in the protocol."""
    sockets: dict[str, tuple[NetworkEntry, float]] = field(default_factory=dict)
    """Web sockets that are open, by their number in the protocol, and when each was opened (monotonic)."""
    asked: deque[PageRequest] = field(default_factory=lambda: deque(maxlen=MOST_ASKED))
    """The last documents that it asked for, each step of a redirection."""
    icons: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_ASKED))
    """Numbers of the last requests for a site's icon, which Chromium makes by itself."""
    refused: list[RefusedRequest] = field(default_factory=list)
    """Requests that a rule forbids, from before its tab was known."""
    early: list[tuple[Callable[[], None], Entry]] = field(default_factory=list)
    """Entries from before its tab was known, and how to write each."""


class Pages:
    """The pages of a browser, by the ids of their targets."""

    def __init__(self) -> None:
        self._known: dict[str, Page] = {}

    def get(self, page_id: str) -> Page | None:
        """What is known of a page; None before anything came of it."""
        return self._known.get(page_id)

    def that_asks(self, number: str) -> Page | None:
        """The page that has a request of that number under way."""
        return next((page for page in self._known.values() if number in page.open), None)

    def of(self, target: Target) -> Page:
        """The page that a target is a part of."""
        if target.page not in self._known:
            is_page = target.id != target.page or target.kind == "page"
            self._known[target.page] = Page(next(_numbers), is_page, begun_by=self._begun_by(target.id))
        return self._known[target.page]

    def _begun_by(self, worker: str) -> tuple[int, int] | None:
        """The document and the tab of which a shared worker is, whose script has the number of its target."""
        page = self.that_asks(worker)
        return (page.document, page.tab.id) if page and page.tab else None

    def keep(self, page: Page, entry: Entry, write: Callable[[], None]) -> None:
        """Mark a log entry with its page and write the entry; for a page of a tab to come, once the tab is known.

        Pages that never have one are Playwright's: it opens them to read storage.
        """
        entry.document = page.document
        if page.tab:
            entry.tab = page.tab.id
        elif page.begun_by:
            entry.document, entry.tab = page.begun_by
        if page.tab or not page.is_page:
            write()
        elif len(page.early) < MOST_EARLY:
            page.early.append((write, entry))

    def refuse(self, page: Page, refused: RefusedRequest) -> None:
        """A rule forbids what that page asked for: its tab hears of it, once that is known."""
        if page.tab:
            page.tab.refuse(refused)
        elif len(page.refused) < MOST_EARLY:
            page.refused.append(refused)

    def bind(self, page_id: str, tab: Tab) -> Page:
        """Note in which tab a page is."""
        page = self._known.get(page_id) or Page(next(_numbers))
        self._known[page_id] = page
        page.tab = tab
        tab.document = page.document
        for write, entry in page.early:
            entry.tab = tab.id
            write()
        page.early.clear()
        for refused in page.refused:
            tab.refuse(refused)
        page.refused.clear()
        return page

    def arrived(self, page: Page, loader: str) -> None:
        """Number the document that has arrived, also for the requests that its loader made before."""
        page.document = next(_numbers)
        if page.tab:
            page.tab.document = page.document
        for request in page.asked:
            if request.loader == loader:
                request.entry.document = page.document

    def gone(self, page_id: str) -> None:
        """A page is no more."""
        self._known.pop(page_id, None)
