"""Create something in a form of many kinds of fields."""

from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.shop import CATEGORIES, Shop
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Shop
PROMPT = """\
In the back office at {url}/admin/products create a product: name “{name}”, SKU {sku}, category {category}, price {price} euros,
stock {stock}, warranty {warranty} months, description “{description}”. It shall be shown in the shop at once."""


def prepare(case: Case) -> Facts:
    thing = case.random.choice(words.NOUNS).lower()
    return {
        "name": f"{case.random.choice(words.LAST)}’s {thing}",
        "sku": words.code(case.random, 3, 4),
        "category": case.random.choice(CATEGORIES),
        "price": f"{case.random.randint(500, 9000) / 100:.2f}",
        "stock": case.random.randint(1, 60),
        "warranty": case.random.choice((6, 12, 30)),
        "description": f"A “small” {thing} & {case.random.randint(2, 9)} spare parts",
    }


def solve(page: Browser, told: Told) -> str:
    page.visit(f"{told['url']}/admin/products")
    page.click(page.find("button", "New product"))
    page.look()
    page.fill_form(
        {
            page.find("textbox", "Name"): told["name"],
            page.find("textbox", "SKU"): told["sku"],
            page.find("spinbutton", "Price in euros"): told["price"],
            page.find("spinbutton", "Stock"): told["stock"],
            page.find("spinbutton", "Warranty in months"): told["warranty"],
            page.find("textbox", "Description"): told["description"],
        }
    )
    page.select(page.find("combobox", "Category"), told["category"])
    page.check(page.find("switch", "Show in the shop"))
    page.click(page.find("button", "Save product"))
    page.expect("was saved")
    return "The product is saved."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts = case.facts
    expected = {key: facts[key] for key in ("name", "sku", "category", "stock", "warranty", "description")}
    yield from one_new(
        case, "products", {**expected, "price": round(float(facts["price"]) * 100), "state": "live"}
    )
    yield from elsewhere(case, "products")
