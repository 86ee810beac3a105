"""Find a product, buy some of it with a coupon, and have it sent."""

from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.shop import Shop
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import differences, elsewhere, new_rows
from tests.evals.tools.browser import Browser

SITE = Shop
PROMPT = """\
In the shop at {url} order {quantity} pieces of “{product}” and nothing else, with the coupon {coupon}, to be sent by
{delivery} delivery to {name}, {street}, {city}, {country}. Answer with the order number."""


def prepare(case: Case) -> Facts:
    products = case.database.rows("SELECT * FROM products WHERE stock >= 5 AND state = 'live'")
    return {
        "product": case.random.choice(products)["name"],
        "quantity": case.random.randint(2, 4),
        "coupon": case.random.choice(case.database.column("SELECT code FROM coupons")),
        "delivery": case.random.choice(("Express", "Pick up")),
        "name": words.person(case.random),
        "street": f"{case.random.choice(words.LAST)} Lane {case.random.randint(1, 80)}",
        "city": case.random.choice(words.CITIES),
        "country": case.random.choice(words.COUNTRIES),
    }


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.click(page.find("button", "Only what is needed"))
    page.fill(page.find("searchbox", "Search"), told["product"])
    page.expect("Page 1 of 1, 1 products")
    page.look()
    page.click(page.find("link", told["product"]))
    page.expect("Warranty")
    page.look()
    page.fill(page.find("spinbutton", "Quantity"), told["quantity"])
    page.click(page.find("button", "Add to cart"))
    page.expect(f"Cart ({told['quantity']})")
    page.look_again()
    page.click(page.find("button", "Cart ("))
    page.look_again()
    page.click(page.find("button", "To checkout"))
    page.expect("Place order")
    page.look()
    page.fill(page.find("textbox", "Coupon"), told["coupon"])
    page.click(page.find("button", "Apply"))
    page.expect("Coupon applied")
    page.look()
    page.fill_form(
        {
            page.find("textbox", "Full name"): told["name"],
            page.find("textbox", "Street and number"): told["street"],
            page.find("textbox", "City"): told["city"],
        }
    )
    page.select(page.find("combobox", "Country"), told["country"])
    page.check(page.find("radio", told["delivery"]))
    page.click(page.find("button", "Place order"))
    page.expect("Thank you for your order")
    return page.text("main")


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts, orders = case.facts, new_rows(case, "orders")
    if len(orders) != 1:
        yield f"{len(orders)} orders were made, not one"
        return
    wanted = {key: facts[key] for key in ("street", "city", "country", "delivery", "coupon")}
    yield from differences({**wanted, "customer": facts["name"]}, orders[0])
    product = case.database.value("SELECT id FROM products WHERE name = ?", facts["product"])
    lines = case.database.rows("SELECT product, quantity FROM lines WHERE order_id = ?", orders[0]["id"])
    if lines != [{"product": product, "quantity": facts["quantity"]}]:
        yield f"the order has {lines}"
    yield from elsewhere(case, "orders", "lines", "cart")
