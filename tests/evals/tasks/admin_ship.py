"""Set the state of some rows of a paged table, by a menu in each row."""

from collections.abc import Iterator

from tests.evals.sites.shop import Shop
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser, CommandFailedError

SITE = Shop
PROMPT = """\
In the back office at {url}/admin/orders mark as shipped all orders of {customer} that are paid. Change no other order."""


def prepare(case: Case) -> Facts:
    customer = case.random.choice(
        case.database.column("SELECT DISTINCT customer FROM orders ORDER BY customer")
    )
    others = case.database.column("SELECT id FROM orders WHERE customer != ? ORDER BY id", customer)
    for order, state in zip(
        case.random.sample(others, 5), ("paid", "paid", "paid", "open", "cancelled"), strict=True
    ):
        case.database.change("UPDATE orders SET customer = ?, state = ? WHERE id = ?", customer, state, order)
    paid = case.database.column(
        "SELECT id FROM orders WHERE customer = ? AND state = 'paid' ORDER BY id", customer
    )
    return {"customer": customer, "paid": paid}


def solve(page: Browser, told: Told) -> str:
    page.visit(f"{told['url']}/admin/orders")
    page.fill(page.find("searchbox", "Search"), told["customer"])
    page.select(page.find("combobox", "State"), "paid")
    page.settle()  # the search and the filter each draw the table anew
    done = 0
    while True:
        page.look()
        rows = page.all("button", "Actions")
        if not rows:
            return f"{done} orders are shipped."
        try:
            page.click(rows[0])
        except CommandFailedError:
            continue  # the search, or the filter, came only now
        page.look_again()
        items = page.all("menuitem", "Mark as shipped")
        if not items:
            continue  # the table came anew, and took the menu away
        page.click(items[0])
        page.expect(f"{len(rows) - 1} in all")
        done += 1


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from changed_only(case, "orders", {order: {"state": "shipped"} for order in case.facts["paid"]})
    yield from elsewhere(case, "orders")
