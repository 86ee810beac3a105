"""Numbers as they are typed: counts, sizes, rectangles, rows, shares. Pure."""

import re
from collections.abc import Callable
from typing import NamedTuple

from gstack_browse.errors import UsageError
from gstack_browse.registry.paths import CallerPaths


class Size(NamedTuple):
    """Width and height in CSS pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


class Clip(NamedTuple):
    """A rectangle of the page in CSS pixels from its top left corner."""

    x: float
    y: float
    width: float
    height: float


def whole_number(word: str, *, least: int = 0, most: int, unit: str) -> int:
    """A number as typed. Raises UsageError for anything else."""
    if not re.fullmatch(r"[0-9]{1,12}", word):
        raise UsageError(f'"{word}" is not a whole number of {unit}')
    number = int(word)
    if not least <= number <= most:
        raise UsageError(f"{word} {unit} is out of range", f"Give {least} to {most}")
    return number


def count_of(unit: str, least: int, most: int) -> Callable[[str, CallerPaths], int]:
    """A parser of whole numbers from `least` to `most`."""

    def parse(word: str, paths: CallerPaths) -> int:
        return whole_number(word, least=least, most=most, unit=unit)

    return parse


DIRECTIONS = ("up", "down", "left", "right", "top", "bottom")
"""Where a pane can be scrolled; the last two are its ends."""


def direction_or_pixels(word: str, paths: CallerPaths) -> str | int:
    """Up, down, left or right, an end; or a number of CSS pixels."""
    if word in DIRECTIONS:
        return word
    if re.fullmatch(r"[0-9]+", word):
        return whole_number(word, least=1, most=10_000_000, unit="pixels")
    raise UsageError(
        f'"{word[:60]}" is neither a direction nor a number of pixels', f"One of {', '.join(DIRECTIONS)}"
    )


_ROWS = r"([0-9]{1,9})(?:-([0-9]{1,9}))?\Z"


def rows(word: str, paths: CallerPaths) -> range:
    """Rows counted from 1, the last one included: "20-40", or one of them, "20"."""
    match = re.match(_ROWS, word)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise UsageError(f'"{word}" is not a range of rows', "Write the first and the last, for example 20-40")
    return range(first, last + 1)


_SIZE = r"([0-9]{1,5})[xX×]([0-9]{1,5})\Z"


def size(word: str, paths: CallerPaths) -> Size:
    """The size of a viewport: "375x812"."""
    match = re.match(_SIZE, word)
    if not match:
        raise UsageError(f'"{word}" is not a size', "Write width x height in pixels, for example 1280x720")
    found = Size(int(match[1]), int(match[2]))
    if not (1 <= found.width <= 10_000 and 1 <= found.height <= 10_000):
        raise UsageError(f"A viewport of {found} is not possible", "Width and height may be 1 to 10000")
    return found


def clip(word: str, paths: CallerPaths) -> Clip:
    """A rectangle of the page: "0,0,400,300" is x, y, width and height."""
    try:
        found = Clip(*[float(part) for part in word.split(",")])
    except (ValueError, TypeError):
        raise UsageError(
            f'"{word}" is not a rectangle', "Write x,y,width,height in pixels, for example 0,0,400,300"
        ) from None
    is_on_page = found.x >= 0 and found.y >= 0 and found.width > 0 and found.height > 0
    if not (is_on_page and all(number < 100_000 for number in found)):
        raise UsageError(
            f'"{word}" is not a rectangle of the page', "Width and height must be above 0, x and y not below"
        )
    return found


def share(word: str, paths: CallerPaths) -> float:
    """A number from 0 to 1."""
    if not re.fullmatch(r"0|1|0?\.[0-9]{1,6}|1\.0{1,6}", word):
        raise UsageError(f'"{word[:60]}" is not a number from 0 to 1', "For example 0.01")
    return float(word)


def scale(word: str, paths: CallerPaths) -> float:
    """Device pixels per CSS pixel."""
    try:
        found = float(word)
    except ValueError:
        found = 0.0
    if not 0.1 <= found <= 5:
        raise UsageError(f'"{word}" is not a device scale factor', "Give 0.1 to 5, for example 2")
    return found
