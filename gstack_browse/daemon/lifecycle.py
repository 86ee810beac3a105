"""Track which commands run in the daemon, since when it is idle, and why it ends."""

import asyncio
import time

from gstack_browse.daemon.contexts.agent_context import AgentContext, RunningCommand, ShutdownReason


class Lifecycle:
    """Running commands, idle time and end of the daemon.

    `ended` is set once, with the reason: the process must then exit. `closing` is set earlier, with the same reason: from
    then on no request begins.
    """

    def __init__(self) -> None:
        self.ended: asyncio.Future[ShutdownReason] = asyncio.get_running_loop().create_future()
        self.closing: ShutdownReason | None = None
        self.started = self.now()
        self.running_commands: set[RunningCommand] = set()
        self.followers: set[RunningCommand] = set()
        """Commands that follow a log: they run until their client goes away."""
        self.last_used = self.now()
        self.commands_done = 0
        """How many commands have run."""
        self.upgrade_state = ""
        """Why the code on disk is newer than this daemon, for `status`; "" where it is not."""

    def now(self) -> float:
        """Return the time in seconds, by a clock that stops while the machine sleeps (CLOCK_MONOTONIC)."""
        return time.monotonic()

    def shut_down(self, why: ShutdownReason) -> None:
        """Make the daemon end for the reason `why`; no further request begins. Only the first call counts."""
        if not self.ended.done():
            self.ended.set_result(why)
            self.closing = why

    def interrupt_all(self, why: ShutdownReason) -> None:
        """Cancel all running commands for the reason `why`, and let no further request begin."""
        self.closing = why
        for run in [*self.running_commands, *self.followers]:
            run.interrupt(why)

    def interrupt_context(self, context: AgentContext) -> None:
        """Cancel the commands that act on tabs of `context`, which is about to close.

        Chromium would never answer what they wait for.
        """
        for run in (run for run in self.running_commands if run.context is context and run.uses_browser):
            run.interrupt(ShutdownReason.CONTEXT_CLOSED)

    def has_been_idle(self, seconds: float) -> bool:
        """Return whether no command runs, and none has run for `seconds`."""
        return not self.running_commands and self.now() - self.last_used >= seconds
