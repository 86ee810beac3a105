"""Choose rows on several pages of a table, and delete them and no others."""

from collections.abc import Iterator

from tests.evals.sites.shop import Shop
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, gone_rows, new_rows
from tests.evals.tools.browser import Browser

SITE = Shop
PROMPT = """\
In the back office at {url}/admin/products delete all products that are drafts and have a stock of {stock}. Keep all
others."""


def prepare(case: Case) -> Facts:
    stock = case.random.choice((0, 3, 5))
    for product in case.random.sample(range(1, 61), 4):
        case.database.change("UPDATE products SET state = 'draft', stock = ? WHERE id = ?", stock, product)
    statement = "SELECT id FROM products WHERE state = 'draft' AND stock = ? ORDER BY id"
    return {"stock": stock, "unwanted": case.database.column(statement, stock)}


def solve(page: Browser, told: Told) -> str:
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
    page.click(page.find("button", "Delete chosen"))
    page.look()
    page.click(page.all("button", "Delete")[-1])
    page.expect("products deleted")
    return "The drafts are deleted."


def _unwanted(text: str, stock: str) -> list[str]:
    """Names in rows of a table whose cells are apart by tabs."""
    rows = [[cell.strip() for cell in row.split("\t")] for row in text.splitlines()]
    return [row[-5] for row in rows if len(row) >= 5 and row[-3:-1] == ["draft", stock]]


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    gone = [row["id"] for row in gone_rows(case, "products")]
    if gone != case.facts["unwanted"]:
        yield f"products {gone} are gone, not {case.facts['unwanted']}"
    if new_rows(case, "products"):
        yield "other products were changed"
    yield from elsewhere(case, "products")
