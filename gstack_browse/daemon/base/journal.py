"""Append new log entries to their files, outside of requests and bounded on disk."""

import asyncio
import os
from collections.abc import Callable, Sequence
from datetime import datetime

from gstack_browse.browser.session.listener import Logs
from gstack_browse.errors import BrowseError
from gstack_browse.network.logs import AnyEntry, AnyRing, NetworkEntry
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import descriptors
from gstack_browse.workspace.directory import CONSOLE_LOG, DIALOG_LOG, NETWORK_LOG
from gstack_browse.workspace.state import WritableStateDir

MAX_FILE_BYTES = 10_000_000
_MOST_ENTRIES = 5_000
"""Entries written at one time. A page that logs faster loses the oldest of its lines on disk."""


class Journal:
    """The log files of one browser context. A file that is too large is emptied.

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
        self._unfinished: list[NetworkEntry] = []
        self._problems: dict[str, str] = {}

    @property
    def problem(self) -> str:
        """Return which logs could not be written the last time, and why; "" if all could."""
        return "; ".join(
            f"{self._state.shown(name)} cannot be written: {why}" for name, why in self._problems.items()
        )

    async def flush(self) -> None:
        """Append new entries. A thread writes to the disk."""
        for name in self._rings:
            if entries := self._take_new(name):
                await asyncio.to_thread(self._append, name, entries)

    def flush_now(self) -> None:
        """Append new entries, blocking, before the process ends."""
        for name in self._rings:
            if entries := self._take_new(name):
                self._append(name, entries)

    def _take_new(self, name: str) -> list[AnyEntry]:
        """Return the new entries; a request only once its outcome is known."""
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
        """Append entries to a log file; record a problem for `status` if that fails."""
        text = "".join(
            f"{_format_time(entry)} {self._line_prefix}tab {entry.tab} {one_line(self._hide(entry.render()), 4000)}\n"
            for entry in entries
        )
        try:
            descriptor = self._state.open_log(name)
            try:
                if os.fstat(descriptor).st_size > MAX_FILE_BYTES:
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
    """Return an entry's time as local ISO 8601 with the zone's offset."""
    return datetime.fromtimestamp(entry.at).astimezone().isoformat(timespec="seconds")
