"""Examine a folder that is to be uploaded as a whole. Uses no browser."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from gstack_browse.errors import ActionFailed, FileFailed, Refused
from gstack_browse.workspace import SCRATCH_PREFIX, STATE_DIRECTORY, shown

MOST_FILES = 10_000


@dataclass
class Folder:
    """The number and size of the files below a folder that Chromium takes, and of the links that it skips."""

    files: int = 0
    size: int = 0
    links: int = 0


def looked_through(path: Path) -> Folder:
    """Count the files in the folder at a real path, and below it.

    Links are skipped: Chromium follows none there either, so that all files lie inside of the folder. Raises
    Refused if the folder contains data of gbrowse or of a browser. Raises FileFailed if it cannot be read, has
    no files, or has something that is no regular file, and ActionFailed for too many files.
    """
    folder = Folder()
    try:
        _look(path, folder)
    except OSError as error:
        raise FileFailed(f"Cannot read {shown(str(path))}: {error.strerror}") from None
    if not folder.files:
        raise FileFailed(f"Cannot read {shown(str(path))}: no file is in it")
    return folder


def _look(path: Path, folder: Folder) -> None:
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_symlink():
                folder.links += 1
            elif entry.is_dir():
                _enter(Path(entry.path), folder)
            else:
                _count(entry, folder)


def _enter(path: Path, folder: Folder) -> None:
    if path.name == STATE_DIRECTORY or path.name.startswith(SCRATCH_PREFIX):
        raise Refused(
            f"{shown(str(path.parent))} holds {path.name}, which is not for pages",
            "Name a folder inside of it, or a copy of what the page is to have",
        )
    _look(path, folder)


def _count(entry: "os.DirEntry[str]", folder: Folder) -> None:
    about = entry.stat()
    if not stat.S_ISREG(about.st_mode):
        raise FileFailed(f"Cannot read {shown(entry.path)}: not a regular file")
    folder.files += 1
    folder.size += about.st_size
    if folder.files > MOST_FILES:
        raise ActionFailed(
            f"More than {MOST_FILES:,} files are not given to a page at once", "Name a folder inside of it"
        )
