"""Extract the facts of a product, field by field."""

import json
import re
from collections.abc import Iterator

from tests.evals.sites.shop import Shop
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, extracted
from tests.evals.tools.browser import Browser

SITE = Shop
PROMPT = """\
Read in the shop at {url} what it says of “{product}”. Answer with a JSON object with the fields sku, category, price (a number of
euros), rating, stock, warranty (months), weight (grams), reviews (how many) and worst (the author of the first review with the
fewest stars)."""


def prepare(case: Case) -> Facts:
    product = case.random.choice(case.database.rows("SELECT * FROM products WHERE state = 'live'"))
    reviews = case.database.rows("SELECT * FROM reviews WHERE product = ? ORDER BY id", product["id"])
    answer = {key: product[key] for key in ("sku", "category", "rating", "stock", "warranty", "weight")}
    worst = min(reviews, key=lambda review: int(review["stars"]))["author"]
    facts = {"price": product["price"] / 100, "reviews": len(reviews), "worst": worst}
    return {"product": product["name"], "id": product["id"], "answer": {**answer, **facts}}


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.fill(page.find("searchbox", "Search"), told["product"])
    page.expect("Page 1 of 1, 1 products")
    page.look()
    page.click(page.find("link", told["product"]))
    page.expect("Warranty")
    text = page.text("main")

    def fact_of(label: str) -> str:
        match = re.search(rf"^{label}\s+[€ ]*([\w.,-]+)", text, re.M)
        return match[1].replace(",", "") if match else ""

    reviews = re.findall(r"^[^\w]*(\w+ \w+) · .*\((\d) of 5\)", text, re.M)
    return json.dumps(
        {
            **{
                key: fact_of(key.capitalize())
                for key in ("category", "price", "rating", "stock", "warranty", "weight")
            },
            "sku": fact_of("SKU"),
            "reviews": len(reviews),
            "worst": min(reviews, key=lambda review: int(review[1]))[0],
        }
    )


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from extracted(case, outcome, f"/api/products/{case.facts['id']}")
    yield from elsewhere(case)
