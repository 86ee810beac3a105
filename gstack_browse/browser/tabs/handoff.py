"""Shows a session's pages to a person, in a window, and takes them back with what the person did."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.launch.window import WindowOptions, default_display, default_window
from gstack_browse.browser.tabs import capture
from gstack_browse.browser.tabs.handoff_state import HandoffState
from gstack_browse.browser.tabs.session_state import SessionState
from gstack_browse.browser.tabs.session_transfer import Transfer, exchange
from gstack_browse.errors import ActionFailed

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.session import BrowserSession

LOOK_SECONDS = 2.0
"""Interval of reading the window's state while a person has it."""


async def hand_over(session: "BrowserSession", reason: str, display: str) -> SessionState:
    """Show the pages in a visible Chromium on `display` (default: the daemon's).

    Returns the state that was moved there. Raises SetupFailed if there is no usable display.
    """
    async with Transfer(session) as transfer:
        if session.handed:
            raise ActionFailed("The browser is with a person already", "Run 'resume' to take it back")
        look = WindowOptions(
            visible=True, display=display or default_display(), context=session.context_options
        )
        return await transfer.finish(_show(session, transfer, look, reason))


async def _show(
    session: "BrowserSession", transfer: Transfer, look: WindowOptions, reason: str
) -> SessionState:
    running, carried = await exchange(session, transfer, look)
    state = carried or await capture.state_of(session)
    session.handed = handed = HandoffState(reason, state)
    running.on_death = lambda what: _window_ended(session, handed)
    try:
        await transfer.move(running, state)
    except BaseException:
        session.handed = None
        raise
    session.background.start(_look_on(session, handed))
    return state


async def take_back(session: "BrowserSession") -> tuple[SessionState, bool]:
    """Go on without a window. Return the moved state, and whether the person had closed the window."""
    async with Transfer(session) as transfer:
        handed = session.handed
        if handed is None:
            raise ActionFailed("The browser was not handed to anybody", "'handoff' shows it to a person")
        return await transfer.finish(_return(session, transfer, handed))


async def _return(
    session: "BrowserSession", transfer: Transfer, handed: HandoffState
) -> tuple[SessionState, bool]:
    was_closed = handed.is_over or not session.tabs
    beside = next((other.running for other in session.others if not other.handed), None)
    if beside and not session.running.has_lasting_profile:
        running, carried = beside, None
    else:
        look = default_window(session.running.params.settings, session.context_options)
        running, carried = await exchange(session, transfer, look)
    state = carried or await capture.state_of(session)
    if not state.tabs:
        state = replace(state, tabs=handed.last_tabs())
    session.handed = None
    try:
        await transfer.move(running, state)
    except BaseException:
        session.handed = handed
        raise
    await session.tab_factory.present()
    return state, was_closed


def _window_ended(session: "BrowserSession", handed: HandoffState) -> None:
    """Remove the tabs after the person has ended the program, and remember them for `resume`."""
    if session.handed is not handed:
        return
    handed.is_over = True
    for tab in session.tabs:
        handed.closed(tab.state())
        tab.close_because("was closed by the person")
        session.tab_factory.forget(tab)


async def _look_on(session: "BrowserSession", handed: HandoffState) -> None:
    """Remember what the window shows, until it is taken back or closed."""
    while session.handed is handed and not handed.is_over:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            await capture.observe_tabs(session, handed)
        except ProtocolError:
            continue  # closed while its state was read
