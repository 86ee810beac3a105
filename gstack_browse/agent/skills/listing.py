"""The list of installed skills in AGENTS.md, between two marks. The rest of the file is a person's."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

from gstack_browse import __version__
from gstack_browse.agent.skills.destinations import Destination, find_installed
from gstack_browse.agent.skills.hosts import GENERIC, MAX_AGENTS_FILE
from gstack_browse.agent.skills.manifest import hash_content, is_higher
from gstack_browse.agent.skills.packaged import MAIN, Skill, fill_passages, strip_header
from gstack_browse.agent.skills.tree import FileTree
from gstack_browse.errors import UsageError

BEGIN = "<!-- gbrowse skills: begin -->"
END = "<!-- gbrowse skills: end -->"


class ListingResult(Enum):
    """The result of updating the list; the values are printed."""

    WRITTEN = "lists the skills"
    SAME = "unchanged"
    CHANGED = "the list was changed by hand, kept"
    TOO_LONG = f"would be longer than {MAX_AGENTS_FILE} bytes, which programs cut off; not changed"
    REMOVED = "the list is removed"
    NONE = "has no list"


def render_list(destination: Destination, skills: list[Skill]) -> str:
    """Render the list with its marks."""
    lines = [
        f"- {skill.name} (`{destination.folder}/{skill.name}/{MAIN}`): {skill.description}" for skill in skills
    ]
    intro = "Read the file of a skill before you do what it is for."
    return "\n".join([BEGIN, "## Skills of gbrowse", "", intro, "", *lines, END])


def write_list(destination: Destination, path: str, wanted: str) -> ListingResult:
    """Write the list into the file, or replace an unmodified one; "" removes it."""
    content = (destination.tree.read(path) or b"").decode("utf-8", "surrogateescape")
    before, found, rest = content.partition(BEGIN)
    inside, closed, after = rest.partition(END)
    old = f"{BEGIN}{inside}{END}" if found and closed else ""
    if (found and not closed) or (old and hash_content(_encode(old)) != destination.manifest.listing):
        return ListingResult.CHANGED
    if old == wanted:
        return ListingResult.SAME if old else ListingResult.NONE
    text = _join_parts(before if old else content, wanted, after)
    if wanted and len(_encode(text)) > MAX_AGENTS_FILE:
        return ListingResult.TOO_LONG
    destination.manifest.listing = hash_content(_encode(wanted)) if wanted else ""
    if text:
        destination.tree.write(path, _encode(text))
    else:
        destination.tree.remove(path)
    return ListingResult.WRITTEN if wanted else ListingResult.REMOVED


def _join_parts(before: str, middle: str, after: str) -> str:
    """Join texts with an empty line between them, without empty ones."""
    parts = [part for part in (before.rstrip("\n"), middle, after.strip("\n")) if part.strip()]
    return "\n\n".join(parts) + "\n" if parts else ""


def _encode(text: str) -> bytes:
    """Encode as UTF-8. Bytes that were no UTF-8 when read (surrogates) become what they were."""
    return text.encode("utf-8", "surrogateescape")


def find_everywhere(project: str, home: str) -> list[Destination]:
    """Return every folder of the project and of the home directory ("": none) with installed skills."""
    found = find_installed(FileTree(project))
    if home.startswith("/") and home.rstrip("/") != project.rstrip("/"):
        found += find_installed(FileTree(home), is_global=True)
    return found


def find_outdated(destinations: Iterable[Destination]) -> list[str]:
    """Return the names of skills that an older gbrowse installed, sorted."""
    return sorted(
        {
            name
            for destination in destinations
            for name, known in destination.manifest.skills.items()
            if is_higher(__version__, known.version)
        }
    )


def render_overview(skills: Mapping[str, str], destinations: Sequence[Destination]) -> str:
    """Render every skill with its purpose, and where some are installed. `skills`: name → description."""
    width = max(map(len, skills))
    lines = [f"Skills of gbrowse {__version__}:"]
    lines += [f"  {name:<{width}}  {_cut_first_sentence(description)}" for name, description in skills.items()]
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


def _cut_first_sentence(text: str) -> str:
    """Return the first sentence without its full stop, at most 110 characters."""
    first = text.partition(". ")[0].rstrip(".")
    return first if len(first) <= 110 else first[:109] + "…"
