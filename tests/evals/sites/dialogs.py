"""Serve notebooks with the browser's own dialogs.

Questions before something is lost, and names that are asked for.
"""

from random import Random

from tests.evals.sites import words
from tests.evals.sites.site import Page, Site


class Dialogs(Site):
    """Notebooks are renamed, archived and deleted."""

    schema = """
    CREATE TABLE notebooks (id INTEGER PRIMARY KEY, name TEXT, pages INTEGER, state TEXT DEFAULT 'open', keeps INTEGER);
    """
    pages = (Page("/", "dialogs", "Notebooks"),)
    lists = (("/api/notebooks", "SELECT * FROM notebooks ORDER BY name"),)
    actions = (
        ("/api/notebooks/{id}/name", "UPDATE notebooks SET name = :name WHERE id = :id"),
        ("/api/notebooks/{id}/archive", "UPDATE notebooks SET state = 'archived' WHERE id = :id"),
        ("/api/notebooks/{id}/delete", "DELETE FROM notebooks WHERE id = :id"),
    )

    def fill(self, random: Random) -> None:
        for name in words.things(random, 9):
            keeps = random.choice((0, 1))
            self.database.insert("notebooks", name=name, pages=random.randint(1, 300), keeps=keeps)
