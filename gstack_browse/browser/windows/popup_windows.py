"""Make tabs of windows that pages open (`window.open`, links), or block those that they may not open."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.cdp.tasks import Background
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.launch.chromium import is_headless_shell
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tab.effects import RefusedRequest
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.table import TabTable
from gstack_browse.browser.tab.urls import NO_PAGE
from gstack_browse.security.policy.hosts import EXTERNAL_REFUSAL, is_external

_SECONDS = 10.0
"""Time after a page's request in which its window may appear."""
BY_ITSELF = "that the page opened by itself"
SURPLUS = "more: an action opens one"


@dataclass(frozen=True, eq=False)
class _PendingWindow:
    """An event on a window of a tab's page that has no tab yet. `at`: its time, by the event loop's clock."""

    tab: Tab
    at: float

    @property
    def deadline(self) -> float:
        """Return the time, on the event loop's clock, at which to stop expecting the window."""
        return self.at + _SECONDS


@dataclass(frozen=True, eq=False)
class WindowRequest(_PendingWindow):
    """A page's request for a window.

    `problem`: why the page does not get it, as the end of a sentence that begins with "window"; "" if it does. `url`: the
    window's address; "" if it has none.
    """

    problem: str
    url: str

    @property
    def has_address(self) -> bool:
        """Return whether the window is to load an address other than `about:blank`."""
        return self.url not in NO_PAGE

    @property
    def shows_page(self) -> bool:
        """Return whether the window can show a page.

        Chromium shows no window of `data:`, nor for an external program.
        """
        return not (self.url.lower().startswith("data:") or is_external(self.url))


@dataclass(frozen=True, eq=False)
class OpenedWindow(_PendingWindow):
    """A window that a page has opened. `id`: of its target."""

    id: str


class WindowRequests:
    """Matches windows with the requests for them, and decides which ones a page may open.

    `is_program_attached`: whether clicks may be a program's, which begin no action of ours.
    """

    def __init__(self, is_program_attached: Callable[[], bool] = lambda: False) -> None:
        self._is_program_attached = is_program_attached
        self.chromium_blocks = False
        """Whether Chromium itself blocks windows that a page opens by itself."""
        self.limits_actions = True
        """Whether an action may open one window only. A person who uses the browser, too, may open any number."""
        self._requests: deque[WindowRequest] = deque()
        self._opened: deque[OpenedWindow] = deque()

    def note_request(self, tab: Tab, event: dict[str, Any]) -> WindowRequest:
        """Record that a tab's page has asked for a window (`Page.windowOpen`). Return the request.

        Count the window as blocked if Chromium will not open it.
        """
        self._drop_late_windows()
        problem = "" if event["userGesture"] else BY_ITSELF
        if not problem and not tab.effects.use_window_permit() and self._limits_clicks():
            problem = SURPLUS
        request = WindowRequest(tab, self._read_clock(), problem, event.get("url", ""))
        if self.is_opened_by_chromium(request):
            self._requests.append(request)
        elif request.shows_page:
            tab.effects.note_blocked(problem, request.url)
        return request

    def _limits_clicks(self) -> bool:
        """Return whether a second window since an action began is too many: its click may be another's."""
        return self.limits_actions and not self._is_program_attached()

    def is_opened_by_chromium(self, request: WindowRequest) -> bool:
        """Return whether Chromium opens the requested window, or blocks it itself."""
        return not (self.chromium_blocks and request.problem == BY_ITSELF)

    def on_window_opened(self, tab: Tab, window: str) -> None:
        """Note that a window of a tab's page has appeared. `window`: the id of its target.

        If it was counted as blocked, correct that: a person's profile may allow this site all windows.
        """
        if self.chromium_blocks and not any(request.tab is tab for request in self._requests):
            tab.effects.blocked[BY_ITSELF] = max(tab.effects.blocked[BY_ITSELF] - 1, 0)
        self._opened.append(OpenedWindow(tab, self._read_clock(), window))

    def take_request(self, opener: Tab | None, window: str = "") -> WindowRequest | None:
        """Remove and return the request for a new window; None if the page requested none.

        `opener`: the tab that opened it; None if unknown, as of a page that hides its origin. `window`: the id of its target.
        Windows appear in the order of their requests.
        """
        self._drop_late_windows()
        opened = next((opened for opened in self._opened if opened.id == window), None)
        before = 0
        if opened:
            opener = opened.tab
            before = sum(other.tab is opener for other in islice(self._opened, self._opened.index(opened)))
            self._opened.remove(opened)
        matching = [entry for entry in self._requests if opener is None or entry.tab is opener][: before + 1]
        if not matching:
            return None
        self._requests.remove(matching[-1])
        return matching[-1]

    def _drop_late_windows(self) -> None:
        """Forget requests that got no window, and windows that got no tab, within _SECONDS."""
        windows: deque[WindowRequest] | deque[OpenedWindow]
        for windows in (self._requests, self._opened):
            while windows and windows[0].deadline < self._read_clock():
                windows.popleft()

    @staticmethod
    def _read_clock() -> float:
        """Return the time of the event loop, in seconds."""
        return asyncio.get_running_loop().time()


OPENING_SECONDS = 2.0
"""Time limit for the first document of a page's window before the window counts as open."""


class PopupWindows:
    """Makes tabs of windows that pages open, and closes those that they may not open (`WindowRequests`).

    `adopt` opens a tab for a page, `prepare` makes it ready for commands, `discard` closes it. `is_program_attached`: as in
    `WindowRequests`.
    """

    def __init__(
        self,
        tabs: TabTable,
        background: Background,
        *,
        adopt: Callable[[Page], Tab],
        prepare: Callable[[Tab], Awaitable[None]],
        discard: Callable[[Tab], None],
        is_program_attached: Callable[[], bool],
    ) -> None:
        self._tabs = tabs
        self._background = background
        self._adopt = adopt
        self._prepare = prepare
        self._discard = discard
        self._requests = WindowRequests(is_program_attached)
        self._download_windows: set[str] = set()
        """Ids of windows that were opened for a download and have no tab yet."""

    def attach(self, running: RunningBrowser, subscriber: Subscriber) -> None:
        """Set this browser's rules for windows. Listen for closing pages; `subscriber` gets their events."""
        subscriber.on_page_gone.append(self._on_page_closed)
        self._requests.chromium_blocks = not is_headless_shell(running.executable)
        self._requests.limits_actions = not running.may_have_person

    def watch(self, tab: Tab, target: Target) -> None:
        """Listen for windows that a tab's page requests and opens. `target`: the page's."""
        target.on_window_open = partial(self._on_window_requested, tab)
        target.on_window_opened = lambda window: self._requests.on_window_opened(tab, window.id)

    def _on_page_closed(self, page_id: str) -> None:
        """If a window closed that was only for a download, stop waiting for it in the tab that was clicked.

        A full Chromium closes such a window by itself, before it has a tab.
        """
        if page_id not in self._download_windows:
            return
        self._download_windows.discard(page_id)
        waits = (tab for tab in self._tabs if tab.effects.opening and not tab.effects.lacks_window)
        if clicked := next(waits, None):
            clicked.effects.note_opened()
            clicked.wake_waiters()

    def _on_window_requested(self, tab: Tab, event: dict[str, Any]) -> None:
        """Handle `Page.windowOpen`: make the running command wait for the window, if that can show a page."""
        request = self._requests.note_request(tab, event)
        if request.shows_page and self._requests.is_opened_by_chromium(request):
            tab.effects.expect_window()
        elif is_external(request.url) and self._requests.limits_actions:
            tab.note_refusal(RefusedRequest(request.url, EXTERNAL_REFUSAL, is_page=False))
        tab.wake_waiters()

    def on_page(self, page: Page) -> None:
        """Give a page not opened by gbrowse a tab, in the background, or close it if it may not open."""
        if page.is_closed():
            self._on_page_gone_early(page)
        elif self._tabs.find_by_page(page) is None:
            self._background.start(self._adopt_or_block(self._adopt(page)))

    def close_download_window(self, page_id: str, tab: Tab | None) -> None:
        """Close a window whose address is a download. Chromium does so itself; its headless shell does not.

        `tab`: the window's; None if it has none yet.
        """
        if tab:
            self._discard(tab)
        else:
            self._download_windows.add(page_id)

    async def _adopt_or_block(self, tab: Tab) -> None:
        """Make a new window's tab ready, or close the window, and report that to the tab that opened it."""
        opener: Tab | None = None
        clicked: Tab | None = None
        try:
            page = tab.page.opener
            opener = self._tabs.find_by_page(page) if page else None
            request = self._requests.take_request(opener, tab.page.target.id)
            clicked = None if opener or request else self._find_clicked_tab(tab)
            opener = opener or clicked or (request.tab if request else None)
            tab.has_address = request.has_address if request else clicked is not None
            # a person who uses the browser, too, is asked in the window, and it stays
            if request and not request.shows_page and self._requests.limits_actions:
                self._discard(tab)
                return  # nobody waits for it
            if problem := self._refusal_reason(request):
                self._discard(tab)
                if opener:
                    opener.effects.note_blocked(problem, request.url if request else tab.url)
            else:
                await self._prepare_tab(tab, has_address=request is None or request.has_address)
                if request is None:
                    await self._wait_until_shown(tab)
                elif not request.has_address:
                    await self._wait_for_redirect(tab)
        except ProtocolError:  # the page closed again before it was ready
            if opener is None:
                request = self._requests.take_request(None, tab.page.target.id)
                opener = request.tab if request else self._find_clicked_tab(tab)
        if opener:
            tab.opener, tab.is_popup = opener.id, clicked is None
            if tab.is_unreported is None:  # else a reply has named the window meanwhile
                tab.is_unreported = tab.id in self._tabs
            opener.effects.note_opened()
            opener.wake_waiters()

    def _on_page_gone_early(self, page: Page) -> None:
        """Handle that a window has closed before it got a tab: the tab that opened it waits no longer."""
        opened_by = page.opener
        opener = self._tabs.find_by_page(opened_by) if opened_by else None
        if opener:
            self._requests.take_request(opener)
            opener.effects.note_opened()
            opener.wake_waiters()

    def _find_clicked_tab(self, window: Tab) -> Tab | None:
        """Return the tab where a click (such as Ctrl+click on a link) is about to open a window, or None.

        Chromium reports neither the opening of such a window nor its opener.
        """
        clicked = next((tab for tab in self._tabs if tab.effects.opening and tab is not window), None)
        if clicked:
            clicked.effects.note_opening_certain()
        return clicked

    async def _prepare_tab(self, tab: Tab, *, has_address: bool) -> None:
        """Make a new window's tab ready for commands; close it if the window was for a download.

        `has_address`: also wait for its page.
        """
        await self._prepare(tab)
        if tab.world.frames.target.id in self._download_windows:
            self._download_windows.discard(tab.world.frames.target.id)
            self._discard(tab)
            return
        if has_address:  # a page that is slow is waited for by the first command that needs it
            target = tab.world.frames.target
            await tab.wait_load_adjusted(
                lambda: target.is_ready or bool(tab.closed_reason) or tab.page.is_closed(), OPENING_SECONDS
            )

    async def _wait_until_shown(self, tab: Tab) -> None:
        """Wait until a window that a click opened shows a page, or proves to be for a download."""
        await tab.wait_load_adjusted(
            lambda: tab.id not in self._tabs or tab.page.is_closed() or tab.page.url not in NO_PAGE,
            OPENING_SECONDS,
        )

    async def _wait_for_redirect(self, tab: Tab) -> None:
        """Wait while a script that opened a window without a URL may still set its `location` in that turn."""
        with suppress(FrameGone, PageScriptError, TimeoutError):
            async with asyncio.timeout(OPENING_SECONDS):
                await tab.work.await_until_dialog(tab.world.wait_event_loop_turn())
                await tab.wait_until(lambda: bool(tab.open_dialog) or not tab.requests.is_navigating)

    def _refusal_reason(self, request: WindowRequest | None) -> str:
        """Return why a window has to be closed at once, as the end of a sentence; "" if it may stay."""
        if request and request.problem:
            return request.problem
        if len(self._tabs) > self._tabs.most:
            return f"more: {self._tabs.most} tabs are open, as many as may be (BROWSE_MAX_TABS)"
        return ""
