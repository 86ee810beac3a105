"""Limit the connections served at a time: others are answered "busy", so that they try again."""

import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from gstack_browse import protocol
from gstack_browse.errors import Busy, UsageError
from gstack_browse.protocol import failure

Client = TypeVar("Client")

AT_ONCE = 256
"""How many connections may run a command at a time."""
RESERVED_FOR_CONTROL = 16
"""Further slots for control commands: `status`, and those that end the daemon."""
MOST_OPEN = 1024


class ConnectionLimiter(Generic[Client]):
    """Connections by state, each in order of arrival: idle, served (with a slot), or waiting for a slot.

    A slot allows one connection to run commands.
    """

    def __init__(self, most_open: int = MOST_OPEN) -> None:
        self._most_open = most_open
        self._idle: dict[Client, None] = {}
        self._served: set[Client] = set()
        self._waiting: dict[Client, None] = {}

    def on_connect(self, client: Client) -> Client | None:
        """Register a new connection as idle. Return another one to close if too many are open, else None."""
        chosen = None
        if len(self._idle) + len(self._served) + len(self._waiting) >= self._most_open:
            chosen = self.longest_idle() or next(reversed(self._waiting), None)
        self._idle[client] = None
        return chosen

    def longest_idle(self) -> Client | None:
        """Return the connection that has been idle for the longest; None if none is idle."""
        return next(iter(self._idle), None)

    def on_request(self, client: Client, is_control_command: Callable[[], bool]) -> bool:
        """Give a requesting connection a slot (the right to run commands). Return whether one was free.

        Else the connection waits for one. Control commands, such as `status`, have additional slots.
        """
        self._idle.pop(client, None)
        used_slots = len(self._served)
        if used_slots < AT_ONCE or (used_slots < AT_ONCE + RESERVED_FOR_CONTROL and is_control_command()):
            self._served.add(client)
            return True
        self._waiting[client] = None
        return False

    def on_idle(self, client: Client) -> Client | None:
        """Free the slot (the right to run commands) of a connection whose requests are answered.

        Return the waiting connection that gets the slot, or None.
        """
        follower = self._free_slot(client)
        self._idle[client] = None
        return follower

    def on_close(self, client: Client) -> Client | None:
        """Remove a connection that is closed, or about to be, and free its slot (the right to run commands).

        Return the waiting connection that gets the slot, or None.
        """
        self._idle.pop(client, None)
        self._waiting.pop(client, None)
        return self._free_slot(client)

    def _free_slot(self, client: Client) -> Client | None:
        """Free a connection's slot (the right to run commands). Return the waiting one that gets it, or None."""
        if client not in self._served:
            return None
        self._served.discard(client)
        follower = next(iter(self._waiting), None)
        if follower is not None and len(self._served) < AT_ONCE:
            del self._waiting[follower]
            self._served.add(follower)
            return follower
        return None


def stopping_error() -> Busy:
    """Return the error Busy: the daemon is ending and has not run the request; clients send it again."""
    return Busy("The daemon is just stopping", "Try again in a moment")


def full_error(count: int) -> Busy:
    """Return the error Busy for a request while `count` connections already run or queue commands."""
    return Busy(
        f"{count} commands are running or waiting for their turn already",
        "See which: gbrowse status. Then try again, or end what hangs: gbrowse closetab <number>",
    )


def refuse_unanswered(client: socket.socket, already_read: bytes, why: Busy) -> bytes:
    """Return encoded replies to a client that is not served: the error `why` for each line it has sent.

    Shuts the receiving side down, so that the client notices when it sends more. `already_read`: bytes read before.
    """
    received = already_read + _read_pending(client)
    shut_receiving_side(client)
    received += _read_pending(client)
    replies = []
    for line in received.split(b"\n"):
        if line.strip():
            reply, is_json = _encode_busy_reply(line, why)
            replies.append(reply)
            if not is_json:
                break
    return b"".join(replies)


def _read_pending(client: socket.socket) -> bytes:
    """Return the bytes that have arrived from the client, without waiting for more."""
    pieces = []
    try:
        while piece := client.recv(protocol.MAX_LINE_BYTES, socket.MSG_DONTWAIT):
            pieces.append(piece)
    except OSError:
        pass  # nothing more is there
    return b"".join(pieces)


def shut_receiving_side(sock: socket.socket) -> None:
    """Shut the receiving side of a socket down; ignore one that is closed."""
    with suppress(OSError):  # it is gone altogether
        sock.shutdown(socket.SHUT_RD)


def try_send(client: socket.socket, data: bytes) -> None:
    """Send `data` without waiting; ignore a client that has gone."""
    try:
        client.setblocking(False)
        client.sendall(data)
    except OSError:
        return  # it went away itself


def _encode_busy_reply(line: bytes, why: Busy) -> tuple[bytes, bool]:
    """Encode a reply with error `why` to a request line. Return it, and whether the line asked for JSON."""
    try:
        request = protocol.decode_request(line)
    except UsageError:
        request = protocol.guess_reply_form(line)
    return protocol.encode_reply(request, failure(why)), request.reply == "json"
