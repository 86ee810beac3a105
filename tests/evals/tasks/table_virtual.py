"""Find a row in a list of thousands that only has those in view."""

import re
from collections.abc import Iterator

from tests.evals.sites.tables import MANY, Tables
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser, LostError

SITE = Tables
PROMPT = "On {url}/parts there is a list of thousands of parts, sorted by name. Put a star on “{part}”, and on no other."
LOOKS = 12
ROW = 36
"""Pixels, as the first look shows."""


def prepare(case: Case) -> Facts:
    row = case.random.choice(case.database.rows("SELECT * FROM parts ORDER BY name")[300:-300])
    return {"part": row["name"], "id": row["id"]}


def solve(page: Browser, told: Told) -> str:
    """Guess how far it is, scroll, look which parts are there, and correct."""
    page.open(f"{told['url']}/parts")
    page.expect("Part")
    wanted = int(told["part"].split()[1])
    for _ in range(LOOKS):
        page.look()
        grid = page.find("grid", "Parts")
        shown = [int(re.findall(r"\d+", line.name)[0]) for line in page.all("button", "Star Part")]
        if wanted in shown:
            page.click(page.find("button", f"Star {told['part']}"))
            page.expect("is starred")
            return "It has a star."
        middle = shown[len(shown) // 2]
        page.scroll(grid, round((wanted - middle) * MANY / 90_000) * ROW)
    raise LostError(f"{told['part']} did not come into view")


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from changed_only(case, "parts", {case.facts["id"]: {"starred": 1}})
    yield from elsewhere(case, "parts")
