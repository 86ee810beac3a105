"""Tasks with widgets that are no form fields."""

from tests.evals.posed import Posed
from tests.evals.sites.widgets import Widgets
from tests.evals.task import Case, Task, Told
from tests.evals.tools.browser import Browser

MONTHS = ["January", "February", "March", "April", "May", "June"]


class FolderColor(Task):
    """Open branches of a tree, and choose in a menu of a menu that comes up under the pointer."""

    site = Widgets
    prompt = """\
On {url}/folders give the folder “{folder}”, in “{inner}” in “{outer}”, the color {color}. Change no other folder. (The menu of a folder
shows when the pointer is on it.)"""

    def pose(self, case: Case) -> Posed:
        statement = "SELECT * FROM folders WHERE id = ?"
        leaf = case.random.choice(
            case.database.rows("SELECT * FROM folders WHERE name LIKE 'Old %' ORDER BY id")
        )
        inner = case.database.one(statement, leaf["parent"])
        outer = case.database.one(statement, inner["parent"])
        color = case.random.choice(("Red", "Green", "Blue", "Yellow"))
        facts = {"folder": leaf["name"], "inner": inner["name"], "outer": outer["name"], "color": color}
        return Posed(facts, changed={"folders": {leaf["id"]: {"color": color.lower()}}})

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(f"{told['url']}/folders")
        page.click_button(f"Open {told['outer']}")
        page.look()
        page.click_button(f"Open {told['inner']}")
        page.look()
        page.hover(page.find("treeitem", told["folder"]))
        page.look_again()
        page.click_button(f"Menu of {told['folder']}")
        page.look_again()
        page.click(page.find("menuitem", "Color"))
        page.look_again()
        page.click(page.find("menuitem", told["color"]))
        page.expect(f"is {told['color'].lower()}")


class StayBook(Task):
    """Book with widgets that are no form fields.

    A search that completes, a calendar, steppers, a slider, a switch.
    """

    site = Widgets
    prompt = """\
On {url} book a stay: place {place}, from the {first_day} of {month} 2027 to the {last_day} of the same month, {guests} guests, at most
{most} euros per night, with breakfast."""

    def pose(self, case: Case) -> Posed:
        place = case.random.choice(case.database.rows("SELECT * FROM places ORDER BY id"))
        month, first = case.random.randint(1, 5), case.random.randint(1, 14)
        last = first + case.random.randint(2, 12)
        facts = {"guests": case.random.randint(2, 4), "most": case.random.choice((150, 220, 310))}
        first_day, last_day = (f"2027-{month + 1:02}-{day:02}" for day in (first, last))
        booking = {"place": place["id"], "first": first_day, "last": last_day, "breakfast": 1, **facts}
        days = {"month": MONTHS[month], "first_day": first, "last_day": last}
        return Posed({"place": place["name"], **days, **facts}, new={"bookings": booking})

    def solve(self, page: Browser, told: Told) -> str:
        page.visit(told["url"])
        page.fill(page.find("combobox", "Place"), told["place"])
        page.expect_role("option", told["place"])
        page.look()
        page.click(page.find("option", told["place"]))
        for _ in range(int(told["guests"]) - 1):
            page.click_button("One guest more")
        page.fill(page.find("slider", "Most per night"), told["most"])
        page.check(page.find("switch", "Breakfast"))
        page.click_button("Choose days")
        page.look_again()
        for _ in range(MONTHS.index(told["month"])):
            page.click_button("Next month")
            page.look_again()
        page.click_button(f"{told['first_day']} {told['month']} 2027")
        page.look_again()
        page.click_button(f"{told['last_day']} {told['month']} 2027")
        page.look_again()
        page.click_button("Book", says="Booked")
        return page.text("main")
