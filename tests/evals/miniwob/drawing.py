"""Tasks on drawings: which shape is meant, where a point has to be."""

import math
import re

from tests.evals.miniwob.general import box, field, look_and_submit, submit
from tests.evals.miniwob.looking import exactly
from tests.evals.miniwob.sentences import quoted
from tests.evals.miniwob.shapes import SVG, Shape, drawn, fits
from tests.evals.miniwob.solvers import found, solves
from tests.evals.tools.browser import Browser, LostError


@solves("click-shape")
def click_shape(page: Browser, asked: str) -> None:
    words = asked.partition("Click on a ")[2].split()
    page.run("click", next(shape for shape in drawn(page) if fits(shape, words)).target)


@solves("count-shape")
def count_shapes(page: Browser, asked: str) -> None:
    words = asked.partition("How many ")[2].partition(" are there")[0].split()
    *adjectives, noun = words
    # `s` is a letter; `letters` are several.
    wanted = [*adjectives, noun if len(noun) == 1 else noun.removesuffix("s")]
    count = sum(fits(shape, wanted) for shape in drawn(page))
    page.look()
    page.click_button(str(count))


@solves("identify-shape")
def identify(page: Browser, asked: str) -> None:
    kind = drawn(page)[0].kind
    page.look()
    page.click(page.find("button", {"digit": "Number"}.get(kind, kind.capitalize())))


@solves("visual-addition")
def count_blocks(page: Browser, asked: str) -> None:
    total = page.run("count", ".addition-block")
    page.look()
    page.fill(field(page), re.findall(r"\d+", total)[0])
    submit(page)


@solves("ascending-numbers")
def ascending(page: Browser, asked: str) -> None:
    """After the first click the numbers are covered: their places have to be remembered."""
    page.look()
    numbers = [line for line in page.all("generic") if line.name.isdigit()]
    middles = []
    for line in sorted(numbers, key=lambda line: int(line.name)):
        left, top, width, height = box(page, line.ref)
        middles.append(f"{left + width / 2:.0f},{top + height / 2:.0f}")
    for middle in middles:
        page.run("mouse", "click", middle)


@solves("grid-coordinate")
def coordinate(page: Browser, asked: str) -> None:
    """The axes say where the middle is; the next points on them, how far a step is."""
    wanted = found(r"\((-?\d),\s*(-?\d)\)", asked)
    everything = drawn(page)
    lines = [shape for shape in everything if shape.tag == "line"]
    zero_y = next(line.number_of("y1") for line in lines if line.number_of("y1") == line.number_of("y2"))
    zero_x = next(line.number_of("x1") for line in lines if line.number_of("x1") == line.number_of("x2"))
    points = [shape for shape in everything if shape.tag == "circle"]
    step = min(abs(point.x - zero_x) for point in points if point.x != zero_x)
    x, y = zero_x + int(wanted[1]) * step, zero_y - int(wanted[2]) * step
    nearest = min(points, key=lambda point: math.hypot(point.x - x, point.y - y))
    page.run("click", nearest.target)


def put_point(page: Browser, x: float, y: float) -> None:
    """Click a place of the drawing, and send."""
    page.run("click", SVG, "--at", f"{x:.1f},{y:.1f}")
    look_and_submit(page)


@solves("circle-center")
def center(page: Browser, asked: str) -> None:
    circle = drawn(page)[0]
    put_point(page, circle.x, circle.y)


@solves("find-midpoint")
def midpoint(page: Browser, asked: str) -> None:
    one, other = drawn(page)[:2]
    put_point(page, (one.x + other.x) / 2, (one.y + other.y) / 2)


@solves("right-angle")
def right_angle(page: Browser, asked: str) -> None:
    """The corner is the blue point."""
    points = {shape.colour: shape for shape in drawn(page) if shape.tag == "circle"}
    corner, end = points["blue"], points["black"]
    away = math.atan2(end.y - corner.y, end.x - corner.x)
    put_point(page, *_inside(corner, [away + math.pi / 2, away - math.pi / 2]))


@solves("bisect-angle")
def bisect(page: Browser, asked: str) -> None:
    circles = [shape for shape in drawn(page) if shape.tag == "circle"]
    corner = next(shape for shape in circles if shape.colour == "blue")
    one, other = (
        math.atan2(shape.y - corner.y, shape.x - corner.x) for shape in circles if shape.colour == "black"
    )
    turn = (other - one + math.pi) % (2 * math.pi) - math.pi
    put_point(page, *_inside(corner, [one + turn / 2]))


ROOM = (150, 120)
"""Of the drawings in which a point is to be put, as far as no button lies over them."""


def _inside(corner: Shape, ways: list[float]) -> tuple[float, float]:
    """The farthest point of the drawing in one of these directions from a corner."""
    best = max(
        (
            (length, corner.x + length * math.cos(way), corner.y + length * math.sin(way))
            for way in ways
            for length in range(8, 80, 2)
            if 3 < corner.x + length * math.cos(way) < ROOM[0] - 3
            and 3 < corner.y + length * math.sin(way) < ROOM[1] - 3
        ),
        default=None,
    )
    if best is None:
        raise LostError("the drawing has no room in that direction")
    return best[1:]


@solves("draw-line")
def draw_line(page: Browser, asked: str) -> None:
    dot = drawn(page)[0]
    if "vertical" in asked:
        begin, by = (dot.x, dot.y - 25), "0,50"
    else:
        begin, by = (dot.x - 25, dot.y), "50,0"
    page.run("drag", SVG, by, "--at", f"{begin[0]:.0f},{begin[1]:.0f}", "--steps", "10")
    look_and_submit(page)


@solves("draw-circle")
def draw_circle(page: Browser, asked: str) -> None:
    dot = drawn(page)[0]
    points = [
        f"{dot.x + 22 * math.cos(turn * math.pi / 12):.1f},{dot.y + 22 * math.sin(turn * math.pi / 12):.1f}"
        for turn in range(25)
    ]
    via = [word for point in points[1:-1] for word in ("--via", point)]
    page.run("drag", SVG, "0,0", "--at", points[0], *via, "--steps", "2")
    look_and_submit(page)


@solves("click-color")
def click_colour(page: Browser, asked: str) -> None:
    """A box in the sentence shows what no word says."""
    named = re.search(r"the (\w+) colored", asked)
    boxes = int(re.findall(r"\d+", page.run("count", "#area .color"))[0])
    wanted = named[1] if named else page.run("css", "#query-color", "background-color").strip()
    for number in range(1, boxes + 1):
        target = f"#area > .color:nth-child({number})"
        if wanted in (page.run("css", target, "background-color").strip(), _named(page, target)):
            page.run("click", target)
            return
    raise LostError(f"no box is {wanted}")


def _named(page: Browser, target: str) -> str:
    """The colour's name, where the box's style says one."""
    style = re.search(r"background-color: (\w+)", page.run("attrs", target))
    return style[1] if style else ""


@solves("click-shades")
def click_shades(page: Browser, asked: str) -> None:
    wanted = asked.partition("shades of ")[2].split()[0]
    markup = page.run("html", "#area")
    shades = re.findall(r"background-color: rgb\((\d+), (\d+), (\d+)\)", markup)
    for number, shade in enumerate(shades, 1):
        red, green, blue = (int(part) for part in shade)
        if max({"red": red, "green": green, "blue": blue}.items(), key=lambda each: each[1])[0] == wanted:
            page.run("click", f"#area span >> nth={number - 1}")
    look_and_submit(page)


@solves("click-pie", "click-pie-nodelay")
def pie(page: Browser, asked: str) -> None:
    page.look()
    page.click(page.find("generic", "+"))
    page.expect(quoted(asked)[0])
    page.look()
    page.click(exactly(page, quoted(asked)[0], "generic")[0])
