"""Make and remove scratch directories, the private temporary directories of browsers.

Chromium's profile and downloads, which are in them, hold cookies. So a scratch directory has mode 0700, and is removed when the browser
stops. The next daemon removes those of a killed one; a lock in each tells whether its owner still lives.

A daemon makes one first, so `tempfile` and `pathlib` are imported late: they take as long as everything before.
"""

import fcntl
import os
from errno import ENOSPC
from time import time

from gstack_browse.workspace import descriptors
from gstack_browse.workspace.directory import SCRATCH_PREFIX
from gstack_browse.workspace.shortage import LEAST_INODES, explain_full_directory, read_free_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from gstack_browse.errors import BrowseError

WINDOW_PREFERENCES = '{"profile":{"cookie_controls_mode":0}}'
"""Preferences of a new profile with a window: allow cookies and storage of frames of other sites. Each browser context is a private window to
a full Chromium, and these block them."""
PREFERENCES = (
    '{"profile":{"cookie_controls_mode":0,"default_content_setting_values":{"file_system_write_guard":2}}}'
)
"""Preferences of a new profile without a window. Pages may not write into files that they were given (File System Access API), since Chromium
would ask a person in an invisible window, and block the page's input meanwhile."""
DOWNLOADS = "downloads"
"""The directory of unfinished downloads in a scratch directory."""
PROGRAMS = "programs"
"""The first directory in the PATH of a headless Chromium."""
XDG_SETTINGS = "#!/bin/sh\necho yes\n"
"""Our `xdg-settings`, which a full Chromium asks whether it is the default program for a scheme. After "yes" it calls no program. After "no"
it would ask a person in an invisible window, and block the page's input meanwhile."""
_LONGEST_BASE = 41
"""Limit for the temporary directory's path in bytes: Chromium makes a socket below ours, whose path may have 107."""
_LOCK, _NEW_LOCK = "lock", "lock.new"
_REQUIRED_BYTES = 1 << 20
"""Least free space on the disk. The headless shell writes 260 kB before its first page, a full Chromium 1.3 MB."""
_MAKING_SECONDS = 60.0
"""How long a directory may be without its lock before it counts as abandoned. Making a lock takes less than a millisecond."""


class Scratch:
    """A private temporary directory, locked as long as this object lives.

    Raises OSError, with the temporary directory as its file name, if none can be made or the disk is full.
    """

    def __init__(self) -> None:
        base = _temporary_folder()
        self.name = f"{base}/{SCRATCH_PREFIX}{os.urandom(4).hex()}"
        try:
            free_bytes, free_inodes = read_free_space(base)
            if free_bytes < _REQUIRED_BYTES or 0 <= free_inodes < LEAST_INODES:
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            os.mkdir(self.name, mode=0o700)  # fails where anything is, a link included
            self._lock = _make_lock(self.name)
        except OSError as error:
            raise OSError(error.errno, error.strerror, base) from None

    @property
    def path(self) -> "Path":
        """Return the directory as a Path. Code that must not import pathlib uses `name`, the same as a string."""
        from pathlib import Path

        return Path(self.name)

    def remove(self) -> None:
        """Delete the directory with its content, and release the lock."""
        _remove(self.path)
        os.close(self._lock)


def make_profile(folder: str, preferences: str = PREFERENCES) -> None:
    """Make the directory of a new Chromium profile. `preferences`: JSON for its `Preferences` file."""
    os.makedirs(f"{folder}/Default", mode=0o700)
    descriptor = os.open(f"{folder}/Default/Preferences", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, preferences.encode())
    finally:
        os.close(descriptor)


def make_programs_folder(scratch: str) -> str:
    """Make a folder with our `xdg-settings` in a scratch directory. Return a PATH that begins with it.

    With this PATH a headless Chromium calls no other program: see XDG_SETTINGS.
    """
    folder = f"{scratch}/{PROGRAMS}"
    try:
        os.mkdir(folder, mode=0o700)
    except FileExistsError:  # made for an earlier Chromium
        pass
    else:
        descriptor = os.open(f"{folder}/xdg-settings", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o700)
        try:
            os.write(descriptor, XDG_SETTINGS.encode())
        finally:
            os.close(descriptor)
    return f"{folder}:{os.environ.get('PATH', os.defpath)}"


def explain_full_disk() -> "BrowseError | None":
    """Return an error if the disk with temporary files is full, which Chromium does not report; else None."""
    return explain_full_directory(_temporary_folder())


def _make_lock(folder: str) -> int:
    """Make the lock file of a new directory, and lock it. Return its descriptor.

    On failure the directory is removed.
    """
    try:
        lock = descriptors.open_file(None, f"{folder}/{_NEW_LOCK}", os.O_CREAT | os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.rename(f"{folder}/{_NEW_LOCK}", f"{folder}/{_LOCK}")  # so it gets its name only once it is held
    except OSError:
        from pathlib import Path

        _remove(Path(folder))
        raise
    return lock


def remove_abandoned() -> None:
    """Delete the scratch directories of our user whose daemon has ended."""
    from pathlib import Path

    for path in Path(_temporary_folder()).glob(SCRATCH_PREFIX + "[0-9a-f]" * 8):
        if _is_abandoned(path):
            _remove(path)


def _temporary_folder() -> str:
    """Return the temporary directory of the environment (TMPDIR, TEMP or TMP).

    `/tmp` if there is none or its path is too long (as on macOS).
    """
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
    """Return whether the daemon that made a scratch directory has ended.

    A daemon makes the lock before any other file. So files without a lock were written by a dying Chromium after the
    directory had been removed. An empty directory is from a daemon that was killed while making it.
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
    """Delete a scratch directory, its lock file last.

    Files that a dying Chromium still adds are left for `remove_abandoned`.
    """
    from contextlib import suppress

    with suppress(OSError):
        for entry in list(path.iterdir()):
            if entry.name != _LOCK:
                _delete(entry)
        if [entry.name for entry in path.iterdir()] in ([_LOCK], []):
            (path / _LOCK).unlink(missing_ok=True)
            path.rmdir()


def _delete(entry: "Path") -> None:
    """Delete a file or a whole directory. Symbolic links are not followed."""
    import shutil

    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)
