"""Access files below a root, the project or the home directory, without following symbolic links.

A repository may be hostile: any name that we read or write can be a link or a FIFO. So each directory on the way is
opened relative to its parent's descriptor, and anything but plain files and directories is refused and left alone.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from gstack_browse.errors import FileFailed, Refused
from gstack_browse.workspace.directory import shown

MAX_BYTES = 1024 * 1024
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FileTree:
    """The files below `root`. Paths are relative, separated by `/`; `..` is refused."""

    def __init__(self, root: str) -> None:
        self.root = root.rstrip("/") or "/"

    def full_path(self, path: str) -> str:
        """Return the full path, for messages."""
        return shown(f"{self.root}/{path}")

    def exists(self, path: str) -> bool:
        """Return whether anything has that name, even a broken link."""
        try:
            os.stat(f"{self.root}/{path}", follow_symlinks=False)
        except OSError:
            return False
        return True

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None if it does not exist.

        Raises Refused for a link, another kind of file, or one above MAX_BYTES.
        """
        with self._open_parent(path) as (parent, name):
            if parent is None:
                return None
            try:
                fd = os.open(name, os.O_RDONLY | _FILE, dir_fd=parent)
            except FileNotFoundError:
                return None
            except OSError as error:
                raise self._refusal(path, parent, name) from error
            try:
                found = os.fstat(fd)
                if not stat.S_ISREG(found.st_mode):
                    raise Refused(f"{self.full_path(path)} is no plain file; gbrowse leaves it alone")
                if found.st_size > MAX_BYTES:
                    raise Refused(f"{self.full_path(path)} is larger than {MAX_BYTES} bytes")
                return os.read(fd, MAX_BYTES)
            finally:
                os.close(fd)

    def write(self, path: str, content: bytes) -> None:
        """Replace a file in one step, creating missing directories. Raises Refused and FileFailed."""
        self.read(path)
        with self._translate_errors(path), self._open_parent(path, make=True) as (parent, name):
            assert parent is not None
            new = f".{name}.{os.urandom(6).hex()}"
            fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o644, dir_fd=parent)
            try:
                with os.fdopen(fd, "wb") as file:
                    file.write(content)
                os.rename(new, name, src_dir_fd=parent, dst_dir_fd=parent)
            except OSError:
                os.unlink(new, dir_fd=parent)
                raise

    def remove(self, path: str) -> None:
        """Remove a file if it exists. Raises Refused like `read`, and FileFailed."""
        if self.read(path) is not None:
            with self._translate_errors(path), self._open_parent(path) as (parent, name):
                os.unlink(name, dir_fd=parent)

    def prune(self, path: str) -> None:
        """Remove a directory if it is empty."""
        with self._open_parent(path) as (parent, name), suppress(OSError):
            if parent is not None:
                os.rmdir(name, dir_fd=parent)

    @contextmanager
    def _open_parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int | None, str]]:
        """Open a path's parent directory; yield its descriptor (None if missing) and the last name."""
        *directories, name = path.split("/")
        if ".." in directories or name in ("", ".", ".."):
            raise Refused(f"{shown(path)} leads out of {shown(self.root)}")
        at = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for directory in directories:
                below = self._open_below(at, directory, path, make=make)
                if below is None:
                    yield None, name
                    return
                os.close(at)
                at = below
            yield at, name
        finally:
            os.close(at)

    def _open_below(self, at: int, directory: str, path: str, *, make: bool) -> int | None:
        """Open a directory relative to `at`; None if it does not exist."""
        if make:
            with suppress(FileExistsError):
                os.mkdir(directory, 0o755, dir_fd=at)
        try:
            return os.open(directory, _DIRECTORY, dir_fd=at)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._refusal(path[: path.index(directory) + len(directory)], at, directory) from error

    def _refusal(self, path: str, at: int, name: str) -> Refused:
        """Describe why an entry is refused."""
        mode = os.stat(name, dir_fd=at, follow_symlinks=False).st_mode
        kinds: tuple[tuple[Callable[[int], bool], str], ...] = (
            (stat.S_ISLNK, "is a symbolic link"),
            (stat.S_ISREG, "cannot be opened, or is no directory"),
            (stat.S_ISDIR, "cannot be opened, or is a directory"),
        )
        what = next((what for is_kind, what in kinds if is_kind(mode)), "is no plain file or directory")
        return Refused(
            f"{self.full_path(path)} {what}; gbrowse leaves it alone",
            f"Look at it: ls -ld {self.full_path(path)}",
        )

    @contextmanager
    def _translate_errors(self, path: str) -> Iterator[None]:
        """Turn OSError into FileFailed."""
        try:
            yield
        except OSError as error:
            raise FileFailed(f"{self.full_path(path)} cannot be changed: {error.strerror}") from None
