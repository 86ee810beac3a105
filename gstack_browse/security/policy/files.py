"""Decide which files pages may show: those of the workspace, but no dotfiles or daemon files.

Pure but for the file system, which is asked where paths lead.
"""

import os
import re
import stat
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from gstack_browse.security.policy.hosts import Refusal
from gstack_browse.workspace.directory import STATE_DIRECTORY

_AMBIGUOUS = re.compile(r"(?i)%(?:2f|5c|00)|\0")
"""A separator or end within a name: Chromium and we could read the path differently."""


def refuse_url(url: str, workspace: Path, *, is_document: bool) -> Refusal | None:
    """Return why a page may not load the file of a `file:` URL; None if it may.

    `is_document`: it is to be shown as a page or frame, not loaded as a part of one.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return Refusal("is no address", "Write file:///path/of/the/file")
    if parts.netloc.lower() not in ("", "localhost"):
        return Refusal("is of another host", "file: URLs name files of this machine")
    if _AMBIGUOUS.search(parts.path):
        return Refusal("has an ambiguous path", "Write a file's name without %2F, %5C and %00")
    return refuse_path(Path(os.fsdecode(unquote_to_bytes(parts.path))), workspace, is_document=is_document)


def refuse_path(path: Path, workspace: Path, *, is_document: bool) -> Refusal | None:
    """Return why a page may not load the file at a path, with links followed; None if it may.

    `is_document`: it is to be shown as a page or frame, not loaded as a part of one.
    """
    try:
        real, root = Path(os.path.realpath(path)), Path(os.path.realpath(workspace))
    except OSError:  # another program removes a link while it is followed
        return Refusal("changed while it was looked at", "Try again")
    if real != root and root not in real.parents:
        return Refusal("is outside the workspace", f"file: URLs may name files under {root}")
    names = real.relative_to(root).parts
    if names[:1] == (STATE_DIRECTORY,):
        if len(names) < 3:
            return Refusal("is the daemon's own", f"Put pages of yours in a directory below {STATE_DIRECTORY}")
        names = names[1:]
    if hidden := next((name for name in names if name.startswith(".")), ""):
        return Refusal(
            f"is hidden ({hidden})",
            "Files and directories whose name begins with a dot are not shown: open a copy",
        )
    return _refuse_kind(real, is_document=is_document)


def _refuse_kind(real: Path, *, is_document: bool) -> Refusal | None:
    """Return why a page may not load a path because of its kind; None if it may.

    Refused are anything but regular files and directories, and documents with several hard links. `real`: without links.
    """
    try:
        found = real.stat()
    except OSError:
        return None  # Chromium reports the error
    if stat.S_ISDIR(found.st_mode):
        return None
    if not stat.S_ISREG(found.st_mode):
        return Refusal("is no regular file", "Name a file or a directory")
    if is_document and found.st_nlink > 1:
        return Refusal("has another name too (a hard link)", "Open a copy of it")
    return None
