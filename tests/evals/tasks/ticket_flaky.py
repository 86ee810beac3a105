"""Try again when a slow server has refused, and end with one record."""

from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.rough import Rough
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Rough
PROMPT = """\
On {url}/new open a ticket with the title “{title}”, the person {person} and the priority {priority}. The server is not well today:
if it refuses, try again until the ticket is saved, and see to it that there is only one."""
TRIES = 5


def prepare(case: Case) -> Facts:
    case.database.change("UPDATE failures SET left = ?", case.random.choice((1, 2)))
    return {
        "title": f"Lift {case.random.randint(1, 40)} in {case.random.choice(words.CITIES)} stands still",
        "person": words.person(case.random),
        "priority": case.random.choice(("low", "high")),
    }


def solve(page: Browser, told: Told) -> str:
    page.visit(f"{told['url']}/new")
    page.fill_form(
        {page.find("textbox", "Title"): told["title"], page.find("textbox", "Person"): told["person"]}
    )
    page.select(page.find("combobox", "Priority"), told["priority"])
    for _ in range(TRIES):
        page.click(page.find("button", "Save ticket"))
        page.expect_gone("Saving")
        if "is open" in (text := page.text("main")):
            return text
    return "The server refuses."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    expected = {key: case.facts[key] for key in ("title", "person", "priority")}
    yield from one_new(case, "tickets", expected)
    yield from elsewhere(case, "tickets", "failures")
