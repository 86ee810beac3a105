"""Sort a table by a column and act on its first row."""

from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.tables import Tables
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser

SITE = Tables
PROMPT = """\
Of all shipments on {url} to {city} that are not delivered, comment on the heaviest one: “{comment}”. Comment on no
other."""


def prepare(case: Case) -> Facts:
    city = case.random.choice(words.CITIES)
    statement = "SELECT id FROM shipments WHERE city = ? ORDER BY weight DESC, id"
    while len(ids := case.database.column(statement, city)) < 4:
        other = case.database.value("SELECT min(id) FROM shipments WHERE city != ?", city)
        case.database.change("UPDATE shipments SET city = ? WHERE id = ?", city, other)
    case.database.change("UPDATE shipments SET weight = 9500, state = 'delivered' WHERE id = ?", ids[0])
    case.database.change("UPDATE shipments SET weight = 9200, state = 'waiting' WHERE id = ?", ids[1])
    comment = f"Needs a lift, {case.random.randint(2, 9)} people; call {words.person(case.random)}"
    return {"city": city, "comment": comment, "id": ids[1]}


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.select(page.find("combobox", "City"), told["city"])
    page.click_fresh("button", "Weight")
    page.click_fresh("button", "Weight")
    page.follow()
    page.expect("9500 kg")
    rows = [row for row in page.text("table").split(" kg") if " kg" not in row]
    index = next(number for number, row in enumerate(rows[1:]) if "delivered" not in row)
    page.look()
    page.click(page.all("button", "Comment")[-(len(rows) - 1) :][index])
    page.look()
    page.fill(page.find("textbox", "Comment"), told["comment"])
    page.click(page.find("button", "Save comment"))
    page.expect("The comment was saved")
    return "The comment is saved."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from changed_only(case, "shipments", {case.facts["id"]: {"comment": case.facts["comment"]}})
    yield from elsewhere(case, "shipments")
