"""Expenses: receipts are uploaded, reports are downloaded; some of these are made first."""

import hashlib
import re
from random import Random
from typing import Any

from tests.evals.sites import words
from tests.evals.sites.database import Database
from tests.evals.sites.site import Page, Refused, Reply, Request, Site, attachment, get, post

BY_PERSON = "SELECT person, sum(cents) AS cents FROM spendings WHERE month = ? GROUP BY person"
MENU = '<nav><a href="/">Receipts</a> <a href="/reports">Reports</a></nav>'
MONTHS = ("January", "February", "March", "April", "May", "June")


class Files(Site):
    """Receipts and reports: each report is a file of rows of its own."""

    schema = """
    CREATE TABLE receipts (id INTEGER PRIMARY KEY, title TEXT, cents INTEGER, name TEXT, bytes INTEGER, sha256 TEXT);
    CREATE TABLE spendings (id INTEGER PRIMARY KEY, month TEXT, person TEXT, cents INTEGER);
    CREATE TABLE jobs (id INTEGER PRIMARY KEY, month TEXT, asked INTEGER DEFAULT 0);
    """
    pages = tuple(Page(path, "files", "Expenses", beside=MENU) for path in ("/", "/reports"))
    lists = (("/api/receipts", "SELECT * FROM receipts ORDER BY id"),)

    def fill(self, random: Random) -> None:
        people = words.people(random, 12)
        for month in MONTHS:
            for _ in range(random.randint(15, 30)):
                person = random.choice(people)
                self.database.insert("spendings", month=month, person=person, cents=random.randint(100, 90_000))

    @post("/api/receipts")
    def upload(self, request: Request) -> None:
        self.take_time(0.1)
        parts = _parts(request)
        name, content = parts.get("file", ("", b""))
        title = parts.get("title", ("", b""))[1].decode()
        cents = round(float(parts.get("amount", ("", b"0"))[1] or 0) * 100)
        if not content or not title:
            raise Refused(422, "A receipt needs a file and a title")
        sha256, bytes_ = hashlib.sha256(content).hexdigest(), len(content)
        self.database.insert("receipts", title=title, cents=cents, name=name, bytes=bytes_, sha256=sha256)

    @get("/reports/{month}.csv")
    def report(self, request: Request, month: str) -> Reply:
        return attachment(f"spendings-{month.lower()}.csv", report_of(self.database, month))

    @post("/api/jobs")
    def begin(self, request: Request) -> Any:
        return {"job": self.database.insert("jobs", month=request.json["month"])}

    @get("/api/jobs/{id}")
    def job(self, request: Request, id: str) -> Any:
        """Done when it was asked for a few times."""
        self.database.change("UPDATE jobs SET asked = asked + 1 WHERE id = ?", int(id))
        row = self.database.one("SELECT * FROM jobs WHERE id = ?", int(id))
        done = row["asked"] >= 4
        return {"percent": min(row["asked"] * 25, 100), "url": f"/exports/{row['month']}.csv" if done else ""}

    @get("/exports/{month}.csv")
    def export(self, request: Request, month: str) -> Reply:
        return attachment(f"by-person-{month.lower()}.csv", export_of(self.database, month))


def report_of(database: Database, month: str) -> bytes:
    rows = database.rows("SELECT * FROM spendings WHERE month = ? ORDER BY id", month)
    lines = [f"{row['id']},{row['person']},{row['cents'] / 100:.2f}" for row in rows]
    return "\n".join(["number,person,euros", *lines, ""]).encode()


def export_of(database: Database, month: str) -> bytes:
    lines = [
        f"{row['person']},{row['cents'] / 100:.2f}"
        for row in database.rows(f"{BY_PERSON} ORDER BY person", month)
    ]
    return "\n".join(["person,euros", *lines, ""]).encode()


def _parts(request: Request) -> dict[str, tuple[str, bytes]]:
    """The fields of a form with files: name of the file, content."""
    kind = request.headers.get("Content-Type", "")
    boundary = re.search(r'boundary="?([^";]+)', kind)
    if not boundary:
        raise Refused(400, "This is no form with files")
    found = {}
    for part in request.body.split(b"--" + boundary[1].encode())[1:-1]:
        head, _, content = part.strip(b"\r\n").partition(b"\r\n\r\n")
        names = dict(re.findall(r'(name|filename)="([^"]*)"', head.decode(errors="replace")))
        found[names.get("name", "")] = (names.get("filename", ""), content)
    return found
