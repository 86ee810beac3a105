"""Write and read a take: the file of what was filmed, which grows with each picture.

A record is two lengths (4 bytes each, big-endian), a JSON object of facts, and a picture or nothing. A daemon that is
killed leaves an incomplete last record at worst, and the film is made of those before it. Kinds of facts: `begin`,
`picture`, `same` (as the last picture), `pointer`, `action`, `person` (has the tab, or has given it back), `note`,
`alive` (once a second: how long the last picture was there), `end`.
"""

import asyncio
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, BinaryIO, NamedTuple

import orjson

from gstack_browse.workspace import descriptors
from gstack_browse.workspace.state import WritableStateDir

_LENGTHS = struct.Struct(">II")
MOST_FACTS = 20_000
"""Bytes of a record's facts."""
MOST_PICTURE = 8_000_000
"""Bytes of a picture."""
NO_PICTURE = "No picture was filmed"
"""The error of a take of which no film can be made."""


class Record(NamedTuple):
    """A record of a take: its facts (JSON), and where its picture is in the file; `size` is 0 without one."""

    facts: Mapping[str, Any]
    offset: int
    size: int

    @property
    def kind(self) -> str:
        """Return the kind of the record: `picture`, `pointer`, `action` …"""
        return str(self.facts.get("kind"))

    def number(self, name: str, low: float = 0.0, high: float = 1e9) -> float:
        """Return the field `name` as a number, limited to `low` and `high`; `low` if missing or no number."""
        value = self.facts.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return min(max(float(value), low), high) if is_number else low  # type: ignore[arg-type]

    def text(self, name: str) -> str:
        """Return the field `name` as text; "" if it is missing or no text."""
        value = self.facts.get(name)
        return value if isinstance(value, str) else ""


def pack_record(facts: Mapping[str, Any], picture: bytes = b"") -> bytes:
    """Encode a record of the take file (what was filmed) as bytes. `facts`: its fields; `picture`: a JPEG."""
    written = orjson.dumps(facts)
    return _LENGTHS.pack(len(written), len(picture)) + written + picture


def read_records(file: BinaryIO) -> Iterator[Record]:
    """Yield the records of a take file (what was filmed), up to the first that is incomplete or malformed."""
    while len(head := file.read(_LENGTHS.size)) == _LENGTHS.size:
        length, size = _LENGTHS.unpack(head)
        if not (0 < length <= MOST_FACTS and size <= MOST_PICTURE):
            return
        written, offset = file.read(length), file.tell()
        try:
            facts = orjson.loads(written)
        except orjson.JSONDecodeError:
            return
        if not isinstance(facts, dict) or file.seek(0, os.SEEK_END) < offset + size:
            return
        yield Record(facts, offset, size)
        file.seek(offset + size)


class TakeFile:
    """The file of a context's take, in the daemon's state directory. Methods raise OSError and Refused."""

    def __init__(self, state: WritableStateDir, context: str) -> None:
        self.changing = asyncio.Lock()
        """Held while a command begins a film or makes one of the file: a second one meanwhile waits, and finds it done."""
        self._state = state
        self._name = f"browse-film{f'-{context}' if context else ''}.take"
        self.shown = state.printable_path(self._name)
        """The path for messages."""

    def exists(self) -> bool:
        """Return whether the file exists: something was filmed in the context, and no film was made of it yet."""
        with suppress(FileNotFoundError):
            os.close(self._state.open_to_read(self._name))
            return True
        return False

    def create(self) -> "TakeWriter":
        """Begin a new file for what is filmed, in place of the last one. Return its writer."""
        self.remove()
        return TakeWriter(self._state.open_log(self._name))

    def open(self) -> BinaryIO:
        """Open the file of what was filmed for reading. Raises FileNotFoundError without one."""
        return os.fdopen(self._state.open_to_read(self._name), "rb")

    def read_begin(self) -> Record | None:
        """Return the file's first record: date, path of the film, size and frame rate. None without a file."""
        with suppress(FileNotFoundError), self.open() as file:
            first = next(read_records(file), None)
            return first if first and first.kind == "begin" else None
        return None

    def remove(self) -> None:
        """Remove the file of what was filmed, if there is one."""
        self._state.remove(self._name)


class TakeWriter:
    """Appends records to a take. The methods block, and are called in a thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._written = 0

    def append(self, records: bytes) -> None:
        """Append encoded records to the file. If that fails, nothing of them is left in it. Raises OSError."""
        try:
            descriptors.write_all(self._descriptor, records)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._written)
            raise
        self._written += len(records)

    def close(self) -> None:
        """Close the file that the records go to."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
