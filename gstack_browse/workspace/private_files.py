"""Read and write private files of the user, in `~/.gstack` and in `.gstack/` of a workspace.

Opened and written as carefully as the daemon does: no link is followed, files are 0600, directories 0700.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR

from gstack_browse.errors import Refused, SetupFailed
from gstack_browse.workspace import descriptors
from gstack_browse.workspace.directory import STATE_DIRECTORY, printable_path, refuse_foreign
from gstack_browse.workspace.state import WritableStateDir, open_or_make


def open_home(environment: Mapping[str, str]) -> "PrivateDirectory":
    """Return the user's private directory, `~/.gstack` or what GSTACK_HOME names.

    Raises SetupFailed if there is no home directory.
    """
    if named := environment.get("GSTACK_HOME", ""):
        return PrivateDirectory(os.path.abspath(os.path.expanduser(named)), _ELSEWHERE)
    path = environment.get("HOME", "")
    if not path:
        from pwd import getpwuid

        with suppress(KeyError):
            path = getpwuid(os.geteuid()).pw_dir
    if not path.startswith("/"):
        raise SetupFailed("There is no home directory for ~/.gstack", _ELSEWHERE)
    return PrivateDirectory(path.rstrip("/") + "/" + STATE_DIRECTORY, _ELSEWHERE)


def open_in_workspace(workspace: Path) -> "PrivateDirectory":
    """Return the private directory `.gstack/` of a workspace."""
    path = f"{str(workspace).rstrip('/')}/{STATE_DIRECTORY}"
    hint = f"Look at it, and remove it if it is not needed: {printable_path(path)}"
    return PrivateDirectory(path, hint, keeps_out_of_git=True)


_ELSEWHERE = "Name another place: GSTACK_HOME=<directory>"


class PrivateDirectory:
    """A directory that only its owner can read, and the files below it.

    Names are plain; `folder` is a path below it such as `projects/mine`. Every method raises Refused for files that others own
    or can write, SetupFailed for those that cannot be read or written; `hint` says what to do about that.
    """

    def __init__(self, path: str, hint: str = "", *, keeps_out_of_git: bool = False) -> None:
        self.path = path
        self._hint = hint
        self._keeps_out_of_git = keeps_out_of_git

    def read(self, name: str, *, folder: str = "", max_bytes: int = 1_000_000) -> bytes | None:
        """Return the content of the file `name` in the subfolder `folder`; None if it does not exist.

        Raises Refused for a file above `max_bytes`, one that others own or can write, and a link.
        """
        with self._translate_errors(), self._open_existing(folder) as place:
            return place.read_file(name, max_bytes) if place else None

    def write(self, name: str, content: bytes, *, folder: str = "") -> str:
        """Replace a file in subfolder `folder` in one step: readers see old or new content. Return its path."""
        with self._translate_errors(), self._open_or_create(folder) as place:
            place.write_file(name, content)
            return f"{place.path}/{name}"

    def append(self, name: str, content: bytes, *, folder: str = "") -> str:
        """Append to the file `name` in the subfolder `folder`, creating it if missing. Return its path."""
        with self._translate_errors(), self._open_or_create(folder) as place:
            descriptor = place.open_log(name)
            try:
                os.write(descriptor, content)
            finally:
                os.close(descriptor)
            return f"{place.path}/{name}"

    def touch(self, name: str, *, folder: str = "") -> None:
        """Set the time of the file `name` in the subfolder `folder` to now, creating it if missing."""
        with self._translate_errors(), self._open_or_create(folder) as place:
            descriptor = place.open_log(name)
            try:
                os.utime(descriptor)
            finally:
                os.close(descriptor)

    def remove(self, name: str, *, folder: str = "") -> None:
        """Remove the file `name` in the subfolder `folder`; do nothing if it does not exist."""
        with self._translate_errors(), self._open_existing(folder) as place:
            if place:
                place.remove(name)

    def path_of(self, name: str, *, folder: str = "") -> Path:
        """Return the path of the file `name` in the subfolder `folder`, for messages and for other programs."""
        return Path(self.path, folder, name)

    def list_times(self, folder: str) -> dict[str, float]:
        """Return when each file in a subfolder was modified: name → seconds since 1970; {} without the folder."""
        with self._translate_errors(), self._open_existing(folder) as place:
            if place is None:
                return {}
            with os.scandir(place.fd) as entries:
                return {entry.name: entry.stat(follow_symlinks=False).st_mtime for entry in entries}

    def walk(self, folder: str) -> Iterator[tuple[str, list[str], list[str], int]]:
        """Yield all directories below a subfolder as `os.fwalk` does, without following symbolic links.

        Each is a tuple of path, names of directories, names of files, descriptor; "." comes first. Yield nothing without the
        folder.
        """
        with self._translate_errors(), self._open_existing(folder) as place:
            if place:
                yield from os.fwalk(".", dir_fd=place.fd)

    @contextmanager
    def _open_existing(self, folder: str) -> Iterator[WritableStateDir | None]:
        """Open a subfolder for a `with` block, which gets None if it is missing. No part may be a link."""
        path = self.path
        descriptor = _open_folder(path, path, None)
        for name in filter(None, folder.split("/")):
            if not descriptor:
                break
            path = f"{path}/{name}"
            above = descriptor
            try:
                descriptor = _open_folder(path, name, above)
            finally:
                os.close(above)
        if not descriptor:
            yield None
            return
        place = WritableStateDir(path, descriptor, path)
        try:
            refuse_foreign(printable_path(path), os.fstat(descriptor), S_ISDIR)
            yield place
        finally:
            place.close()

    @contextmanager
    def _open_or_create(self, folder: str) -> Iterator[WritableStateDir]:
        """Open a subfolder for a `with` block. Missing folders are created, readable by the owner only."""
        path = self.path
        descriptor = open_or_make(path)
        if self._keeps_out_of_git:
            WritableStateDir(path, descriptor, path).ignore_in_git()
        for name in filter(None, folder.split("/")):
            os.close(descriptor)
            path = f"{path}/{name}"
            _remove_write_permissions(path)
            descriptor = open_or_make(path)
        place = WritableStateDir(path, descriptor, path)
        try:
            yield place
        finally:
            place.close()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Convert an OSError in a `with` block to SetupFailed, and give a Refused the hint for this directory."""
        try:
            yield
        except OSError as error:
            raise SetupFailed(
                f"{printable_path(self.path)} cannot be used: {error.strerror or error}", self._hint
            ) from None
        except Refused as error:
            raise Refused(error.message, self._hint) from None


def _open_folder(path: str, name: str, parent: int | None) -> int:
    """Open the folder `name` in `parent` (a descriptor; None: `name` is a path). Return its descriptor.

    0 if it is missing. `path`: for messages. Raises Refused for a symbolic link or a file.
    """
    try:
        return descriptors.open_directory(name, parent)
    except FileNotFoundError:
        return 0
    except OSError as error:
        try:
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return 0
        refuse_foreign(printable_path(path), found, S_ISDIR)
        raise Refused(f"{printable_path(path)} cannot be opened: {error.strerror}") from None


def _remove_write_permissions(path: str) -> None:
    """Remove the write permissions of group and others from a folder, if it is ours.

    With umask 002 a folder that we created can be written by the group.
    """
    try:
        descriptor = descriptors.open_directory(path)
    except OSError:
        return  # missing, or not a folder: opening it reports that
    try:
        descriptors.remove_permissions(descriptor, 0o022)
    finally:
        os.close(descriptor)
