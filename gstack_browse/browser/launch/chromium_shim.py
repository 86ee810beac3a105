"""Stands in for Chromium when the driver starts it: hands both ends of its debugging pipe over, then becomes Chromium.

`chromium_shim.py <socket> <program> <arguments>…`, with the driver's pipe at descriptors 3 (to Chromium) and 4 (from it).
Whoever listens at the socket gets four descriptors: these two, and the other ends of those that Chromium gets in
their place. Run by `python -I -S`; imports next to nothing, as every start of a browser waits for it.
"""

import posix
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket

TO_BROWSER, FROM_BROWSER = 3, 4
"""Where Chromium has its debugging pipe, with `--remote-debugging-pipe`."""


def main(place: str, program: str, arguments: "list[str]") -> None:
    """Hand over, and become `program`. Ends with a traceback, which the driver reports, where that fails."""
    to_read, to_write = posix.pipe()
    from_read, from_write = posix.pipe()
    handed = (TO_BROWSER, FROM_BROWSER, to_write, from_read)
    packed = b"".join(number.to_bytes(4, sys.byteorder) for number in handed)
    sock = socket(AF_UNIX, SOCK_STREAM)
    sock.connect(place)
    sock.sendmsg([b"\0"], [(SOL_SOCKET, SCM_RIGHTS, packed)])
    posix.dup2(to_read, TO_BROWSER)
    posix.dup2(from_write, FROM_BROWSER)
    posix.execv(program, [program, *arguments])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
