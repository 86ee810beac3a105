"""Logs: what pages said and popped up. Each has its last 50,000 entries (10 million characters)."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TypeVar

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import TabGone, UsageError
from gstack_browse.network.logs import ConsoleEntry, Level, NetworkEntry, Place, Ring, render_unique
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import TabId
from gstack_browse.text.units import format_count

Entry = TypeVar("Entry", ConsoleEntry, NetworkEntry)
MOST_LINES = 500
"""Lines that are sent together."""
SECONDS = 3.0
"""Limit of the time for fetching scripts and maps; what comes later is there for the next command."""
MOST_ENTRIES = 2_000
"""Limit of the last entries whose positions are looked up."""
MOST_PLACES = 500


def make_page_filter(
    daemon: Daemon, named: int | str | None, *, all_pages: bool
) -> Callable[[ConsoleEntry | NetworkEntry], bool]:
    """Return a function that tells whether a log's entry is of the document that a tab shows now.

    `named`: number or name of `--tab`; None: the caller's tab. `all_pages`: of earlier documents, too. Raises TabGone for an
    unknown tab.
    """
    number = daemon.tab if named is None else _find_tab_number(daemon.browser, named)
    if all_pages:
        return lambda entry: number in (None, entry.tab)
    document = _find_document(daemon.browser, number)
    return lambda entry: entry.document == document


def find_followed_tab(daemon: Daemon, named: int | str | None, *, all_pages: bool) -> int | None:
    """Return the number of the tab whose log entries `--follow` prints; None for all tabs.

    `named`: number or name of `--tab`; None: the active tab, unless `all_pages`. Raises TabGone.
    """
    number = daemon.tab if named is None else _find_tab_number(daemon.browser, named)
    if number is None and not all_pages:
        active = daemon.browser.tabs.get() if daemon.browser else None
        number = active.id if active else None
    return number


def make_tab_filter(number: int | None) -> Callable[[ConsoleEntry | NetworkEntry], bool]:
    """Return a function that tells whether a log's entry is of the tab with that number; None: of any tab."""
    return lambda entry: number in (None, entry.tab)


def render_entries(
    wanted: Sequence[Entry],
    is_here: Callable[[ConsoleEntry | NetworkEntry], bool],
    line: Callable[[Entry], str],
    what: str,
    unfit: str = "",
) -> str:
    """Return the log entries to print, a line each, or a text on why there are none.

    Args:
        wanted: entries of all pages that meet the command's conditions
        is_here: whether an entry is of the chosen pages
        line: renders an entry
        what: noun for an entry, in "(no requests)"
        unfit: reason for none, in the place of the default
    """
    if found := [line(entry) for entry in wanted if is_here(entry)]:
        return "\n".join(found)
    if wanted:
        return f"(no {what}s on this page; {len(wanted)} on others: --all-pages)"
    return f"(no {what}s{unfit})"


def _find_document(browser: OpenContext | None, number: int | None) -> int:
    """Return our number of the document that a tab shows; -1 if there is no tab.

    `number`: the tab's; None for the active one. Raises TabGone.
    """
    if browser is None:
        return -1
    tab = browser.tabs.get() if number is None else browser.tab(number)
    return tab.document if tab else -1


def _find_tab_number(browser: OpenContext | None, tab: int | str) -> int:
    """Return the number of a tab by its number or name. Raises TabGone for an unknown name.

    A number is returned even if the tab is closed.
    """
    if isinstance(tab, int):
        return tab
    if browser is None:
        raise TabGone(f"There is no tab called {tab}", "No browser is running: run 'goto <url>'")
    return browser.tab(tab).id


async def follow_log(
    daemon: Daemon,
    log: Ring[Entry],
    cursor: int,
    line: Callable[[Entry], str],
    is_wanted: Callable[[Entry], bool],
    is_ready: Callable[[Entry], bool] = lambda entry: True,
    *,
    tab: int | None,
    complete: Callable[[Sequence[Entry]], Awaitable[Sequence[Entry]]] | None = None,
) -> str:
    """Print a log's entries as they come, for `--follow`. Return "".

    It ends at the caller's `--timeout`, or is cancelled when the client goes away. Raises TabGone once `tab` is closed, and
    UsageError if the reply cannot be streamed.

    Args:
        cursor: number of entries at the log's beginning that are left out
        line: renders an entry
        is_wanted: whether an entry is printed
        is_ready: whether an entry is complete; checked again after each change of the log
        tab: number of the tab of which all wanted entries are; None for several
        complete: adds to entries before they are printed
    """
    send, browser = daemon.stream(), daemon.browser
    changed = asyncio.Event()
    waiting: list[Entry] = []
    try:
        watch_tabs = browser.tabs.watching_removals(changed.set) if browser else nullcontext()
        with log.watch(changed.set), watch_tabs:
            async with asyncio.timeout(daemon.patience):
                while True:
                    changed.clear()
                    missing, fresh, cursor = log.count_lost(cursor), log.entries_since(cursor), log.total
                    if missing:
                        await send(f"({format_count(missing, 'entry', 'entries')} no longer in the log)")
                    waiting += fresh
                    ready = [entry for entry in waiting if is_ready(entry)]
                    waiting = [entry for entry in waiting if not is_ready(entry)]
                    wanted: Sequence[Entry] = [entry for entry in ready if is_wanted(entry)]
                    if complete and wanted:
                        wanted = await complete(wanted)
                    lines = [line(entry) for entry in wanted]
                    for at in range(0, len(lines), MOST_LINES):
                        await send("\n".join(lines[at : at + MOST_LINES]))
                    _require_open(daemon, browser, tab)
                    await changed.wait()
    except TimeoutError:
        return ""


def _require_open(daemon: Daemon, before: OpenContext | None, tab: int | None) -> None:
    """Raise TabGone if no log entry can follow: the tab is closed, or the context has changed.

    `before`: the context at the beginning; None if it was not open. `tab`: None for all tabs.
    """
    if before and daemon.browser is not before:
        raise TabGone("All tabs of this context were closed", "Run 'tabs' to see what is open")
    if tab is not None:
        if before is None:
            raise TabGone(f"There is no tab {tab}: no browser is running", "Run 'goto <url>'")
        before.tabs.find(tab)


async def with_original_positions(daemon: Daemon, entries: Sequence[ConsoleEntry]) -> list[ConsoleEntry]:
    """Return console entries with positions in the original files (source maps) if their document is open."""
    browser = daemon.browser
    if browser is None:
        return list(entries)
    maps, documents = browser.source_maps, {tab.document: tab for tab in browser.tabs}
    earlier, recent = entries[:-MOST_ENTRIES], entries[-MOST_ENTRIES:]
    places: dict[int, list[Place]] = {}
    for entry in recent:
        if entry.document in documents:
            own = [entry.place] if entry.place else []
            places.setdefault(entry.document, []).extend([*own, *entry.places_in_text()])
    for document, found in places.items():
        await maps.resolve(documents[document], found[-MOST_PLACES:], SECONDS)
    return [*earlier, *(entry.with_originals(partial(maps.original_name, entry.document)) for entry in recent)]


@command(
    READ,
    kinds={"clear": META},
    examples=[
        "console",
        "console --errors",
        "console --errors --unique",
        "console --level warning",
        "console --clear",
        "console --follow --errors",
    ],
    page_text=True,
    recalls=True,
    keeps_end=True,
)
async def console(
    daemon: Daemon,
    *,
    errors: bool = False,
    level: Level | None = None,
    all_pages: bool = False,
    unique: bool = False,
    clear: bool = False,
    follow: bool = False,
    tab: TabId | None = None,
) -> str:
    """Print what the page said: console messages, uncaught exceptions and unhandled rejections.

    Of the document that the tab shows now, with its frames and workers; --all-pages adds the documents before it, other
    tabs, and service workers. Of a page that says more than 1,000 things a second not all is kept: entries of the level
    "lost" say so. Positions in scripts of the page that is open are those of the original files where source maps tell them.

    errors: only errors, as with --level error
    level: only what is at least as serious
    all_pages: of all documents since the browser started; with --tab, of that tab's
    unique: what is the same once, with how often it was said
    clear: forget what would be printed instead of printing it
    follow: print what the tab's pages say from now on, each as it comes, until interrupted, until the tab is closed, or for as long as --timeout before the command says
    tab: that tab's instead of the active one's
    """
    least: Level = "error" if errors else level or "debug"
    what = {"error": "console error", "debug": "console message"}.get(least, f"console {least}")
    log, is_here = daemon.logs.console, make_page_filter(daemon, tab, all_pages=all_pages)
    if clear + follow + unique > 1:
        raise UsageError("--follow, --clear and --unique exclude each other")
    if clear:
        count = log.remove(lambda entry: entry.is_at_least(least) and is_here(entry))
        return f"Cleared {format_count(count, what)}"
    if follow:
        number = find_followed_tab(daemon, tab, all_pages=all_pages)
        is_of_tab = make_tab_filter(number)
        return await follow_log(
            daemon,
            log,
            log.total,
            ConsoleEntry.render,
            lambda entry: entry.is_at_least(least) and is_of_tab(entry),
            tab=number,
            complete=partial(with_original_positions, daemon),
        )
    wanted = [entry for entry in log if entry.is_at_least(least)]
    named = await with_original_positions(daemon, [entry for entry in wanted if is_here(entry)])
    if unique and named:
        return "\n".join(render_unique(named))
    return "\n".join(entry.render() for entry in named) or render_entries(
        wanted, is_here, ConsoleEntry.render, what
    )


@command(
    READ,
    kinds={"clear": META},
    examples=["dialog", "dialog --clear"],
    page_text=True,
    recalls=True,
    keeps_end=True,
)
async def dialog(daemon: Daemon, *, clear: bool = False) -> str:
    """Print the alerts, confirmations and prompts that pages showed, and how they were answered.

    clear: forget them instead of printing them
    """
    log = daemon.logs.dialog
    if clear:
        return f"Cleared {format_count(log.remove(lambda entry: True), 'dialog')}"
    return "\n".join(entry.render() for entry in log) or "(no dialogs)"
