"""Book with widgets that are no form fields.

A search that completes, a calendar, steppers, a slider, a switch.
"""

from collections.abc import Iterator

from tests.evals.sites.widgets import Widgets
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Widgets
PROMPT = """\
On {url} book a stay: place {place}, from the {first_day} of {month} 2027 to the {last_day} of the same month, {guests} guests, at most
{most} euros per night, with breakfast."""
MONTHS = ["January", "February", "March", "April", "May", "June"]


def prepare(case: Case) -> Facts:
    place = case.random.choice(case.database.rows("SELECT * FROM places ORDER BY id"))
    month, first = case.random.randint(1, 5), case.random.randint(1, 14)
    last = first + case.random.randint(2, 12)
    return {
        "place": place["name"],
        "id": place["id"],
        "month": MONTHS[month],
        "first_day": first,
        "last_day": last,
        "first": f"2027-{month + 1:02}-{first:02}",
        "last": f"2027-{month + 1:02}-{last:02}",
        "guests": case.random.randint(2, 4),
        "most": case.random.choice((150, 220, 310)),
    }


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.fill(page.find("combobox", "Place"), told["place"])
    page.expect_role("option", told["place"])
    page.look()
    page.click(page.find("option", told["place"]))
    for _ in range(int(told["guests"]) - 1):
        page.click(page.find("button", "One guest more"))
    page.fill(page.find("slider", "Most per night"), told["most"])
    page.check(page.find("switch", "Breakfast"))
    page.click(page.find("button", "Choose days"))
    page.look_again()
    for _ in range(MONTHS.index(told["month"])):
        page.click(page.find("button", "Next month"))
        page.look_again()
    page.click(page.find("button", f"{told['first_day']} {told['month']} 2027"))
    page.look_again()
    page.click(page.find("button", f"{told['last_day']} {told['month']} 2027"))
    page.look_again()
    page.click(page.find("button", "Book"))
    page.expect("Booked")
    return page.text("main")


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    expected = {key: case.facts[key] for key in ("first", "last", "guests", "most")}
    yield from one_new(case, "bookings", {**expected, "place": case.facts["id"], "breakfast": 1})
    yield from elsewhere(case, "bookings")
