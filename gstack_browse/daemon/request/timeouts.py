"""Compute the deadlines of commands, and find the reason if one is missed.

To find it, ask in turn: the server, the browser, its zygote, the page. If a page is stuck in a script, stop that script.
"""

import asyncio
import time
from collections.abc import Awaitable
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple, cast

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.tasks import is_browser_answering, run_with_timeout
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.engine import failures
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tab.tab import PERSON, Tab
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import BrowseError, TimedOut
from gstack_browse.protocol import Request
from gstack_browse.registry import BoundCall
from gstack_browse.text.units import format_seconds

_STUCK_SECONDS = 0.3
"""Time (s) for a page to answer. It is stuck only if the browser answers ANSWERS pings meanwhile: stopping a slow script would break the page."""
_RESTART_SECONDS = 1.0
_MANY_DIALOGS = 3
"""From this number on, dialogs in a row are the reason that a command is late."""
_REASON_SECONDS = 5.0
"""How long the search for the reason may take: each process may answer, but slowly."""
_EXTRA_SECONDS = 10.0
"""Margin beyond a command's `--timeout`, so that it can report why it failed."""
_TO_SAY_WHY_SECONDS = 0.25
LEAVE_PAGE_HINT = "Run 'goto <url>' to leave the page, or 'closetab' to close it"
NO_PAGES = "Chromium opens no page any more: a process of its own, the zygote, has ended"
RESTART = "Run 'restart' to start another browser; pages are loaded again"
_NO_ANSWER = "the browser does not answer"
_TRY_AGAIN = "It may still do this when it goes on. Try again; if that says the same, "


def deadline_seconds(request: Request, bound: BoundCall) -> float:
    """Return the time limit of a command in seconds.

    It is the request's, else the command's `--timeout` and a margin, else its default.
    """
    if request.timeout is not None:
        return request.timeout / 1000
    if bound.timeout is not None:
        return bound.timeout + (0.0 if bound.command.runs_code else _EXTRA_SECONDS)
    return bound.command.timeout


def wait_seconds(request: Request, bound: BoundCall) -> float | None:
    """Return for how many seconds a command without a page may wait for something; None: without limit.

    It is a little less than the request's time limit, so that the command can report what is missing; without that, `--timeout`.
    """
    if request.timeout is not None:
        return max(request.timeout / 1000 - _TO_SAY_WHY_SECONDS, 0.0)
    return bound.timeout


def start_timeout_error(name: str, seconds: float, log: str, waits_for: str) -> TimedOut:
    """Return the error of a command whose deadline passed while the browser was still starting.

    Args:
        name: of the command
        seconds: its deadline
        log: path of the daemon's log
        waits_for: the queue of a remote browser in which the start waits, in words; "" for none
    """
    if waits_for:
        return TimedOut(
            f"{name} did not finish in {format_seconds(seconds)}: {waits_for}",
            f"Try again, it goes on waiting; or give it longer: gbrowse --timeout <ms> {name} …",
        )
    return TimedOut(
        f"{name} did not finish in {format_seconds(seconds)}: the browser is still starting",
        f"Try again, it goes on starting; {log} has what it says",
    )


async def find_queue_timeout_error(name: str, seconds: float, tab: Tab, running: RunningBrowser) -> TimedOut:
    """Return the error of the command `name`, which has waited `seconds` for its turn on a tab.

    Asks the browser whether it still answers; takes up to BROWSER_SECONDS.
    """
    if tab.lock.command == PERSON:
        return TimedOut(
            f"{name} waited {format_seconds(seconds)}: a person acts in tab {tab.id}, in 'watch'",
            f"Wait until they give it back: gbrowse --timeout <ms> {name} …; or use another tab; 'watch --off' takes it back",
        )
    late = f"{name} waited {format_seconds(seconds)} for its turn on tab {tab.id}"
    if not await is_browser_answering(running.connection):
        return TimedOut(f"{late}: {_NO_ANSWER}", _TRY_AGAIN + running.replace_hint)
    busy = f"'{tab.lock.command}' is still running there" if tab.lock.command else "it is still loading"
    return TimedOut(
        f"{late}: {busy}",
        "Run 'closetab' to end it, or use another tab: gbrowse --tab N …",
    )


async def find_timeout_error(
    name: str, seconds: float, running: RunningBrowser | None, page: PageCommand | None = None
) -> BrowseError:
    """Find out why the command `name` exceeded `seconds`. Return the error; takes up to 5 s.

    Stops the script of a page that does not answer. If everything answers and the command was waiting for an element, return the
    error that it had ready (`page.lacks`): on a busy machine it had no time left to raise it.
    """
    why, hint = "", ""
    with suppress(TimeoutError):
        async with asyncio.timeout(_REASON_SECONDS):
            why, hint = await _find_reason(running, page.tab if page else None)
    if page and page.lacks and not why:
        page.lacks.hint = page.lacks.hint or failures.SEE_ELEMENTS
        return page.lacks
    late = f"{name} did not finish in {format_seconds(seconds)}"
    return TimedOut(
        f"{late}: {why}" if why else late, hint or f"Give it longer: gbrowse --timeout <ms> {name} …"
    )


async def find_deadline_error(request: Request, bound: BoundCall, browser: OpenContext | None) -> BrowseError:
    """Find out why a command without a page missed its deadline, and return the error. Takes up to 5 s."""
    running = browser.running if browser else None
    return await find_timeout_error(bound.command.name, deadline_seconds(request, bound), running)


class _LateReason(NamedTuple):
    """Why a command is late, and a hint; "" and "" if everything answers."""

    cause: str
    hint: str


async def _find_reason(running: RunningBrowser | None, tab: Tab | None) -> _LateReason:
    """Find out why a command is late: ask the browser, and the tab's page, whether they answer."""
    if tab and (awaited := tab.requests.awaited):
        waits = f"tab {tab.id} waits for {shown_url(awaited.url)}"
        return _LateReason(waits, "Go on waiting: 'wait --load'; or leave it: 'goto <url>'")
    if running is None:
        return _LateReason("", "")
    connection = running.connection
    if tab and (dialogs := tab.dialogs.count_in_a_row(time.monotonic())) >= _MANY_DIALOGS:
        return _LateReason(f"the page shows one dialog after another, {dialogs} by now", LEAVE_PAGE_HINT)
    if not await is_browser_answering(connection):
        return _LateReason(_NO_ANSWER, _TRY_AGAIN + running.replace_hint)
    if await running.has_lost_zygote():
        return _LateReason(NO_PAGES, RESTART)
    if tab and not await _answers_in_time(connection, tab.page.target.ping()):
        return _LateReason(await _unblock_page(tab), LEAVE_PAGE_HINT)
    return _LateReason("", "")


async def _answers_in_time(connection: Connection, question: Awaitable[object]) -> bool:
    """Return whether Chromium answers a command (`question`), or fails it, in time.

    It has _STUCK_SECONDS, and as much longer as the browser process takes to answer ANSWERS pings.
    """
    try:
        await run_with_timeout(connection, question, _STUCK_SECONDS)
    except TimeoutError:
        return False
    except ProtocolError:
        pass
    return True


async def _unblock_page(tab: Tab) -> str:
    """Stop the script that blocks a tab, or restart Chromium's GPU process. Return the cause, in words."""
    if await tab.world.terminate():
        return "the page is stuck in a script, which was stopped"
    if await tab.world.restart_busy_gpu_process() and await tab.world.answers_ping(_RESTART_SECONDS):
        return "a page kept Chromium's graphics busy, which were started anew"
    tab.is_stuck = True
    return "the page does not answer, and its script cannot be stopped; or the machine has no time for it"


LATE_SECONDS = 0.1
"""A deadline that is noticed so much later (s) was missed because the daemon did not run."""
EXTRA_SECONDS = 0.25
"""Time (s) to end by itself that a command gets then: its own waits end so much earlier, to say why (see `PageCommand.remaining`)."""

CLEAN_UP_SECONDS = 3.0
"""Time (s) that a cancelled command has to clean up: what it waits for may never come."""


class Deadline:
    """Context manager: cancel its block at a time, and raise TimeoutError.

    If the daemon did not run, the command's own waits have ended at the same moment. `asyncio` would cancel the command in the same
    turn of the loop, before it could say why it failed.
    """

    def __init__(self, when: float) -> None:
        """Set the time of the deadline, on the event loop's clock (seconds)."""
        self._loop = asyncio.get_running_loop()
        self._when = when
        self._limit = asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None
        self._task = cast("asyncio.Task[object]", asyncio.current_task())
        self._more = 0
        """Number of cancellations after the first one."""

    async def __aenter__(self) -> "Deadline":
        await self._limit.__aenter__()
        self._timer = self._loop.call_at(self._when, self._expire)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()
        for _ in range(self._more):
            self._task.uncancel()
        await self._limit.__aexit__(kind, error, trace)

    def remove(self) -> None:
        """Lift the deadline: the rest of the `async with` block may take any time."""
        if self._timer:
            self._timer.cancel()

    def _expire(self) -> None:
        """Cancel the `async with` block, since the deadline is reached.

        If the machine was paused until long after the deadline, cancel after EXTRA_SECONDS: the block gets time to fail by itself.
        """
        if self._loop.time() - self._when > LATE_SECONDS:
            self._timer = self._loop.call_later(EXTRA_SECONDS, self._cancel)
        else:
            self._cancel()

    def _cancel(self) -> None:
        """Cancel the `async with` block, and again whenever it has cleaned up for CLEAN_UP_SECONDS."""
        self._limit.reschedule(self._loop.time())
        self._timer = self._loop.call_later(CLEAN_UP_SECONDS, self._cancel_again)

    def _cancel_again(self) -> None:
        """Cancel the clean-up in which the block waits."""
        self._more += 1
        self._task.cancel()
        self._timer = self._loop.call_later(CLEAN_UP_SECONDS, self._cancel_again)
