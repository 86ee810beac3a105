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
        """Return when to stop expecting the window, in the event loop's clock."""
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
    """Matches windows with the requests for them, and decides which ones a page may open."""

    def __init__(self) -> None:
        self.chromium_blocks = False
        """Whether Chromium itself blocks windows that a page opens by itself."""
        self.limits_actions = True
        """Whether an action may open one window only. A person who uses the browser, too, may open any number."""
        self._requests: deque[WindowRequest] = deque()
        self._opened: deque[OpenedWindow] = deque()

    def note_request(self, tab: Tab, event: dict[str, Any]) -> WindowRequest:
        """Record a page's request for a window (`Page.windowOpen`), unless Chromium blocks the window."""
        problem = "" if event["userGesture"] else BY_ITSELF
        if not problem and not tab.effects.use_window_permit() and self.limits_actions:
            problem = SURPLUS
        request = WindowRequest(tab, self._read_clock(), problem, event.get("url", ""))
        if self.is_opened_by_chromium(request):
            self._requests.append(request)
        elif request.shows_page:
            tab.effects.blocked[problem] += 1
        return request

    def is_opened_by_chromium(self, request: WindowRequest) -> bool:
        """Return whether Chromium opens a window that a page has asked for."""
        return not (self.chromium_blocks and request.problem == BY_ITSELF)

    def on_window_opened(self, tab: Tab, window: str) -> None:
        """Note that a window of a tab's page has appeared. `window`: the id of its target.

        Corrects the count if it was counted as blocked: a person allows this site all windows in their profile.
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
        """Forget requests without a window, and windows without a tab, that are older than _SECONDS."""
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

    `adopt` opens a tab for a page, `prepare` makes it ready for commands, `discard` closes it.
    """

    def __init__(
        self,
        tabs: TabTable,
        background: Background,
        *,
        adopt: Callable[[Page], Tab],
        prepare: Callable[[Tab], Awaitable[None]],
        discard: Callable[[Tab], None],
    ) -> None:
        self._tabs = tabs
        self._background = background
        self._adopt = adopt
        self._prepare = prepare
        self._discard = discard
        self._requests = WindowRequests()
        self._became_downloads: set[str] = set()
        """Ids of windows that were opened for a download and have no tab yet."""

    def attach(self, running: RunningBrowser, subscriber: Subscriber) -> None:
        """Set the window rules of this browser, and follow in `subscriber` which pages close."""
        subscriber.on_page_gone.append(self._on_page_closed)
        self._requests.chromium_blocks = not is_headless_shell(running.executable)
        self._requests.limits_actions = not running.may_have_person

    def watch(self, tab: Tab, target: Target) -> None:
        """Listen for windows that a tab's page requests and opens. `target`: the page's."""
        target.on_window_open = partial(self._on_window_requested, tab)
        target.on_window_opened = lambda window: self._requests.on_window_opened(tab, window.id)

    def _on_page_closed(self, page_id: str) -> None:
        """If the closed page was a window for a download without a tab, wake the command that waits for it.

        A full Chromium closes such a window by itself.
        """
        if page_id not in self._became_downloads:
            return
        self._became_downloads.discard(page_id)
        waits = (tab for tab in self._tabs if tab.effects.opening and not tab.effects.lacks_window)
        if clicked := next(waits, None):
            clicked.effects.note_opened()
            clicked.wake_waiters()

    def _on_window_requested(self, tab: Tab, event: dict[str, Any]) -> None:
        """Handle `Page.windowOpen`: make the action wait for the window, if that can show a page."""
        request = self._requests.note_request(tab, event)
        if request.shows_page and self._requests.is_opened_by_chromium(request):
            tab.effects.expect_window()
        elif is_external(request.url) and self._requests.limits_actions:
            tab.note_refusal(RefusedRequest(request.url, EXTERNAL_REFUSAL, is_page=False))
        tab.wake_waiters()

    def on_page(self, page: Page) -> None:
        """Make a tab of a page that gbrowse has not opened itself, or block it, in the background."""
        if page.is_closed():
            self._on_page_gone_early(page)
        elif self._tabs.find_by_page(page) is None:
            self._background.start(self._adopt_or_block(self._adopt(page)))

    def close_download_window(self, page_id: str, tab: Tab | None) -> None:
        """Close a window that was opened for a download, as Chromium does. Its headless shell does not."""
        if tab:
            self._discard(tab)
        else:
            self._became_downloads.add(page_id)

    async def _adopt_or_block(self, tab: Tab) -> None:
        """Make a window's tab ready, or block the window, and note the result for the tab that opened it."""
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
                self._block(tab, opener, problem)
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
            opener.effects.note_opened()
            opener.wake_waiters()

    def _on_page_gone_early(self, page: Page) -> None:
        """End the wait of the opener of a window that has closed before it got a tab."""
        opened_by = page.opener
        opener = self._tabs.find_by_page(opened_by) if opened_by else None
        if opener:
            self._requests.take_request(opener)
            opener.effects.note_opened()
            opener.wake_waiters()

    def _find_clicked_tab(self, window: Tab) -> Tab | None:
        """Return the tab in which a click is about to open a new window, as Ctrl+click on a link does.

        Chromium reports neither the opening of such a window nor its opener.
        """
        clicked = next((tab for tab in self._tabs if tab.effects.opening and tab is not window), None)
        if clicked:
            clicked.effects.note_opening_certain()
        return clicked

    async def _prepare_tab(self, tab: Tab, *, has_address: bool) -> None:
        """Prepare a new window's tab, unless the window was for a download. `has_address`: wait for its page."""
        await self._prepare(tab)
        if tab.world.frames.target.id in self._became_downloads:
            self._became_downloads.discard(tab.world.frames.target.id)
            self._discard(tab)
            return
        if has_address:  # a page that is slow is waited for by the first command that needs it
            target = tab.world.frames.target
            await tab.wait_until(
                lambda: target.is_ready or bool(tab.closed_reason) or tab.page.is_closed(), OPENING_SECONDS
            )

    async def _wait_until_shown(self, tab: Tab) -> None:
        """Wait until a window that a click opened shows a page, or proves to be for a download."""
        await tab.wait_load_adjusted(
            lambda: tab.id not in self._tabs or tab.page.is_closed() or tab.page.url not in NO_PAGE,
            OPENING_SECONDS,
        )

    async def _wait_for_redirect(self, tab: Tab) -> None:
        """Wait for a script that opens a window without an address and sets `location` in the same turn."""
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

    def _block(self, tab: Tab, opener: Tab | None, problem: str) -> None:
        """Close a window's tab, and count it under `problem` for the reply of its opener's command."""
        self._discard(tab)
        if opener:
            opener.effects.blocked[problem] += 1
