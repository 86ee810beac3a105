"""Extract figures for a period and a region, from two tabs of a page that loads late."""

import json
import re
from collections.abc import Iterator

from tests.evals.sites.dashboard import PERIODS, REGIONS, Dashboard
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, extracted
from tests.evals.tools.browser import Browser

SITE = Dashboard
PROMPT = """\
Read on {url} the figures of {period} for the region {region}. Answer with a JSON object: orders, revenue (euros, a number), returns,
and first (who made the most calls)."""


def prepare(case: Case) -> Facts:
    region, period = case.random.choice(REGIONS), case.random.choice(PERIODS[1:])
    row = case.database.one("SELECT * FROM sales WHERE region = ? AND period = ?", region, period)
    first = case.database.rows(
        "SELECT name FROM agents WHERE region = ? AND period = ? ORDER BY calls DESC, name", region, period
    )[0]["name"]
    answer = {"orders": row["orders"], "revenue": row["euros"], "returns": row["returns"], "first": first}
    return {"region": region, "period": period, "answer": answer}


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.select(page.find("combobox", "Period"), told["period"])
    page.select(page.find("combobox", "Region"), told["region"])
    page.expect("Per order")
    text = page.text("main")
    figures = {
        key: re.findall(rf"{label}\s+€?\s*([\d,]+)", text)[0].replace(",", "")
        for key, label in {"orders": "Orders", "revenue": "Revenue", "returns": "Returns"}.items()
    }
    page.click(page.find("tab", "People"))
    page.expect("Calls")
    first = re.findall(r"Calls\s+(\w+ \w+)", page.text("table"))[0]
    return json.dumps({**figures, "first": first})


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from extracted(case, outcome, "/api/figures")
    yield from elsewhere(case)
