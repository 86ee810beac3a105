"""The skills that are part of this package, as their files stand there."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from gstack_browse.errors import UsageError
from gstack_browse.skills import frontmatter

_HERE = os.path.dirname(__file__)
MAIN = "SKILL.md"
_FILES = (".md", ".json", ".html")


class Skill(NamedTuple):
    """A packaged skill: `files` are its texts by path, `SKILL.md` among them."""

    name: str
    description: str
    files: dict[str, str]


def names() -> list[str]:
    """The names of all packaged skills."""
    return sorted(entry.name for entry in os.scandir(_HERE) if os.path.exists(f"{entry.path}/{MAIN}"))


def skill(name: str) -> Skill:
    """The skill of that name. Raises UsageError with those that there are."""
    if name not in (known := names()):
        raise UsageError(f"There is no skill {name[:60]!a}", f"There are: {', '.join(known)}")
    files = {path: _read(f"{name}/{path}") for path in _paths(name)}
    return Skill(name, _description(files[MAIN]), files)


def descriptions() -> dict[str, str]:
    """The description of each skill by its name. Reads nothing else of them."""
    return {name: _description(_read(f"{name}/{MAIN}")) for name in names()}


def skills(wanted: Sequence[str] = ()) -> list[Skill]:
    """The skills of these names, or all. Raises UsageError for a name that is none."""
    return [skill(name) for name in wanted or names()]


def _description(text: str) -> str:
    return str(frontmatter.split(text)[0].get("description", ""))


def _paths(name: str) -> list[str]:
    folder = f"{_HERE}/{name}"
    return sorted(
        os.path.relpath(f"{directory}/{file}", folder)
        for directory, _, files in os.walk(folder)
        for file in files
        if file.endswith(_FILES)
    )


def _read(path: str) -> str:
    with open(f"{_HERE}/{path}", encoding="utf-8") as file:
        return file.read()
