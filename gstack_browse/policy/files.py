"""The files that pages may be shown: those of the workspace, except dotfiles and the daemon's own.

Pure but for the file system: what a path leads to has to be asked.
"""

import os
import re
import stat
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from gstack_browse.policy.refusal import Refusal
from gstack_browse.workspace import STATE_DIRECTORY

_AMBIGUOUS = re.compile(r"(?i)%(?:2f|5c|00)|\0")
"""A separator or an end within a name: Chromium and we could read the path differently."""


def refused_url(url: str, workspace: Path, *, is_document: bool) -> Refusal | None:
    """Why a page may not have that file: URL, which may be an answer to a redirection; None if it may."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return Refusal("is no address", "Write file:///path/of/the/file")
    if parts.netloc.lower() not in ("", "localhost"):
        return Refusal("is of another host", "file: URLs name files of this machine")
    if _AMBIGUOUS.search(parts.path):
        return Refusal("has an ambiguous path", "Write a file's name without %2F, %5C and %00")
    return refused(Path(os.fsdecode(unquote_to_bytes(parts.path))), workspace, is_document=is_document)


def refused(path: Path, workspace: Path, *, is_document: bool) -> Refusal | None:
    """Why a page may not have the file that `path` leads to; None if it may. `is_document`: to be shown as a page."""
    try:
        real, root = Path(os.path.realpath(path)), Path(os.path.realpath(workspace))
    except OSError:  # of a link that another program takes away while it is followed
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
    return _refused_kind(real, is_document=is_document)


def _refused_kind(real: Path, *, is_document: bool) -> Refusal | None:
    try:
        found = real.stat()
    except OSError:
        return None  # Chromium says what is wrong
    if stat.S_ISDIR(found.st_mode):
        return None
    if not stat.S_ISREG(found.st_mode):
        return Refusal("is no regular file", "Name a file or a directory")
    if is_document and found.st_nlink > 1:
        return Refusal("has another name too (a hard link)", "Open a copy of it")
    return None
