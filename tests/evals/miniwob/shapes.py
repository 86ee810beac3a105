"""Read the shapes of an SVG from its markup: forms, places, colours, characters. Pure but for `drawn`."""

import re
from dataclasses import dataclass

from tests.evals.tools.browser import Browser

SVG = "#area svg"
LARGE = 16
"""Shapes of 20 pixels are large, those of 10 small."""


@dataclass(frozen=True)
class Shape:
    """Something drawn."""

    number: int
    """Its place in the drawing, from 1."""
    tag: str
    colour: str
    x: float
    y: float
    """Of its middle."""
    size: float
    text: str
    raw: str

    @property
    def kind(self) -> str:
        if self.tag == "text":
            return "digit" if self.text.isdigit() else "letter"
        return {"rect": "rectangle", "polygon": "triangle"}.get(self.tag, self.tag)

    @property
    def target(self) -> str:
        return f"{SVG} > :nth-child({self.number})"

    def number_of(self, name: str) -> float:
        return _number(self.raw, name)


def drawn(page: Browser, selector: str = SVG) -> list[Shape]:
    """Return the shapes of the drawing."""
    return shapes(page.run("html", selector))


def shapes(markup: str) -> list[Shape]:
    tags = re.findall(r"<(\w+)([^>]*)>([^<]*)</\1>", markup)
    return [_shape(number, *tag) for number, tag in enumerate(tags, 1)]


def _shape(number: int, tag: str, raw: str, text: str) -> Shape:
    colour = re.search(r'fill="([^"]*)"', raw)
    x, y, size = _place(tag, raw)
    return Shape(number, tag, colour[1] if colour else "", x, y, size, text.strip(), raw)


def _place(tag: str, raw: str) -> tuple[float, float, float]:
    if tag == "circle":
        return _number(raw, "cx"), _number(raw, "cy"), 2 * _number(raw, "r")
    if tag == "rect":
        width, height = _number(raw, "width"), _number(raw, "height")
        return _number(raw, "x") + width / 2, _number(raw, "y") + height / 2, height
    if tag == "polygon":
        points = [
            float(part) for part in re.findall(r"-?[\d.]+", (re.search(r'points="([^"]*)"', raw) or [""])[0])
        ]
        xs, ys = points[::2], points[1::2]
        return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2, max(ys) - min(ys)
    return _number(raw, "x"), _number(raw, "y"), _number(raw, "font-size")


def _number(raw: str, name: str) -> float:
    found = re.search(rf'(?<![\w-]){name}="(-?[\d.]+)', raw)
    return float(found[1]) if found else 0.0


def fits(shape: Shape, words: list[str]) -> bool:
    """Whether a description means this: size, colour, kind or the character itself; `item` is any."""
    *adjectives, noun = words
    said = {"large": shape.size >= LARGE, "small": shape.size < LARGE}
    return all(said.get(word, shape.colour == word) for word in adjectives) and (
        noun in ("item", "shape" if shape.tag != "text" else "item", shape.kind) or noun == shape.text
    )
