"""Read and write files safely while other programs change the directories.

A checked path may lead elsewhere when it is used: a program in the workspace can replace a directory by a link. So the
directory is opened once, component by component and never through a link, and everything else goes through its
descriptor. Files are 0600 from the start.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from gstack_browse.errors import FileFailed, Refused
from gstack_browse.workspace import descriptors
from gstack_browse.workspace.directory import printable_path

_SWAPPED = (errno.ELOOP, errno.ENOTDIR)
MOST_NUMBERED = 10_000
"""Limit of files in a directory whose names differ only in their number."""


def open_directory(path: str) -> int:
    """Open a directory by its absolute path, without symbolic links in it. Return the descriptor.

    Raises Refused if a link has replaced a part by now, and OSError.
    """
    at = descriptors.open_directory("/", flags=descriptors.PASS)
    for part in filter(None, path.split("/")):
        try:
            below = descriptors.open_directory(part, at, descriptors.PASS)
        except OSError as error:
            if error.errno in _SWAPPED:
                raise Refused(
                    f"{printable_path(path)} leads elsewhere: {printable_path(part)} is no directory any more",
                    "Another program changes the directories there; look at what it does",
                ) from None
            raise
        finally:
            os.close(at)
        at = below
    return at


@contextmanager
def open_parent(path: str) -> Iterator[tuple[int, str]]:
    """Open the parent directory of `path` for a `with` block; yield its descriptor and the file's name.

    `path`: absolute, without symbolic links. Raises Refused, and FileFailed for an OSError.
    """
    directory, _, name = path.rpartition("/")
    try:
        descriptor = open_directory(directory)
        try:
            yield descriptor, name
        finally:
            os.close(descriptor)
    except OSError as error:
        raise FileFailed(f"Cannot write {printable_path(path)}: {error.strerror}") from None


@contextmanager
def open_to_read(path: str) -> Iterator[BinaryIO]:
    """Open a regular file for reading in a `with` block. `path`: absolute, without symbolic links.

    Raises FileFailed, and Refused if a link has replaced it.
    """
    directory, _, name = path.rpartition("/")
    try:
        at = open_directory(directory)
        try:
            descriptor = descriptors.open_file(at, name)
        finally:
            os.close(at)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise FileFailed(f"Cannot read {printable_path(path)}: not a regular file")
            yield file
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Refused(f"{printable_path(path)} has become a link", "Look at what else changes it") from None
        raise FileFailed(f"Cannot read {printable_path(path)}: {error.strerror}") from None


def read_limited(path: str, most_bytes: int) -> bytes:
    """Return the content of a file. `path`: absolute, without symbolic links.

    `most_bytes`: the limit, a multiple of 1,000,000, since the message names megabytes. Raises FileFailed if the file is larger or
    cannot be read, and Refused if a link has replaced it.
    """
    with open_to_read(path) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise FileFailed(
            f"{printable_path(os.path.basename(path))} is larger than {most_bytes // 1_000_000} MB"
        )
    return content


def write_whole(path: str, content: bytes) -> None:
    """Write a file under a temporary name, then rename it, so that no reader sees a part of it.

    `path`: absolute, its directories without links; a link of that name is itself replaced. Raises FileFailed and Refused.
    """
    with open_parent(path) as (directory, name):
        descriptors.replace(directory, name, content)


def create_whole(path: str, content: bytes) -> bool:
    """Write a new file. Return False, and leave what is there, if the name is in use.

    `path`: absolute, without symbolic links. Readers may find the file empty for a moment, never half. Raises FileFailed and
    Refused.
    """
    with open_parent(path) as (directory, name):
        try:
            os.close(descriptors.create(directory, name))
        except FileExistsError:
            return False
        try:
            descriptors.replace(directory, name, content)
        except BaseException:
            descriptors.discard_draft(directory, name)
            raise
        return True


def reserve(directory: int, names: Iterator[str]) -> str:
    """Create an empty file with the first of `names` that is unused, and return that name.

    `directory`: its descriptor. Raises FileFailed if the first MOST_NUMBERED names are used, OSError for other problems.
    """
    for name, _ in zip(names, range(MOST_NUMBERED), strict=False):
        try:
            os.close(descriptors.create(directory, name))
        except FileExistsError:
            continue
        return name
    raise FileFailed("There are too many files of that name")


def keep_open(directory: int, name: str) -> int | None:
    """Open a file about to be replaced, so that its content is freed when the descriptor is closed.

    Freeing 100 MB takes 20 ms, for which the replacement need not wait then. None if it cannot be opened. `directory`: a
    descriptor.
    """
    try:
        return descriptors.open_file(directory, name, descriptors.PASS)
    except OSError:
        return None


def move_into(source: str, directory: int, name: str) -> None:
    """Move the file `source` to `name` in a directory (a descriptor), replacing what is there.

    Across file systems it is copied under a temporary name first. Raises OSError.
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
    """Copy the file `source` to `name` in a directory (a descriptor); no reader sees a part of it."""
    import shutil  # not when the daemon starts

    draft, descriptor = descriptors.create_draft(directory)
    try:
        with open(source, "rb") as file, os.fdopen(descriptor, "wb") as copy:
            shutil.copyfileobj(file, copy, 1 << 20)
    except BaseException:
        descriptors.discard_draft(directory, draft)
        raise
    descriptors.publish_draft(directory, draft, name)
