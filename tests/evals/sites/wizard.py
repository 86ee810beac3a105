"""Serve an insurance that asks in steps.

Its fields depend on what was chosen, and the last step may send one back.
"""

import json
from random import Random
from typing import Any

from tests.evals.sites import words
from tests.evals.sites.site import Page, Refused, Request, Site, post, require

NEEDED: dict[str, tuple[str, ...]] = {
    "Bicycle": ("frame", "worth", "lock"),
    "Travel": ("country", "days"),
    "Home": ("area", "floor"),
}


class Wizard(Site):
    """Policies are ordered in four steps."""

    schema = """
    CREATE TABLE policies (id INTEGER PRIMARY KEY, number TEXT, cover TEXT, start TEXT, name TEXT, email TEXT, birth TEXT,
        details TEXT, extras TEXT);
    CREATE TABLE stolen (frame TEXT);
    CREATE TABLE numbers (next INTEGER, prefix TEXT);
    """
    pages = (Page("/", "wizard", "Harbour Insurance", beside='<nav><a href="/">Get a policy</a></nav>'),)

    def fill(self, random: Random) -> None:
        self.database.insert("numbers", next=random.randint(1000, 9000), prefix=words.code(random, 2, 3))

    @post("/api/check")
    def check(self, request: Request) -> None:
        values, step = request.json.get("values", {}), int(request.json.get("step", 0))
        self.take_time(0.05)
        wanted = {0: ("cover", "start"), 1: ("name", "email", "birth"), 2: NEEDED.get(values.get("cover"), ())}
        require(values, *wanted.get(step, ()), said="Something is missing")

    @post("/api/policies")
    def order(self, request: Request) -> Any:
        values = request.json
        details = NEEDED.get(values.get("cover", ""), ())
        require(values, "cover", "start", "name", "email", "birth", *details, said="Something is missing")
        if values.get("frame") in self.database.column("SELECT frame FROM stolen"):
            raise Refused(422, "Your policy could not be ordered", frame="This frame number is insured already")
        row = self.database.one("SELECT next, prefix FROM numbers")
        number = f"{row['prefix']}-{row['next']}"
        self.database.insert(
            "policies",
            number=number,
            **{key: values[key] for key in ("cover", "start", "name", "email", "birth")},
            details=json.dumps({key: str(values[key]) for key in details}),
            extras=json.dumps(sorted(values.get("extras", []))),
        )
        self.database.change("UPDATE numbers SET next = next + 7")
        return {"number": number}
