"""Serve a library's catalogue with planted bugs.

In what the server answers and in what the page keeps.
"""

from random import Random
from typing import Any

from tests.evals.sites import words
from tests.evals.sites.site import Page, Refused, Request, Site, get, post

PER_PAGE = 10
GENRES = ("History", "Novel", "Science", "Travel")
SCRIPT = {
    "filter": ("{ ...state, page }", '{ ...state, page, genre: page > 1 ? "" : state.genre }'),
    "compact": ('localStorage.setItem("compact", String(compact))', "void compact"),
    "count": ("answer.total", "answer.total + 1"),
}


class Library(Site):
    """A library: the bugs in `planted` are there, everything else works."""

    schema = """
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author TEXT, genre TEXT, pages INTEGER, copies INTEGER);
    """
    pages = (Page("/", "library", "Town Library"),)
    bugs = SCRIPT

    def fill(self, random: Random) -> None:
        for number, title in enumerate(words.things(random, 42)):
            self.database.insert(
                "books",
                title=f"The {title}",
                author=words.person(random),
                genre=GENRES[number % 4] if number < 16 else random.choice(GENRES),
                pages=random.randint(1000, 1400) if number % 8 == 0 else random.randint(200, 999),
                copies=random.choice((0, 1, 2, 5)),
            )

    @get("/api/books")
    def books(self, request: Request) -> Any:
        query = request.query
        genre, page = query.get("genre", ""), int(query.get("page") or 1)
        as_text = "CAST(pages AS TEXT)" if "sort" in self.planted else "pages"
        order = as_text if query.get("sort") == "pages" else "title"
        rows = self.database.rows(
            f"SELECT * FROM books WHERE ? = '' OR genre = ? ORDER BY {order}, id", genre, genre
        )
        start = (page - 1) * (PER_PAGE - ("repeat" in self.planted))
        return {"rows": rows[start : start + PER_PAGE], "total": len(rows), "pages": -(-len(rows) // PER_PAGE)}

    @get("/api/books/{id}")
    def book(self, request: Request, id: str) -> Any:
        book = self.database.one("SELECT * FROM books WHERE id = ?", int(id))
        if "details" in self.planted and book["genre"] == "Travel":
            raise Refused(500, "Internal server error")
        return book

    @post("/api/books/{id}/reserve")
    def reserve(self, request: Request, id: str) -> Any:
        book = self.database.one("SELECT * FROM books WHERE id = ?", int(id))
        if book["copies"] < 1 and "reserve" not in self.planted:
            raise Refused(409, "All copies are out")
        self.database.change("UPDATE books SET copies = copies - 1 WHERE id = ?", int(id))
        return self.database.one("SELECT * FROM books WHERE id = ?", int(id))
