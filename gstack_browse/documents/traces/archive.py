"""Read a trace's files within limits: anybody may have made it. Unpacks nothing to disk."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from gstack_browse.errors import FileFailed
from gstack_browse.text.columns import format_bytes
from gstack_browse.text.sanitise import quote_text

MOST_FILE_BYTES = 1_000_000_000
MOST_ENTRIES = 50_000
MOST_UNPACKED_BYTES = 500_000_000
"""Limit for everything that a command unpacks."""
MOST_LINE_BYTES = 16_000_000
MOST_PICTURE_BYTES = 50_000_000
_CHUNK = 1 << 20
_END = b"PK\x05\x06"
_END_BYTES = 22
_LOCATOR_64 = b"PK\x06\x07"
_MOST_COMMENT = 1 << 16
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    RuntimeError,  # encrypted
    NotImplementedError,
    ValueError,
    struct.error,
    OverflowError,
    OSError,
)
_SHOW = "playwright show-trace may open it"


class TraceArchive:
    """The files of a trace. Its methods raise FileFailed where the archive is broken or too large."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._left = MOST_UNPACKED_BYTES
        self._names = set(archive.namelist())

    def names(self, suffix: str) -> list[str]:
        """List the names that end so, in order."""
        return sorted(name for name in self._names if name.endswith(suffix))

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of a file; none if there is no such file."""
        if name not in self._names:
            return
        with _reporting(), self._open(name) as file:
            rest = b""
            while piece := self._check_size(file.read(_CHUNK)):
                *lines, rest = (rest + piece).split(b"\n")
                yield from lines
                if len(rest) > MOST_LINE_BYTES:
                    raise FileFailed(
                        f"A line of {quote_text(name, 60)} is longer than {format_bytes(MOST_LINE_BYTES)}"
                    )
            if rest:
                yield rest

    def read(self, name: str) -> bytes | None:
        """Return the content of a picture; None if there is no such file."""
        if name not in self._names:
            return None
        with _reporting(), self._open(name) as file:
            content = self._check_size(file.read(MOST_PICTURE_BYTES + 1))
        if len(content) > MOST_PICTURE_BYTES:
            raise FileFailed(f"A picture of the trace is larger than {format_bytes(MOST_PICTURE_BYTES)}")
        return content

    def _open(self, name: str) -> IO[bytes]:
        """Open a file of the archive. Raises NotImplementedError for an unknown compression."""
        info = self._archive.getinfo(name)
        if info.compress_type not in _METHODS:
            raise NotImplementedError
        return self._archive.open(info)

    def _check_size(self, piece: bytes) -> bytes:
        """Return a piece of an unpacked file. Raises FileFailed once all are larger than MOST_UNPACKED_BYTES."""
        self._left -= len(piece)
        if self._left < 0:
            raise FileFailed(f"The trace unpacks to more than {format_bytes(MOST_UNPACKED_BYTES)}", _SHOW)
        return piece


@contextmanager
def open_trace(path: Path) -> Iterator[TraceArchive]:
    """Open a trace. Raises FileFailed for another kind of file, a broken one, and one that is too large."""
    try:
        with path.open("rb") as file:
            _check_directory(file.seek(0, 2), file)
            with _reporting():
                archive = zipfile.ZipFile(file)
            trace = TraceArchive(archive)
            if not trace.names(".trace"):
                raise FileFailed(f"{path.name} is no trace of Playwright's: it has no .trace file")
            yield trace
    except OSError as error:
        raise FileFailed(f"{path.name} cannot be read: {error.strerror}") from None


def _check_directory(size: int, file: BinaryIO) -> None:
    """Check the archive's own list of files before it is read: it may claim millions."""
    if size > MOST_FILE_BYTES:
        raise FileFailed(f"The file is larger than {format_bytes(MOST_FILE_BYTES)}", _SHOW)
    tail_bytes = min(size, _END_BYTES + _MOST_COMMENT + 20)
    file.seek(size - tail_bytes)
    tail: bytes = file.read(tail_bytes)
    at = tail.rfind(_END)
    if at < 0 or at + _END_BYTES > len(tail):
        raise FileFailed(
            "The file is no ZIP archive, as traces are", "'trace-stop' and Playwright's tracing write one"
        )
    entries = struct.unpack_from("<H", tail, at + 10)[0]
    if entries > MOST_ENTRIES or _LOCATOR_64 in tail:
        raise FileFailed(f"The archive has more than {MOST_ENTRIES:,} files", _SHOW)


@contextmanager
def _reporting() -> Iterator[None]:
    """Turn what zipfile raises for a broken archive into FileFailed."""
    try:
        yield
    except _BROKEN as error:
        raise FileFailed(
            f"The archive is broken: {quote_text(str(error) or type(error).__name__, 100)}"
        ) from None
