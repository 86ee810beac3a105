"""Reads files of another program's profile: regular, not through a link, not too large, and never written.

The profile is the user's own, yet what lies in it is treated as hostile: opening a FIFO would hang, a link would
lead elsewhere, a huge file would fill the memory.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from gstack_browse import descriptors


class Unfit(Exception):
    """A file that is not read; the text says why."""


def read(path: Path, max_bytes: int) -> bytes:
    """What the file holds. Raises FileNotFoundError, and Unfit for anything but a plain file of that size."""
    with _opened(path) as descriptor:
        if os.fstat(descriptor).st_size > max_bytes:
            raise Unfit(f"it is larger than {max_bytes >> 20} MB")
        content = bytearray()
        while piece := os.read(descriptor, max_bytes + 1 - len(content)):
            content += piece
    if len(content) > max_bytes:
        raise Unfit("it grows while it is read")
    return bytes(content)


def head(path: Path, count: int) -> bytes:
    """The first bytes of a file; none where there is no such file, or none that should be read."""
    try:
        with _opened(path) as descriptor:
            return os.read(descriptor, count)
    except (FileNotFoundError, Unfit):
        return b""


def json_of(path: Path, max_bytes: int = 8 << 20) -> dict[str, Any]:
    """The JSON object in a file; an empty one where there is none."""
    try:
        found = orjson.loads(read(path, max_bytes))
    except (FileNotFoundError, Unfit, orjson.JSONDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    try:
        descriptor = descriptors.open_file(None, str(path))
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise Unfit("it is a link" if path.is_symlink() else str(error.strerror).lower()) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unfit("it is not a regular file")
        yield descriptor
    finally:
        os.close(descriptor)
