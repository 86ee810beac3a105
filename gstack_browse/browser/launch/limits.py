"""Checks the limits of this process (ulimit) that keep Chromium from working.

It does not name the limit when it fails. A daemon has the limits of the client that started it.
"""

import resource

from gstack_browse.errors import SetupFailed
from gstack_browse.text.columns import format_bytes

REQUIRED_DESCRIPTORS = 256
"""Open files that Chromium needs. With 100 it starts, and then fails with errors that do not name the limit."""
REQUIRED = (
    (resource.RLIMIT_AS, 2 * 2**30, "address space", "ulimit -v unlimited"),
    (resource.RLIMIT_DATA, 2**28, "memory", "ulimit -d unlimited"),
)
"""With less, Chromium crashes, or the daemon itself cannot read requests."""
SUFFICIENT = (
    (resource.RLIMIT_AS, 2**40, "of address space", "ulimit -v unlimited"),
    (resource.RLIMIT_DATA, 8 * 2**30, "of memory", "ulimit -d unlimited"),
    (resource.RLIMIT_FSIZE, 2**30, "for a file", "ulimit -f unlimited"),
    (resource.RLIMIT_STACK, 2**20, "of stack", "ulimit -s 8192"),
)
"""Certainly enough. A smaller limit may be why a start failed: Chromium reserves far more addresses than it uses."""


def require_usable_limits() -> None:
    """Raise SetupFailed if a limit would make a start hang, or fail without naming the limit."""
    descriptors = _hard_limit(resource.RLIMIT_NOFILE)
    if descriptors < REQUIRED_DESCRIPTORS:
        raise SetupFailed(
            f"Chromium needs more open files than are allowed here: {descriptors:.0f}",
            _raise_limit_hint("ulimit -n 4096"),
        )
    for kind, least, words, command in REQUIRED:
        allowed = resource.getrlimit(kind)[0]
        if allowed != resource.RLIM_INFINITY and allowed < least:
            raise SetupFailed(
                f"Chromium needs more {words} than is allowed here: {format_bytes(allowed)}",
                _raise_limit_hint(command),
            )


def explain_by_limits() -> SetupFailed | None:
    """Return the error for a Chromium that did not start, if a limit may be the reason, else None."""
    for kind, enough, words, command in SUFFICIENT:
        allowed = resource.getrlimit(kind)[0]
        if allowed != resource.RLIM_INFINITY and allowed < enough:
            return SetupFailed(
                f"Chromium did not start with only {format_bytes(allowed)} {words}", _raise_limit_hint(command)
            )
    return None


def _hard_limit(kind: int) -> float:
    """Return the hard limit of a resource (`resource.RLIMIT_…`); infinity for none."""
    allowed = resource.getrlimit(kind)[1]
    return float("inf") if allowed == resource.RLIM_INFINITY else allowed


def _raise_limit_hint(command: str) -> str:
    return f"Allow more, then have a new daemon: {command}; gbrowse stop"
