"""Takes from a browser what a person would miss in the next: cookies, storage, tabs and their numbers.

Everything stays in memory. Pages are loaded anew, so what was typed into them and their history is not taken along.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.patience import ANSWERS
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.tabs.session_state import SessionState, TabState
from gstack_browse.browser.tabs.tab import Tab

if TYPE_CHECKING:
    from gstack_browse.browser.launch.connect import ExternalBrowser
    from gstack_browse.browser.tabs.session import BrowserSession

T = TypeVar("T")

ANSWER_SECONDS = 1.5
"""Time limit for a page to answer before its script is stopped."""
SURE_SECONDS = 5.0
"""Time limit for the browser, and for a page whose script was stopped. A busy machine takes seconds."""
STORAGE_SECONDS = 10.0
"""Time limit for Playwright's storage state. Playwright opens a page for every origin that no tab shows."""


async def state_of(session: "BrowserSession") -> SessionState:
    """Return the state of a browser. Stop scripts of pages that hang, and dismiss open dialogs.

    If the browser does not answer, the state lacks what it did not report; that takes some seconds at most. If a person has
    closed the window, the state is what was last seen of it.
    """
    if session.handed and session.handed.is_over:
        return session.handed.left()
    if session.running.is_shared:
        return await in_place(session)
    if not await _is_adopted(session, ANSWER_SECONDS):
        await asyncio.gather(*(_free(tab) for tab in session.tabs))
    return _described(session, *await _ask(session))


async def _is_adopted(session: "BrowserSession", seconds: float) -> bool:
    """Return whether Playwright has all pages within `seconds`.

    Only Playwright can read the storage of origins that no tab shows. A page that hangs delays it.
    """
    await in_time(session.until_adopted(), seconds)
    return not any(tab.is_early and not tab.closed_reason for tab in session.tabs)


async def early_state_of(session: "BrowserSession") -> SessionState:
    """Return the state of a browser whose pages Playwright has not taken over in time.

    Storage comes from the open pages only. A page that hangs has its script stopped.
    """
    tabs = list(session.tabs)
    kept = await asyncio.gather(*(_freed(tab) for tab in tabs))
    cookies = await in_time(session.current.jar.cookies(), SURE_SECONDS)
    origins = _origins(session, kept)
    missing = "cookies and storage" if cookies is None else "local storage" if origins is None else ""
    return _described(
        session, {"cookies": cookies or [], "origins": origins or []}, _states(tabs, kept), missing
    )


async def without_storage(session: "BrowserSession") -> SessionState:
    """Return the session's state without cookies, and without storage except the tabs' session storage."""
    await in_time(session.until_adopted(), ANSWER_SECONDS)
    tabs = await asyncio.gather(*(_capture_tab(tab) for tab in session.tabs))
    return _described(session, {"cookies": [], "origins": []}, tabs, "")


async def in_place(session: "BrowserSession") -> SessionState:
    """Return the state of a session in a person's own browser, which keeps running.

    Holds no cookies and no storage, only the tabs that are ours and the browser's address.
    """
    told = [_placed(tab) for tab in session.tabs if tab.is_prepared]
    running = cast("ExternalBrowser", session.running)
    described = _described(session, {"cookies": [], "origins": []}, told, "")
    return replace(described, connected=running.endpoint.address)


def _placed(tab: Tab) -> TabState:
    return replace(tab.state(), target=tab.world.frames.target.id, is_taken=tab.is_taken)


async def seen_of(session: "BrowserSession") -> SessionState:
    """Return the state of a browser without changing anything in it.

    A page that hangs keeps hanging, and a dialog stays open.
    """
    adopted = await _is_adopted(session, ANSWER_SECONDS)
    there = list(session.tabs)
    looking = asyncio.gather(*(_kept_by(tab, ANSWER_SECONDS) for tab in there))
    kept, cookies = await asyncio.gather(looking, in_time(session.current.jar.cookies(), STORAGE_SECONDS))
    tabs, origins = _states(there, kept), _origins(session, kept)
    if cookies is not None and origins is not None:
        return _described(session, {"cookies": cookies, "origins": origins}, tabs, "")
    whole = await _read_storage_state(session) if adopted else None
    return _described(
        session, whole or {"cookies": [], "origins": []}, tabs, "" if whole else "cookies and storage"
    )


def _states(tabs: Sequence[Tab], kept: Sequence[dict[str, Any] | None]) -> list[TabState]:
    """Return the tabs' states, with the session storage in `kept`.

    A tab that has not been loaded again since a restart keeps the state it is restored from.
    """
    return [tab.restored or _state(tab, found) for tab, found in zip(tabs, kept, strict=True)]


def _origins(session: "BrowserSession", kept: Sequence[dict[str, Any] | None]) -> list[dict[str, Any]] | None:
    """Return `pages_storage` of the context's visited origins; None if those are unknown."""
    visited = session.current.visited_origins
    return None if visited is None else pages_storage(visited, kept)


def pages_storage(visited: set[str], kept: Sequence[dict[str, Any] | None]) -> list[dict[str, Any]] | None:
    """Return Playwright's list of origins with their local storage, from what open pages report.

    Args:
        visited: origins that may keep something
        kept: for each page what `scripts/kept.js` returned, or None if it did not answer.

    Returns None if a page did not answer, an origin has databases, or an origin has no open page.
    Playwright can read those.
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
    """Return the session's settings as keyword arguments of SessionState."""
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
    """Return the storage state, the tabs, and a description of what is missing.

    Cookies are asked for first: a browser that does not return them hangs, and is asked nothing else.
    """
    tabs = list(session.tabs)
    cookies = await in_time(session.current.jar.cookies(), SURE_SECONDS)
    if cookies is None:
        unasked = [tab.restored or tab.state() for tab in tabs]
        return {"cookies": [], "origins": []}, unasked, "cookies and storage"
    asked = await asyncio.gather(*(_capture_tab(tab) for tab in tabs))
    whole = await _read_storage_state(session) if await _is_adopted(session, SURE_SECONDS) else None
    if whole is None:
        return {"cookies": cookies, "origins": []}, asked, "local storage"
    silent = [
        f"session storage of tab {tab.id}"
        for tab, found in zip(tabs, asked, strict=True)
        if _is_silent(tab, found)
    ]
    return whole, asked, ", ".join(silent)


async def _read_storage_state(session: "BrowserSession") -> Any:
    """Return Playwright's storage state; None if it fails or takes over STORAGE_SECONDS."""
    return await in_time(session.context.storage_state(indexed_db=True), STORAGE_SECONDS)


_WITHOUT_ORIGIN = ("about:", "data:")


def _is_silent(tab: Tab, found: TabState) -> bool:
    """Return whether an open page has not reported its storage. A page without an origin has none."""
    return not (found.origin or tab.restored or tab.closed_reason or found.url.startswith(_WITHOUT_ORIGIN))


async def in_time(work: Awaitable[T], seconds: float) -> T | None:
    """Await an answer of the browser or a page; return None if it fails or takes over `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except (TimeoutError, ProtocolError, PageScriptError, FrameGone):
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
    """Return what `scripts/kept.js` reads in a page.

    None if the page does not answer, has a dialog open, or is still to be loaded again.
    """
    if tab.restored or tab.question:
        return None
    return await in_time(tab.world.kept(everything=True), seconds)


async def _freed(tab: Tab) -> dict[str, Any] | None:
    """Return what `scripts/kept.js` reads in a page, stopping a script or dialog that blocks it."""
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
    """Return the page's origin and session storage, read by `scripts/kept.js`; None without an answer."""
    return await in_time(tab.world.kept(), seconds)


async def _free(tab: Tab) -> None:
    """Dismiss the dialog or stop the script that keeps a page from answering.

    Leaves a page alone that answers late because the machine is slow.
    """
    if tab.page.is_closed() or not (tab.question or await tab.world.stays_silent(ANSWERS)):
        return
    if await in_time(_dismiss(tab), ANSWER_SECONDS) is None:
        await in_time(tab.world.terminate(), ANSWER_SECONDS)  # no dialog is open


async def _dismiss(tab: Tab) -> dict[str, Any]:
    await tab.world.frames.open()
    return await tab.world.frames.target.observed.send("Page.handleJavaScriptDialog", {"accept": False})
