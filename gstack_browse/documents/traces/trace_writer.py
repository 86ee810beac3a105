"""Write a trace in Playwright's format.

Events go to temporary files at once, so a long trace needs no memory.
"""

import hashlib
import io
import os
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from typing import Any

import orjson

VERSION = 8
MOST_BYTES = 200_000_000
"""Limit for everything together. What would exceed it is left out, and counted."""
_MODE = 0o600
_OLDEST = (1980, 1, 1, 0, 0, 0)
"""The date of the files in the archive: the trace has the times."""


class TraceWriter:
    """A trace that is recorded. Times are milliseconds of one monotonic clock."""

    def __init__(self) -> None:
        self._events, self._requests, self._blobs = (tempfile.TemporaryFile() for _ in range(3))  # noqa: SIM115 - see `close`
        self._places: dict[str, tuple[int, int]] = {}
        """Name of a file → its offset and length in `_blobs`."""
        self._bytes = 0
        self.dropped = 0
        """Events and pictures that there was no room for."""

    def begin(
        self, *, wall: float, monotonic: float, browser: str, title: str, viewport: tuple[int, int]
    ) -> None:
        """Write the trace's first event, which describes browser and page.

        `wall`, `monotonic`: the same moment by both clocks, in milliseconds. `browser`: its version. `viewport`: width and height.
        """
        width, height = viewport
        self.add_event(
            {
                "type": "context-options",
                "version": VERSION,
                "origin": "library",
                "browserName": "chromium",
                "playwrightVersion": f"gbrowse, Chromium {browser}",
                "platform": sys.platform,
                "wallTime": wall,
                "monotonicTime": monotonic,
                "sdkLanguage": "python",
                "title": title,
                "contextId": "context@1",
                "options": {"viewport": {"width": width, "height": height}, "deviceScaleFactor": 1},
            }
        )

    def add_event(self, event: Mapping[str, Any]) -> None:
        """Write an event of Playwright's trace format, such as the begin of an action."""
        self.add_line(orjson.dumps(event))

    def add_line(self, line: bytes) -> None:
        """Write an event given as a line of JSON, without a line end."""
        self._write(self._events, line + b"\n")

    def add_request(self, entry: Mapping[str, Any]) -> None:
        """Write a request. `entry`: in HAR's form, with the fields that the trace format adds."""
        event = {"type": "resource-snapshot", "snapshot": entry}
        self._write(self._requests, orjson.dumps(event) + b"\n")

    def add_blob(self, content: bytes, suffix: str) -> str:
        """Add a file, such as a picture, and return its name for events to refer to.

        "" if the trace is full.
        """
        name = f"{hashlib.sha1(content, usedforsecurity=False).hexdigest()}.{suffix}"
        if name not in self._places:
            offset = self._blobs.seek(0, os.SEEK_END)
            if not self._write(self._blobs, content):
                return ""
            self._places[name] = offset, len(content)
        return name

    def pack(self) -> bytes:
        """Return the trace as the content of a ZIP file. Raises OSError."""
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, source in (("trace.trace", self._events), ("trace.network", self._requests)):
                _copy_member(archive, name, source, 0, source.seek(0, os.SEEK_END))
            for name, place in self._places.items():
                _copy_member(archive, f"resources/{name}", self._blobs, *place)
        return made.getvalue()

    def close(self) -> None:
        """Delete the temporary files of the trace."""
        for file in (self._events, self._requests, self._blobs):
            file.close()

    def _write(self, file: Any, content: bytes) -> bool:
        """Append to a file of the trace; if the trace is full, count that in `dropped` and return False."""
        if self._bytes + len(content) > MOST_BYTES:
            self.dropped += 1
            return False
        try:
            file.seek(0, os.SEEK_END)
            file.write(content)
        except OSError:  # a full disk: commands go on
            self.dropped += 1
            return False
        self._bytes += len(content)
        return True


def _copy_member(archive: zipfile.ZipFile, name: str, source: Any, offset: int, length: int) -> None:
    """Copy `length` bytes of `source`, from `offset` on, into the archive as the file `name`."""
    info = zipfile.ZipInfo(name, _OLDEST)
    info.external_attr = _MODE << 16
    info.compress_type = (
        zipfile.ZIP_STORED if name.endswith((".jpeg", ".png", ".webp")) else zipfile.ZIP_DEFLATED
    )
    source.seek(offset)
    with archive.open(info, "w") as target:
        while length > 0 and (piece := source.read(min(length, 1 << 20))):
            target.write(piece)
            length -= len(piece)
