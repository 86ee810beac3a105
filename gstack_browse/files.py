"""Reads and writes files where they are meant to be, whatever other programs do to the directories meanwhile.

A path that was checked may lead elsewhere by the time that it is used: a program of the workspace can put a link in the place
of a directory. So the directory is opened once, part by part and never through a link, and all else goes through its
descriptor. Files are 0600 from their first moment.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from gstack_browse.errors import FileFailed, Refused
from gstack_browse.workspace import shown

_DIRECTORY = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
"""O_PATH, where there is one: a directory on the way may be one that we cannot list."""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""O_NONBLOCK: a FIFO that has come meanwhile must not keep us."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SWAPPED = (errno.ELOOP, errno.ENOTDIR)
MOST_OF_A_NAME = 10_000
"""Files of one name in a directory, told apart by numbers."""


def open_directory(path: str) -> int:
    """A descriptor of the directory at a real path: absolute, without links. Raises Refused where there is a link by now, OSError."""
    at = os.open("/", _DIRECTORY)
    for part in filter(None, path.split("/")):
        try:
            below = os.open(part, _DIRECTORY, dir_fd=at)
        except OSError as error:
            if error.errno in _SWAPPED:
                raise Refused(
                    f"{shown(path)} leads elsewhere: {shown(part)} is no directory any more",
                    "Another program changes the directories there; look at what it does",
                ) from None
            raise
        finally:
            os.close(at)
        at = below
    return at


@contextmanager
def directory_of(path: str) -> Iterator[tuple[int, str]]:
    """The directory that a file at a real path is in, and the file's name. Raises Refused, and FileFailed for an OSError."""
    directory, _, name = path.rpartition("/")
    try:
        descriptor = open_directory(directory)
        try:
            yield descriptor, name
        finally:
            os.close(descriptor)
    except OSError as error:
        raise FileFailed(f"Cannot write {shown(path)}: {error.strerror}") from None


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A regular file at a real path, to be read. Raises FileFailed, and Refused where there is a link by now."""
    directory, _, name = path.rpartition("/")
    try:
        at = open_directory(directory)
        try:
            descriptor = os.open(name, _READ, dir_fd=at)
        finally:
            os.close(at)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise FileFailed(f"Cannot read {shown(path)}: not a regular file")
            yield file
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Refused(f"{shown(path)} has become a link", "Look at what else changes it") from None
        raise FileFailed(f"Cannot read {shown(path)}: {error.strerror}") from None


def write_whole(path: str, content: bytes) -> None:
    """Write a file under a temporary name, then rename it: nobody ever sees half of it. The path is a real one.

    The rename replaces a symbolic link instead of following it. Raises FileFailed, and Refused.
    """
    with directory_of(path) as (directory, name):
        with _draft(directory) as (draft, descriptor), os.fdopen(descriptor, "wb") as file:
            file.write(content)
        _rename(draft, directory, name)


def reserve(directory: int, names: Iterator[str]) -> str:
    """Make an empty file by the first of `names` that nothing has yet, and return that name. Raises FileFailed, OSError."""
    for name, _ in zip(names, range(MOST_OF_A_NAME), strict=False):
        try:
            os.close(os.open(name, _NEW, 0o600, dir_fd=directory))
        except FileExistsError:
            continue
        return name
    raise FileFailed("There are too many files of that name")


def move(source: str, directory: int, name: str) -> None:
    """Move a file of ours from a private directory to that name, in the place of what is there. Raises OSError.

    Across file systems it is copied under a temporary name first.
    """
    os.chmod(source, 0o600)
    try:
        os.rename(source, name, dst_dir_fd=directory)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with open(source, "rb") as file, _draft(directory) as (draft, descriptor):
            _fill(descriptor, file)
        _rename(draft, directory, name)
        os.unlink(source)


def _fill(descriptor: int, content: BinaryIO) -> None:
    import shutil  # not when the daemon starts

    with os.fdopen(descriptor, "wb") as file:
        shutil.copyfileobj(content, file, 1 << 20)


@contextmanager
def _draft(directory: int) -> Iterator[tuple[str, int]]:
    """A new file under a name that nobody else uses; removed again when the block fails."""
    draft = f".gbrowse-{os.urandom(6).hex()}"
    descriptor = os.open(draft, _NEW, 0o600, dir_fd=directory)
    try:
        yield draft, descriptor
    except BaseException:
        os.unlink(draft, dir_fd=directory)
        raise


def _rename(draft: str, directory: int, name: str) -> None:
    try:
        os.rename(draft, name, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=directory)
        raise
