"""Save a context's state as a file, and load such a file into a context.

The format is Playwright's storage state with tabs and session storage beside it. Playwright reads it and ignores our key. Files that
Playwright wrote are read here, without tabs. A file is hostile: nothing of it reaches the browser unchecked.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import orjson

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.context.current_context import ContextInBrowser, close_context
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.state.context_state import ContextState, TabState
from gstack_browse.browser.state.cookie_jar import MOST_AT_ONCE, CookieJar, to_playwright_cookie
from gstack_browse.browser.transfer import capture
from gstack_browse.browser.transfer.context_transfer import Transfer, check_not_shared, start_similar_browser
from gstack_browse.cookies import exports, records
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.text import json_bytes
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count

OURS = "gbrowse"
"""The key of our part of the file, which Playwright ignores."""
VERSION = 1
MOST_ORIGINS = 500
"""Limit for origins. Each costs a page load."""
MOST_TABS = 1000
MOST_REASONS = 6
CHECKED_AT_ONCE = 25
"""Cookies to check between two yields to the event loop: a fifth of a ms."""
BLANK = "about:blank"
SCHEMES = ("http://", "https://", "file://")
"""Allowed schemes of tabs. Other text would be completed like typed text: `javascript:1` as host and port."""

Judge = Callable[[str], str]
"""Returns why an address may not be opened; "" if it may."""


@dataclass
class SavedState:
    """The checked contents of a state file. `left_out` counts skipped items by kind and reason.

    `entries` are its unchecked cookies. `check_cookies` fills `cookies` from them.
    """

    entries: list[Any] = field(default_factory=list)
    cookies: list[dict[str, object]] = field(default_factory=list)
    origins: list[dict[str, Any]] = field(default_factory=list)
    tabs: list[TabState] = field(default_factory=list)
    """Tabs, numbered by position from 1."""
    active: int = 0
    imported: list[str] = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)


def encode(state: ContextState) -> bytes:
    """Encode a state as a file, without blank tabs."""
    shown = [tab for tab in state.tabs if tab.url not in ("", BLANK)]
    ours = {
        "version": VERSION,
        "savedAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "active": next((at for at, tab in enumerate(shown) if tab.id == state.active), 0),
        "tabs": [_tab_fields(tab) for tab in shown],
        "imported": state.imported,
    }
    fields = {"cookies": state.storage["cookies"], "origins": state.storage["origins"], OURS: ours}
    return json_bytes.encode(fields, orjson.OPT_INDENT_2) + b"\n"


def _tab_fields(tab: TabState) -> dict[str, Any]:
    """Return a tab's object in the file: its URL, and its session storage if that is not empty."""
    fields: dict[str, Any] = {"url": tab.url}
    if tab.items:
        fields["sessionStorage"] = {"origin": tab.origin, "items": tab.items}
    return fields


def decode(content: bytes, *, refused_page: Judge, refused_tab: Judge) -> SavedState:
    """Parse a state file. Its cookies are checked later.

    `refused_page` and `refused_tab` return why an origin or a tab's URL is refused. Raises UsageError for another kind of file.
    """
    try:
        fields = json_bytes.decode(content)
    except ValueError as error:
        raise UsageError(f"The file is not JSON: {error}") from None
    if isinstance(fields, list):
        raise UsageError("The file is a list of cookies, no state", "Load it with 'cookie-import <file>'")
    if not isinstance(fields, dict) or not any(
        isinstance(fields.get(key), list) for key in ("cookies", "origins")
    ):
        raise UsageError("The file is no state: it has neither cookies nor origins", "'state-save' writes one")
    saved = SavedState(_require_at_most(_list_or_empty(fields, "cookies"), exports.MOST_COOKIES, "cookies"))
    for entry in _require_at_most(_list_or_empty(fields, "origins"), MOST_ORIGINS, "origins"):
        _add_origin(saved, entry, refused_page)
    ours = fields.get(OURS)
    if isinstance(ours, dict):
        _add_tabs_and_imports(saved, ours, refused_tab)
    return saved


def _list_or_empty(fields: dict[str, Any], key: str) -> list[Any]:
    """Return the list under a key of an object; [] if it has none."""
    found = fields.get(key)
    return found if isinstance(found, list) else []


def _require_at_most(entries: list[Any], most: int, noun: str) -> list[Any]:
    """Return the entries. Raises UsageError if there are more than `most`.

    `noun`: their name in the message.
    """
    if len(entries) > most:
        raise UsageError(f"The file holds {len(entries)} {noun}; at most {most} are loaded")
    return entries


def check_cookies(saved: SavedState) -> Iterator[None]:
    """Check the file's cookies (`saved.entries`), and fill `saved.cookies` and `saved.left_out`.

    A generator, so that the caller can let other work run between batches.
    """
    now = time.time()
    for at, entry in enumerate(saved.entries):
        if not at % CHECKED_AT_ONCE:
            yield
        cookie = exports.parse_json_entry(entry)
        reason = cookie if isinstance(cookie, str) else exports.rejection_reason(cookie, now)
        if isinstance(cookie, str) or reason:
            saved.left_out["cookie", reason] += 1
        else:
            saved.cookies.append(to_playwright_cookie(cookie))


def _add_origin(saved: SavedState, entry: Any, refused_page: Judge) -> None:
    """Add an origin's storage to `saved`, or count why it is left out.

    `refused_page`: returns why a URL is refused.
    """
    origin = entry.get("origin") if isinstance(entry, dict) else None
    if not isinstance(origin, str) or not _is_origin(origin):
        saved.left_out["origin", "without a valid address"] += 1
    elif reason := refused_page(origin):
        saved.left_out["origin", f"that {reason}"] += 1
    else:
        found: dict[str, Any] = {
            "origin": origin,
            "localStorage": _valid_items(saved, entry.get("localStorage")),
        }
        databases = _list_or_empty(entry, "indexedDB")
        found["indexedDB"] = [database for database in databases if _is_database(database)]
        if malformed := len(databases) - len(found["indexedDB"]):
            saved.left_out["database", "malformed"] += malformed
        saved.origins.append(found)


def _is_origin(text: str) -> bool:
    """Return whether a text is an origin as browsers write it: scheme, host and port only."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    shown = f"[{host}]" if ":" in host else host
    whole = f"{parts.scheme}://{shown}{f':{port}' if port is not None else ''}"
    return parts.scheme in ("http", "https") and records.normalise_host(shown) == shown and whole == text


def _valid_items(saved: SavedState, entries: Any) -> list[dict[str, str]]:
    """Return the valid items of a local storage read from the file; count the others in `saved.left_out`."""
    found = (
        [entry for entry in entries if _has_fields(entry, name=str, value=str)]
        if isinstance(entries, list)
        else []
    )
    if isinstance(entries, list) and len(found) < len(entries):
        saved.left_out["item", "malformed"] += len(entries) - len(found)
    return [{"name": entry["name"], "value": entry["value"]} for entry in found]


def _has_fields(entry: Any, **kinds: type) -> bool:
    """Return whether an entry is an object with these fields, of exactly these types."""
    return isinstance(entry, dict) and all(type(entry.get(name)) is kind for name, kind in kinds.items())


def _is_database(entry: Any) -> bool:
    """Return whether an entry is an IndexedDB database in Playwright's form."""
    return (
        _has_fields(entry, name=str, version=int, stores=list)
        and 0 < entry["version"] < 2**53
        and all(_is_store(store) for store in entry["stores"])
    )


def _is_store(entry: Any) -> bool:
    """Return whether the entry is a well-formed object store of IndexedDB."""
    return (
        _has_fields(entry, name=str, autoIncrement=bool, records=list, indexes=list)
        and _has_key_path(entry)
        and all(isinstance(record, dict) for record in entry["records"])
        and all(
            _has_fields(index, name=str, multiEntry=bool, unique=bool) and _has_key_path(index)
            for index in entry["indexes"]
        )
    )


def _has_key_path(entry: dict[str, Any]) -> bool:
    """Return whether a store's or index's key path is well-formed, or missing."""
    path, paths = entry.get("keyPath", ""), entry.get("keyPathArray", [])
    return isinstance(path, str) and isinstance(paths, list) and all(isinstance(item, str) for item in paths)


def _add_tabs_and_imports(saved: SavedState, ours: dict[str, Any], refused_tab: Judge) -> None:
    """Add a file's tabs, and hosts with imported cookies, to `saved`. Count left-out tabs.

    `ours`: the file's part that only gbrowse writes. `refused_tab`: returns why a URL may not be opened, "" if it may.
    """
    saved.imported = [
        host
        for host in _list_or_empty(ours, "imported")
        if isinstance(host, str) and records.normalise_host(host) == host
    ]
    active = ours.get("active")
    for at, entry in enumerate(_require_at_most(_list_or_empty(ours, "tabs"), MOST_TABS, "tabs")):
        url = entry.get("url") if isinstance(entry, dict) else None
        reason = (
            refused_tab(url)
            if isinstance(url, str) and url.startswith(SCHEMES)
            else "without an address to open"
        )
        if reason:
            saved.left_out["tab", reason] += 1
            continue
        saved.tabs.append(TabState(len(saved.tabs) + 1, str(url), *_session_items(entry)))
        if at == active or not saved.active:
            saved.active = len(saved.tabs)


def _session_items(entry: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """Return origin and items of a tab's session storage; "" and {} if it has none."""
    found = entry.get("sessionStorage")
    if not (_has_fields(found, origin=str, items=dict) and isinstance(found, dict)):
        return "", {}
    return found["origin"], {key: value for key, value in found["items"].items() if isinstance(value, str)}


def describe_left_out(reasons: Counter[tuple[str, str]]) -> list[str]:
    """Return a line on each kind of thing that was left out: `3 cookies expired, left out`.

    `reasons`: number of them by (kind, reason).
    """
    return [
        f"{format_count(count, kind)} {reason}, left out"
        for (kind, reason), count in reasons.most_common(MOST_REASONS)
    ]


@dataclass
class Loaded:
    """The result of `load_state`: how many cookies, origins and tabs were loaded or left out."""

    cookies: int
    origins: int
    tabs: int
    left_out: Counter[tuple[str, str]]


async def load_state(browser: OpenContext, saved: SavedState) -> Loaded:
    """Load cookies, storage and tabs of a state file into the context.

    If the file has no tabs, the open ones stay and load again. Raises ActionFailed if Chromium rejects the state;
    nothing is changed then.
    """
    check_not_shared(browser)
    async with Transfer(browser) as transfer:
        if browser.handoff:
            raise ActionFailed("The browser is with a person", "Run 'resume' first")
        running = browser.running
        if running.has_lasting_profile and not browser.name:
            raise ActionFailed(
                "The profile (BROWSE_PROFILE) holds logins of its own, which that would replace",
                "In a context beside it: gbrowse --as <name> state-load <file>",
            )
        if running.has_single_context:
            running = await start_similar_browser(running, running.window)
        return await transfer.run_to_end(_load_checked(browser, transfer, running, saved))


async def _load_checked(
    browser: OpenContext, transfer: Transfer, running: RunningBrowser, saved: SavedState
) -> Loaded:
    """Check the cookies of a saved state while the present one is captured, then move the tabs to it."""
    making = None
    checking = browser.background.start(check_state(saved))
    if running is browser.running and not saved.origins:
        making = browser.background.start(make_context(browser, saved, checking))
    try:
        before, _ = await asyncio.gather(capture.capture_without_storage(browser), checking)
        return await _move(browser, transfer, running, saved, before, making)
    finally:
        if making:
            browser.background.start(close_unused_context(browser, making))


async def make_context(
    browser: OpenContext, saved: SavedState, checking: "asyncio.Task[None]"
) -> ContextInBrowser:
    """Make a browser context for a state file, with one page if the file has tabs.

    `checking`: the task of `check_state`; each cookie is set once it is checked. Raises ProtocolError.
    """
    running = browser.running
    context = await browser.new_context()
    jar = CookieJar(running.connection, context.id)
    cookies_task = browser.background.start(jar.set_from_stream(_yield_checked_cookies(saved, checking)))
    if browser.name:  # until we listen there: events of unclaimed contexts go to the default one
        running.connection.events.mute_context(context.id)
    page_task = browser.background.start(context.new_page()) if saved.tabs else None
    return ContextInBrowser(running, context, page_task, cookies_task)


async def _yield_checked_cookies(
    saved: SavedState, checking: "asyncio.Task[None]"
) -> AsyncIterator[Sequence[Mapping[str, object]]]:
    """Yield lists of a file's cookies, as soon as `checking` (the task of `check_state`) has checked them."""
    given, is_over = 0, False
    while not is_over:
        is_over = checking.done()
        while len(saved.cookies) >= given + (1 if is_over else MOST_AT_ONCE):
            yield saved.cookies[given : given + MOST_AT_ONCE]
            given += MOST_AT_ONCE
        await asyncio.sleep(0)


async def close_unused_context(browser: OpenContext, making: "asyncio.Task[ContextInBrowser]") -> None:
    """Close the browser context that `making` returns, unless the tabs have moved to it."""
    with suppress(ProtocolError):  # making it failed, which its waiter has reported
        made = await making
        if browser.context is not made.context:
            for task in (made.page_task, made.cookies_task):
                if task:
                    task.cancel()
            await close_context(made)


async def check_state(saved: SavedState) -> None:
    """Run `check_cookies`, letting the event loop run between its batches."""
    for _ in check_cookies(saved):
        await asyncio.sleep(0)


async def _move(
    browser: OpenContext,
    transfer: Transfer,
    running: RunningBrowser,
    saved: SavedState,
    before: ContextState,
    making: "asyncio.Task[ContextInBrowser] | None",
) -> Loaded:
    """Move the tabs to `running` with the file's contents. Return counts of what was loaded.

    `before`: the context's state until now. `making`: the task that makes the new browser context; None: make it here.
    """
    most = running.params.settings.max_tabs
    tabs = _number_tabs(before, saved.tabs[:most])
    state = replace(
        before,
        storage={"cookies": saved.cookies, "origins": saved.origins},
        tabs=tabs or before.tabs,
        active=tabs[min(saved.active, most) - 1].id if tabs else before.active,
        imported=sorted({*before.imported, *saved.imported}),
    )
    browser.tabs.reserve(max((tab.id + 1 for tab in state.tabs), default=1))
    await browser.guard.prepare_opening(*(tab.url for tab in state.tabs))
    kept = {tab.id for tab in state.tabs}
    try:
        closing = [tab for tab in browser.tabs if tab.id not in kept]
        spare = await making if making else None
        if spare and not tabs:
            refused = await transfer.move_to_context(state, spare, closing)
        else:
            refused = await transfer.move(running, state, closing=closing, spare=spare)
    except ProtocolError as error:
        why = one_line(error.message, 200)
        raise ActionFailed(f"Chromium did not take the state: {why}", "Nothing was changed") from None
    browser.imported = set(state.imported)
    left_out = Counter(saved.left_out)
    left_out["cookie", "rejected by Chromium"] += refused
    left_out["tab", "beyond those that may be open (BROWSE_MAX_TABS)"] += max(len(saved.tabs) - most, 0)
    return Loaded(len(saved.cookies) - refused, len(saved.origins), len(tabs), +left_out)


def _number_tabs(before: ContextState, tabs: list[TabState]) -> list[TabState]:
    """Give a file's tabs the numbers and next refs of the open tabs (`before`), then new ones."""
    places = sorted(before.tabs, key=lambda tab: tab.id)
    placed = []
    for at, tab in enumerate(tabs):
        if at < len(places):
            placed.append(replace(tab, id=places[at].id, following=places[at].following))
        else:
            placed.append(replace(tab, id=before.next_id + at - len(places), following=before.first_refs))
    return placed
