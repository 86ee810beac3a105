"""Fetch something from a tab that a link opens, and use it in the first one."""

import re
from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.vouchers import Vouchers
from tests.evals.task import AGENT_BROWSER, Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Vouchers
PROMPT = "On {url} redeem the voucher “{offer}” for {name}. Its code is shown by its own page; redeem no other."


def prepare(case: Case) -> Facts:
    offer = case.random.choice(case.database.rows("SELECT * FROM offers ORDER BY id"))
    return {"offer": offer["name"], "id": offer["id"], "name": words.person(case.random)}


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.fill(page.find("textbox", "Your name"), told["name"])
    field, redeem = page.find("textbox", "Code"), page.find("button", "Redeem")
    page.click(page.find("link", f"Code for {told['offer']}"))
    code = read_code(page)
    page.fill(field, code)
    page.click(redeem)
    page.expect("is yours")
    return code


def solve_looking_again(page: Browser, told: Told) -> str:
    """References hold until the next snapshot only, of whatever tab."""
    page.visit(told["url"])
    page.fill(page.find("textbox", "Your name"), told["name"])
    page.click(page.find("link", f"Code for {told['offer']}"))
    code = read_code(page)
    page.look()
    page.fill(page.find("textbox", "Code"), code)
    page.click(page.find("button", "Redeem"))
    page.expect("is yours")
    return code


def read_code(page: Browser) -> str:
    """The code in the tab that was opened; afterwards the first one is active again."""
    page.tab("2")
    page.look()
    page.click(page.find("button", "Show the code"))
    code = str(re.findall(r"[A-Z]{4}-\d{4}", page.text("main"))[0])
    page.tab("1")
    return code


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from one_new(case, "redeemed", {"offer": case.facts["id"], "name": case.facts["name"]})
    yield from elsewhere(case, "redeemed")


SOLVERS = {AGENT_BROWSER: solve_looking_again}
