"""Read variables of a client's environment. A request does not carry them, and the daemon's own are those of its start."""

import os
from collections.abc import Mapping
from pathlib import Path

MOST_BYTES = 4_000_000


def read_environment(pid: int, prefix: str) -> Mapping[str, str]:
    """Return the variables of a process whose names begin with `prefix`; the daemon's own for no process (0).

    Empty if the process has ended, or belongs to somebody else.
    """
    if not pid:
        return {name: value for name, value in os.environ.items() if name.startswith(prefix)}
    try:
        with Path(f"/proc/{pid}/environ").open("rb") as file:
            entries = file.read(MOST_BYTES).split(b"\0")
    except OSError:
        return {}
    pairs = (os.fsdecode(entry).partition("=") for entry in entries)
    return {name: value for name, equals, value in pairs if equals and name.startswith(prefix)}
