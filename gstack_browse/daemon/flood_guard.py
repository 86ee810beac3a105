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
from typing import Any

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
"""Of computing while two questions wait, one after the other: so much stood before them in the browser's queue. A page load takes a twentieth of that."""
SHARE = 0.2
"""Of that, the least that the renderer computes meanwhile which is the cause."""
STOPPED_SECONDS = 15.0
"""How long a renderer is stopped at most."""
SLOW_SECONDS = 10.0
"""How long a page is slowed down at first; each time again twice as long."""
MOST_DOUBLINGS = 6
CLOSED = "kept the browser busy for all other pages, slowed down too, and was closed"


class FloodGuard:
    """Measures the browser's queue at each `tick`, of which there are two a second, and acts beside that."""

    def __init__(self) -> None:
        self._question: asyncio.Future[dict[str, Any]] | None = None
        self._behind = self._behind_before = 0.0
        """Seconds that the browser process has computed while the question waited; and while the one before did."""
        self._computed = 0.0
        """Seconds that the browser process had computed when the question was asked."""
        self._renderers: dict[int, float] = {}
        """Renderer → seconds that it had computed when it was first seen that a question waits."""
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
        self._behind_before, self._behind = self._behind, 0.0
        if not self._behind_before:
            self._renderers = {}
        self._computed = _computed(running.chromium_pid)
        self._question = asyncio.ensure_future(running.connection.ask_browser("Browser.getVersion"))
        self._question.add_done_callback(consume_exception)

    def _look(self, running: Running, contexts: Sequence[AgentContext]) -> None:
        """The question waits: act where the browser computes meanwhile, and a renderer does."""
        self._behind = _computed(running.chromium_pid) - self._computed
        behind = self._behind + self._behind_before
        renderers = {pid: _computed(pid) for pid in _renderers(running.chromium_pid)}
        self._renderers = self._renderers or renderers
        spent = {pid: now - self._renderers.get(pid, 0.0) for pid, now in renderers.items()}
        busiest = max(spent, key=lambda pid: spent[pid], default=0)
        if busiest and behind >= BEHIND_SECONDS and spent[busiest] >= behind * SHARE:
            self._question, self._behind, self._renderers = None, 0.0, {}
            self._acting = asyncio.create_task(self._act(running.connection, contexts, busiest))

    async def _act(self, connection: Connection, contexts: Sequence[AgentContext], renderer: int) -> None:
        """Stop a renderer until the browser has worked its queue off; then have its pages go on slowly, or not at all."""
        with suppress(ProcessLookupError):
            os.kill(renderer, signal.SIGSTOP)
            try:
                async with asyncio.timeout(STOPPED_SECONDS):
                    await connection.ask_browser("Browser.getVersion")
                    for target in await _silent(connection):  # none, where it has workers only: it pauses
                        await self._restrain(connection, contexts, target)
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


def _computed(pid: int) -> float:
    """Return the seconds that the main thread of a process has computed (Linux: Documentation/scheduler/sched-stats.rst)."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_bytes().split()[0]) / 1e9
    except OSError:
        return 0.0


def _renderers(pid: int) -> Iterator[int]:
    """Find the renderers among the processes below one: they are forked by another child of Chromium's, the zygote."""
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_bytes().split()):
                if b"--type=renderer" in Path(f"/proc/{child}/cmdline").read_bytes():
                    yield child
                yield from _renderers(child)
