"""Change what is in a cart already: more of one thing, none of another."""

import re
from collections.abc import Iterator

from tests.evals.sites.shop import Shop
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere
from tests.evals.tools.browser import Browser

SITE = Shop
PROMPT = """\
The cart of the shop at {url} has some things in it. Take “{unwanted}” out of it and have two more of “{wanted}”
than there are now. Leave the rest as it is, and order nothing."""
LINE = re.compile(r"^(.+), € [\d.,]+ each\s+−\s+(\d+)", re.M)
"""What the cart shows of each thing: its name, how many."""


def prepare(case: Case) -> Facts:
    products = case.database.rows("SELECT * FROM products WHERE state = 'live' AND stock >= 8")
    chosen = case.random.sample(products, 4)
    for product in chosen:
        case.database.insert("cart", product=product["id"], quantity=case.random.randint(1, 3))
    cart = {row["product"]: row["quantity"] for row in case.database.rows("SELECT * FROM cart")}
    wanted, unwanted = chosen[0], chosen[1]
    del cart[unwanted["id"]]
    cart[wanted["id"]] += 2
    return {"wanted": wanted["name"], "unwanted": unwanted["name"], "cart": cart}


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.click(page.find("button", "Cart ("))
    quantities = {name: int(many) for name, many in LINE.findall(page.text("[role=dialog]"))}
    left = sum(quantities.values()) - quantities[told["unwanted"]]
    page.look_for(told["unwanted"])
    page.click(page.find("button", "Remove", near=told["unwanted"]))
    page.follow(f"Cart ({left})")
    for more in (1, 2):
        page.look_for(told["wanted"])
        page.click(page.find("button", "More", near=told["wanted"]))
        page.follow(f"Cart ({left + more})")
    return page.text("[role=dialog]")


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    cart = {row["product"]: row["quantity"] for row in case.database.rows("SELECT * FROM cart")}
    if cart != case.facts["cart"]:
        yield f"the cart is {cart}, not {case.facts['cart']}"
    yield from elsewhere(case, "cart")
