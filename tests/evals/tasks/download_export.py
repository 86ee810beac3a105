"""Have an export made, which takes a while, and download it when it is ready."""

import json
from collections.abc import Iterator

from tests.evals.sites.files import MONTHS, Files
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, extracted
from tests.evals.tools.browser import Browser

SITE = Files
PROMPT = """\
On {url}/reports have the export by person made for {month}, download it as people.csv into the working directory, and answer with a
JSON object: most (who spent most in that month), euros (how much that person spent)."""


def prepare(case: Case) -> Facts:
    month = case.random.choice(MONTHS)
    statement = (
        "SELECT person, sum(cents) AS cents FROM spendings WHERE month = ? GROUP BY person ORDER BY cents DESC"
    )
    first = case.database.rows(statement, month)[0]
    return {"month": month, "answer": {"most": first["person"], "euros": first["cents"] / 100}}


def solve(page: Browser, told: Told) -> str:
    page.visit(f"{told['url']}/reports")
    page.select(page.find("combobox", "Month"), told["month"])
    page.click(page.find("button", "Make export"))
    page.expect("Your export is ready")
    page.look_again()
    page.download(page.find("link", "Download export"), "people.csv")
    rows = [row.split(",") for row in page.shell.program("cat", "people.csv").output.splitlines()[1:]]
    most = max(rows, key=lambda row: float(row[1]))
    return json.dumps({"most": most[0], "euros": most[1]})


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    if not (outcome.workspace / "people.csv").is_file():
        yield "people.csv is not in the working directory"
    yield from extracted(case, outcome, f"/exports/{case.facts['month']}.csv")
    yield from elsewhere(case, "jobs")
