"""A stranger's repository in which everything names a program: no command of ours has git run one."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from gstack_browse.agent.local import git as repositories
from gstack_browse.agent.local import upgrading
from gstack_browse.agent.local.caller import Caller
from gstack_browse.registry.values.paths import CallerPaths
from tests.unit.agent.local.conftest import Place
from tests.unit.agent.local.test_examples import examples, prepare

pytestmark = pytest.mark.programs

_KEYS = """
    core.fsmonitor core.alternateRefsCommand core.askPass core.editor core.gitProxy core.pager core.sshCommand
    credential.helper diff.external diff.planted.command diff.planted.textconv filter.planted.clean
    filter.planted.process filter.planted.smudge gpg.program gpg.ssh.defaultKeyCommand gpg.ssh.program
    merge.planted.driver remote.origin.receivepack remote.origin.uploadpack sequence.editor
    uploadpack.packObjectsHook
"""
_COMMANDS = "add", "config", "ls-files", "remote", "status"
PROGRAMS = {*_KEYS.split(), *(f"{kind}.{command}" for kind in ("alias", "pager") for command in _COMMANDS)}
"""Keys of git's documentation that name a program."""
HOOKS = "fsmonitor-watchman post-checkout post-index-change post-merge pre-auto-gc reference-transaction update"
ATTRIBUTES = "* filter=planted diff=planted merge=planted\n"


class Plants:
    """Plants programs that leave a mark in what belongs to a repository."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.mark = place.workspace.parent / "mark"
        self.program = place.workspace.parent / "planted"
        self.program.write_text(f'#!/bin/sh\necho "$0" "$@" >>{self.mark}\ncat 2>/dev/null\n')
        self.program.chmod(0o755)

    def plant(self, git_dir: Path, worktree: Path, keys: set[str] | None = None) -> None:
        """Name the program in the configuration, in included files, in hooks and in attributes.

        The included files are one of the configuration's own and that of the worktree.
        """
        program = str(self.program)
        included = git_dir / "included"
        for file in (git_dir / "config", included, git_dir / "config.worktree"):
            with file.open("a") as config:
                for key in sorted(keys or PROGRAMS):
                    section, _, rest = key.partition(".")
                    subsection, _, name = rest.rpartition(".")
                    config.write(f'[{section} "{subsection}"]\n' if subsection else f"[{section}]\n")
                    config.write(f"\t{name} = {program}\n")
        self.set(git_dir / "config", "include.path", str(included))
        self.set(git_dir / "config", "core.repositoryFormatVersion", "1")
        self.set(git_dir / "config", "extensions.worktreeConfig", "true")
        for hook in HOOKS.split():
            (git_dir / "hooks").mkdir(exist_ok=True)
            (git_dir / "hooks" / hook).unlink(missing_ok=True)
            (git_dir / "hooks" / hook).symlink_to(self.program)
        (git_dir / "info").mkdir(exist_ok=True)
        (git_dir / "info/attributes").write_text(ATTRIBUTES)
        (worktree / ".gitattributes").write_text(ATTRIBUTES)

    def set(self, file: Path, key: str, value: str) -> None:
        subprocess.run(["git", "config", "--file", file, key, value], cwd="/", check=True)

    def run_all(self) -> None:
        """Run the examples of all local commands, each after a change of a file.

        Git has to look at files that have just changed.
        """
        for command, example in examples():
            (self.place.workspace / "a.txt").write_text(f"{example}\n")
            reply = self.place.reply(*shlex.split(example))
            assert (reply.code, reply.message) == (0, ""), (command.name, reply.message)
            assert not self.mark.exists(), f"{example}: {self.mark.read_text()}"


@pytest.fixture
def plants(repository: Place) -> Plants:
    repository.git("remote", "add", "origin", "https://example.test/some/one.git")
    prepare(repository)
    return Plants(repository)


def documented_keys() -> set[str]:
    """Return every key that this git documents, but those that we take over. `<name>` is replaced."""
    listed = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True).stdout
    keys = {
        re.sub(r"<[^>]*>", "planted", line)
        for line in listed.splitlines()
        if re.fullmatch(r"\w+\.([^\s*]+\.)?[a-zA-Z<>-]+", line)
    }
    return {key for key in keys if not repositories._PLAIN_KEYS.fullmatch(key.lower())} - {"include.path"}


def test_no_key_names_a_program_that_runs(plants: Plants) -> None:
    """Neither in a repository nor in a worktree of it."""
    keys = documented_keys()
    assert len(keys) > 300
    plants.place.git("worktree", "add", "-q", "../other")
    plants.plant(plants.place.workspace / ".git", plants.place.workspace, keys | PROGRAMS)
    plants.run_all()
    assert plants.place("base-branch") == "main"
    plants.place.workspace = plants.place.workspace.with_name("other")
    (plants.place.workspace / ".gitattributes").write_text(ATTRIBUTES)
    prepare(plants.place)
    plants.run_all()


def test_a_submodule_runs_nothing(plants: Plants) -> None:
    inner = plants.place.workspace / "inner"
    plants.place.git("init", "-q", "inner")
    (inner / "b.txt").write_text("b\n")
    plants.place.git("-C", "inner", "add", ".")
    plants.place.git("-C", "inner", "commit", "-qm", "one")
    plants.place.git("add", "inner")
    plants.plant(inner / ".git", inner)
    (inner / "b.txt").write_text("c\n")
    plants.run_all()
    assert plants.place("review-log", "review", "clean").startswith("Noted: ")
    assert "CLEARED" in plants.place("review-dashboard").splitlines()[-1]
    plants.place.git("-C", "inner", "status")
    assert plants.mark.exists(), "git itself runs what is planted"


def test_a_bare_repository_among_the_files_is_none(plants: Plants) -> None:
    bare = plants.place.workspace / "inner.git"
    plants.place.git("clone", "-q", "--bare", ".", str(bare))
    plants.plant(bare, bare)
    plants.set(bare / "config", "core.worktree", str(plants.place.workspace.parent))
    top, plants.place.workspace = plants.place.workspace, bare
    prepare(plants.place)
    plants.run_all()
    assert plants.place("base-branch") == "main", "of the repository around it"
    plants.place.workspace = bare.rename(top.parent / "alone.git")
    assert plants.place.reply("base-branch").message == "This is no git repository"
    assert not plants.mark.exists()


def test_an_upgrade_pulls_and_runs_nothing(plants: Plants, tmp_path: Path) -> None:
    place, checkout = plants.place, tmp_path / "checkout"
    place.git("clone", "-q", ".", str(checkout))
    (place.workspace / "a.txt").write_text("two\n")
    place.git("commit", "-qam", "two")
    plants.plant(checkout / ".git", checkout)
    caller = Caller(CallerPaths(checkout, checkout), place.environment)
    found = upgrading.Installation("a checkout", ("git", "-C", str(checkout), "pull", "--ff-only"))
    (checkout / ".gitattributes").unlink()
    with upgrading.upgrade_environment(checkout, caller) as environment:
        upgrading._run_upgrade_command(found.command, environment, 60)
    assert (checkout / "a.txt").read_text() == "two\n"
    assert not plants.mark.exists(), plants.mark.read_text()


def test_programs_that_ask_git_see_the_same(plants: Plants) -> None:
    """`gh` and `glab` ask git on their own."""
    plants.plant(plants.place.workspace / ".git", plants.place.workspace)
    asks = "git status >/dev/null; git diff >/dev/null; git remote get-url origin >&2; echo main"
    plants.place.program("gh", asks)
    assert plants.place("base-branch") == "main"
    assert plants.place.notes == ["the base is known from the open pull request (gh)"]
    assert not plants.mark.exists(), plants.mark.read_text()
