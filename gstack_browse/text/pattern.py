"""Parse patterns for texts, addresses, requests (`POST **/save`) and status codes (`2xx`). Pure.

Regular expressions are not run here: the texts come from pages, which may make a matcher run for ever. They run in
the page, where they can be stopped: see scripts/read/expect.js.
"""

import re
from itertools import pairwise
from typing import Literal, NamedTuple

from gstack_browse.text.sanitise import one_line, quote_text

MOST_CHARACTERS = 4_000
"""Limit of characters that are examined: `data:` addresses have millions."""
_PIECES = r"(\*\*/?|\*|\{[^{}]*\})"
_PATH = r"[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*"
_WILD = ("**/", "**", "*")


class Glob:
    """A wildcard pattern.

    `*` matches within a path segment, `**` anything, `**/` any number of segments, `{a,b}` one of the words. Without any
    of these it matches a part of the text, or with `whole` all of it. A pattern that begins with a slash is compared
    with an address from its path on. In one without any slash (`*.png`), `*` matches across segments: it could match no address otherwise.
    """

    def __init__(self, pattern: str, *, whole: bool = False) -> None:
        self._pattern = pattern
        pieces = (piece for piece in re.split(_PIECES, pattern) if piece)
        self._pieces = ["**" if piece == "*" and "/" not in pattern else piece for piece in pieces]
        self._is_part = not whole and not any(_is_wild(piece) for piece in self._pieces)

    def __str__(self) -> str:
        return self._pattern

    @property
    def chromium_pattern(self) -> str:
        """Return a URL pattern in Chromium's syntax (only `*` and `?`) that matches at least what this does."""
        begin = "*" if self._is_part or self._pattern.startswith("/") else ""
        parts = ("*" if _is_wild(piece) else re.sub(r"([*?\\])", r"\\\1", piece) for piece in self._pieces)
        return f"{begin}{''.join(parts)}*"

    def matches(self, text: str) -> bool:
        """Return whether a URL (or other text) matches this glob pattern; a plain word matches anywhere in it."""
        text = text[:MOST_CHARACTERS]
        if self._is_part:
            return self._pattern in text
        if self._pattern.startswith("/") and (origin := re.match(_PATH, text)):
            text = text[origin.end() :]
        reached = {0}
        for piece in self._pieces:
            reached = _match_piece(piece, text, reached)
            if not reached:
                return False
        return len(text) in reached


def _is_wild(piece: str) -> bool:
    """Return whether a piece of a glob matches more than one text: `*`, `**` or `{a,b}`."""
    return piece in _WILD or piece.startswith("{")


def _match_piece(piece: str, text: str, reached: set[int]) -> set[int]:
    """Return the indices in `text` at which a match of `piece` (of a glob) can end.

    `reached`: the indices at which it may begin, where the piece before can end.
    """
    if piece == "**":
        return set(range(min(reached), len(text) + 1))
    if piece == "**/":
        first = min(reached)
        return reached | {place + 1 for place in range(first, len(text)) if text[place] == "/"}
    if piece == "*":
        return _match_star(text, reached)
    words = piece[1:-1].split(",") if _is_wild(piece) else [piece]
    return {place + len(word) for place in reached for word in words if text.startswith(word, place)}


def _match_star(text: str, reached: set[int]) -> set[int]:
    """Return the indices in `text` where a match of `*` can end: up to the end of the path segment.

    `reached`: the indices at which it may begin.
    """
    ends = [-1, *(place for place, character in enumerate(text) if character == "/"), len(text)]
    places = sorted(reached)
    found: set[int] = set()
    at = 0
    for before, end in pairwise(ends):
        if at < len(places) and before < places[at] <= end:
            found.update(range(places[at], end + 1))
        while at < len(places) and places[at] <= end:
            at += 1
    return found


_REGEX = re.compile(r"/(.+)/([a-z]*)\Z", re.DOTALL)
_PLAIN_PATH = re.compile(r"[^\\^$+()\[\]|]*\Z")
"""Between slashes: no character that only a regular expression has."""
_MOST_PRINTED = 100


class Pattern(NamedTuple):
    """A parsed text or URL pattern. `text`: without the marks of its kind, as `=` or slashes."""

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
        """Return whether a text matches; False for a regular expression (JavaScript's, which only pages run)."""
        if self.kind == "glob":
            return Glob(self.text).matches(text)
        wanted, found = fold_blanks(self.text), fold_blanks(text)
        return found == wanted if self.kind == "exact" else self.kind == "part" and wanted in found

    @property
    def engine_form(self) -> dict[str, str]:
        """Return the pattern as { kind, text, flags }, with which our script matches texts in the page."""
        return {"kind": self.kind, "text": self.text, "flags": self.flags}

    @property
    def search_words(self) -> str:
        """Return words that a matching text has: the pattern's own; of a regular expression its literal words."""
        return re.sub(r"\\.|[^\w\s]", " ", self.text).strip() if self.kind == "regex" else self.text


ANYTHING = Pattern("part", "")
"""Matches every text."""


def parse_text_pattern(word: str) -> Pattern:
    """Parse a pattern for texts: `=exact`, `/regex/flags`, else a part; "" matches an empty text."""
    if match := _REGEX.match(word):
        return Pattern("regex", match[1], match[2])
    if word.startswith("="):
        return Pattern("exact", word[1:])
    return Pattern("part" if word.strip() else "exact", word)


def parse_url_pattern(word: str) -> Pattern:
    """Parse a pattern for URLs: `=exact`, `/regex/flags`, else a glob such as `**/save`.

    `/app/` and `/orders/*/` are paths, not regular expressions.
    """
    pattern = parse_text_pattern(word)
    is_path = pattern.kind == "regex" and not pattern.flags and _PLAIN_PATH.match(pattern.text)
    if pattern.kind == "part" or is_path:
        return Pattern("glob", word)
    return pattern


def fold_label(label: str) -> str:
    """Return a form's label as it is compared: in lower case, without a colon or an asterisk at the end."""
    return fold_blanks(label).casefold().rstrip(" :*")


def fold_blanks(text: str) -> str:
    """Replace each run of whitespace by one space, and remove it at the ends."""
    return " ".join(text.split())


_METHOD = r"([A-Z]{3,10})\s+(?=\S)"
_STATUS = r"[1-5](?:xx|[0-9]{2})\Z"


class RequestGlob:
    """A method, or any, and a glob for the address as `network` prints it."""

    def __init__(self, words: str) -> None:
        found = re.match(_METHOD, words)
        self._method = found[1] if found else ""
        self._glob = Glob(words[found.end() :].strip() if found else words.strip())

    def __str__(self) -> str:
        return f"{self._method} {self._glob}".strip()

    @property
    def chromium_pattern(self) -> str:
        """Return a URL pattern in Chromium's syntax that matches at least the URLs of the matching requests."""
        return self._glob.chromium_pattern

    def matches(self, method: str, url: str) -> bool:
        """Return whether a request's method and URL match."""
        return self._method in ("", method) and self._glob.matches(url)


class StatusPattern(NamedTuple):
    """`404`, `2xx`, or `failed`: without a response."""

    words: str

    def __str__(self) -> str:
        return self.words

    @staticmethod
    def is_valid(words: str) -> bool:
        """Return whether the text is a pattern of HTTP statuses: `201`, `2xx` or `failed`."""
        return words == "failed" or bool(re.match(_STATUS, words))

    def matches(self, status: int, error: str) -> bool:
        """Return whether a request with this outcome matches.

        `status`: its HTTP status, 0 without a response. `error`: why it failed, "" if it did not.
        """
        if self.words == "failed":
            return bool(error)
        return str(status).startswith(self.words.removesuffix("xx")) and bool(status)
