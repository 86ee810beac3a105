"""Tabs for windows that pages open."""

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
class Window:
    """A window of a tab's page before it has come. `at` is the time in the event loop's clock."""

    tab: Tab
    at: float

    @property
    def deadline(self) -> float:
        """Return when to stop expecting the window, in the event loop's clock."""
        return self.at + _SECONDS


@dataclass(frozen=True, eq=False)
class WindowAsked(Window):
    """A page's request for a window.

    `problem` says why the page does not get it, to be put behind the word for it; "" if it does. `url` is the window's address;
    "" if it has none.
    """

    problem: str
    url: str

    @property
    def leads(self) -> bool:
        """Return whether the window is to load an address."""
        return self.url not in NO_PAGE

    @property
    def shows_page(self) -> bool:
        """Return whether the window can show a page.

        Chromium shows no window of `data:`, nor for an external program.
        """
        return not (self.url.lower().startswith("data:") or is_external(self.url))


@dataclass(frozen=True, eq=False)
class WindowCame(Window):
    """A page has opened a window, whose target has this id."""

    id: str


class Popups:
    """Tells the one window that a person's input opens from other windows that scripts open."""

    def __init__(self) -> None:
        self.chromium_blocks = False
        """Whether Chromium itself blocks windows that a page opens by itself."""
        self.limits_actions = True
        """Whether an action may open one window only. A person who uses the browser, too, may open any number."""
        self._asked: deque[WindowAsked] = deque()
        self._came: deque[WindowCame] = deque()

    def note_request(self, tab: Tab, event: dict[str, Any]) -> WindowAsked:
        """Record a page's request for a window (`Page.windowOpen`), unless Chromium blocks the window."""
        problem = "" if event["userGesture"] else BY_ITSELF
        if not problem and not tab.effects.use_window_permit() and self.limits_actions:
            problem = SURPLUS
        asked = WindowAsked(tab, self._read_clock(), problem, event.get("url", ""))
        if self.will_come(asked):
            self._asked.append(asked)
        elif asked.shows_page:
            tab.effects.blocked[problem] += 1
        return asked

    def will_come(self, asked: WindowAsked) -> bool:
        """Return whether Chromium opens a window that a page has asked for."""
        return not (self.chromium_blocks and asked.problem == BY_ITSELF)

    def on_window_opened(self, tab: Tab, window: str) -> None:
        """Note that a window of a tab's page has appeared. `window` is the id of its target.

        Corrects the count if it was counted as blocked: a person allows this site all windows in their profile.
        """
        if self.chromium_blocks and not any(asked.tab is tab for asked in self._asked):
            tab.effects.blocked[BY_ITSELF] = max(tab.effects.blocked[BY_ITSELF] - 1, 0)
        self._came.append(WindowCame(tab, self._read_clock(), window))

    def take_request(self, opener: Tab | None, window: str = "") -> WindowAsked | None:
        """Take the record of the request for a new window; None if the page asked for none.

        A page that hides its origin has no opener. The first window that came is the first that was asked for.
        """
        self._forget()
        came = next((came for came in self._came if came.id == window), None)
        before = 0
        if came:
            opener = came.tab
            before = sum(other.tab is opener for other in islice(self._came, self._came.index(came)))
            self._came.remove(came)
        asked = [entry for entry in self._asked if opener is None or entry.tab is opener][: before + 1]
        if not asked:
            return None
        self._asked.remove(asked[-1])
        return asked[-1]

    def _forget(self) -> None:
        """Drop windows that have not appeared in time."""
        windows: deque[WindowAsked] | deque[WindowCame]
        for windows in (self._asked, self._came):
            while windows and windows[0].deadline < self._read_clock():
                windows.popleft()

    @staticmethod
    def _read_clock() -> float:
        """Return the time of the event loop, in seconds."""
        return asyncio.get_running_loop().time()


OPENING_SECONDS = 2.0
"""Time limit for the first document of a page's window before the window counts as open."""


class PopupWindows:
    """Adopts windows that pages open as tabs, and closes those that pages may not open: see `popups`.

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
        self._asked = Popups()
        self._became_downloads: set[str] = set()
        """Ids of windows that were opened for a download and have no tab yet."""

    def attach(self, running: RunningBrowser, heard: Subscriber) -> None:
        """Set the window rules of this browser, and follow in `heard` which pages close."""
        heard.on_page_gone.append(self._on_page_closed)
        self._asked.chromium_blocks = not is_headless_shell(running.executable)
        self._asked.limits_actions = not running.may_have_person

    def watch(self, tab: Tab, target: Target) -> None:
        """Follow the windows that a tab's page asks for and opens."""
        target.on_window_open = partial(self._on_window_asked, tab)
        target.on_window_opened = lambda window: self._asked.on_window_opened(tab, window.id)

    def _on_page_closed(self, page_id: str) -> None:
        """Wake the command that waits for a window, if that was for a download and closed without a tab.

        A full Chromium closes such a window by itself.
        """
        if page_id not in self._became_downloads:
            return
        self._became_downloads.discard(page_id)
        waits = (tab for tab in self._tabs if tab.effects.opening and not tab.effects.lacks_window)
        if clicked := next(waits, None):
            clicked.effects.note_opened()
            clicked.wake_waiters()

    def _on_window_asked(self, tab: Tab, event: dict[str, Any]) -> None:
        """Note that a page asks for a window. Its tab appears a moment later, if it can show anything."""
        asked = self._asked.note_request(tab, event)
        if asked.shows_page and self._asked.will_come(asked):
            tab.effects.expect_window()
        elif is_external(asked.url) and self._asked.limits_actions:
            tab.note_refusal(RefusedRequest(asked.url, EXTERNAL_REFUSAL, is_page=False))
        tab.wake_waiters()

    def on_page(self, page: Page) -> None:
        """Make a tab for a page that gbrowse has not opened itself."""
        if page.is_closed():
            self._on_missed_page(page)
        elif self._tabs.of_page(page) is None:
            self._background.start(self._handle_window(self._adopt(page)))

    def close_download_window(self, page_id: str, tab: Tab | None) -> None:
        """Close a window that was opened for a download, as Chromium does. Its headless shell does not."""
        if tab:
            self._discard(tab)
        else:
            self._became_downloads.add(page_id)

    async def _handle_window(self, tab: Tab) -> None:
        """Make a tab of a window that a page opened, or block it."""
        opener: Tab | None = None
        clicked: Tab | None = None
        try:
            page = tab.page.opener
            opener = self._tabs.of_page(page) if page else None
            asked = self._asked.take_request(opener, tab.page.target.id)
            clicked = None if opener or asked else self._find_clicked_tab(tab)
            opener = opener or clicked or (asked.tab if asked else None)
            tab.is_led = asked.leads if asked else clicked is not None
            if asked and not asked.shows_page and self._asked.limits_actions:  # else a person is asked there
                self._discard(tab)
                return  # nobody waits for it
            if problem := self._refusal_reason(asked):
                self._block(tab, opener, problem)
            else:
                await self._prepare_tab(tab, is_led=asked is None or asked.leads)
                if asked is None:
                    await self._wait_until_shown(tab)
                elif not asked.leads:
                    await self._wait_for_redirect(tab)
        except ProtocolError:  # the page closed again before it was ready
            if opener is None:
                asked = self._asked.take_request(None, tab.page.target.id)
                opener = asked.tab if asked else self._find_clicked_tab(tab)
        if opener:
            tab.opener, tab.is_popup = opener.id, clicked is None
            opener.effects.note_opened()
            opener.wake_waiters()

    def _on_missed_page(self, page: Page) -> None:
        """Handle a page that closed while another was being made: stop its opener's wait.

        No later event would report it, and its tab would stay for ever.
        """
        opened_by = page.opener
        opener = self._tabs.of_page(opened_by) if opened_by else None
        if opener:
            self._asked.take_request(opener)
            opener.effects.note_opened()
            opener.wake_waiters()

    def _find_clicked_tab(self, window: Tab) -> Tab | None:
        """Return the tab whose link was clicked for a new window, as with Ctrl.

        Chromium reports neither the opening of such a window nor its opener.
        """
        clicked = next((tab for tab in self._tabs if tab.effects.opening and tab is not window), None)
        if clicked:
            clicked.effects.note_opening_certain()
        return clicked

    async def _prepare_tab(self, tab: Tab, *, is_led: bool) -> None:
        """Prepare a new window's tab, unless the window was for a download. `is_led`: wait for its page."""
        await self._prepare(tab)
        if tab.world.frames.target.id in self._became_downloads:
            self._became_downloads.discard(tab.world.frames.target.id)
            self._discard(tab)
            return
        if is_led:  # a page that is slow is waited for by the first command that needs it
            target = tab.world.frames.target
            await tab.wait_until(
                lambda: target.is_ready or bool(tab.closed_reason) or tab.page.is_closed(), OPENING_SECONDS
            )

    async def _wait_until_shown(self, tab: Tab) -> None:
        """Wait until a window that a click opened shows a page, or proves to be for a download."""
        await tab.in_time(
            lambda: tab.id not in self._tabs or tab.page.is_closed() or tab.page.url not in NO_PAGE,
            OPENING_SECONDS,
        )

    async def _wait_for_redirect(self, tab: Tab) -> None:
        """Wait until the opening script has given a window without an address another one, in the same turn."""
        with suppress(FrameGone, PageScriptError, TimeoutError):
            async with asyncio.timeout(OPENING_SECONDS):
                await tab.work.unless_asked(tab.world.wait_event_loop_turn())
                await tab.wait_until(lambda: bool(tab.question) or not tab.requests.is_navigating)

    def _refusal_reason(self, asked: WindowAsked | None) -> str:
        """Return why a window is closed at once, as the end of a sentence; "" if it stays."""
        if asked and asked.problem:
            return asked.problem
        if len(self._tabs) > self._tabs.most:
            return f"more: {self._tabs.most} tabs are open, as many as may be (BROWSE_MAX_TABS)"
        return ""

    def _block(self, tab: Tab, opener: Tab | None, problem: str) -> None:
        """Close a window, and count it for the reply of its opener's command."""
        self._discard(tab)
        if opener:
            opener.effects.blocked[problem] += 1
