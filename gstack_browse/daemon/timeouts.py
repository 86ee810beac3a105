"""How long a command may take; why it was not done in time, and what can be done about that. A script that a page is stuck in is stopped."""

import asyncio

from gstack_browse.browser.cdp.patience import ANSWERS
from gstack_browse.browser.engine import failures
from gstack_browse.browser.tabs.page import PageSession
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.errors import BrowseError, TimedOut
from gstack_browse.protocol import Request
from gstack_browse.registry import Bound
from gstack_browse.text.columns import shown_seconds

_STUCK_SECONDS = 0.3
"""How long a page has to answer; one that does not is stuck if it misses ANSWERS of the browser, too: to stop a script that is only slow would break the page."""
_TERMINATE_SECONDS = 1.0
_BROWSER_SECONDS = 3.0
_RESTART_SECONDS = 1.0
_EXTRA_SECONDS = 10.0
"""What a command gets beyond its own `--timeout`, so that it can say why it failed."""
_TO_SAY_WHY_SECONDS = 0.25
LEAVE = "Run 'goto <url>' to leave the page, or 'closetab' to close it"


def seconds(request: Request, bound: Bound) -> float:
    """The command's deadline: what the request says, else room for its `--timeout`, else its own."""
    if request.timeout is not None:
        return request.timeout / 1000
    if bound.timeout is not None:
        return bound.timeout + (0.0 if bound.command.runs_code else _EXTRA_SECONDS)
    return bound.command.timeout


def patience(request: Request, bound: Bound) -> float | None:
    """How long the caller wants a command of the daemon's to wait; less than the deadline, so that it can say what is missing."""
    if request.timeout is not None:
        return max(request.timeout / 1000 - _TO_SAY_WHY_SECONDS, 0.0)
    return bound.timeout


def not_started(name: str, seconds: float, log: str) -> TimedOut:
    """There is no browser yet. `log` is the daemon's."""
    return TimedOut(
        f"{name} did not finish in {shown_seconds(seconds)}: the browser is still starting",
        f"Try again, it goes on starting; {log} has what it says",
    )


def not_begun(name: str, seconds: float, tab: Tab) -> TimedOut:
    """The command had waited for its turn on the tab all the time."""
    busy = f"'{tab.lane.command}' is still running there" if tab.lane.command else "it is still loading"
    return TimedOut(
        f"{name} waited {shown_seconds(seconds)} for its turn on tab {tab.id}: {busy}",
        "Run 'closetab' to end it, or use another tab: gbrowse --tab N …",
    )


def not_finished(name: str, seconds: float) -> TimedOut:
    """Nothing more is known than that it takes longer."""
    return TimedOut(f"{name} did not finish in {shown_seconds(seconds)}", _longer(name))


def _longer(name: str) -> str:
    return f"Give it longer: gbrowse --timeout <ms> {name} …"


async def not_finished_on_page(name: str, seconds: float, page: PageSession) -> BrowseError:
    """Look at the page for the reason. A page that no longer answers has its script stopped.

    A command that was waiting for an element fails as it was about to: a busy machine takes longer to say why than is left for that.
    """
    tab = page.tab
    late = f"{name} did not finish in {shown_seconds(seconds)}"
    if awaited := tab.requests.awaited:
        return TimedOut(
            f"{late}: tab {tab.id} waits for {shown_url(awaited.url)}",
            "Go on waiting: 'wait --load'; or leave it: 'goto <url>'",
        )
    if await tab.world.answers(_STUCK_SECONDS) or not await tab.world.stays_silent(ANSWERS):
        if page.lacks:
            page.lacks.hint = page.lacks.hint or failures.SEE_ELEMENTS
        return page.lacks or not_finished(name, seconds)
    if not await tab.world.browser_answers(_BROWSER_SECONDS):
        return TimedOut(f"{late}: the browser does not answer", "Run 'restart' to start another one")
    if await _terminated(tab):
        return TimedOut(f"{late}: the page is stuck in a script, which was stopped", LEAVE)
    if await tab.world.restart_graphics() and await tab.world.answers(_RESTART_SECONDS):
        return TimedOut(f"{late}: a page kept Chromium's graphics busy, which were started anew", LEAVE)
    return TimedOut(f"{late}: the page does not answer; or the machine has no time for it", _longer(name))


async def _terminated(tab: Tab) -> bool:
    """Stop the script that a page is stuck in. False when its process does not answer."""
    stopping = asyncio.ensure_future(tab.world.terminate())
    try:
        await asyncio.wait({stopping}, timeout=_TERMINATE_SECONDS)
        return await tab.world.comes_true(stopping.done, ANSWERS) and stopping.result()
    finally:
        stopping.cancel()
