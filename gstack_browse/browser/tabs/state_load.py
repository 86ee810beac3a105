"""Gives a running browser the state of a file, in the place of everything it has."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.tabs import capture
from gstack_browse.browser.tabs.session_state import SessionState, TabState
from gstack_browse.browser.tabs.session_transfer import Transfer, refuse_shared, start_like
from gstack_browse.browser.tabs.state_file import SavedState
from gstack_browse.errors import ActionFailed
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.launch.running import Running
    from gstack_browse.browser.tabs.session import BrowserSession


@dataclass
class Loaded:
    """What came of a load: how much there is now, and what it took the place of."""

    cookies: int
    origins: int
    tabs: int
    cookies_before: int
    left_out: Counter[tuple[str, str]]


async def load(session: "BrowserSession", saved: SavedState) -> Loaded:
    """Have cookies, storage and tabs of a file. Without tabs in there those that are open stay, and load again.

    Raises ActionFailed, with nothing changed, for what Chromium does not take.
    """
    refuse_shared(session)
    async with Transfer(session) as transfer:
        if session.handed:
            raise ActionFailed("The browser is with a person", "Run 'resume' first")
        running = session.running
        if running.is_lasting:
            raise ActionFailed(
                "The profile (BROWSE_PROFILE) holds logins of its own, which that would replace",
                "In a context beside it: gbrowse --as <name> state-load <file>",
            )
        if running.is_single:
            running = await start_like(running, running.look)
        return await transfer.finish(_load(session, transfer, running, saved))


async def _load(session: "BrowserSession", transfer: Transfer, running: "Running", saved: SavedState) -> Loaded:
    left = session.current.jar
    cookies_before = 0

    async def count() -> None:
        nonlocal cookies_before
        cookies_before = await capture.in_time(left.count(), capture.ANSWER_SECONDS) or 0

    before = await capture.without_storage(session)
    most = running.params.settings.max_tabs
    tabs = _placed(before, saved.tabs[:most])
    state = replace(
        before,
        storage={"cookies": saved.cookies, "origins": saved.origins},
        tabs=tabs or before.tabs,
        active=tabs[min(saved.active, most) - 1].id if tabs else before.active,
        imported=sorted({*before.imported, *saved.imported}),
    )
    session.tabs.reserve(max((tab.id + 1 for tab in state.tabs), default=1))
    await session.guard.opening(*(tab.url for tab in state.tabs))
    kept = {tab.id for tab in state.tabs}
    try:
        closing = [tab for tab in session.tabs if tab.id not in kept]
        refused = await transfer.move(running, state, closing=closing, leaving=count)
    except PlaywrightError as error:
        why = one_line(error.message, 200)
        raise ActionFailed(f"Chromium did not take the state: {why}", "Nothing was changed") from None
    session.imported = set(state.imported)
    left_out = Counter(saved.left_out)
    left_out["cookie", "rejected by Chromium"] += refused
    left_out["tab", "beyond those that may be open (BROWSE_MAX_TABS)"] += max(len(saved.tabs) - most, 0)
    return Loaded(len(saved.cookies) - refused, len(saved.origins), len(tabs), cookies_before, +left_out)


def _placed(before: SessionState, tabs: list[TabState]) -> list[TabState]:
    """The tabs of a file under the numbers of those that are open, and new ones beyond. Refs go on from those."""
    places = sorted(before.tabs, key=lambda tab: tab.id)
    placed = []
    for at, tab in enumerate(tabs):
        if at < len(places):
            placed.append(replace(tab, id=places[at].id, following=places[at].following))
        else:
            placed.append(replace(tab, id=before.next_id + at - len(places), following=before.first_refs))
    return placed
