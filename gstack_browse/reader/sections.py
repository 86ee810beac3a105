"""Find parts of a Markdown document: its outline, a section by its heading, the paragraphs that have some words. Pure."""

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_FOUND = 50
_HEADING = re.compile(r"(#{1,6}) +(.+?)\s*#*$")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


class Heading(NamedTuple):
    """A heading of a document. `line`: its number, from 0."""

    level: int
    title: str
    line: int


def headings(lines: list[str]) -> Iterator[Heading]:
    """Yield the headings; what looks like one in a block of code is none."""
    fence = ""
    for number, line in enumerate(lines):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif line.strip().startswith(fence):
                fence = ""
        elif not fence and (found := _HEADING.match(line)):
            yield Heading(len(found[1]), _plain(found[2]), number)


def render_outline(markdown: str) -> str:
    """Return the headings, each indented by its level."""
    found = list(headings(markdown.split("\n")))
    least = min((heading.level for heading in found), default=1)
    return "\n".join(f"{'  ' * (heading.level - least)}{heading.title}" for heading in found)


def find_section(markdown: str, title: str) -> str:
    """Return a section with those below it; "" without such a heading.

    The first with that title, in any case; else the first that begins with it, else that contains it.
    """
    lines = markdown.split("\n")
    found = list(headings(lines))
    wanted = title.strip().lower()
    rules = (str.__eq__, str.startswith, str.__contains__)
    for is_meant in rules:
        for at, heading in enumerate(found):
            if is_meant(heading.title.lower(), wanted):
                end = next(
                    (later.line for later in found[at + 1 :] if later.level <= heading.level), len(lines)
                )
                return "\n".join(lines[heading.line : end]).strip()
    return ""


def find_paragraphs(markdown: str, words: str) -> list[str]:
    """Return the blocks that contain some words in any case, each under the heading of its section."""
    lines = markdown.split("\n")
    titles = {heading.line: heading for heading in headings(lines)}
    found: list[str] = []
    current, shown, block = "", "", list[str]()

    def end_block() -> None:
        nonlocal shown
        text = "\n".join(block).strip()
        block.clear()
        if text and words.lower() in _plain(text).lower() and len(found) < MOST_FOUND:
            if current and current != shown and not text.startswith(current):
                text = f"{current}\n{text}"
            shown = current
            found.append(text)

    for number, line in enumerate(lines):
        if not line.strip() or number in titles:
            end_block()
        if number in titles:
            current = line
        if line.strip():
            block.append(line)
        if number in titles:
            end_block()
    end_block()
    return found


def _plain(text: str) -> str:
    """Return Markdown without marks and addresses."""
    return re.sub(r"[*_`\\]", "", _LINK.sub(r"\1", text))
