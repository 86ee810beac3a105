"""Write a review in a dialog, with stars that are radio buttons."""

from collections.abc import Iterator

from tests.evals.sites.shop import Shop
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Shop
PROMPT = """In the shop at {url} publish a review of “{product}”: {stars} stars, and the words “{words}”"""
OPINIONS = (
    "Came in {days} days, works well.",
    "Not what I hoped for after {days} days.",
    "Used it for {days} days; would buy it again.",
)


def prepare(case: Case) -> Facts:
    product = case.random.choice(case.database.rows("SELECT * FROM products WHERE state = 'live'"))
    said = case.random.choice(OPINIONS).format(days=case.random.randint(2, 90))
    return {"product": product["name"], "id": product["id"], "stars": case.random.randint(2, 5), "words": said}


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.click(page.find("button", "Accept"))
    page.fill(page.find("searchbox", "Search"), told["product"])
    page.expect("Page 1 of 1, 1 products")
    page.look()
    page.click(page.find("link", told["product"]))
    page.expect("Write a review")
    page.look()
    page.click(page.find("button", "Write a review"))
    page.look()
    page.check(page.find("radio", f"{told['stars']} stars"))
    page.fill(page.find("textbox", "Your words"), told["words"])
    page.click(page.find("button", "Publish"))
    page.expect("Thank you for your review")
    return "The review is published."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts = case.facts
    expected = {"product": facts["id"], "author": "You", "stars": facts["stars"], "words": facts["words"]}
    yield from one_new(case, "reviews", expected)
    yield from elsewhere(case, "reviews")
