"""Refuse clients that are not served: reply "busy" to each line, so that they try again."""

import socket
from contextlib import suppress

from gstack_browse import protocol
from gstack_browse.errors import Busy, UsageError
from gstack_browse.protocol import failure


def stopping_error() -> Busy:
    """Return the failure of a request that came while the daemon is ending."""
    return Busy("The daemon is just stopping", "Try again in a moment")


def full_error(count: int) -> Busy:
    """Return the failure of a request that found all `count` slots taken."""
    return Busy(
        f"{count} commands are running or waiting for their turn already",
        "See which: gbrowse status. Then try again, or end what hangs: gbrowse closetab <number>",
    )


def refuse_unanswered(client: socket.socket, already_read: bytes, why: Busy) -> bytes:
    """Return the replies for a connection that is not served: a refusal for each line received.

    Shut the receiving side down, so that the client notices when it sends more. `already_read`: bytes read before.
    """
    received = already_read + _read_pending(client)
    receive_no_more(client)
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
    pieces = []
    try:
        while piece := client.recv(protocol.MAX_LINE_BYTES, socket.MSG_DONTWAIT):
            pieces.append(piece)
    except OSError:
        pass  # nothing more is there
    return b"".join(pieces)


def receive_no_more(sock: socket.socket) -> None:
    """Shut the receiving side of a socket down."""
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
    """Return the encoded refusal of a line, and whether it is JSON."""
    try:
        request = protocol.decode_request(line)
    except UsageError:
        request = protocol.form_of(line)
    return protocol.encode_reply(request, failure(why)), request.reply == "json"
