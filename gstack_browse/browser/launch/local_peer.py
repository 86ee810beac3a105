"""Finds the user at the other end of a TCP connection within this machine. Linux only."""

from pathlib import Path

TABLE = Path("/proc/net/tcp")
LOOPBACK = "0100007F"
"""127.0.0.1 as the table writes it on little-endian machines."""


def is_own_connection(port: int, own_port: int) -> bool:
    """Return whether the socket at `port`, connected to our `own_port`, is of our own user. Blocks.

    Other users of the machine can connect to a port on 127.0.0.1, too.
    """
    import os

    wanted = (f"{LOOPBACK}:{port:04X}", f"{LOOPBACK}:{own_port:04X}")
    try:
        lines = TABLE.read_text().splitlines()
    except OSError:
        return False
    for line in lines:
        fields = line.split()
        if tuple(fields[1:3]) == wanted:
            return fields[7] == str(os.geteuid())
    return False


def is_supported() -> bool:
    """Return whether this system has the table."""
    return TABLE.exists()
