"""Replaces the early page of a tab with Playwright's page once Playwright is loaded: see `early_page`."""

import asyncio

from gstack_browse.browser.cdp.adoption import Adoption
from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.driver_types import BrowserContext, Page
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.tabs.background import Background
from gstack_browse.browser.tabs.early_page import EarlyPage
from gstack_browse.browser.tabs.page_events import PageEvents
from gstack_browse.browser.tabs.page_factory import PageFactory
from gstack_browse.browser.tabs.tab import CRASHED, Tab
from gstack_browse.browser.tabs.table import TabTable

NAVIGATING_SECONDS = 1.0
"""Time limit to wait for a page that is navigating: Playwright adopts a page faster if it stays."""


class PageAdoption:
    """The way of one early page into Playwright's hands."""

    def __init__(self, tabs: TabTable, pages: PageFactory, events: PageEvents, background: Background) -> None:
        self._tabs = tabs
        self._pages = pages
        self._events = events
        self._background = background
        self._task: asyncio.Task[None] | None = None

    async def begin(
        self, adoption: Adoption, context: BrowserContext, connection: Connection
    ) -> asyncio.Task[None]:
        """Start replacing the early page, which is in `context`. Return the task that finishes it.

        The call and the task raise ProtocolError.
        """
        early = next((tab for tab in self._tabs if tab.is_early), None)
        if early:
            await early.until(lambda: not early.is_navigating, NAVIGATING_SECONDS)
        coming = await self._pages.adopt(context, adoption.page_asked)
        self._task = self._background.start(self._take_over(early, coming, adoption, connection))
        return self._task

    async def over(self) -> None:
        """Return when Playwright has the page, or has failed to take it over."""
        if self._task:
            await asyncio.wait([self._task])

    async def _take_over(
        self, tab: Tab | None, coming: asyncio.Task[Page], adoption: Adoption, connection: Connection
    ) -> None:
        """Show Playwright's page in the tab, unless that has closed or has got another page by then."""
        try:
            page = await coming
            if not adoption.is_gone:
                # Not sooner: a new session cannot stop the script of a page that hangs.
                await connection.attach(adoption.target.id)
        except ProtocolError:
            if tab and self._waits(tab):
                raise
            adoption.finish()  # the page closed itself, or hung
            return
        if tab and self._waits(tab):
            self._show(tab, page, adoption, connection)
        elif adoption.has_replacement:
            self._pages.give_next(page)
        else:
            self._pages.close(page)
        adoption.finish()

    def _waits(self, tab: Tab) -> bool:
        return tab.is_early and tab.id in self._tabs

    def _show(self, tab: Tab, page: Page, adoption: Adoption, connection: Connection) -> None:
        if adoption.is_gone:  # its process has crashed, and this is another page
            tab.show(page, World(page, connection))
            tab.close_because(CRASHED)
        else:
            early: object = tab.page
            tab.adopt(page)
            if isinstance(early, EarlyPage):
                early.become(page)
        self._events.follow(tab, page)
