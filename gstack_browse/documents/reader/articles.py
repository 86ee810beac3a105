"""Render an article as text or Markdown, and find headings, sections and paragraphs in Markdown."""

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_BEFORE_BYLINE = 6
"""Paragraphs at the beginning among which a byline is looked for: a heading, a picture, a summary stand before it."""
LONGEST_BYLINE = 600
MOST_FOUND = 50
MOST_HEADING = 1_000
"""Characters from which a line is no heading."""
_HEADING = re.compile(r"(#{1,6}) +(\S.*)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_MARKS = re.compile(r"\\([\\*_`\[\]])|[*`]")
_LINK = re.compile(r"(?<!\\)!?\[((?:\\.|[^\[\]\\])*)\]\([^()\s]*\)")


class ArticleHead(NamedTuple):
    """The facts that a page states of its article; "" for what it does not say."""

    title: str = ""
    author: str = ""
    date: str = ""
    site: str = ""

    def describe(self) -> str:
        """Return author, date and site as one line, such as `By Ann Lee · 2026-03-01 · The Site`."""
        author = self.author if re.match(r"(?i)by\b", self.author) else f"By {self.author}"
        return " · ".join(filter(None, (author if self.author else "", self.date, self.site)))


def render_text(head: ArticleHead, text: str) -> str:
    """Return an article as plain text: title, a line with author, date and site, then its `text`."""
    lines = "\n".join(filter(None, (head.title, head.describe())))
    return "\n\n".join(filter(None, (lines, _remove_byline(text, head.author))))


def render_markdown(head: ArticleHead, markdown: str) -> str:
    """Return an article as Markdown: title as heading, a line with author, date, site, then `markdown`.

    The title is left out if a heading of the article says the same.
    """
    headings = re.findall(r"^# +(.{1,500})$", markdown, re.MULTILINE)
    plain = (re.sub(r"[*_`\\]|!?\[|\]\([^)]*\)", "", heading).strip() for heading in headings)
    # sites add their name to titles
    is_there = any(heading and head.title.startswith(heading) for heading in plain)
    title = f"# {head.title}" if head.title and not is_there else ""
    return "\n\n".join(filter(None, (title, head.describe(), _remove_byline(markdown, head.author))))


def _remove_byline(content: str, author: str) -> str:
    """Remove from an article's text a byline near its beginning that only repeats the author's name."""
    blocks = content.split("\n\n")
    name = _normalise_byline(author)
    for index, block in enumerate(blocks[:MOST_BEFORE_BYLINE]):
        if name and len(block) <= LONGEST_BYLINE and _normalise_byline(block) == name:
            return "\n\n".join(blocks[:index] + blocks[index + 1 :])
    return content


def _normalise_byline(line: str) -> str:
    """Return a byline in lower case, without "by" and Markdown, to compare it with an author's name."""
    words = re.sub(r"\]\([^)]*\)|[\[\]*_`\\]", "", line).casefold().split()
    return " ".join(words).removeprefix("written ").removeprefix("posted ").removeprefix("by ")


class Heading(NamedTuple):
    """A heading of a document. `line`: its number, from 0."""

    level: int
    title: str
    line: int


def find_headings(lines: list[str]) -> Iterator[Heading]:
    """Yield the headings in the lines of a Markdown text, except in fenced code and those without a title."""
    is_code = _find_code(lines)
    for number, line in enumerate(lines):
        if is_code[number] or len(line) >= MOST_HEADING or not (found := _HEADING.match(line)):
            continue
        if title := _strip_markdown(_strip_closing_mark(found[2])):
            yield Heading(len(found[1]), title, number)


def _strip_closing_mark(title: str) -> str:
    """Return a heading's title without the marks that close it: `Title ##` → `Title`.

    In `C#`, where no blank is before the mark, it belongs to the title.
    """
    title = title.rstrip()
    bare = title.rstrip("#")
    return title if bare and bare == bare.rstrip() else bare.rstrip()


def _find_code(lines: list[str]) -> list[bool]:
    """Return for each line of a Markdown text whether it is in a fenced block of code, or its fence."""
    found, fence = [], ""
    for line in lines:
        mark = _FENCE.match(line)
        found.append(bool(fence or mark))
        if mark and not fence:
            fence = mark[1]
        elif fence and line.strip().startswith(fence):
            fence = ""
    return found


def render_outline(markdown: str) -> str:
    """Return the headings of a Markdown text as lines, each indented by its level."""
    found = list(find_headings(markdown.split("\n")))
    least = min((heading.level for heading in found), default=1)
    return "\n".join(f"{'  ' * (heading.level - least)}{heading.title}" for heading in found)


def find_section(markdown: str, title: str) -> str:
    """Return the section of a Markdown text with this heading, with its subsections; "" for none.

    It is the first whose heading equals `title`, ignoring case; else the first that begins with it, else that contains it.
    """
    lines = markdown.split("\n")
    found = list(find_headings(lines))
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
    """Return the blocks of a Markdown text that contain `words`, ignoring case, each below its heading."""
    lines = markdown.split("\n")
    titles, is_code = {heading.line: heading for heading in find_headings(lines)}, _find_code(lines)
    found: list[str] = []
    current, shown, block = "", "", list[str]()

    def end_block() -> None:
        nonlocal shown
        text = "\n".join(block).strip()
        block.clear()
        if text and words.lower() in _strip_markdown(text).lower() and len(found) < MOST_FOUND:
            if current and current != shown and not text.startswith(current):
                text = f"{current}\n{text}"
            shown = current
            found.append(text)

    for number, line in enumerate(lines):
        if (not line.strip() and not is_code[number]) or number in titles:
            end_block()
        if number in titles:
            current = line
        if line.strip() or is_code[number]:
            block.append(line)
        if number in titles:
            end_block()
    end_block()
    return found


def _strip_markdown(text: str) -> str:
    """Return the plain text of Markdown: without marks, and without the addresses of links."""
    return _MARKS.sub(lambda found: found[1] or "", _LINK.sub(r"\1", text))
