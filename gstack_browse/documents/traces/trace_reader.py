"""Read a Playwright trace (a ZIP file) within limits: anybody may have made it.

Nothing is unpacked to disk. A field that an event lacks, or that has a wrong type, is read as empty, so that a
malformed trace can still be read.
"""

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO

from gstack_browse.errors import FileFailed
from gstack_browse.text.sanitise import quote_text
from gstack_browse.text.units import format_bytes

MOST_FILE_BYTES = 1_000_000_000
MOST_ENTRIES = 50_000
_MOST_ENTRY_BYTES = 200
"""Limit for the average length of an entry in the archive's directory: its number of entries may be a lie."""
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
VERSIONS = range(3, 11)
MOST_EVENTS = 200_000
_STEPS = "test.trace"
"""The steps of a test, as Playwright's test runner writes them beside the traces of its contexts."""
_DOCUMENT = b'"frame-snapshot"'
_TYPE_BYTES = 40
"""How far into a line its type is looked for."""
_SUBJECTS = ("url", "selector", "key", "name", "state", "event", "expression")
"""Parameters that say what an action is about, the first of them. What is typed is never shown."""
Event = Mapping[str, Any]


class TraceArchive:
    """The files in a trace. Its methods raise FileFailed where the archive is broken or too large."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._left = MOST_UNPACKED_BYTES
        self._names = set(archive.namelist())

    def names(self, suffix: str) -> list[str]:
        """Return the sorted names of the files that end with `suffix`."""
        return sorted(name for name in self._names if name.endswith(suffix))

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of a file in the archive; nothing if there is no such file."""
        if name not in self._names:
            return
        with _convert_errors(), self._open(name) as file:
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
        """Return the content of a picture in the archive; None if there is no such file."""
        if name not in self._names:
            return None
        with _convert_errors(), self._open(name) as file:
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
        """Count and return an unpacked piece. Raises FileFailed once all pieces exceed MOST_UNPACKED_BYTES."""
        self._left -= len(piece)
        if self._left < 0:
            raise FileFailed(f"The trace unpacks to more than {format_bytes(MOST_UNPACKED_BYTES)}", _SHOW)
        return piece


@contextmanager
def open_trace(path: Path) -> Iterator[TraceArchive]:
    """Open a Playwright trace (a ZIP file). Raises FileFailed for another, broken or too large file."""
    try:
        with path.open("rb") as file:
            _check_directory(file.seek(0, 2), file)
            with _convert_errors():
                archive = zipfile.ZipFile(file)
            trace = TraceArchive(archive)
            if not trace.names(".trace"):
                raise FileFailed(f"{path.name} is no trace of Playwright's: it has no .trace file")
            yield trace
    except OSError as error:
        raise FileFailed(f"{path.name} cannot be read: {error.strerror}") from None


def _check_directory(size: int, file: BinaryIO) -> None:
    """Raise FileFailed if a ZIP file is too large or lists too many files, before reading its directory.

    `size`: of the file.
    """
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
    entries, directory_bytes = struct.unpack_from("<HI", tail, at + 10)
    is_long = entries > MOST_ENTRIES or directory_bytes > MOST_ENTRIES * _MOST_ENTRY_BYTES
    if is_long or _LOCATOR_64 in tail:
        raise FileFailed(f"The archive has more than {MOST_ENTRIES:,} files", _SHOW)


@contextmanager
def _convert_errors() -> Iterator[None]:
    """Convert an exception in the `with` block, as zipfile raises it for a broken archive, to FileFailed."""
    try:
        yield
    except _BROKEN as error:
        raise FileFailed(
            f"The archive is broken: {quote_text(str(error) or type(error).__name__, 100)}"
        ) from None


@dataclass
class Action:
    """A call of Playwright's API, a step of a test, or a command of ours. Times are in milliseconds."""

    key: str
    title: str
    start: float
    end: float | None = None
    error: str = ""
    page: str = ""
    parent: str = ""
    calls: set[str] = field(default_factory=set)
    """The ids by which events know it."""
    log: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class TracedRequest:
    """A request. `size`: bytes of the body; -1 if unknown."""

    start: float
    method: str
    url: str
    status: int
    kind: str
    size: int
    milliseconds: float


@dataclass(frozen=True)
class Message:
    """A console message, an uncaught error, or a line of a test's own output."""

    at: float
    level: str
    text: str
    place: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture of a page. `file`: its name in the archive."""

    at: float
    page: str
    file: str


@dataclass
class Trace:
    """A trace, in the order of time. `maker`: the version of what made it, in its own words."""

    maker: str = ""
    browser: str = ""
    title: str = ""
    version: int = 0
    actions: list[Action] = field(default_factory=list)
    requests: list[TracedRequest] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    skipped: int = 0
    """Lines that are no events."""

    @property
    def start(self) -> float:
        """Return when the first action began, in milliseconds."""
        return min((action.start for action in self.actions), default=0.0)


class TraceReader:
    """Reads one trace. Raises FileFailed for one that is too large or of an unknown version."""

    def __init__(self, archive: TraceArchive) -> None:
        self._archive = archive
        self._trace = Trace()
        self._actions: dict[str, Action] = {}
        self._by_call: dict[str, Action] = {}
        self._offset = 0.0
        """What makes the times of a file those of the wall clock: files of one trace have clocks of their own."""
        self._count = 0

    def read(self) -> Trace:
        """Read the whole trace, except the documents of its pages."""
        names = self._archive.names(".trace")
        names.sort(key=lambda name: name != _STEPS)  # of an action that both have, the step has the title
        for name in names:
            self._offset, self._by_call = 0.0, {}
            for file in (name, name.removesuffix(".trace") + ".network"):
                for event in self._read_events(file):
                    self._add_event(event)
        trace = self._trace
        trace.actions = sorted(self._actions.values(), key=lambda action: action.start)
        trace.requests.sort(key=lambda request: request.start)
        trace.messages.sort(key=lambda message: message.at)
        trace.pictures.sort(key=lambda picture: picture.at)
        return trace

    def _read_events(self, name: str) -> Iterator[Event]:
        """Yield the events in a file of the archive, except documents of pages; count malformed lines."""
        for line in self._archive.lines(name):
            if _DOCUMENT in line[:_TYPE_BYTES] or not line.strip():
                continue
            self._count += 1
            if self._count > MOST_EVENTS:
                raise FileFailed(f"The trace has more than {MOST_EVENTS:,} events", _SHOW)
            event = parse_event(line)
            if event is None:
                self._trace.skipped += 1
            else:
                yield event

    def _add_event(self, event: Event) -> None:
        """Add an event to the trace: as an action, a request, a picture, a message …, by its type."""
        kind = text_of(event, "type")
        if kind == "context-options":
            self._add_context(event)
        elif kind in ("before", "action"):
            self._add_action(event)
        elif kind in ("after", "log"):
            if action := self._by_call.get(text_of(event, "callId")):
                if kind == "after":
                    self._end_action(action, event)
                else:
                    action.log.append(text_of(event, "message"))
        elif kind == "resource-snapshot":
            self._add_request(object_of(event, "snapshot"))
        elif kind == "screencast-frame":
            file = text_of(event, "file") or f"resources/{text_of(event, 'sha1')}"
            at = number_of(event, "timestamp") + self._offset
            self._trace.pictures.append(Picture(at, text_of(event, "pageId"), file))
        elif kind in ("console", "event", "stdout", "stderr"):
            self._add_message(kind, event)
        elif kind == "error":
            self._trace.errors.append(text_of(event, "message"))

    def _add_context(self, event: Event) -> None:
        """Record version, maker and clock of the trace from its first event.

        Raises FileFailed for an unknown version.
        """
        version = int(number_of(event, "version"))
        if version not in VERSIONS:
            raise FileFailed(
                f"The trace is of version {version}; {VERSIONS[0]} to {VERSIONS[-1]} are read",
                "playwright show-trace, of the version that made it, opens it",
            )
        trace = self._trace
        trace.version = max(trace.version, version)
        trace.maker = trace.maker or text_of(event, "playwrightVersion")
        trace.browser = trace.browser or text_of(event, "browserName")
        trace.title = trace.title or text_of(event, "title")
        if monotonic := number_of(event, "monotonicTime"):
            self._offset = number_of(event, "wallTime") - monotonic

    def _add_action(self, event: Event) -> None:
        """Add the action that an event begins; if it is known by another event, complete it."""
        data = object_of(event, "metadata") or event  # version 3
        call = text_of(data, "callId") or text_of(data, "id")
        if data.get("internal") is True:
            return
        key = text_of(data, "stepId") or call
        action = self._actions.get(key)
        if action is None:
            action = self._actions[key] = Action(
                key, _compose_title(data), number_of(data, "startTime") + self._offset
            )
        action.calls.add(call)
        action.page = action.page or text_of(data, "pageId")
        action.parent = action.parent or text_of(data, "parentId")
        self._by_call[call] = action
        if event.get("type") == "action":
            self._end_action(action, data)

    def _end_action(self, action: Action, event: Event) -> None:
        """Record from its last event when an action ended, on which page, and with which error."""
        if ended := number_of(event, "endTime"):
            action.end = max(ended + self._offset, action.end or 0.0)
        action.page = text_of(event, "pageId") or action.page  # ours say so: it may have opened a tab
        error = object_of(event, "error")
        found = text_of(error, "message") or text_of(object_of(error, "error"), "message")
        action.error = action.error or found

    def _add_request(self, entry: Event) -> None:
        """Add a request from its entry in HAR's form."""
        request, response = object_of(entry, "request"), object_of(entry, "response")
        content = object_of(response, "content")
        self._trace.requests.append(
            TracedRequest(
                number_of(entry, "_monotonicTime") + self._offset,
                text_of(request, "method"),
                text_of(request, "url") or text_of(entry, "url"),
                int(number_of(response, "status")),
                text_of(content, "mimeType"),
                int(number_of(content, "size", -1)),
                number_of(entry, "time", -1),
            )
        )

    def _add_message(self, kind: str, event: Event) -> None:
        """Add a message from an event of type `kind`: of the console, a page's error, or of the test's output."""
        at = (number_of(event, "time") or number_of(event, "timestamp")) + self._offset
        if kind == "console":
            place = object_of(event, "location")
            url, line = text_of(place, "url"), int(number_of(place, "lineNumber")) + 1
            level, text = text_of(event, "messageType"), text_of(event, "text")
            self._trace.messages.append(Message(at, level, text, f"{url}:{line}" if url else ""))
        elif kind == "event" and text_of(event, "method") == "pageError":
            error = object_of(object_of(event, "params"), "error")
            inner = object_of(error, "error") or error
            text = f"Uncaught {text_of(inner, 'name')}: {text_of(inner, 'message')}"
            self._trace.messages.append(Message(at, "error", text))
        elif kind != "event":
            self._trace.messages.append(Message(at, kind, text_of(event, "text")))


def _compose_title(data: Event) -> str:
    """Return the title of an action with its main parameter, `Frame.click #save`, from its first event."""
    title = text_of(data, "title") or text_of(data, "apiName")
    whole = title or f"{text_of(data, 'class') or text_of(data, 'type')}.{text_of(data, 'method')}"
    params = object_of(data, "params")
    subject = next((text for name in _SUBJECTS if (text := text_of(params, name))), "")
    return f"{whole} {subject}" if subject and subject not in whole else whole


def parse_event(line: bytes) -> Event | None:
    """Parse a line of a trace; None if it is not a JSON object."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def text_of(event: Event, name: str) -> str:
    """Return the field `name` of an event if it is a text, else ""."""
    value = event.get(name)
    return value if isinstance(value, str) else ""


def number_of(event: Event, name: str, otherwise: float = 0.0) -> float:
    """Return the field `name` of an event if it is a number below 1e15 in magnitude, else `otherwise`."""
    value = event.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
        return otherwise
    return float(value)


def object_of(event: Event, name: str) -> Event:
    """Return the field `name` of an event if it is an object, else an empty one."""
    value = event.get(name)
    return value if isinstance(value, dict) else {}
