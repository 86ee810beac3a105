"""Serve a site: routes, pages, a database, and a log of all requests.

Its contents are a subclass's own.
"""

import json
import mimetypes
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from http.cookies import SimpleCookie
from pathlib import Path
from random import Random
from typing import Any, ClassVar, TypeVar

from tests.evals.sites.database import Database, Row

HERE = Path(__file__).parent
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<link rel="stylesheet" href="/static/app.css">
{header}
<main id="app"></main>
<script type="module" src="/static/{script}.js"></script>
"""
T = TypeVar("T", bound=Callable[..., Any])


@dataclass
class Request:
    """A browser's request."""

    method: str
    host: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def json(self) -> dict[str, Any]:
        """The body as a JSON object. Raises Refused."""
        try:
            value = json.loads(self.body or b"{}")
        except ValueError:
            raise Refused(400, "The request is not JSON") from None
        if not isinstance(value, dict):
            raise Refused(400, "The request is no JSON object")
        return value

    @property
    def cookies(self) -> dict[str, str]:
        jar = SimpleCookie(self.headers.get("Cookie", ""))
        return {name: morsel.value for name, morsel in jar.items()}


@dataclass(frozen=True)
class Reply:
    """Answer of the site, where that is not plain JSON."""

    body: bytes = b""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A page that a script fills.

    `name`: what stands above it, by default the title; "" for nothing. `beside`: markup beside the name.
    """

    path: str
    script: str
    title: str
    name: str | None = None
    beside: str = ""

    def reply(self) -> Reply:
        name = self.title if self.name is None else self.name
        header = f"<header><strong>{name}</strong>{self.beside}</header>" if name else ""
        return Reply(PAGE.format(title=self.title, header=header, script=self.script).encode())


class Refused(Exception):
    """The site does not do what was asked: a status and words, and the fields that are wrong."""

    def __init__(self, status: int, message: str, **fields: str) -> None:
        super().__init__(message)
        self.reply = as_json({"error": message, "fields": fields}, status)


def require(values: Mapping[str, Any], *names: str, said: str) -> None:
    """Raise Refused where one of these fields is empty."""
    missing = {name: "Please fill this in" for name in names if not str(values.get(name) or "").strip()}
    if missing:
        raise Refused(422, said, **missing)


def page_of(rows: list[Row], query: Mapping[str, str], per_page: int) -> dict[str, Any]:
    """A page of rows, counted from 1."""
    page = max(int(query.get("page") or 1), 1)
    shown = rows[(page - 1) * per_page : page * per_page]
    return {"rows": shown, "total": len(rows), "page": page, "pages": -(-len(rows) // per_page) or 1}


def as_json(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(json.dumps(value, default=str).encode(), status, "application/json", headers or {})


def attachment(name: str, content: bytes) -> Reply:
    return Reply(content, 200, "text/csv", {"Content-Disposition": f'attachment; filename="{name}"'})


def get(pattern: str) -> Callable[[T], T]:
    return _route("GET", pattern)


def post(pattern: str) -> Callable[[T], T]:
    return _route("POST", pattern)


def _route(method: str, pattern: str) -> Callable[[T], T]:
    def mark(handler: T) -> T:
        handler.route = (method, pattern)  # type: ignore[attr-defined]
        return handler

    return mark


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """`/orders/{id}` as a regular expression for a whole path."""
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern) + r"\Z")


class Site:
    """An application.

    Its database is filled by `fill`; handlers are methods marked with `@get` and `@post`, which return what becomes JSON, or nothing.
    """

    schema: ClassVar[str] = ""
    pages: ClassVar[tuple[Page, ...]] = ()
    lists: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Paths, and the queries whose rows are shown there: names in the path are parameters of the query."""
    actions: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Paths that are posted to, and the statements that this runs: their parameters are names in the path, and the JSON's fields."""
    bugs: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """By name: a piece of a script as it should be, and with the bug."""
    planted: frozenset[str] = frozenset()
    """Names of the bugs that are there."""

    def __init__(self) -> None:
        self.database = Database(self.schema)
        self.stopping = threading.Event()
        self.other = ""
        """The address of the same server as another site."""
        self._routes = [
            (method, _compiled(pattern), handler)
            for name in dir(type(self))
            if callable(handler := getattr(self, name)) and (route := getattr(handler, "route", None))
            for method, pattern in [route]
        ]

    def fill(self, random: Random) -> None:
        """Make the data that the seed stands for."""

    def marks(self) -> Mapping[str, str]:
        """Return the replacements of words in the served files."""
        pieces = {f"{{{{{name}}}}}": each[name in self.planted] for name, each in self.bugs.items()}
        return {"{{other}}": self.other, **pieces}

    def take_time(self, seconds: float) -> None:
        """Be slow, as a server under load is; not while the site is stopped."""
        self.stopping.wait(seconds)

    def answer(self, request: Request) -> Reply:
        """Find the handler of a request, and log the request with the status of its answer."""
        try:
            reply = self._dispatch(request)
        except Refused as refused:
            reply = refused.reply
        asked = {"method": request.method, "host": request.host, "path": request.path}
        self.database.insert("log", **asked, status=reply.status)
        return reply

    def _dispatch(self, request: Request) -> Reply:
        for method, pattern, handler in self._routes:
            if method == request.method and (match := pattern.match(request.path)):
                value = handler(request, **match.groupdict())
                return value if isinstance(value, Reply) else as_json({"ok": True} if value is None else value)
        if request.method == "GET":
            for path, query in self.lists:
                if match := _compiled(path).match(request.path):
                    return as_json(self.database.rows_by_name(query, match.groupdict()))
            return self._page(request.path)
        for path, statement in self.actions:
            if match := _compiled(path).match(request.path):
                self.database.rows_by_name(statement, {**request.json, **match.groupdict()})
                return as_json({"ok": True})
        raise Refused(404, "There is nothing here")

    def _page(self, path: str) -> Reply:
        for page in self.pages:
            if _compiled(page.path).match(path):
                return page.reply()
        if path.startswith("/static/"):
            return static(path.removeprefix("/static/"), self.marks())
        return Reply(b"<!doctype html><title>Not found</title><h1>Not found</h1>", 404)


def static(name: str, marks: Mapping[str, str]) -> Reply:
    """A file of ours. Marks in scripts are replaced."""
    path = (HERE / "static" / name).resolve()
    if not path.is_relative_to(HERE / "static") or not path.is_file():
        return Reply(b"Not found", 404, "text/plain")
    content = path.read_bytes()
    if path.suffix == ".js":
        for mark, value in marks.items():
            content = content.replace(mark.encode(), value.encode())
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Reply(content, 200, kind + ("; charset=utf-8" if kind.startswith("text/") else ""))


class Sessions:
    """Users who are signed in: cookies that the site gave, in its database (`sessions (token, user)`)."""

    schema = "CREATE TABLE sessions (token TEXT PRIMARY KEY, user TEXT, state TEXT);"
    name = "session"

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, user: str, state: str = "open") -> dict[str, str]:
        """A new session, and the header that gives it to the browser."""
        token = secrets.token_hex(16)
        self._database.insert("sessions", token=token, user=user, state=state)
        return {"Set-Cookie": f"{self.name}={token}; Path=/; HttpOnly; SameSite=Lax"}

    def of(self, request: Request) -> Row | None:
        token = request.cookies.get(self.name, "")
        return self._database.row("SELECT * FROM sessions WHERE token = ?", token)

    def user(self, request: Request) -> str:
        """Return the user who asks. Raises Refused (401)."""
        session = self.of(request)
        if session is None or session["state"] != "open":
            raise Refused(401, "Please sign in")
        return str(session["user"])
