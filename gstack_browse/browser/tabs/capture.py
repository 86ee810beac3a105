"""Takes from a browser what a person would miss in the next: cookies, storage, tabs and their numbers.

Everything stays in memory. Pages are loaded anew, so what was typed into them and their history is not taken along.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gstack_browse.browser.cdp.patience import ANSWERS
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.tabs.session_state import SessionState, TabState
from gstack_browse.browser.tabs.tab import Tab

if TYPE_CHECKING:
    from gstack_browse.browser.launch.connect import ExternalBrowser
    from gstack_browse.browser.tabs.session import BrowserSession

T = TypeVar("T")

ANSWER_SECONDS = 1.5
"""How long a page may take to answer before its script is stopped."""
SURE_SECONDS = 5.0
"""How long what nothing keeps from answering may take: the browser, and a page whose script was stopped. A busy machine takes seconds."""
STORAGE_SECONDS = 10.0
"""Playwright opens a page for every origin that no tab shows."""


async def state_of(session: "BrowserSession") -> SessionState:
    """The state of a browser. A page that hangs has its script stopped, and an open dialog is dismissed.

    A browser that does not answer at all costs what it does not tell, but no more than some seconds. Of a window that a
    person has closed the state is what was last seen of it.
    """
    if session.handed and session.handed.is_over:
        return session.handed.left()
    if session.running.is_shared:
        return await in_place(session)
    if not await _is_adopted(session, ANSWER_SECONDS):
        await asyncio.gather(*(_free(tab) for tab in session.tabs))
    return _described(session, *await _ask(session))


async def _is_adopted(session: "BrowserSession", seconds: float) -> bool:
    """Whether Playwright has all pages by then. It alone tells what other origins keep, and a page that hangs keeps it waiting."""
    await in_time(session.until_adopted(), seconds)
    return not any(tab.is_early and not tab.closed_reason for tab in session.tabs)


async def early_state_of(session: "BrowserSession") -> SessionState:
    """The same of a browser that Playwright does not get in time: what the pages that are open tell themselves. One that hangs has its script stopped."""
    tabs = list(session.tabs)
    kept = await asyncio.gather(*(_freed(tab) for tab in tabs))
    cookies = await in_time(session.current.jar.cookies(), SURE_SECONDS)
    origins = _origins(session, kept)
    missing = "cookies and storage" if cookies is None else "local storage" if origins is None else ""
    return _described(
        session, {"cookies": cookies or [], "origins": origins or []}, _states(tabs, kept), missing
    )


async def without_storage(session: "BrowserSession") -> SessionState:
    """The same, as if there were no cookies and no storage but that of the tabs themselves."""
    await in_time(session.until_adopted(), ANSWER_SECONDS)
    tabs = await asyncio.gather(*(_capture_tab(tab) for tab in session.tabs))
    return _described(session, {"cookies": [], "origins": []}, tabs, "")


async def in_place(session: "BrowserSession") -> SessionState:
    """The same of a person's own browser, which goes on: nothing is taken from it but what our tabs are called."""
    told = [_placed(tab) for tab in session.tabs if tab.is_prepared]
    running = cast("ExternalBrowser", session.running)
    described = _described(session, {"cookies": [], "origins": []}, told, "")
    return replace(described, connected=running.endpoint.address)


def _placed(tab: Tab) -> TabState:
    return replace(tab.state(), target=tab.world.frames.target.id, is_taken=tab.is_taken)


async def seen_of(session: "BrowserSession") -> SessionState:
    """The same, without disturbing anything: a page that hangs or waits for an answer does so afterwards, too."""
    adopted = await _is_adopted(session, ANSWER_SECONDS)
    there = list(session.tabs)
    looking = asyncio.gather(*(_kept_by(tab, ANSWER_SECONDS) for tab in there))
    kept, cookies = await asyncio.gather(looking, in_time(session.current.jar.cookies(), STORAGE_SECONDS))
    tabs, origins = _states(there, kept), _origins(session, kept)
    if cookies is not None and origins is not None:
        return _described(session, {"cookies": cookies, "origins": origins}, tabs, "")
    whole = await _whole(session) if adopted else None
    return _described(
        session, whole or {"cookies": [], "origins": []}, tabs, "" if whole else "cookies and storage"
    )


def _states(tabs: Sequence[Tab], kept: Sequence[dict[str, Any] | None]) -> list[TabState]:
    """What becomes of tabs, whose pages tell that they keep this. One that was not loaded again since a restart stays what it was to become."""
    return [tab.restored or _state(tab, found) for tab, found in zip(tabs, kept, strict=True)]


def _origins(session: "BrowserSession", kept: Sequence[dict[str, Any] | None]) -> list[dict[str, Any]] | None:
    """See `pages_storage`; None also where nobody knows where pages have been."""
    visited = session.current.visited_origins
    return None if visited is None else pages_storage(visited, kept)


def pages_storage(visited: set[str], kept: Sequence[dict[str, Any] | None]) -> list[dict[str, Any]] | None:
    """Playwright's list of origins with what they keep, where the pages that are open tell all of it.

    None where a page did not answer, keeps databases, or where an origin was visited that none of them is of: Playwright has
    ways to ask those. `kept` is what scripts/kept.js says of each page.
    """
    told = {found["origin"]: found["local"] for found in kept if found and found.get("databases") == 0}
    if None in kept or not visited <= told.keys():
        return None
    return [
        {"origin": origin, "localStorage": told[origin], "indexedDB": []}
        for origin in told
        if origin in visited and told[origin]
    ]


def _described(
    session: "BrowserSession", storage: dict[str, Any], tabs: list[TabState], missing: str
) -> SessionState:
    return SessionState(
        storage,
        tabs,
        session.tabs.active,
        session.tabs.next_id,
        departed=session.tabs.departures.untold,
        downloads=session.downloads.record(),
        missing=missing,
        **settings_of(session),
    )


def settings_of(session: "BrowserSession") -> dict[str, Any]:
    """What a browser was told beside its storage and its tabs, by the names of SessionState."""
    return {
        "viewport": (session.screen.size.width, session.screen.size.height),
        "scale": session.screen.scale,
        "user_agent": session.user_agent,
        "mobile": session.screen.mobile,
        "emulation": session.emulation.as_dict(),
        "dialogs": astuple(session.dialogs.policy),
        "imported": sorted(session.imported),
        "revealed": session.revealed.values,
        "extras": session.extras.state(),
        "shaping": session.shaping.state(),
        "throttle": session.conditions.throttle.as_dict(),
        "init_scripts": session.init_scripts.state(),
        "loaded_html": session.loaded_html.state([tab.url for tab in session.tabs]),
        "first_refs": session.reserve.first,
        "requests": session.logs.network.total,
        "shared_from": session.shared_from,
    }


async def _ask(session: "BrowserSession") -> tuple[dict[str, Any], list[TabState], str]:
    """The storage state, the tabs, and what is missing. The cookies come first: a browser that hangs has none."""
    tabs = list(session.tabs)
    cookies = await in_time(session.current.jar.cookies(), SURE_SECONDS)
    if cookies is None:
        unasked = [tab.restored or tab.state() for tab in tabs]
        return {"cookies": [], "origins": []}, unasked, "cookies and storage"
    asked = await asyncio.gather(*(_capture_tab(tab) for tab in tabs))
    whole = await _whole(session) if await _is_adopted(session, SURE_SECONDS) else None
    if whole is None:
        return {"cookies": cookies, "origins": []}, asked, "local storage"
    silent = [
        f"session storage of tab {tab.id}"
        for tab, found in zip(tabs, asked, strict=True)
        if _is_silent(tab, found)
    ]
    return whole, asked, ", ".join(silent)


async def _whole(session: "BrowserSession") -> Any:
    """Playwright's storage state; None where it does not come."""
    return await in_time(session.context.storage_state(indexed_db=True), STORAGE_SECONDS)


_WITHOUT_ORIGIN = ("about:", "data:")


def _is_silent(tab: Tab, found: TabState) -> bool:
    """Whether a page that is there has not told what it keeps. A page without an origin keeps nothing."""
    return not (found.origin or tab.restored or tab.closed_reason or found.url.startswith(_WITHOUT_ORIGIN))


async def in_time(work: Awaitable[T], seconds: float) -> T | None:
    """What comes of asking the browser or a page; None when it fails or takes too long."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except (TimeoutError, PlaywrightError, PageScriptError, FrameGone):
        return None


async def _capture_tab(tab: Tab) -> TabState:
    if tab.restored:
        return tab.restored
    found = None if tab.question else await _session_storage(tab, ANSWER_SECONDS)
    if found is None:
        await _free(tab)
        found = await _session_storage(tab, SURE_SECONDS)
    return _state(tab, found)


async def _kept_by(tab: Tab, seconds: float) -> dict[str, Any] | None:
    """What scripts/kept.js says; None where a page does not answer, or is only being loaded again."""
    if tab.restored or tab.question:
        return None
    return await in_time(tab.world.kept(everything=True), seconds)


async def _freed(tab: Tab) -> dict[str, Any] | None:
    """The same, of a page that hangs once nothing keeps it from answering."""
    found = await _kept_by(tab, ANSWER_SECONDS)
    if found or tab.restored:
        return found
    await _free(tab)
    return await _kept_by(tab, SURE_SECONDS)


def _state(tab: Tab, found: dict[str, Any] | None) -> TabState:
    state = tab.state()
    if found:
        state.origin, state.items = found["origin"], found["items"]
    return state


async def _session_storage(tab: Tab, seconds: float) -> dict[str, Any] | None:
    """What scripts/kept.js says; None when the page does not answer."""
    return await in_time(tab.world.kept(), seconds)


async def _free(tab: Tab) -> None:
    """End what keeps a page from answering: a dialog, or a script that never returns. Not where the page answers: the machine is slow."""
    if tab.page.is_closed() or not (tab.question or await tab.world.stays_silent(ANSWERS)):
        return
    if await in_time(_dismiss(tab), ANSWER_SECONDS) is None:
        await in_time(tab.world.terminate(), ANSWER_SECONDS)  # no dialog is open


async def _dismiss(tab: Tab) -> dict[str, Any]:
    await tab.world.frames.open()
    return await tab.world.frames.target.observed.send("Page.handleJavaScriptDialog", {"accept": False})
