"""Read files of another program's profile: only regular ones, not through a link, limited in size.

The profile is the user's own, yet its content is treated as untrusted: opening a FIFO would hang, a link could
lead elsewhere, a huge file would fill the memory.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from gstack_browse.workspace import descriptors


class UnsuitableFile(Exception):
    """A file must not be read; the text says why."""


def read_file(path: Path, max_bytes: int) -> bytes:
    """Read a file of at most `max_bytes`. Raises FileNotFoundError and UnsuitableFile."""
    with _open_regular_file(path) as descriptor:
        if os.fstat(descriptor).st_size > max_bytes:
            raise UnsuitableFile(f"it is larger than {max_bytes >> 20} MB")
        content = bytearray()
        while piece := os.read(descriptor, max_bytes + 1 - len(content)):
            content += piece
    if len(content) > max_bytes:
        raise UnsuitableFile("it grows while it is read")
    return bytes(content)


def read_head(path: Path, count: int) -> bytes:
    """Return the first `count` bytes of a file; b"" if it is missing or unsuitable."""
    try:
        with _open_regular_file(path) as descriptor:
            return os.read(descriptor, count)
    except (FileNotFoundError, UnsuitableFile):
        return b""


def read_json(path: Path, max_bytes: int = 8 << 20) -> dict[str, Any]:
    """Return the JSON object in a file; {} if it is missing, unsuitable or not an object."""
    try:
        found = orjson.loads(read_file(path, max_bytes))
    except (FileNotFoundError, UnsuitableFile, orjson.JSONDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


@contextmanager
def _open_regular_file(path: Path) -> Iterator[int]:
    """Open a regular file, not through a link, and yield its descriptor.

    Raises FileNotFoundError and UnsuitableFile.
    """
    try:
        descriptor = descriptors.open_file(None, str(path))
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise UnsuitableFile("it is a link" if path.is_symlink() else str(error.strerror).lower()) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnsuitableFile("it is not a regular file")
        yield descriptor
    finally:
        os.close(descriptor)


class Unreadable(Exception):
    """A database cannot be read; the text says why."""


class NoKey(Exception):
    """A key is not available; the text says why, `advice` what to do."""

    def __init__(self, why: str, advice: str = "") -> None:
        super().__init__(why)
        self.advice = advice
