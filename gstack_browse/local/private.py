"""A directory of our own, below which everything is private: `~/.gstack`, and `.gstack/` of a workspace.

Opened and written as carefully as the daemon does: no link is followed, files are 0600, directories 0700.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gstack_browse import descriptors
from gstack_browse.errors import Refused, SetupFailed
from gstack_browse.state import WritableStateDir, open_or_make
from gstack_browse.workspace import STATE_DIRECTORY, open_existing, shown


def home(environment: Mapping[str, str]) -> "PrivateDirectory":
    """`~/.gstack`, or where GSTACK_HOME says. Raises SetupFailed for a person without a home."""
    if named := environment.get("GSTACK_HOME", ""):
        return PrivateDirectory(os.path.abspath(os.path.expanduser(named)), _ELSEWHERE)
    path = environment.get("HOME", "") or _home_in_passwd()
    if not path.startswith("/"):
        raise SetupFailed("There is no home directory for ~/.gstack", _ELSEWHERE)
    return PrivateDirectory(path.rstrip("/") + "/" + STATE_DIRECTORY, _ELSEWHERE)


def in_workspace(workspace: Path) -> "PrivateDirectory":
    """`.gstack/` of a workspace, where reports lie; the daemon's files lie there, too."""
    path = f"{str(workspace).rstrip('/')}/{STATE_DIRECTORY}"
    hint = f"Look at it, and remove it if it is not needed: {shown(path)}"
    return PrivateDirectory(path, hint, keeps_out_of_git=True)


_ELSEWHERE = "Name another place: GSTACK_HOME=<directory>"


def _home_in_passwd() -> str:
    from pwd import getpwuid

    try:
        return getpwuid(os.geteuid()).pw_dir
    except KeyError:
        return ""


class PrivateDirectory:
    """A private directory and the files below it. Names are plain; `folder` is a path below it such as `projects/mine`.

    Every method raises Refused for what is not safely ours, SetupFailed where it cannot be read or written; `hint` says what
    to do about that.
    """

    def __init__(self, path: str, hint: str = "", *, keeps_out_of_git: bool = False) -> None:
        self.path = path
        self._hint = hint
        self._keeps_out_of_git = keeps_out_of_git

    def read(self, name: str, *, folder: str = "", max_bytes: int = 1_000_000) -> bytes | None:
        """What the file holds; None if there is none."""
        with self._refusing(), self._existing(folder) as place:
            return place.read_file(name, max_bytes) if place else None

    def write(self, name: str, content: bytes, *, folder: str = "") -> str:
        """Replace the file in one step. Returns its path."""
        with self._refusing(), self._made(folder) as place:
            place.write_file(name, content)
            return f"{place.path}/{name}"

    def append(self, name: str, content: bytes, *, folder: str = "") -> str:
        """Add to the file's end, all of it at once. Returns its path."""
        with self._refusing(), self._made(folder) as place:
            descriptor = place.open_log(name)
            try:
                os.write(descriptor, content)
            finally:
                os.close(descriptor)
            return f"{place.path}/{name}"

    def touch(self, name: str, *, folder: str = "") -> None:
        """Make the file if it is missing, and set its time to now."""
        with self._refusing(), self._made(folder) as place:
            descriptor = place.open_log(name)
            try:
                os.utime(descriptor)
            finally:
                os.close(descriptor)

    def remove(self, name: str, *, folder: str = "") -> None:
        """Remove the file; nothing happens if there is none."""
        with self._refusing(), self._existing(folder) as place:
            if place:
                place.remove(name)

    def path_of(self, name: str, *, folder: str = "") -> Path:
        """The path of something below it, for messages and for other programs."""
        return Path(self.path, folder, name)

    def times(self, folder: str) -> dict[str, float]:
        """When each entry of a folder was last touched, in seconds since 1970; empty where there is no folder."""
        with self._refusing(), self._existing(folder) as place:
            if place is None:
                return {}
            with os.scandir(place.fd) as entries:
                return {entry.name: entry.stat(follow_symlinks=False).st_mtime for entry in entries}

    @contextmanager
    def _existing(self, folder: str) -> Iterator[WritableStateDir | None]:
        path = f"{self.path}/{folder}".rstrip("/")
        try:
            descriptor = open_existing(path)
        except (FileNotFoundError, NotADirectoryError):
            descriptor = 0
        place = WritableStateDir(path, descriptor, path) if descriptor else None
        try:
            yield place
        finally:
            if place:
                place.close()

    @contextmanager
    def _made(self, folder: str) -> Iterator[WritableStateDir]:
        path = self.path
        descriptor = open_or_make(path)
        if self._keeps_out_of_git:
            WritableStateDir(path, descriptor, path).ignore_in_git()
        for name in filter(None, folder.split("/")):
            os.close(descriptor)
            path = f"{path}/{name}"
            _close_to_others(path)
            descriptor = open_or_make(path)
        place = WritableStateDir(path, descriptor, path)
        try:
            yield place
        finally:
            place.close()

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SetupFailed(
                f"{shown(self.path)} cannot be used: {error.strerror or error}", self._hint
            ) from None
        except Refused as error:
            raise Refused(error.message, self._hint) from None


def _close_to_others(path: str) -> None:
    """Take a folder of ours out of others' reach: a shell whose umask is 002 lets the group write into what it makes."""
    try:
        descriptor = descriptors.open_directory(path)
    except OSError:
        return  # not there, or no folder: that is said when it is opened
    try:
        descriptors.close_to_others(descriptor, 0o022)
    finally:
        os.close(descriptor)
