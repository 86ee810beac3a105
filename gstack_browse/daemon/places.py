"""Who may ask now, who waits for a place, and whom to let go where too many are connected. Pure: knows no sockets.

Only a connection that asks something takes a place, so connections that were forgotten keep nobody out. Commands by which one
looks at a busy daemon, or ends it, have places beyond those of the others.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

Guest = TypeVar("Guest")

AT_ONCE = 256
"""How many connections may have a command under way."""
OF_CONTROL = 16
"""How many more places there are for commands of control: `status`, and those that end the daemon."""
MOST_OPEN = 1024


class ClientPlaces(Generic[Guest]):
    """Connections by what they do: `idle`, with a place, or waiting for one. In the order in which they began to."""

    def __init__(self, most_open: int = MOST_OPEN) -> None:
        self._most_open = most_open
        self._idle: dict[Guest, None] = {}
        self._served: set[Guest] = set()
        self._waiting: dict[Guest, None] = {}

    def came(self, guest: Guest) -> Guest | None:
        """Take in a connection, which asks nothing yet. Returns whom to let go for that, if anybody."""
        chosen = None
        if len(self._idle) + len(self._served) + len(self._waiting) >= self._most_open:
            chosen = self.longest_idle() or next(reversed(self._waiting), None)
        self._idle[guest] = None
        return chosen

    def longest_idle(self) -> Guest | None:
        """The connection that has asked nothing for the longest time."""
        return next(iter(self._idle), None)

    def asks(self, guest: Guest, is_of_control: Callable[[], bool]) -> bool:
        """Whether there is a place for a connection that has something to ask; else it waits."""
        self._idle.pop(guest, None)
        taken = len(self._served)
        if taken < AT_ONCE or (taken < AT_ONCE + OF_CONTROL and is_of_control()):
            self._served.add(guest)
            return True
        self._waiting[guest] = None
        return False

    def rests(self, guest: Guest) -> Guest | None:
        """The connection has nothing more to ask. Returns the one that has its place now, if one was waiting."""
        follower = self._freed(guest)
        self._idle[guest] = None
        return follower

    def went(self, guest: Guest) -> Guest | None:
        """The connection is closed, or about to be. Returns the one that has its place now, if one was waiting."""
        self._idle.pop(guest, None)
        self._waiting.pop(guest, None)
        return self._freed(guest)

    def _freed(self, guest: Guest) -> Guest | None:
        if guest not in self._served:
            return None
        self._served.discard(guest)
        follower = next(iter(self._waiting), None)
        if follower is not None and len(self._served) < AT_ONCE:
            del self._waiting[follower]
            self._served.add(follower)
            return follower
        return None
