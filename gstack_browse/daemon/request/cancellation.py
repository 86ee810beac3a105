"""Cancel a command early: by `stop`, a signal, a successor, `context-close`, or the browser's death."""

import asyncio

from gstack_browse.browser.launch.running import CHROMIUM
from gstack_browse.daemon.contexts.agent_context import AgentContext, ShutdownReason
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.socket.connection_limiter import stopping_error
from gstack_browse.errors import BrowseError, StateLost
from gstack_browse.registry import READ, BoundCall, Requires

_LAST_EVENTS_SECONDS = 0.3


class Cancellation:
    """Cancels one command for a reason, and makes the error of its reply. Create it in the command's task.

    `bound` is set once the command's words are bound, `ends_daemon` if the command ends the daemon itself.
    """

    def __init__(self, service: Service, context: AgentContext, name: str, *, is_step: bool) -> None:
        self.bound: BoundCall | None = None
        self.ends_daemon = False
        self.is_following = False
        """Whether the command goes on until its client goes away."""
        self._service = service
        self._context = context
        self._name = name
        self._is_step = is_step
        self._task = asyncio.current_task()
        self._reason: ShutdownReason | None = None
        self._requests_before = -1
        """Number of requests of pages when the handler was called; -1 until then."""
        self._cancelling: asyncio.TimerHandle | None = None

    def mark_handler_called(self) -> None:
        """Note that the command's handler is being called: from now on the command may have had an effect."""
        self._requests_before = self._context.logs.network.total

    def interrupt(self, reason: ShutdownReason) -> None:
        """Cancel the command for this reason, except where that would lose its reply.

        Commands that end the daemon reply themselves, and are cancelled only if the browser died. Commands that read only the
        daemon's own state reply at once, and are not cancelled by `stop` or a successor.
        """
        if self._only_reads and reason in (ShutdownReason.STOPPED, ShutdownReason.REPLACED):
            return
        if self._task and (not self.ends_daemon or reason is ShutdownReason.DIED):
            self._reason = reason
            delay = _LAST_EVENTS_SECONDS if reason is ShutdownReason.DIED and self._can_be_retried() else 0.0
            self._cancelling = asyncio.get_running_loop().call_later(delay, self._task.cancel)

    def disarm(self) -> None:
        """Prevent cancellations that `interrupt` has not done yet, and later ones: the reply is ready."""
        self._task = None
        if self._cancelling:
            self._cancelling.cancel()

    def take_error(self) -> BrowseError | None:
        """Return the error for a cancelled command's reply; None if its client has gone.

        The error is that of the reason given to `interrupt`. The task may go on afterwards, to send the reply.
        """
        if self._reason is None:
            return None
        while self._task and self._task.cancelling():
            self._task.uncancel()
        return self._error_for(self._reason)

    def find_error(self) -> BrowseError | None:
        """Return an error to report in place of the one that a command has raised; None to report that.

        There is one if the browser died or `interrupt` was called, which is why the command failed.
        """
        needs_browser = self.bound is not None and self.bound.command.needs_browser
        if self._service.browser.dead_process and needs_browser:
            return self._error_for(ShutdownReason.DIED)
        return self._error_for(self._reason) if self._reason else None

    def _error_for(self, reason: ShutdownReason) -> BrowseError:
        """Return the error of a command that was cancelled for this reason.

        It is Busy, upon which clients send the request again, if the command had no effect yet.
        """
        if reason is ShutdownReason.DIED:
            if self._can_be_retried():
                return self._service.crashes.repeated_crash_error() or stopping_error()
            return self._service.browser.take_loss_error(self._context)
        has_begun = self._requests_before >= 0 or self._is_step
        if not has_begun and reason not in (ShutdownReason.STOPPED, ShutdownReason.CONTEXT_CLOSED):
            return stopping_error()
        return StateLost(
            f"{self._name} was interrupted: {reason.value}",
            "It may have been half done. Run 'status' to see where things stand",
        )

    @property
    def _only_reads(self) -> bool:
        """Return whether the command only reads the daemon's own state, so that it replies at once."""
        bound = self.bound
        return not self.is_following and bool(
            bound and bound.kind is READ and bound.command.requires is Requires.DAEMON
        )

    def _can_be_retried(self) -> bool:
        """Return whether the command can run again in a new browser: this one died before it had an effect.

        False for steps, and for commands that are not marked `fresh`. Otherwise true if the handler was not called, or if
        Chromium died and pages made no request since the call.

        Chromium's last events come before the end of its pipe, so none is missing if the command failed by itself.
        """
        if self._is_step or self.bound is None or not self.bound.command.fresh:
            return False
        if self._requests_before < 0:
            return True
        return (
            self._service.browser.dead_process == CHROMIUM
            and self._requests_before == self._context.logs.network.total
        )
