"""Define log entries (console, requests, dialogs), filter requests, and format console messages. Pure.

`at` is the time of day in seconds since 1970; `received_at` is monotonic, so it orders entries even if the clock is set.
The texts of console messages are the page's own; they are sanitised elsewhere.
"""

import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar
from urllib.parse import urlsplit

from gstack_browse.text.pattern import RequestGlob, StatusPattern
from gstack_browse.text.sanitise import one_line, quote_text

Entry = TypeVar("Entry")

CAPACITY = 50_000
MOST_CHARACTERS = 10_000_000
"""Limit of page text in all entries: 50,000 of the longest messages would take 500 MB."""


class Ring(Generic[Entry]):
    """The last `capacity` entries, fewer if they are long. `characters` measures an entry."""

    def __init__(self, capacity: int = CAPACITY, characters: Callable[[Entry], int] = lambda entry: 0) -> None:
        self._capacity = capacity
        self._characters = characters
        self._total_characters = 0
        """Characters of all entries."""
        self._entries: deque[tuple[int, Entry]] = deque()
        self.total = 0
        """The number of entries ever added; the cursor of the next one."""
        self._first = 0
        """The cursor of the oldest entry still held."""
        self._watchers: list[Callable[[], object]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return (entry for _, entry in self._entries)

    def add(self, entry: Entry) -> None:
        """Append an entry to the log, drop the oldest ones beyond the limits, and call the watchers."""
        self._entries.append((self.total, entry))
        self.total += 1
        self._total_characters += self._characters(entry)
        while len(self._entries) > self._capacity or self._total_characters > MOST_CHARACTERS:
            number, oldest = self._entries.popleft()
            self._total_characters -= self._characters(oldest)
            self._first = number + 1
        if self._watchers:
            self.notify_watchers()

    def continue_count(self, total: int) -> None:
        """Continue the numbering of the log of an earlier daemon, in which there were `total` entries."""
        self.total = max(self.total, total)
        if not self._entries:
            self._first = self.total

    @contextmanager
    def watch(self, on_change: Callable[[], object]) -> Iterator[None]:
        """Call `on_change` whenever an entry is added or changed, for the length of a `with` block."""
        self._watchers.append(on_change)
        try:
            yield
        finally:
            self._watchers.remove(on_change)

    def notify_watchers(self) -> None:
        """Call the callbacks of all current `watch` blocks. To be called after an entry has changed."""
        for on_change in self._watchers:
            on_change()

    def count_lost(self, cursor: int) -> int:
        """Return how many of the entries added since `total` was `cursor` were dropped for lack of room."""
        return max(self._first - cursor, 0)

    def remove(self, is_unwanted: Callable[[Entry], bool]) -> int:
        """Remove the entries that `is_unwanted` selects, and return their number; cursors stay valid."""
        kept = [item for item in self._entries if not is_unwanted(item[1])]
        forgotten = len(self._entries) - len(kept)
        self._entries.clear()
        self._entries.extend(kept)
        self._total_characters = sum(self._characters(entry) for _, entry in kept)
        return forgotten

    def entries_since(self, cursor: int) -> list[Entry]:
        """Return the entries added since `total` was `cursor`, oldest first, without those that were dropped."""
        if cursor == self.total:
            return []
        found = []
        for number, entry in reversed(self._entries):
            if number < cursor:
                break
            found.append(entry)
        return found[::-1]


MAX_MESSAGE = 10_000
"""Limit of one message in characters; a page may log megabytes."""
MOST_THROWN = 150
"""Limit for an error's message in a reply, in characters."""
MAX_DIALOG_MESSAGE = 2_000
MAX_URL = 2_000
REFUSED = "refused: it "
"""How the error of a request that our policy refused begins."""
ABORTED = "ERR_ABORTED"
"""The error of a request that its page aborted: Chromium's, without `net::`."""
PROXY_UNAUTHORIZED = 407
"""The status with which a proxy asks for a user and a password."""
LOST_LEVEL = "lost"
"""Level of our own entries that say what is missing from the log."""
Level = Literal["error", "warning", "info", "log", "debug"]
_LEAST: dict[Level, int] = {"error": 3, "warning": 2, "info": 1, "log": 1, "debug": 0}
MOST_STACK_LINES = 50
"""Limit of lines of one message in which places are looked for."""
SCRIPT_SCHEMES = ("http://", "https://", "webpack-internal://", "webpack://", "turbopack://", "rsc://")
"""How URLs of scripts begin that may have source maps; the later ones are names that builds give to what they evaluate."""
_PLACE = re.compile(r" \([^()]*:\d+:\d+\)\Z")
_PLAIN = _LEAST["info"]
_SERIOUSNESS = {"error": 3, "assert": 3, "exception": 3, LOST_LEVEL: 3, "warn": 2, "debug": 0, "verbose": 0}
"""Severity by level; lost entries may have been errors. Other levels (log, table, trace …) are plain."""
Place: TypeAlias = tuple[str, int, int]
"""A script's URL, line and column, from 1."""


class FoundPlace(NamedTuple):
    """A script position at the end of a line, and the indices in the line where it begins and ends."""

    start: int
    end: int
    place: Place


def find_place(line: str) -> FoundPlace | None:
    """Find the script position at the end of a line of text, such as `at run (http://host/app.js:1:20)`.

    Returns None without one. Time is linear in the line's length.
    """
    place = line.rstrip()
    place = place[:-1] if place.endswith(")") else place
    rest, _, column = place.rpartition(":")
    rest, _, row = rest.rpartition(":")
    if not (_is_number(row) and _is_number(column)):
        return None
    start = max(rest.rfind(" "), rest.rfind("("), rest.rfind("\t")) + 1
    url = rest[start:]
    if not url.startswith(SCRIPT_SCHEMES) or len(url) > MAX_URL:
        return None
    return FoundPlace(start, len(place), (url, int(row), int(column)))


def _is_number(word: str) -> bool:
    """Return whether a word is a line or column number: at most 9 ASCII digits."""
    return word.isascii() and word.isdigit() and len(word) < 10


@dataclass(slots=True)
class ConsoleEntry:
    """A message of the console, or an exception."""

    at: float
    tab: int
    level: str
    text: str
    where: str = ""
    """`url:line` of the call or the throw, or ""."""
    document: int = 0
    """Our number of its document: see `browser/network/traffic.py`."""
    received_at: float = field(default_factory=time.monotonic)
    thrown: str = ""
    """For an uncaught exception, its text in a reply: `TypeError: no (dash.js:17:8)`; else ""."""
    logged: str = ""
    """For a logged error, its text in a reply; else ""."""
    place: Place | None = None
    """URL of the script, line and column of the call or the throw, from 1."""
    source: str = ""
    """The same in the original file, once its map was read: `src/App.tsx:12:5`."""

    def is_at_least(self, level: Level) -> bool:
        """Return whether the message is at least as serious as `level`."""
        return _SERIOUSNESS.get(self.level, _PLAIN) >= _LEAST[level]

    def count_characters(self) -> int:
        """Return how many characters of the entry come from a page, which limits the log; it never changes."""
        return len(self.text) + len(self.where)

    def render_thrown(self) -> str:
        """Render an uncaught error for a command's reply, with its position in the original file if known."""
        if not self.source:
            return self.thrown
        return _PLACE.sub("", self.thrown) + f" ({self.source})"

    def places_in_text(self) -> list[Place]:
        """Return the script positions at the ends of the message's lines, as in a stack trace."""
        lines = self.text.split("\n", MOST_STACK_LINES)
        return [found.place for line in lines if (found := find_place(line))]

    def with_originals(self, original: Callable[[Place], str]) -> "ConsoleEntry":
        """Return a copy in which script positions are replaced by those in original files (from source maps).

        `original`: returns for a position in a script `src/App.tsx:12:5`; "" if unknown.
        """
        lines = self.text.split("\n", MOST_STACK_LINES)
        for number, line in enumerate(lines):
            if (found := find_place(line)) and (name := original(found.place)):
                lines[number] = line[: found.start] + name + line[found.end :]
        source = (original(self.place) if self.place else "") or self.source
        return replace(self, text="\n".join(lines), source=source)

    def render(self) -> str:
        """Render the message for the log: time, level, text (further lines indented) and position."""
        origin = f"{self.source} ← " if self.source else ""
        where = f" ({origin}{self.where})" if self.where else ""
        text = self.text.replace("\n", "\n    ")  # only an entry begins at the margin
        return f"[{format_clock(self.at)}] [{self.level}] {text}{where}"


def logged_message(text: str) -> str:
    """Shorten the text of a logged error to one line for a command's reply."""
    return one_line(text[: 4 * MOST_THROWN], MOST_THROWN)


def render_unique(entries: Iterable[ConsoleEntry]) -> list[str]:
    """Render console entries; those with equal level, text and position become one line with their number.

    They are in the order of first occurrence.
    """
    same: dict[tuple[str, str, str], list[ConsoleEntry]] = {}
    for entry in entries:
        same.setdefault((entry.level, entry.text, entry.where), []).append(entry)
    return [
        found[0].render() + (f" ×{len(found):,}, last {format_clock(found[-1].at)}" if len(found) > 1 else "")
        for found in same.values()
    ]


@dataclass(slots=True)
class NetworkEntry:
    """A request. `status`, `error`, `milliseconds` and `size` (bytes of body) are set once known."""

    at: float
    tab: int
    method: str
    url: str
    kind: str
    status: int = 0
    error: str = ""
    milliseconds: int = -1
    size: int = -1
    document: int = 0
    received_at: float = field(default_factory=time.monotonic)
    number: int = 0
    """Number of the request in the log, from 1; 0 before it is logged."""
    shaped: str = ""
    """The name of the routing rule that answered, changed or aborted it: `route 2`."""
    challenge: str = ""
    """How the server, or a proxy, asks for a user and a password (`WWW-Authenticate`); "" where it does not."""
    is_perhaps_stale: bool = False
    """Whether the answer was kept, and may be older than the server's: see `_is_perhaps_stale` in network/traffic.py."""

    def count_characters(self) -> int:
        """Return how many characters of the entry come from a page."""
        return len(self.method) + len(self.url)

    @property
    def is_done(self) -> bool:
        """Return whether the request has ended."""
        return bool(self.error) or self.milliseconds >= 0

    @property
    def is_failed(self) -> bool:
        """Return whether the request ended without an answer, or with a status of 400 or above."""
        return bool(self.error) or self.status >= 400

    @property
    def is_unread_error(self) -> bool:
        """Return whether Chromium cancelled an answer with an error status unread, as a style sheet with a 404."""
        return self.error == ABORTED and self.status >= 400

    @property
    def is_refused(self) -> bool:
        """Return whether our policy refused the request."""
        return self.error.startswith(REFUSED)

    @property
    def has_body(self) -> bool:
        """Return whether a response to that method with that status has a body (RFC 9110, 6.4.1)."""
        return (
            self.method != "HEAD"
            and self.status >= 200
            and self.status not in (204, 205, 304)
            and not 300 <= self.status < 400
        )

    def render(self) -> str:
        """Render the request as a line: `GET https://… → 200 (35ms, 120B)`."""
        return f"{self.method} {self.url} → {self.describe_outcome()}"

    def render_numbered(self) -> str:
        """Render with the number that `request 41` takes: `#41 GET https://… → 200 (35ms, 120B)`."""
        return f"#{self.number} {self.render()}"

    def describe_outcome(self) -> str:
        """Describe how the request ended, and which routing rule changed it."""
        return f"{self._describe_result()} by {self.shaped}" if self.shaped else self._describe_result()

    def _describe_result(self) -> str:
        """Return the request's result: status, duration and size, or the error, or that it is pending."""
        if self.error and not self.is_unread_error:
            return f"failed: {self.error}"
        if not self.status:
            return "open" if self.kind == "websocket" else "pending"
        known = [f"{self.milliseconds}ms"] if self.milliseconds >= 0 else []
        known += [f"{self.size}B"] if self.size >= 0 else []
        return f"{self.status} ({', '.join(known)})" if known else str(self.status)

    def to_record(self) -> dict[str, Any]:
        """Return the request as an object for JSON; null for what is unknown."""
        return {
            "number": self.number,
            "tab": self.tab or None,
            "method": self.method,
            "url": self.url,
            "type": self.kind,
            "status": self.status or None,
            "error": self.error or None,
            "milliseconds": self.milliseconds if self.milliseconds >= 0 else None,
            "bytes": self.size if self.size >= 0 else None,
            "at": datetime.fromtimestamp(self.at).astimezone().isoformat(timespec="milliseconds"),
        }


@dataclass(frozen=True)
class RequestFilter:
    """Conditions on a logged request, all of which must hold. By default each holds for every request."""

    glob: RequestGlob | None = None
    method: str = ""
    status: StatusPattern | None = None
    kinds: frozenset[str] = frozenset()
    """Chromium's types of requests (`NetworkEntry.kind`), one of which it must have."""
    since: int = 0
    """Only requests with a higher number."""
    failed: bool = False
    """Only requests that failed, or got status 4xx or 5xx."""

    def matches(self, entry: NetworkEntry) -> bool:
        """Return whether a logged request meets all conditions."""
        return (
            entry.number > self.since
            and (not self.failed or entry.is_failed)
            and self.method in ("", entry.method)
            and (not self.kinds or entry.kind in self.kinds)
            and (self.status is None or self.status.matches(entry.status, entry.error))
            and (self.glob is None or self.glob.matches(entry.method, entry.url))
        )


@dataclass(slots=True)
class DialogEntry:
    """A dialog of a page, and how it was answered."""

    at: float
    tab: int
    kind: str
    message: str
    answer: str
    """`accepted`, `accepted "reply"`, `dismissed` or `left open`."""
    is_unasked: bool = False
    """Whether it was accepted without anyone having said how to answer."""
    is_left_open: bool = False
    """Whether it waited for an answer: who comes next is refused with its name, and need not be told."""
    document: int = 0
    received_at: float = field(default_factory=time.monotonic)

    def count_characters(self) -> int:
        """Return how many characters of the entry come from a page."""
        return len(self.message)

    def render(self) -> str:
        """Return the dialog as one line: time, kind, message and answer."""
        return f"[{format_clock(self.at)}] [{self.kind}] {quote_text(self.message, MAX_DIALOG_MESSAGE)} → {self.answer}"


AnyEntry: TypeAlias = ConsoleEntry | NetworkEntry | DialogEntry
AnyRing: TypeAlias = Ring[ConsoleEntry] | Ring[NetworkEntry] | Ring[DialogEntry]


def format_clock(at: float) -> str:
    """Format a time (seconds since 1970) as local time of day with milliseconds: `14:05:59.123`."""
    return time.strftime("%H:%M:%S", time.localtime(at)) + f".{int(at % 1 * 1000):03d}"


_SECRET_PARAMETER = re.compile(
    r"(?i)([?&#](?=[a-z0-9_.-]++=)(?:[a-z0-9_.-]*(?:token|secret|password|passwd|api[_-]?key|session|auth|signature|credential)[a-z0-9_.-]*|code|key|sig|pwd)=)[^&#\s]+"
)
"""First checks that the name ends in `=`: without that, a long name takes quadratic time."""


def safe_url(url: str) -> str:
    """Shorten a URL for a log, hide values of parameters that look like secrets, and encode blanks."""
    if url.startswith(("data:", "blob:")) and len(url) > 100:
        return fill_blanks(url[:100]) + "…"
    url = _SECRET_PARAMETER.sub(r"\1[redacted]", url)
    url = fill_blanks(url)
    return url if len(url) <= MAX_URL else url[:MAX_URL] + "…"


def fill_blanks(url: str) -> str:
    """Encode a URL's blanks. Chromium leaves them in `data:` and `mailto:`, so a page may write sentences."""
    return url.replace(" ", "%20")


MOST_STACKS = 10
"""Limit of asynchronous stacks whose calls are walked."""
MOST_NAME = 100
"""Limit of a function's name in characters."""
_FORMAT = re.compile(r"%([sdifoOc%])")
_STACK = re.compile(r"\n[ \t]+at ")
_TWICE = re.compile(r"([\w$.]{1,100}): (?:\1: )+")
_UNCAUGHT = re.compile(r"Uncaught (?:\(in promise\) )?")


@dataclass(frozen=True)
class Position:
    """A position in a script; line and column count from 1, column 0 is unknown."""

    url: str
    line: int
    column: int = 0
    function: str = ""

    def __str__(self) -> str:
        place = f"{self.url or '<anonymous>'}:{self.line}:{self.column}"
        return f"{self.function} ({place})" if self.function else place

    @property
    def short(self) -> str:
        """Return the position as file name, line and column: `dash.js:17:8`; "" without a URL."""
        name = _get_file_name(self.url)
        return f"{name}:{self.line}:{self.column}" if name else ""


def format_arguments(arguments: Sequence[dict[str, Any]]) -> str:
    """Format a console call's arguments (remote objects) as a console does; the first may be a format."""
    if len(arguments) > 1 and arguments[0].get("type") == "string" and "%" in arguments[0]["value"]:
        return _apply_format(arguments[0]["value"], iter(arguments[1:]))
    return " ".join(map(format_remote_object, arguments))


def format_remote_object(value: dict[str, Any]) -> str:
    """Format a `Runtime.RemoteObject`: a string as it is, `{a: 1}`, `[1, 2]`, else Chromium's description."""
    if value["type"] == "undefined":
        return "undefined"
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if "value" in value:
        return format_primitive(value["value"])
    described = str(value.get("description", value["type"]))
    if value.get("subtype") == "error":
        message, stack = _split_stack(collapse_wrapped_error(described))
        return message + _format_cause(value) + stack
    return _format_preview(value.get("preview", {}), described)


def format_exception(details: dict[str, Any]) -> str:
    """Format a `Runtime.ExceptionDetails` without its stack: `TypeError: x is not a function`.

    For an exception in a script of another origin Chromium only gives a text.
    """
    exception = details.get("exception")
    if exception is None:
        text = _UNCAUGHT.sub("", str(details.get("text", "")), count=1)
        return collapse_wrapped_error(text) or "Script error."
    if exception.get("subtype") == "error":
        return error_message(str(exception.get("description", "Error"))) + _format_cause(exception)
    return format_remote_object(exception)


def error_message(described: str) -> str:
    """Return an error's name and message from Chromium's description of it, which goes on with the stack."""
    return collapse_wrapped_error(_split_stack(described)[0])


def _split_stack(described: str) -> tuple[str, str]:
    """Split Chromium's description of an error into message and stack, which begins with a line end."""
    found = _STACK.search(described)
    return (described[: found.start()], described[found.start() :]) if found else (described, "")


def _format_cause(error: Mapping[str, Any]) -> str:
    """Return ` (cause: TypeError: …)` for an error (remote object) that was made with a `cause`; else ""."""
    properties = error.get("preview", {}).get("properties", [])
    causes = [error_message(_format_property(item)) for item in properties if item["name"] == "cause"]
    return f" (cause: {causes[0]})" if causes else ""


def collapse_wrapped_error(described: str) -> str:
    """Write the name of an error that wraps another one only once: `Error: Error: x` → `Error: x`."""
    return _TWICE.sub(r"\1: ", described, count=1) if _TWICE.match(described) else described


def find_error_position(details: dict[str, Any]) -> Position | None:
    """Return where an exception was thrown, from a `Runtime.ExceptionDetails`; None if unknown.

    It is that of the first frame with a URL, else the exception's own (syntax errors).
    """
    if found := find_caller(details.get("stackTrace")):
        return found
    if "url" in details:
        return Position(str(details["url"]), details["lineNumber"] + 1, details["columnNumber"] + 1)
    return next(walk_calls(details.get("stackTrace")), None)


def find_caller(stack: dict[str, Any] | None) -> Position | None:
    """Return the position of the first call in a `Runtime.StackTrace` that has a URL; None for none.

    Calls of asynchronous callers count, too.
    """
    return next((call for call in walk_calls(stack) if call.url), None)


def walk_calls(stack: Mapping[str, Any] | None) -> Iterator[Position]:
    """Yield the positions of a `Runtime.StackTrace`'s calls, innermost first, asynchronous callers last."""
    for _ in range(MOST_STACKS):
        if not stack:
            return
        for frame in stack["callFrames"]:
            line, column = frame["lineNumber"] + 1, frame["columnNumber"] + 1
            yield Position(str(frame["url"]), line, column, str(frame["functionName"])[:MOST_NAME])
        stack = stack.get("parent")


def _get_file_name(url: str) -> str:
    """Return the file's name in a URL: its path's last part; "" for none, "data" or "blob" for such URLs."""
    if url.startswith(("data:", "blob:")):
        return url[:4]
    path = urlsplit(url).path if url.isprintable() and "[" not in url else url.partition("?")[0]
    return (path.rstrip("/").rpartition("/")[2] + "/" * path.endswith("/")) if path else ""


def _apply_format(format_string: str, values: Iterator[dict[str, Any]]) -> str:
    """Fill a console's format string: `%s` and the like get values in order, styles (`%c`) are dropped.

    Remaining values are appended.
    """

    def replace_placeholder(match: re.Match[str]) -> str:
        if match[1] == "%":
            return "%"
        value = next(values, None)
        if value is None:
            return match[0]
        return "" if match[1] == "c" else format_remote_object(value)

    return " ".join([_FORMAT.sub(replace_placeholder, format_string), *map(format_remote_object, values)])


def format_primitive(value: Any) -> str:
    """Format a JSON value as JavaScript prints it: `true`, `null`, `1`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return "null" if value is None else str(value)


def _format_preview(preview: Mapping[str, Any], described: str) -> str:
    """Format an array or object by Chromium's preview of it.

    As `[1, 2, …]`, `{a: 1}`, `Map(1) {1 => {a: 2}}`. Returns `described`, Chromium's description, if it has no preview, or is of another kind.
    """
    more = ["…"] if preview.get("overflow") else []
    properties = preview.get("properties", [])
    if preview.get("subtype") == "array":
        items = [_format_property(item) for item in properties if item["name"].isdigit()]
        return f"[{', '.join(items + more)}]"
    if described == "Object" and preview:
        pairs = [f"{item['name']}: {_format_property(item)}" for item in properties]
        return f"{{{', '.join(pairs + more)}}}"
    if entries := preview.get("entries"):  # of a map or a set
        sides = [[entry[side] for side in ("key", "value") if side in entry] for entry in entries]
        texts = [
            " => ".join(_format_preview(side, side.get("description", side["type"])) for side in entry)
            for entry in sides
        ]
        return f"{described} {{{', '.join(texts + more)}}}"
    return described


def _format_property(item: Mapping[str, Any]) -> str:
    """Return a property in Chromium's object preview as text: `{"type": "number", "value": "1"}` → `1`.

    Only the rows of `console.table` have a preview of their own.
    """
    if inner := item.get("valuePreview"):
        return _format_preview(inner, inner["description"])
    return "function" if item["type"] == "function" else str(item.get("value", item["type"]))
