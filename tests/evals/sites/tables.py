"""Serve shipments in tables.

By pages that the server sorts and filters, as a list of thousands that shows what is in view, and as a feed.
"""

from random import Random
from typing import Any

from tests.evals.sites import words
from tests.evals.sites.site import Page, Refused, Request, Site, get, page_of, post

MENU = '<nav><a href="/">Shipments</a> <a href="/parts">Parts</a> <a href="/feed">Feed</a></nav>'
PER_PAGE = 20
COLUMNS = {"number", "customer", "city", "weight", "due"}
MANY = 4_000
POSTS = ("I found a {}.", "Who has lost a {}?", "Made a {} today.", "My {} is broken.")


class Tables(Site):
    """Every table is loaded piece by piece."""

    schema = """
    CREATE TABLE shipments (id INTEGER PRIMARY KEY, number TEXT, customer TEXT, city TEXT, weight INTEGER, due TEXT, state TEXT,
        comment TEXT DEFAULT '');
    CREATE TABLE parts (id INTEGER PRIMARY KEY, name TEXT, shelf TEXT, starred INTEGER DEFAULT 0);
    CREATE TABLE posts (id INTEGER PRIMARY KEY, author TEXT, words TEXT, liked INTEGER DEFAULT 0);
    """
    pages = (
        Page("/", "shipments", "Shipments", beside=MENU),
        Page("/parts", "parts", "Parts", beside=MENU),
        Page("/feed", "feed", "Feed", beside=MENU),
    )
    actions = (
        ("/api/shipments/{id}/comment", "UPDATE shipments SET comment = :comment WHERE id = :id"),
        ("/api/posts/{id}/like", "UPDATE posts SET liked = 1 WHERE id = :id"),
    )

    def fill(self, random: Random) -> None:
        customers = words.people(random, 30)
        for number in random.sample(range(100_000, 999_999), 170):
            self.database.insert(
                "shipments",
                number=f"S{number}",
                customer=random.choice(customers),
                city=random.choice(words.CITIES),
                weight=random.randint(1, 9_000),
                due=words.date(random),
                state=random.choice(("waiting", "on its way", "delivered")),
            )
        names = random.sample(range(10_000, 99_999), MANY)
        shelf = [f"{random.choice('ABCDEFGH')}{random.randint(1, 60)}" for _ in names]
        self.database.insert_all(
            "parts", [{"name": f"Part {number}", "shelf": at} for number, at in zip(names, shelf, strict=True)]
        )
        self._fill_posts(random)

    def _fill_posts(self, random: Random) -> None:
        for author in random.choices(words.people(random, 40), k=140):
            thing = f"{random.choice(words.ADJECTIVES).lower()} {random.choice(words.NOUNS).lower()}"
            said = random.choice(POSTS).format(thing)
            self.database.insert("posts", author=author, words=f"{said} #{random.randint(100, 999)}")

    @get("/api/shipments")
    def shipments(self, request: Request) -> Any:
        query = request.query
        city, state, sort = query.get("city", ""), query.get("state", ""), query.get("sort", "number")
        if sort not in COLUMNS:
            raise Refused(400, "There is no such column")
        order = "DESC" if query.get("order") == "descending" else "ASC"
        chosen = "(? = '' OR city = ?) AND (? = '' OR state = ?)"
        statement = f"SELECT * FROM shipments WHERE {chosen} ORDER BY {sort} {order}, id"
        return page_of(self.database.rows(statement, city, city, state, state), query, PER_PAGE)

    @get("/api/parts")
    def parts(self, request: Request) -> Any:
        start, count = int(request.query.get("start") or 0), min(int(request.query.get("count") or 50), 200)
        rows = self.database.rows("SELECT * FROM parts ORDER BY name LIMIT ? OFFSET ?", count, start)
        return {"rows": rows, "total": MANY}

    @post("/api/parts/{id}/star")
    def star(self, request: Request, id: str) -> Any:
        self.database.change("UPDATE parts SET starred = 1 - starred WHERE id = ?", int(id))
        return self.database.one("SELECT * FROM parts WHERE id = ?", int(id))

    @get("/api/posts")
    def posts(self, request: Request) -> Any:
        self.take_time(0.05)
        start = int(request.query.get("start") or 0)
        return self.database.rows("SELECT * FROM posts ORDER BY id LIMIT 15 OFFSET ?", start)
