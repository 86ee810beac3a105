"""What clients hear that are not served: that the daemon is busy, for every line that they have sent, so that they ask again."""

import socket
from contextlib import suppress

from gstack_browse import protocol
from gstack_browse.errors import Busy, UsageError
from gstack_browse.protocol import failure


def stopping() -> Busy:
    """The daemon is leaving."""
    return Busy("The daemon is just stopping", "Try again in a moment")


def full(count: int) -> Busy:
    """There are `count` places, and all are taken."""
    return Busy(
        f"{count} commands are running or waiting for their turn already",
        "See which: gbrowse status. Then try again, or end what hangs: gbrowse closetab <number>",
    )


def turned_away(client: socket.socket, begun: bytes, why: Busy) -> bytes:
    """The replies for a connection that is not served any more: a refusal for each line received.

    Nothing that it sends from now on is taken: its send fails, so it knows. `begun` is what was read before.
    """
    received = begun + _unread(client)
    receive_no_more(client)
    received += _unread(client)
    replies = []
    for line in received.split(b"\n"):
        if line.strip():
            reply, is_json = _busy(line, why)
            replies.append(reply)
            if not is_json:
                break
    return b"".join(replies)


def _unread(client: socket.socket) -> bytes:
    pieces = []
    try:
        while piece := client.recv(protocol.MAX_LINE_BYTES, socket.MSG_DONTWAIT):
            pieces.append(piece)
    except OSError:
        pass  # nothing more is there
    return b"".join(pieces)


def receive_no_more(sock: socket.socket) -> None:
    with suppress(OSError):  # it is gone altogether
        sock.shutdown(socket.SHUT_RD)


def send(client: socket.socket, data: bytes) -> None:
    try:
        client.setblocking(False)
        client.sendall(data)
    except OSError:
        return  # it went away itself


def _busy(line: bytes, why: Busy) -> tuple[bytes, bool]:
    """The answer "busy" to a line, and whether it was given in JSON."""
    try:
        request = protocol.decode_request(line)
    except UsageError:
        request = protocol.form_of(line)
    return protocol.encode_reply(request, failure(why)), request.reply == "json"
