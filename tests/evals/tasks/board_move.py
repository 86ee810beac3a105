"""Drag cards between columns, as the browser drags."""

from collections.abc import Iterator

from tests.evals.sites.board import COLUMNS, Board
from tests.evals.task import Case, Facts, Outcome, Task, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser

PROMPT = "On the board at {url} move the card “{card}” to the column {column}, and no other."


def pose(case: Case) -> Facts:
    card = case.random.choice(case.database.rows("SELECT * FROM cards ORDER BY id"))
    column = case.random.choice([name for name in COLUMNS if name != card["column_name"]])
    return {"card": card["name"], "id": card["id"], "column": column}


def solve(page: Browser, told: Told) -> str:
    page.open(told["url"])
    page.expect(told["card"])
    page.look_for("o")
    page.drag(page.one_that_says("listitem|generic", told["card"]), page.find("group|region", told["column"]))
    page.expect(f"is in {told['column']}")
    return "The card is moved."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from changed_only(case, "cards", {case.facts["id"]: {"column_name": case.facts["column"]}})
    yield from elsewhere(case, "cards")


TASK = Task(
    name="board-move",
    kind="drag",
    site=Board,
    prompt=PROMPT,
    pose=pose,
    check=check,
    solver=solve,
    commands=frozenset({"goto", "snapshot", "drag", "expect"}),
)
