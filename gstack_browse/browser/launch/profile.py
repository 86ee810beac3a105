"""Lock and check the directory of a lasting profile (`BROWSE_PROFILE`).

Two Chromiums in one profile destroy it. So we hold a lock of our own, and check for the lock of a Chromium that we have not started. The
directory must be closed to other users, and must not be the profile of the person's own browser.
"""

import fcntl
import os
import socket
import stat
import time
from pathlib import Path

from gstack_browse.browser.launch.endpoint import find_profile_folders
from gstack_browse.errors import SetupFailed
from gstack_browse.workspace import descriptors
from gstack_browse.workspace.directory import printable_path

LOCK = "gbrowse.lock"
CHROMIUMS_LOCK = "SingletonLock"
"""Chromium's lock: a symbolic link to `<host>-<pid>`."""
CHROMIUMS_SOCKET = "SingletonSocket"
"""A symbolic link to the socket at which the Chromium with the lock listens."""
WAIT_SECONDS = 5.0
"""Time limit for the previous holder to release the profile."""
_HINT = "Close it first, or name another directory; then: gbrowse stop"


class LastingProfile:
    """A profile that is locked until `release`."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    def release(self) -> None:
        """Unlock the profile, after its Chromium has ended."""
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1


def lock_profile(folder: Path) -> LastingProfile:
    """Lock a lasting profile directory against a second Chromium, and create it if needed.

    Blocks for WAIT_SECONDS at most. Raises SetupFailed if it is in use, cannot be written, or belongs to the user's own browser.
    """
    path = Path(os.path.realpath(folder))
    for theirs in find_profile_folders(os.environ.get("HOME", "")):
        if path.is_relative_to(os.path.realpath(theirs)) or Path(os.path.realpath(theirs)).is_relative_to(path):
            raise SetupFailed(
                f"BROWSE_PROFILE: {printable_path(str(path))} belongs to a browser of yours",
                "To use that browser with its logins: gbrowse connect. For agents name a directory of its own",
            )
    try:
        _make_directory(path)
        lock = descriptors.open_file(None, str(path / LOCK), os.O_CREAT | os.O_RDWR)
    except OSError as error:
        raise SetupFailed(
            f"BROWSE_PROFILE: {printable_path(str(path))} cannot be used: {error.strerror}",
            "Name a directory of yours",
        ) from None
    try:
        _wait_for_lock(path, lock)
    except BaseException:
        os.close(lock)
        raise
    return LastingProfile(path, lock)


def _make_directory(path: Path) -> None:
    """Make the profile's directory, or check that it is ours and closed to other users."""
    for missing in [above for above in (path, *path.parents) if not above.exists()][::-1]:
        missing.mkdir(mode=0o700)
    status = path.stat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(20, "it is no directory")
    if status.st_uid != os.geteuid():
        raise SetupFailed(
            f"BROWSE_PROFILE: {printable_path(str(path))} is another user's", "Name a directory of yours"
        )
    if status.st_mode & 0o077:
        raise SetupFailed(
            f"BROWSE_PROFILE: others may look into {printable_path(str(path))}, and it holds logins",
            f"Run: chmod 700 {printable_path(str(path))}",
        )


def _wait_for_lock(path: Path, lock: int) -> None:
    """Lock the profile once no other Chromium uses it. Raises SetupFailed after WAIT_SECONDS. Blocks.

    `lock`: descriptor of the open lock file.
    """
    give_up = time.monotonic() + WAIT_SECONDS
    while found := _try_lock(path, lock):
        if time.monotonic() >= give_up:
            user, hint = found
            raise SetupFailed(f"BROWSE_PROFILE: {user} has {printable_path(str(path))} open", hint)
        time.sleep(0.05)


def _try_lock(path: Path, lock: int) -> tuple[str, str] | None:
    """Try to lock the profile. Return a description of who uses it, and a hint; None if we have it now."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "another gbrowse", _HINT
    try:
        host, _, number = os.readlink(path / CHROMIUMS_LOCK).rpartition("-")
    except OSError:
        return None
    if host != socket.gethostname():
        left = printable_path(str(path / CHROMIUMS_LOCK))
        return (
            f"a browser on {host[:60]!r}",
            f"If none runs there any more, as in a container that has gone: rm {left}",
        )
    return (f"a browser (process {number})", _HINT) if _listens(path / CHROMIUMS_SOCKET) else None


def _listens(link: Path) -> bool:
    """Return whether a process listens at the socket that a symbolic link leads to.

    The pid in the lock would not tell: it may be a zombie's that nobody reaps, or in a new container another process's.
    """
    with socket.socket(socket.AF_UNIX) as client:
        client.setblocking(False)
        try:
            client.connect(os.readlink(link))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        except OSError:
            return True
    return True
