"""Sort a list by dragging handles, which a script moves with the pointer."""

from collections.abc import Iterator

from tests.evals.sites.board import Board
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere
from tests.evals.tools.browser import Browser

SITE = Board
PROMPT = (
    "On {url}/plan move the step “{step}” so that it takes the place that “{other}” has now. Move nothing else."
)


def prepare(case: Case) -> Facts:
    names = case.database.column("SELECT name FROM steps ORDER BY place")
    start, end = case.random.sample(range(len(names)), 2)
    order = [name for name in names if name != names[start]]
    order.insert(end, names[start])
    return {"step": names[start], "other": names[end], "order": order}


def solve(page: Browser, told: Told) -> str:
    page.visit(f"{told['url']}/plan")
    page.drag(page.find("button", f"Move {told['step']}"), page.find("button", f"Move {told['other']}"))
    page.expect("The plan was saved")
    return "The step is moved."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    order = case.database.column("SELECT name FROM steps ORDER BY place")
    if order != case.facts["order"]:
        yield f"the order is {order}, not {case.facts['order']}"
    yield from elsewhere(case, "steps")
