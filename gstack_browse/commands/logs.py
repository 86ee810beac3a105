"""Logs: what pages said, asked for and popped up. Each holds the last 50,000 entries."""

from collections.abc import Iterable

from gstack_browse.commands.control import Daemon
from gstack_browse.logs.entries import AnyEntry, AnyRing
from gstack_browse.registry import READ, command
from gstack_browse.registry.arguments import TabId
from gstack_browse.text.columns import counted


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
        return _clear(daemon.logs.console, "console message")
    wanted = [entry for entry in daemon.logs.console if entry.is_error or not errors]
    return _print(wanted, tab, "console errors" if errors else "console messages")


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
        return _clear(daemon.logs.network, "request")
    wanted = [entry for entry in daemon.logs.network if entry.is_failed or not failed]
    return _print(wanted, tab, "failed requests" if failed else "requests")


@command(READ, examples=["dialog", "dialog --clear"], page_text=True)
async def dialog(daemon: Daemon, *, clear: bool = False) -> str:
    """Print the alerts, confirmations and prompts that pages showed, and how they were answered.

    clear: forget them instead of printing them
    """
    if clear:
        return _clear(daemon.logs.dialog, "dialog")
    return _print(daemon.logs.dialog, None, "dialogs")


def _print(entries: Iterable[AnyEntry], tab: int | None, what: str) -> str:
    return "\n".join(entry.line() for entry in entries if tab in (None, entry.tab)) or f"(no {what})"


def _clear(ring: AnyRing, what: str) -> str:
    count = len(ring)
    ring.clear()
    return f"Cleared {counted(count, what)}"
