"""Serve a board of cards that are dragged.

Between columns as the browser drags, within a list as a script does with the pointer.
"""

from random import Random

from tests.evals.sites import words
from tests.evals.sites.site import Page, Request, Site, post

COLUMNS = ("Ideas", "Next", "Doing", "Done")


class Board(Site):
    """Cards have a column; steps have an order."""

    schema = """
    CREATE TABLE cards (id INTEGER PRIMARY KEY, name TEXT, column_name TEXT);
    CREATE TABLE steps (id INTEGER PRIMARY KEY, name TEXT, place INTEGER);
    """
    pages = (Page("/", "board", "Board"), Page("/plan", "plan", "Plan"))
    lists = (
        ("/api/cards", "SELECT * FROM cards ORDER BY id"),
        ("/api/steps", "SELECT * FROM steps ORDER BY place"),
    )
    actions = (("/api/cards/{id}", "UPDATE cards SET column_name = :column WHERE id = :id"),)

    def fill(self, random: Random) -> None:
        for name in words.things(random, 10):
            self.database.insert("cards", name=name, column_name=random.choice(COLUMNS))
        for place, name in enumerate(random.sample(words.NOUNS, 6)):
            self.database.insert("steps", name=name, place=place)

    @post("/api/steps")
    def order(self, request: Request) -> None:
        for place, step in enumerate(request.json["order"]):
            self.database.change("UPDATE steps SET place = ? WHERE id = ?", place, int(step))
