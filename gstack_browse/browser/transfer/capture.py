"""Read the state of a context for its next browser: cookies, storage, tabs and their numbers.

Everything stays in memory. Pages are loaded anew, so what was typed into them and their history is not taken along.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import astuple, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.storage_state import StoredOrigins, read_origins
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.state.context_state import ALL_STORAGE, ContextState, LastSeen, TabState
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.errors import ActionFailed

if TYPE_CHECKING:
    from gstack_browse.browser.context.open_context import OpenContext
    from gstack_browse.browser.launch.connect import ExternalBrowser

T = TypeVar("T")

ANSWER_SECONDS = 1.5
"""Time limit for a page to answer before its script is stopped."""
OBSERVE_SECONDS = 1.0
"""Time limit for a page to answer while its browser may end at any moment."""
SURE_SECONDS = 5.0
"""Time limit for the browser, and for a page whose script was stopped. A busy machine takes seconds."""
STORAGE_SECONDS = 10.0
"""Time limit for the storage of origins that no tab shows. Each needs a page."""
MOST_NAMED = 5
"""Limit for missing things that are named."""


async def capture_state(browser: "OpenContext") -> ContextState:
    """Return the state of a context. Stops scripts of pages that hang, and dismisses open dialogs.

    If the browser does not answer, the state lacks what it did not report; that takes some seconds at most. If a person has
    closed the window, or it does not answer, the state is what was last seen of it.
    """
    if browser.handoff and browser.handoff.is_over:
        return browser.handoff.last_state()
    if browser.running.is_shared:
        return await capture_shared(browser)
    state = _build_state(browser, *await _read_storage(browser))
    if state.missing == ALL_STORAGE and browser.handoff:
        return replace(browser.handoff.last_state(), missing="what was done just before it stopped answering")
    return state


async def capture_to_move(browser: "OpenContext") -> ContextState:
    """Return the state of a context whose browser need not be left.

    Raises ActionFailed if that does not answer: it may be late, and has all cookies and storage.
    """
    state = await capture_state(browser)
    if state.missing == ALL_STORAGE:
        raise ActionFailed(
            f"Nothing was changed: the browser did not tell its {ALL_STORAGE}",
            f"Try again. If that says the same, {browser.running.replace_hint}",
        )
    return state


async def capture_without_storage(browser: "OpenContext") -> ContextState:
    """Return the context's state without cookies, and without storage except the tabs' session storage."""
    tabs = list(browser.tabs)
    page_storages = await asyncio.gather(*(_read_page_unblocked(tab, everything=False) for tab in tabs))
    return _build_state(browser, {"cookies": [], "origins": []}, _tab_states(tabs, page_storages), "")


async def capture_shared(browser: "OpenContext") -> ContextState:
    """Return the state of a context in a person's own browser, which keeps running.

    Holds no cookies and no storage, only the tabs that are ours and the browser's address.
    """
    tabs = [_tab_state_with_target(tab) for tab in browser.tabs if tab.is_prepared]
    running = cast("ExternalBrowser", browser.running)
    described = _build_state(browser, {"cookies": [], "origins": []}, tabs, "")
    return replace(described, connected=running.endpoint.address)


def _tab_state_with_target(tab: Tab) -> TabState:
    """Return a tab's state with its target id, so that the next daemon finds the tab in the same browser."""
    return replace(tab.state(), target=tab.world.frames.target.id, is_taken=tab.is_taken)


async def capture_unchanged(browser: "OpenContext") -> ContextState:
    """Return the state of a context without changing anything in its browser.

    A page that hangs keeps hanging, and a dialog stays open.
    """
    open_tabs = list(browser.tabs)
    reading = asyncio.gather(*(_read_page(tab, ANSWER_SECONDS) for tab in open_tabs))
    page_storages, cookies = await asyncio.gather(
        reading, await_or_none(browser.current.jar.cookies(), STORAGE_SECONDS)
    )
    tabs, origins = (
        _tab_states(open_tabs, page_storages),
        merge_page_storages(browser.current.visited_origins, page_storages),
    )
    if cookies is not None and origins is not None:
        return _build_state(browser, {"cookies": cookies, "origins": origins}, tabs, "")
    if cookies is None:
        return _build_state(browser, {"cookies": [], "origins": []}, tabs, ALL_STORAGE)
    found = await _read_origins(browser, page_storages)
    described = _build_state(
        browser, {"cookies": cookies, "origins": found.origins}, tabs, _join_missing(found.missing)
    )
    return replace(described, unkept=found.unkept)


async def observe_tabs(browser: "OpenContext", seen: LastSeen) -> None:
    """Update `seen` with the cookies and with the storage of each open tab, one after the other.

    For a browser that may end at any moment: opens no page. Raises ProtocolError if it is gone.
    """
    seen.set_cookies(await browser.current.jar.cookies())
    tabs = list(browser.tabs)
    page_storages = [await _read_page(tab, OBSERVE_SECONDS) for tab in tabs]
    if all(tab.id in browser.tabs for tab in tabs):
        local = {found["origin"]: found["local"] for found in page_storages if found and "local" in found}
        seen.update(
            _tab_states(tabs, page_storages), local, active=browser.tabs.active, next_id=browser.tabs.next_id
        )


def _tab_states(tabs: Sequence[Tab], page_storages: Sequence[dict[str, Any] | None]) -> list[TabState]:
    """Return the tabs' states with session storage; the restored one for a tab not loaded since a restart.

    `page_storages`: for each tab what `read-storage.js` returned, or None.
    """
    return [tab.restored or _tab_state(tab, found) for tab, found in zip(tabs, page_storages, strict=True)]


def merge_page_storages(
    visited: set[str], page_storages: Sequence[dict[str, Any] | None]
) -> list[dict[str, Any]] | None:
    """Return `origins` of a storage state from what the open pages report; None if these are not all.

    Args:
        visited: origins that may have storage
        page_storages: for each page what `read-storage.js` returned, or None if it did not answer

    They are not if a page did not answer, or an origin has databases or no open page. A hidden page can read those.
    """
    local_storage = _group_local_storage(page_storages)
    if None in page_storages or not visited <= local_storage.keys():
        return None
    return _origins_with_items({origin: local_storage[origin] for origin in local_storage if origin in visited})


def _group_local_storage(page_storages: Sequence[dict[str, Any] | None]) -> dict[str, list[dict[str, str]]]:
    """Return origin → items of its local storage, as pages report it, without origins with databases."""
    return {found["origin"]: found["local"] for found in page_storages if found and found.get("databases") == 0}


def _origins_with_items(local_storage: dict[str, list[dict[str, str]]]) -> list[dict[str, Any]]:
    """Return an entry of Playwright's storage state for each origin that has local storage."""
    return [
        {"origin": origin, "localStorage": items, "indexedDB": []}
        for origin, items in local_storage.items()
        if items
    ]


def _build_state(
    browser: "OpenContext", storage: dict[str, Any], tabs: list[TabState], missing: str
) -> ContextState:
    """Return the context's state, composed of its storage state, its tabs and its settings.

    `missing`: what could not be read, in words; "" for nothing.
    """
    return ContextState(
        storage,
        tabs,
        browser.tabs.active,
        browser.tabs.next_id,
        departed=browser.tabs.closed_tabs.unreported,
        downloads=browser.downloads.to_records(),
        missing=missing,
        **settings_of(browser),
    )


def settings_of(browser: "OpenContext") -> dict[str, Any]:
    """Return the context's settings as keyword arguments of ContextState."""
    return {
        "viewport": (browser.appearance.screen.size.width, browser.appearance.screen.size.height),
        "scale": browser.appearance.screen.scale,
        "user_agent": browser.appearance.user_agent,
        "mobile": browser.appearance.screen.mobile,
        "emulation": browser.appearance.emulation.as_dict(),
        "dialogs": astuple(browser.dialogs.policy),
        "imported": sorted(browser.imported),
        "revealed": browser.revealed.values,
        "extras": browser.extras.state(),
        "shaping": browser.shaping.state(),
        "throttle": browser.conditions.throttle.as_dict(),
        "init_scripts": browser.init_scripts.state(),
        "next_script": browser.init_scripts.next_number,
        "loaded_html": browser.loaded_html.state([tab.url for tab in browser.tabs]),
        "first_refs": browser.reserve.first,
        "requests": browser.logs.network.total,
        "shared_from": browser.shared_from,
    }


async def _read_storage(browser: "OpenContext") -> tuple[dict[str, Any], list[TabState], str]:
    """Return the storage state, the tabs, and a description of what could not be read ("" for nothing).

    Cookies are requested first: a browser that does not return them hangs, and nothing else is requested of it.
    """
    tabs = list(browser.tabs)
    cookies = await await_or_none(browser.current.jar.cookies(), SURE_SECONDS)
    if cookies is None:
        stored_states = [tab.restored or tab.state() for tab in tabs]
        return {"cookies": [], "origins": []}, stored_states, ALL_STORAGE
    page_storages = await asyncio.gather(*(_read_page_unblocked(tab) for tab in tabs))
    states = _tab_states(tabs, page_storages)
    found = await _read_origins(browser, page_storages)
    silent = [
        f"session storage of tab {tab.id}"
        for tab, state in zip(tabs, states, strict=True)
        if _lacks_storage(tab, state)
    ]
    return {"cookies": cookies, "origins": found.origins}, states, _join_missing([*silent, *found.missing])


async def _read_origins(
    browser: "OpenContext", page_storages: Sequence[dict[str, Any] | None]
) -> StoredOrigins:
    """Return the storage of the context's origins, taken from open pages or else read by hidden ones.

    `page_storages`: for each open page what `read-storage.js` returned, or None.
    """
    visited = browser.current.visited_origins
    local_storage = {
        origin: items for origin, items in _group_local_storage(page_storages).items() if origin in visited
    }
    open_page = partial(browser.running.connection.open_hidden_page, browser.current.id)
    found = await read_origins(open_page, visited - local_storage.keys() - {""}, seconds=STORAGE_SECONDS)
    if "" in visited:
        found.missing.append("storage of more sites than are remembered")
    return replace(found, origins=[*_origins_with_items(local_storage), *found.origins])


def _join_missing(missing: Sequence[str]) -> str:
    """List what is missing: MOST_NAMED things by name, then the number of the others."""
    more = [f"{len(missing) - MOST_NAMED} more"] if len(missing) > MOST_NAMED else []
    return ", ".join([*missing[:MOST_NAMED], *more])


_WITHOUT_ORIGIN = ("about:", "data:")


def _lacks_storage(tab: Tab, found: TabState) -> bool:
    """Return whether a page that can have session storage did not report it. `found`: the tab's state."""
    return not (found.origin or tab.restored or tab.closed_reason or found.url.startswith(_WITHOUT_ORIGIN))


async def await_or_none(work: Awaitable[T], seconds: float) -> T | None:
    """Await an answer of the browser or a page; return None if it fails or takes over `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except (TimeoutError, ProtocolError, PageScriptError, FrameGone):
        return None


async def _read_page(tab: Tab, seconds: float, *, everything: bool = True) -> dict[str, Any] | None:
    """Return what `read-storage.js` reads: origin, local and session storage, number of databases.

    `everything`: False for the session storage alone. None if the page does not answer within `seconds`, has a dialog open, or is
    still to be loaded again.
    """
    if tab.restored or tab.open_dialog:
        return None
    return await await_or_none(tab.world.read_storage(everything=everything), seconds)


async def _read_page_unblocked(tab: Tab, *, everything: bool = True) -> dict[str, Any] | None:
    """Call `_read_page`; if the page does not answer, dismiss its dialog or stop its script, and retry."""
    found = await _read_page(tab, ANSWER_SECONDS, everything=everything)
    if found or tab.restored:
        return found
    await _unblock_page(tab)
    return await _read_page(tab, SURE_SECONDS, everything=everything)


def _tab_state(tab: Tab, found: dict[str, Any] | None) -> TabState:
    """Return a tab's state with its session storage. `found`: what `read-storage.js` returned, or None."""
    state = tab.state()
    if found:
        state.origin, state.items = found["origin"], found["items"]
    return state


async def _unblock_page(tab: Tab) -> None:
    """Dismiss the dialog, or stop the script, that blocks a page.

    Leaves a page alone that answers late because the machine is slow.
    """
    if tab.page.is_closed() or not (tab.open_dialog or await tab.world.is_main_thread_blocked()):
        return
    if await await_or_none(_dismiss_dialog(tab), ANSWER_SECONDS) is None:
        await await_or_none(tab.world.terminate(), ANSWER_SECONDS)  # no dialog is open


async def _dismiss_dialog(tab: Tab) -> dict[str, Any]:
    """Dismiss the open dialog. Raises ProtocolError without an open dialog."""
    return await tab.world.frames.target.session.send("Page.handleJavaScriptDialog", {"accept": False})
