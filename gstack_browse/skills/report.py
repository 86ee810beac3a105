"""What the commands about skills print: lists, what installing did, the table of checks. Pure but for reading what is asked for."""

from collections.abc import Iterable, Sequence

from gstack_browse import __version__
from gstack_browse.errors import UsageError
from gstack_browse.skills.check import Row
from gstack_browse.skills.destinations import Destination
from gstack_browse.skills.hosts import GENERIC
from gstack_browse.skills.install import Change, Fate
from gstack_browse.skills.listing import Listed
from gstack_browse.skills.outdated import outdated
from gstack_browse.skills.packaged import MAIN, Skill
from gstack_browse.skills.passages import body, filled_in
from gstack_browse.workspace import shown

_KEPT = (Fate.CHANGED, Fate.FOREIGN, Fate.NEWER)


def overview(skills: Sequence[Skill], destinations: Sequence[Destination]) -> str:
    """Every skill with its purpose, and where some are installed."""
    width = max(len(skill.name) for skill in skills)
    lines = [f"Skills of gbrowse {__version__}:"]
    lines += [f"  {skill.name:<{width}}  {_first_sentence(skill.description)}" for skill in skills]
    for item in destinations:
        installed = ", ".join(f"{name} {known.version}" for name, known in sorted(item.manifest.skills.items()))
        lines.append(f"Installed in {_folder(item)} for {item.titles}: {installed}")
    if not destinations:
        lines.append("None is installed here. Run: gbrowse skills-install")
    elif old := outdated(destinations):
        lines.append(f"Out of date: {', '.join(old)}. Run: gbrowse skills-install")
    return "\n".join(lines)


def printed(skill: Skill, file: str, destinations: Sequence[Destination]) -> str:
    """One file of a skill as its reader gets it, and which others there are. Raises UsageError for a file that is none."""
    if file not in skill.files:
        raise UsageError(f"{skill.name} has no file {file[:60]!a}", f"There are: {', '.join(skill.files)}")
    host = destinations[0].host if destinations else GENERIC
    text = body(filled_in(skill.files[file], host))
    if file != MAIN or len(skill.files) == 1:
        return text
    others = "\n".join(f"gbrowse skill {skill.name} {path}" for path in skill.files if path != MAIN)
    return f"{text}\n\n<!-- its other files -->\n{others}"


def installation(destination: Destination, changes: Sequence[Change], listed: Listed | None) -> str:
    """What installing did: a line for each thing that became of files."""
    names = sorted({change.skill for change in changes if change.fate not in (Fate.FOREIGN, Fate.NEWER)})
    lines = [f"{_folder(destination)} for {destination.titles}: {len(names)} of gbrowse {__version__}'s skills"]
    for fate in (Fate.NEW, Fate.RENEWED, Fate.SAME, Fate.REMOVED):
        if chosen := [change for change in changes if change.fate is fate]:
            lines.append(f"  {fate.value}: {_by_skill(chosen, fate)}")
    lines += _kept(destination, changes)
    if listed:
        lines.append(f"  {destination.listing}: {listed.value}")
    return "\n".join(lines)


def removal(destination: Destination, changes: Sequence[Change], listed: Listed | None) -> str:
    """What removing did."""
    names = sorted({change.skill for change in changes})
    lines = [f"{_folder(destination)} for {destination.titles}: removed {', '.join(names)}"]
    lines += _kept(destination, changes)
    if listed and listed is not Listed.NONE:
        lines.append(f"  {destination.listing}: {listed.value}")
    return "\n".join(lines)


def table(rows: Sequence[tuple[Destination, Row]]) -> str:
    """A line for each skill, and below those a line for each problem."""
    width = max(len(row.name) for _, row in rows)
    lines = [f"{'skill':<{width}}  version  state            lines  characters  problems  folder"]
    for item, row in rows:
        lines.append(
            f"{row.name:<{width}}  {row.version:<7}  {row.state:<15}  {row.lines:>5}  {row.characters:>10}  "
            f"{len(row.problems):>8}  {_folder(item)}"
        )
    lines += [f"{_folder(item)}/{row.name}: {problem}" for item, row in rows for problem in row.problems]
    return "\n".join(lines)


def not_installed(skills: Iterable[str], destination: Destination) -> str:
    """Which skills there are beside those that are installed; "" where that is none."""
    others = [name for name in skills if name not in destination.manifest.skills]
    return f"  not installed: {' '.join(others)} (gbrowse skills-install {others[0]} …)" if others else ""


def _kept(destination: Destination, changes: Sequence[Change]) -> list[str]:
    lines = []
    for change in changes:
        if change.fate in _KEPT:
            path = f"{_folder(destination)}/{change.skill}/{change.path}"
            lines.append(f"  {change.fate.value}: {path}{_hint(change)}")
    return lines


def _hint(change: Change) -> str:
    if change.fate is Fate.CHANGED and change.content:
        file = "" if change.path == MAIN else f" {change.path}"
        return f" (ours: gbrowse skill {change.skill}{file}; to take it, remove the file and install again)"
    if change.fate is Fate.NEWER:
        return " (upgrade gbrowse first)"
    return ""


def _by_skill(changes: Sequence[Change], fate: Fate) -> str:
    if fate is Fate.REMOVED:
        return ", ".join(f"{change.skill}/{change.path}" for change in changes)
    return ", ".join(dict.fromkeys(change.skill for change in changes))


def _folder(destination: Destination) -> str:
    return f"~/{destination.folder}" if destination.is_global else shown(destination.folder)


def _first_sentence(text: str) -> str:
    first = text.partition(". ")[0].rstrip(".")
    return first if len(first) <= 110 else first[:109] + "…"
