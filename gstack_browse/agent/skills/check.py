"""Check whether installed skills are current, and valid for the programs that read them."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from gstack_browse import __version__
from gstack_browse.agent.skills import frontmatter
from gstack_browse.agent.skills.destinations import Destination
from gstack_browse.agent.skills.install import render_for
from gstack_browse.agent.skills.manifest import InstalledSkill, hash_content, is_higher
from gstack_browse.agent.skills.packaged import MAIN, list_names, load_skill

MAX_LINES, MAX_CHARACTERS = 300, 10_000
_LEFT_OVER = re.compile(r"\{\{[A-Z_]+[^}]*\}\}|<!--host:")

CommandChecker = Callable[[str], Iterable[str]]
"""Returns what is wrong with the commands in a text."""


class SkillCheck(NamedTuple):
    """The check of one installed skill; `problems` are sentences."""

    name: str
    state: str
    version: str
    lines: int
    characters: int
    problems: list[str]


def check_skills(destination: Destination, problems_of_commands: CommandChecker) -> list[SkillCheck]:
    """Check each skill that is installed in a folder."""
    return [
        _check_skill(destination, name, known, problems_of_commands)
        for name, known in sorted(destination.manifest.skills.items())
    ]


def _check_skill(
    destination: Destination, name: str, known: InstalledSkill, problems_of_commands: CommandChecker
) -> SkillCheck:
    """Check one skill: its state, front matter and size, and the commands in files changed by hand."""
    on_disk = {
        path: destination.tree.read(f"{destination.folder}/{name}/{path}") for path in {*known.files, MAIN}
    }
    wanted = render_for(load_skill(name), destination) if name in list_names() else {}
    text = (on_disk[MAIN] or b"").decode("utf-8", "replace")
    state = _detect_state(known, on_disk, wanted)
    problems = _find_problems(name, text) if text else [f"{MAIN} is missing"]
    if state.startswith("changed"):
        problems += [
            f"{path}: {said}"
            for path, content in on_disk.items()
            if content is not None and content != wanted.get(path)
            for said in problems_of_commands(content.decode("utf-8", "replace"))
        ]
    if state == "outdated":
        problems.append("made by an older gbrowse; run: gbrowse skills-install")
    return SkillCheck(name, state, known.version, text.count("\n"), len(text), problems)


def _detect_state(known: InstalledSkill, on_disk: dict[str, bytes | None], wanted: dict[str, bytes]) -> str:
    """Compare the files on disk with the recorded hashes and with this version's files."""
    if any(content is None for content in on_disk.values()):
        return "incomplete"
    if any(
        content is not None and hash_content(content) != known.files.get(path)
        for path, content in on_disk.items()
    ):
        return "changed by hand"
    if not wanted:
        return "unknown"
    return "fresh" if on_disk == wanted else "newer" if is_higher(known.version, __version__) else "outdated"


def _find_problems(name: str, text: str) -> list[str]:
    """Return what is wrong with the text of a SKILL.md."""
    try:
        fields, _ = frontmatter.split_front_matter(text)
    except frontmatter.InvalidFrontMatter as error:
        return [f"{MAIN}:{error.line}: {error.message}"]
    found = frontmatter.find_problems(fields, name)
    if text.count("\n") > MAX_LINES:
        found.append(f"{MAIN} has more than {MAX_LINES} lines")
    if len(text) > MAX_CHARACTERS:
        found.append(f"{MAIN} has more than {MAX_CHARACTERS} characters")
    return found + [f"{MAIN}: {match[0][:40]} is left over" for match in _LEFT_OVER.finditer(text)]
