"""Patterns with wildcards for addresses and names of files. Pure.

No pattern takes long on any text: regular expressions made of such patterns would, on an address that a page has chosen for it.
"""

import re
from itertools import pairwise

MOST = 4_000
"""Characters of a text that are looked at: addresses with data in them have millions."""
_PIECES = r"(\*\*/?|\*|\{[^{}]*\})"
_PATH = r"[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*"
_WILD = ("**/", "**", "*")


class Glob:
    """`*` is anything within a path's segment, `**` anything, `**/` any number of segments, `{a,b}` one of the words.

    Without any of these it is a part of the text, or with `whole` all of it. One that begins with a slash is about an
    address from its path on.
    """

    def __init__(self, pattern: str, *, whole: bool = False) -> None:
        self._pattern = pattern
        self._pieces = [piece for piece in re.split(_PIECES, pattern) if piece]
        self._is_part = not whole and not any(_is_wild(piece) for piece in self._pieces)

    def __str__(self) -> str:
        return self._pattern

    @property
    def wider(self) -> str:
        """A pattern for programs that know only `*` for anything and a backslash before what is meant as it is.

        All texts that this one is of that one is of, too, and maybe others.
        """
        begin = "*" if self._is_part or self._pattern.startswith("/") else ""
        return begin + "".join("*" if _is_wild(piece) else _escaped(piece) for piece in self._pieces) + "*"

    def matches(self, text: str) -> bool:
        """Whether the pattern is of that text."""
        text = text[:MOST]
        if self._is_part:
            return self._pattern in text
        if self._pattern.startswith("/") and (origin := re.match(_PATH, text)):
            text = text[origin.end() :]
        reached = {0}
        for piece in self._pieces:
            reached = _after(piece, text, reached)
            if not reached:
                return False
        return len(text) in reached


def _is_wild(piece: str) -> bool:
    return piece in _WILD or piece.startswith("{")


def _escaped(piece: str) -> str:
    return re.sub(r"([*?\\])", r"\\\1", piece)


def _after(piece: str, text: str, reached: set[int]) -> set[int]:
    """Where in the text one may be behind a piece of the pattern that begins at one of the reached places."""
    if piece == "**":
        return set(range(min(reached), len(text) + 1))
    if piece == "**/":
        first = min(reached)
        return reached | {place + 1 for place in range(first, len(text)) if text[place] == "/"}
    if piece == "*":
        return _within_segments(text, reached)
    words = piece[1:-1].split(",") if _is_wild(piece) else [piece]
    return {place + len(word) for place in reached for word in words if text.startswith(word, place)}


def _within_segments(text: str, reached: set[int]) -> set[int]:
    """All places between a reached one and the end of its segment."""
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
