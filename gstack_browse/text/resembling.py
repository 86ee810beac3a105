"""Find the lines of a text that resemble an expected one. Pure."""

import difflib
from collections.abc import Iterable

LEAST_SIMILARITY = 0.5
"""How similar a line must be; 1 is equal."""
MOST_COMPARED = 400
_LONGEST = 100


def find_similar(wanted: str, lines: Iterable[str], most: int = 1) -> list[str]:
    """Return up to `most` similar lines, the most similar first."""
    words = wanted.casefold()[:_LONGEST]
    matcher = difflib.SequenceMatcher(b=words, autojunk=False)
    scored: dict[str, float] = {}
    for line, _ in zip(lines, range(MOST_COMPARED), strict=False):
        scored[line] = _similarity(matcher, words, line.casefold()[:_LONGEST])
    ranked = sorted(
        (line for line in scored if scored[line] >= LEAST_SIMILARITY), key=lambda line: -scored[line]
    )
    return ranked[:most]


def _similarity(matcher: difflib.SequenceMatcher[str], words: str, line: str) -> float:
    """Return the similarity of two texts, 0 to 1; a text that contains the other is nearly equal."""
    if words and line and (words in line or (len(line) > 2 and line in words)):
        return 0.95
    matcher.set_seq1(line)
    if matcher.real_quick_ratio() < LEAST_SIMILARITY or matcher.quick_ratio() < LEAST_SIMILARITY:
        return 0.0
    return matcher.ratio()
