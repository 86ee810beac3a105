"""Patterns for expected texts as a user types them: part, exact, regular expression or glob. Pure.

Regular expressions are not run here: the texts come from pages, which may make a matcher run for ever. They run in
the page, where they can be stopped: see scripts/expecting.js.
"""

import re
from dataclasses import dataclass
from typing import Literal

from gstack_browse.text.glob import Glob
from gstack_browse.text.sanitise import one_line, quote_text

_REGEX = re.compile(r"/(.+)/([a-z]*)\Z", re.DOTALL)
_PLAIN_PATH = re.compile(r"[^\\^$+()\[\]|]*\Z")
"""Between slashes: no character that only a regular expression has."""
_MOST_PRINTED = 100


@dataclass(frozen=True)
class Pattern:
    """A pattern. `text` is without the marks of its kind."""

    kind: Literal["part", "exact", "regex", "glob"]
    text: str
    flags: str = ""

    def __str__(self) -> str:
        """As a reply shows it: "Saved", exactly "Saved", /sav(ed|ing)/i, **/done."""
        if self.kind == "regex":
            return f"/{one_line(self.text, _MOST_PRINTED)}/{self.flags}"
        if self.kind == "glob":
            return one_line(self.text, _MOST_PRINTED)
        words = quote_text(self.text, _MOST_PRINTED)
        return f"exactly {words}" if self.kind == "exact" else words

    def matches(self, text: str) -> bool:
        """Return whether it matches the text; always False for a regular expression."""
        if self.kind == "glob":
            return Glob(self.text).matches(text)
        wanted, found = fold_blanks(self.text), fold_blanks(text)
        return found == wanted if self.kind == "exact" else self.kind == "part" and wanted in found

    @property
    def engine_form(self) -> dict[str, str]:
        """The pattern as the page's engine takes it."""
        return {"kind": self.kind, "text": self.text, "flags": self.flags}

    @property
    def search_words(self) -> str:
        """The words that a person would search for; of a regular expression, the words in it."""
        return re.sub(r"\\.|[^\w\s]", " ", self.text).strip() if self.kind == "regex" else self.text


ANYTHING = Pattern("part", "")
"""Matches every text."""


def parse_text_pattern(word: str) -> Pattern:
    """Parse `=exact`, `/regex/flags`, else a part. An empty text is an exact one."""
    if match := _REGEX.match(word):
        return Pattern("regex", match[1], match[2])
    if word.startswith("="):
        return Pattern("exact", word[1:])
    return Pattern("part" if word.strip() else "exact", word)


def parse_url_pattern(word: str) -> Pattern:
    """Parse `=exact`, `/regex/flags`, else a glob. `/app/` and `/orders/*/` are paths, not expressions."""
    pattern = parse_text_pattern(word)
    is_path = pattern.kind == "regex" and not pattern.flags and _PLAIN_PATH.match(pattern.text)
    if pattern.kind == "part" or is_path:
        return Pattern("glob", word)
    return pattern


def fold_blanks(text: str) -> str:
    """Replace each run of whitespace by one space, and remove it at the ends."""
    return " ".join(text.split())
