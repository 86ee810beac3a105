"""Maps pages to their tabs and documents, so that each log entry has a tab and a document.

Documents have numbers of ours, counted over all pages. An entry is of the document at the time it was made.
"""

import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.tab.requests import PageRequest, RefusedRequest
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.network.logs.entries import ConsoleEntry, NetworkEntry

MOST_EARLY = 100
"""Limit for entries and requests of a page that are kept until it has a tab."""
MOST_ASKED = 50
"""Limit for requests of a page's documents, redirects included; a chain has at most 20."""

_numbers = itertools.count(1)
Entry = ConsoleEntry | NetworkEntry


@dataclass
class Page:
    """A page with its frames and workers; or a worker that belongs to no page."""

    document: int
    is_page: bool = True
    tab: Tab | None = None
    begun_by: tuple[int, int] | None = None
    """For a shared worker: the document that started it, and the number of its tab."""
    open: dict[str, PageRequest] = field(default_factory=dict)
    """Requests under way, by their number in the protocol."""
    sockets: dict[str, tuple[NetworkEntry, float]] = field(default_factory=dict)
    """Open web sockets by their number in the protocol, with the time each was opened (monotonic)."""
    asked: deque[PageRequest] = field(default_factory=lambda: deque(maxlen=MOST_ASKED))
    """Requests for its last documents, each redirect included."""
    icons: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_ASKED))
    """Numbers of the last requests for a site's icon, which Chromium makes by itself."""
    refused: list[RefusedRequest] = field(default_factory=list)
    """Forbidden requests from before its tab was known."""
    early: list[tuple[Callable[[], None], Entry]] = field(default_factory=list)
    """Entries from before its tab was known, with a function that writes each."""


class Pages:
    """The pages of a browser, by the ids of their targets."""

    def __init__(self) -> None:
        self._known: dict[str, Page] = {}

    def get(self, page_id: str) -> Page | None:
        """Return the record of a page; None if nothing was heard of it."""
        return self._known.get(page_id)

    def find_by_request(self, number: str) -> Page | None:
        """Return the page that has request `number` under way."""
        return next((page for page in self._known.values() if number in page.open), None)

    def of(self, target: Target) -> Page:
        """Return the page that a target belongs to."""
        if target.page not in self._known:
            is_page = target.id != target.page or target.kind == "page"
            self._known[target.page] = Page(next(_numbers), is_page, begun_by=self._begun_by(target.id))
        return self._known[target.page]

    def _begun_by(self, worker: str) -> tuple[int, int] | None:
        """Return the document and the tab that started a shared worker.

        The request for its script has the id of its target as number.
        """
        page = self.find_by_request(worker)
        return (page.document, page.tab.id) if page and page.tab else None

    def keep(self, page: Page, entry: Entry, write: Callable[[], None]) -> None:
        """Mark a log entry with its page, and write it. Delay the entry of a page until its tab is known."""
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
        """Report a forbidden request to the page's tab, once that is known."""
        if page.tab:
            page.tab.note_refusal(refused)
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
            tab.note_refusal(refused)
        page.refused.clear()
        return page

    def number_document(self, page: Page, loader: str) -> None:
        """Number the document that has arrived, also for the requests that its loader made before."""
        page.document = next(_numbers)
        if page.tab:
            page.tab.document = page.document
        for request in page.asked:
            if request.loader == loader:
                request.entry.document = page.document

    def forget(self, page_id: str) -> None:
        """Forget a page that has closed."""
        self._known.pop(page_id, None)
