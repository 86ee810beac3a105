"""Points and distances as they are typed: "12,30", "50%,10%", "-40,0". Pure."""

import re
from typing import NamedTuple

from gstack_browse.errors import UsageError
from gstack_browse.registry.paths import CallerPaths

_NUMBER = r"[+-]?[0-9]{1,6}(?:\.[0-9]{1,3})?"
_PAIR = rf"({_NUMBER}),({_NUMBER})\Z"
_PAIR_IN = rf"({_NUMBER}%?),({_NUMBER}%?)\Z"


class Point(NamedTuple):
    """A point of the viewport, or a distance, in CSS pixels."""

    x: float
    y: float

    def __str__(self) -> str:
        return f"{self.x:g},{self.y:g}"


class PointIn(NamedTuple):
    """A point within an element, from its top left corner, in pixels ("12") or percent ("50%")."""

    across: str
    down: str

    def __str__(self) -> str:
        return f"{self.across},{self.down}"

    def across_in(self, width: float) -> float:
        """Return the pixels from the left side of an element with that width."""
        return _pixels(self.across, width)

    def down_in(self, height: float) -> float:
        """Return the pixels from the top of an element with that height."""
        return _pixels(self.down, height)


def _pixels(word: str, whole: float) -> float:
    return float(word[:-1]) * whole / 100 if word.endswith("%") else float(word)


def is_distance(word: str) -> bool:
    """Return whether a word is two numbers, which is never a selector."""
    return re.match(_PAIR, word.strip()) is not None


def distance(word: str, paths: CallerPaths) -> Point:
    """Parse a distance to the right and down."""
    match = re.match(_PAIR, word.strip())
    if not match:
        raise UsageError(f'"{word[:60]}" is not two numbers', "Write x,y in pixels, for example 120,-40")
    return Point(float(match[1]), float(match[2]))


def point_in(word: str, paths: CallerPaths) -> PointIn:
    """Parse a point within an element."""
    match = re.match(_PAIR_IN, word.strip())
    if not match:
        raise UsageError(
            f'"{word[:60]}" is not a point of an element',
            "Write x,y in pixels or percent, for example 10,4 or 50%,90%",
        )
    return PointIn(match[1], match[2])
