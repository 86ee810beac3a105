"""Serve a bank: an account to change, behind a password and for some users a one-time code."""

from random import Random
from typing import Any

from tests.evals.sites import totp, words
from tests.evals.sites.site import Page, Refused, Reply, Request, Sessions, Site, as_json, get, post, require


class Bank(Site):
    """Sessions are cookies. For some users one ends early, as real ones do."""

    schema = (
        Sessions.schema
        + """
    CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT, password TEXT, name TEXT, secret TEXT, phone TEXT, street TEXT,
        language TEXT);
    CREATE TABLE logins (id INTEGER PRIMARY KEY, user TEXT);
    CREATE TABLE payments (id INTEGER PRIMARY KEY, user TEXT, payee TEXT, iban TEXT, cents INTEGER, purpose TEXT);
    CREATE TABLE ends_early (user TEXT);
    """
    )
    pages = tuple(
        Page(path, "bank", "Lighthouse Bank", beside='<nav id="menu"></nav>')
        for path in ("/", "/account", "/payments", "/settings")
    )

    def fill(self, random: Random) -> None:
        self.sessions = Sessions(self.database)
        for number, name in enumerate(words.people(random, 4)):
            self.database.insert(
                "users",
                email=words.email(name),
                password=f"{random.choice(words.NOUNS)}-{random.randint(100, 999)}-{random.choice(words.CITIES)}",
                name=name,
                secret=totp.secret(random) if number == 0 else "",
                phone=f"+49 30 {random.randint(10_000, 99_999)}",
                street=f"{random.choice(words.LAST)} Road {random.randint(1, 60)}",
                language="English",
            )

    @post("/api/login")
    def login(self, request: Request) -> Reply:
        asked = request.json
        user = self.database.row("SELECT * FROM users WHERE email = ?", asked.get("email", ""))
        self.take_time(0.1)
        if user is None or user["password"] != asked.get("password"):
            raise Refused(403, "Email or password is wrong")
        if not user["secret"]:
            self.database.insert("logins", user=user["email"])
            return as_json({"next": "account"}, headers=self.sessions.begin(user["email"]))
        return as_json({"next": "code"}, headers=self.sessions.begin(user["email"], "code"))

    @post("/api/code")
    def code(self, request: Request) -> Any:
        session = self.sessions.of(request)
        if session is None or session["state"] != "code":
            raise Refused(401, "Please sign in")
        secret = self.database.value("SELECT secret FROM users WHERE email = ?", session["user"])
        if not totp.is_right(secret, str(request.json.get("code", "")).replace(" ", "")):
            raise Refused(403, "This code is not right", code="Look at your authenticator app again")
        self.database.change("UPDATE sessions SET state = 'open' WHERE token = ?", session["token"])
        self.database.insert("logins", user=session["user"])
        return {"next": "account"}

    @get("/api/account")
    def account(self, request: Request) -> Any:
        user = self.database.one("SELECT * FROM users WHERE email = ?", self.sessions.user(request))
        payments = self.database.rows("SELECT * FROM payments WHERE user = ? ORDER BY id", user["email"])
        shown = {key: user[key] for key in ("name", "email", "phone", "street", "language")}
        return {**shown, "payments": payments}

    @post("/api/account")
    def change(self, request: Request) -> None:
        email = self._acting(request)
        for key in ("phone", "street", "language"):
            if key in request.json:
                self.database.change(f"UPDATE users SET {key} = ? WHERE email = ?", request.json[key], email)

    @post("/api/payments")
    def pay(self, request: Request) -> None:
        email, asked = self._acting(request), request.json
        require(asked, "payee", "iban", "amount", said="The payment was not made")
        payment = {"payee": asked["payee"], "purpose": asked.get("purpose", "")}
        cents, iban = round(float(asked["amount"]) * 100), asked["iban"].replace(" ", "")
        self.database.insert("payments", user=email, iban=iban, cents=cents, **payment)

    def _acting(self, request: Request) -> str:
        """Return the user who changes something.

        The first time, for some, their session has just ended.
        """
        user = self.sessions.user(request)
        if self.database.row("SELECT 1 FROM ends_early WHERE user = ?", user):
            self.database.change("DELETE FROM ends_early WHERE user = ?", user)
            self.database.change("DELETE FROM sessions WHERE user = ?", user)
            raise Refused(401, "Your session has ended")
        return user
