"""Fill in a form in a window, and confirm what a dialog asks."""

from collections.abc import Iterator

from tests.evals.sites.shop import REASONS, Shop
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Shop
PROMPT = """\
In the back office at {url}/admin/orders refund {amount} euros of order {number}. The reason is “{reason}”, the note
“{note}”."""


def prepare(case: Case) -> Facts:
    order = case.random.choice(case.database.rows("SELECT * FROM orders WHERE total > 2000 ORDER BY id"))
    return {
        "id": order["id"],
        "number": order["number"],
        "amount": f"{case.random.randint(100, order['total']) / 100:.2f}",
        "reason": case.random.choice(REASONS[:3]),
        "note": f"Agreed by phone, ticket {case.random.randint(1000, 9999)}",
    }


def solve(page: Browser, told: Told) -> str:
    page.visit(f"{told['url']}/admin/orders")
    page.fill(page.find("searchbox", "Search"), told["number"])
    page.expect("1 in all")
    page.look()
    page.click(page.find("button", "Actions"))
    page.look_again()
    page.click(page.find("menuitem", "Refund"))
    page.look()
    page.fill_form(
        {
            page.find("spinbutton", "Amount in euros"): told["amount"],
            page.find("textbox", "Note"): told["note"],
        }
    )
    page.select(page.find("combobox", "Reason"), told["reason"])
    page.answering(page.find("button", "Refund"), accept=True)
    page.expect("was refunded")
    return f"{told['amount']} euros were refunded."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts = case.facts
    cents = round(float(facts["amount"]) * 100)
    expected = {"order_id": facts["id"], "amount": cents, "reason": facts["reason"], "note": facts["note"]}
    yield from one_new(case, "refunds", expected)
    yield from elsewhere(case, "refunds")
