"""Download a file, keep it where it was asked for, and read a sum out of it."""

import json
from collections.abc import Iterator

from tests.evals.sites.files import MONTHS, Files
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, extracted
from tests.evals.tools.browser import Browser

SITE = Files
PROMPT = """\
Download the spendings of {month} from {url}/reports and keep them as report.csv in the working directory. Answer with a JSON object:
rows (how many spendings there are), total (their sum in euros)."""


def prepare(case: Case) -> Facts:
    month = case.random.choice(MONTHS)
    cents = case.database.column("SELECT cents FROM spendings WHERE month = ?", month)
    return {"month": month, "answer": {"rows": len(cents), "total": sum(cents) / 100}}


def solve(page: Browser, told: Told) -> str:
    page.visit(f"{told['url']}/reports")
    page.download(page.find("link", f"Spendings of {told['month']}"), "report.csv")
    rows = page.shell.program("cat", "report.csv").output.splitlines()[1:]
    return json.dumps({"rows": len(rows), "total": sum(float(row.rpartition(",")[2]) for row in rows)})


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    site = case.site
    assert isinstance(site, Files)
    kept = outcome.workspace / "report.csv"
    if not kept.is_file():
        yield "report.csv is not in the working directory"
    elif kept.read_bytes() != site.content_of(case.facts["month"]):
        yield "report.csv is not the file of that month"
    yield from extracted(case, outcome, f"/reports/{case.facts['month']}.csv")
    yield from elsewhere(case)
