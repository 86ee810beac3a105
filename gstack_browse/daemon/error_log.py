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

from gstack_browse.text.redact import redact

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
