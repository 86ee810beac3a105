"""The private directory in the system's temporary one where Chromium keeps its profile while it runs.

Chromium's throw-away profile and downloads hold cookies, so they live in a directory of mode 0700 that is
removed when the browser stops; what a killed daemon left behind is removed by the next one. A lock tells
whether the owner of such a directory still lives.
"""

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "gbrowse-run-"
_LOCK = "lock"


class Scratch:
    """A private temporary directory, held by a lock for as long as this object lives."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Delete the directory and everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def sweep() -> None:
    """Delete the scratch directories of our own uid whose owner is gone."""
    for path in Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        if _is_abandoned(path):
            shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(path: Path) -> bool:
    try:
        if path.is_symlink() or path.stat().st_uid != os.getuid():
            return False
        descriptor = os.open(path / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(descriptor)
