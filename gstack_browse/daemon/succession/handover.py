"""End the daemon on request: stop it, or hand over to a successor."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from gstack_browse.browser.state.context_state import ContextState
from gstack_browse.daemon.contexts import agent_context
from gstack_browse.daemon.contexts.agent_context import DISCONNECTED, ShutdownReason
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.socket.connection_limiter import stopping_error
from gstack_browse.daemon.socket.server import Server
from gstack_browse.daemon.succession.successor import Inheritance, PendingNotice, Successor
from gstack_browse.errors import Refused
from gstack_browse.workspace.directory import SOCKET, STATE_FILE

if TYPE_CHECKING:
    from gstack_browse.local_pages.board.board import BoardState

T = TypeVar("T")

RESTARTED = "the browser was restarted from another context: pages were loaded again, take a new snapshot"


class Handover:
    """Ends the daemon on request, with or without a successor.

    `lock`: descriptor of the lock that marks the daemon as alive. `listening`: descriptor of its socket.
    """

    def __init__(self, service: Service, server: Server, lock: int, listening: int) -> None:
        self._service = service
        self._server = server
        self._lock = lock
        self._listening = listening
        self._once = asyncio.Lock()
        self._successor: Successor | None = None
        """The new daemon between its start and its take-over; None for none."""

    async def stop(self) -> str:
        """End the browser, remove the socket, and delete all saved state; the process ends after its reply.

        Return a text on the work that was aborted. Raises Busy if the daemon is already ending in another way.
        """
        aborted = self._service.unfinished_work
        await _finish_despite_cancel(self._stop_all())
        return aborted

    async def restart(self, by: str) -> str:
        """Hand over to a new daemon. Return what it restores, and what work was aborted, as text.

        Commands that run meanwhile are cancelled. `by`: the context that asks; the others get a notice. Raises ActionFailed if the
        successor does not start, since the code on disk may be half upgraded; this daemon goes on then.
        """
        recordings, boards = self._service.unfinished_recordings, self._service.unanswered_boards
        is_attached = self._service.attachments.is_in_use
        captured = await _finish_despite_cancel(
            self._replace(PendingNotice(RESTARTED, except_context=by), lambda: True)
        )
        lines = [captured.summary()] if captured else []
        lines += [f"still open: {boards}"] if boards else []
        lines += [DISCONNECTED] if is_attached else []
        return "\n→ ".join(lines) + agent_context.ended_line(recordings)

    @property
    def is_running(self) -> bool:
        """Return whether a handover to a new daemon, or an orderly stop, is in progress."""
        return self._once.locked()

    async def upgrade(self, is_current: Callable[[], bool]) -> None:
        """Hand over to a new daemon with the new code, unless a command has run by the time it is loaded.

        `is_current`: returns whether the code on disk is still the one that the new daemon has loaded.
        """
        lifecycle = self._service.lifecycle
        done_before = lifecycle.commands_done

        def is_unused() -> bool:
            is_at_rest = not lifecycle.running_commands and lifecycle.commands_done == done_before
            return is_at_rest and is_current()

        note = PendingNotice("gbrowse was updated: its new version has taken over, pages were loaded again")
        await _finish_despite_cancel(self._replace(note, is_unused))

    def unpublish(self) -> None:
        """Remove the socket and the state file, so that new clients do not find this daemon."""
        names = (SOCKET, STATE_FILE) if self._service.state.is_still_ours() else (STATE_FILE,)
        for name in names:
            with suppress(OSError, Refused):  # somebody put something else there, or the directory is gone
                self._service.state.remove(name)

    async def _stop_all(self) -> None:
        """Accept no further commands, end the browser, and delete the crash record and the saved state."""
        async with self._once:
            self._refuse_if_closing()
            self.unpublish()
            self._service.lifecycle.interrupt_all(ShutdownReason.STOPPED)
            try:
                await self._service.close_browser()
                self._service.record.reset()
                if self._service.autosaver:
                    self._service.autosaver.discard()
                self._service.contexts.flush_logs_now()
            finally:  # a daemon that accepts no command must end, whatever fails
                self._service.lifecycle.shut_down(ShutdownReason.STOPPED)

    async def _replace(self, notice: PendingNotice, may_replace: Callable[[], bool]) -> ContextState | None:
        """Start a new daemon and hand over to it. Return the browser's state that was handed over.

        `notice`: for the next replies. `may_replace`: asked once the new daemon is loaded; if it returns False, kill that daemon
        and return None.
        """
        async with self._once:
            self._refuse_if_closing()
            settings, state = self._service.settings, self._service.state
            self._successor = successor = await Successor.start(settings, state, self._lock, self._listening)
            captured: ContextState | None = None
            try:
                captured = await self._service.capture()
                if not may_replace() or self._service.lifecycle.closing:
                    return None
                await self._hand_over(successor, captured, notice)
            finally:
                await self.kill_successor()
            return captured

    async def kill_successor(self) -> None:
        """Kill the new daemon if there is one that has not taken over: this one goes on, or ends alone."""
        successor, self._successor = self._successor, None
        if successor:
            await successor.kill()

    async def _hand_over(
        self, successor: Successor, captured: ContextState | None, notice: PendingNotice
    ) -> None:
        """Close the browser, and pass its state, the boards and a notice to the new daemon.

        `captured`: the state of all contexts; None if empty. If the new daemon fails, serve again and raise its error.
        """
        self._server.stop_accepting()
        self._service.lifecycle.closing = (
            ShutdownReason.REPLACED
        )  # persons at a board are answered first; no command begins meanwhile
        boards: "Sequence[BoardState]" = ()
        try:
            boards = await self._service.boards.release()
            self._service.lifecycle.interrupt_all(ShutdownReason.REPLACED)
            self._service.browser.keep_shared_tabs()
            await self._service.close_browser()
            self._service.record.mark_all_reported()
            if self._service.autosaver:
                self._service.autosaver.release()
            await successor.take_over(Inheritance(captured, notice, boards))
        except Exception:
            if not self._service.lifecycle.ended.done():
                await self._resume_service(captured, boards)
            raise
        self._successor = None
        self._service.record.forget_all()
        self._service.contexts.flush_logs_now()
        self._service.lifecycle.shut_down(ShutdownReason.REPLACED)

    async def _resume_service(self, captured: ContextState | None, boards: "Sequence[BoardState]") -> None:
        """Serve again, with the browser's state and boards as before: the new daemon failed to take over."""
        self._service.resume(captured)
        await self._service.boards.adopt(boards)
        if self._service.autosaver:
            self._service.autosaver.resume()
        await self._server.start_accepting()

    def _refuse_if_closing(self) -> None:
        """Raise Busy if the daemon is already ending."""
        if self._service.lifecycle.closing:
            raise stopping_error()


async def _finish_despite_cancel(work: Coroutine[None, None, T]) -> T:
    """Await `work` and return its result; let it finish even if the awaiting command is cancelled."""
    return await asyncio.shield(asyncio.ensure_future(work))
