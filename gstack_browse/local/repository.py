"""Find the repository around a directory, and run git without the repository's own configuration.

A repository may come from a stranger. Its configuration, attributes and hooks may name programs, which git runs even
for queries. So git gets a substitute for the directory that it reads these from (`GIT_COMMON_DIR`). The substitute
has the repository's objects and refs, no hooks and no attributes. Its configuration has only keys that name no
program. The user's own configuration for all repositories applies.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from gstack_browse.workspace import find_workspace

_SHARED_ENTRIES = (
    "objects",
    "refs",
    "packed-refs",
    "reftable",
    "logs",
    "shallow",
    "info/exclude",
    "info/sparse-checkout",
)
"""Entries of the common directory to link into the substitute. Not `hooks` and `info/attributes`."""
_PLAIN_KEYS = re.compile(
    r"core\.(repositoryformatversion|filemode|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs|trustctime|checkstat"
    r"|autocrlf|eol|safecrlf|excludesfile|sparsecheckout|sparsecheckoutcone)"
    r"|extensions\.(objectformat|refstorage)"
    r"|remote\..+\.(url|pushurl|fetch|gh-resolved|glab-resolved)"
    r"|branch\..+\.(remote|merge|pushremote)"
    r"|url\..+\.(insteadof|pushinsteadof)",
    re.DOTALL,
)
"""Keys to copy: their values are numbers, names and addresses. Unlisted keys, such as a later git's, are left out."""
_FIXED_CONFIG = """
[core]
	fsmonitor = false
	hooksPath = /dev/null
[gc]
	auto = 0
[maintenance]
	auto = false
"""
"""Git does not see the other worktrees here, and clean-up would delete what only they need. A relative `hooksPath` of
the user would lead into the repository.
"""
_HOOK_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
)
"""Variables that git sets for hooks, and that refer to the hook's repository."""
_SECONDS = 10.0


class Repository(NamedTuple):
    """A repository on disk. `git_dir` belongs to one worktree, `common_dir` to all worktrees."""

    top: Path
    git_dir: Path
    common_dir: Path

    @property
    def index_file(self) -> Path:
        return self.git_dir / "index"

    @property
    def objects(self) -> Path:
        return self.common_dir / "objects"


def find_repository(directory: Path) -> Repository | None:
    """Return the repository around `directory`. Bare ones are ignored: a clone may contain one as files."""
    top = Path(find_workspace(str(directory)))
    git_dir = top / ".git"
    try:
        if git_dir.is_file():
            git_dir = top / git_dir.read_text(errors="surrogateescape").removeprefix("gitdir:").strip()
        common_dir = git_dir
        if (git_dir / "commondir").is_file():
            common_dir = git_dir / (git_dir / "commondir").read_text(errors="surrogateescape").strip()
        if not (git_dir / "HEAD").is_file():
            return None
    except OSError:
        return None
    return Repository(top, Path(os.path.realpath(git_dir)), Path(os.path.realpath(common_dir)))


@contextmanager
def environment_for_git(repository: Repository, environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield the environment with which git ignores the repository's own configuration.

    It also serves programs that call git.
    """
    inherited = {name: value for name, value in environment.items() if name not in _HOOK_VARIABLES}
    with TemporaryDirectory(prefix="gbrowse-git-") as stand_in:
        os.mkdir(f"{stand_in}/info")
        for name in _SHARED_ENTRIES:
            if (repository.common_dir / name).exists():
                os.symlink(repository.common_dir / name, f"{stand_in}/{name}")
        config = _filter_config(repository.common_dir / "config", inherited)
        Path(stand_in, "config").write_text(config + _FIXED_CONFIG, errors="surrogateescape")
        yield {
            **inherited,
            "GIT_DIR": str(repository.git_dir),
            "GIT_COMMON_DIR": stand_in,
            "GIT_WORK_TREE": str(repository.top),
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
        }


def _filter_config(path: Path, environment: Mapping[str, str]) -> str:
    """Return those entries of a configuration file that name no program, as the text of such a file.

    Git parses the file, which runs nothing.
    """
    try:
        done = subprocess.run(
            ["git", "config", "--file", str(path), "--no-includes", "--null", "--list"],
            cwd="/",
            env=dict(environment) | {"GIT_DIR": os.devnull},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):  # git is missing, or the file is a FIFO
        return ""
    lines = []
    for entry in done.stdout.decode(errors="surrogateescape").split("\0"):
        name, has_value, value = entry.partition("\n")
        if _PLAIN_KEYS.fullmatch(name):
            section, _, rest = name.partition(".")
            subsection, _, key = rest.rpartition(".")
            lines += [
                f"[{section} {_quote_value(subsection)}]" if subsection else f"[{section}]",
                f"\t{key} = {_quote_value(value) if has_value else 'true'}",
            ]
    return "\n".join(lines) + "\n"


def _quote_value(value: str) -> str:
    """Quote a value for a git configuration file."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
