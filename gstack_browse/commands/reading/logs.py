"""Logs: what pages said and popped up. Each has its last 50,000 entries (10 million characters)."""

from collections.abc import Sequence
from functools import partial

from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.commands.reading import log_pages
from gstack_browse.commands.reading.log_pages import (
    cleared_message,
    followed_tab,
    lines,
    make_page_filter,
    make_tab_filter,
)
from gstack_browse.errors import UsageError
from gstack_browse.network.logs import ConsoleEntry, Level, Place, render_unique
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import TabId

SECONDS = 3.0
"""Limit of the time for fetching scripts and maps; what comes later is there for the next command."""
MOST_ENTRIES = 2_000
"""Limit of the last entries whose positions are looked up."""
MOST_PLACES = 500


async def with_original_positions(daemon: Daemon, entries: Sequence[ConsoleEntry]) -> list[ConsoleEntry]:
    """Return the entries with original positions, as far as they are of documents that tabs show now."""
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
        return cleared_message(log.remove(lambda entry: entry.is_at_least(least) and is_here(entry)), what)
    if follow:
        number = followed_tab(daemon, tab, all_pages=all_pages)
        is_of_tab = make_tab_filter(number)
        return await log_pages.follow(
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
    return "\n".join(entry.render() for entry in named) or lines(wanted, is_here, ConsoleEntry.render, what)


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
        return cleared_message(log.remove(lambda entry: True), "dialog")
    return "\n".join(entry.render() for entry in log) or "(no dialogs)"
