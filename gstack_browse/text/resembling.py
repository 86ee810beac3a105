"""Which lines of a text are most like what was expected. Pure."""

import difflib
from collections.abc import Iterable

LIKE = 0.5
"""How like a line must be to what was expected; 1 is the same."""
MOST_COMPARED = 400
_LONGEST = 100


def most_like(wanted: str, lines: Iterable[str], most: int = 1) -> list[str]:
    """The lines most like what was wanted, the likeliest first; none where nothing is like it."""
    words = wanted.casefold()[:_LONGEST]
    matcher = difflib.SequenceMatcher(b=words, autojunk=False)
    scored: dict[str, float] = {}
    for line, _ in zip(lines, range(MOST_COMPARED), strict=False):
        scored[line] = _likeness(matcher, words, line.casefold()[:_LONGEST])
    ranked = sorted((line for line in scored if scored[line] >= LIKE), key=lambda line: -scored[line])
    return ranked[:most]


def _likeness(matcher: difflib.SequenceMatcher[str], words: str, line: str) -> float:
    if words and line and (words in line or (len(line) > 2 and line in words)):
        return 0.95
    matcher.set_seq1(line)
    if matcher.real_quick_ratio() < LIKE or matcher.quick_ratio() < LIKE:
        return 0.0
    return matcher.ratio()
