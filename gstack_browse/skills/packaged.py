"""The skills that are part of this package."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from gstack_browse.errors import UsageError
from gstack_browse.skills import frontmatter

_HERE = os.path.dirname(__file__)
MAIN = "SKILL.md"
_FILES = (".md", ".json", ".html")


class Skill(NamedTuple):
    """A packaged skill. `files`: path → text, with `SKILL.md` among them."""

    name: str
    description: str
    files: dict[str, str]


def list_names() -> list[str]:
    """Return the names of all packaged skills, sorted."""
    return sorted(entry.name for entry in os.scandir(_HERE) if os.path.exists(f"{entry.path}/{MAIN}"))


def load_skill(name: str) -> Skill:
    """Load a skill. Raises UsageError with the existing names if it is unknown."""
    if name not in (known := list_names()):
        raise UsageError(f"There is no skill {name[:60]!a}", f"There are: {', '.join(known)}")
    files = {path: _read_file(f"{name}/{path}") for path in _list_files(name)}
    return Skill(name, _parse_description(files[MAIN]), files)


def load_descriptions() -> dict[str, str]:
    """Return name → description of all skills, reading only their SKILL.md."""
    return {name: _parse_description(_read_file(f"{name}/{MAIN}")) for name in list_names()}


def load_skills(wanted: Sequence[str] = ()) -> list[Skill]:
    """Load the named skills, or all. Raises UsageError for an unknown name."""
    return [load_skill(name) for name in wanted or list_names()]


def _parse_description(text: str) -> str:
    return str(frontmatter.split_front_matter(text)[0].get("description", ""))


def _list_files(name: str) -> list[str]:
    folder = f"{_HERE}/{name}"
    return sorted(
        os.path.relpath(f"{directory}/{file}", folder)
        for directory, _, files in os.walk(folder)
        for file in files
        if file.endswith(_FILES)
    )


def _read_file(path: str) -> str:
    with open(f"{_HERE}/{path}", encoding="utf-8") as file:
        return file.read()
