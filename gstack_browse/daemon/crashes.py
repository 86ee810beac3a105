"""Count, in a file, how often in a row the browser ended before it did anything.

In a file, since each time ends the daemon. The client repeats a command that had no effect, in the next daemon. If that browser
ends in the same way, further attempts would only repeat it. Two, not one: a browser may just be dying of something else.
"""

from typing import Any

import orjson

from gstack_browse.errors import Refused, SetupFailed
from gstack_browse.state import WritableStateDir
from gstack_browse.state_fields import read_object
from gstack_browse.workspace import CRASH_FILE, DAEMON_LOG

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
        if self._count >= 0:
            return
        found = self._read()
        what, count = found.get("what"), found.get("count")
        is_ours = isinstance(what, str) and isinstance(count, int) and 0 < count < 1_000_000
        self._process, self._count = (str(what)[:40], int(str(count))) if is_ours else ("", 0)

    def _read(self) -> dict[str, Any]:
        """Read what an earlier daemon wrote."""
        return read_object(lambda: self._state.read_file(CRASH_FILE, _MAX_BYTES))
