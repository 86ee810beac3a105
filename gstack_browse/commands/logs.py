"""Logs: what pages said, asked for and popped up. Each holds the last 50,000 entries, of 10 million characters at most."""

from collections.abc import Callable
from typing import TypeVar

from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.commands.control import Daemon
from gstack_browse.errors import TabGone
from gstack_browse.logs.entries import ConsoleEntry, Level, NetworkEntry
from gstack_browse.logs.ring import Ring
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import TabId
from gstack_browse.text.columns import counted

Entry = TypeVar("Entry", ConsoleEntry, NetworkEntry)


@command(
    READ,
    kinds={"clear": META},
    examples=["console", "console --errors", "console --level warning", "console --clear"],
    page_text=True,
)
async def console(
    daemon: Daemon,
    *,
    errors: bool = False,
    level: Level | None = None,
    all_pages: bool = False,
    clear: bool = False,
    tab: TabId | None = None,
) -> str:
    """Print what the page said: console messages, uncaught exceptions and unhandled rejections.

    Of the document that the tab shows now, with its frames and workers; --all-pages adds the documents before it, other
    tabs, and service workers. Of a page that says more than 1,000 things a second not all is kept: entries of the level
    "lost" say so.

    errors: only errors, as with --level error
    level: only what is at least as serious
    all_pages: of all documents since the browser started; with --tab, of that tab's
    clear: forget what would be printed instead of printing it
    tab: that tab's instead of the active one's
    """
    least: Level = "error" if errors else level or "debug"
    what = {"error": "console error", "debug": "console message"}.get(least, f"console {least}")
    log, is_here = daemon.logs.console, _here(daemon, tab, all_pages=all_pages)
    return _reply(log, lambda entry: entry.reaches(least), is_here, what, clear=clear)


@command(
    READ,
    kinds={"clear": META},
    examples=["network", "network --failed", "network --all-pages"],
    page_text=True,
    aliases=["requests"],
)
async def network(
    daemon: Daemon,
    *,
    failed: bool = False,
    all_pages: bool = False,
    clear: bool = False,
    tab: TabId | None = None,
) -> str:
    """Print the page's requests with their status, time and size.

    Of the document that the tab shows now: the request for the document itself with its redirections, and what the
    document, its frames and workers have asked for. --all-pages adds the documents before it, other tabs, and service
    workers. What Chromium asks for by itself, and what extensions ask for, is not listed.

    failed: only those that failed or were answered with 4xx or 5xx
    all_pages: of all documents since the browser started; with --tab, of that tab's
    clear: forget what would be printed instead of printing it
    tab: that tab's instead of the active one's
    """
    what, is_here = "failed request" if failed else "request", _here(daemon, tab, all_pages=all_pages)
    log = daemon.logs.network
    return _reply(log, lambda entry: entry.is_failed or not failed, is_here, what, clear=clear)


@command(READ, kinds={"clear": META}, examples=["dialog", "dialog --clear"], page_text=True)
async def dialog(daemon: Daemon, *, clear: bool = False) -> str:
    """Print the alerts, confirmations and prompts that pages showed, and how they were answered.

    clear: forget them instead of printing them
    """
    log = daemon.logs.dialog
    if clear:
        return f"Cleared {counted(log.forget(lambda entry: True), 'dialog')}"
    return "\n".join(entry.line() for entry in log) or "(no dialogs)"


def _here(
    daemon: Daemon, named: int | str | None, *, all_pages: bool
) -> Callable[[ConsoleEntry | NetworkEntry], bool]:
    """Whether a log entry is from the wanted pages. Raises TabGone for a tab that is not open."""
    number = daemon.tab if named is None else _number(daemon.browser, named)
    if all_pages:
        return lambda entry: number in (None, entry.tab)
    document = _document(daemon.browser, number)
    return lambda entry: entry.document == document


def _document(browser: BrowserSession | None, number: int | None) -> int:
    """Our number of the document in a tab, the active one by default; -1 where there is none."""
    if browser is None:
        return -1
    tab = browser.tabs.get() if number is None else browser.tab(number)
    return tab.document if tab else -1


def _number(browser: BrowserSession | None, tab: int | str) -> int:
    """The number of a tab, which need not be open any more where it is known by number."""
    if isinstance(tab, int):
        return tab
    if browser is None:
        raise TabGone(f"There is no tab called {tab}", "No browser is running: run 'goto <url>'")
    return browser.tab(tab).id


def _reply(
    log: Ring[Entry],
    is_wanted: Callable[[Entry], bool],
    is_here: Callable[[Entry], bool],
    what: str,
    *,
    clear: bool,
) -> str:
    """The lines of the entries; or how many are forgotten. `what` names one of them."""
    if clear:
        return f"Cleared {counted(log.forget(lambda entry: is_wanted(entry) and is_here(entry)), what)}"
    wanted = [entry for entry in log if is_wanted(entry)]
    if lines := [entry.line() for entry in wanted if is_here(entry)]:
        return "\n".join(lines)
    return f"(no {what}s on this page; {len(wanted)} on others: --all-pages)" if wanted else f"(no {what}s)"
