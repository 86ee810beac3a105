"""Makes pages for tabs, and tells them from pages that other pages open."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple, cast

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.browser import BrowserContext
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.state.background import Background
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import Refused
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.launch.connect import ExternalBrowser
    from gstack_browse.browser.launch.running import RunningBrowser
    from gstack_browse.browser.tab.table import TabTable


class PageFactory:
    """Makes pages in one browser context at a time.

    `opened` is called with each page that `new` did not make. A page may come before `new_page` has returned it, so pages that come
    meanwhile are sorted afterwards.
    """

    def __init__(self, background: Background, opened: Callable[[Page], None]) -> None:
        self._background = background
        self._opened = opened
        self._context: BrowserContext | None = None
        self._making = 0
        self._unclaimed: list[Page] = []
        self._spare: list[Page] = []
        self._coming: asyncio.Task[Page] | None = None

    def use_context(self, context: BrowserContext, coming: Awaitable[Page] | None = None) -> None:
        """Make pages in this context from now on.

        Hands out first the pages that it has already, or the one that `coming` opens.
        """
        self._coming = self._background.start(self._await_page(coming)) if coming else None
        self._spare = [] if coming else list(context.pages)
        context.on("page", self._on_page)
        self._context = context

    def return_to_context(self, context: BrowserContext) -> None:
        """Make pages in `context` again, if pages are made in another one now: a transfer has failed."""
        if self._context is not context:
            self._spare.clear()
            self._coming = None
            self._context = context

    async def new(self) -> Page:
        """Return a blank page. If the caller is cancelled meanwhile, close the page."""
        making = self._background.start(self._take_or_make())
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(self._close_unwanted)
            raise

    async def await_attached(self, coming: Awaitable[object], target_id: str) -> Page:
        """Await `coming`, which attaches to a target, and return its page. Raises ProtocolError without one."""
        assert self._context is not None
        self._making += 1
        page: Page | None = None
        try:
            await coming
            page = self._context.page(target_id)
        finally:
            self._claim(page)
        if page is None:
            raise ProtocolError("Target closed")
        return page

    def close(self, page: Page) -> None:
        """Close a page in the background. The browser is asked, not the page, which may hang."""
        self._background.start(_close_page(page))

    async def _take_or_make(self) -> Page:
        """Return a spare page, else a new one."""
        if self._coming:
            coming, self._coming = self._coming, None
            return await coming
        while self._spare:
            if not (page := self._spare.pop(0)).is_closed():
                return page
        while True:
            context = self._context
            assert context is not None
            try:
                return await self._await_page(context.new_page())
            except ProtocolError:
                if self._context is context:
                    raise

    async def _await_page(self, making: Awaitable[Page]) -> Page:
        """Await a page that we make, so that its event does not count as a window that a page has opened."""
        self._making += 1
        page: Page | None = None
        try:
            page = await making
        finally:
            self._claim(page)
        return page

    def _claim(self, page: Page | None) -> None:
        """Mark a page as made here. Once none is being made, report the others as opened by pages."""
        self._making -= 1
        self._unclaimed = [other for other in self._unclaimed if other is not page]
        if not self._making:
            unclaimed, self._unclaimed = self._unclaimed, []
            for other in unclaimed:
                self._opened(other)

    def _on_page(self, page: Page) -> None:
        """Report a page that we have not made. While some are being made, wait to know which those are."""
        if self._making:
            self._unclaimed.append(page)
        else:
            self._opened(page)

    def _close_unwanted(self, made: asyncio.Task[Page]) -> None:
        """Close a page whose caller was cancelled before the page was there."""
        if not made.cancelled() and not made.exception():
            self.close(made.result())


async def _close_page(page: Page) -> None:
    """Close a page; do nothing if it has closed already."""
    try:
        await page.close()
    except ProtocolError:
        return  # the page had closed already


_NO_TABS = ("devtools://", "chrome-extension://")
"""Prefixes of addresses of pages that are not tabs."""
MOST_LISTED = 200


class OthersTab(NamedTuple):
    """A tab that is not ours."""

    number: int
    target_id: str
    title: str
    url: str

    @property
    def line(self) -> str:
        """Return the tab as a line of `tabs`: number, title and address."""
        return f"  [{self.number}] {one_line(self.title, 100)} — {shown_url(self.url)} (not taken)"


class OthersTabs:
    """Numbers of the tabs that are not ours. A tab keeps its number when it is taken or released."""

    def __init__(self, tabs: "TabTable") -> None:
        self._tabs = tabs
        self._numbers: dict[str, int] = {}

    async def list_tabs(self, running: "RunningBrowser") -> list[OthersTab]:
        """Return the other tabs as they are now, [] in our own browser. Raises ProtocolError."""
        if not running.is_shared:
            return []
        own = cast("ExternalBrowser", running).connection.own
        told = await running.connection.ask_browser("Target.getTargets")
        return [
            OthersTab(self._number(info["targetId"]), info["targetId"], info["title"], info["url"])
            for info in told["targetInfos"]
            if info["type"] == "page"
            and info.get("browserContextId") == own.shared
            and not own.is_own_tab(info["targetId"])
            and not info["url"].startswith(_NO_TABS)
        ][:MOST_LISTED]

    def check_not_others(self, number: int) -> None:
        """Raise Refused if the tab of that number is not ours."""
        if number in self._numbers.values() and number not in self._tabs:
            raise Refused(
                f"Tab {number} is not gbrowse's: nobody has told it to use that",
                f"Take it first: tab {number} --take",
            )

    def remember(self, number: int, target_id: str) -> None:
        """Remember that a tab has this number already."""
        self._numbers[target_id] = number

    def _number(self, target_id: str) -> int:
        """Return the tab number of a target; a new one if it has none."""
        if target_id not in self._numbers:
            self._numbers[target_id] = number = self._tabs.next_id
            self._tabs.reserve(number + 1)
        return self._numbers[target_id]
