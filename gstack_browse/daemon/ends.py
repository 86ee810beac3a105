"""Reasons to cancel commands: the daemon ends, or their browser context."""

from enum import Enum
from typing import Protocol

from gstack_browse.daemon.agent_context import AgentContext


class ShutdownReason(Enum):
    """Reason to cancel commands. All but the last end the daemon, too.

    The value completes the message "was interrupted: …".
    """

    STOPPED = "the daemon was stopped"
    TERMINATED = "the daemon was told to end by a signal"
    IDLE = "the daemon had nothing to do for too long"
    DIED = "the browser ended"
    REPLACED = "a new daemon took over"
    EVICTED = "the daemon's directory was removed or replaced"
    FAULT = "the daemon has a fault"
    CONTEXT_CLOSED = "its context was closed"


class RunningCommand(Protocol):
    """A request that is being answered."""

    @property
    def context(self) -> AgentContext:
        """The browser context in which it runs."""

    @property
    def uses_browser(self) -> bool:
        """Return whether the command acts on tabs of its browser context."""

    def interrupt(self, why: ShutdownReason) -> None:
        """Cancel it; its reply gives the reason."""
