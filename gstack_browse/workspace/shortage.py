"""Explain errors of a system that is short of disk, memory, files or processes.

For code that meets such an error far from its cause: the client, the starting daemon, and dispatch.
"""

import errno
import posix

from gstack_browse.errors import BrowseError, SetupFailed

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
"""Error numbers of a full disk, and of a used-up quota."""
_LEAST_BYTES = 64_000
"""A disk with fewer free bytes counts as full: other programs may have freed some since a write failed."""
LEAST_INODES = 64
"""A disk with fewer free inodes is full for a browser, which makes 54 files before its first page."""

_OTHER_DISK = (
    "Make room there, or take another disk, for temporary files: export TMPDIR=<directory>;"
    " for the daemon's: export BROWSE_STATE_FILE=<file>; then: gbrowse stop"
)
OUT_OF_MEMORY = (
    "The kernel kills processes (signal 9) where memory is short: allow more, as a container's --memory does"
)
_REASONS = {
    errno.ENOSPC: ("There is too little room on the disk", _OTHER_DISK),
    errno.EDQUOT: ("Your quota of the disk is used up", _OTHER_DISK),
    errno.EROFS: ("The disk cannot be written to", "Take another directory: BROWSE_STATE_FILE=~/.gbrowse/browse.json"),
    errno.EFBIG: ("Files may not grow that large here", "Allow more, then have a new daemon: ulimit -f unlimited; gbrowse stop"),
    errno.EMFILE: ("Too few open files are allowed here", "Allow more, then have a new daemon: ulimit -n 4096; gbrowse stop"),
    errno.ENFILE: ("The system has too many files open", "End programs that are not needed, and try again"),
    errno.ENOMEM: ("There is not enough memory", "End programs that are not needed; or allow more: ulimit -v unlimited; gbrowse stop"),
    errno.EAGAIN: ("No more processes are allowed here", "End some that are not needed; or allow more: ulimit -u 4096, or a container's --pids-limit; then: gbrowse stop"),
}  # fmt: skip


def explain_shortage(error: BaseException) -> BrowseError | None:
    """Return an error that names the system's resource (disk, memory, files …) that ran short.

    None if `error` has another cause.
    """
    number = _error_number(error)
    if number not in _REASONS:
        return None
    message, hint = _REASONS[number]
    return SetupFailed(message + _describe_place(error), hint)


def explain_full_directory(directory: str) -> BrowseError | None:
    """Return an error that says that the disk of a directory is full; None if it has free space."""
    return explain_shortage(OSError(errno.ENOSPC, "", directory)) if _is_full(directory) else None


def read_free_space(path: str) -> tuple[int, int]:
    """Return the free bytes and free inodes of the disk of `path`; -1 for inodes that are not counted.

    Raises OSError.
    """
    disk = posix.statvfs(path)
    blocks = disk.f_bavail if posix.geteuid() else disk.f_bfree  # some are kept for root
    return blocks * disk.f_frsize, disk.f_favail if disk.f_files else -1


def explain_system_error(error: BaseException) -> BrowseError:
    """Return an error for the reply: on a shortage by `explain_shortage`, else with the exception's text."""
    if found := explain_shortage(error):
        return found
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error).partition("\n")[0]
    return SetupFailed(
        f"{message or type(error).__name__}{_describe_place(error)}",
        "See what is different here: gbrowse doctor",
    )


def _error_number(error: BaseException) -> int:
    """Return the `errno` that an exception has or stands for; 0 for none.

    A MemoryError stands for ENOMEM, a thread that cannot be started for EAGAIN.
    """
    if isinstance(error, MemoryError | SystemError):
        return errno.ENOMEM
    if isinstance(error, OSError):
        return error.errno or 0
    if isinstance(error, RuntimeError) and "new thread" in str(error):
        return errno.EAGAIN
    if isinstance(error, ImportError):  # of a file that the system did not open, which it says in words only
        return next((number for number in _REASONS if posix.strerror(number) in str(error)), 0)
    return 0


def _describe_place(error: BaseException) -> str:
    """Return `: PATH`, with the path that an exception is about, for the end of a message; "" if unknown."""
    name = error.filename if isinstance(error, OSError) else None
    is_disk_full = _error_number(error) == errno.ENOSPC
    if (
        is_disk_full and not name
    ):  # a write to an open file names none: look at the directories that gbrowse writes to
        variables = (b"TMPDIR", b"XDG_RUNTIME_DIR", b"XDG_CACHE_HOME", b"HOME")
        named = [posix.environ.get(variable, b"").decode(errors="surrogateescape") for variable in variables]
        usual = [*filter(None, named), "/tmp", "."]  # noqa: S108 - only looked at
        name = next(filter(_is_full, usual), None)
    if not isinstance(name, str) or not name:
        return ""
    shown = name[:300] if name.isprintable() else ascii(name[:300])
    return f": {shown}{_describe_free_space(name) if is_disk_full else ''}"


def _is_full(directory: str) -> bool:
    """Return whether the directory's disk has too few free bytes or inodes."""
    free = _try_read_free_space(directory)
    return free is not None and (free[0] < _LEAST_BYTES or 0 <= free[1] < LEAST_INODES)


def _describe_free_space(path: str) -> str:
    """Return in words how much of the disk of `path` is free, ` (12 kB free)`; inodes if used up."""
    free = _try_read_free_space(path) or _try_read_free_space(path.rpartition("/")[0])
    if free is None:
        return ""
    if 0 <= free[1] < LEAST_INODES:
        return f" (its inodes are used up but for {free[1]}: each file takes one)"
    return f" ({free[0] // 1000} kB free)"


def _try_read_free_space(path: str) -> tuple[int, int] | None:
    """Return the free bytes and free inodes of the disk of `path`; None if the system does not tell."""
    try:
        return read_free_space(path)
    except OSError:
        return None
