"""The three kinds of log entry and the line each one makes.

`at` is the time of day, in seconds since the epoch; `heard` counts on when that is set to another, and tells what came first.
"""

import re
import time
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gstack_browse.logs.ring import Ring
from gstack_browse.text.sanitise import quote_text

MAX_MESSAGE = 10_000
"""Characters kept of one message; a page may log megabytes."""
MAX_DIALOG_MESSAGE = 2_000
MAX_URL = 2_000
REFUSED = "refused: it "
"""How the error of a request begins that a rule of ours forbids."""
ABORTED = "ERR_ABORTED"
"""The error of a request that its page has given up: Chromium's word, without the `net::` before it."""
LOST = "lost"
"""Level of our own entries that say what is missing from the log."""


Level = Literal["error", "warning", "info", "log", "debug"]
_LEAST: dict[Level, int] = {"error": 3, "warning": 2, "info": 1, "log": 1, "debug": 0}
_PLAIN = _LEAST["info"]
_SERIOUSNESS = {"error": 3, "assert": 3, "exception": 3, LOST: 3, "warn": 2, "debug": 0, "verbose": 0}
"""By level; what was lost may have been errors. Levels that are not here (log, table, trace …) are plain."""


@dataclass(slots=True)
class ConsoleEntry:
    at: float
    tab: int
    level: str
    text: str
    where: str = ""
    """`url:line` of the call or the throw, or ""."""
    document: int = 0
    """Our number of the document it is of: see `browser/tabs/pages.py`."""
    heard: float = field(default_factory=time.monotonic)
    thrown: str = ""
    """What a reply says of it, where it is an error of a script that nobody caught: `TypeError: no (dash.js:17:8)`."""
    logged: str = ""
    """What a reply says about an error that the page, or Chromium about the page, has logged; "" for other entries."""

    def reaches(self, level: Level) -> bool:
        """Whether the message is at least as serious as `level`."""
        return _SERIOUSNESS.get(self.level, _PLAIN) >= _LEAST[level]

    def characters(self) -> int:
        """How many characters of the entry come from a page. The number never changes."""
        return len(self.text) + len(self.where)

    def line(self) -> str:
        where = f" ({self.where})" if self.where else ""
        text = self.text.replace("\n", "\n    ")  # a line that begins at the margin is an entry
        return f"[{clock(self.at)}] [{self.level}] {text}{where}"


@dataclass(slots=True)
class NetworkEntry:
    """A request; `status`, `error`, `milliseconds` and `size` (bytes of body) are filled in as they become known."""

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
    """Counts the requests of the log, from 1; 0 until it is written there."""
    shaped: str = ""
    """What of ours has changed its course: `route 2`."""
    challenge: str = ""
    """How the server asks for a user and a password (`WWW-Authenticate`); "" where it does not."""

    def characters(self) -> int:
        """How many characters of the entry come from a page."""
        return len(self.method) + len(self.url)

    @property
    def is_done(self) -> bool:
        return bool(self.error) or self.milliseconds >= 0

    @property
    def is_failed(self) -> bool:
        return bool(self.error) or self.status >= 400

    @property
    def is_refused(self) -> bool:
        """Whether a rule of ours has refused the request."""
        return self.error.startswith(REFUSED)

    @property
    def has_body(self) -> bool:
        """Whether an answer of that status comes with a body (RFC 9110, 6.4.1)."""
        return self.status >= 200 and self.status not in (204, 205, 304) and not 300 <= self.status < 400

    def line(self) -> str:
        return f"{self.method} {self.url} → {self.outcome()}"

    def numbered(self) -> str:
        """The line with the number by which a command can name the request."""
        return f"#{self.number} {self.line()}"

    def outcome(self) -> str:
        return f"{self._outcome()} by {self.shaped}" if self.shaped else self._outcome()

    def _outcome(self) -> str:
        if self.error:
            return f"failed: {self.error}"
        if not self.status:
            return "open" if self.kind == "websocket" else "pending"
        known = [f"{self.milliseconds}ms"] if self.milliseconds >= 0 else []
        known += [f"{self.size}B"] if self.size >= 0 else []
        return f"{self.status} ({', '.join(known)})" if known else str(self.status)


@dataclass(slots=True)
class DialogEntry:
    at: float
    tab: int
    kind: str
    message: str
    answer: str
    """`accepted`, `accepted "reply"`, `dismissed` or `left open`."""
    is_unasked: bool = False
    """Whether it was accepted although nobody had said how to answer it."""
    document: int = 0
    heard: float = field(default_factory=time.monotonic)

    def characters(self) -> int:
        """How many characters of the entry come from a page."""
        return len(self.message)

    def line(self) -> str:
        return (
            f"[{clock(self.at)}] [{self.kind}] {quote_text(self.message, MAX_DIALOG_MESSAGE)} → {self.answer}"
        )


AnyEntry: TypeAlias = ConsoleEntry | NetworkEntry | DialogEntry
AnyRing: TypeAlias = Ring[ConsoleEntry] | Ring[NetworkEntry] | Ring[DialogEntry]


def clock(at: float) -> str:
    """Local time of day with milliseconds."""
    return time.strftime("%H:%M:%S", time.localtime(at)) + f".{int(at % 1 * 1000):03d}"


_SECRET_PARAMETER = re.compile(
    r"(?i)([?&#](?:[a-z0-9_.-]*(?:token|secret|password|passwd|api[_-]?key|session|auth|signature|credential)[a-z0-9_.-]*|code|key|sig|pwd)=)[^&#\s]+"
)


def safe_url(url: str) -> str:
    """A URL fit for a log: shortened, and without the values of parameters that look like secrets."""
    if url.startswith(("data:", "blob:")) and len(url) > 100:
        return url[:100] + "…"
    url = _SECRET_PARAMETER.sub(r"\1[redacted]", url)
    return url if len(url) <= MAX_URL else url[:MAX_URL] + "…"
