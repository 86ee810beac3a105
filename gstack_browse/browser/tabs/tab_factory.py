"""Opens and closes the tabs of a session."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.playwright_names import Page
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.tabs import questions
from gstack_browse.browser.tabs.background import Background
from gstack_browse.browser.tabs.handoff_state import HandoffState
from gstack_browse.browser.tabs.page_events import PageEvents
from gstack_browse.browser.tabs.page_factory import PageFactory
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.table import TabTable
from gstack_browse.browser.tabs.transfer_lock import TransferLock
from gstack_browse.errors import ActionFailed, StateLost
from gstack_browse.snapshot.numbers import Numbers, Reserve
from gstack_browse.text.columns import format_count


class TabFactory:
    """There is always a tab, unless a person has closed the window; and a tab whose opening fails is gone again.

    `prepare` makes a tab ready for commands. `connection` is that of the browser in which the session is, `handed` what is
    remembered while a person has it. `transfer` is held while the session goes elsewhere.
    """

    def __init__(
        self,
        tabs: TabTable,
        pages: PageFactory,
        events: PageEvents,
        reserve: Reserve,
        background: Background,
        *,
        prepare: Callable[[Tab], Awaitable[None]],
        connection: Callable[[], Connection],
        handed: Callable[[], HandoffState | None],
        transfer: TransferLock,
    ) -> None:
        self._tabs = tabs
        self._pages = pages
        self._events = events
        self._reserve = reserve
        self._background = background
        self._prepare = prepare
        self._connection = connection
        self._handed = handed
        self._transfer = transfer
        self._coming: asyncio.Task[None] | None = None

    async def present(self) -> None:
        """Make sure that a tab is active: the last one may just have closed itself, and the next one be in the making.

        Who is cancelled meanwhile only waits no more: the tab comes all the same.
        """
        if self._tabs.get():
            return
        if self._coming is None or self._coming.done():
            self._coming = self._background.start(self._fill())
        await asyncio.shield(self._coming)

    async def _fill(self) -> None:
        if not self._tabs.get() and not self._handed():
            await self.open()

    async def stay(self) -> None:
        """Keep a tab open when the last one closed itself."""
        with suppress(PlaywrightError):  # the whole browser is closing
            await self.present()

    async def open(self) -> Tab:
        """Open a blank tab and make it the active one."""
        tab = await self._fresh()
        self._tabs.activate(tab.id)
        return tab

    @asynccontextmanager
    async def opening(self) -> AsyncIterator[Tab]:
        """A new active tab; when the block fails it is closed again and the old one is active."""
        self._refuse_more()
        before = self._tabs.active
        tab = await self.open()
        try:
            yield tab
        except BaseException:
            self.discard(tab)
            if before in self._tabs:
                self._tabs.activate(before)
            raise
        self._tabs.departures.settle()

    def _refuse_more(self) -> None:
        most = self._tabs.most
        if len(self._tabs) >= most:
            raise ActionFailed(
                f"{format_count(most, 'tab')} {'is' if most == 1 else 'are'} open, as many as may be (BROWSE_MAX_TABS)",
                "Close some: 'tabs' lists them, 'closetab <n>' closes one",
            )

    @asynccontextmanager
    async def borrowing(self) -> AsyncIterator[Tab]:
        """A tab that nobody switches to, and that is closed afterwards."""
        tab = await self._fresh()
        if not self._tabs.active:
            self._tabs.activate(tab.id)
        try:
            yield tab
        finally:
            self.discard(tab)

    async def _fresh(self) -> Tab:
        handed = self._handed()
        if handed and handed.is_over:
            raise window_closed()
        with self._transfer.opening():
            tab = self.adopt(await self._pages.new())
            try:
                await self._prepare(tab)
            except BaseException:
                self.discard(tab)
                raise
        return tab

    def adopt(self, page: Page) -> Tab:
        """Open a tab for a page."""
        opener = self._tabs.active or None
        tab = self.put(self._tabs.next_id, page)
        tab.opener = opener
        return tab

    def put(self, number: int, page: Page, following: tuple[int, int] | None = None) -> Tab:
        """Put a page into the tab of that number, which may be new. `following`: the tab's next refs (@e, @c)."""
        world = World(page, self._connection())
        tab = self._tabs.get(number)
        if tab:
            questions.close_own(self._tabs, tab, "closed with its page")
            tab.show(page, world)
        else:
            tab = Tab(number, page, world, Numbers(*(following or self._reserve.first), self._reserve))
            self._tabs.add(tab)
        self._events.follow(tab, page)
        return tab

    async def replace_page(self, tab: Tab) -> None:
        """Give a tab whose page crashed or hangs a new page, under the same number."""
        old = tab.page
        self.put(tab.id, await self._pages.new())
        self._pages.close(old)
        self._tabs.changed()
        await self._prepare(tab)

    async def close(self, tab: Tab, why: str = "") -> None:
        """Close a tab, whatever its page does. When it was the last one, a blank one opens.

        `why` completes "the page …" where nobody has asked for it.
        """
        if why:
            self._tabs.lose(tab, why)
        self.discard(tab)
        await (self.stay() if why else self.present())

    def discard(self, tab: Tab) -> None:
        """Take a tab out of the table, and close its page in the background; one that was taken is let go, and stays open."""
        self.forget(tab)
        if tab.is_taken:
            self._background.start(tab.world.frames.close())
        self._pages.close(tab.page)

    def forget(self, tab: Tab) -> None:
        """Take a tab out of the table; its page is somebody else's to close."""
        if not self._tabs.remove(tab):
            return
        questions.close_own(self._tabs, tab, "closed with its tab")
        tab.requests.abandon()
        tab.close_because("was closed")
        tab.touch()


def window_closed() -> StateLost:
    """What a command that needs a tab is told after a person has closed the window."""
    return StateLost("The person closed the window", "Run 'resume' to go on without it")
