"""Why a daemon ends, and what it ends early for that."""

from enum import Enum
from typing import Protocol

from gstack_browse.daemon.agent_context import AgentContext


class End(Enum):
    """Why the daemon ends; the value completes "was interrupted: …"."""

    STOPPED = "the daemon was stopped"
    TERMINATED = "the daemon was told to end by a signal"
    IDLE = "the daemon had nothing to do for too long"
    DIED = "the browser ended"
    REPLACED = "a new daemon took over"
    EVICTED = "the daemon's directory was removed or replaced"
    FAULT = "the daemon has a fault"


class Run(Protocol):
    """A request that is being answered."""

    @property
    def context(self) -> AgentContext:
        """The browser context that it is about."""

    def interrupt(self, why: End) -> None:
        """End it early, with an answer that says why."""
