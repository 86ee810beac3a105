"""Print an article: its title, author and date, then its content. Pure."""

import re
from typing import NamedTuple

MOST_BEFORE_BYLINE = 6
"""Paragraphs at the beginning among which a byline is looked for: a heading, a picture, a summary stand before it."""
LONGEST_BYLINE = 600


class ArticleHead(NamedTuple):
    """The facts that a page states of its article; "" for what it does not say."""

    title: str = ""
    author: str = ""
    date: str = ""
    site: str = ""

    def facts(self) -> str:
        """Return author, date and site in one line."""
        author = self.author if re.match(r"(?i)by\b", self.author) else f"By {self.author}"
        return " · ".join(filter(None, (author if self.author else "", self.date, self.site)))


def render_text(head: ArticleHead, text: str) -> str:
    """Return the article as text."""
    lines = "\n".join(filter(None, (head.title, head.facts())))
    return "\n\n".join(filter(None, (lines, _without_byline(text, head.author))))


def render_markdown(head: ArticleHead, markdown: str) -> str:
    """Return the article as Markdown, with the title as its first heading.

    The title is left out where the article's own heading says the same.
    """
    title = f"# {head.title}" if head.title and not _has_heading(markdown, head.title) else ""
    return "\n\n".join(filter(None, (title, head.facts(), _without_byline(markdown, head.author))))


def _without_byline(content: str, author: str) -> str:
    """Return the content without a first paragraph that only names the author: the head does so."""
    blocks = content.split("\n\n")
    name = _plain_name(author)
    for index, block in enumerate(blocks[:MOST_BEFORE_BYLINE]):
        if name and len(block) <= LONGEST_BYLINE and _plain_name(block) == name:
            return "\n\n".join(blocks[:index] + blocks[index + 1 :])
    return content


def _plain_name(line: str) -> str:
    """Return a line as plain lower-case words, to compare it with an author's name."""
    words = re.sub(r"\]\([^)]*\)|[\[\]*_`\\]", "", line).casefold().split()
    return " ".join(words).removeprefix("written ").removeprefix("posted ").removeprefix("by ")


def _has_heading(markdown: str, title: str) -> bool:
    """Return whether a heading of the highest level says the title or its beginning.

    Sites add their name.
    """
    headings = re.findall(r"^# +(.{1,500})$", markdown, re.MULTILINE)
    plain = (re.sub(r"[*_`\\]|!?\[|\]\([^)]*\)", "", heading).strip() for heading in headings)
    return any(heading and title.startswith(heading) for heading in plain)
