"""Find the lines of a text that resemble an expected one. Pure."""

import difflib
from collections.abc import Iterable

LEAST_SIMILARITY = 0.5
"""How similar a line must be; 1 is equal."""
MOST_COMPARED = 400
_LONGEST = 100


def find_most_similar(wanted: str, lines: Iterable[str]) -> str:
    """Return the line most similar to a text; "" if none is similar."""
    words = wanted.casefold()[:_LONGEST]
    matcher = difflib.SequenceMatcher(b=words, autojunk=False)
    scored: dict[str, float] = {}
    for line, _ in zip(lines, range(MOST_COMPARED), strict=False):
        scored[line] = _similarity(matcher, words, line.casefold()[:_LONGEST])
    best = max(scored, key=lambda line: scored[line], default="")
    return best if scored.get(best, 0) >= LEAST_SIMILARITY else ""


def _similarity(matcher: difflib.SequenceMatcher[str], words: str, line: str) -> float:
    """Return the similarity of two texts, 0 to 1; nearly 1 if one contains the other."""
    if words and line and (words in line or (len(line) > 2 and line in words)):
        return 0.95
    matcher.set_seq1(line)
    if matcher.real_quick_ratio() < LEAST_SIMILARITY or matcher.quick_ratio() < LEAST_SIMILARITY:
        return 0.0
    return matcher.ratio()
