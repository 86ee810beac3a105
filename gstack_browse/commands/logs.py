"""Logs: what pages said, asked for and popped up. Each holds the last 50,000 entries."""

from collections.abc import Iterable

from gstack_browse.commands.control import Daemon
from gstack_browse.logs.entries import ConsoleEntry, DialogEntry, NetworkEntry
from gstack_browse.logs.ring import Ring
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import TabId


@command(READ, examples=["console", "console --errors", "console --clear"], page_text=True)
async def console(
    daemon: Daemon, *, errors: bool = False, clear: bool = False, tab: TabId | None = None
) -> str:
    """Print console messages, uncaught exceptions and unhandled rejections.

    Of a page that says more than 1,000 things a second not all is kept: entries of the level "lost" say so.

    errors: only errors
    clear: forget the messages instead of printing them
    tab: only that tab's
    """
    if clear:
        return _clear(daemon.logs.console, "console messages")
    entries: Iterable[ConsoleEntry] = daemon.logs.console
    wanted = (entry for entry in entries if (entry.is_error or not errors) and tab in (None, entry.tab))
    return "\n".join(entry.line() for entry in wanted) or (
        "(no console errors)" if errors else "(no console messages)"
    )


@command(READ, examples=["network", "network --failed"], page_text=True)
async def network(
    daemon: Daemon, *, failed: bool = False, clear: bool = False, tab: TabId | None = None
) -> str:
    """Print requests with their status, time and size.

    failed: only those that failed or were answered with 4xx or 5xx
    clear: forget the requests instead of printing them
    tab: only that tab's
    """
    if clear:
        return _clear(daemon.logs.network, "requests")
    entries: Iterable[NetworkEntry] = daemon.logs.network
    wanted = (entry for entry in entries if (entry.is_failed or not failed) and tab in (None, entry.tab))
    return "\n".join(entry.line() for entry in wanted) or (
        "(no failed requests)" if failed else "(no requests)"
    )


@command(READ, examples=["dialog", "dialog --clear"], page_text=True)
async def dialog(daemon: Daemon, *, clear: bool = False) -> str:
    """Print the alerts, confirmations and prompts that pages showed, and how they were answered.

    clear: forget them instead of printing them
    """
    if clear:
        return _clear(daemon.logs.dialog, "dialogs")
    entries: Iterable[DialogEntry] = daemon.logs.dialog
    return "\n".join(entry.line() for entry in entries) or "(no dialogs)"


def _clear(ring: Ring[ConsoleEntry] | Ring[NetworkEntry] | Ring[DialogEntry], what: str) -> str:
    count = len(ring)
    ring.clear()
    return f"Cleared {count} {what}"
