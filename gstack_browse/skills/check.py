"""Whether installed skills are as this version would install them, and whether hosts take them as they stand."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from gstack_browse import __version__
from gstack_browse.skills import frontmatter
from gstack_browse.skills.destinations import Destination
from gstack_browse.skills.install import rendered
from gstack_browse.skills.manifest import Installed, digest
from gstack_browse.skills.packaged import MAIN, names, skill
from gstack_browse.skills.versions import is_higher

MAX_LINES, MAX_CHARACTERS = 300, 10_000
_LEFT_OVER = re.compile(r"\{\{[A-Z_]+[^}]*\}\}|<!--host:")

Problems = Callable[[str], Iterable[str]]
"""What is wrong with the commands in a text."""


class Row(NamedTuple):
    """What is known of one installed skill; `problems` say what is wrong, a sentence each."""

    name: str
    state: str
    version: str
    lines: int
    characters: int
    problems: list[str]


def checked(destination: Destination, problems_of_commands: Problems) -> list[Row]:
    """A row for each skill that is installed there."""
    return [
        _row(destination, name, known, problems_of_commands)
        for name, known in sorted(destination.manifest.skills.items())
    ]


def _row(destination: Destination, name: str, known: Installed, problems_of_commands: Problems) -> Row:
    on_disk = {
        path: destination.tree.read(f"{destination.folder}/{name}/{path}") for path in {*known.files, MAIN}
    }
    wanted = rendered(skill(name), destination) if name in names() else {}
    text = (on_disk[MAIN] or b"").decode("utf-8", "replace")
    state = _state(known, on_disk, wanted)
    problems = _problems(name, text) if text else [f"{MAIN} is missing"]
    if state.startswith("changed"):
        problems += [
            f"{path}: {said}"
            for path, content in on_disk.items()
            if content is not None and content != wanted.get(path)
            for said in problems_of_commands(content.decode("utf-8", "replace"))
        ]
    if state == "outdated":
        problems.append("made by an older gbrowse; run: gbrowse skills-install")
    return Row(name, state, known.version, text.count("\n"), len(text), problems)


def _state(known: Installed, on_disk: dict[str, bytes | None], wanted: dict[str, bytes]) -> str:
    if any(content is None for content in on_disk.values()):
        return "incomplete"
    if any(
        content is not None and digest(content) != known.files.get(path) for path, content in on_disk.items()
    ):
        return "changed by hand"
    if not wanted:
        return "unknown"
    return "fresh" if on_disk == wanted else "newer" if is_higher(known.version, __version__) else "outdated"


def _problems(name: str, text: str) -> list[str]:
    try:
        fields, _ = frontmatter.split(text)
    except frontmatter.Invalid as error:
        return [f"{MAIN}:{error.line}: {error.message}"]
    found = frontmatter.problems(fields, name)
    if text.count("\n") > MAX_LINES:
        found.append(f"{MAIN} has more than {MAX_LINES} lines")
    if len(text) > MAX_CHARACTERS:
        found.append(f"{MAIN} has more than {MAX_CHARACTERS} characters")
    return found + [f"{MAIN}: {match[0][:40]} is left over" for match in _LEFT_OVER.finditer(text)]
