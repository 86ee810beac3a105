"""Append to the daemon's own log, and new entries to the logs of contexts.

All are bounded on disk and without secrets. The daemon's log has errors, and how a browser was started; it is standard error, which it opened for appending when it detached.
"""

import asyncio
import os
import stat
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import orjson

from gstack_browse.browser.context.listener import Logs
from gstack_browse.browser.launch.running import CHROMIUM
from gstack_browse.errors import BrowseError, Refused, SetupFailed
from gstack_browse.network.logs import AnyEntry, AnyRing, NetworkEntry
from gstack_browse.text.json_bytes import read_object
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import descriptors
from gstack_browse.workspace.directory import CONSOLE_LOG, CRASH_FILE, DAEMON_LOG, DIALOG_LOG, NETWORK_LOG
from gstack_browse.workspace.state import WritableStateDir

MAX_DAEMON_LOG_BYTES = 1_000_000
_MAX_TRACEBACK = 20_000
MOST_IN_A_ROW = 2
"""After so many crashes of the same process in a row, the command fails instead of being repeated."""
_MAX_CRASH_FILE_BYTES = 1_000
MAX_CONTEXT_LOG_BYTES = 10_000_000
_MOST_ENTRIES = 5_000
"""Entries written at one time. A page that logs faster loses the oldest of its lines on disk."""


def log_exception(error: BaseException, secrets: Iterable[str] = ()) -> None:
    """Append the traceback of `error` to the daemon's log, with `secrets` masked."""
    text = "".join(traceback.format_exception(error))
    with suppress(OSError):  # the disk is full; the caller gets the failure all the same
        sys.stderr.write(redact(text[-_MAX_TRACEBACK:], secrets))
        sys.stderr.flush()
    empty_large_log()


def log_line(line: str) -> None:
    """Append a line with the current time to the daemon's log."""
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    with suppress(OSError):  # the disk is full
        sys.stderr.write(f"{now} {line}\n")
        sys.stderr.flush()
    empty_large_log()


def log_unhandled_exceptions(loop: asyncio.AbstractEventLoop) -> None:
    """Make the event loop write exceptions of unawaited tasks into the daemon's log."""

    def handle(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        log_exception(context.get("exception") or RuntimeError(context.get("message")))

    loop.set_exception_handler(handle)


def empty_large_log() -> None:
    """Empty the daemon's log file if it is over MAX_DAEMON_LOG_BYTES. Chromium writes into it, too."""
    found = os.fstat(2)
    if stat.S_ISREG(found.st_mode) and found.st_size > MAX_DAEMON_LOG_BYTES:
        os.ftruncate(2, 0)


class CrashCounter:
    """Counts browser crashes since a command last succeeded, in a file that later daemons continue.

    Without a usable file, counts those of this daemon.
    """

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        self._process = ""
        self._count = -1

    def count(self, browser_name: str) -> None:
        """Add one to the number of crashes in a row of the browser called `browser_name`.

        If the last crash was that of another browser, the number begins at 1 again.
        """
        self._load()
        self._count = self._count + 1 if self._process == browser_name else 1
        self._process = browser_name
        try:
            self._state.write_file(CRASH_FILE, orjson.dumps({"what": browser_name, "count": self._count}))
        except (OSError, Refused):
            return

    def reset(self) -> None:
        """Set the number of crashes in a row to 0, and delete its file: a command has succeeded."""
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
        """Return an error once the browser has crashed MOST_IN_A_ROW times in a row; else None.

        With the error, the failed command is not tried again in a new browser.
        """
        self._load()
        if self._count < MOST_IN_A_ROW:
            return None
        name = CHROMIUM if self._process == CHROMIUM else "The browser"  # others may have written the file
        return SetupFailed(
            f"{name} has ended {self._count} times in a row before it had done anything",
            f"{self._state.printable_path(DAEMON_LOG)} tells more: 'signal 9' is mostly for want of memory."
            " Try another Chromium: BROWSE_CHROMIUM=<path> gbrowse goto <url>",
        )

    def _load(self) -> None:
        """Load the last browser's name and crash count from an earlier daemon's file, unless already loaded."""
        if self._count >= 0:
            return
        found = read_object(lambda: self._state.read_file(CRASH_FILE, _MAX_CRASH_FILE_BYTES))
        what, count = found.get("what"), found.get("count")
        is_ours = isinstance(what, str) and isinstance(count, int) and 0 < count < 1_000_000
        self._process, self._count = (str(what)[:40], int(str(count))) if is_ours else ("", 0)


class Journal:
    """Writes the console, network and dialog logs of a browser context to files, emptied when too large.

    `hide` removes secrets from a line. Lines of a context with a name begin with it, before the tab.
    """

    def __init__(
        self, state: WritableStateDir, logs: Logs, hide: Callable[[str], str] = str, context: str = ""
    ) -> None:
        self._state = state
        self._line_prefix = f"{context} " if context else ""
        self._hide = hide
        self._rings: dict[str, AnyRing] = {
            CONSOLE_LOG: logs.console,
            NETWORK_LOG: logs.network,
            DIALOG_LOG: logs.dialog,
        }
        self._cursors = dict.fromkeys(self._rings, 0)
        self._unwritten: dict[str, deque[AnyEntry]] = {name: deque() for name in self._rings}
        """New entries of each file. They stay here until a thread writes them: the process may end before."""
        self._writing = threading.Lock()
        self._unfinished: list[NetworkEntry] = []
        self._problems: dict[str, str] = {}

    @property
    def problem(self) -> str:
        """Return which log files could not be written the last time, and why; "" if all could."""
        return "; ".join(
            f"{self._state.printable_path(name)} cannot be written: {why}"
            for name, why in self._problems.items()
        )

    async def flush(self) -> None:
        """Append new entries of a context's logs (console, network, dialogs) to their files, in a thread."""
        for name, unwritten in self._unwritten.items():
            unwritten.extend(self._take_new(name))
            if unwritten:
                await asyncio.to_thread(self._write, name)

    def flush_now(self) -> None:
        """Append all entries to their log files that are not there yet, also those of an unfinished `flush`.

        Blocks until they are written, since the process ends next.
        """
        for name, unwritten in self._unwritten.items():
            unwritten.extend(self._take_new(name))
            self._write(name)

    def _write(self, name: str) -> None:
        """Append the entries that wait for the log file `name` to it. Any thread may call this."""
        with self._writing:
            entries = []
            while self._unwritten[name]:
                entries.append(self._unwritten[name].popleft())
            if entries:
                self._append(name, entries)

    def _take_new(self, name: str) -> list[AnyEntry]:
        """Return the entries of a log since the last call; a request only once its outcome is known.

        `name`: the log's file.
        """
        ring = self._rings[name]
        entries: list[AnyEntry] = [*ring.entries_since(self._cursors[name])][-_MOST_ENTRIES:]
        self._cursors[name] = ring.total
        if name != NETWORK_LOG:
            return entries
        waiting = self._unfinished + [entry for entry in entries if isinstance(entry, NetworkEntry)]
        done: list[AnyEntry] = [entry for entry in waiting if entry.is_done]
        self._unfinished = [entry for entry in waiting if not entry.is_done][-_MOST_ENTRIES:]
        return done

    def _append(self, name: str, entries: Sequence[AnyEntry]) -> None:
        """Append entries to the log file `name`; if that fails, keep the reason, which `status` prints."""
        text = "".join(
            f"{_format_time(entry)} {self._line_prefix}tab {entry.tab} {one_line(self._hide(entry.render()), 4000)}\n"
            for entry in entries
        )
        try:
            descriptor = self._state.open_log(name)
            try:
                if os.fstat(descriptor).st_size > MAX_CONTEXT_LOG_BYTES:
                    os.ftruncate(descriptor, 0)
                # a disk that becomes full takes a part first, and says so the next time
                descriptors.write_all(descriptor, text.encode("utf-8", "replace"))
            finally:
                os.close(descriptor)
        except (
            OSError,
            BrowseError,
        ) as error:  # a full disk, or something else in its place; the rings still have it all
            self._problems[name] = error.message if isinstance(error, BrowseError) else str(error.strerror)
        else:
            self._problems.pop(name, None)


def _format_time(entry: AnyEntry) -> str:
    """Return the time of a log's entry as ISO 8601 in local time, with the offset of the zone."""
    return datetime.fromtimestamp(entry.at).astimezone().isoformat(timespec="seconds")
