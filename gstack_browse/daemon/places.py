"""Limit the connections that are served at a time, and those that are open. Pure: knows no sockets.

Only a connection with a request takes a slot, so forgotten connections keep no other out. Commands that inspect or end a busy
daemon have further slots, reserved for them.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

Client = TypeVar("Client")

AT_ONCE = 256
"""How many connections may run a command at a time."""
RESERVED_FOR_CONTROL = 16
"""Further slots for control commands: `status`, and those that end the daemon."""
MOST_OPEN = 1024


class ConnectionLimiter(Generic[Client]):
    """Connections by state, each in order of arrival: idle, served (with a slot), or waiting for a slot."""

    def __init__(self, most_open: int = MOST_OPEN) -> None:
        self._most_open = most_open
        self._idle: dict[Client, None] = {}
        self._served: set[Client] = set()
        self._waiting: dict[Client, None] = {}

    def on_connect(self, client: Client) -> Client | None:
        """Register a connection without a request. Return the one to close for it, or None."""
        chosen = None
        if len(self._idle) + len(self._served) + len(self._waiting) >= self._most_open:
            chosen = self.longest_idle() or next(reversed(self._waiting), None)
        self._idle[client] = None
        return chosen

    def longest_idle(self) -> Client | None:
        """Return the connection that has been idle for the longest; None if none is idle."""
        return next(iter(self._idle), None)

    def on_request(self, client: Client, is_control_command: Callable[[], bool]) -> bool:
        """Return whether there is a slot for a connection with a request; else it waits."""
        self._idle.pop(client, None)
        used_slots = len(self._served)
        if used_slots < AT_ONCE or (used_slots < AT_ONCE + RESERVED_FOR_CONTROL and is_control_command()):
            self._served.add(client)
            return True
        self._waiting[client] = None
        return False

    def on_idle(self, client: Client) -> Client | None:
        """Free the slot of a connection without further requests. Return the one that has it now, or None."""
        follower = self._free_slot(client)
        self._idle[client] = None
        return follower

    def on_close(self, client: Client) -> Client | None:
        """Forget a connection that is closed, or about to be. Return the one that has its slot now, or None."""
        self._idle.pop(client, None)
        self._waiting.pop(client, None)
        return self._free_slot(client)

    def _free_slot(self, client: Client) -> Client | None:
        """Free a connection's slot. Return the waiting connection that gets it, or None."""
        if client not in self._served:
            return None
        self._served.discard(client)
        follower = next(iter(self._waiting), None)
        if follower is not None and len(self._served) < AT_ONCE:
            del self._waiting[follower]
            self._served.add(follower)
            return follower
        return None
