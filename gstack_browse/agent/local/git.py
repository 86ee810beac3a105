"""Query git about the workspace. Changes nothing in the repository, and runs no program that it names."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from gstack_browse.agent.local.caller import Caller
from gstack_browse.errors import BrowseError
from gstack_browse.workspace.directory import find_workspace, hash_path

_SHARED_ENTRIES = (
    "objects", "refs", "packed-refs", "reftable", "logs", "shallow", "info/exclude", "info/sparse-checkout",
)  # fmt: skip
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
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
)  # fmt: skip
"""Variables that git sets for hooks, and that refer to the hook's repository."""
_GIT_SECONDS = 10.0


class Repository(NamedTuple):
    """A repository on disk. `git_dir` belongs to one worktree, `common_dir` to all worktrees."""

    top: Path
    git_dir: Path
    common_dir: Path


def find_repository(directory: Path) -> Repository | None:
    """Return the git repository that contains `directory`; None outside of any.

    Bare repositories are ignored: a clone may contain one as files.
    """
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
    """Yield variables that make git ignore the repository's own configuration: it could name programs.

    They work for programs that call git, too. `environment`: the variables to start from.
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
    """Return a git configuration file's text without entries that could name a program; "" if unreadable.

    Git parses the file, which runs nothing.
    """
    try:
        done = subprocess.run(
            ["git", "config", "--file", str(path), "--no-includes", "--null", "--list"],
            cwd="/",
            env=dict(environment) | {"GIT_DIR": os.devnull},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_SECONDS,
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
    """Return a value in quotes, as git's configuration files have it."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


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
        """Return whether the caller's directory is in a repository."""
        return self._repository is not None

    def run(self, *words: str) -> str | None:
        """Run git with these arguments and return its output; None if it fails, or outside of a repository."""
        return self.run_program(["git", *words])

    def run_program(
        self, words: Sequence[str], extra: Mapping[str, str] | None = None, stdin: str = ""
    ) -> str | None:
        """Run git, or a program that calls git. Return its output without the last newline.

        `words`: program and arguments. `extra`: variables to add to its environment. `stdin`: its input.
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
                timeout=min(_GIT_SECONDS, self._caller.deadline_seconds),
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        text = done.stdout[:_MAX_OUTPUT].decode("utf-8", "replace").removesuffix("\n")
        return text if done.returncode == 0 else None

    def project_slug(self) -> str:
        """Return a name for the project that can be the name of a file.

        `owner-repository` of its remote, else its directory's name and a digest of the path.
        """
        remote = self.run("remote", "get-url", "origin") or ""
        if match := re.search(r"[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?/?\Z", remote):
            return _to_file_name(f"{match[1]}-{match[2]}")
        root = str(self._repository.common_dir.parent if self._repository else self._caller.paths.workspace)
        return f"{_to_file_name(os.path.basename(root)) or 'root'}-{hash_path(root)[:8]}"

    def remote_host(self) -> str:
        """Return the host of the project's remote, made fit for a file's name; "local" without a remote."""
        remote = self.run("remote", "get-url", "origin") or ""
        match = re.match(
            r"[a-z+]+://(?:[^/@]*@)?(\w[\w.-]*)|(?:[^/@:]*@)?(\w[\w.-]*):(?!//)", remote, re.ASCII
        )  # a URL, or user@host:path
        return _to_file_name((match[1] or match[2]).lower()) if match else "local"

    def hash_files(self) -> str:
        """Return git's tree hash of the working directory's files as they are now; "" if git fails.

        Ignored files do not count. The hash is the same before and after a commit. Git writes into a scratch index and a
        scratch object directory.
        """
        if not self._repository:
            return ""
        with TemporaryDirectory(prefix="gbrowse-tree-") as scratch:
            own_index = f"{scratch}/index"
            with suppress(OSError):  # a repository without an index yet
                _copy_index(str(self._repository.git_dir / "index"), own_index)
            extra = {
                "GIT_INDEX_FILE": own_index,
                "GIT_OBJECT_DIRECTORY": scratch,
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(self._repository.common_dir / "objects"),
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
    """Open the git repository around the caller's directory for a `with` block, which gets a `Git`.

    Outside of a repository, that has `has_repository` False: its commands run nothing and return None or "". Git ignores the
    repository's own configuration, which could name programs to run.
    """
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
    """Copy git's index file with its time: git compares that with files' times to find changed ones."""
    with open(source, "rb") as old, open(target, "wb") as new:
        new.write(old.read())
        found = os.fstat(old.fileno())
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))


class BaseBranch(NamedTuple):
    """A branch's name without the remote's, and in words how it was determined (`way`)."""

    name: str
    way: str


def find_base_branch(git: Git) -> BaseBranch:
    """Return the branch that the current work is to be merged into.

    Tried in order: the open pull request, the merge request, the remote's HEAD, main, master.
    Raises BrowseError outside of a repository, and if none of them exists.
    """
    if not git.has_repository:
        raise BrowseError("This is no git repository", "Go to one: cd <directory>")
    for ask in (_from_pull_request, _from_merge_request, _from_remote_head, _from_convention):
        found = ask(git)
        if not found or found.name.startswith("-"):
            continue  # the name comes from programs and repositories that are not trusted: it may look like an option
        if git.run("check-ref-format", "--branch", found.name) is not None:
            return found
    raise BrowseError(
        "No base branch was found: no pull request, no remote HEAD, neither main nor master",
        "Tell git the remote's default branch: git remote set-head origin --auto",
    )


def _from_pull_request(git: Git) -> BaseBranch | None:
    """Ask GitHub's program `gh` for the base of the current branch's open pull request; None without one."""
    query = 'select(.state=="OPEN").baseRefName'
    found = _run_hosting_program(git, "gh", "pr", "view", "--json", "baseRefName,state", "--jq", query)
    return BaseBranch(found, "the open pull request (gh)") if found else None


def _from_merge_request(git: Git) -> BaseBranch | None:
    """Ask GitLab's `glab` for the target of the current branch's open merge request; None without one."""
    from json import loads

    text = _run_hosting_program(git, "glab", "mr", "view", "--output", "json")
    try:
        fields = loads(text)
    except ValueError:
        return None
    is_open = isinstance(fields, dict) and fields.get("state") == "opened"
    found = fields.get("target_branch") if is_open else None
    return BaseBranch(found, "the open merge request (glab)") if isinstance(found, str) else None


def _run_hosting_program(git: Git, name: str, *words: str) -> str:
    """Run `gh` or `glab` and return its output; "" on failure, or without a remote, so without requests."""
    if not git.run("remote"):
        return ""
    return (git.run_program([name, *words]) or "").strip()


def _from_remote_head(git: Git) -> BaseBranch | None:
    """Return the default branch of the remote `origin`; None if git does not know it."""
    found = git.run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    return BaseBranch(found.removeprefix("origin/"), "the remote's HEAD") if found else None


def _from_convention(git: Git) -> BaseBranch | None:
    """Return the branch `main` if it exists, else `master`; None if neither does."""
    for name in ("main", "master"):
        for place in ("refs/remotes/origin", "refs/heads"):
            if git.run("rev-parse", "--verify", "--quiet", f"{place}/{name}"):
                return BaseBranch(name, "its name: a guess")
    return None
