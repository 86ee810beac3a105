"""Drag cards between columns, as the browser drags."""

import re
from collections.abc import Iterator

from tests.evals.sites.board import COLUMNS, Board
from tests.evals.task import AGENT_BROWSER, Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser

SITE = Board
PROMPT = "On the board at {url} move the card “{card}” to the column {column}, and no other."


def prepare(case: Case) -> Facts:
    card = case.random.choice(case.database.rows("SELECT * FROM cards ORDER BY id"))
    column = case.random.choice([name for name in COLUMNS if name != card["column_name"]])
    return {"card": card["name"], "id": card["id"], "column": column}


def solve(page: Browser, told: Told) -> str:
    page.open(told["url"])
    page.expect(told["card"])
    page.look_for(told["card"])
    card = page.one_that_says("listitem|generic", told["card"])
    if not page.all("group", told["column"]):
        page.look_for(told["column"])
    page.drag(card, page.find("group", told["column"]))
    page.expect(f"is in {told['column']}")
    return "The card is moved."


def solve_by_places(page: Browser, told: Told) -> str:
    """Items of lists have no references there: a selector says which list, and the how manieth."""
    page.open(told["url"])
    page.expect(told["card"])
    column, place = "", 0
    for row in page.look_for(told["card"]).splitlines():
        if group := re.search(r'- group "([^"]+)"', row):
            column, place = group[1], 0
        place += "- listitem" in row
        if told["card"] in row:
            break
    card = f'[aria-label="{column}"] li:nth-child({place})'
    page.run("drag", card, f'[aria-label="{told["column"]}"]')
    page.expect(f"is in {told['column']}")
    return "The card is moved."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from changed_only(case, "cards", {case.facts["id"]: {"column_name": case.facts["column"]}})
    yield from elsewhere(case, "cards")


SOLVERS = {AGENT_BROWSER: solve_by_places}
