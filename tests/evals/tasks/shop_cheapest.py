"""Compare products over several pages of a catalogue, and choose."""

import re
from collections.abc import Iterator

from tests.evals.sites.shop import CATEGORIES, Shop
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, new_rows
from tests.evals.tools.browser import Browser

SITE = Shop
PROMPT = """\
In the shop at {url} put one piece of one product into the cart: of the category {category} the cheapest that is in stock and rated
{rating} or better. Do not order it."""
CARD = re.compile(r"^(?P<name>.+)\n+.*★ (?P<rating>[\d.]+)\n+€ (?P<price>[\d.,]+)\n+(?P<stock>.+)$", re.M)


def prepare(case: Case) -> Facts:
    category, rating = case.random.choice(CATEGORIES), case.random.choice((3.0, 3.5, 4.0))
    statement = """SELECT id, name FROM products WHERE state = 'live' AND category = ? AND stock > 0 AND rating >= ?
        ORDER BY price"""
    good = case.database.rows(statement, category, rating)
    if not good:
        first = case.database.value(
            "SELECT min(id) FROM products WHERE state = 'live' AND category = ?", category
        )
        case.database.change("UPDATE products SET stock = 3, rating = ? WHERE id = ?", rating, first)
        good = case.database.rows(statement, category, rating)
    return {"category": category, "rating": rating, "id": good[0]["id"], "name": good[0]["name"]}


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.click(page.find("button", "Only what is needed"))
    page.select(page.find("combobox", "Category"), told["category"])
    page.select(page.find("combobox", "Sort by"), "Price")
    page.follow()
    number = 1
    while True:
        page.expect(f"Page {number} of")
        for card in CARD.finditer(page.text("main")):
            if float(card["rating"]) >= float(told["rating"]) and card["stock"] != "Sold out":
                return _add_to_cart(page, card["name"])
        page.look()
        page.click(page.find("button", "Next"))
        number += 1


def _add_to_cart(page: Browser, name: str) -> str:
    page.look_for(name)
    page.click(page.find("button", "Add to cart", near=name))
    page.expect("Cart (1)")
    return name


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    cart = new_rows(case, "cart")
    if cart != [{"product": case.facts["id"], "quantity": 1}]:
        yield f"the cart has {cart}, not one piece of product {case.facts['id']}"
    yield from elsewhere(case, "cart")
