"""Protect Chromium's browser process from pages and attached programs that flood it with work.

The browser process answers for all pages. What a page changes there (titles, history, cookies, frames, messages) costs that process
more time than it costs the page. The work waits in a queue, and answers to every client wait behind it.

    tick, twice a second ─► send a ping. Unanswered at the next tick?
    ─► how much processor time has the browser used meanwhile? Too much:
    ─► detach the attached programs that have many requests under way; if there is none,
    ─► stop the busiest renderer (SIGSTOP).
    ─► wait until the queue is empty ─► slow down the pages that do not answer; close them the second time.

- Processor time is measured, not the time of the answer: on a busy machine all answers are late, and that is no flood.
- Messages are not counted: each kind of them costs something else.
- A page is known by its renderer, from outside: its own answers would come too late, too.
- Works for a Chromium of our own on Linux (`/proc`). Elsewhere it does nothing.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.cdp.tasks import ANSWERS, wait_until
from gstack_browse.browser.cdp.throttling import TIMES_SLOWER
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.daemon.contexts.agent_context import AgentContext

FLOOD_CPU_SECONDS = 0.4
"""Processor time that the browser uses while our pings wait: from here on it is a flood. A page load uses a twentieth of that."""
RENDERER_SHARE = 0.2
"""The renderer that floods the browser uses at least this share of the browser's processor time itself."""
MOST_STOPPED_SECONDS = 60.0
SLOW_SECONDS = 10.0
"""How long a page is slowed down the first time. Each further time lasts twice as long."""
MOST_DOUBLINGS = 6
BUSY_CPU_SECONDS = 0.02
"""A browser process that used less processor time since the last tick is asked nothing: a ping would wake it."""
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
CLOSED = "kept the browser busy for all other pages, slowed down too, and was closed"


class FloodGuard:
    """Measures the browser's queue at each `tick` (two a second). Acts on a flood in a task of its own.

    `detach_flooders` detaches attached programs with many requests under way, and returns whether there was one.
    """

    def __init__(self, detach_flooders: Callable[[], bool]) -> None:
        self._detach_flooders = detach_flooders
        self._ping: asyncio.Future[object] | None = None
        self._was_late = False
        """Whether the last ping was unanswered at some tick."""
        self._cpu_at_first_late: dict[int, float] = {}
        """Process id → its processor time (s) at the first tick of the current row of late pings."""
        self._browser_cpu = 0.0
        """Processor time (s) of the browser process when the last ping was sent, or might have been."""
        self._slow_until: dict[Target, float] = {}
        """Page that is slowed down → end of that, by the event loop's clock."""
        self._slowdowns: dict[str, int] = {}
        """Target's id → how often that page was slowed down."""
        self._restraining: asyncio.Task[None] | None = None

    def tick(self, contexts: Sequence[AgentContext]) -> None:
        """Slow or close a page that keeps the browser process too busy for others. Called twice a second.

        The browser process is pinged: a late answer while it is busy means that a page floods it with messages.
        """
        running = next((context.browser.running for context in contexts if context.browser), None)
        if running is None or not running.chromium_pid:
            return
        if self._restraining and not self._restraining.done():
            return
        self._end_slowdowns(running.connection)
        if self._ping and not self._ping.done():
            self._check_late_ping(running, contexts)
            return
        if not self._was_late:
            self._cpu_at_first_late = {}
        self._was_late = False
        before, self._browser_cpu = self._browser_cpu, _cpu_seconds(running.chromium_pid)
        if self._browser_cpu - before >= BUSY_CPU_SECONDS:
            self._ping = asyncio.ensure_future(_wait_until_queues_empty(running))
            self._ping.add_done_callback(consume_exception)

    def _check_late_ping(self, running: RunningBrowser, contexts: Sequence[AgentContext]) -> None:
        """Detach a program that floods; else slow the busiest renderer's pages if it and the browser are busy.

        Called while the browser process has not answered the last ping.
        """
        self._was_late = True
        renderers, services = _cpu_by_process(running.chromium_pid)
        self._cpu_at_first_late = self._cpu_at_first_late or renderers | services
        used = {pid: now - self._cpu_at_first_late.get(pid, now) for pid, now in (renderers | services).items()}
        busiest = max(renderers, key=lambda pid: used[pid], default=0)
        browser_used = sum(used[pid] for pid in services)
        if browser_used < FLOOD_CPU_SECONDS:
            return
        if self._detach_flooders():  # a page that is busy with its requests is not to blame
            self._ping, self._was_late = None, False
        elif busiest and used[busiest] >= browser_used * RENDERER_SHARE:
            self._ping, self._was_late = None, False
            self._restraining = asyncio.create_task(self._restrain_pages_of(busiest, running, contexts))

    async def _restrain_pages_of(
        self, renderer: int, running: RunningBrowser, contexts: Sequence[AgentContext]
    ) -> None:
        """Stop a renderer that floods the browser until the queue is empty, then slow or close its pages.

        A page is slowed down, or closed if it is slowed down already. The renderer goes on after MOST_STOPPED_SECONDS at the
        latest; pages that were not reached by then stay as they are until a later tick. `renderer`: its process id.
        """
        with suppress(ProcessLookupError):
            os.kill(renderer, signal.SIGSTOP)
            try:
                async with asyncio.timeout(MOST_STOPPED_SECONDS):
                    await _wait_until_queues_empty(running)
                    # Empty for a renderer that has only workers: being stopped for so long is all that happens to it.
                    for target in await _find_unresponsive_targets(running.connection):
                        await self._restrain(running.connection, contexts, target)
            except (TimeoutError, ProtocolError):
                pass  # a renderer that goes on flooding is found again by a later tick
            finally:
                os.kill(renderer, signal.SIGCONT)

    async def _restrain(self, connection: Connection, contexts: Sequence[AgentContext], target: Target) -> None:
        """Slow the page `target`; close it if it is slowed already. Leave a notice for its context."""
        context, tab = _find_tab(contexts, connection.targets.page_of(target))
        if target in self._slow_until and context and context.browser and tab:
            await context.browser.tab_factory.close(tab, CLOSED)
        elif target.throttle.slow_down():
            times = self._slowdowns[target.id] = self._slowdowns.get(target.id, 0) + 1
            seconds = SLOW_SECONDS * 2 ** min(times - 1, MOST_DOUBLINGS)
            self._slow_until[target] = asyncio.get_running_loop().time() + seconds
            if context and tab:
                context.notice = (
                    f"The page in tab {tab.id} keeps the browser busy for all other pages: "
                    f"its scripts run {TIMES_SLOWER} times slower for {seconds:.0f}s"
                )

    def _end_slowdowns(self, connection: Connection) -> None:
        """Let pages run at full speed again that were slowed down for long enough; forget closed pages."""
        now = asyncio.get_running_loop().time()
        for target in [target for target, until in self._slow_until.items() if until <= now]:
            del self._slow_until[target]
            target.throttle.restore()
        self._slowdowns = {
            page: times for page, times in self._slowdowns.items() if connection.targets.is_open(page)
        }


def _find_tab(contexts: Sequence[AgentContext], page: Target) -> tuple[AgentContext | None, Tab | None]:
    """Return the context and the tab that show `page`; (None, None) if no tab does."""
    for context in contexts:
        if context.browser and (tab := context.browser.traffic.tab_of(page.id)):
            return context, tab
    return None, None


async def _find_unresponsive_targets(connection: Connection) -> list[Target]:
    """Return the pages and out-of-process frames that do not answer: those of the stopped renderer.

    Pages of other renderers may only be slow. While more than one does not answer, wait ten times as long.
    """
    pings = {
        target: target.session.send("Runtime.evaluate", {"expression": "0"})
        for target in connection.targets
        if target.throttle.can_change
    }
    for answer in pings.values():
        answer.add_done_callback(consume_exception)

    def unresponsive() -> list[Target]:
        return [target for target, answer in pings.items() if not answer.done()]

    await wait_until(connection, lambda: len(unresponsive()) <= 1, 10 * ANSWERS)
    await wait_until(connection, lambda: not unresponsive(), ANSWERS)
    return unresponsive()


async def _wait_until_queues_empty(running: RunningBrowser) -> object:
    """Wait until the browser process and its network service have processed their pending messages.

    They answer a ping then. The network service is asked for the cookies of Chromium's own context, where there are none. In a
    lasting profile those are a person's, and may be many: then only the browser process is asked.
    """
    return await running.connection.ask_browser(
        "Browser.getVersion" if running.profile else "Storage.getCookies"
    )


def _cpu_by_process(browser: int) -> tuple[dict[int, float], dict[int, float]]:
    """Return the processor times used so far: of renderers, and of the browser process with its services.

    Both: process id → seconds. `browser`: process id of the browser.
    """
    renderers: dict[int, float] = {}
    services = {browser: _cpu_seconds(browser)}
    for pid in _descendants(browser):
        with suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"--type=renderer" in words:
                renderers[pid] = _cpu_seconds(pid)
            elif b"--type=utility" in words:
                services[pid] = _cpu_seconds(pid)
    return renderers, services


def _cpu_seconds(pid: int) -> float:
    """Return the processor time (user and system) of a process so far, in seconds; 0.0 if it has ended."""
    try:
        fields = (
            Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        )  # behind the name, which may have blanks
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND


def _descendants(pid: int) -> Iterator[int]:
    """Yield the process ids of all descendants of a process.

    Not only its children: renderers are forked by the zygote, a child of the browser.
    """
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_bytes().split()):
                yield child
                yield from _descendants(child)
