"""What `skills` and `skill` print: which skills there are, and one of them. Loads nothing of installing."""

from collections.abc import Mapping, Sequence

from gstack_browse import __version__
from gstack_browse.errors import UsageError
from gstack_browse.skills.destinations import Destination
from gstack_browse.skills.hosts import GENERIC
from gstack_browse.skills.outdated import outdated
from gstack_browse.skills.packaged import MAIN, Skill
from gstack_browse.skills.passages import body, filled_in


def overview(skills: Mapping[str, str], destinations: Sequence[Destination]) -> str:
    """Every skill with its purpose (`skills`: name to description), and where some are installed."""
    width = max(map(len, skills))
    lines = [f"Skills of gbrowse {__version__}:"]
    lines += [f"  {name:<{width}}  {_first_sentence(description)}" for name, description in skills.items()]
    for item in destinations:
        installed = ", ".join(f"{name} {known.version}" for name, known in sorted(item.manifest.skills.items()))
        lines.append(f"Installed in {item.shown} for {item.titles}: {installed}")
    if not destinations:
        lines.append("None is installed here. Run: gbrowse skills-install")
    elif old := outdated(destinations):
        lines.append(f"Out of date: {', '.join(old)}. Run: gbrowse skills-install")
    return "\n".join(lines)


def printed(skill: Skill, file: str, destinations: Sequence[Destination]) -> str:
    """A file of a skill as its reader gets it, and the names of the other files. Raises UsageError for an unknown file."""
    if file not in skill.files:
        raise UsageError(f"{skill.name} has no file {file[:60]!a}", f"There are: {', '.join(skill.files)}")
    host = destinations[0].host if destinations else GENERIC
    text = body(filled_in(skill.files[file], host))
    if file != MAIN or len(skill.files) == 1:
        return text
    others = "\n".join(f"gbrowse skill {skill.name} {path}" for path in skill.files if path != MAIN)
    return f"{text}\n\n<!-- its other files -->\n{others}"


def _first_sentence(text: str) -> str:
    first = text.partition(". ")[0].rstrip(".")
    return first if len(first) <= 110 else first[:109] + "…"
