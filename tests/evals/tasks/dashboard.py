"""Tasks on figures in tabs."""

import json
import re

from tests.evals.posed import Posed
from tests.evals.sites import words
from tests.evals.sites.dashboard import PERIODS, REGIONS, Dashboard
from tests.evals.task import Case, Task, Told
from tests.evals.tools.browser import Browser


class DashboardFigures(Task):
    """Extract figures for a period and a region, from two tabs of a page that loads late."""

    site = Dashboard
    prompt = """\
Read on {url} the figures of {period} for the region {region}. Answer with a JSON object: orders, revenue (euros, a number), returns,
and first (who made the most calls)."""

    def pose(self, case: Case) -> Posed:
        region, period = case.random.choice(REGIONS), case.random.choice(PERIODS[1:])
        row = case.database.one("SELECT * FROM sales WHERE region = ? AND period = ?", region, period)
        statement = "SELECT name FROM agents WHERE region = ? AND period = ? ORDER BY calls DESC, name"
        first = case.database.column(statement, region, period)[0]
        answer = {"orders": row["orders"], "revenue": row["euros"], "returns": row["returns"], "first": first}
        return Posed({"region": region, "period": period}, answer=answer, asked="/api/figures")

    def solve(self, page: Browser, told: Told) -> str:
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


class DashboardView(Task):
    """Set up a view of a dashboard and keep it."""

    site = Dashboard
    prompt = """\
On {url} set up a view: {period}, region {region}, the tab “People”. Keep it under the name “{name}” and share it with the team."""

    def pose(self, case: Case) -> Posed:
        facts = {
            "period": case.random.choice(PERIODS[1:]),
            "region": case.random.choice(REGIONS),
            "name": f"{case.random.choice(words.LAST)} {case.random.randint(10, 99)}",
        }
        return Posed(facts, new={"views": {**facts, "tab": "People", "shared": 1}})

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(told["url"])
        page.select(page.find("combobox", "Period"), told["period"])
        page.select(page.find("combobox", "Region"), told["region"])
        page.click(page.find("tab", "People"))
        page.look()
        page.click_button("Keep view")
        page.look()
        page.fill(page.find("textbox", "Name of the view"), told["name"])
        page.check(page.find("checkbox", "Share it with the team"))
        page.click(page.all("button", "Keep")[-1])
        page.expect("was kept")
