"""Find the entries of a log that are of certain pages, and write the reply made of them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from gstack_browse.browser.session.session import BrowserSession
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import TabGone
from gstack_browse.network.logs import ConsoleEntry, NetworkEntry, Ring
from gstack_browse.text.columns import format_count

Entry = TypeVar("Entry", ConsoleEntry, NetworkEntry)


def make_page_filter(
    daemon: Daemon, named: int | str | None, *, all_pages: bool
) -> Callable[[ConsoleEntry | NetworkEntry], bool]:
    """Return whether a log entry is of the wanted pages, as a function. Raises TabGone for an unknown tab."""
    number = daemon.tab if named is None else _find_tab_number(daemon.browser, named)
    if all_pages:
        return lambda entry: number in (None, entry.tab)
    document = _document(daemon.browser, number)
    return lambda entry: entry.document == document


def followed_tab(daemon: Daemon, named: int | str | None, *, all_pages: bool) -> int | None:
    """Return the number of the tab whose entries are wanted; None for all tabs.

    The tab may show another document by now. Raises TabGone.
    """
    number = daemon.tab if named is None else _find_tab_number(daemon.browser, named)
    if number is None and not all_pages:
        active = daemon.browser.tabs.get() if daemon.browser else None
        number = active.id if active else None
    return number


def make_tab_filter(number: int | None) -> Callable[[ConsoleEntry | NetworkEntry], bool]:
    """Return whether a log entry is of that tab, as a function; for None it always is."""
    return lambda entry: number in (None, entry.tab)


def lines(
    wanted: Sequence[Entry],
    is_here: Callable[[ConsoleEntry | NetworkEntry], bool],
    line: Callable[[Entry], str],
    what: str,
    unfit: str = "",
) -> str:
    """The lines of the wanted entries from here.

    `what` names one of them, `unfit` says why there may be none.
    """
    if found := [line(entry) for entry in wanted if is_here(entry)]:
        return "\n".join(found)
    if wanted:
        return f"(no {what}s on this page; {len(wanted)} on others: --all-pages)"
    return f"(no {what}s{unfit})"


def cleared_message(count: int, what: str) -> str:
    """Return the reply after clearing `count` entries."""
    return f"Cleared {format_count(count, what)}"


def _document(browser: BrowserSession | None, number: int | None) -> int:
    """Return our number of a tab's document, by default the active tab's; -1 without one."""
    if browser is None:
        return -1
    tab = browser.tabs.get() if number is None else browser.tab(number)
    return tab.document if tab else -1


def _find_tab_number(browser: BrowserSession | None, tab: int | str) -> int:
    """Return the number of a tab by number or name; a number need not be open any more."""
    if isinstance(tab, int):
        return tab
    if browser is None:
        raise TabGone(f"There is no tab called {tab}", "No browser is running: run 'goto <url>'")
    return browser.tab(tab).id


MOST_LINES = 500
"""Lines that are sent together."""


async def follow(
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
    """Send the lines of wanted entries from the cursor on, each once it is ready.

    Returns when the caller's `--timeout` is over. `complete` may add to entries before they are sent.

    The client's going away cancels it. Raises TabGone once that tab is closed, and UsageError where the reply cannot be sent in parts.
    """
    send, browser = daemon.stream(), daemon.browser
    changed = asyncio.Event()
    waiting: list[Entry] = []
    try:
        with log.watch(changed.set), _watch_tabs(browser, changed.set):
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


def _watch_tabs(browser: BrowserSession | None, changed: Callable[[], object]) -> AbstractContextManager[None]:
    """Call `changed` during the block whenever a tab is removed."""
    return browser.tabs.watching_removals(changed) if browser else nullcontext()


def _require_open(daemon: Daemon, before: BrowserSession | None, tab: int | None) -> None:
    """Raise TabGone if no entry can follow: the tab is closed, or the browser was replaced."""
    if before and daemon.browser is not before:
        raise TabGone("All tabs of this context were closed", "Run 'tabs' to see what is open")
    if tab is not None:
        if before is None:
            raise TabGone(f"There is no tab {tab}: no browser is running", "Run 'goto <url>'")
        before.tabs.find(tab)
