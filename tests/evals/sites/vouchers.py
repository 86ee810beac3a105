"""A club whose vouchers are shown in a window of their own."""

from random import Random
from typing import Any

from tests.evals.sites import words
from tests.evals.sites.site import Page, Refused, Request, Site, get, post


class Vouchers(Site):
    """Each offer has a code, which only its own window shows."""

    schema = """
    CREATE TABLE offers (id INTEGER PRIMARY KEY, name TEXT, code TEXT);
    CREATE TABLE redeemed (id INTEGER PRIMARY KEY, offer INTEGER, name TEXT);
    """
    pages = (Page("/", "vouchers", "Club"), Page("/offers/{id}", "offer", "Offer"))
    lists = (("/api/offers", "SELECT id, name FROM offers ORDER BY name"),)

    def fill(self, random: Random) -> None:
        for name in words.things(random, 5):
            self.database.insert("offers", name=name, code=words.code(random, 4, 4))

    @get("/api/offers/{id}")
    def offer(self, request: Request, id: str) -> Any:
        return self.database.one("SELECT * FROM offers WHERE id = ?", int(id))

    @post("/api/redeem")
    def redeem(self, request: Request) -> Any:
        code = str(request.json.get("code", "")).strip()
        offer = self.database.row("SELECT * FROM offers WHERE code = ?", code)
        if offer is None:
            raise Refused(404, "This code is not known")
        self.database.insert("redeemed", offer=offer["id"], name=request.json.get("name", ""))
        return {"offer": offer["name"]}
