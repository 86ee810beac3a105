"""Render the output of `skills` and `skill`. Imports nothing that installs."""

from collections.abc import Mapping, Sequence

from gstack_browse import __version__
from gstack_browse.errors import UsageError
from gstack_browse.skills.destinations import Destination
from gstack_browse.skills.hosts import GENERIC
from gstack_browse.skills.outdated import find_outdated
from gstack_browse.skills.packaged import MAIN, Skill
from gstack_browse.skills.passages import fill_passages, strip_header


def render_overview(skills: Mapping[str, str], destinations: Sequence[Destination]) -> str:
    """Render every skill with its purpose, and where some are installed. `skills`: name → description."""
    width = max(map(len, skills))
    lines = [f"Skills of gbrowse {__version__}:"]
    lines += [f"  {name:<{width}}  {_first_sentence(description)}" for name, description in skills.items()]
    for item in destinations:
        installed = ", ".join(f"{name} {known.version}" for name, known in sorted(item.manifest.skills.items()))
        lines.append(f"Installed in {item.shown} for {item.titles}: {installed}")
    if not destinations:
        lines.append("None is installed here. Run: gbrowse skills-install")
    elif old := find_outdated(destinations):
        lines.append(f"Out of date: {', '.join(old)}. Run: gbrowse skills-install")
    return "\n".join(lines)


def render_skill_file(skill: Skill, file: str, destinations: Sequence[Destination]) -> str:
    """Render a file of a skill for its reader, with the names of the other files.

    Raises UsageError for an unknown file.
    """
    if file not in skill.files:
        raise UsageError(f"{skill.name} has no file {file[:60]!a}", f"There are: {', '.join(skill.files)}")
    host = destinations[0].host if destinations else GENERIC
    text = strip_header(fill_passages(skill.files[file], host))
    if file != MAIN or len(skill.files) == 1:
        return text
    others = "\n".join(f"gbrowse skill {skill.name} {path}" for path in skill.files if path != MAIN)
    return f"{text}\n\n<!-- its other files -->\n{others}"


def _first_sentence(text: str) -> str:
    first = text.partition(". ")[0].rstrip(".")
    return first if len(first) <= 110 else first[:109] + "…"
