"""Write our exceptions, and how a browser was started, to the daemon's log: bounded, without secrets.

The log is standard error, which the daemon opened for appending when it detached.
"""

import asyncio
import os
import stat
import sys
import traceback
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any

import orjson

from gstack_browse.errors import Refused, SetupFailed
from gstack_browse.text.json_bytes import read_object
from gstack_browse.text.redact import redact
from gstack_browse.workspace.directory import CRASH_FILE, DAEMON_LOG
from gstack_browse.workspace.state import WritableStateDir

MAX_LOG_BYTES = 1_000_000
_MAX_ENTRY = 20_000


def log_exception(error: BaseException, secrets: Iterable[str] = ()) -> None:
    """Append the traceback of `error`, without the `secrets` that a command was given."""
    text = "".join(traceback.format_exception(error))
    with suppress(OSError):  # the disk is full; the caller gets the failure all the same
        sys.stderr.write(redact(text[-_MAX_ENTRY:], secrets))
        sys.stderr.flush()
    empty_large_log()


def log_line(line: str) -> None:
    """Append a line with the current time."""
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    with suppress(OSError):  # the disk is full
        sys.stderr.write(f"{now} {line}\n")
        sys.stderr.flush()
    empty_large_log()


def log_unhandled(loop: asyncio.AbstractEventLoop) -> None:
    """Log exceptions of tasks that are not awaited."""

    def handle(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        log_exception(context.get("exception") or RuntimeError(context.get("message")))

    loop.set_exception_handler(handle)


def empty_large_log() -> None:
    """Empty the log if it is too large; Chromium writes into it, too."""
    found = os.fstat(2)
    if stat.S_ISREG(found.st_mode) and found.st_size > MAX_LOG_BYTES:
        os.ftruncate(2, 0)


MOST_IN_A_ROW = 2
"""After so many crashes of the same process in a row, the command fails instead of being repeated."""
_MAX_BYTES = 1_000


class CrashCounter:
    """Counts the crashes since a command last succeeded; without a usable file, those of this daemon."""

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        self._process = ""
        self._count = -1

    def count(self, what: str) -> None:
        """Count a crash of `what`: running.CHROMIUM."""
        self._load()
        self._count = self._count + 1 if self._process == what else 1
        self._process = what
        try:
            self._state.write_file(CRASH_FILE, orjson.dumps({"what": what, "count": self._count}))
        except (OSError, Refused):
            return

    def reset(self) -> None:
        """Forget the crashes: a command has succeeded with the running browser."""
        if self._count == 0:
            return
        self._load()
        if self._count:
            self._process, self._count = "", 0
            try:
                self._state.remove(CRASH_FILE)
            except (OSError, Refused):
                return

    def repeated_crash_error(self) -> SetupFailed | None:
        """Return the failure to report if another attempt would not help; else None."""
        self._load()
        if self._count < MOST_IN_A_ROW:
            return None
        return SetupFailed(
            f"{self._process} has ended {self._count} times in a row before it had done anything",
            f"{self._state.shown(DAEMON_LOG)} tells more. Try another Chromium: BROWSE_CHROMIUM=<path> gbrowse goto <url>",
        )

    def _load(self) -> None:
        """Read which process crashed, and how often, from the file that an earlier daemon wrote. Do so once."""
        if self._count >= 0:
            return
        found = read_object(lambda: self._state.read_file(CRASH_FILE, _MAX_BYTES))
        what, count = found.get("what"), found.get("count")
        is_ours = isinstance(what, str) and isinstance(count, int) and 0 < count < 1_000_000
        self._process, self._count = (str(what)[:40], int(str(count))) if is_ours else ("", 0)
