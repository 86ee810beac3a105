"""The browser as a whole: its context, its tabs and their numbers, dialogs, what was lost."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import BrowserContext, Dialog, Download, Frame, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from gstack_browse.browser.cdp.handlers import cache_signature
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.engine.refs import Refs
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.launch import chromium
from gstack_browse.browser.launch.launch import Running
from gstack_browse.browser.tabs import clipboard, dialogs, questions, session_state, viewport
from gstack_browse.browser.tabs.departures import Departure, Departures
from gstack_browse.browser.tabs.dialogs import DialogPolicy
from gstack_browse.browser.tabs.handoff_state import HandoffState
from gstack_browse.browser.tabs.listener import Listener, Logs
from gstack_browse.browser.tabs.observer import shown_url
from gstack_browse.browser.tabs.popups import Popups
from gstack_browse.browser.tabs.session_state import SessionState, TabState
from gstack_browse.browser.tabs.tab import CLOSED_IN_WINDOW, CLOSED_ITSELF, Tab
from gstack_browse.errors import StateLost, TabGone
from gstack_browse.registry.arguments import Size
from gstack_browse.registry.needs import BrowserNeed
from gstack_browse.snapshot.numbers import Numbers

Result = TypeVar("Result")

BLANK = "about:blank"
TITLE_SECONDS = 0.5
OPENING_SECONDS = 1.0
"""How long the document of a window that a page opened may take before the window counts as open."""
MOST_LOADING = 4
"""Carried pages that load at a time: two hundred at once would each take longer than they may."""


class BrowserSession(BrowserNeed):
    """Tabs by number. Numbers never change and are never used again."""

    def __init__(self, running: Running, logs: Logs, *, pictures: Path, changed: Callable[[], None]) -> None:
        self.running = running
        self.pictures = pictures
        self.logs = logs
        self.tabs: dict[int, Tab] = {}
        self.active = 0
        self.departures = Departures()
        self.viewport = viewport.DEFAULT
        self.scale = 1.0
        self.user_agent = ""
        """What pages are told the browser is; "" for Chromium's own word."""
        self.dialogs = DialogPolicy()
        self.imported: set[str] = set()
        """Domains whose cookies came from the user's own browsers: see `cookies.allow_script`."""
        self.handed: HandoffState | None = None
        """Set while a person has the browser, in a window."""
        self.visited: set[object] = set()
        """Pages of ours that a person has open elsewhere, and decides something on: the cookie picker."""
        self.context: BrowserContext
        self._changed = changed
        self.next_id = 1
        self._by_page: dict[Page, Tab] = {}
        self._listener = Listener(logs)
        self.moving = asyncio.Lock()
        """Held while the session moves to another context or browser."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._making = 0
        self._unclaimed: list[Page] = []
        self._popups = Popups()
        self._spare: list[Page] = []
        self._refill = asyncio.Lock()
        self._loading = asyncio.Semaphore(MOST_LOADING)

    async def open(self, carried: SessionState | None = None) -> None:
        """Make the browser context and one blank tab, or what an earlier browser had."""
        if carried:
            self.viewport, self.scale = Size(*carried.viewport), carried.scale
            self.user_agent, self.dialogs = carried.user_agent, DialogPolicy(*carried.dialogs)
            self.imported = set(carried.imported)
            self.departures.untold = carried.departed
        self.context = await self._new_context(carried.storage if carried else None)
        if carried and carried.tabs:
            await self._reopen(carried)
        else:
            await self.open_tab()

    async def _reopen(self, carried: SessionState) -> None:
        """Open the carried tabs under their old numbers. Commands queue behind the loading of each, the active first."""
        pages = await asyncio.gather(*(self._new_page() for _ in carried.tabs))
        for item, page in zip(carried.tabs, pages, strict=True):
            self.next_id = item.id
            await self._adopt(page, item.following).lane.acquire()
        self.next_id = max(carried.next_id, self.next_id)
        self.active = carried.active if carried.active in self.tabs else max(self.tabs)
        await asyncio.gather(*(self.prepare(tab) for tab in self.tabs.values()))
        for item in carried.active_first():
            self.reload(self.tabs[item.id], item)
        self._changed()

    def reload(self, tab: Tab, item: TabState) -> asyncio.Task[None]:
        """Load a carried tab's page in the background; gives the tab's lane, which must be held, free afterwards."""

        async def load() -> None:
            try:
                async with self._loading:
                    is_there = await session_state.load(self, tab, item)
                if is_there:
                    await session_state.finish(tab)
            finally:
                tab.restored = None
                tab.lane.release()

        tab.restored = item
        return self.later(load())

    async def _new_context(self, storage: Any = None) -> BrowserContext:
        context = await self.running.new_context(
            storage,
            viewport={"width": self.viewport.width, "height": self.viewport.height},
            device_scale_factor=self.scale,
            user_agent=self.user_agent or None,
        )
        self._spare = list(context.pages)
        self._listener.attach(self.running.wire.targets)
        self.running.wire.targets.listen("Page.javascriptDialogClosed", self._answered)
        context.on("dialog", self._asked)
        context.on("page", self._appeared)
        return context

    # ── tabs ──────────────────────────────────────────────────────────────────────────────────────────────

    def tab(self, number: int | None = None) -> Tab:
        """The tab of that number, or the active one.

        Raises TabGone when there is no such tab, or when another one is active than the caller may believe.
        """
        if self.handed and not self.tabs:
            raise _window_closed()
        if number is None and (news := self.departed()):
            raise TabGone(news, f"Run 'tab {self.active}' to go on there, or 'tabs' to see what is open")
        wanted = self.active if number is None else number
        if found := self.tabs.get(wanted):
            return found
        raise self.departures.failure(wanted)

    def departed(self) -> str:
        """What became of the tab that was active, and which one is now, where that has not been said; else ""."""
        went = self.departures.untold
        return f"Tab {went.tab} {went.fate}{self.active_after(went.tab)}" if went else ""

    def active_after(self, number: int) -> str:
        """Which tab is active in the place of one that went, to be put behind what became of it; else ""."""
        went, now = self.departures.untold, self.tabs.get(self.active)
        if went is None or went.tab != number or now is None:
            return ""
        return f"; the active tab is now {now.id}: {shown_url(now.url)}"

    def has_opened(self, tab: Tab) -> bool:
        """Whether a window is open that a tab's page has opened."""
        return any(other.is_popup and other.opener == tab.id for other in self.tabs.values())

    @property
    def is_in_use_by_person(self) -> bool:
        """Whether a person is at it: in the window they were given, or on a page of ours in their own browser."""
        return self.has_window or bool(self.visited)

    @property
    def has_window(self) -> bool:
        """Whether a window is open that a person was given."""
        return bool(self.handed and self.tabs)

    async def present(self) -> None:
        """Make sure there is a tab: the last one may just have closed itself."""
        if self.tabs:
            return
        async with self._refill:
            if not self.tabs and not self.handed:
                await self.open_tab()

    async def open_tab(self) -> Tab:
        """Open a blank tab and make it the active one."""
        tab = await self._fresh_tab()
        self.active = tab.id
        self._changed()
        return tab

    async def _fresh_tab(self) -> Tab:
        if self.handed and self.handed.is_over:
            raise _window_closed()
        tab = self._adopt(await self._new_page())
        try:
            await self.prepare(tab)
        except BaseException:
            self._discard(tab)
            raise
        return tab

    async def _new_page(self) -> Page:
        """A page for a tab of ours. Where nobody waits for it any more when it is there, it is closed again."""
        making = self.later(self._make_page())
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(self._close_unwanted)
            raise

    def _close_unwanted(self, made: asyncio.Task[Page]) -> None:
        if not made.cancelled() and not made.exception():
            self.later(_close_quietly(made.result()))

    async def _make_page(self) -> Page:
        """A page of our own making. Those that pages open meanwhile are told apart from it afterwards."""
        self._making += 1
        page: Page | None = None
        try:
            page = self._spare.pop() if self._spare else await self.context.new_page()
        finally:
            self._making -= 1
            self._unclaimed = [other for other in self._unclaimed if other is not page]
            if not self._making:
                unclaimed, self._unclaimed = self._unclaimed, []
                for other in unclaimed:
                    self._appeared(other)
        return page

    async def prepare(self, tab: Tab) -> None:
        """What every tab needs before a command uses it, done once. Raises Playwright's Error when the page is gone."""
        async with tab.preparing:
            if tab.is_prepared:
                return
            await tab.world.open()
            target = tab.world.target
            clipboard.allow_copying(self.running, target.browser_context)
            target.opens = partial(self._opens, tab)
            target.changes = tab.touch
            self._listener.traffic.bind(target.id, tab)
            if not self.handed and (self.viewport != viewport.DEFAULT or self.scale != 1.0):
                await viewport.fit(self, tab, self.viewport)
            tab.is_prepared = True

    def _opens(self, tab: Tab, event: dict[str, Any]) -> None:
        """A page asked for a window: its tab appears a moment later."""
        self._popups.ask(tab, event)
        tab.opening += 1
        tab.touch()

    def _asked(self, dialog: Dialog) -> None:
        """A page shows a dialog.

        Returns nothing: of a handler that returns an awaitable, Playwright raises what fails in anybody's next call.
        """
        self.later(dialogs.answer(self, dialog, self._tab_of(dialog.page)))

    def _answered(self, target: Target, event: dict[str, Any]) -> bool:
        """A dialog was closed, perhaps by a person, or with its page."""
        tab = self._listener.traffic.tab_of(target.page)
        if tab and (question := tab.question) and question.tab == tab.id:
            questions.closed(self, question, questions.answered(question, event["result"], event["userInput"]))
        return True

    def switch_to(self, tab: Tab) -> None:
        """Make a tab the active one."""
        self.active = tab.id
        self.departures.settle()
        self._changed()

    @asynccontextmanager
    async def opening(self) -> AsyncIterator[Tab]:
        """A new active tab; when the block fails it is closed again and the old one is active."""
        before = self.active
        tab = await self.open_tab()
        try:
            yield tab
        except BaseException:
            self._discard(tab)
            self.active = before if before in self.tabs else self.active
            raise
        self.departures.settle()

    @asynccontextmanager
    async def borrowing(self) -> AsyncIterator[Tab]:
        """A tab that nobody switches to, and that is closed afterwards."""
        tab = await self._fresh_tab()
        self.active = self.active or tab.id
        try:
            yield tab
        finally:
            self._discard(tab)

    async def titles(self) -> dict[int, str]:
        """Titles by tab number. The browser is asked, not the pages, so that one that hangs still has one."""

        async def title(tab: Tab) -> str:
            try:
                async with asyncio.timeout(TITLE_SECONDS):
                    await self.prepare(tab)
                    answer = await tab.world.session.send("Target.getTargetInfo")
            except (TimeoutError, PlaywrightError):
                return ""
            info = answer["targetInfo"]
            return str(info["title"]) if info["title"] not in (info["url"], BLANK) else ""

        tabs = list(self.tabs.values())
        found = await asyncio.gather(*(title(tab) for tab in tabs))
        return {tab.id: name for tab, name in zip(tabs, found, strict=True)}

    async def replace_page(self, tab: Tab) -> None:
        """Give a tab whose page crashed or hangs a new page, under the same number."""
        old = tab.page
        page = await self._new_page()
        self._by_page.pop(old, None)
        self._wire(tab, page)
        self.later(_close_quietly(old))
        self._changed()
        await self.prepare(tab)

    async def rehouse(self, running: Running, carried: SessionState) -> None:
        """Give every carried tab a new page in a new context of `running`, under its old number.

        The pages are still blank afterwards. What the tabs were in before is left as it is.
        """
        before = self.running, self.context
        self.running = running
        try:
            self.context = await self._new_context(carried.storage)
        except BaseException:
            self.running, self.context = before
            raise
        for item in carried.tabs:
            await self._rehouse_tab(item)
        self.active = carried.active if carried.active in self.tabs else max(self.tabs, default=0)
        self._changed()

    async def _rehouse_tab(self, item: TabState) -> None:
        page = await self._new_page()
        self.departures.returned(item.id)
        tab = self.tabs.get(item.id)
        if tab is None:
            world = World(page, self.running.wire)
            refs = Refs(page, world, Numbers(*item.following))
            tab = self.tabs[item.id] = Tab(item.id, page, world, refs)
            self._hook(tab, page)
        else:
            self._by_page.pop(tab.page, None)
            self._wire(tab, page)
        await self.prepare(tab)

    async def close_tab(self, tab: Tab, why: str = "") -> None:
        """Close a tab, whatever its page does. When it was the last one, a blank one opens.

        `why` completes "the page …" where nobody has asked for it.
        """
        if why:
            self._lose(tab, why)
        self._discard(tab)
        await (self._stay() if why else self.present())

    def _appeared(self, page: Page) -> None:
        if self._making:
            self._unclaimed.append(page)
        elif page not in self._by_page:
            tab = self._adopt(page)
            self.later(self._welcome(tab))

    async def _welcome(self, tab: Tab) -> None:
        """Make ready a tab that a page has opened."""
        try:
            page = await tab.page.opener()
            opener = self._by_page.get(page) if page else None
            if chromium.is_shell(self.running.executable) and self._popups.is_unwanted(opener):
                self._block(tab, opener)
            else:
                await self.prepare(tab)
                await tab.page.wait_for_load_state("domcontentloaded", timeout=OPENING_SECONDS * 1000)
        except PlaywrightTimeout:
            pass  # it is slow: whoever needs it waits for it
        except PlaywrightError:
            return  # closed again before it was looked at
        if opener:
            tab.opener, tab.is_popup = opener.id, True
            opener.opening = max(opener.opening - 1, 0)
            opener.touch()

    def _block(self, tab: Tab, opener: Tab | None) -> None:
        """Close a window that a page opened by itself."""
        self._discard(tab)
        if opener:
            opener.blocked += 1

    def _adopt(self, page: Page, following: tuple[int, int] = (1, 1)) -> Tab:
        if page in self._by_page:
            return self._by_page[page]
        world = World(page, self.running.wire)
        tab = Tab(self.next_id, page, world, Refs(page, world, Numbers(*following)))
        self.next_id += 1
        tab.opener = self.active or None
        self.tabs[tab.id] = tab
        self._hook(tab, page)
        self._changed()
        return tab

    def _wire(self, tab: Tab, page: Page) -> None:
        tab.page = page
        tab.world = World(page, self.running.wire)
        tab.refs = Refs(page, tab.world, tab.refs.numbers)
        tab.frame = None
        tab.fate = ""
        if tab.question and tab.question.tab == tab.id:
            questions.closed(self, tab.question, "closed with its page")
        tab.question = None
        tab.opening = 0
        tab.is_prepared = False
        tab.abandon()
        self._hook(tab, page)

    def _hook(self, tab: Tab, page: Page) -> None:
        self._by_page[page] = tab
        page.on("close", lambda _: self._closed(tab, page))
        page.on("crash", lambda _: self._crashed(tab, page))
        page.on("framenavigated", cache_signature(lambda frame: self._navigated(tab, page, frame)))
        page.on("framedetached", cache_signature(lambda frame: tab.refs.forget_frame(frame)))
        page.on("websocket", lambda socket: self._listener.websocket(tab, socket))
        page.on("download", lambda download: self._downloaded(tab, download))

    def _closed(self, tab: Tab, page: Page) -> None:
        self._by_page.pop(page, None)
        if tab.page is page:
            if self.handed:
                self.handed.closed(TabState.of(tab))
            self._lose(tab, CLOSED_IN_WINDOW if self.handed else CLOSED_ITSELF)
            self.later(self._stay())

    def _tab_of(self, page: Page | None) -> Tab | None:
        return self._by_page.get(page) if page else None

    async def _stay(self) -> None:
        """Keep a tab open when the last one closed itself."""
        with suppress(PlaywrightError):  # the whole browser is closing
            await self.present()

    def _discard(self, tab: Tab) -> None:
        """Take a tab out of the list, and close its page in the background."""
        self.forget(tab)
        self.later(_close_quietly(tab.page))

    def _lose(self, tab: Tab, why: str) -> None:
        """Take a tab out of the list that goes without having been asked to."""
        tab.fate = tab.fate or why
        if tab.id in self.tabs:
            went = Departure(tab.id, tab.url, tab.fate)
            self.departures.note(went, was_active=self.active == tab.id)
        self.forget(tab)

    def forget(self, tab: Tab) -> None:
        """Take a tab out of the list; its page is somebody else's to close."""
        if self.tabs.pop(tab.id, None) is None:
            return
        if tab.question and tab.question.tab == tab.id:
            questions.closed(self, tab.question, "closed with its tab")
        tab.abandon()
        tab.touch()
        if self.active == tab.id:
            near = tab.opener if tab.opener in self.tabs else None
            self.active = near or max(self.tabs, default=0)
        self._changed()

    def _crashed(self, tab: Tab, page: Page) -> None:
        if tab.page is page:
            tab.crash()

    def _navigated(self, tab: Tab, page: Page, frame: Frame) -> None:
        if tab.page is not page:
            return
        if frame.parent_frame is None:
            tab.arrivals += 1
            tab.frame = None
            self._changed()
        tab.touch()

    def _downloaded(self, tab: Tab, download: Download) -> None:
        tab.downloads.append(download.suggested_filename)
        tab.download_count += 1
        tab.opening = max(tab.opening - 1, 0)
        tab.touch()

    # ── life ──────────────────────────────────────────────────────────────────────────────────────────────

    def later(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Do something in the background, for as long as the session lives."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _window_closed() -> StateLost:
    return StateLost("The person closed the window", "Run 'resume' to go on without it")


async def _close_quietly(page: Page) -> None:
    """Close a page that may hang: Playwright asks the browser, not the page."""
    try:
        await page.close(run_before_unload=False)
    except PlaywrightError:
        return  # it was gone already
