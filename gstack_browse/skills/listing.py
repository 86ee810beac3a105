"""The list of installed skills in AGENTS.md, between two marks, for programs that know no skills. The rest of the file is a person's."""

from enum import Enum

from gstack_browse.skills.destinations import Destination
from gstack_browse.skills.hosts import MAX_AGENTS_FILE
from gstack_browse.skills.manifest import digest
from gstack_browse.skills.packaged import MAIN, Skill

BEGIN = "<!-- gbrowse skills: begin -->"
END = "<!-- gbrowse skills: end -->"


class Listed(Enum):
    """What became of the list."""

    WRITTEN = "lists the skills"
    SAME = "unchanged"
    CHANGED = "the list was changed by hand, kept"
    TOO_LONG = f"would be longer than {MAX_AGENTS_FILE} bytes, which programs cut off; not changed"
    REMOVED = "the list is removed"
    NONE = "has no list"


def block(destination: Destination, skills: list[Skill]) -> str:
    """The list with its marks."""
    lines = [
        f"- {skill.name} (`{destination.folder}/{skill.name}/{MAIN}`): {skill.description}" for skill in skills
    ]
    intro = "Read the file of a skill before you do what it is for."
    return "\n".join([BEGIN, "## Skills of gbrowse", "", intro, "", *lines, END])


def write(destination: Destination, path: str, wanted: str) -> Listed:
    """Write the list into the file, or replace the unchanged list there; "" removes the list."""
    content = (destination.tree.read(path) or b"").decode("utf-8", "surrogateescape")
    before, found, rest = content.partition(BEGIN)
    inside, closed, after = rest.partition(END)
    old = f"{BEGIN}{inside}{END}" if found and closed else ""
    if (found and not closed) or (old and digest(_bytes(old)) != destination.manifest.listing):
        return Listed.CHANGED
    if old == wanted:
        return Listed.SAME if old else Listed.NONE
    text = _joined(before if old else content, wanted, after)
    if wanted and len(_bytes(text)) > MAX_AGENTS_FILE:
        return Listed.TOO_LONG
    destination.manifest.listing = digest(_bytes(wanted)) if wanted else ""
    if text:
        destination.tree.write(path, _bytes(text))
    else:
        destination.tree.remove(path)
    return Listed.WRITTEN if wanted else Listed.REMOVED


def _joined(before: str, middle: str, after: str) -> str:
    parts = [part for part in (before.rstrip("\n"), middle, after.strip("\n")) if part.strip()]
    return "\n\n".join(parts) + "\n" if parts else ""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
