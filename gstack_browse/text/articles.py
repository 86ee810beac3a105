"""Print an article: its title, author and date, then its content. Pure."""

import re
from typing import NamedTuple


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
    return "\n\n".join(filter(None, ("\n".join(filter(None, (head.title, head.facts()))), text)))


def render_markdown(head: ArticleHead, markdown: str) -> str:
    """Return the article as Markdown, with the title as its first heading.

    The title is left out where the article's own heading says the same.
    """
    title = f"# {head.title}" if head.title and not _has_heading(markdown, head.title) else ""
    return "\n\n".join(filter(None, (title, head.facts(), markdown)))


def _has_heading(markdown: str, title: str) -> bool:
    """Return whether a heading of the highest level says the title or its beginning.

    Sites add their name.
    """
    headings = re.findall(r"^# +(.{1,500})$", markdown, re.MULTILINE)
    plain = (re.sub(r"[*_`\\]|!?\[|\]\([^)]*\)", "", heading).strip() for heading in headings)
    return any(heading and title.startswith(heading) for heading in plain)
