"""What a system refuses that has run short (room on a disk, memory, files, processes), in words, with what to type.

For whoever meets such a failure far from where it can be mended: the client, the starting daemon, and dispatch.
"""

import errno
import posix

from gstack_browse.errors import BrowseError, SetupFailed

ROOM = (errno.ENOSPC, errno.EDQUOT)

_OTHER_DISK = (
    "Make room there, or take another disk: TMPDIR for temporary files, BROWSE_STATE_FILE for the daemon's;"
    " then: gbrowse stop"
)
_REASONS = {
    errno.ENOSPC: ("There is no room left on the disk", _OTHER_DISK),
    errno.EDQUOT: ("Your quota of the disk is used up", _OTHER_DISK),
    errno.EROFS: ("The disk cannot be written to", "Take another directory: BROWSE_STATE_FILE=~/.gbrowse/browse.json"),
    errno.EFBIG: ("Files may not grow that large here", "Allow more, then have a new daemon: ulimit -f unlimited; gbrowse stop"),
    errno.EMFILE: ("Too few open files are allowed here", "Allow more, then have a new daemon: ulimit -n 4096; gbrowse stop"),
    errno.ENFILE: ("The system has too many files open", "End programs that are not needed, and try again"),
    errno.ENOMEM: ("There is not enough memory", "End programs that are not needed; or allow more: ulimit -v unlimited; gbrowse stop"),
    errno.EAGAIN: ("No more processes are allowed here", "End some that are not needed; or allow more: ulimit -u 4096; gbrowse stop"),
}  # fmt: skip


def explain(error: BaseException) -> BrowseError | None:
    """The failure that names what has run short; None for any other."""
    number = _number(error)
    if number not in _REASONS:
        return None
    message, hint = _REASONS[number]
    return SetupFailed(message + _where(error), hint)


def explain_any(error: BaseException) -> BrowseError:
    """The same, and for any other failure of the system what that says."""
    if found := explain(error):
        return found
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error).partition("\n")[0]
    return SetupFailed(
        f"{said or type(error).__name__}{_where(error)}", "See what is different here: gbrowse doctor"
    )


def _number(error: BaseException) -> int:
    if isinstance(error, MemoryError | SystemError):
        return errno.ENOMEM
    if isinstance(error, OSError):
        return error.errno or 0
    if isinstance(error, RuntimeError) and "new thread" in str(error):
        return errno.EAGAIN
    if isinstance(error, ImportError):  # of a file that the system did not open, which it says in words only
        return next((number for number in _REASONS if posix.strerror(number) in str(error)), 0)
    return 0


def _where(error: BaseException) -> str:
    name = error.filename if isinstance(error, OSError) else None
    if not isinstance(name, str) or not name:
        return ""
    return f": {name[:300] if name.isprintable() else ascii(name[:300])}"
