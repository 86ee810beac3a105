"""Click in a list that is drawn anew, in another order, every few moments."""

from collections.abc import Iterator

from tests.evals.sites.rough import Rough
from tests.evals.task import PLAYWRIGHT_CLI, Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser

SITE = Rough
PROMPT = "On {url} close the tickets “{first}” and “{second}”, and no others."


def prepare(case: Case) -> Facts:
    first, second = case.random.sample(case.database.rows("SELECT * FROM tickets ORDER BY id"), 2)
    return {"first": first["title"], "second": second["title"], "ids": [first["id"], second["id"]]}


def solve(page: Browser, told: Told) -> str:
    page.open(told["url"])
    for title in (told["first"], told["second"]):
        page.expect(title)
        page.click_fresh("button", "Close", near=title)
        page.expect(f"{title} is closed")
    return "Both are closed."


def solve_by_locators(page: Browser, told: Told) -> str:
    """With a locator there is no moment between looking and clicking."""
    page.open(told["url"])
    for title in (told["first"], told["second"]):
        page.run("click", f"getByRole('listitem').filter({{ hasText: '{title}' }}).getByRole('button')")
        page.expect(f"{title} is closed")
    return "Both are closed."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from changed_only(case, "tickets", {number: {"state": "closed"} for number in case.facts["ids"]})
    yield from elsewhere(case, "tickets")


SOLVERS = {PLAYWRIGHT_CLI: solve_by_locators}
