"""Moves the session elsewhere: to a context with another user agent, to a window for a person, and back.

Cookies, storage, tabs and their numbers come along (see `carry`); pages are loaded anew. Every tab's lane is held
meanwhile, so that no command ever sees half of it.
"""

import asyncio
import os
import platform
from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from playwright.async_api import BrowserContext
from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser.engine.world import FrameGone, PageScriptError
from gstack_browse.browser.launch import launch
from gstack_browse.browser.launch.launch import Look, Running
from gstack_browse.browser.tabs import session_state
from gstack_browse.browser.tabs.handoff_state import HandoffState
from gstack_browse.browser.tabs.session_state import SessionState, TabState
from gstack_browse.errors import ActionFailed, SetupFailed, TimedOut

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.session import BrowserSession
    from gstack_browse.browser.tabs.tab import Tab

Result = TypeVar("Result")

BUSY_SECONDS = 20.0
"""How long a command that runs in a tab is waited for."""
OTHERS_SECONDS = 3.0
"""How long pages in the background are waited for; the active one is waited for in any case."""
LOOK_SECONDS = 2.0
"""How often the window is looked at while a person has it."""


async def change_user_agent(session: "BrowserSession", user_agent: str) -> None:
    """Tell pages another user agent, "" for Chromium's own."""
    async with _Lanes(session) as lanes:
        running = session.running
        if running.is_single:
            running = await _start(session, replace(running.look, user_agent=user_agent))
        await lanes.finish(_change(session, lanes, running, user_agent))


async def _change(session: "BrowserSession", lanes: "_Lanes", running: Running, user_agent: str) -> None:
    before, session.user_agent = session.user_agent, user_agent
    try:
        await lanes.move(running)
    except BaseException:
        session.user_agent = before
        raise


async def hand_over(session: "BrowserSession", reason: str, display: str) -> SessionState:
    """Show the pages in a visible Chromium on `display` (default: the daemon's). Returns what was carried over.

    Raises SetupFailed when there is no display, or none that can be used.
    """
    async with _Lanes(session) as lanes:
        if session.handed:
            raise ActionFailed("The browser is with a person already", "Run 'resume' to take it back")
        look = Look(visible=True, display=display or default_display(), user_agent=session.user_agent)
        running = await _start(session, look)
        return await lanes.finish(_show(session, lanes, running, reason))


async def _show(session: "BrowserSession", lanes: "_Lanes", running: Running, reason: str) -> SessionState:
    carried = await session_state.capture(session)
    session.handed = handed = HandoffState(reason, carried)
    running.died = lambda what: _window_ended(session, handed)
    try:
        await lanes.move(running, carried)
    except BaseException:
        session.handed = None
        raise
    session.later(_look_on(session, handed))
    return carried


async def take_back(session: "BrowserSession") -> tuple[SessionState, bool]:
    """Go on without a window. Returns what was carried over, and whether the person had closed the window."""
    async with _Lanes(session) as lanes:
        handed = session.handed
        if handed is None:
            raise ActionFailed("The browser was not handed to anybody", "'handoff' shows it to a person")
        running = await _start(session, Look(user_agent=session.user_agent))
        return await lanes.finish(_return(session, lanes, running, handed))


async def _return(
    session: "BrowserSession", lanes: "_Lanes", running: Running, handed: HandoffState
) -> tuple[SessionState, bool]:
    was_closed = handed.is_over or not session.tabs
    carried = await session_state.capture(session)
    if not carried.tabs:
        carried = replace(carried, tabs=handed.last_tabs())
    session.handed = None
    try:
        await lanes.move(running, carried)
    except BaseException:
        session.handed = handed
        raise
    await session.present()
    return carried, was_closed


def default_display() -> str:
    """The display in the daemon's environment. Raises SetupFailed where a window needs one and there is none."""
    display = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY") or ""
    if not display and platform.system() != "Darwin":
        raise SetupFailed(
            "There is no display to show a window on",
            "On a desktop, name it: handoff --display :0\n"
            "On a server, run a virtual one that a person can look at, for example:\n"
            "  Xvfb :99 & x11vnc -display :99 -localhost &    (apt-get install xvfb x11vnc)\n"
            "then: handoff --display :99",
        )
    return display


async def _start(session: "BrowserSession", look: Look) -> Running:
    """Another browser like the running one, but for `look`."""
    origin = session.running.origin
    return await launch.start(origin.settings, lambda line: None, origin.died, look)


class _Lanes:
    """All lanes of a session, held; `move` lets each go when its tab's page is there again. One move at a time."""

    def __init__(self, session: "BrowserSession") -> None:
        self._session = session
        self._held: dict[int, Tab] = {}
        self._task: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> "_Lanes":
        await self._session.moving.acquire()
        try:
            for tab in list(self._session.tabs.values()):
                await _acquire(tab)
                self._held[tab.id] = tab
        except BaseException:
            self._release()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task and not self._task.done():
            self._task.add_done_callback(lambda _: self._release())
        else:
            self._release()

    def _release(self) -> None:
        for tab in self._held.values():
            tab.lane.release()
        self._held.clear()
        self._session.moving.release()

    async def finish(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Do `work` to its end, with the lanes held until then, even when the client has gone."""
        self._task = task = self._session.later(work)
        return await asyncio.shield(task)

    async def move(self, running: Running, carried: SessionState | None = None) -> None:
        """Move the session to `running`, which may be the one it is in, and wait for the active page.

        A browser that was started for it is ended again when that fails.
        """
        session = self._session
        old, old_context = session.running, session.context
        try:
            carried = carried or await session_state.capture(session)
            await session.rehouse(running, carried)
        except BaseException:
            if running is not old:
                await running.close()
            raise
        loads = {item.id: await self._load(item) for item in carried.active_first()}
        await _leave(old, old_context if running is old else None)
        if loads:
            await asyncio.wait(loads.values(), timeout=OTHERS_SECONDS)
        if session.active in loads:
            await loads[session.active]

    async def _load(self, item: TabState) -> "asyncio.Task[None]":
        tab = self._held.pop(item.id, None)
        if tab is None:
            tab = self._session.tabs[item.id]
            await tab.lane.acquire()
        return self._session.reload(tab, item)


async def _acquire(tab: "Tab") -> None:
    """Wait for the command that runs in a tab. Raises TimedOut, naming it, when it goes on for too long."""
    try:
        async with asyncio.timeout(BUSY_SECONDS):
            await tab.lane.acquire()
    except TimeoutError:
        raise TimedOut(
            f"Tab {tab.id} is busy with '{tab.running or 'loading'}'",
            f"Wait for it, or end it with 'closetab {tab.id}'",
        ) from None


async def _leave(old: Running, context: BrowserContext | None) -> None:
    """Close what the session has moved out of: one context, or the whole browser."""
    if context is None:
        await old.close()
        return
    try:
        await context.close()
    except PlaywrightError:
        return  # it was gone already


def _window_ended(session: "BrowserSession", handed: HandoffState) -> None:
    """The person ended the program: its tabs are gone, and remembered for `resume`."""
    if session.handed is not handed:
        return
    handed.is_over = True
    for tab in list(session.tabs.values()):
        handed.closed(TabState.of(tab))
        tab.fate = "was closed by the person"
        session.forget(tab)


async def _look_on(session: "BrowserSession", handed: HandoffState) -> None:
    """Remember what the window shows, until it is taken back or closed."""
    while session.handed is handed and not handed.is_over:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            await _look(session, handed)
        except PlaywrightError:
            continue  # closed while it was looked at


async def _look(session: "BrowserSession", handed: HandoffState) -> None:
    handed.saw_cookies(list(await session.context.cookies()))
    local: dict[str, dict[str, str]] = {}
    tabs = [await _seen(tab, local) for tab in list(session.tabs.values())]
    if all(tab.id in session.tabs for tab in tabs):
        handed.saw(tabs, local, active=session.active, next_id=session.next_id)


async def _seen(tab: "Tab", local: dict[str, dict[str, str]]) -> TabState:
    """A tab as it is now; the local storage of its origin goes to `local`."""
    seen = TabState.of(tab)
    try:
        async with asyncio.timeout(1):
            found = await tab.world.call("sessionItems")
            areas = await tab.world.call("storage")
    except (TimeoutError, PlaywrightError, PageScriptError, FrameGone):
        return seen
    seen.origin, seen.items = found["origin"], found["items"]
    if areas and found["origin"]:
        local[found["origin"]] = areas["localStorage"]
    return seen
