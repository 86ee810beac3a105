"""The list of installed skills in AGENTS.md, between two marks. The rest of the file is a person's."""

from enum import Enum

from gstack_browse.skills.destinations import Destination
from gstack_browse.skills.hosts import MAX_AGENTS_FILE
from gstack_browse.skills.manifest import hash_content
from gstack_browse.skills.packaged import MAIN, Skill

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
    return text.encode("utf-8", "surrogateescape")
