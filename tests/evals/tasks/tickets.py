"""Tasks on a server that is not well."""

from tests.evals.posed import Posed
from tests.evals.sites import words
from tests.evals.sites.rough import Rough
from tests.evals.task import Case, Task, Told
from tests.evals.tools.browser import Browser

TRIES = 5


class TicketFlaky(Task):
    """Try again when a slow server has refused, and end with one record."""

    site = Rough
    prompt = """\
On {url}/new open a ticket with the title “{title}”, the person {person} and the priority {priority}. The server is not well today:
if it refuses, try again until the ticket is saved, and see to it that there is only one."""

    def pose(self, case: Case) -> Posed:
        case.database.change("UPDATE failures SET left = ?", case.random.choice((1, 2)))
        number, city = case.random.randint(1, 40), case.random.choice(words.CITIES)
        ticket = {
            "title": f"Lift {number} in {city} stands still",
            "person": words.person(case.random),
            "priority": case.random.choice(("low", "high")),
        }
        return Posed(ticket, new={"tickets": ticket}, may_change=("failures",))

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(f"{told['url']}/new")
        page.fill_fields({"Title": told["title"], "Person": told["person"]})
        page.select(page.find("combobox", "Priority"), told["priority"])
        for _ in range(TRIES):
            page.click_button("Save ticket")
            page.expect_gone("Saving")
            if "is open" in page.text("main"):
                return


class TicketRedrawn(Task):
    """Click in a list that is drawn anew, in another order, every few moments."""

    site = Rough
    prompt = "On {url} close the tickets “{first}” and “{second}”, and no others."

    def pose(self, case: Case) -> Posed:
        tickets = case.random.sample(case.database.rows("SELECT * FROM tickets ORDER BY id"), 2)
        facts = {"first": tickets[0]["title"], "second": tickets[1]["title"]}
        return Posed(facts, changed={"tickets": {ticket["id"]: {"state": "closed"} for ticket in tickets}})

    def solve(self, page: Browser, told: Told) -> None:
        page.open(told["url"])
        for title in (told["first"], told["second"]):
            page.expect(title)
            page.click_fresh("button", "Close", near=title)
            page.expect(f"{title} is closed")

    def solve_playwright_cli(self, page: Browser, told: Told) -> None:
        """With a locator there is no moment between looking and clicking."""
        page.open(told["url"])
        for title in (told["first"], told["second"]):
            page.run("click", f"getByRole('listitem').filter({{ hasText: '{title}' }}).getByRole('button')")
            page.expect(f"{title} is closed")


class TicketSurvey(Task):
    """Send a form that something has come to lie over: the error says what, and that is sent away."""

    site = Rough
    prompt = "On {url}/hasty open a ticket with the title “{title}” for {person}. Answer no survey."

    def pose(self, case: Case) -> Posed:
        title = f"{words.things(case.random, 1)[0]} is out of order"
        ticket = {"title": title, "person": words.person(case.random)}
        return Posed(ticket, new={"tickets": ticket})

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(f"{told['url']}/hasty")
        page.fill_fields({"Title": told["title"], "Person": told["person"]})
        page.settle()
        page.click_through("button", "Save ticket", away="Skip")
        page.expect(f"{told['title']} is open")
