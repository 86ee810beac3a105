"""Tasks in the back office of the shop."""

from tests.evals.posed import Facts, Posed, cents
from tests.evals.sites import words
from tests.evals.sites.shop import CATEGORIES, REASONS, Shop
from tests.evals.task import Case, Task, Told
from tests.evals.tools.browser import Browser, CommandFailedError


class AdminCleanUp(Task):
    """Choose rows on several pages of a table, and delete them and no others."""

    site = Shop
    prompt = """\
In the back office at {url}/admin/products delete all products that are drafts and have a stock of {stock}. Keep all
others."""

    def pose(self, case: Case) -> Posed:
        stock = case.random.choice((0, 3, 5))
        for product in case.random.sample(range(1, 61), 4):
            case.database.change("UPDATE products SET state = 'draft', stock = ? WHERE id = ?", stock, product)
        statement = "SELECT id FROM products WHERE state = 'draft' AND stock = ? ORDER BY id"
        return Posed({"stock": stock}, gone={"products": case.database.column(statement, stock)})

    def solve(self, page: Browser, told: Told) -> None:
        page.open(f"{told['url']}/admin/products")
        number = 1
        page.expect("Page 1 of")
        while True:
            text = page.text("main")
            page.look()
            for name in _unwanted(text, told["stock"]):
                page.check(page.find("checkbox", f"Choose {name}"))
            following = page.find("button", "Next")
            if following.has("disabled"):
                break
            page.click(following)
            number += 1
            page.expect(f"Page {number} of")
        page.look()
        page.click_button("Delete chosen")
        page.look()
        page.click(page.all("button", "Delete")[-1])
        page.expect("products deleted")


def _unwanted(text: str, stock: str) -> list[str]:
    """Names in rows of a table whose cells are apart by tabs."""
    rows = [[cell.strip() for cell in row.split("\t")] for row in text.splitlines()]
    return [row[-5] for row in rows if len(row) >= 5 and row[-3:-1] == ["draft", stock]]


class AdminNewProduct(Task):
    """Create something in a form of many kinds of fields."""

    site = Shop
    prompt = """\
In the back office at {url}/admin/products create a product: name “{name}”, SKU {sku}, category {category}, price {price} euros,
stock {stock}, warranty {warranty} months, description “{description}”. It shall be shown in the shop at once."""

    def pose(self, case: Case) -> Posed:
        thing = case.random.choice(words.NOUNS).lower()
        facts: Facts = {
            "name": f"{case.random.choice(words.LAST)}’s {thing}",
            "sku": words.code(case.random, 3, 4),
            "category": case.random.choice(CATEGORIES),
            "price": f"{case.random.randint(500, 9000) / 100:.2f}",
            "stock": case.random.randint(1, 60),
            "warranty": case.random.choice((6, 12, 30)),
            "description": f"A “small” {thing} & {case.random.randint(2, 9)} spare parts",
        }
        return Posed(facts, new={"products": {**facts, "price": cents(facts["price"]), "state": "live"}})

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(f"{told['url']}/admin/products")
        page.click_button("New product")
        page.look()
        page.fill_fields(
            {
                "Name": told["name"],
                "SKU": told["sku"],
                "Price in euros": told["price"],
                "Stock": told["stock"],
                "Warranty in months": told["warranty"],
                "Description": told["description"],
            }
        )
        page.select(page.find("combobox", "Category"), told["category"])
        page.check(page.find("switch", "Show in the shop"))
        page.click_button("Save product", says="was saved")


class AdminPrice(Task):
    """Edit a cell of a table in place."""

    site = Shop
    prompt = "In the back office at {url}/admin/products set the price of “{product}” to {price} euros."

    def pose(self, case: Case) -> Posed:
        product = case.random.choice(case.database.rows("SELECT * FROM products ORDER BY id"))
        price = f"{case.random.randint(21_000, 40_000) / 100:.2f}"
        facts = {"product": product["name"], "price": price}
        return Posed(facts, changed={"products": {product["id"]: {"price": cents(price)}}})

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(f"{told['url']}/admin/products", "Page 1 of")
        number = 1
        while not (cells := page.all("button", f"Price of {told['product']}")):
            page.click_button("Next")
            number += 1
            page.follow(f"Page {number} of")
            page.look()
        page.click(cells[0])
        page.look_again()
        page.submit(page.find("spinbutton", f"New price of {told['product']}"), told["price"])
        page.expect(f"{told['product']} costs")


class AdminRefund(Task):
    """Fill in a form in a window, and confirm what a dialog asks."""

    site = Shop
    prompt = """\
In the back office at {url}/admin/orders refund {amount} euros of order {number}. The reason is “{reason}”, the note
“{note}”."""

    def pose(self, case: Case) -> Posed:
        order = case.random.choice(case.database.rows("SELECT * FROM orders WHERE total > 2000 ORDER BY id"))
        facts = {
            "amount": f"{case.random.randint(100, order['total']) / 100:.2f}",
            "reason": case.random.choice(REASONS[:3]),
            "note": f"Agreed by phone, ticket {case.random.randint(1000, 9999)}",
        }
        refund = {**facts, "amount": cents(facts["amount"]), "order_id": order["id"]}
        return Posed({"number": order["number"], **facts}, new={"refunds": refund})

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(f"{told['url']}/admin/orders")
        page.fill(page.find("searchbox", "Search"), told["number"])
        page.expect("1 in all")
        page.look()
        page.click_button("Actions")
        page.look_again()
        page.click(page.find("menuitem", "Refund"))
        page.look()
        page.fill_fields({"Amount in euros": told["amount"], "Note": told["note"]})
        page.select(page.find("combobox", "Reason"), told["reason"])
        page.answering(page.find("button", "Refund"), accept=True)
        page.expect("was refunded")


class AdminShip(Task):
    """Set the state of some rows of a paged table, by a menu in each row."""

    site = Shop
    prompt = """\
In the back office at {url}/admin/orders mark as shipped all orders of {customer} that are paid. Change no other order."""

    def pose(self, case: Case) -> Posed:
        database = case.database
        customer = case.random.choice(database.column("SELECT DISTINCT customer FROM orders ORDER BY customer"))
        others = database.column("SELECT id FROM orders WHERE customer != ? ORDER BY id", customer)
        states = ("paid", "paid", "paid", "open", "cancelled")
        for order, state in zip(case.random.sample(others, 5), states, strict=True):
            database.change("UPDATE orders SET customer = ?, state = ? WHERE id = ?", customer, state, order)
        paid = database.column("SELECT id FROM orders WHERE customer = ? AND state = 'paid'", customer)
        return Posed(
            {"customer": customer}, changed={"orders": {order: {"state": "shipped"} for order in paid}}
        )

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(f"{told['url']}/admin/orders")
        page.fill(page.find("searchbox", "Search"), told["customer"])
        page.select(page.find("combobox", "State"), "paid")
        page.settle()  # the search and the filter each draw the table anew
        while True:
            page.look()
            if not (rows := page.all("button", "Actions")):
                return
            try:
                page.click(rows[0])
            except CommandFailedError:
                continue  # the search, or the filter, came only now
            page.look_again()
            if not (items := page.all("menuitem", "Mark as shipped")):
                continue  # the table came anew, and took the menu away
            page.click(items[0])
            page.expect(f"{len(rows) - 1} in all")
