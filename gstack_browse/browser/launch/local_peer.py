"""Who is at the other end of a connection within this machine. Linux."""

from pathlib import Path

TABLE = Path("/proc/net/tcp")
LOOPBACK = "0100007F"
"""127.0.0.1 as the table writes it, on machines with the low byte first."""


def is_of_this_user(port: int, own_port: int) -> bool:
    """Whether the socket on `port`, connected to our `own_port`, belongs to our own user. Other users of the machine may connect, too. Blocks."""
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


def is_known() -> bool:
    """Whether this machine says it."""
    return TABLE.exists()
