"""Passes the debugging pipe from the driver to the daemon, then becomes Chromium.

`chromium_shim.py <socket> <program> <arguments>…`, with the driver's pipe at descriptors 3 (to Chromium) and 4 (from Chromium).
The daemon, which listens at the socket, receives the arguments and four descriptors: these two, and the daemon's ends of two new pipes.
Chromium gets the other ends as its own 3 and 4.
An empty `program` means that Chromium runs already. Then only the first two descriptors are passed. This process becomes a shell
that waits until the socket closes, since the driver would take its end for that of Chromium.
Run by `python -I -S`; imports next to nothing, since every start of a browser waits for it.
"""

import posix
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket

TO_BROWSER, FROM_BROWSER = 3, 4
"""Chromium's descriptors for its debugging pipe, with `--remote-debugging-pipe`."""
MOST_BYTES = 64 << 10
"""Limit for the arguments. Longer ones are not sent at all."""
_WAIT = ["sh", "-c", "read _"]


def main(place: str, program: str, arguments: "list[str]") -> None:
    """Pass the pipe to the daemon, and become `program`.

    A failure ends in a traceback, which the driver reports.
    """
    sock = socket(AF_UNIX, SOCK_STREAM)
    sock.connect(place)
    said = "\0".join(arguments).encode(errors="surrogateescape")
    said = said if len(said) < MOST_BYTES else b""
    if not program:
        _hand_over(sock, said, (TO_BROWSER, FROM_BROWSER))
        posix.dup2(sock.fileno(), 0)
        posix.close(TO_BROWSER)
        posix.close(FROM_BROWSER)
        posix.execv("/bin/sh", _WAIT)
    to_read, to_write = posix.pipe()
    from_read, from_write = posix.pipe()
    _hand_over(sock, said, (TO_BROWSER, FROM_BROWSER, to_write, from_read))
    posix.dup2(to_read, TO_BROWSER)
    posix.dup2(from_write, FROM_BROWSER)
    posix.execv(program, [program, *arguments])


def _hand_over(sock: socket, said: bytes, descriptors: "tuple[int, ...]") -> None:
    packed = b"".join(number.to_bytes(4, sys.byteorder) for number in descriptors)
    sock.sendmsg([len(said).to_bytes(4, "big") + said], [(SOL_SOCKET, SCM_RIGHTS, packed)])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
