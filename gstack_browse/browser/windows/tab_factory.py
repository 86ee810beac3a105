"""Opens and closes the tabs of a session."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import TracebackType

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.dialogs import dialogs
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.state.background import Background
from gstack_browse.browser.state.session_state import HandoffState
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.table import TabTable
from gstack_browse.browser.windows.page_factory import PageFactory
from gstack_browse.errors import ActionFailed, StateLost
from gstack_browse.snapshot.numbers import Numbers, Reserve
from gstack_browse.text.columns import format_count


class TransferLock:
    """Is held by one transfer at a time. Commands on the browser wait only while tabs are moved.

    A transfer closes the old context with all its pages, also with one that is just opening: so it first waits for those.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._no_move = asyncio.Event()
        self._no_move.set()
        self._opening_count = 0
        self._none_opens = asyncio.Event()
        self._none_opens.set()

    async def __aenter__(self) -> None:
        await self._lock.acquire()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def is_locked(self) -> bool:
        """Return whether a transfer is under way."""
        return self._lock.locked()

    async def acquire(self) -> None:
        """Begin a transfer. Commands go on until `begin_move`."""
        await self._lock.acquire()

    def release(self) -> None:
        """End a transfer."""
        self.end_move()
        self._lock.release()

    def begin_move(self) -> None:
        """Make commands on the browser wait from now on."""
        self._no_move.clear()

    def end_move(self) -> None:
        """Let commands on the browser go on: every tab is in the new context."""
        self._no_move.set()

    async def wait_until_moved(self) -> None:
        """Wait while tabs are being moved."""
        await self._no_move.wait()

    @contextmanager
    def count_opening(self) -> Iterator[None]:
        """Count a tab as opening until the block ends."""
        self._opening_count += 1
        self._none_opens.clear()
        try:
            yield
        finally:
            self._opening_count -= 1
            if not self._opening_count:
                self._none_opens.set()

    async def wait_until_none_opens(self) -> None:
        """Wait until no tab is being opened."""
        await self._none_opens.wait()


class TabFactory:
    """Opens and closes tabs. Keeps at least one open, unless a person has closed the window.

    A tab whose opening fails is removed. `prepare` makes a tab ready for commands, `closed` is called with a tab whose page has closed.
    `connection` is that of the session's browser, `handed` the state of a handoff. `transfer` is held while the session moves.
    """

    def __init__(
        self,
        tabs: TabTable,
        pages: PageFactory,
        reserve: Reserve,
        background: Background,
        *,
        prepare: Callable[[Tab], Awaitable[None]],
        closed: Callable[[Tab], None],
        connection: Callable[[], Connection],
        handed: Callable[[], HandoffState | None],
        transfer: TransferLock,
    ) -> None:
        self._tabs = tabs
        self._pages = pages
        self._reserve = reserve
        self._background = background
        self._prepare = prepare
        self._closed = closed
        self._connection = connection
        self._handed = handed
        self._transfer = transfer
        self._coming: asyncio.Task[None] | None = None

    async def ensure_active_tab(self) -> None:
        """Make sure that a tab is active. Wait for the next one if the last has just closed itself.

        Cancelling the caller does not cancel the opening.
        """
        if self._tabs.get():
            return
        if self._coming is None or self._coming.done():
            self._coming = self._background.start(self._ensure_any_tab())
        await asyncio.shield(self._coming)

    async def _ensure_any_tab(self) -> None:
        """Open a tab if the session has none and no person has the browser."""
        if not self._tabs.get() and not self._handed():
            await self.open()

    async def ensure_tab(self) -> None:
        """Open a tab if the last one has closed itself."""
        with suppress(ProtocolError):  # the browser is closing
            await self.ensure_active_tab()

    async def open(self) -> Tab:
        """Open a blank tab and make it the active one."""
        tab = await self._open_tab()
        self._tabs.activate(tab.id)
        return tab

    @asynccontextmanager
    async def in_new_tab(self) -> AsyncIterator[Tab]:
        """Open and activate a tab. If the block fails, close it and activate the old one."""
        self._check_limit()
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

    def _check_limit(self) -> None:
        """Raise ActionFailed if as many tabs are open as BROWSE_MAX_TABS permits."""
        most = self._tabs.most
        if len(self._tabs) >= most:
            raise ActionFailed(
                f"{format_count(most, 'tab')} {'is' if most == 1 else 'are'} open, as many as may be (BROWSE_MAX_TABS)",
                "Close some: 'tabs' lists them, 'closetab <n>' closes one",
            )

    @asynccontextmanager
    async def in_temporary_tab(self) -> AsyncIterator[Tab]:
        """Open a tab for the block without switching to it, and close it afterwards."""
        tab = await self._open_tab()
        if not self._tabs.active:
            self._tabs.activate(tab.id)
        try:
            yield tab
        finally:
            self.discard(tab)

    async def _open_tab(self) -> Tab:
        """Open a tab with a blank page. Raises ActionFailed if a person has closed the window."""
        handed = self._handed()
        if handed and handed.is_over:
            raise window_closed()
        with self._transfer.count_opening():
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
        tab = self.add_tab(self._tabs.next_id, page)
        tab.opener = opener
        return tab

    def add_tab(self, number: int, page: Page, following: tuple[int, int] | None = None) -> Tab:
        """Put a page into the tab of that number, which may be new. `following`: the tab's next refs (@e, @c)."""
        world = World(page, self._connection())
        tab = self._tabs.get(number)
        if tab:
            dialogs.close_own(self._tabs, tab, "closed with its page")
            tab.show(page, world)
        else:
            tab = Tab(number, page, world, Numbers(*(following or self._reserve.first), self._reserve))
            self._tabs.add(tab)
        self._follow(tab, page)
        return tab

    def _follow(self, tab: Tab, page: Page) -> None:
        """Listen to the page that a tab shows now. Ignore it once the tab shows another one."""

        def crashed(_: Page) -> None:
            if tab.page is page:
                tab.crash()

        def closed(_: Page) -> None:
            if tab.page is page:
                self._closed(tab)

        page.on("framedetached", lambda frame: tab.refs.forget_frame(frame))
        page.on("crash", crashed)
        page.on("close", closed)

    async def replace_page(self, tab: Tab) -> None:
        """Give a tab whose page crashed or hangs a new page, under the same number."""
        old = tab.page
        self.add_tab(tab.id, await self._pages.new())
        self._pages.close(old)
        self._tabs.changed()
        await self._prepare(tab)

    async def close(self, tab: Tab, why: str = "") -> None:
        """Close a tab, whatever its page does. Open a blank one if it was the last.

        `why` completes "the page …" if no command has asked for it.
        """
        if why:
            self._tabs.note_lost(tab, why)
        self.discard(tab)
        await (self.ensure_tab() if why else self.ensure_active_tab())

    def discard(self, tab: Tab) -> None:
        """Remove a tab and close its page in the background. That of a taken tab stays open."""
        self.forget(tab)
        self._pages.close(tab.page)

    def forget(self, tab: Tab) -> None:
        """Remove a tab from the table without closing its page."""
        if not self._tabs.remove(tab):
            return
        dialogs.close_own(self._tabs, tab, "closed with its tab")
        tab.requests.abandon()
        tab.close_because("was closed")
        tab.wake_waiters()


def window_closed() -> StateLost:
    """Return the error of commands that need a tab after a person has closed the window."""
    return StateLost("The person closed the window", "Run 'resume' to go on without it")
