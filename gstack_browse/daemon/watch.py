"""What the daemon looks at beside its work: its directory, its own code on disk, the idle clock, the logs to flush."""

import asyncio
import os
from pathlib import Path

import gstack_browse
from gstack_browse.daemon.handover import Handover
from gstack_browse.daemon.service import End, Service
from gstack_browse.errors import ActionFailed

TICK_SECONDS = 0.5
FLUSH_TICKS = 2
CODE_TICKS = 4


class Watch:
    """A task that ticks twice a second; a tick costs a few stat calls."""

    def __init__(self, service: Service, handover: Handover) -> None:
        self._service = service
        self._handover = handover
        self._code = code_stamp()
        self._seen = self._code

    async def run(self) -> None:
        tick = 0
        while not self._service.ended.done():
            await asyncio.sleep(TICK_SECONDS)
            tick += 1
            if not self._service.state.still_ours():
                self._service.end(End.EVICTED)
                return
            if tick % FLUSH_TICKS == 0:
                self._service.record.write(self._service.browser)
                await self._service.journal.flush()
            if self._service.is_idle():
                self._service.end(End.IDLE)
                return
            if tick % CODE_TICKS == 0:
                await self._upgrade()

    def _with_person(self) -> bool:
        """A window that a person uses is not closed under their hands."""
        return bool(self._service.browser and self._service.browser.is_in_use_by_person)

    async def _upgrade(self) -> None:
        """Hand over to a successor once the code on disk has changed, stands still, and nothing runs."""
        stamp = await asyncio.to_thread(code_stamp)
        settled, self._seen = stamp == self._seen, stamp
        if stamp == self._code or not settled or self._service.running or self._with_person():
            return
        try:
            await self._handover.replace(
                "gbrowse was updated: its new version has taken over, pages were loaded again"
            )
        except ActionFailed:
            self._code = stamp  # cannot be loaded: look again when it changes


def code_stamp() -> tuple[int, int]:
    """Newest modification time (ns) and number of the package's files."""
    newest = count = 0
    for root, _, names in os.walk(Path(gstack_browse.__file__).parent):
        for name in names:
            if name.endswith((".py", ".js")):
                try:
                    newest = max(newest, os.stat(os.path.join(root, name)).st_mtime_ns)
                except OSError:
                    continue
                count += 1
    return newest, count
