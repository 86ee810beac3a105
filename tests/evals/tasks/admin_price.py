"""Edit a cell of a table in place."""

from collections.abc import Iterator

from tests.evals.sites.shop import Shop
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser

SITE = Shop
PROMPT = "In the back office at {url}/admin/products set the price of “{product}” to {price} euros."


def prepare(case: Case) -> Facts:
    product = case.random.choice(case.database.rows("SELECT * FROM products ORDER BY id"))
    return {
        "product": product["name"],
        "id": product["id"],
        "price": f"{case.random.randint(21_000, 40_000) / 100:.2f}",
    }


def solve(page: Browser, told: Told) -> str:
    page.visit(f"{told['url']}/admin/products", "Page 1 of")
    number = 1
    while not (cells := page.all("button", f"Price of {told['product']}")):
        page.click(page.find("button", "Next"))
        number += 1
        page.follow(f"Page {number} of")
        page.look()
    page.click(cells[0])
    page.look_again()
    page.submit(page.find("spinbutton", f"New price of {told['product']}"), told["price"])
    page.expect(f"{told['product']} costs")
    return "The price is set."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from changed_only(
        case, "products", {case.facts["id"]: {"price": round(float(case.facts["price"]) * 100)}}
    )
    yield from elsewhere(case, "products")
