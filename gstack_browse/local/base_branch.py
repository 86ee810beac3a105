"""Determine the branch that the current work will be merged into."""

from collections.abc import Callable
from typing import NamedTuple

from gstack_browse.errors import BrowseError
from gstack_browse.local.git import Git


class BaseBranch(NamedTuple):
    """A branch's name without the remote's, and in words how it was determined (`way`)."""

    name: str
    way: str


def find_base_branch(git: Git) -> BaseBranch:
    """Return the base branch of the current work.

    Tried in order: the open pull request, the merge request, the remote's HEAD, main, master.
    Raises BrowseError outside of a repository, and if none of them exists.
    """
    if not git.has_repository:
        raise BrowseError("This is no git repository", "Go to one: cd <directory>")
    for ask in _SOURCES:
        if (found := ask(git)) and _is_valid_branch_name(git, found.name):
            return found
    raise BrowseError(
        "No base branch was found: no pull request, no remote HEAD, neither main nor master",
        "Tell git the remote's default branch: git remote set-head origin --auto",
    )


def git_reference(git: Git, name: str) -> str:
    """Return git's name of a branch: the remote's, into which a merge goes, else the local one."""
    remote = f"origin/{name}"
    return remote if git.run("rev-parse", "--verify", "--quiet", f"refs/remotes/{remote}") else name


def _is_valid_branch_name(git: Git, name: str) -> bool:
    """Return whether git accepts a branch's name, and no command line takes it for an option.

    Programs and repositories are not trusted to give a harmless one.
    """
    return not name.startswith("-") and git.run("check-ref-format", "--branch", name) is not None


def _from_pull_request(git: Git) -> BaseBranch | None:
    """Return the base of the open pull request, from GitHub's `gh`; None without one."""
    found = _run_hosting_program(
        git, "gh", "pr", "view", "--json", "baseRefName,state", "--jq", 'select(.state=="OPEN").baseRefName'
    )
    return BaseBranch(found, "the open pull request (gh)") if found else None


def _from_merge_request(git: Git) -> BaseBranch | None:
    """Return the target of the open merge request, from GitLab's `glab`; None without one."""
    from json import loads

    text = _run_hosting_program(git, "glab", "mr", "view", "--output", "json")
    try:
        fields = loads(text)
    except ValueError:
        return None
    found = (
        fields.get("target_branch") if isinstance(fields, dict) and fields.get("state") == "opened" else None
    )
    return BaseBranch(found, "the open merge request (glab)") if isinstance(found, str) else None


def _run_hosting_program(git: Git, name: str, *words: str) -> str:
    """Return the output of `gh` or `glab`; "" on failure, or without a remote, where no request can exist."""
    if not git.run("remote"):
        return ""
    return (git.run_program([name, *words]) or "").strip()


def _from_remote_head(git: Git) -> BaseBranch | None:
    """Return the default branch of `origin`; None if git does not know it."""
    found = git.run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    return BaseBranch(found.removeprefix("origin/"), "the remote's HEAD") if found else None


def _from_convention(git: Git) -> BaseBranch | None:
    """Return `main` or `master`, whichever exists first; None if neither does."""
    for name in ("main", "master"):
        for place in ("refs/remotes/origin", "refs/heads"):
            if git.run("rev-parse", "--verify", "--quiet", f"{place}/{name}"):
                return BaseBranch(name, "its name: a guess")
    return None


_SOURCES: tuple[Callable[[Git], BaseBranch | None], ...] = (
    _from_pull_request,
    _from_merge_request,
    _from_remote_head,
    _from_convention,
)
