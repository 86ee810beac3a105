"""The ends of a daemon that are asked for: stopping, and handing over to a successor. No requests, no sockets' bytes."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from gstack_browse.browser.tabs.session_state import SessionState
from gstack_browse.daemon import unfinished
from gstack_browse.daemon.busy import stopping
from gstack_browse.daemon.ends import End
from gstack_browse.daemon.server import Server
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.successor import Inheritance, News, Successor
from gstack_browse.errors import Refused
from gstack_browse.workspace import SOCKET, STATE_FILE

if TYPE_CHECKING:
    from gstack_browse.board.state import BoardState

T = TypeVar("T")

RESTARTED = "the browser was restarted from another context: pages were loaded again, take a new snapshot"


class Handover:
    """Ends the daemon on request. `lock` is the descriptor that says it is alive."""

    def __init__(self, service: Service, server: Server, lock: int, listening: int) -> None:
        self._service = service
        self._server = server
        self._lock = lock
        self._listening = listening
        self._once = asyncio.Lock()

    async def stop(self) -> str:
        """Everything but the process itself is gone when this returns: name of the socket, browser, record.

        Returns what has ended unfinished, in words. Raises Busy when the daemon is ending in another way: whoever comes next can be asked.
        """
        left = self._service.unfinished
        await _to_the_end(self._stop())
        return left

    async def restart(self, by: str) -> str:
        """Start a successor and wait until it serves. Returns what it carries over, and what ends. `by`: the context that asks; the others are told once.

        What runs meanwhile is interrupted. Raises ActionFailed, with this daemon going on, when the successor
        does not start: the code on disk may be half upgraded.
        """
        recordings, boards = self._service.recordings, self._service.unanswered
        carried = await _to_the_end(self._replace(News(RESTARTED, knows=by), lambda: True))
        lines = [carried.summary()] if carried else []
        lines += [f"still open: {boards}"] if boards else []
        return "\n→ ".join(lines) + unfinished.line(recordings)

    async def upgrade(self, note: str) -> bool:
        """The same, unless a command runs or has run meanwhile: False. `note` is what the successor says once."""
        service = self._service
        last_used = service.last_used

        def is_unused() -> bool:
            return not service.runs and service.last_used == last_used

        await _to_the_end(self._replace(News(note), is_unused))
        return service.ended.done()

    def vanish(self) -> None:
        """Take the name of the socket and the description away, so that whoever comes now finds nobody."""
        names = (SOCKET, STATE_FILE) if self._service.state.is_still_ours() else (STATE_FILE,)
        for name in names:
            with suppress(OSError, Refused):  # somebody put something else there, or the directory is gone
                self._service.state.remove(name)

    async def _stop(self) -> None:
        async with self._once:
            self._must_stay()
            self.vanish()
            self._service.interrupt_all(End.STOPPED)
            await self._service.close_browser()
            self._service.record.remove()
            if self._service.keeper:
                self._service.keeper.forget()
            self._service.contexts.flush_now()
            self._service.end(End.STOPPED)

    async def _replace(self, news: News, may_go: Callable[[], bool]) -> SessionState | None:
        async with self._once:
            self._must_stay()
            settings, state = self._service.settings, self._service.state
            successor = await Successor.start(settings, state, self._lock, self._listening)
            carried: SessionState | None = None
            try:
                carried = await self._service.capture()
                if not may_go() or self._service.closing:
                    return None
                await self._hand_over(successor, carried, news)
            finally:
                if not self._service.ended.done():
                    await successor.give_up()
            return carried

    async def _hand_over(self, successor: Successor, carried: SessionState | None, news: News) -> None:
        self._server.pause()
        self._service.closing = (
            End.REPLACED
        )  # who waits at a board is answered first; nothing is begun meanwhile
        boards: "Sequence[BoardState]" = ()
        try:
            boards = await self._service.boards.release()
            self._service.interrupt_all(End.REPLACED)
            self._service.leave_tabs()
            await self._service.close_browser()
            self._service.record.all_told()
            if self._service.keeper:
                self._service.keeper.release()
            await successor.take_over(Inheritance(carried, news, boards))
        except Exception:
            await self._stay(carried, boards)
            raise
        self._service.record.settle_all()
        self._service.contexts.flush_now()
        self._service.end(End.REPLACED)

    async def _stay(self, carried: SessionState | None, boards: "Sequence[BoardState]") -> None:
        """Go on: whatever kept the successor from it, somebody has to serve."""
        self._service.go_on(carried)
        await self._service.boards.take(boards)
        if self._service.keeper:
            self._service.keeper.resume()
        await self._server.accept()

    def _must_stay(self) -> None:
        if self._service.closing:
            raise stopping()


async def _to_the_end(work: Coroutine[None, None, T]) -> T:
    """Do work that must not be left half done when the client that asked for it goes away."""
    return await asyncio.shield(asyncio.ensure_future(work))
