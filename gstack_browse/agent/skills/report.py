"""Render the output of the commands that install, remove and check skills. Pure."""

from collections.abc import Iterable, Sequence

from gstack_browse import __version__
from gstack_browse.agent.skills.check import SkillCheck
from gstack_browse.agent.skills.destinations import Destination
from gstack_browse.agent.skills.install import Change, InstallStep
from gstack_browse.agent.skills.listing import ListingResult
from gstack_browse.agent.skills.packaged import MAIN

_UNTOUCHED = (InstallStep.CHANGED, InstallStep.FOREIGN, InstallStep.NEWER)


def render_installation(
    destination: Destination, changes: Sequence[Change], listed: ListingResult | None
) -> str:
    """Render what installing did: a line for each kind of step."""
    names = sorted(
        {change.skill for change in changes if change.step not in (InstallStep.FOREIGN, InstallStep.NEWER)}
    )
    lines = [f"{destination.shown} for {destination.titles}: {len(names)} of gbrowse {__version__}'s skills"]
    for step in (InstallStep.NEW, InstallStep.RENEWED, InstallStep.SAME, InstallStep.REMOVED):
        if chosen := [change for change in changes if change.step is step]:
            lines.append(f"  {step.value}: {_by_skill(chosen, step)}")
    lines += _list_untouched(destination, changes)
    if listed:
        lines.append(f"  {destination.listing}: {listed.value}")
    return "\n".join(lines)


def render_removal(destination: Destination, changes: Sequence[Change], listed: ListingResult | None) -> str:
    """Render what removing did."""
    names = sorted({change.skill for change in changes})
    lines = [f"{destination.shown} for {destination.titles}: removed {', '.join(names)}"]
    lines += _list_untouched(destination, changes)
    if listed and listed is not ListingResult.NONE:
        lines.append(f"  {destination.listing}: {listed.value}")
    return "\n".join(lines)


def render_table(rows: Sequence[tuple[Destination, SkillCheck]]) -> str:
    """Render a line for each skill, then a line for each problem."""
    width = max(len(row.name) for _, row in rows)
    lines = [f"{'skill':<{width}}  version  state            lines  characters  problems  folder"]
    for item, row in rows:
        lines.append(
            f"{row.name:<{width}}  {row.version:<7}  {row.state:<15}  {row.lines:>5}  {row.characters:>10}  "
            f"{len(row.problems):>8}  {item.shown}"
        )
    lines += [f"{item.shown}/{row.name}: {problem}" for item, row in rows for problem in row.problems]
    return "\n".join(lines)


def render_not_installed(skills: Iterable[str], destination: Destination) -> str:
    """Name the skills that are not installed, in a sentence; "" if all are."""
    others = [name for name in skills if name not in destination.manifest.skills]
    return f"  not installed: {' '.join(others)} (gbrowse skills-install {others[0]} …)" if others else ""


def _list_untouched(destination: Destination, changes: Sequence[Change]) -> list[str]:
    """Return a line for each file that was left alone."""
    lines = []
    for change in changes:
        if change.step in _UNTOUCHED:
            path = f"{destination.shown}/{change.skill}/{change.path}"
            lines.append(f"  {change.step.value}: {path}{_advise(change)}")
    return lines


def _advise(change: Change) -> str:
    """Return what a person can do about a file that was left alone; "" for nothing."""
    if change.step is InstallStep.CHANGED and change.content:
        file = "" if change.path == MAIN else f" {change.path}"
        return f" (ours: gbrowse skill {change.skill}{file}; to take it, remove the file and install again)"
    if change.step is InstallStep.NEWER:
        return " (upgrade gbrowse first)"
    return ""


def _by_skill(changes: Sequence[Change], step: InstallStep) -> str:
    """List the skills of these changes; for removals the files."""
    if step is InstallStep.REMOVED:
        return ", ".join(f"{change.skill}/{change.path}" for change in changes)
    return ", ".join(dict.fromkeys(change.skill for change in changes))
