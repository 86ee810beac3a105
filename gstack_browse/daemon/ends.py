"""Why commands end early: because the daemon ends, or their browser context."""

from enum import Enum
from typing import Protocol

from gstack_browse.daemon.agent_context import AgentContext


class End(Enum):
    """The reason that commands end early. Its value completes "was interrupted: …". All but the last end the daemon, too."""

    STOPPED = "the daemon was stopped"
    TERMINATED = "the daemon was told to end by a signal"
    IDLE = "the daemon had nothing to do for too long"
    DIED = "the browser ended"
    REPLACED = "a new daemon took over"
    EVICTED = "the daemon's directory was removed or replaced"
    FAULT = "the daemon has a fault"
    CONTEXT_CLOSED = "its context was closed"


class Run(Protocol):
    """A request that is being answered."""

    @property
    def context(self) -> AgentContext:
        """The browser context that it is about."""

    @property
    def uses_browser(self) -> bool:
        """Whether the command acts on tabs of its browser context, and not only on the daemon."""

    def interrupt(self, why: End) -> None:
        """End it early, with an answer that says why."""
