"""Send a form that something has come to lie over: the error says what, and that is sent away."""

from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.rough import Rough
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Rough
PROMPT = "On {url}/hasty open a ticket with the title “{title}” for {person}. Answer no survey."


def prepare(case: Case) -> Facts:
    return {
        "title": f"{words.things(case.random, 1)[0]} is out of order",
        "person": words.person(case.random),
    }


def solve(page: Browser, told: Told) -> str:
    page.visit(f"{told['url']}/hasty")
    page.fill_form(
        {page.find("textbox", "Title"): told["title"], page.find("textbox", "Person"): told["person"]}
    )
    page.settle()
    page.click_through("button", "Save ticket", away="Skip")
    page.expect(f"{told['title']} is open")
    return "The ticket is open."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from one_new(case, "tickets", {key: case.facts[key] for key in ("title", "person")})
    yield from elsewhere(case, "tickets")
