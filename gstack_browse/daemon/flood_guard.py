"""Slows pages down that keep Chromium's browser process busy, which answers for all pages, and closes those that go on.

What a page changes there (titles, history, cookies, frames, messages) costs that process more than the page. What it has not worked off
waits in its memory, and the answers to everybody wait behind that. So this counts no messages of any kind, but measures the queue: how
much the process computes while a trivial question of ours waits. That says the same on a busy machine, where all answers are late.

The page is found from outside, as its own answers come too late, too: the renderer that computes most is stopped (SIGSTOP) until the
queue is worked off, and its pages are those that do not answer meanwhile. Works for a Chromium of our own on Linux; elsewhere does nothing.
"""

import asyncio
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.pace import TIMES_SLOWER
from gstack_browse.browser.cdp.patience import ANSWERS, comes_true
from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.launch.running import Running
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.daemon.agent_context import AgentContext

BEHIND_SECONDS = 0.4
"""Of computing while questions wait that are late in a row: so much stood before them in the queues. A page load takes a twentieth of that."""
SHARE = 0.2
"""Of that, the least that the renderer computes meanwhile which is the cause."""
STOPPED_SECONDS = 60.0
"""How long a renderer is stopped at most."""
SLOW_SECONDS = 10.0
"""How long a page is slowed down at first; each time again twice as long."""
MOST_DOUBLINGS = 6
BUSY_SECONDS = 0.02
"""Of computing from tick to tick: a browser process that computes less is asked nothing."""
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
CLOSED = "kept the browser busy for all other pages, slowed down too, and was closed"


class FloodGuard:
    """Measures the browser's queue at each `tick`, of which there are two a second, and acts beside that."""

    def __init__(self) -> None:
        self._question: asyncio.Future[object] | None = None
        self._is_late = False
        """Whether it was seen that the question waits."""
        self._computed: dict[int, float] = {}
        """Process → seconds that it had computed when the first of the questions was late that are late in a row."""
        self._browser_seconds = 0.0
        """What the browser process had computed at the last tick that found no question waiting."""
        self._slow: dict[Target, float] = {}
        """Page that is slowed down → when it is let go, by the event loop's clock."""
        self._times: dict[str, int] = {}
        """Target's id → how often that page was slowed down."""
        self._acting: asyncio.Task[None] | None = None

    def tick(self, contexts: Sequence[AgentContext]) -> None:
        """Measure the queue, and let pages go whose time is over."""
        running = next((context.browser.running for context in contexts if context.browser), None)
        if running is None or not running.chromium_pid or (self._acting and not self._acting.done()):
            return
        self._let_go(running.connection)
        if self._question and not self._question.done():
            self._look(running, contexts)
            return
        if not self._is_late:
            self._computed = {}
        self._is_late = False
        before, self._browser_seconds = self._browser_seconds, _seconds(running.chromium_pid)
        if self._browser_seconds - before >= BUSY_SECONDS:  # else it is not to be woken
            self._question = asyncio.ensure_future(_answer(running))
            self._question.add_done_callback(consume_exception)

    def _look(self, running: Running, contexts: Sequence[AgentContext]) -> None:
        """The question waits: act where the browser computes meanwhile, and a renderer does."""
        self._is_late = True
        renderers, services = _computed_by(running.chromium_pid)
        self._computed = self._computed or renderers | services
        spent = {pid: now - self._computed.get(pid, now) for pid, now in (renderers | services).items()}
        busiest = max(renderers, key=lambda pid: spent[pid], default=0)
        behind = sum(spent[pid] for pid in services)
        if busiest and behind >= BEHIND_SECONDS and spent[busiest] >= behind * SHARE:
            self._question, self._is_late = None, False
            self._acting = asyncio.create_task(self._act(running, contexts, busiest))

    async def _act(self, running: Running, contexts: Sequence[AgentContext], renderer: int) -> None:
        """Stop a renderer until the browser has worked its queue off; then have its pages go on slowly, or not at all."""
        with suppress(ProcessLookupError):
            os.kill(renderer, signal.SIGSTOP)
            try:
                async with asyncio.timeout(STOPPED_SECONDS):
                    await _answer(running)
                    for target in await _silent(
                        running.connection
                    ):  # none, where it has workers only: it pauses
                        await self._restrain(running.connection, contexts, target)
            except (TimeoutError, Error):
                pass  # it is let go; where it still floods then, it is found again
            finally:
                os.kill(renderer, signal.SIGCONT)

    async def _restrain(self, connection: Connection, contexts: Sequence[AgentContext], target: Target) -> None:
        """Slow a page down; close it where that has not been enough. Tell its agent."""
        context, tab = _owner(contexts, connection.targets.page_of(target))
        if target in self._slow and context and context.browser and tab:
            await context.browser.tab_factory.close(tab, CLOSED)
        elif target.pace.hold_back():
            times = self._times[target.id] = self._times.get(target.id, 0) + 1
            seconds = SLOW_SECONDS * 2 ** min(times - 1, MOST_DOUBLINGS)
            self._slow[target] = asyncio.get_running_loop().time() + seconds
            if context and tab:
                context.news = (
                    f"The page in tab {tab.id} keeps the browser busy for all other pages: "
                    f"its scripts run {TIMES_SLOWER} times slower for {seconds:.0f}s"
                )

    def _let_go(self, connection: Connection) -> None:
        """Have pages run as ever whose time is over, and forget those that are gone."""
        now = asyncio.get_running_loop().time()
        for target in [target for target, until in self._slow.items() if until <= now]:
            del self._slow[target]
            target.pace.let_go()
        self._times = {page: times for page, times in self._times.items() if connection.targets.knows(page)}


def _owner(contexts: Sequence[AgentContext], page: Target) -> tuple[AgentContext | None, Tab | None]:
    """Return the context and the tab that a page is in."""
    for context in contexts:
        if context.browser and (tab := context.browser.traffic.tab_of(page.id)):
            return context, tab
    return None, None


async def _silent(connection: Connection) -> list[Target]:
    """Return the pages, and frames in processes of their own, that do not answer while one renderer is stopped.

    Others may be late: so long as several are silent, the browser is asked ten times as often.
    """
    asked = {
        target: target.observed.send("Runtime.evaluate", {"expression": "0"})
        for target in connection.targets
        if target.pace.can_change
    }
    for answer in asked.values():
        answer.add_done_callback(consume_exception)

    def silent() -> list[Target]:
        return [target for target, answer in asked.items() if not answer.done()]

    await comes_true(connection, lambda: len(silent()) <= 1, 10 * ANSWERS)
    await comes_true(connection, lambda: not silent(), ANSWERS)
    return silent()


async def _answer(running: Running) -> object:
    """Wait in the queue of the browser process and in that of the network service: for the cookies of Chromium's own context.

    That has none, but where it is a person's lasting profile: then in the first queue only.
    """
    return await running.connection.ask_browser(
        "Browser.getVersion" if running.profile else "Storage.getCookies"
    )


def _computed_by(browser: int) -> tuple[dict[int, float], dict[int, float]]:
    """Return the seconds that Chromium's processes have computed: renderers; the browser process and its services (network, storage)."""
    renderers: dict[int, float] = {}
    services = {browser: _seconds(browser)}
    for pid in _below(browser):
        with suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"--type=renderer" in words:
                renderers[pid] = _seconds(pid)
            elif b"--type=utility" in words:
                services[pid] = _seconds(pid)
    return renderers, services


def _seconds(pid: int) -> float:
    """Return the seconds that a process has computed: proc_pid_stat(5), fields 14 and 15, which count from behind the name."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND


def _below(pid: int) -> Iterator[int]:
    """Return the processes below one: renderers are forked by another child of Chromium's, the zygote."""
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_bytes().split()):
                yield child
                yield from _below(child)
