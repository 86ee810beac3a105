"""Writes our own faults, and how a browser was started, into the daemon's log: without secrets, and bounded. Answers nobody.

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


def report(error: BaseException, secrets: Iterable[str] = ()) -> None:
    """Append the traceback of `error`, with what a command was given as `secrets` taken out."""
    text = "".join(traceback.format_exception(error))
    with suppress(OSError):  # the disk is full; whoever asked for what failed is told all the same
        sys.stderr.write(redact(text[-_MAX_ENTRY:], secrets))
        sys.stderr.flush()
    bound_log()


def note(line: str) -> None:
    """Append a line, with the time before it."""
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    with suppress(OSError):  # the disk is full
        sys.stderr.write(f"{now} {line}\n")
        sys.stderr.flush()
    bound_log()


def catch_stray(loop: asyncio.AbstractEventLoop) -> None:
    """Report exceptions that nobody awaits."""

    def handle(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        report(context.get("exception") or RuntimeError(context.get("message")))

    loop.set_exception_handler(handle)


def bound_log() -> None:
    """Begin the log anew when it has grown too large; the driver and Chromium write into it too."""
    found = os.fstat(2)
    if stat.S_ISREG(found.st_mode) and found.st_size > MAX_LOG_BYTES:
        os.ftruncate(2, 0)
