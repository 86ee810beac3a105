"""Move tabs to another browser context or browser: for a user agent, or to a person and back.

Cookies, storage, tabs and their numbers are moved (see `capture`); pages are loaded again. Every tab's lock is held
meanwhile, so that no command sees a half-moved context.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Self, TypeVar

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.context.current_context import ContextInBrowser
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.launch import launch
from gstack_browse.browser.launch.running import RunningBrowser, WindowOptions, default_display, default_window
from gstack_browse.browser.state.context_state import ContextState, HandoffState, TabState
from gstack_browse.browser.state.cookie_jar import CookieJar
from gstack_browse.browser.state.emulation import Appearance
from gstack_browse.browser.tab.tab import PERSON, Tab
from gstack_browse.browser.transfer import capture
from gstack_browse.browser.transfer.restore import Reloader
from gstack_browse.errors import ActionFailed, SetupFailed, TimedOut
from gstack_browse.text.sanitise import one_line

Result = TypeVar("Result")

BUSY_SECONDS = 20.0
"""Time limit for a tab's running command to end."""
DISCONNECT_HINT = "Run 'disconnect' first: then gbrowse has a browser of its own"
HEAD_START_SECONDS = 0.2
"""Longest delay before closing the old context: the active page needs Chromium's main thread, which closing blocks."""
PAGE_SECONDS = 30.0
"""Time limit for a page that opens after the reply."""
BACKGROUND_SECONDS = 3.0
"""Time limit for pages in the background; the active page is waited for in any case."""


async def change_appearance(browser: OpenContext, change: Callable[[Appearance], Appearance]) -> None:
    """Change user agent, screen or emulation of the context: move its tabs to a new browser context.

    `change`: returns the new appearance for the present one.
    """
    check_not_shared(browser)
    async with Transfer(browser) as transfer:
        running = browser.running
        after = change(browser.appearance)
        await transfer.run_to_end(_apply_appearance(browser, transfer, running, after))


async def _apply_appearance(
    browser: OpenContext, transfer: "Transfer", running: RunningBrowser, appearance: Appearance
) -> None:
    """Move the tabs to a new context of `running` with this appearance; keep the old one if that fails."""
    before, state = browser.appearance, None
    if running.has_profile:
        options = appearance.context_options()
        running, state = await start_replacement_browser(
            browser, transfer, replace(running.window, context=options)
        )
    _set_appearance(browser, appearance)
    try:
        await transfer.move(running, state)
    except BaseException:
        _set_appearance(browser, before)
        raise


def _set_appearance(browser: OpenContext, appearance: Appearance) -> None:
    """Set the appearance that new browser contexts and pages get."""
    browser.appearance = appearance
    browser.conditions.set_emulation(browser.appearance.emulation)


async def start_similar_browser(
    running: RunningBrowser, window: WindowOptions, *, has_profile: bool = True
) -> RunningBrowser:
    """Start another browser with the settings of the running one, and `window`.

    Args:
        has_profile: with its lasting profile, if it has one

    Raises ActionFailed if the running browser was started by others.
    """
    params = running.params
    if params.endpoint:
        raise ActionFailed(
            f"The browser at {params.endpoint.name} was started by others: it cannot be exchanged for another",
            DISCONNECT_HINT,
        )
    settings = params.settings if has_profile else replace(params.settings, profile=None)
    return await launch.start(settings, lambda line: None, params.on_death, window, workspace=params.workspace)


async def start_replacement_browser(
    browser: OpenContext, transfer: "Transfer", window: WindowOptions
) -> tuple[RunningBrowser, ContextState]:
    """Start an empty browser like the context's, with `window`. Return it, and the context's state.

    A browser with a lasting profile is closed first, since no two browsers can have it; so its state is read before that.
    Raises SetupFailed and ActionFailed, and leaves the tabs where they were then.
    """
    before = browser.running
    if not before.has_lasting_profile:
        running = await start_similar_browser(before, window)
        try:
            return running, await capture.capture_to_move(browser)
        except BaseException:
            await running.close()
            raise
    if others := [other.shown_name for other in browser.neighbours.contexts() if other.running is before]:
        raise ActionFailed(
            f"The browser with the profile has to be closed for this, and others work in it: {', '.join(others)}",
            f"Run 'context-close {others[0]}', or let them finish",
        )
    state = await capture.capture_to_move(browser)
    browser.is_between = True
    try:
        await before.close()
        try:
            return await start_similar_browser(before, window), state
        except SetupFailed:
            await transfer.move(await start_similar_browser(before, before.window), state)
            raise
    finally:
        browser.is_between = False


def check_not_shared(browser: OpenContext) -> None:
    """Raise ActionFailed in a person's own browser, where no new browser context can be made."""
    if browser.running.is_shared:
        raise ActionFailed(
            "This holds for a whole browser, and the one that is connected is not ours", DISCONNECT_HINT
        )


class Transfer:
    """Moves tabs to another browser context, and holds the locks of its tabs meanwhile.

    One transfer runs at a time. `move` releases each lock when its tab's page is there again.
    """

    def __init__(self, browser: OpenContext) -> None:
        self._browser = browser
        self._held: dict[int, Tab] = {}
        self._task: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> Self:
        await self._browser.transfer.acquire()
        try:
            await self._lock_tabs()
        except BaseException:
            self._unlock()
            raise
        return self

    async def _lock_tabs(self) -> None:
        """Lock all tabs, also those that open meanwhile; then make commands on the browser wait."""
        browser = self._browser
        await browser.transfer.wait_until_none_opens()
        while new := [tab for tab in browser.tabs if self._held.get(tab.id) is not tab]:
            await _acquire_lock_when_idle(new[0])
            self._held[new[0].id] = new[0]
            await browser.transfer.wait_until_none_opens()
        browser.transfer.begin_move()

    async def __aexit__(self, *_: object) -> None:
        self._unlock_when_done()

    def _unlock_when_done(self, *_: object) -> None:
        """Unlock the tabs once the transfer's task is done, which may go on after the command's reply."""
        if self._task and not self._task.done():
            self._task.add_done_callback(self._unlock_when_done)
        else:
            self._unlock()

    def _unlock(self) -> None:
        """Release the locks of the tabs, and end the transfer."""
        for tab in self._held.values():
            tab.lock.release()
        self._held.clear()
        self._browser.transfer.release()

    async def run_to_end(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run `work` to its end, even if the command is cancelled, and return its result."""
        self._task = task = self._browser.background.start(work)
        # if the command was cancelled, its reply has another error already
        task.add_done_callback(consume_exception)
        return await asyncio.shield(task)

    async def move(
        self,
        running: RunningBrowser,
        state: ContextState | None = None,
        *,
        closing: Sequence[Tab] = (),
        spare: ContextInBrowser | None = None,
    ) -> int:
        """Move the tabs to a new context of `running`, maybe its present browser. Wait for the active page.

        Args:
            state: what is moved; None: capture it
            closing: tabs that are closed instead of moved
            spare: an empty browser context of `running` to use; None: make one

        Returns how many cookies Chromium refused. If the move fails, a browser that was started for it is closed.
        """
        browser = self._browser
        left = browser.current.pair
        try:
            state = state or await capture.capture_to_move(browser)
            refused = await _move_tabs_to_context(browser, running, state, spare)
        except BaseException:
            if not running.contexts:
                await running.close()
            raise
        for tab in closing:
            browser.tab_factory.forget(tab)
        browser.transfer.end_move()
        browser.downloads.fail_running("its browser was exchanged for another")
        await self._load_pages(state, left)
        return await refused

    async def move_to_context(
        self, state: ContextState, destination: ContextInBrowser, closing: Sequence[Tab]
    ) -> int:
        """Move the tabs to the browser context `destination`. Their pages load after the return.

        Args:
            state: what is moved
            closing: tabs to close, as for `move`

        Returns how many cookies Chromium refused. If it fails, the tabs are where they were. Their locks are held until
        the pages are there: no command sees the old ones.
        """
        browser = self._browser
        left = browser.current.pair
        with browser.current.moving_to(left.running):
            _, setting_cookies = await browser.open_context(state.storage, 0, destination)
            await setting_cookies
        for tab in closing:
            browser.tab_factory.forget(tab)
        browser.downloads.fail_running("its browser was exchanged for another")
        for item in state.tabs:
            self._held[item.id].restored = item
        refused = browser.background.start(
            _count_refused_cookies(browser.current.jar, state.storage["cookies"])
        )
        self._task = browser.background.start(self._reopen_tabs(state, left, refused))
        browser.transfer.end_move()
        return await refused

    async def _reopen_tabs(
        self, state: ContextState, old: ContextInBrowser, refused: asyncio.Task[int]
    ) -> None:
        """Give each tab in `state` a page in the new browser context, load it, and close the `old` context.

        Wait for `refused`, the count of refused cookies, first: a page may change cookies, and Chromium answers nothing
        while it opens one.
        """
        await asyncio.wait([refused])
        have_pages = await asyncio.gather(*map(self._give_blank_page, state.tabs))
        tabs = [item for item, has_page in zip(state.tabs, have_pages, strict=True) if has_page]
        await self._load_pages(replace(state, tabs=tabs), old)
        await self._browser.tab_factory.ensure_tab()

    async def _give_blank_page(self, item: TabState) -> bool:
        """Give the tab of a state a blank page in the new context. Return whether the tab still exists.

        A tab that gets no page is removed, as when its page crashes.
        """
        browser, tab = self._browser, self._held[item.id]
        try:
            async with asyncio.timeout(PAGE_SECONDS):
                page = await browser.pages.new()
            if browser.tabs.get(item.id) is not tab:
                browser.pages.close(page)
                return False
            await browser.prepare(_add_tab(browser, item, page))
        except (ProtocolError, TimeoutError) as error:
            why = f"Chromium gave it no page in {PAGE_SECONDS:g} s"
            if isinstance(error, ProtocolError):
                why = one_line(error.message, 200)
            browser.tabs.note_lost(tab, f"could not be opened again: {why}")
            browser.tab_factory.forget(tab)
        return browser.tabs.get(item.id) is tab

    async def _load_pages(self, state: ContextState, old: ContextInBrowser) -> None:
        """Load the tabs' pages, the active one first, and close the `old` context meanwhile."""
        active = self._browser.tabs.get()
        arrivals = active.arrivals if active else 0
        loads = await self._start_loading(state)
        first = loads.get(active.id) if active else None
        if active and first:
            await _wait_for_document(active, arrivals, first)
        await self._browser.current.close_previous(old)
        if loads:
            await asyncio.wait(loads.values(), timeout=BACKGROUND_SECONDS)
        if first:
            await first

    async def _start_loading(self, state: ContextState) -> dict[int, asyncio.Task[None]]:
        """Start loading the tabs' pages, the active one first. Return tab number → task."""
        reloader = Reloader(self._browser)
        loads = {}
        for item in state.active_first():
            tab, held = self._browser.tabs.find(item.id), self._held.pop(item.id, None)
            if tab is not held:  # it is new: the person has closed the window, perhaps a moment ago
                if held:
                    held.lock.release()
                await tab.lock.acquire()
            loads[item.id] = reloader.start_loading(tab, item)
        return loads


async def _move_tabs_to_context(
    browser: OpenContext, running: RunningBrowser, state: ContextState, spare: ContextInBrowser | None
) -> asyncio.Task[int]:
    """Open a context in `running`, with a blank page for each tab in `state`. Leave the old pages open.

    `spare`: an empty context of `running` to use; None: make one. Returns a task whose result is the number of cookies that
    Chromium refused. It begins before the pages load, which may change cookies.
    """
    with browser.current.moving_to(running):
        pages, setting_cookies = await browser.open_context(state.storage, len(state.tabs), spare)
    tabs = [_add_tab(browser, item, page) for item, page in zip(state.tabs, pages, strict=True)]
    await asyncio.gather(setting_cookies, *(browser.prepare(tab) for tab in tabs))
    browser.tabs.activate(state.active)
    return browser.background.start(_count_refused_cookies(browser.current.jar, state.storage["cookies"]))


async def _wait_for_document(tab: Tab, arrivals: int, load: asyncio.Task[None]) -> None:
    """Wait until a page has a new document, or `load` is done; at most HEAD_START_SECONDS.

    `arrivals`: the tab's number of navigations before. `load`: the task that loads the page.
    """
    arriving = asyncio.ensure_future(tab.wait_until(lambda: tab.arrivals > arrivals, HEAD_START_SECONDS))
    await asyncio.wait({arriving, load}, return_when=asyncio.FIRST_COMPLETED)
    arriving.cancel()


def _add_tab(browser: OpenContext, item: TabState, page: Page) -> Tab:
    """Show `page` in the tab of a state, which gets its old number, name and next ref numbers."""
    tab = browser.tab_factory.add_tab(item.id, page, item.following)
    tab.name = item.name
    return tab


async def _count_refused_cookies(jar: CookieJar, cookies: Sequence[dict[str, Any]]) -> int:
    """Return how many cookies Chromium did not accept; 0 if the browser has ended."""
    try:
        return len(await jar.find_missing(cookies))
    except ProtocolError:
        return 0  # the browser has ended, as the next request to it shows


async def _acquire_lock_when_idle(tab: Tab) -> None:
    """Acquire a tab's lock once its running command has ended.

    Raises TimedOut, which names that command, after BUSY_SECONDS.
    """
    try:
        async with asyncio.timeout(BUSY_SECONDS):
            await tab.lock.acquire()
    except TimeoutError:
        if tab.lock.command == PERSON:
            raise TimedOut(
                f"A person acts in tab {tab.id}, in 'watch'",
                "Wait until they give it back; 'watch --off' takes it back",
            ) from None
        raise TimedOut(
            f"Tab {tab.id} is busy with '{tab.lock.command or 'loading'}'",
            f"Wait for it, or end it with 'closetab {tab.id}'",
        ) from None


LOOK_SECONDS = 2.0
"""Interval of reading the window's state while a person has it."""


async def hand_over(browser: OpenContext, reason: str, display: str) -> ContextState:
    """Move the tabs to a visible Chromium on `display` ("": the daemon's), for a person.

    `reason`: shown to the person and by `status`. Returns the state that was moved. Raises SetupFailed without a usable display.
    """
    async with Transfer(browser) as transfer:
        if browser.handoff:
            raise ActionFailed("The browser is with a person already", "Run 'resume' to take it back")
        window = WindowOptions(
            visible=True, display=display or default_display(), context=browser.appearance.context_options()
        )
        return await transfer.run_to_end(_show_window(browser, transfer, window, reason))


async def _show_window(
    browser: OpenContext, transfer: Transfer, window: WindowOptions, reason: str
) -> ContextState:
    """Move the tabs to a browser with a window, for a person. Return the state that was moved."""
    running, state = await start_replacement_browser(browser, transfer, window)
    from gstack_browse.browser.transfer.person_recorder import PersonRecorder  # few ever hand over

    browser.handoff = handoff = HandoffState(reason, state, PersonRecorder(browser))
    running.on_death = lambda what: _on_window_closed(browser, handoff)
    try:
        await transfer.move(running, state)
    except BaseException:
        browser.handoff = None
        raise
    browser.background.start(_watch_window(browser, handoff))
    return state


async def take_back(browser: OpenContext) -> tuple[ContextState, bool]:
    """Move the tabs from the window of a `handoff` to a browser without one.

    Return their state, and whether the person had closed the window. Raises ActionFailed if nothing was handed over.
    """
    async with Transfer(browser) as transfer:
        handoff = browser.handoff
        if handoff is None:
            raise ActionFailed("The browser was not handed to anybody", "'handoff' shows it to a person")
        return await transfer.run_to_end(_move_back(browser, transfer, handoff))


async def _move_back(
    browser: OpenContext, transfer: Transfer, handoff: HandoffState
) -> tuple[ContextState, bool]:
    """Move the tabs from a person's window to a browser without one.

    Return the state that was moved, and whether the window had been closed.
    """
    beside = next((other.running for other in browser.neighbours.contexts() if not other.handoff), None)
    if beside and not browser.running.has_lasting_profile:
        running, state = beside, await capture.capture_to_move(browser)
    else:
        window = default_window(browser.running.params.settings, browser.appearance.context_options())
        running, state = await start_replacement_browser(browser, transfer, window)
    was_closed = handoff.is_over or not browser.tabs
    if not state.tabs:
        state = replace(state, tabs=handoff.last_tabs())
    browser.handoff = None
    try:
        await transfer.move(running, state)
    except BaseException:
        browser.handoff = handoff
        raise
    await browser.tab_factory.ensure_active_tab()
    return state, was_closed


def _on_window_closed(browser: OpenContext, handoff: HandoffState) -> None:
    """Handle that the person has ended the browser: remove the tabs, and keep their state for `resume`."""
    if browser.handoff is not handoff:
        return
    handoff.is_over = True
    for tab in browser.tabs:
        handoff.note_closed(tab.state())
        tab.note_gone("was closed by the person")
        browser.tab_factory.forget(tab)


async def _watch_window(browser: OpenContext, handoff: HandoffState) -> None:
    """Keep `handoff` up to date: read the window's tabs every LOOK_SECONDS, until taken back or closed."""
    while browser.handoff is handoff and not handoff.is_over:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            await capture.observe_tabs(browser, handoff)
        except ProtocolError:
            continue  # closed while its state was read
