"""The private directory in the system's temporary one where Chromium keeps its profile while it runs.

Chromium's throw-away profile and downloads hold cookies, so they live in a directory of mode 0700 that is
removed when the browser stops; what a killed daemon left behind is removed by the next one. A lock tells
whether the owner of such a directory still lives.

A daemon's first act is to make one, so what that does not need is imported later: `tempfile` and `pathlib` take as long
as all that comes before.
"""

import fcntl
import os
from errno import ENOSPC
from time import time

from gstack_browse import descriptors
from gstack_browse.shortage import FEW_FILES, explain_full, free_room
from gstack_browse.workspace import SCRATCH_PREFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from gstack_browse.errors import BrowseError

WINDOW_PREFERENCES = '{"profile":{"cookie_controls_mode":0}}'
"""What a new profile of a full Chromium begins with, where a person has its window: frames of other sites have cookies and storage, which
Chromium's private windows refuse them, and each browser context is one."""
PREFERENCES = (
    '{"profile":{"cookie_controls_mode":0,"default_content_setting_values":{"file_system_write_guard":2}}}'
)
"""The same without a window: no page writes into a file that it was given (File System Access API). Chromium would ask a person in a window
that nobody sees, and keep all input from the page meanwhile. `native_chromium.c` writes the same."""
PROGRAMS = "programs"
"""The directory that stands first in the PATH of a Chromium without a window."""
XDG_SETTINGS = "#!/bin/sh\necho yes\n"
"""What stands there for `xdg-settings`, which a full Chromium asks whether it is itself the program for a scheme. Told so, it calls none; else it
would ask a person in a window that nobody sees, and keep all input from the page meanwhile. `native_chromium.c` writes the same."""
_LONGEST_BASE = 41
"""Bytes. Chromium makes a socket in a directory of its own in ours, and a socket's path has 107 at most."""
_LOCK, _NEW_LOCK = "lock", "lock.new"
_LEAST_BYTES = 1 << 20
"""What must be free on the disk. Chromium's headless shell writes 260 kB before its first page, a full Chromium 1.3 MB."""
_MAKING_SECONDS = 60.0
"""How long a directory may be without its lock: to make one takes less than a millisecond."""


class Scratch:
    """A private temporary directory, held by a lock for as long as this object lives.

    One that is there already, and its lock, come from the native client. Raises OSError, with `_base()` as its file name, where
    none can be made, or where Chromium could write next to nothing: it answers all the same, but Playwright's driver does not.
    """

    def __init__(self, name: str = "", lock: int = -1) -> None:
        if name:
            self.name, self._lock = name, lock
            return
        base = _base()
        self.name = f"{base}/{SCRATCH_PREFIX}{os.urandom(4).hex()}"
        try:
            _require_room(base)
            os.mkdir(self.name, mode=0o700)  # fails where anything is, a link included
            self._lock = _make_lock(self.name)
        except OSError as error:
            raise OSError(error.errno, error.strerror, base) from None

    @property
    def path(self) -> "Path":
        from pathlib import Path

        return Path(self.name)

    def remove(self) -> None:
        """Delete the directory and everything in it."""
        _remove(self.path)
        os.close(self._lock)


def begin_profile(folder: str) -> None:
    """Make the directory of a new profile."""
    os.makedirs(f"{folder}/Default", mode=0o700)
    descriptor = os.open(f"{folder}/Default/Preferences", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, PREFERENCES.encode())
    finally:
        os.close(descriptor)


def refuse_programs(scratch: str) -> str:
    """Keep a Chromium that has this scratch directory from calling other programs. Return its PATH."""
    folder = f"{scratch}/{PROGRAMS}"
    try:
        os.mkdir(folder, mode=0o700)
    except FileExistsError:  # this scratch directory has had a Chromium before
        pass
    else:
        descriptor = os.open(f"{folder}/xdg-settings", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o700)
        try:
            os.write(descriptor, XDG_SETTINGS.encode())
        finally:
            os.close(descriptor)
    return f"{folder}:{os.environ.get('PATH', os.defpath)}"


def explain_full_disk() -> "BrowseError | None":
    """Name a full disk of temporary files as the reason why Chromium or its driver failed: they do not."""
    return explain_full(_base())


def _require_room(base: str) -> None:
    free_bytes, free_files = free_room(base)
    if free_bytes < _LEAST_BYTES or 0 <= free_files < FEW_FILES:
        raise OSError(ENOSPC, os.strerror(ENOSPC))


def _make_lock(folder: str) -> int:
    """Make the lock of a new directory, and hold it. Where that fails the directory is removed."""
    try:
        lock = descriptors.open_file(None, f"{folder}/{_NEW_LOCK}", os.O_CREAT | os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.rename(f"{folder}/{_NEW_LOCK}", f"{folder}/{_LOCK}")  # nobody can find it before it is held
    except OSError:
        from pathlib import Path

        _remove(Path(folder))
        raise
    return lock


def sweep() -> None:
    """Delete the scratch directories of our own uid whose owner is gone."""
    from pathlib import Path

    for path in Path(_base()).glob(SCRATCH_PREFIX + "[0-9a-f]" * 8):
        if _is_abandoned(path):
            _remove(path)


def cache(name: str) -> str:
    """A directory of this user's own that stays; "" where none can be had, or another process makes it at the same moment."""
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "gbrowse", name)
    try:
        if not os.path.isdir(folder):
            _make_privately(folder)
        status = os.stat(folder)
    except OSError:
        return ""
    return folder if status.st_uid == os.geteuid() and not status.st_mode & 0o022 else ""


def _make_privately(folder: str) -> None:
    """Make a directory with those above it, each 0700: `os.makedirs` leaves those above to the umask."""
    above = os.path.dirname(folder)
    if not os.path.isdir(above) and above != folder:
        _make_privately(above)
    os.mkdir(folder, 0o700)


def _base() -> str:
    """The temporary directory of the environment, or `/tmp` where that has too long a name (macOS gives every user one)."""
    for name in ("TMPDIR", "TEMP", "TMP"):
        usual = os.environ.get(name, "")
        if (
            os.path.isabs(usual)
            and os.access(usual, os.W_OK | os.X_OK)
            and len(os.fsencode(usual)) <= _LONGEST_BASE
        ):
            return usual
    return "/tmp"  # noqa: S108 - a private directory in it


def _is_abandoned(path: "Path") -> bool:
    """Return whether the owner of a directory has ended.

    An owner makes the lock before any other file. So files without a lock were written by a dying Chromium, after the directory had been
    removed; a directory without any was being made by an owner that was killed.
    """
    try:
        status = path.stat()
        if path.is_symlink() or status.st_uid != os.getuid():
            return False
        entries = os.listdir(path)
        if entries in ([], [_NEW_LOCK]) and time() - status.st_mtime < _MAKING_SECONDS:
            return False
        lock = next((name for name in (_LOCK, _NEW_LOCK) if name in entries), "")
        if not lock:
            return True
        descriptor = descriptors.open_file(None, str(path / lock), os.O_RDWR)
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


def _remove(path: "Path") -> None:
    """Delete the directory, its lock last: what a dying Chromium still adds is left for the next sweep."""
    from contextlib import suppress

    with suppress(OSError):
        for entry in list(path.iterdir()):
            if entry.name != _LOCK:
                _delete(entry)
        if [entry.name for entry in path.iterdir()] in ([_LOCK], []):
            (path / _LOCK).unlink(missing_ok=True)
            path.rmdir()


def _delete(entry: "Path") -> None:
    import shutil

    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)
