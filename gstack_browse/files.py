"""Reads and writes files where they are meant to be, whatever other programs do to the directories meanwhile.

A path that was checked may lead elsewhere by the time that it is used: a program of the workspace can put a link in the place
of a directory. So the directory is opened once, part by part and never through a link, and all else goes through its
descriptor. Files are 0600 from their first moment.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from gstack_browse import descriptors
from gstack_browse.errors import FileFailed, Refused
from gstack_browse.workspace import shown

_SWAPPED = (errno.ELOOP, errno.ENOTDIR)
MOST_OF_A_NAME = 10_000
"""Files of one name in a directory, told apart by numbers."""


def open_directory(path: str) -> int:
    """A descriptor of the directory at a real path: absolute, without links. Raises Refused where there is a link by now, OSError."""
    at = descriptors.open_directory("/", flags=descriptors.PASS)
    for part in filter(None, path.split("/")):
        try:
            below = descriptors.open_directory(part, at, descriptors.PASS)
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
            descriptor = descriptors.open_file(at, name)
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
        descriptors.replace(directory, name, content)


def reserve(directory: int, names: Iterator[str]) -> str:
    """Make an empty file by the first of `names` that nothing has yet, and return that name. Raises FileFailed, OSError."""
    for name, _ in zip(names, range(MOST_OF_A_NAME), strict=False):
        try:
            os.close(descriptors.create(directory, name))
        except FileExistsError:
            continue
        return name
    raise FileFailed("There are too many files of that name")


def hold(directory: int, name: str) -> int | None:
    """A descriptor of what has that name, None where nothing can be had: what takes its place need not wait until its content is freed.

    To free a file of 100 MB takes 20 ms, and happens where the last descriptor is closed.
    """
    try:
        return descriptors.open_file(directory, name, descriptors.PASS)
    except OSError:
        return None


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
        _copy(source, directory, name)
        os.unlink(source)


def _copy(source: str, directory: int, name: str) -> None:
    import shutil  # not when the daemon starts

    draft, descriptor = descriptors.draft(directory)
    try:
        with open(source, "rb") as file, os.fdopen(descriptor, "wb") as copy:
            shutil.copyfileobj(file, copy, 1 << 20)
    except BaseException:
        descriptors.discard(directory, draft)
        raise
    descriptors.publish(directory, draft, name)
