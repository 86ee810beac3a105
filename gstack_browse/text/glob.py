"""Match addresses and file names against wildcard patterns. Pure.

Matching takes linear time on any text; a regular expression would not, on an address that a page has chosen for that.
"""

import re
from itertools import pairwise

MOST_CHARACTERS = 4_000
"""Limit of characters that are examined: `data:` addresses have millions."""
_PIECES = r"(\*\*/?|\*|\{[^{}]*\})"
_PATH = r"[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*"
_WILD = ("**/", "**", "*")


class Glob:
    """A wildcard pattern.

    `*` matches within a path segment, `**` anything, `**/` any number of segments, `{a,b}` one of the words. Without any
    of these it matches a part of the text, or with `whole` all of it. A pattern that begins with a slash is compared
    with an address from its path on.
    """

    def __init__(self, pattern: str, *, whole: bool = False) -> None:
        self._pattern = pattern
        self._pieces = [piece for piece in re.split(_PIECES, pattern) if piece]
        self._is_part = not whole and not any(_is_wild(piece) for piece in self._pieces)

    def __str__(self) -> str:
        return self._pattern

    @property
    def wider(self) -> str:
        """A pattern with only `*` wildcards, for Chromium. It matches everything that this one does, and more."""
        begin = "*" if self._is_part or self._pattern.startswith("/") else ""
        return (
            begin
            + "".join("*" if _is_wild(piece) else _escape_wildcards(piece) for piece in self._pieces)
            + "*"
        )

    def matches(self, text: str) -> bool:
        """Return whether the pattern matches the text."""
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
    return piece in _WILD or piece.startswith("{")


def _escape_wildcards(piece: str) -> str:
    return re.sub(r"([*?\\])", r"\\\1", piece)


def _match_piece(piece: str, text: str, reached: set[int]) -> set[int]:
    """Return all positions after a piece of the pattern, starting at any of the `reached` positions."""
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
    """Return all positions between a reached one and the end of its segment."""
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
