"""What the commands about skills print: lists, what installing did, the table of checks. Pure but for reading what is asked for."""

from collections.abc import Iterable, Sequence

from gstack_browse import __version__
from gstack_browse.skills.check import Row
from gstack_browse.skills.destinations import Destination
from gstack_browse.skills.install import Change, InstallStep
from gstack_browse.skills.listing import Listed
from gstack_browse.skills.packaged import MAIN

_KEPT = (InstallStep.CHANGED, InstallStep.FOREIGN, InstallStep.NEWER)


def installation(destination: Destination, changes: Sequence[Change], listed: Listed | None) -> str:
    """What installing did: a line for each thing that became of files."""
    names = sorted(
        {change.skill for change in changes if change.step not in (InstallStep.FOREIGN, InstallStep.NEWER)}
    )
    lines = [f"{destination.shown} for {destination.titles}: {len(names)} of gbrowse {__version__}'s skills"]
    for step in (InstallStep.NEW, InstallStep.RENEWED, InstallStep.SAME, InstallStep.REMOVED):
        if chosen := [change for change in changes if change.step is step]:
            lines.append(f"  {step.value}: {_by_skill(chosen, step)}")
    lines += _kept(destination, changes)
    if listed:
        lines.append(f"  {destination.listing}: {listed.value}")
    return "\n".join(lines)


def removal(destination: Destination, changes: Sequence[Change], listed: Listed | None) -> str:
    """What removing did."""
    names = sorted({change.skill for change in changes})
    lines = [f"{destination.shown} for {destination.titles}: removed {', '.join(names)}"]
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
            f"{len(row.problems):>8}  {item.shown}"
        )
    lines += [f"{item.shown}/{row.name}: {problem}" for item, row in rows for problem in row.problems]
    return "\n".join(lines)


def not_installed(skills: Iterable[str], destination: Destination) -> str:
    """The skills that are not installed, as a sentence; "" for none."""
    others = [name for name in skills if name not in destination.manifest.skills]
    return f"  not installed: {' '.join(others)} (gbrowse skills-install {others[0]} …)" if others else ""


def _kept(destination: Destination, changes: Sequence[Change]) -> list[str]:
    lines = []
    for change in changes:
        if change.step in _KEPT:
            path = f"{destination.shown}/{change.skill}/{change.path}"
            lines.append(f"  {change.step.value}: {path}{_hint(change)}")
    return lines


def _hint(change: Change) -> str:
    if change.step is InstallStep.CHANGED and change.content:
        file = "" if change.path == MAIN else f" {change.path}"
        return f" (ours: gbrowse skill {change.skill}{file}; to take it, remove the file and install again)"
    if change.step is InstallStep.NEWER:
        return " (upgrade gbrowse first)"
    return ""


def _by_skill(changes: Sequence[Change], step: InstallStep) -> str:
    if step is InstallStep.REMOVED:
        return ", ".join(f"{change.skill}/{change.path}" for change in changes)
    return ", ".join(dict.fromkeys(change.skill for change in changes))
