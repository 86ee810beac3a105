"""Facts of a page's design, as `browser/reading/scripts/design.js` counts them in each document.

A page decides on every text here (names of fonts and of custom properties), and agents read the result. So a text
must have the form of what it stands for, or it is left out: no sentence gets through.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_FAMILIES = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|([^",]+))\s*(?:,|\Z)""")
_FAMILY = re.compile(r"(?=.{1,40}\Z)(?=.*[A-Za-z])[A-Za-z0-9_.+-]+(?: [A-Za-z0-9_.+-]+){0,3}\Z")
_PROPERTY = re.compile(r"--[A-Za-z0-9_-]{1,40}\Z")
_LENGTH = r"[0-9]{1,9}(?:\.[0-9]{1,9})?(?:px|%)?"
_LENGTHS = re.compile(rf"{_LENGTH}(?:[ /]{{1,3}}{_LENGTH}){{0,7}}\Z")
_SHADOWS = re.compile(r"[a-z0-9(),.% /-]{1,1000}\Z")
_GRADIENTS = re.compile(r"[a-z0-9(),.% /-]{1,1000}\Z")
_LINES = re.compile(r"([0-9.]+px [a-z]+) ([0-9.,]+)\Z")


class Colour(NamedTuple):
    """A colour: red, green and blue from 0 to 255, and the opacity from 0 to 1."""

    red: int
    green: int
    blue: int
    opacity: float = 1.0

    @property
    def hex(self) -> str:
        """Return the colour in CSS notation: `#1a2b3c`, with two more digits unless it is opaque."""
        plain = f"#{self.red:02x}{self.green:02x}{self.blue:02x}"
        return plain if self.opacity >= 1 else f"{plain}{round(self.opacity * 255):02x}"

    def contrast(self, other: "Colour") -> float:
        """Return the contrast ratio of WCAG 2 (1 to 21) of this colour on an opaque one."""
        parts = [
            round(part * self.opacity + under * (1 - self.opacity))
            for part, under in zip(self[:3], other[:3], strict=True)
        ]
        light, dark = sorted((_luminance(*parts), _luminance(*other[:3])), reverse=True)
        return (light + 0.05) / (dark + 0.05)


def _luminance(*parts: float) -> float:
    """Return the relative luminance of WCAG 2 (0 to 1). `parts`: red, green and blue from 0 to 255."""
    shares = (part / 255 for part in parts)
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class TextStyle(NamedTuple):
    """A text style: font families by preference, size in pixels, weight, and lengths as CSS computes them."""

    families: tuple[str, ...]
    size: float
    weight: int
    line_height: str
    letter_spacing: str


class ColourPair(NamedTuple):
    """A text colour on a background colour, with the size (px) and weight of the text."""

    ink: Colour
    ground: Colour
    size: float
    weight: int

    @property
    def ratio(self) -> float:
        """Return the contrast ratio of text and background, from 1 to 21."""
        return self.ink.contrast(self.ground)

    @property
    def is_weak(self) -> bool:
        """Return whether the contrast ratio is too low for WCAG 2 AA.

        That is below 3 for large text (24 px, 18.66 px bold), below 4.5 for other text.
        """
        is_large = self.size >= 24 or (self.size >= 18.66 and self.weight >= 700)
        return self.ratio < (3 if is_large else 4.5)


class ComponentLook(NamedTuple):
    """The look of a component; "" or None for properties that it lacks."""

    background: Colour | None
    color: Colour | None
    border: str
    radius: str
    padding: str
    font: str
    shadow: str
    height: int


class DesignFacts:
    """Counts of all documents of a page.

    Colours are weighed by area or characters, text styles by characters.
    """

    def __init__(self) -> None:
        self.colors: Counter[tuple[str, Colour]] = Counter()
        self.uses: Counter[tuple[str, Colour]] = Counter()
        self.pairs: Counter[ColourPair] = Counter()
        self.type: Counter[tuple[str, TextStyle]] = Counter()
        self.spacing: Counter[tuple[str, float]] = Counter()
        self.radii: Counter[str] = Counter()
        self.lines: Counter[float] = Counter()
        self.shadows: Counter[str] = Counter()
        self.gradients: Counter[str] = Counter()
        self.components: Counter[tuple[str, ComponentLook]] = Counter()
        self.names: dict[Colour, str] = {}
        self.documents = 0
        self.read = 0
        self.is_cut = False

    def add(self, answer: Mapping[str, Any]) -> None:
        """Add what the script design.js returned for one document (`answer`) to the counts."""
        self.documents += 1
        self.read += answer["read"]
        self.is_cut = self.is_cut or answer["cut"]
        for role, words, count, amount in answer["colors"]:
            if colour := parse_colour(words):
                self.colors[role, colour] += amount
                self.uses[role, colour] += count
        for ink, ground, size, weight, _, amount in answer["pairs"]:
            colours = parse_colour(ink), parse_colour(ground)
            if colours[0] and colours[1]:
                self.pairs[ColourPair(colours[0], colours[1], size, weight)] += amount
        for level, families, size, weight, height, spacing, _, amount in answer["type"]:
            kind = TextStyle(
                parse_families(families), size, weight, _keep_length(height), _keep_length(spacing)
            )
            self.type[level, kind] += amount
        for of, pixels, count, _ in answer["spacing"]:
            self.spacing[of, pixels] += count
        for pixels, count, _ in answer["lines"]:
            self.lines[pixels] += count
        _add_counts(self.radii, answer["radii"], _LENGTHS)
        _add_counts(self.shadows, answer["shadows"], _SHADOWS)
        _add_counts(self.gradients, answer["gradients"], _GRADIENTS)
        for kind, look, count, _ in answer["components"]:
            self.components[kind, _parse_look(look)] += count
        for name, words in answer["names"]:
            if _PROPERTY.match(name) and (colour := parse_colour(words)):
                self.names.setdefault(colour, name)


def parse_colour(words: str) -> Colour | None:
    """Parse design.js's form of a colour, `26,43,60,1` (red, green, blue, opacity); None for other texts."""
    parts = words.split(",")
    try:
        red, green, blue = (int(part) for part in parts[:3])
        opacity = float(parts[3])
    except (ValueError, IndexError):
        return None
    return Colour(red, green, blue, opacity) if max(red, green, blue) <= 255 and 0 <= opacity <= 1 else None


def parse_families(words: str) -> tuple[str, ...]:
    """Return the families of a CSS `font-family`, without those that do not look like a name."""
    names = (quoted or plain for quoted, plain in _FAMILIES.findall(words))
    return tuple(name for name in map(str.strip, names) if _FAMILY.match(name))[:8]


def _keep_length(words: str) -> str:
    """Return the value of `line-height` or `letter-spacing` if it is a CSS length; else "normal"."""
    return words if _LENGTHS.match(words.removeprefix("-")) else "normal"


def _add_counts(into: Counter[str], answer: Iterable[tuple[str, int, float]], pattern: re.Pattern[str]) -> None:
    """Add counts to `into` for those CSS values in an answer of design.js that match `pattern`.

    `answer`: (value, count, weight).
    """
    for words, count, _ in answer:
        if pattern.match(words):
            into[words] += count


def _parse_look(answer: Mapping[str, Any]) -> ComponentLook:
    """Parse a component's style in an answer of design.js; properties of another form become "" or None."""
    lines = _LINES.match(answer["border"])
    line_colour = parse_colour(lines[2]) if lines else None
    return ComponentLook(
        parse_colour(answer["background"]),
        parse_colour(answer["color"]),
        f"{lines[1]} {line_colour.hex}" if lines and line_colour else "",
        _keep_if_matching(answer["radius"], _LENGTHS),
        _keep_if_matching(answer["padding"], _LENGTHS),
        _keep_if_matching(answer["font"], _LENGTHS),
        _keep_if_matching(answer["shadow"], _SHADOWS),
        answer["height"],
    )


def _keep_if_matching(value: str, pattern: re.Pattern[str]) -> str:
    """Return a CSS value if it matches `pattern` and is not zero; else ""."""
    return value if pattern.match(value) and value not in ("0px", "0") else ""
