"""A log as it grows: what `--follow` prints until the client goes away."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.commands.control import Daemon
from gstack_browse.errors import TabGone
from gstack_browse.logs.entries import ConsoleEntry, NetworkEntry
from gstack_browse.logs.ring import Ring
from gstack_browse.text.columns import format_count

Entry = TypeVar("Entry", ConsoleEntry, NetworkEntry)
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
) -> str:
    """Send the lines of wanted entries from the cursor on, each once it is ready. Returns when the caller's `--timeout` is over.

    The client's going away cancels it. Raises TabGone once that tab is closed, and UsageError where the reply cannot be sent in parts.
    """
    send, browser = daemon.stream(), daemon.browser
    changed = asyncio.Event()
    waiting: list[Entry] = []
    try:
        with log.watch(changed.set), _tabs_watched(browser, changed.set):
            async with asyncio.timeout(daemon.patience):
                while True:
                    changed.clear()
                    missing, fresh, cursor = log.count_lost(cursor), log.entries_since(cursor), log.total
                    if missing:
                        await send(f"({format_count(missing, 'entry', 'entries')} no longer in the log)")
                    waiting += fresh
                    ready = [entry for entry in waiting if is_ready(entry)]
                    waiting = [entry for entry in waiting if not is_ready(entry)]
                    lines = [line(entry) for entry in ready if is_wanted(entry)]
                    for at in range(0, len(lines), MOST_LINES):
                        await send("\n".join(lines[at : at + MOST_LINES]))
                    _require_open(daemon, browser, tab)
                    await changed.wait()
    except TimeoutError:
        return ""


def _tabs_watched(
    browser: BrowserSession | None, changed: Callable[[], object]
) -> AbstractContextManager[None]:
    return browser.tabs.watched(changed) if browser else nullcontext()


def _require_open(daemon: Daemon, before: BrowserSession | None, tab: int | None) -> None:
    """Raise TabGone if no entry can follow: the tab is closed, or the browser was replaced."""
    if before and daemon.browser is not before:
        raise TabGone("All tabs of this context were closed", "Run 'tabs' to see what is open")
    if tab is not None:
        if before is None:
            raise TabGone(f"There is no tab {tab}: no browser is running", "Run 'goto <url>'")
        before.tabs.find(tab)
