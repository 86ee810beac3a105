"""Limits of this process (ulimit) under which Chromium or its driver does not work: named, since neither of them says so.

A daemon keeps the limits of the client that started it.
"""

import resource

from gstack_browse.errors import SetupFailed
from gstack_browse.text.columns import format_bytes

LEAST_DESCRIPTORS = 256
"""Open files that Chromium needs; with 100 it starts, and then fails in ways that nobody understands."""
LEAST = (
    (resource.RLIMIT_AS, 2 * 2**30, "address space", "ulimit -v unlimited"),
    (resource.RLIMIT_DATA, 2**28, "memory", "ulimit -d unlimited"),
)
"""Without that Node hangs or crashes, or the daemon itself cannot read what it is asked."""
ENOUGH = (
    (resource.RLIMIT_AS, 2**40, "of address space", "ulimit -v unlimited"),
    (resource.RLIMIT_DATA, 8 * 2**30, "of memory", "ulimit -d unlimited"),
    (resource.RLIMIT_FSIZE, 2**30, "for a file", "ulimit -f unlimited"),
    (resource.RLIMIT_STACK, 2**20, "of stack", "ulimit -s 8192"),
)
"""What is certainly enough; a smaller limit may be why a start failed. Chromium reserves far more addresses than it uses."""


def refuse_hopeless() -> None:
    """Raise SetupFailed where a start would fail in ways that nobody understands, or hang."""
    descriptors = _hard(resource.RLIMIT_NOFILE)
    if descriptors < LEAST_DESCRIPTORS:
        raise SetupFailed(
            f"Chromium needs more open files than are allowed here: {descriptors:.0f}",
            _allow("ulimit -n 4096"),
        )
    for kind, least, words, command in LEAST:
        allowed = resource.getrlimit(kind)[0]
        if allowed != resource.RLIM_INFINITY and allowed < least:
            raise SetupFailed(
                f"Chromium needs more {words} than is allowed here: {format_bytes(allowed)}", _allow(command)
            )


def suspect(what: str) -> SetupFailed | None:
    """The failure of `what`, which did not start, if a limit may be the reason."""
    for kind, enough, words, command in ENOUGH:
        allowed = resource.getrlimit(kind)[0]
        if allowed != resource.RLIM_INFINITY and allowed < enough:
            return SetupFailed(
                f"{what} did not start with only {format_bytes(allowed)} {words}", _allow(command)
            )
    return None


def _hard(kind: int) -> float:
    allowed = resource.getrlimit(kind)[1]
    return float("inf") if allowed == resource.RLIM_INFINITY else allowed


def _allow(command: str) -> str:
    return f"Allow more, then have a new daemon: {command}; gbrowse stop"
