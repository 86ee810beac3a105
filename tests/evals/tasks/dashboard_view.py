"""Set up a view of a dashboard and keep it."""

from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.dashboard import PERIODS, REGIONS, Dashboard
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Dashboard
PROMPT = """\
On {url} set up a view: {period}, region {region}, the tab “People”. Keep it under the name “{name}” and share it with the team."""


def prepare(case: Case) -> Facts:
    return {
        "period": case.random.choice(PERIODS[1:]),
        "region": case.random.choice(REGIONS),
        "name": f"{case.random.choice(words.LAST)} {case.random.randint(10, 99)}",
    }


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.select(page.find("combobox", "Period"), told["period"])
    page.select(page.find("combobox", "Region"), told["region"])
    page.click(page.find("tab", "People"))
    page.look()
    page.click(page.find("button", "Keep view"))
    page.look()
    page.fill(page.find("textbox", "Name of the view"), told["name"])
    page.check(page.find("checkbox", "Share it with the team"))
    page.click(page.all("button", "Keep")[-1])
    page.expect("was kept")
    return "The view is kept."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    expected = {key: case.facts[key] for key in ("period", "region", "name")}
    yield from one_new(case, "views", {**expected, "tab": "People", "shared": 1})
    yield from elsewhere(case, "views")
