"""Solve tasks whose question is in a picture.

A command takes it, and its pixels are read, as an agent looks at it.
"""

import cmath
import re
from collections.abc import Iterator

from PIL import Image

from tests.evals.miniwob.general import submit
from tests.evals.miniwob.solvers import solves
from tests.evals.tools.browser import Browser

PICTURE = "picture.png"
MOST_SIDES = 7
COLUMNS, ROWS = 4, 7
DARK, GREY, WHITE = 70, 128, 200
"""Brightness: a frame is darker than the first; a line, than the second; what is chosen is brighter than the last."""


@solves("count-sides")
def count_sides(page: Browser, asked: str) -> None:
    number = sides(take_picture(page, "#area canvas"))
    page.look()
    page.click_button(str(number))


@solves("number-checkboxes")
def draw_number(page: Browser, asked: str) -> None:
    """The picture of each number is there; that of the one that is asked for shows."""
    digit = re.findall(r"\d", asked)[0]
    wanted = list(chosen(take_picture(page, f"#o{digit} img")))
    page.look()
    boxes = page.all("checkbox")
    for place in wanted:
        page.check(boxes[place])
    submit(page)


def take_picture(page: Browser, target: str) -> Image.Image:
    """Take a picture of an element, in grey."""
    page.run("screenshot", target, PICTURE)
    with Image.open(page.shell.workspace / PICTURE) as picture:
        return picture.convert("L")


def sides(picture: Image.Image) -> int:
    """Count the sides of a regular polygon of dark lines.

    That many times round, the distance from its middle rises and falls.
    """
    dark = [complex(x, y) for x, y, light in _pixels(picture) if light < GREY]
    middle = sum(dark) / len(dark)
    around = [point - middle for point in dark if point != middle]

    def swing(number: int) -> float:
        return abs(sum(abs(point) * cmath.exp(1j * number * cmath.phase(point)) for point in around))

    return max(range(3, MOST_SIDES + 1), key=swing)


def chosen(picture: Image.Image) -> Iterator[int]:
    """Yield the boxes of a grid that are white, counted by rows.

    A dark frame is around the grid and between the boxes.
    """
    boxes = [(x, y) for x, y, light in _pixels(picture) if light > DARK]
    (left, right), (top, bottom) = ((min(axis), max(axis) + 1) for axis in zip(*boxes, strict=True))
    width, height = (right - left) / COLUMNS, (bottom - top) / ROWS
    for place in range(COLUMNS * ROWS):
        row, column = divmod(place, COLUMNS)
        middle = int(left + (column + 0.5) * width), int(top + (row + 0.5) * height)
        if picture.getpixel(middle) > WHITE:  # type: ignore[operator]
            yield place


def _pixels(picture: Image.Image) -> Iterator[tuple[int, int, int]]:
    """Place and brightness of each."""
    for index, light in enumerate(picture.tobytes()):
        y, x = divmod(index, picture.width)
        yield x, y, light
