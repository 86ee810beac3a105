"""Tasks that move, answer back or are watched: games, prices, a terminal."""

import math
import re
import time
from collections.abc import Iterator

from tests.evals.miniwob.general import box
from tests.evals.miniwob.shapes import SVG, drawn
from tests.evals.miniwob.solvers import found, solves
from tests.evals.tools.browser import Browser, LostError

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@solves("tic-tac-toe")
def win(page: Browser, asked: str) -> None:
    for _ in range(5):
        board = read_board(page.run("html", "#area"))
        if len(board) < 9 or " " not in board:
            return
        page.run("click", f"#ttt-{best_move(board)}")


def read_board(markup: str) -> str:
    """The nine fields, row by row."""
    fields = re.findall(r'<span id="ttt-\d"([^>]*)>', markup)
    return "".join("x" if "mark-x" in each else "o" if "mark-o" in each else " " for each in fields)


def best_move(board: str) -> int:
    """Win, else keep from losing, else make two lines at once, else the middle, a corner, what is left."""
    free = [index for index, mark in enumerate(board) if mark == " "]
    for mark in "xo":
        for index in free:
            if _completes(board, index, mark):
                return index
    for index in free:
        after = board[:index] + "x" + board[index + 1 :]
        if sum(_completes(after, other, "x") for other in free if other != index) > 1:
            return index
    return next(index for index in (4, 0, 2, 6, 8, 1, 3, 5, 7) if index in free)


def _completes(board: str, index: int, mark: str) -> bool:
    return any(
        index in line and all(board[other] == mark for other in line if other != index) for line in LINES
    )


BANDS = {"HOT": (0, 5), "WARM": (5, 10), "COLD": (10, 40), "ICE COLD": (40, 999)}
"""How far away each word means; the first looks show it."""


@solves("hot-cold")
def warmer(page: Browser, asked: str) -> None:
    """Each look leaves those places over that are as far away as it says."""
    _, _, width, height = box(page, "#touch-area")
    places = [(x, y) for x in range(int(width)) for y in range(int(height))]
    for _ in range(60):
        x, y = places[len(places) // 2]
        page.run("hover", "#touch-area", "--at", f"{x},{y}")
        said = page.text("#display").strip()
        if said == "HOT":
            page.run("click", "#touch-area", "--at", f"{x},{y}")
            return
        near, far = BANDS[said]
        apart = {place: math.dist(place, (x, y)) for place in places if place != (x, y)}
        places = [place for place, away in apart.items() if near - 2 < away < far + 2]
    raise LostError("it was HOT nowhere")


@solves("stock-market")
def buy_low(page: Browser, asked: str) -> None:
    """The page takes the price itself for less, too."""
    limit = found(r"less than \$(\d+)\.(\d)", asked)
    page.look()
    buy = page.find("button", "Buy")
    price = f"/{at_most(int(limit[1]), int(limit[2]))}/"
    page.run("expect", "text", price, "--in", "#stock-price", "--timeout", "9000")
    page.click(buy)


def at_most(whole: int, tenths: int) -> str:
    """A pattern for prices up to this one: $57.30."""
    smaller = "|".join(str(number) for number in range(whole))
    return rf"\$(?:(?:{smaller})\.\d|{whole}\.[0-{tenths}])"


@solves("terminal")
def delete_file(page: Browser, asked: str) -> None:
    ending = asked.rpartition("extension ")[2].strip().rstrip(".")
    page.run("click", "#terminal")
    page.type("ls")
    page.press("Enter")
    words = page.text("#terminal-contents").split()
    page.type(f"rm {next(word for word in words if word.endswith(ending) and word != ending)}")
    page.press("Enter")


@solves("chase-circle")
def stay_in_the_circle(page: Browser, asked: str) -> None:
    left, top, *_ = box(page, SVG)
    for _ in during(11):
        circle = drawn(page)[0]
        page.run("mouse", "move", f"{left + circle.x:.0f},{top + circle.y:.0f}")


@solves("moving-items")
def catch(page: Browser, asked: str) -> None:
    left, top, *_ = box(page, SVG)
    for _ in during(11):
        inside = [shape for shape in drawn(page) if 10 < shape.x < 150]
        if inside:
            page.run("mouse", "click", f"{left + inside[0].x:.0f},{top + inside[0].y:.0f}")


@solves("simon-says")
def repeat(page: Browser, asked: str) -> None:
    """Press the buttons in the order in which they light up, for a quarter of a second each.

    What was missed is shown again when the page is loaded again.
    """
    page.run("reload")
    shown: list[str] = []
    lit = ""
    for _ in during(4):
        pattern = r'id="(button-\d)"[^>]*class="push"|class="push"[^>]*id="(button-\d)"'
        pushed = re.findall(pattern, page.run("html", "#area"))
        now = "".join(pushed[0]) if pushed else ""
        if now and now != lit:
            shown.append(now)
        lit = now
    for button in shown:
        page.run("click", f"#{button}")


def during(seconds: float) -> Iterator[None]:
    """Again and again until so much time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
