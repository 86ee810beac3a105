"""Extract sums from a table that comes by pages and has filters."""

import json
import re
from collections.abc import Iterator

from tests.evals.sites.tables import Tables
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, extracted
from tests.evals.tools.browser import Browser

SITE = Tables
PROMPT = """\
Look at the shipments on {url} that are “{state}” and weigh {weight} kg or more, in all cities. Answer with a JSON object: count (how
many there are), kg (their weight together), last (the number of the one that is due last; of several the one with the smallest
number)."""
STATES = ("waiting", "on its way", "delivered")


def prepare(case: Case) -> Facts:
    state, weight = case.random.choice(STATES), case.random.randint(20, 70) * 100
    rows = case.database.rows(
        "SELECT * FROM shipments WHERE state = ? AND weight >= ? ORDER BY due DESC, number", state, weight
    )
    answer = {"count": len(rows), "kg": sum(row["weight"] for row in rows), "last": rows[0]["number"]}
    return {"state": state, "weight": weight, "answer": answer}


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.select(page.find("combobox", "State"), told["state"])
    rows: list[tuple[int, str, str]] = []
    number = pages = 1
    while number <= pages:
        page.expect(f"Page {number} of")
        text = page.text("main")
        pages = int(re.findall(r"Page \d+ of (\d+)", text)[0])
        found = re.findall(r"(S\d{6})\b.*?\b(\d+) kg\s+(\d{4}-\d\d-\d\d)", text, re.S)
        rows += [(int(weight), due, name) for name, weight, due in found if int(weight) >= int(told["weight"])]
        number += 1
        if number <= pages:
            page.look()
            page.click(page.find("button", "Next"))
    last = max(due for _, due, _ in rows)
    first = min(name for _, due, name in rows if due == last)
    return json.dumps({"count": len(rows), "kg": sum(weight for weight, _, _ in rows), "last": first})


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from extracted(case, outcome, "/api/shipments")
    yield from elsewhere(case)
