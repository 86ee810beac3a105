"""Check, twice a second, the daemon's directory, its code on disk, the idle time, memory and logs."""

import asyncio

from gstack_browse.browser.session import heaps
from gstack_browse.daemon.base import error_log
from gstack_browse.daemon.base.memory import MemoryReleaser
from gstack_browse.daemon.browser.flood_guard import FloodGuard
from gstack_browse.daemon.browser.service import Service
from gstack_browse.daemon.contexts import context_limits
from gstack_browse.daemon.contexts.agent_context import AgentContext, ShutdownReason
from gstack_browse.daemon.succession.upgrader import Upgrader

TICK_SECONDS = 0.5
FLUSH_TICKS = 2
CODE_TICKS = 4


class BackgroundChecks:
    """A task that ticks twice a second; a tick costs a few stat calls and a measurement of memory."""

    def __init__(self, service: Service, upgrader: Upgrader) -> None:
        self._service = service
        self._upgrader = upgrader
        self._memory = MemoryReleaser()
        self._flood_guard = FloodGuard()
        self._collected: list[AgentContext] = []
        """Contexts whose garbage was collected at the last tick."""

    async def run(self) -> None:
        """Every TICK_SECONDS check idleness, memory and disk state, and save; return as the service ends."""
        tick = 0
        while not self._service.lifecycle.ended.done():
            await asyncio.sleep(TICK_SECONDS)
            tick += 1
            if self._service.lifecycle.closing:
                continue
            if not self._service.state.is_still_ours():
                self._service.lifecycle.shut_down(ShutdownReason.EVICTED)
                return
            if self._service.is_idle():
                self._service.lifecycle.shut_down(ShutdownReason.IDLE)
                return
            self.collect_garbage()
            self._service.context_opener.tick()
            self._service.memory_limit.tick(list(self._service.contexts))
            self._flood_guard.tick(list(self._service.contexts))
            if autosaver := self._service.autosaver:
                autosaver.tick(self._service.contexts, is_busy=bool(self._service.lifecycle.running_commands))
            if tick % FLUSH_TICKS == 0:
                await self._flush_logs()
            if tick % CODE_TICKS == 0:
                await self._upgrader.tick()

    def collect_garbage(self) -> None:
        """Collect the browser's garbage in the background, since a page may not answer."""
        contexts = list(self._service.contexts)
        busy = {run.context for run in self._service.lifecycle.running_commands}
        for context in contexts:
            if session := context.browser:
                is_idle = context not in busy
                session.background.start(heaps.collect_garbage(session.tabs, is_idle=is_idle))
        for context in self._collected:
            if context not in busy and (session := context.browser):
                session.background.start(heaps.collect_rest(session.tabs))
        self._collected = context_limits.select_for_collection(contexts, busy)
        for context in self._collected:
            if session := context.browser:
                session.background.start(heaps.collect_all(session.tabs))
        self._memory.release_if_grown(is_idle=not busy)

    async def _flush_logs(self) -> None:
        """Write what the logs of all contexts hold, and empty an error log that is too large."""
        await self._service.contexts.flush_logs()
        error_log.empty_large_log()
