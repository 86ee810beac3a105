"""Query git about the workspace. Changes nothing in the repository, and runs no program that it names."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from gstack_browse.local.caller import Caller
from gstack_browse.local.repository import Repository, environment_for_git, find_repository
from gstack_browse.workspace import digest

_SECONDS = 10.0
_MAX_OUTPUT = 1_000_000
_QUIET = {"GH_PROMPT_DISABLED": "1", "LC_ALL": "C"}
_SUBMODULE = "160000"


class Git:
    """The repository around the caller's directory, if there is one, for the duration of a command."""

    def __init__(self, caller: Caller, repository: Repository | None, environment: Mapping[str, str]) -> None:
        self._caller = caller
        self._repository = repository
        self._environment = environment

    @property
    def has_repository(self) -> bool:
        return self._repository is not None

    def run(self, *words: str) -> str | None:
        """Return git's output; None if it fails, or outside of a repository."""
        return self.run_program(["git", *words])

    def run_program(
        self, words: Sequence[str], extra: Mapping[str, str] | None = None, stdin: str = ""
    ) -> str | None:
        """Return the output of git, or of a program that calls git, without the last newline.

        None if the program fails, is missing, or takes too long, and outside of a repository.
        """
        if not self._repository:
            return None
        try:
            done = subprocess.run(
                list(words),
                cwd=self._caller.paths.cwd,
                env={**self._environment, **_QUIET, **(extra or {})},
                input=stdin.encode(errors="surrogateescape"),
                capture_output=True,
                timeout=min(_SECONDS, self._caller.deadline_seconds),
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        text = done.stdout[:_MAX_OUTPUT].decode("utf-8", "replace").removesuffix("\n")
        return text if done.returncode == 0 else None

    def project_slug(self) -> str:
        """Return a file name for the project.

        `owner-repository` of its remote, else its directory's name and a digest of the path.
        """
        remote = self.run("remote", "get-url", "origin") or ""
        if match := re.search(r"[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?/?\Z", remote):
            return _to_file_name(f"{match[1]}-{match[2]}")
        root = str(self._repository.common_dir.parent if self._repository else self._caller.paths.workspace)
        return f"{_to_file_name(os.path.basename(root)) or 'root'}-{digest(root)[:8]}"

    def current_branch(self) -> str:
        """Return the branch that is checked out; "" without one."""
        return self.run("symbolic-ref", "--quiet", "--short", "HEAD") or ""

    def current_commit(self) -> str:
        """Return the commit that is checked out, shortened; "" without one."""
        return self.run("rev-parse", "--short=12", "HEAD") or ""

    def hash_files(self) -> str:
        """Return git's tree hash of the files as they are, without ignored ones; "" if git fails.

        It is the same before and after they are committed. Git writes into a scratch index and a scratch object directory.
        """
        from tempfile import TemporaryDirectory

        if not self._repository:
            return ""
        with TemporaryDirectory(prefix="gbrowse-tree-") as scratch:
            own_index = f"{scratch}/index"
            with suppress(OSError):  # a repository without an index yet
                _copy_index(str(self._repository.index_file), own_index)
            extra = {
                "GIT_INDEX_FILE": own_index,
                "GIT_OBJECT_DIRECTORY": scratch,
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(self._repository.objects),
            }
            top = ["git", "-C", str(self._repository.top)]
            # Of a submodule in the index `add` asks for its state, and git would run there what the submodule's configuration names.
            entries = self.run_program([*top, "ls-files", "--stage", "-z"], extra) or ""
            modules = [
                entry.partition("\t")[2] for entry in entries.split("\0") if entry.startswith(_SUBMODULE)
            ]
            forget = [*top, "update-index", "--force-remove", "-z", "--stdin"]
            if modules and self.run_program(forget, extra, "\0".join([*modules, ""])) is None:
                return ""
            if self.run_program([*top, "add", "--all"], extra) is None:
                return ""
            return self.run_program([*top, "write-tree", "--missing-ok"], extra) or ""


@contextmanager
def open_git(caller: Caller) -> Iterator[Git]:
    """Open the repository around the caller's directory, without the repository's own configuration."""
    repository = find_repository(caller.paths.cwd)
    if not repository:
        yield Git(caller, None, {})
        return
    with environment_for_git(repository, caller.environment) as environment:
        yield Git(caller, repository, environment)


def _to_file_name(name: str) -> str:
    """Replace the characters that should not be in a file's name; cut at 80 characters."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:80]


def _copy_index(source: str, target: str) -> None:
    """Copy an index with its time: git compares it with the times of files to find changed ones."""
    with open(source, "rb") as old, open(target, "wb") as new:
        new.write(old.read())
        found = os.fstat(old.fileno())
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
