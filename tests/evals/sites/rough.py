"""Serve tickets on a bad day.

The server is slow, fails now and then, and the page draws its list anew all the time.
"""

from random import Random

from tests.evals.sites import words
from tests.evals.sites.site import Page, Refused, Request, Site, post, require

MENU = '<nav><a href="/">Tickets</a> <a href="/new">New ticket</a></nav>'


class Rough(Site):
    """Tickets on a server that fails in ways which a person would get over."""

    schema = """
    CREATE TABLE tickets (id INTEGER PRIMARY KEY, title TEXT, person TEXT, state TEXT DEFAULT 'open', priority TEXT);
    CREATE TABLE failures (left INTEGER);
    CREATE TABLE surveys (id INTEGER PRIMARY KEY, mood TEXT);
    """
    pages = (
        Page("/", "tickets", "Tickets", beside=MENU),
        Page("/new", "ticket-new", "Tickets", beside=MENU),
        Page("/hasty", "ticket-hasty", "New ticket", name="Tickets", beside=MENU),
    )
    lists = (("/api/tickets", "SELECT * FROM tickets ORDER BY title"),)
    actions = (
        ("/api/tickets/{id}/close", "UPDATE tickets SET state = 'closed' WHERE id = :id"),
        ("/api/surveys", "INSERT INTO surveys (mood) VALUES (:mood)"),
    )

    def fill(self, random: Random) -> None:
        for title in words.things(random, 14):
            priority = random.choice(("low", "normal", "high"))
            self.database.insert("tickets", title=title, person=words.person(random), priority=priority)
        self.database.insert("failures", left=0)

    @post("/api/tickets")
    def create(self, request: Request) -> None:
        self.take_time(0.8)
        if left := self.database.value("SELECT left FROM failures"):
            self.database.change("UPDATE failures SET left = ?", left - 1)
            raise Refused(503, "The server is overloaded. Nothing was saved: please try again")
        asked = request.json
        require(asked, "title", said="A ticket needs a title")
        self.database.insert("tickets", **{key: asked.get(key, "") for key in ("title", "person", "priority")})
