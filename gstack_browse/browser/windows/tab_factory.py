"""Open and close the tabs of a context (`TabFactory`) and their pages, and list tabs of others."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, cast

from gstack_browse.browser import dialogs
from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.tasks import Background
from gstack_browse.browser.devtools.browser import BrowserContext
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.state.context_state import HandoffState
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.table import TabTable
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import ActionFailed, Refused, StateLost
from gstack_browse.snapshot.numbers import RefNumberBound, RefNumbers
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count

if TYPE_CHECKING:
    from gstack_browse.browser.launch.connect import ExternalBrowser
    from gstack_browse.browser.launch.running import RunningBrowser


class PageFactory:
    """Makes pages in one browser context at a time.

    `on_page_opened` is called with each page that `new` did not make, but a page's script, say. Chromium may report a page before `new_page`
    has returned it, so `on_page_opened` is called once no page is being made.
    """

    def __init__(self, background: Background, on_page_opened: Callable[[Page], None]) -> None:
        self._background = background
        self._on_page_opened = on_page_opened
        self._context: BrowserContext | None = None
        self._making = 0
        self._unclaimed: list[Page] = []
        self._spare: list[Page] = []
        self._coming: asyncio.Task[Page] | None = None

    def use_context(self, context: BrowserContext, opening: Awaitable[Page] | None = None) -> None:
        """Make pages in this browser context from now on.

        `new` first returns the pages that the context has already, or the one that `opening` opens.
        """
        self._coming = self._background.start(self._await_page(opening)) if opening else None
        self._spare = [] if opening else list(context.pages)
        context.on("page", self._on_page)
        self._context = context

    def return_to_context(self, context: BrowserContext) -> None:
        """Make pages in `context` again, after a transfer to another one has failed."""
        if self._context is not context:
            self._spare.clear()
            self._coming = None
            self._context = context

    async def new(self) -> Page:
        """Return a blank page of the context. If the caller is cancelled meanwhile, close the page."""
        making = self._background.start(self._take_or_make())
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(self._close_unwanted)
            raise

    async def await_attached(self, attaching: Awaitable[object], target_id: str) -> Page:
        """Await `attaching`, which attaches to a target; return its page. Raises ProtocolError without a page."""

        async def attach() -> Page:
            await attaching
            assert self._context is not None
            page = self._context.page(target_id)
            if page is None:
                raise ProtocolError("Target closed")
            return page

        return await self._await_page(attach())

    def close(self, page: Page) -> None:
        """Close a page in the background, even one that hangs."""
        self._background.start(_close_page(page))

    async def _take_or_make(self) -> Page:
        """Return an unused page that the context has already, else a new one."""
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
        """Await `making`, which opens a page; return it. Do not report it as a window that a page opened."""
        self._making += 1
        page: Page | None = None
        try:
            page = await making
        finally:
            self._claim(page)
        return page

    def _claim(self, page: Page | None) -> None:
        """Note that making a page has ended: `page` is ours; None if it failed.

        Pages that came meanwhile and are not ours are reported as opened once no page is being made.
        """
        self._making -= 1
        self._unclaimed = [other for other in self._unclaimed if other is not page]
        if not self._making:
            unclaimed, self._unclaimed = self._unclaimed, []
            for other in unclaimed:
                self._on_page_opened(other)

    def _on_page(self, page: Page) -> None:
        """Handle a new page of the context: report it as opened, later if one is being made that may be this."""
        if self._making:
            self._unclaimed.append(page)
        else:
            self._on_page_opened(page)

    def _close_unwanted(self, opening: asyncio.Task[Page]) -> None:
        """Close the page that the task `opening` has opened for a caller that was cancelled meanwhile."""
        if not opening.cancelled() and not opening.exception():
            self.close(opening.result())


async def _close_page(page: Page) -> None:
    """Close a page; do nothing if it has closed already."""
    try:
        await page.close()
    except ProtocolError:
        return  # the page had closed already


_NO_TABS = ("devtools://", "chrome-extension://")
"""Prefixes of addresses of pages that are not tabs."""
MOST_LISTED = 200


class ExternalTab(NamedTuple):
    """A tab of a browser that a person uses, too, which gbrowse has neither opened nor taken."""

    number: int
    target_id: str
    title: str
    url: str

    @property
    def line(self) -> str:
        """Return the tab's line in the reply of `tabs`: number, title and URL."""
        return f"  [{self.number}] {one_line(self.title, 100)} — {shown_url(self.url)} (not taken)"


class ExternalTabs:
    """Numbers external tabs. A tab keeps its number when it is taken (`tab 3 --take`) or released."""

    def __init__(self, tabs: "TabTable") -> None:
        self._tabs = tabs
        self._numbers: dict[str, int] = {}

    async def list_tabs(self, running: "RunningBrowser") -> list[ExternalTab]:
        """Return the tabs of a person's browser that are not gbrowse's; [] in our own. Raises ProtocolError."""
        if not running.is_shared:
            return []
        own = cast("ExternalBrowser", running).connection.own
        reply = await running.connection.ask_browser("Target.getTargets")
        return [
            ExternalTab(self._number(info["targetId"]), info["targetId"], info["title"], info["url"])
            for info in reply["targetInfos"]
            if info["type"] == "page"
            and info.get("browserContextId") == own.shared
            and not own.is_own_tab(info["targetId"])
            and not info["url"].startswith(_NO_TABS)
        ][:MOST_LISTED]

    def require_not_external(self, number: int) -> None:
        """Raise Refused if the tab of that number is a person's, which no command has taken (`tab 3 --take`)."""
        if number in self._numbers.values() and number not in self._tabs:
            raise Refused(
                f"Tab {number} is not gbrowse's: nobody has told it to use that",
                f"Take it first: tab {number} --take",
            )

    def remember(self, number: int, target_id: str) -> None:
        """Note that a target has this tab number, so that it keeps it once the tab is no longer gbrowse's."""
        self._numbers[target_id] = number

    def _number(self, target_id: str) -> int:
        """Return the tab number of a target; a new one if it has none."""
        if target_id not in self._numbers:
            self._numbers[target_id] = number = self._tabs.next_id
            self._tabs.reserve(number + 1)
        return self._numbers[target_id]


class TransferLock:
    """The lock of a transfer of all tabs to another browser context. Commands wait meanwhile.

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
        """Return whether the tabs are being moved to another browser context (a transfer)."""
        return self._lock.locked()

    async def acquire(self) -> None:
        """Begin a transfer, once no other is under way. Commands still run until `begin_move`."""
        await self._lock.acquire()

    def release(self) -> None:
        """End a transfer."""
        self.end_move()
        self._lock.release()

    def begin_move(self) -> None:
        """Make commands on the browser wait from now on, as the transfer begins to move tabs."""
        self._no_move.clear()

    def end_move(self) -> None:
        """Let waiting commands on the browser go on: every tab is in the new context."""
        self._no_move.set()

    async def wait_until_moved(self) -> None:
        """Wait while a transfer moves tabs."""
        await self._no_move.wait()

    @contextmanager
    def count_opening(self) -> Iterator[None]:
        """Count a tab as being opened during the `with` block."""
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

    A tab whose opening fails is removed. `prepare` makes a tab ready for commands, `on_page_closed` is called with a tab whose page has closed.
    `connection` is that of the context's browser, `handoff` returns the state of a handoff. `transfer` is held while the tabs move.
    """

    def __init__(
        self,
        tabs: TabTable,
        pages: PageFactory,
        reserve: RefNumberBound,
        background: Background,
        *,
        prepare: Callable[[Tab], Awaitable[None]],
        on_page_closed: Callable[[Tab], None],
        connection: Callable[[], Connection],
        handoff: Callable[[], HandoffState | None],
        transfer: TransferLock,
    ) -> None:
        self._tabs = tabs
        self._pages = pages
        self._reserve = reserve
        self._background = background
        self._prepare = prepare
        self._on_page_closed = on_page_closed
        self._connection = connection
        self._handoff = handoff
        self._transfer = transfer
        self._coming: asyncio.Task[None] | None = None

    async def ensure_active_tab(self) -> None:
        """Open a tab if none is active and no person has the browser.

        Cancelling the caller does not cancel the opening.
        """
        if self._tabs.get():
            return
        if self._coming is None or self._coming.done():
            self._coming = self._background.start(self._ensure_any_tab())
        await asyncio.shield(self._coming)

    async def _ensure_any_tab(self) -> None:
        """Open a tab if the context has none and no person has the browser."""
        if not self._tabs.get() and not self._handoff():
            await self.open()

    async def ensure_tab(self) -> None:
        """Open a tab if the context has none, as after a page closed the last one. Ignore a closing browser."""
        with suppress(ProtocolError):  # the browser is closing
            await self.ensure_active_tab()

    async def open(self) -> Tab:
        """Open a blank tab and make it the active one."""
        tab = await self._open_tab()
        self._tabs.activate(tab.id)
        return tab

    @asynccontextmanager
    async def in_new_tab(self) -> AsyncIterator[Tab]:
        """Open a tab and activate it for an `async with` block. On an error, close it, activate the old one."""
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
        self._tabs.closed_tabs.mark_reported()

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
        """Open a tab for an `async with` block without making it the active one, and close it afterwards."""
        tab = await self._open_tab()
        if not self._tabs.active:
            self._tabs.activate(tab.id)
        try:
            yield tab
        finally:
            self.discard(tab)

    async def _open_tab(self) -> Tab:
        """Open a tab with a blank page, ready for commands. Raises StateLost if a person closed the window."""
        handoff = self._handoff()
        if handoff and handoff.is_over:
            raise window_closed_error()
        with self._transfer.count_opening():
            tab = self.adopt(await self._pages.new())
            try:
                await self._prepare(tab)
            except BaseException:
                self.discard(tab)
                raise
        return tab

    def adopt(self, page: Page) -> Tab:
        """Add a tab for a page that is open already, such as a popup. The active tab counts as its opener."""
        opener = self._tabs.active or None
        tab = self.add_tab(self._tabs.next_id, page)
        tab.opener = opener
        return tab

    def add_tab(self, number: int, page: Page, following: tuple[int, int] | None = None) -> Tab:
        """Show a page in tab `number`, added if new. `following`: numbers of its next refs (@e, @c)."""
        world = World(page, self._connection())
        tab = self._tabs.get(number)
        if tab:
            dialogs.mark_own_dialog_closed(self._tabs, tab, "closed with its page")
            tab.show(page, world)
        else:
            tab = Tab(number, page, world, RefNumbers(*(following or self._reserve.first), self._reserve))
            self._tabs.add(tab)
        self._follow(tab, page)
        return tab

    def _follow(self, tab: Tab, page: Page) -> None:
        """Handle close and crash of the page that a tab shows, as long as the tab shows that page."""

        def crashed(_: Page) -> None:
            if tab.page is page:
                tab.note_crash()

        def closed(_: Page) -> None:
            if tab.page is page:
                self._on_page_closed(tab)

        page.on("framedetached", lambda frame: tab.refs.forget_frame(frame))
        page.on("crash", crashed)
        page.on("close", closed)

    async def replace_page(self, tab: Tab) -> None:
        """Give a tab whose page crashed or hangs a new page, under the same number."""
        old = tab.page
        self.add_tab(tab.id, await self._pages.new())
        self._pages.close(old)
        self._tabs.on_change()
        await self._prepare(tab)

    async def close(self, tab: Tab, why: str = "") -> None:
        """Close a tab without asking its page (`beforeunload`). Open a blank one if it was the last.

        `why`: if no command has asked for it, the reason, which completes "The page in tab 3 …".
        """
        if why:
            self._tabs.note_lost(tab, why)
        self.discard(tab)
        await (self.ensure_tab() if why else self.ensure_active_tab())

    def discard(self, tab: Tab) -> None:
        """Remove a tab and close its page in the background. The page of a taken (external) tab stays open."""
        self.forget(tab)
        self._pages.close(tab.page)

    def forget(self, tab: Tab) -> None:
        """Remove a tab from the table without closing its page."""
        if not self._tabs.remove(tab):
            return
        dialogs.mark_own_dialog_closed(self._tabs, tab, "closed with its tab")
        tab.requests.abandon()
        tab.note_gone("was closed")
        tab.wake_waiters()


def window_closed_error() -> StateLost:
    """Return the error of commands that need a tab after a person has closed the window."""
    return StateLost("The person closed the window", "Run 'resume' to go on without it")
