"""Pages with frames: of the same site, of another one that takes card numbers, and frames in frames."""

import secrets
from random import Random
from typing import Any

from tests.evals.sites import words
from tests.evals.sites.site import Page, Refused, Request, Site, as_json, get, post


class Frames(Site):
    """A donation is paid in a frame of another site, which gives the page a token and never the number."""

    schema = """
    CREATE TABLE donations (id INTEGER PRIMARY KEY, cents INTEGER, cause TEXT, last4 TEXT, holder TEXT);
    CREATE TABLE cards (token TEXT, number TEXT, expiry TEXT, cvc TEXT, holder TEXT);
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE notes (id INTEGER PRIMARY KEY, room TEXT, words TEXT);
    CREATE TABLE causes (name TEXT);
    """
    pages = (
        Page("/", "donate", "Give"),
        Page("/card", "card", "Card", name=""),
        Page("/settings", "settings", "Settings", name="Workbench"),
        Page("/embed/settings", "settings-frame", "Settings", name=""),
        Page("/rooms", "rooms", "Rooms"),
        Page("/rooms/{room}", "room", "Room", name=""),
        Page("/rooms/{room}/notes", "notes", "Notes", name=""),
    )

    lists = (("/api/rooms/{room}/notes", "SELECT * FROM notes WHERE room = :room ORDER BY id"),)
    actions = (("/api/rooms/{room}/notes", "INSERT INTO notes (room, words) VALUES (:room, :words)"),)

    def fill(self, random: Random) -> None:
        for cause in random.sample(words.NOUNS, 4):
            self.database.insert("causes", name=f"{cause}s for {random.choice(words.CITIES)}")
        defaults = {"theme": "light", "digest": "weekly", "tips": "on", "signature": ""}
        for name, value in defaults.items():
            self.database.insert("settings", name=name, value=value)

    @get("/api/causes")
    def causes(self, request: Request) -> Any:
        return self.database.column("SELECT name FROM causes")

    @post("/api/cards")
    def card(self, request: Request) -> Any:
        """Asked by the frame only, which is of the other site."""
        asked = request.json
        number = "".join(filter(str.isdigit, str(asked.get("number", ""))))
        wrong = {} if len(number) == 16 else {"number": "A card number has 16 digits"}
        wrong |= {} if asked.get("expiry") else {"expiry": "Please fill this in"}
        wrong |= {} if len(str(asked.get("cvc", ""))) == 3 else {"cvc": "Three digits"}
        if request.host != "localhost":
            raise Refused(403, "Cards are taken by the payment service")
        if wrong:
            raise Refused(422, "Please check your card", **wrong)
        token = secrets.token_hex(8)
        rest = {key: asked[key] for key in ("expiry", "cvc", "holder")}
        self.database.insert("cards", token=token, number=number, **rest)
        return as_json({"token": token, "last4": number[-4:]})

    @post("/api/donations")
    def donate(self, request: Request) -> None:
        asked = request.json
        card = self.database.row("SELECT * FROM cards WHERE token = ?", asked.get("token", ""))
        if card is None:
            raise Refused(402, "There is no card yet")
        cents, last4 = round(float(asked.get("amount") or 0) * 100), card["number"][-4:]
        self.database.insert("donations", cents=cents, cause=asked["cause"], last4=last4, holder=card["holder"])

    @get("/api/settings")
    def settings(self, request: Request) -> Any:
        return {row["name"]: row["value"] for row in self.database.rows("SELECT * FROM settings")}

    @post("/api/settings")
    def change(self, request: Request) -> None:
        for name, value in request.json.items():
            self.database.change("UPDATE settings SET value = ? WHERE name = ?", str(value), name)
