"""Serve a file manager: a chosen file is renamed in its row, and moved by a dialog."""

from random import Random
from typing import Any

from tests.evals.sites import words
from tests.evals.sites.site import Page, Refused, Request, Site, get, post


class Drive(Site):
    """Entries have a name and a folder; 0 is the top."""

    schema = "CREATE TABLE entries (id INTEGER PRIMARY KEY, folder INTEGER, name TEXT, is_folder INTEGER);"
    pages = (Page("/", "drive", "Drive"),)

    def fill(self, random: Random) -> None:
        folders = [
            self.database.insert("entries", folder=0, name=f"{name}s", is_folder=1)
            for name in random.sample(words.NOUNS, 5)
        ]
        for folder in folders:
            for name in words.things(random, 8):
                file = f"{name.lower().replace(' ', '-')}.{random.choice(('pdf', 'txt', 'png'))}"
                self.database.insert("entries", folder=folder, name=file, is_folder=0)

    @get("/api/entries")
    def entries(self, request: Request) -> Any:
        self.take_time(0.1)
        folder = int(request.query.get("folder", "0"))
        return self.database.rows("SELECT * FROM entries WHERE folder = ? ORDER BY name, id", folder)

    @post("/api/entries/{id}")
    def change(self, request: Request, id: str) -> None:
        asked = request.json
        if "name" in asked and not str(asked["name"]).strip():
            raise Refused(422, "A file needs a name")
        for column in ("name", "folder"):
            if column in asked:
                self.database.change(f"UPDATE entries SET {column} = ? WHERE id = ?", asked[column], int(id))
