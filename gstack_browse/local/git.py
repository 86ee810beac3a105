"""What git says of the workspace. Nothing here changes the repository."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

from gstack_browse.local.caller import Caller
from gstack_browse.workspace import digest

_SECONDS = 10.0
_MAX_OUTPUT = 1_000_000
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GH_PROMPT_DISABLED": "1", "LC_ALL": "C"}


def said(caller: Caller, words: Sequence[str], extra: Mapping[str, str] | None = None) -> str | None:
    """The output of a program without the last newline; None if the program fails, is missing, or takes too long."""
    try:
        done = subprocess.run(
            list(words),
            cwd=caller.paths.cwd,
            env={**caller.environment, **_QUIET, **(extra or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=min(_SECONDS, caller.deadline_seconds),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stdout[:_MAX_OUTPUT].decode("utf-8", "replace").removesuffix("\n")
    return text if done.returncode == 0 else None


def git(caller: Caller, *words: str) -> str | None:
    """What git prints; None if it fails."""
    return said(caller, ["git", *words])


def slug(caller: Caller) -> str:
    """A name for the project: `owner-repository` of its remote, else its directory's name and a digest of the path."""
    remote = git(caller, "remote", "get-url", "origin") or ""
    if match := re.search(r"[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?/?\Z", remote):
        return _plain(f"{match[1]}-{match[2]}")
    shared = git(caller, "rev-parse", "--path-format=absolute", "--git-common-dir")
    root = os.path.dirname(shared) if shared else str(caller.paths.workspace)
    return f"{_plain(os.path.basename(root)) or 'root'}-{digest(root)[:8]}"


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:80]


def branch(caller: Caller) -> str:
    """The branch that is checked out; "" without one."""
    return git(caller, "symbolic-ref", "--quiet", "--short", "HEAD") or ""


def commit(caller: Caller) -> str:
    """The commit that is checked out, shortened; "" without one."""
    return git(caller, "rev-parse", "--short=12", "HEAD") or ""


def tree(caller: Caller) -> str:
    """The hash of the files as they lie there, committed or not, ignored ones aside; "" where git cannot tell.

    The same before and after they are committed. Written into a scratch index and a scratch object directory.
    """
    from tempfile import TemporaryDirectory

    objects = git(caller, "rev-parse", "--path-format=absolute", "--git-path", "objects")
    index = git(caller, "rev-parse", "--path-format=absolute", "--git-path", "index")
    top = git(caller, "rev-parse", "--show-toplevel")
    if not (objects and index and top):
        return ""
    with TemporaryDirectory(prefix="gbrowse-tree-") as scratch:
        own_index = f"{scratch}/index"
        with suppress(OSError):  # a repository without an index yet
            _copy(index, own_index)
        extra = {
            "GIT_INDEX_FILE": own_index,
            "GIT_OBJECT_DIRECTORY": scratch,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects,
        }
        if said(caller, ["git", "-C", top, "add", "--all"], extra) is None:
            return ""
        return said(caller, ["git", "-C", top, "write-tree"], extra) or ""


def _copy(source: str, target: str) -> None:
    """Copy an index with its time: by that git knows which files may have changed since in the same tick of the clock."""
    with open(source, "rb") as old, open(target, "wb") as new:
        new.write(old.read())
        found = os.fstat(old.fileno())
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
