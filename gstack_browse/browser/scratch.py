"""The private directory in the system's temporary one where Chromium keeps its profile while it runs.

Chromium's throw-away profile and downloads hold cookies, so they live in a directory of mode 0700 that is
removed when the browser stops; what a killed daemon left behind is removed by the next one. A lock tells
whether the owner of such a directory still lives.
"""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_PREFIX = "gbrowse-run-"
_LONGEST_BASE = 41
"""Bytes. Chromium makes a socket in a directory of its own in ours, and a socket's path has 107 at most."""
_LOCK, _NEW_LOCK = "lock", "lock.new"


class Scratch:
    """A private temporary directory, held by a lock for as long as this object lives."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_base()))
        self._lock = os.open(self.path / _NEW_LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        os.rename(self.path / _NEW_LOCK, self.path / _LOCK)  # nobody can find it before it is held

    def remove(self) -> None:
        """Delete the directory and everything in it."""
        _remove(self.path)
        os.close(self._lock)


def sweep() -> None:
    """Delete the scratch directories of our own uid whose owner is gone."""
    for path in _base().glob(_PREFIX + "*"):
        if _is_abandoned(path):
            _remove(path)


def cache(name: str) -> Path | None:
    """A directory of this user's own that stays; None where none can be had."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "gbrowse" / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except (OSError, RuntimeError):
        return None
    is_ours = status.st_uid == os.geteuid() and not status.st_mode & 0o022
    return folder if is_ours else None


def _base() -> Path:
    """The system's temporary directory, or `/tmp` where that has too long a name (macOS gives every user one)."""
    usual = Path(tempfile.gettempdir())
    return usual if len(os.fsencode(usual)) <= _LONGEST_BASE else Path("/tmp")  # noqa: S108 - a private directory in it


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


def _remove(path: Path) -> None:
    """Delete the directory, its lock last: what a dying Chromium still adds is left for the next sweep."""
    with suppress(OSError):
        for entry in list(path.iterdir()):
            if entry.name != _LOCK:
                _delete(entry)
        if [entry.name for entry in path.iterdir()] == [_LOCK]:
            (path / _LOCK).unlink()
            path.rmdir()


def _delete(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)
