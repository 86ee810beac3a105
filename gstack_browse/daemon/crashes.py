"""How often in a row the browser has ended before it did anything, written down since each time ends the daemon.

A command that nothing has happened of is asked again by the client, in the next daemon. Where that one's browser ends in the same
way, asking on would only repeat it: see docs/decisions/0091-starts-that-fail.md.
"""

from typing import Any

import orjson

from gstack_browse.errors import Refused, SetupFailed
from gstack_browse.state import WritableStateDir
from gstack_browse.state_fields import read_object
from gstack_browse.workspace import CRASH_FILE, DAEMON_LOG

MOST = 2
"""So many of the same kind in a row are told instead of tried once more."""
_MAX_BYTES = 1_000


class Crashes:
    """The crashes since a command last succeeded. Where the file cannot be used, only this daemon's own counts."""

    def __init__(self, state: WritableStateDir) -> None:
        self._state = state
        self._what = ""
        self._count = -1

    def note(self, what: str) -> None:
        """`what` has ended: running.CHROMIUM or running.DRIVER."""
        self._load()
        self._count = self._count + 1 if self._what == what else 1
        self._what = what
        try:
            self._state.write_file(CRASH_FILE, orjson.dumps({"what": what, "count": self._count}))
        except (OSError, Refused):
            return

    def forget(self) -> None:
        """A command has succeeded with the browser that runs now."""
        if self._count == 0:
            return
        self._load()
        if self._count:
            self._what, self._count = "", 0
            try:
                self._state.remove(CRASH_FILE)
            except (OSError, Refused):
                return

    def failure(self) -> SetupFailed | None:
        """What to say instead of trying once more; None where that may help."""
        self._load()
        if self._count < MOST:
            return None
        return SetupFailed(
            f"{self._what} has ended {self._count} times in a row before it had done anything",
            f"{self._state.shown(DAEMON_LOG)} has its last words. Try without sharing its pipe: BROWSE_WIRE=0 gbrowse goto <url>;"
            " or another Chromium: BROWSE_CHROMIUM=<path> gbrowse goto <url>",
        )

    def _load(self) -> None:
        if self._count >= 0:
            return
        found = self._read()
        what, count = found.get("what"), found.get("count")
        is_ours = isinstance(what, str) and isinstance(count, int) and 0 < count < 1_000_000
        self._what, self._count = (str(what)[:40], int(str(count))) if is_ours else ("", 0)

    def _read(self) -> dict[str, Any]:
        """What an earlier daemon wrote."""
        return read_object(lambda: self._state.read_file(CRASH_FILE, _MAX_BYTES))
