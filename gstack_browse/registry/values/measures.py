"""Sizes, durations, times, points and addresses as arguments."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from gstack_browse.errors import UsageError
from gstack_browse.registry.suggest import nearest
from gstack_browse.registry.values.argument_type import OpenWord
from gstack_browse.registry.values.paths import CallerPaths


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


def parse_whole_number(word: str, *, least: int = 0, most: int, unit: str) -> int:
    """Parse a whole number from `least` to `most`. Raises UsageError otherwise.

    `unit`: plural noun for what it counts, for the error; "" for a number that counts nothing.
    """
    limits = f"Give {least} to {most} {unit}".rstrip()
    if not re.fullmatch(r"[0-9]{1,12}", word):
        raise UsageError(f'"{word[:60]}" is not a whole number', limits)
    number = int(word)
    if not least <= number <= most:
        raise UsageError(f"{word} is out of range", limits)
    return number


def make_count_parser(unit: str, least: int, most: int) -> Callable[[str, CallerPaths], int]:
    """Return an argument's parser for whole numbers from `least` to `most`.

    `unit`: plural noun for what is counted, for errors; "" for none.
    """

    def parse(word: str, _paths: CallerPaths) -> int:
        return parse_whole_number(word, least=least, most=most, unit=unit)

    return parse


DIRECTIONS = ("up", "down", "left", "right", "top", "bottom")
"""Where a pane can be scrolled; the last two are its ends."""


def parse_direction_or_pixels(word: str, _paths: CallerPaths) -> str | int:
    """Parse a direction (up, down, left, right), an end (top, bottom), or a number of CSS pixels.

    Raises UsageError.
    """
    if word in DIRECTIONS:
        return word
    if re.fullmatch(r"[0-9]+", word):
        return parse_whole_number(word, least=1, most=10_000_000, unit="pixels")
    raise UsageError(
        f'"{word[:60]}" is neither a direction nor a number of pixels', f"One of {', '.join(DIRECTIONS)}"
    )


_ROWS = r"([0-9]{1,9})(?:-([0-9]{1,9}))?\Z"


def parse_row_range(word: str, _paths: CallerPaths) -> range:
    """Parse a range of rows, counted from 1: "20-40" includes row 40, "20" is one row. Raises UsageError.

    The returned range has the same numbers. "0-9" is taken as "1-9".
    """
    match = re.match(_ROWS, word)
    first, last = (max(int(match[1]), 1), int(match[2] or match[1])) if match else (1, 0)
    if first > last:
        raise UsageError(f'"{word}" is not a range of rows', "Write the first and the last, for example 20-40")
    return range(first, last + 1)


def parse_page_range(word: str, _paths: CallerPaths) -> range:
    """Parse a range of pages, counted from 1: "3-5" includes page 5, "3" is one page. Raises UsageError."""
    match = re.match(_ROWS, word)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise UsageError(
            f'"{word[:60]}" is not a range of pages', "Write the first and the last, for example 3-5"
        )
    return range(first, last + 1)


_SIZE = r"([0-9]{1,5})[xX×]([0-9]{1,5})\Z"


def parse_size(word: str, _paths: CallerPaths) -> Size:
    """Parse the size of a viewport in CSS pixels, such as "375x812". Raises UsageError."""
    match = re.match(_SIZE, word)
    if not match:
        raise UsageError(f'"{word}" is not a size', "Write width x height in pixels, for example 1280x720")
    found = Size(int(match[1]), int(match[2]))
    if not (1 <= found.width <= 10_000 and 1 <= found.height <= 10_000):
        raise UsageError(f"A viewport of {found} is not possible", "Width and height may be 1 to 10000")
    return found


def parse_clip(word: str, _paths: CallerPaths) -> Clip:
    """Parse a page rectangle in CSS pixels: "0,0,400,300" is x, y, width and height. Raises UsageError."""
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


def parse_fraction(word: str, _paths: CallerPaths) -> float:
    """Parse a number from 0 to 1. Raises UsageError."""
    if not re.fullmatch(r"0|1|0?\.[0-9]{1,6}|1\.0{1,6}", word):
        raise UsageError(f'"{word[:60]}" is not a number from 0 to 1', "For example 0.01")
    return float(word)


def parse_scale(word: str, _paths: CallerPaths) -> float:
    """Parse a device scale factor (device pixels per CSS pixel), 0.1 to 5. Raises UsageError."""
    try:
        found = float(word)
    except ValueError:
        found = 0.0
    if not 0.1 <= found <= 5:
        raise UsageError(f'"{word}" is not a device scale factor', "Give 0.1 to 5, for example 2")
    return found


_SPAN = r"([0-9]{1,6})([smhd])\Z"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def parse_time(word: str, now: float) -> float:
    """Parse "30d" (that long after `now`), an ISO date, or seconds since 1970. Return seconds since 1970.

    Raises UsageError. A date without a zone is in UTC, as cookies' dates are.
    """
    if re.fullmatch(r"[0-9]{1,11}", word):
        return float(word)
    if match := re.match(_SPAN, word):
        return now + int(match[1]) * _SECONDS[match[2]]
    try:
        found = datetime.fromisoformat(word)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(
            f'"{word[:60]}" is no time', "Write 30d, 12h, 2027-01-31, or seconds since 1970"
        ) from None


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

    def to_pixels(self, width: float, height: float) -> Point:
        """Return the point in pixels from the top left corner of an element of that size."""
        across, down = (
            float(word[:-1]) * whole / 100 if word.endswith("%") else float(word)
            for word, whole in ((self.across, width), (self.down, height))
        )
        return Point(across, down)


def is_distance(word: str) -> bool:
    """Return whether a word is two numbers such as "120,-40", so that it is a distance and not a selector."""
    return re.match(_PAIR, word.strip()) is not None


def parse_distance(word: str, _paths: CallerPaths) -> Point:
    """Parse a distance: "120,-40" is CSS pixels to the right and down. Raises UsageError."""
    match = re.match(_PAIR, word.strip())
    if not match:
        raise UsageError(f'"{word[:60]}" is not two numbers', "Write x,y in pixels, for example 120,-40")
    return Point(float(match[1]), float(match[2]))


def parse_point_in_element(word: str, _paths: CallerPaths) -> PointIn:
    """Parse a point within an element: "10,4" in CSS pixels, or "50%,90%". Raises UsageError."""
    match = re.match(_PAIR_IN, word.strip())
    if not match:
        raise UsageError(
            f'"{word[:60]}" is not a point of an element',
            "Write x,y in pixels or percent, for example 10,4 or 50%,90%",
        )
    return PointIn(match[1], match[2])


AUTO = "auto"
SCHEMES = ("ws", "wss", "http", "https")
PLAYWRIGHT = "playwright+"
"""Before the scheme of the address of a Playwright server."""
PLAYWRIGHT_SERVER = "a Playwright server, whose protocol gbrowse does not speak"
PLAYWRIGHT_REMEDY = (
    "Name a browser itself: http://<host>:9222, ws://<host>:<port>/devtools/browser/…, or a Selenium Grid"
)


def parse_browser_address(address: str, _: CallerPaths) -> str:
    """Check the address of a browser for `connect`: "auto", a port of this machine, or a URL. Return it.

    "auto" and ports are returned as OpenWord, which logs may show; a URL is hidden, as it may contain a token.
    Raises UsageError.
    """
    if address == AUTO:
        return OpenWord(address)
    if address.isascii() and address.isdigit():
        if not 0 < int(address) < 65536:
            raise UsageError(f"{address} is no port", "For example: connect 9222")
        return OpenWord(int(address))
    if is_browser_address(address):
        return address
    if address.startswith(PLAYWRIGHT):
        raise UsageError(f"That is {PLAYWRIGHT_SERVER}", PLAYWRIGHT_REMEDY)
    raise UsageError(
        "That is no address of a browser",
        "connect auto, connect 9222, or connect ws://127.0.0.1:9222/devtools/browser/…",
    )


def is_browser_address(url: str) -> bool:
    """Return whether a URL may lead to a browser: of the scheme ws or wss; http or https with a host."""
    try:
        parts = urlsplit(url)
        has_place = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return has_place and url.partition("://")[0].lower() in SCHEMES


KEYS = (
    "Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Space", "Home", "End", "PageUp", "PageDown",
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Shift", "Control", "Alt", "Meta", "ControlOrMeta",
    "CapsLock", "ContextMenu", "Pause", "PrintScreen", "ScrollLock", "NumLock",
    "ShiftLeft", "ShiftRight", "ControlLeft", "ControlRight", "AltLeft", "AltRight", "MetaLeft", "MetaRight",
    *(f"F{number}" for number in range(1, 25)), *(f"Digit{digit}" for digit in range(10)),
    *(f"Key{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), *(f"Numpad{digit}" for digit in range(10)),
    "NumpadAdd", "NumpadSubtract", "NumpadMultiply", "NumpadDivide", "NumpadDecimal", "NumpadEnter",
    "Backquote", "Minus", "Equal", "Backslash", "BracketLeft", "BracketRight", "Semicolon", "Quote", "Comma",
    "Period", "Slash", "AltGraph",
)  # fmt: skip
_SPELLINGS = {
    "return": "Enter", "esc": "Escape", "del": "Delete", "ins": "Insert", "ctrl": "Control", "cmd": "Meta",
    "command": "Meta", "option": "Alt", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
    "right": "ArrowRight", "pgup": "PageUp", "pgdn": "PageDown", "pagedn": "PageDown",
    **{key.lower(): key for key in KEYS},
}  # fmt: skip


def parse_key_or_chord(word: str, _paths: CallerPaths) -> str:
    """Parse a key or a chord such as Control+A; return it in Playwright's spelling."""
    if not word:
        raise UsageError("The key is empty")
    *held, last = _split_chord(word)
    modifiers = [_parse_modifier(part) for part in held]
    key = _parse_key(last)
    if "Shift" in modifiers:
        key = shift_character(key)
    return "+".join([*modifiers, key])


_SHIFTED = str.maketrans("`1234567890-=[]\\;',./", '~!@#$%^&*()_+{}|:"<>?')


def shift_character(key: str) -> str:
    """Return what the key of a character types with Shift on a US keyboard: "a" → "A", "1" → "!"."""
    if len(key) != 1:
        return key
    shifted = key.translate(_SHIFTED).upper()
    return shifted if len(shifted) == 1 else key  # "ß" has two capitals


def _split_chord(word: str) -> list[str]:
    """Split a chord such as Control+A into its keys. The last key may be the plus itself: Control++."""
    if word == "+":
        return ["+"]
    return [*word[:-2].split("+"), "+"] if word.endswith("++") else word.split("+")


_MODIFIERS = "Modifiers: Shift, Control, Alt, Meta"


def _parse_modifier(part: str) -> str:
    """Return Playwright's name of a modifier key: "ctrl" → "Control". Raises UsageError for another key."""
    name = _parse_key(part)
    if name not in ("Shift", "Control", "Alt", "Meta", "ControlOrMeta"):
        raise UsageError(f'"{part}" is not a modifier key', _MODIFIERS)
    return name


def _parse_key(part: str) -> str:
    """Return Playwright's name of a key: "esc" → "Escape". Raises UsageError for an unknown one."""
    if len(part) == 1:
        return part
    if not part:
        raise UsageError("The chord has no last key", "For example Control+A")
    if key := _SPELLINGS.get(part.lower()):
        return key
    near = nearest(part, KEYS)
    raise UsageError(
        f'Unknown key "{part}"',
        f"Did you mean {near}?" if near else "For example Enter, Tab, Escape, ArrowDown, Control+A",
    )


def parse_modifier_keys(word: str, _paths: CallerPaths) -> Sequence[str]:
    """Parse modifier keys such as Shift, joined by , or +. Return Playwright's names. Raises UsageError."""
    parts = [part for part in re.split(r"[\s,+]+", word) if part]
    if not parts:
        raise UsageError("The modifier key is empty", _MODIFIERS)
    return [_parse_modifier(part) for part in parts]
