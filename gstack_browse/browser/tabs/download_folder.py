"""Keeps downloads in `.gstack/downloads/`, readable by its owner only and accessed by descriptor."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from gstack_browse.files import move_into, reserve
from gstack_browse.state import WritableStateDir
from gstack_browse.text.filenames import number_names
from gstack_browse.workspace import STATE_FILE

_NAME = "downloads"


class KeptFile(NamedTuple):
    """A file that is kept, and its size in bytes."""

    name: str
    size: int


class DownloadFolder:
    """The folder of downloads below the state directory.

    Beside a state file called `mine.json` it is `mine-downloads`. `context` names the browser context whose pages download
    the files: `downloads-ann`; "" is the default context.

    Methods raise OSError, and Refused if the folder is not safely owned by the user.
    """

    def __init__(self, state: WritableStateDir, context: str = "") -> None:
        self._state = state
        name = _NAME if state.state_file == STATE_FILE else state.named(f"browse-{_NAME}")
        self._name = f"{name}-{context}" if context else name
        self.path = f"{os.path.realpath(os.fsdecode(state.path))}/{self._name}"

    def keep(self, source: str, name: str) -> str:
        """Move a file into the folder, under `name` or a numbered variant of it. Return its path."""
        with self._opened() as directory:
            free = reserve(directory, number_names(name))
            try:
                move_into(source, directory, free)
            except BaseException:
                os.unlink(free, dir_fd=directory)
                raise
        return f"{self.path}/{free}"

    def kept(self) -> list[KeptFile]:
        """List the files in the folder, links included."""
        with self._opened() as directory:
            return _files(directory)

    def clear(self) -> list[KeptFile]:
        """Remove the files in the folder, and return them."""
        with self._opened() as directory:
            gone = _files(directory)
            for file in gone:
                os.unlink(file.name, dir_fd=directory)
            return gone

    @contextmanager
    def _opened(self) -> Iterator[int]:
        directory = self._state.open_directory(self._name)
        try:
            yield directory
        finally:
            os.close(directory)


def _files(directory: int) -> list[KeptFile]:
    with os.scandir(directory) as entries:
        found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
    return sorted(KeptFile(name, status.st_size) for name, status in found if not stat.S_ISDIR(status.st_mode))
