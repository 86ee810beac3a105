"""Opens, makes and replaces files by name within a directory that is open: no link is followed, nothing waits, nobody sees half of a file.

The one place that knows how. Which directory it is, whose a file may be and what a failure is called are its callers' to say:
`state` (the daemon's directory), `files` (what commands read and write), `local/private` (`~/.gstack`). Every function raises OSError. Only
built-in modules are imported: a daemon's first moments go through here.
"""

import posix
from _stat import S_IMODE

SAFE = posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC
"""O_NONBLOCK because opening a planted FIFO would otherwise wait for its other end."""
PASS = getattr(posix, "O_PATH", posix.O_RDONLY)
"""How a directory is opened that is only passed through: it may be one that we cannot list."""
_NEW = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL


def open_file(directory: int | None, name: str, flags: int = posix.O_RDONLY) -> int:
    """A descriptor of whatever has that name, but for a link; without a directory, of what is at that path.

    With O_CREAT it is made (0600) where there is nothing.
    """
    return posix.open(name, SAFE | flags, 0o600, dir_fd=directory)


def open_directory(name: str, directory: int | None = None, flags: int = posix.O_RDONLY) -> int:
    """A descriptor of the directory by that name, or at that path where none is given to begin at."""
    return posix.open(name, SAFE | posix.O_DIRECTORY | flags, dir_fd=directory)


def make_directory(name: str, directory: int | None = None) -> None:
    """Make the directory (0700); one that is there, or anything else, stays as it is."""
    try:
        posix.mkdir(name, 0o700, dir_fd=directory)
    except FileExistsError:
        pass  # whose it is, is looked at when it is opened


def close_to_others(fd: int, mode: int) -> None:
    """Take what is ours, and open, out of others' reach: leave them none of the permissions `mode`."""
    found = posix.fstat(fd)
    if found.st_uid == posix.geteuid() and found.st_mode & mode:
        posix.fchmod(fd, S_IMODE(found.st_mode) & ~mode)


def create(directory: int, name: str) -> int:
    """A descriptor that writes to a new file (0600). Raises FileExistsError where something has that name."""
    return open_file(directory, name, _NEW)


def draft(directory: int) -> tuple[str, int]:
    """A new file under a name that nobody else uses, and a descriptor that writes to it."""
    name = draft_name()
    return name, create(directory, name)


def draft_name() -> str:
    """A name that nobody else uses."""
    return f".gbrowse-{posix.urandom(6).hex()}"


def publish(directory: int, name: str, final: str) -> None:
    """Rename a draft to its final name, in the place of what is there. A draft that cannot be is removed."""
    try:
        posix.rename(name, final, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError:
        discard(directory, name)
        raise


def discard(directory: int, name: str) -> None:
    """Remove a draft, if it is still there."""
    try:
        posix.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        pass  # somebody else tidies up, too


def replace(directory: int, name: str, content: bytes) -> None:
    """Write a file (0600) in one step: a reader sees the old or the new one. A link of that name is replaced, not followed."""
    new, fd = draft(directory)
    try:
        write_all(fd, content)
    except BaseException:
        discard(directory, new)
        raise
    finally:
        posix.close(fd)
    publish(directory, new, name)


def write_all(fd: int, content: bytes) -> None:
    """Write all of it, in as many pieces as the system takes it."""
    left = memoryview(content)
    while left:
        left = left[posix.write(fd, left) :]
