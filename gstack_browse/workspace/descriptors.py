"""Open, create and replace files by name within an open directory, without following links.

No link is followed, nothing blocks, and readers never see half a file. Callers decide which directory it is, who may own
a file, and what a failure is called: `state` (the daemon's directory), `files` (files of commands), `private_files`
(`~/.gstack`). Every function raises OSError. Only built-in modules are imported: a daemon's start goes through here.
"""

import posix
from _stat import S_IMODE

SAFE = posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC
"""O_NONBLOCK because opening a planted FIFO would otherwise wait for its other end."""
PASS = getattr(posix, "O_PATH", posix.O_RDONLY)
"""How to open a directory that is only traversed: we may lack the permission to list it."""
_NEW = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL


def open_file(directory: int | None, name: str, flags: int = posix.O_RDONLY, mode: int = 0o600) -> int:
    """Open a file that is no symbolic link; O_CREAT creates it (`mode`) if missing. Return the descriptor.

    `name`: relative to the descriptor `directory`; a path if that is None.
    """
    return posix.open(name, SAFE | flags, mode, dir_fd=directory)


def open_directory(name: str, directory: int | None = None, flags: int = posix.O_RDONLY) -> int:
    """Open a directory that is no symbolic link. Return the descriptor.

    `name`: relative to the descriptor `directory`; a path if that is None.
    """
    return posix.open(name, SAFE | posix.O_DIRECTORY | flags, dir_fd=directory)


def make_directory(name: str, directory: int | None = None) -> bool:
    """Create a directory (0700), unless something of that name exists. Return whether it was created.

    `name`: relative to the descriptor `directory`; a path if that is None.
    """
    try:
        posix.mkdir(name, 0o700, dir_fd=directory)
    except FileExistsError:
        return False  # its owner is checked when it is opened
    return True


def remove_permissions(fd: int, mode: int) -> None:
    """Remove the permission bits `mode` from an open file or directory, if it is ours; else do nothing."""
    found = posix.fstat(fd)
    if found.st_uid == posix.geteuid() and found.st_mode & mode:
        posix.fchmod(fd, S_IMODE(found.st_mode) & ~mode)


def create(directory: int, name: str, mode: int = 0o600) -> int:
    """Create a file in the directory of that descriptor. Return a descriptor for writing.

    Raises FileExistsError.
    """
    return open_file(directory, name, _NEW, mode)


def create_draft(directory: int, mode: int = 0o600) -> tuple[str, int]:
    """Create a temporary file with a random name in an open directory. Return the name and a descriptor."""
    name = unused_name()
    return name, create(directory, name, mode)


def unused_name() -> str:
    """Return a name for a new temporary file: random, so that no file has it."""
    return f".gbrowse-{posix.urandom(6).hex()}"


def publish_draft(directory: int, name: str, final: str) -> None:
    """Rename a temporary file to `final`, replacing what is there; remove it if that fails.

    `directory`: descriptor of the directory of both. `name`: that of the temporary file.
    """
    try:
        posix.rename(name, final, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError:
        discard_draft(directory, name)
        raise


def discard_draft(directory: int, name: str) -> None:
    """Remove the temporary file `name` from the directory (a descriptor), if it still exists."""
    try:
        posix.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        pass  # another process removed it


def replace(directory: int, name: str, content: bytes, *, mode: int = 0o600) -> None:
    """Write the file `name` in one step: readers see the old or the new content.

    `directory`: its descriptor. A symbolic link of that name is itself replaced.
    """
    new, fd = create_draft(directory, mode)
    try:
        write_all(fd, content)
    except BaseException:
        discard_draft(directory, new)
        raise
    finally:
        posix.close(fd)
    publish_draft(directory, new, name)


def write_all(fd: int, content: bytes) -> None:
    """Write all of `content` to a descriptor, in as many calls as the system needs."""
    left = memoryview(content)
    while left:
        left = left[posix.write(fd, left) :]
