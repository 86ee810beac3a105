"""Tasks that are done by dragging."""

import re

from tests.evals.miniwob.general import box, look_and_submit, submit
from tests.evals.miniwob.shapes import SVG, Shape, drawn, fits
from tests.evals.miniwob.solvers import solves
from tests.evals.tools.browser import Browser, LostError

WAYS = {"up": "0,-40", "down": "0,40", "left": "-40,0", "right": "40,0"}
PLACES = (
    "top left", "top center", "top right", "center left", "center", "center right", "bottom left",
    "bottom center", "bottom right",
)  # fmt: skip
"""Of a grid, in the order of its items."""
STEPS = {"up": -3, "down": 3, "left": -1, "right": 1}


@solves("drag-box")
def into_the_larger(page: Browser, asked: str) -> None:
    page.run("drag", "text=s", "#draggableLarge", "--to-at", "50%,50%")
    look_and_submit(page)


@solves("drag-circle", "drag-single-shape")
def somewhere(page: Browser, asked: str) -> None:
    way = next(way for way in WAYS if f" {way} " in asked)
    page.run("drag", f"{SVG} > :nth-child(1)", WAYS[way])
    look_and_submit(page)


@solves("drag-shapes")
def into_a_box(page: Browser, asked: str) -> None:
    kind = asked.partition("Drag all ")[2].split()[0].removesuffix("s")
    shapes = drawn(page)
    (frame,) = (shape for shape in shapes if shape.colour == "none")
    drag_into([shape for shape in shapes if shape is not frame and shape.kind == kind], frame, page)
    look_and_submit(page)


@solves("drag-shapes-2")
def into_two_boxes(page: Browser, asked: str) -> None:
    noun = asked.partition("Drag all ")[2].partition(" into")[0]
    words = [*noun.split()[:-1], noun.split()[-1].removesuffix("s")]
    shapes = drawn(page)
    left, right = sorted((shape for shape in shapes if shape.colour == "none"), key=lambda shape: shape.x)
    things = [shape for shape in shapes if shape not in (left, right)]
    drag_into([shape for shape in things if fits(shape, words)], left, page)
    drag_into([shape for shape in things if not fits(shape, words)], right, page)
    look_and_submit(page)


def drag_into(things: list[Shape], frame: Shape, page: Browser) -> None:
    """Drag shapes into a frame, side by side."""
    for number, thing in enumerate(things):
        x, y = frame.x + (number % 3 - 1) * 18, frame.y + (number // 3 - 0.5) * 18
        page.run("drag", SVG, f"{x - thing.x:.0f},{y - thing.y:.0f}", "--at", f"{thing.x:.0f},{thing.y:.0f}")


@solves("drag-items")
def to_a_place(page: Browser, asked: str) -> None:
    names = items(page)
    name = asked.split()[1]
    place = re.search(r"(\d)\w\w position", asked)
    index = names.index(name)
    if place:
        wanted = int(place[1]) - 1
    elif "by one" in asked:
        wanted = index + (1 if "down" in asked else -1)
    else:
        wanted = 0 if "top" in asked else len(names) - 1
    move(page, index, wanted)


@solves("drag-items-grid")
def on_a_grid(page: Browser, asked: str) -> None:
    names = items(page)
    index = names.index(asked.split()[1])
    if step := re.search(r"(up|down|left|right) by one", asked):
        wanted = index + STEPS[step[1]]
    else:
        wanted = PLACES.index(asked.partition("to the ")[2].rstrip("."))
    item, place = (f"#sortable > li >> nth={number}" for number in (index, wanted))
    (left, top, width, height), (to_left, to_top, *_) = box(page, item), box(page, place)
    # First up or down, then across: on a slant the others give way to it as it passes.
    corner = (
        (width / 2, to_top - top + height / 2) if wanted < index else (to_left - left + width / 2, height / 2)
    )
    page.run("drag", item, place, "--via", f"{corner[0]:.0f},{corner[1]:.0f}", "--steps", "10")


@solves("drag-sort-numbers")
def in_order(page: Browser, asked: str) -> None:
    names = items(page)
    for place in range(len(names) - 1):
        smallest = min(range(place, len(names)), key=lambda index: int(names[index]))
        if smallest != place:
            move(page, smallest, place)
            names = items(page)
    look_and_submit(page)


def items(page: Browser) -> list[str]:
    return page.text("#sortable").split()


def move(page: Browser, index: int, wanted: int) -> None:
    """Drag an item of a list to the place of another."""
    edge = "50%,75%" if wanted > index else "50%,25%"
    page.run("drag", f"#sortable > li >> nth={index}", f"#sortable > li >> nth={wanted}", "--to-at", edge)


@solves("drag-cube")
def turn(page: Browser, asked: str) -> None:
    """Turn it a little and look which side is in front, until it is the one."""
    wanted = re.findall(r"\d", asked)[0]
    for by in ("0,0", *["60,0"] * 6, "0,60", "0,60", *["60,0"] * 6, "0,60", *["60,0"] * 6):
        if by != "0,0":
            page.run("drag", "#wrapper", by, "--at", "50%,50%")
        if re.search(rf'active"[^>]*>{wanted}<', page.run("html", "#area")):
            page.look()
            submit(page)
            return
    raise LostError(f"{wanted} did not come to the front")
