"""Print an article: its title, author and date, then its content. Pure."""

import re
from typing import NamedTuple


class ArticleHead(NamedTuple):
    """What a page says of its article; "" for what it does not say."""

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
    """Return the article as Markdown; the title as its first heading, unless it begins with that."""
    has_title = re.match(rf"# +{re.escape(head.title)}\s*$", markdown, re.MULTILINE) if head.title else True
    title = "" if has_title else f"# {head.title}"
    return "\n\n".join(filter(None, (title, head.facts(), markdown)))
