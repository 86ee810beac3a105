"""Passes events of a page to its tab."""

from collections.abc import Callable

from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.tabs.tab import Tab


class PageEvents:
    """Writes events of pages into their tabs. Ignores a page that its tab shows no longer.

    `closed` is called when a page has closed.
    """

    def __init__(self, closed: Callable[[Tab], None]) -> None:
        self._closed = closed

    def follow(self, tab: Tab, page: Page) -> None:
        """Listen to the page that a tab shows now."""

        def crashed(_: Page) -> None:
            if tab.page is page:
                tab.crash()

        def closed(_: Page) -> None:
            if tab.page is page:
                self._closed(tab)

        page.on("framedetached", lambda frame: tab.refs.forget_frame(frame))
        page.on("crash", crashed)
        page.on("close", closed)
