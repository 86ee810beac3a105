"""Serve a rich text editor without a field, with a toolbar and drafts that save themselves."""

from random import Random
from typing import Any

from tests.evals.sites import words
from tests.evals.sites.site import Page, Refused, Request, Site, get, post


class Editor(Site):
    """Articles are HTML, as the editor makes it."""

    schema = """
    CREATE TABLE articles (id INTEGER PRIMARY KEY, title TEXT, body TEXT, tags TEXT, state TEXT);
    """
    pages = (Page("/", "editor", "Write"),)

    def fill(self, random: Random) -> None:
        subject = random.choice(words.things(random, 3)).lower()
        place, person = random.choice(words.CITIES), words.person(random)
        body = f"<p>The {subject} of {place} was found by {person}.</p><p>It is {random.randint(20, 900)} years old.</p>"
        self.database.insert("articles", title=f"Found in {place}", body=body, tags="", state="draft")

    @get("/api/article")
    def article(self, request: Request) -> Any:
        return self.database.one("SELECT * FROM articles")

    @post("/api/article")
    def save(self, request: Request) -> None:
        asked = request.json
        if not asked.get("title"):
            raise Refused(422, "An article needs a title")
        values = asked["title"], asked["body"], ",".join(asked["tags"]), asked["state"]
        self.database.change("UPDATE articles SET title = ?, body = ?, tags = ?, state = ?", *values)
