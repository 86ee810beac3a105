"""Check whether installed skills are current and valid, and render what the commands did."""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from gstack_browse import __version__
from gstack_browse.agent.skills import hosts
from gstack_browse.agent.skills.destinations import Destination, ListingResult
from gstack_browse.agent.skills.install import Change, InstallStep, render_for
from gstack_browse.agent.skills.manifest import InstalledSkill, hash_content, is_higher
from gstack_browse.agent.skills.packaged import MAIN, list_names, load_skill

MAX_LINES, MAX_CHARACTERS = 300, 10_000
_LEFT_OVER = re.compile(r"\{\{[A-Z_]+[^}]*\}\}|<!--host:")

CommandChecker = Callable[[str], Iterable[str]]
"""Returns what is wrong with the commands in a text."""
_UNTOUCHED = (InstallStep.CHANGED, InstallStep.FOREIGN, InstallStep.NEWER)


class SkillState(Enum):
    """The state of an installed skill's files; the values are printed."""

    FRESH = "fresh"
    CHANGED = "changed by hand"
    INCOMPLETE = "incomplete"
    OUTDATED = "outdated"
    NEWER = "newer"
    UNKNOWN = "unknown"
    """This version has no skill of that name."""


class SkillCheck(NamedTuple):
    """The check of one installed skill; `problems` are sentences."""

    name: str
    state: SkillState
    version: str
    lines: int
    characters: int
    problems: list[str]


def check_skills(destination: Destination, problems_of_commands: CommandChecker) -> list[SkillCheck]:
    """Check each skill that is installed in a folder: whether it is current, unchanged and valid.

    `problems_of_commands`: returns what is wrong with the commands in a text.
    """
    return [
        _check_skill(destination, name, known, problems_of_commands)
        for name, known in sorted(destination.manifest.skills.items())
    ]


def _check_skill(
    destination: Destination, name: str, known: InstalledSkill, problems_of_commands: CommandChecker
) -> SkillCheck:
    """Check an installed skill: state, front matter, size, and the commands in files changed by hand.

    `known`: what was recorded at its installation. `problems_of_commands`: see `check_skills`.
    """
    on_disk = {
        path: destination.tree.read(f"{destination.folder}/{name}/{path}") for path in {*known.files, MAIN}
    }
    wanted = render_for(load_skill(name), destination) if name in list_names() else {}
    text = (on_disk[MAIN] or b"").decode("utf-8", "replace")
    state = _detect_state(known, on_disk, wanted)
    problems = _find_problems(name, text) if text else [f"{MAIN} is missing"]
    if state is SkillState.CHANGED:
        problems += [
            f"{path}: {problem}"
            for path, content in on_disk.items()
            if content is not None and content != wanted.get(path)
            for problem in problems_of_commands(content.decode("utf-8", "replace"))
        ]
    if state is SkillState.OUTDATED:
        problems.append("made by an older gbrowse; run: gbrowse skills-install")
    return SkillCheck(name, state, known.version, text.count("\n"), len(text), problems)


def _detect_state(
    known: InstalledSkill, on_disk: dict[str, bytes | None], wanted: dict[str, bytes]
) -> SkillState:
    """Return a skill's state from its files on disk, their hashes at installation, and this version's.

    `known`: the record of its installation. `on_disk`, `wanted` (this version's): path → content; None for a missing file.
    """
    if None in on_disk.values():
        return SkillState.INCOMPLETE
    if any(hash_content(content or b"") != known.files.get(path) for path, content in on_disk.items()):
        return SkillState.CHANGED
    if not wanted:
        return SkillState.UNKNOWN
    if on_disk == wanted:
        return SkillState.FRESH
    return SkillState.NEWER if is_higher(known.version, __version__) else SkillState.OUTDATED


def _find_problems(name: str, text: str) -> list[str]:
    """Return what is wrong with a SKILL.md, in sentences. `name`: of the skill; `text`: of the file."""
    try:
        fields, _ = hosts.split_front_matter(text)
    except hosts.InvalidFrontMatter as error:
        return [f"{MAIN}:{error.line}: {error.message}"]
    found = hosts.find_problems(fields, name)
    if text.count("\n") > MAX_LINES:
        found.append(f"{MAIN} has more than {MAX_LINES} lines")
    if len(text) > MAX_CHARACTERS:
        found.append(f"{MAIN} has more than {MAX_CHARACTERS} characters")
    return found + [f"{MAIN}: {match[0][:40]} is left over" for match in _LEFT_OVER.finditer(text)]


def render_installation(
    destination: Destination, changes: Sequence[Change], listed: ListingResult | None
) -> str:
    """Render for the reply what installing in a folder did: a line for each kind of step.

    `listed`: what became of the list in AGENTS.md; None without one.
    """
    names = sorted(
        {change.skill for change in changes if change.step not in (InstallStep.FOREIGN, InstallStep.NEWER)}
    )
    lines = [
        f"{destination.display_path} for {destination.host_titles}: {len(names)} of gbrowse {__version__}'s skills"
    ]
    for step in (InstallStep.NEW, InstallStep.RENEWED, InstallStep.SAME, InstallStep.REMOVED):
        if chosen := [change for change in changes if change.step is step]:
            is_removal = step is InstallStep.REMOVED
            shown = (f"{each.skill}/{each.path}" if is_removal else each.skill for each in chosen)
            lines.append(f"  {step.value}: {', '.join(dict.fromkeys(shown))}")
    lines += _list_untouched(destination, changes)
    if listed:
        lines.append(f"  {destination.listing}: {listed.value}")
    return "\n".join(lines)


def render_removal(destination: Destination, changes: Sequence[Change], listed: ListingResult | None) -> str:
    """Render what removing skills from a folder did. `listed`: result for the list in AGENTS.md, if any."""
    names = sorted({change.skill for change in changes})
    lines = [f"{destination.display_path} for {destination.host_titles}: removed {', '.join(names)}"]
    lines += _list_untouched(destination, changes)
    if listed and listed is not ListingResult.NONE:
        lines.append(f"  {destination.listing}: {listed.value}")
    return "\n".join(lines)


def render_table(rows: Sequence[tuple[Destination, SkillCheck]]) -> str:
    """Render a table of checked skills, then a line for each problem. `rows`: (folder, check)."""
    width = max(len(row.name) for _, row in rows)
    lines = [f"{'skill':<{width}}  version  state            lines  characters  problems  folder"]
    for item, row in rows:
        lines.append(
            f"{row.name:<{width}}  {row.version:<7}  {row.state.value:<15}  {row.lines:>5}  {row.characters:>10}  "
            f"{len(row.problems):>8}  {item.display_path}"
        )
    lines += [f"{item.display_path}/{row.name}: {problem}" for item, row in rows for problem in row.problems]
    return "\n".join(lines)


def render_not_installed(skills: Iterable[str], destination: Destination) -> str:
    """Return a line that names those of `skills` that are not installed in the folder; "" if all are."""
    others = [name for name in skills if name not in destination.manifest.skills]
    return f"  not installed: {' '.join(others)} (gbrowse skills-install {others[0]} …)" if others else ""


def _list_untouched(destination: Destination, changes: Sequence[Change]) -> list[str]:
    """Return a line for each file left alone (by install or removal): changed by hand, not ours, or newer."""
    lines = []
    for change in changes:
        if change.step in _UNTOUCHED:
            path = f"{destination.display_path}/{change.skill}/{change.path}"
            lines.append(f"  {change.step.value}: {path}{_advise(change)}")
    return lines


def _advise(change: Change) -> str:
    """Return the end of a line: what a person can do about a file that was left alone; "" for nothing."""
    if change.step is InstallStep.CHANGED and change.content:
        file = "" if change.path == MAIN else f" {change.path}"
        return f" (ours: gbrowse skill {change.skill}{file}; to take it, remove the file and install again)"
    if change.step is InstallStep.NEWER:
        return " (upgrade gbrowse first)"
    return ""
