"""The three kinds of log entry, and their text.

`at` is the time of day in seconds since 1970; `heard` is monotonic and orders entries, also when the clock is set.
"""

import re
import time
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gstack_browse.logs.ring import Ring
from gstack_browse.text.sanitise import quote_text

MAX_MESSAGE = 10_000
"""Limit of one message in characters; a page may log megabytes."""
MAX_DIALOG_MESSAGE = 2_000
MAX_URL = 2_000
REFUSED = "refused: it "
"""How the error of a request that our policy refused begins."""
ABORTED = "ERR_ABORTED"
"""The error of a request that its page aborted: Chromium's, without `net::`."""
LOST_LEVEL = "lost"
"""Level of our own entries that say what is missing from the log."""


Level = Literal["error", "warning", "info", "log", "debug"]
_LEAST: dict[Level, int] = {"error": 3, "warning": 2, "info": 1, "log": 1, "debug": 0}
_PLAIN = _LEAST["info"]
_SERIOUSNESS = {"error": 3, "assert": 3, "exception": 3, LOST_LEVEL: 3, "warn": 2, "debug": 0, "verbose": 0}
"""Severity by level; lost entries may have been errors. Other levels (log, table, trace …) are plain."""


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
    """Our number of its document: see `browser/tabs/pages.py`."""
    heard: float = field(default_factory=time.monotonic)
    thrown: str = ""
    """For an uncaught exception, its text in a reply: `TypeError: no (dash.js:17:8)`; else ""."""
    logged: str = ""
    """For a logged error, its text in a reply; else ""."""

    def is_at_least(self, level: Level) -> bool:
        """Return whether the message is at least as serious as `level`."""
        return _SERIOUSNESS.get(self.level, _PLAIN) >= _LEAST[level]

    def count_characters(self) -> int:
        """Return how many characters of the entry come from a page; the number never changes."""
        return len(self.text) + len(self.where)

    def render(self) -> str:
        """Render the entry; further lines of its text are indented."""
        where = f" ({self.where})" if self.where else ""
        text = self.text.replace("\n", "\n    ")  # only an entry begins at the margin
        return f"[{format_clock(self.at)}] [{self.level}] {text}{where}"


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
    heard: float = field(default_factory=time.monotonic)
    number: int = 0
    """Number of the request in the log, from 1; 0 before it is logged."""
    shaped: str = ""
    """The rule of ours that changed its course: `route 2`."""
    challenge: str = ""
    """How the server asks for a user and a password (`WWW-Authenticate`); "" where it does not."""

    def count_characters(self) -> int:
        """Return how many characters of the entry come from a page."""
        return len(self.method) + len(self.url)

    @property
    def is_done(self) -> bool:
        return bool(self.error) or self.milliseconds >= 0

    @property
    def is_failed(self) -> bool:
        return bool(self.error) or self.status >= 400

    @property
    def is_refused(self) -> bool:
        """Whether our policy refused the request."""
        return self.error.startswith(REFUSED)

    @property
    def has_body(self) -> bool:
        """Whether a response with that status has a body (RFC 9110, 6.4.1)."""
        return self.status >= 200 and self.status not in (204, 205, 304) and not 300 <= self.status < 400

    def render(self) -> str:
        """Render `GET https://… → 200 (35ms, 120B)`."""
        return f"{self.method} {self.url} → {self.describe_outcome()}"

    def render_numbered(self) -> str:
        """Render the line after the request's number, which commands use to name it."""
        return f"#{self.number} {self.render()}"

    def describe_outcome(self) -> str:
        """Describe how the request ended, and which rule of ours changed it."""
        return f"{self._describe_result()} by {self.shaped}" if self.shaped else self._describe_result()

    def _describe_result(self) -> str:
        if self.error:
            return f"failed: {self.error}"
        if not self.status:
            return "open" if self.kind == "websocket" else "pending"
        known = [f"{self.milliseconds}ms"] if self.milliseconds >= 0 else []
        known += [f"{self.size}B"] if self.size >= 0 else []
        return f"{self.status} ({', '.join(known)})" if known else str(self.status)


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
    heard: float = field(default_factory=time.monotonic)

    def count_characters(self) -> int:
        """Return how many characters of the entry come from a page."""
        return len(self.message)

    def render(self) -> str:
        return f"[{format_clock(self.at)}] [{self.kind}] {quote_text(self.message, MAX_DIALOG_MESSAGE)} → {self.answer}"


AnyEntry: TypeAlias = ConsoleEntry | NetworkEntry | DialogEntry
AnyRing: TypeAlias = Ring[ConsoleEntry] | Ring[NetworkEntry] | Ring[DialogEntry]


def format_clock(at: float) -> str:
    """Format a time as local time of day with milliseconds."""
    return time.strftime("%H:%M:%S", time.localtime(at)) + f".{int(at % 1 * 1000):03d}"


_SECRET_PARAMETER = re.compile(
    r"(?i)([?&#](?:[a-z0-9_.-]*(?:token|secret|password|passwd|api[_-]?key|session|auth|signature|credential)[a-z0-9_.-]*|code|key|sig|pwd)=)[^&#\s]+"
)


def safe_url(url: str) -> str:
    """Shorten a URL for a log, and hide the values of parameters that look like secrets."""
    if url.startswith(("data:", "blob:")) and len(url) > 100:
        return url[:100] + "…"
    url = _SECRET_PARAMETER.sub(r"\1[redacted]", url)
    return url if len(url) <= MAX_URL else url[:MAX_URL] + "…"
