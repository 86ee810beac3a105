"""The branch that the work in this directory is to be merged into, and how that is known."""

from collections.abc import Callable
from typing import NamedTuple

from gstack_browse.errors import BrowseError
from gstack_browse.local.git import Git


class Base(NamedTuple):
    """A branch's name without the remote's, and the way it was found."""

    name: str
    way: str


def base(git: Git) -> Base:
    """The first that answers: the open pull request, the merge request, the remote's HEAD, main, master.

    Raises BrowseError outside of a repository, and where there is none of them.
    """
    if not git.has_repository:
        raise BrowseError("This is no git repository", "Go to one: cd <directory>")
    for ask in _WAYS:
        if (found := ask(git)) and _is_name(git, found.name):
            return found
    raise BrowseError(
        "No base branch was found: no pull request, no remote HEAD, neither main nor master",
        "Tell git the remote's default branch: git remote set-head origin --auto",
    )


def reference(git: Git, name: str) -> str:
    """What git calls the branch here: the remote's, which is what a merge goes into, else the local one."""
    remote = f"origin/{name}"
    return remote if git.run("rev-parse", "--verify", "--quiet", f"refs/remotes/{remote}") else name


def _is_name(git: Git, name: str) -> bool:
    """Programs and repositories are not trusted to give a branch's name: it ends up in command lines."""
    return not name.startswith("-") and git.run("check-ref-format", "--branch", name) is not None


def _pull_request(git: Git) -> Base | None:
    found = _program(
        git, "gh", "pr", "view", "--json", "baseRefName,state", "--jq", 'select(.state=="OPEN").baseRefName'
    )
    return Base(found, "the open pull request (gh)") if found else None


def _merge_request(git: Git) -> Base | None:
    from json import loads

    text = _program(git, "glab", "mr", "view", "--output", "json")
    try:
        fields = loads(text)
    except ValueError:
        return None
    found = (
        fields.get("target_branch") if isinstance(fields, dict) and fields.get("state") == "opened" else None
    )
    return Base(found, "the open merge request (glab)") if isinstance(found, str) else None


def _program(git: Git, name: str, *words: str) -> str:
    if not git.run("remote"):
        return ""  # no remote, no request: it need not be asked
    return (git.output_of([name, *words]) or "").strip()


def _remote_head(git: Git) -> Base | None:
    found = git.run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    return Base(found.removeprefix("origin/"), "the remote's HEAD") if found else None


def _by_custom(git: Git) -> Base | None:
    for name in ("main", "master"):
        for place in ("refs/remotes/origin", "refs/heads"):
            if git.run("rev-parse", "--verify", "--quiet", f"{place}/{name}"):
                return Base(name, "its name: a guess")
    return None


_WAYS: tuple[Callable[[Git], Base | None], ...] = (_pull_request, _merge_request, _remote_head, _by_custom)
