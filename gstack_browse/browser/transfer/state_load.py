"""Gives a running browser the state of a file, in the place of everything it has."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.session.current_context import OpenContext, close
from gstack_browse.browser.state.cookie_jar import MOST_AT_ONCE, CookieJar
from gstack_browse.browser.state.session_state import SessionState, TabState
from gstack_browse.browser.state.state_file import SavedState, check_cookies
from gstack_browse.browser.transfer import capture
from gstack_browse.browser.transfer.session_transfer import Transfer, refuse_shared, start_like
from gstack_browse.errors import ActionFailed
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.launch.running import RunningBrowser
    from gstack_browse.browser.session.session import BrowserSession


@dataclass
class Loaded:
    """The result of a load: how much there is now."""

    cookies: int
    origins: int
    tabs: int
    left_out: Counter[tuple[str, str]]


async def load(session: "BrowserSession", saved: SavedState) -> Loaded:
    """Load cookies, storage and tabs of a state file into the session.

    If the file has no tabs, the open ones stay and load again. Raises ActionFailed if Chromium rejects the state;
    nothing is changed then.
    """
    refuse_shared(session)
    async with Transfer(session) as transfer:
        if session.handed:
            raise ActionFailed("The browser is with a person", "Run 'resume' first")
        running = session.running
        if running.has_lasting_profile:
            raise ActionFailed(
                "The profile (BROWSE_PROFILE) holds logins of its own, which that would replace",
                "In a context beside it: gbrowse --as <name> state-load <file>",
            )
        if running.has_single_context:
            running = await start_like(running, running.window)
        return await transfer.finish(_load_checked(session, transfer, running, saved))


async def _load_checked(
    session: "BrowserSession", transfer: Transfer, running: "RunningBrowser", saved: SavedState
) -> Loaded:
    """Load a saved state: check it while the present state is captured, then move the session."""
    making = None
    checking = session.background.start(check(saved))
    if running is session.running and not saved.origins:
        making = session.background.start(begin_context(session, saved, checking))
    try:
        before, _ = await asyncio.gather(capture.capture_without_storage(session), checking)
        return await _move(session, transfer, running, saved, before, making)
    finally:
        if making:
            session.background.start(forget_unused(session, making))


async def begin_context(
    session: "BrowserSession", saved: SavedState, checking: "asyncio.Task[None]"
) -> OpenContext:
    """Make a browser context for a state file, with one page if the file has tabs.

    `checking`: the task of `check`; each cookie is put in once it is checked. Raises ProtocolError.
    """
    running = session.running
    context = await session.new_context()
    jar = CookieJar(running.connection, context.id)
    putting = session.background.start(jar.put_as_they_come(_yield_checked_cookies(saved, checking)))
    if session.name:  # until this session listens there: events of unclaimed contexts go to the default session
        running.connection.events.mute_context(context.id)
    coming = session.background.start(context.new_page()) if saved.tabs else None
    return OpenContext(running, context, coming, putting)


async def _yield_checked_cookies(
    saved: SavedState, checking: "asyncio.Task[None]"
) -> AsyncIterator[Sequence[Mapping[str, object]]]:
    """Yield a file's cookies in lists, each as soon as `checking` (the task of `check`) has checked it."""
    given, is_over = 0, False
    while not is_over:
        is_over = checking.done()
        while len(saved.cookies) >= given + (1 if is_over else MOST_AT_ONCE):
            yield saved.cookies[given : given + MOST_AT_ONCE]
            given += MOST_AT_ONCE
        await asyncio.sleep(0)


async def forget_unused(session: "BrowserSession", making: "asyncio.Task[OpenContext]") -> None:
    """Close the browser context that `making` returns, unless the session has moved to it."""
    with suppress(ProtocolError):  # making it failed, which its waiter has reported
        made = await making
        if session.context is not made.context:
            for task in (made.coming, made.putting):
                if task:
                    task.cancel()
            await close(made)


async def check(saved: SavedState) -> None:
    """Check the cookies of a file while Chromium and its pages do other work."""
    for _ in check_cookies(saved):
        await asyncio.sleep(0)


async def _move(
    session: "BrowserSession",
    transfer: Transfer,
    running: "RunningBrowser",
    saved: SavedState,
    before: SessionState,
    making: "asyncio.Task[OpenContext] | None",
) -> Loaded:
    """Move the session to `running` with the file's contents, into the context being made, if any."""
    most = running.params.settings.max_tabs
    tabs = _number_tabs(before, saved.tabs[:most])
    state = replace(
        before,
        storage={"cookies": saved.cookies, "origins": saved.origins},
        tabs=tabs or before.tabs,
        active=tabs[min(saved.active, most) - 1].id if tabs else before.active,
        imported=sorted({*before.imported, *saved.imported}),
    )
    session.tabs.reserve(max((tab.id + 1 for tab in state.tabs), default=1))
    await session.guard.prepare_opening(*(tab.url for tab in state.tabs))
    kept = {tab.id for tab in state.tabs}
    try:
        closing = [tab for tab in session.tabs if tab.id not in kept]
        spare = await making if making else None
        if spare and not tabs:
            refused = await transfer.settle(state, spare, closing)
        else:
            refused = await transfer.move(running, state, closing=closing, spare=spare)
    except ProtocolError as error:
        why = one_line(error.message, 200)
        raise ActionFailed(f"Chromium did not take the state: {why}", "Nothing was changed") from None
    session.imported = set(state.imported)
    left_out = Counter(saved.left_out)
    left_out["cookie", "rejected by Chromium"] += refused
    left_out["tab", "beyond those that may be open (BROWSE_MAX_TABS)"] += max(len(saved.tabs) - most, 0)
    return Loaded(len(saved.cookies) - refused, len(saved.origins), len(tabs), +left_out)


def _number_tabs(before: SessionState, tabs: list[TabState]) -> list[TabState]:
    """Give a file's tabs the numbers of open tabs, then new ones. Refs continue from the open tabs' refs."""
    places = sorted(before.tabs, key=lambda tab: tab.id)
    placed = []
    for at, tab in enumerate(tabs):
        if at < len(places):
            placed.append(replace(tab, id=places[at].id, following=places[at].following))
        else:
            placed.append(replace(tab, id=before.next_id + at - len(places), following=before.first_refs))
    return placed
