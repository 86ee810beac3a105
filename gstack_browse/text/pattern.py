"""What a text is expected to be, as somebody types that: contained, exact, a regular expression, or a glob. Pure.

Regular expressions are only described here. What they are tried on comes from pages, and may be made to keep a matcher
busy for ever, so they run where they can be stopped: in the page, see scripts/expecting.js.
"""

import re
from dataclasses import dataclass
from typing import Literal

from gstack_browse.text.glob import Glob
from gstack_browse.text.sanitise import one_line, quote_text

_REGEX = re.compile(r"/(.+)/([a-z]*)\Z", re.DOTALL)
_PLAIN_PATH = re.compile(r"[^\\^$+()\[\]|]*\Z")
"""Between slashes: nothing that only a regular expression has."""
_SHOWN = 100


@dataclass(frozen=True)
class Pattern:
    """A pattern. `text` is without the marks of its kind."""

    kind: Literal["part", "exact", "regex", "glob"]
    text: str
    flags: str = ""

    def __str__(self) -> str:
        """As a reply shows it: "Saved", exactly "Saved", /sav(ed|ing)/i, **/done."""
        if self.kind == "regex":
            return f"/{one_line(self.text, _SHOWN)}/{self.flags}"
        if self.kind == "glob":
            return one_line(self.text, _SHOWN)
        words = quote_text(self.text, _SHOWN)
        return f"exactly {words}" if self.kind == "exact" else words

    def matches(self, text: str) -> bool:
        """Whether it is of that text; a regular expression never is."""
        if self.kind == "glob":
            return Glob(self.text).matches(text)
        wanted, found = folded(self.text), folded(text)
        return found == wanted if self.kind == "exact" else self.kind == "part" and wanted in found

    @property
    def wire(self) -> dict[str, str]:
        """What the engine is told of it."""
        return {"kind": self.kind, "text": self.text, "flags": self.flags}

    @property
    def words(self) -> str:
        """What a person would look for: of a regular expression the words in it."""
        return re.sub(r"\\.|[^\w\s]", " ", self.text).strip() if self.kind == "regex" else self.text


ANYTHING = Pattern("part", "")
"""What every text is."""


def text_pattern(word: str) -> Pattern:
    """`=exact`, `/regex/flags`, else a part. Nothing at all is exactly that."""
    if match := _REGEX.match(word):
        return Pattern("regex", match[1], match[2])
    if word.startswith("="):
        return Pattern("exact", word[1:])
    return Pattern("part" if word.strip() else "exact", word)


def url_pattern(word: str) -> Pattern:
    """`=exact`, `/regex/flags`, else a glob. `/app/` and `/orders/*/` are paths: nothing in them is of expressions only."""
    pattern = text_pattern(word)
    is_path = pattern.kind == "regex" and not pattern.flags and _PLAIN_PATH.match(pattern.text)
    if pattern.kind == "part" or is_path:
        return Pattern("glob", word)
    return pattern


def folded(text: str) -> str:
    """Every run of blanks as one, none at the ends."""
    return " ".join(text.split())
