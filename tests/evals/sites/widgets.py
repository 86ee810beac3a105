"""Serve a travel desk.

A calendar in a popup, places that are searched as one types, sliders, and a tree with menus.
"""

from random import Random
from typing import Any

from tests.evals.sites import words
from tests.evals.sites.site import Page, Request, Site, get, post, require


class Widgets(Site):
    """Stays are searched for and booked; folders are kept in a tree."""

    schema = """
    CREATE TABLE places (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE bookings (id INTEGER PRIMARY KEY, place INTEGER, first TEXT, last TEXT, guests INTEGER, most INTEGER, breakfast INTEGER);
    CREATE TABLE folders (id INTEGER PRIMARY KEY, parent INTEGER, name TEXT, color TEXT DEFAULT 'grey');
    """
    pages = (Page("/", "stay", "Travel desk"), Page("/folders", "folders", "Folders"))
    lists = (("/api/folders", "SELECT * FROM folders ORDER BY name"),)
    actions = (("/api/folders/{id}/color", "UPDATE folders SET color = :color WHERE id = :id"),)

    def fill(self, random: Random) -> None:
        for city in words.CITIES:
            for kind in random.sample(("Harbour", "Station", "Old Town", "Airport", "Park"), 3):
                self.database.insert("places", name=f"{city} {kind}")
        for name in random.sample(words.NOUNS, 4):
            parent = self.database.insert("folders", parent=0, name=f"{name}s")
            for inner in random.sample(words.ADJECTIVES, 4):
                child = self.database.insert("folders", parent=parent, name=f"{inner} {name.lower()}s")
                self.database.insert("folders", parent=child, name=f"Old {random.randint(2000, 2020)}")

    @get("/api/places")
    def search_places(self, request: Request) -> Any:
        self.take_time(0.1)
        wanted = request.query.get("search", "")
        return self.database.rows("SELECT * FROM places WHERE name LIKE ? ORDER BY name LIMIT 8", f"%{wanted}%")

    @post("/api/bookings")
    def book(self, request: Request) -> None:
        asked = request.json
        require(asked, "place", "first", "last", said="Something is missing")
        values = {key: asked[key] for key in ("place", "first", "last", "guests", "most")}
        self.database.insert("bookings", **values, breakfast=int(bool(asked.get("breakfast"))))
