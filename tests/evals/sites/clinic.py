"""Appointments at a clinic, with bugs that are planted: some in the page's script, some in the server."""

from random import Random

from tests.evals.sites import words
from tests.evals.sites.site import Page, Refused, Reply, Request, Site, get, post

SCRIPT = {
    "picture": ("`/pictures/${doctor.id}.svg`", "`/pictures/doctor-${doctor.id}.svg`"),
    "total": ("BASE + extras()", "BASE + extras() + extras()"),
    "cancel": ("await api(`/api/appointments/${visit.id}/cancel`, {})", "await visit.cancel()"),
    "search": ("has(visit.name.toLowerCase(), term.toLowerCase())", "has(visit.name, term)"),
    "hours": ('"/hours"', '"/opening-hours"'),
    "label": ('field("Email", email)', 'h("div.field", [h("span", "Email"), email])'),
}


class Clinic(Site):
    """A clinic: the bugs in `planted` are there, everything else works."""

    schema = """
    CREATE TABLE doctors (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE appointments (id INTEGER PRIMARY KEY, name TEXT, email TEXT, phone TEXT, day TEXT, doctor TEXT);
    """
    pages = (
        Page("/", "clinic", "Clinic at the Gate", beside='<nav id="menu"></nav>'),
        Page("/hours", "hours", "Opening hours", name=""),
    )
    lists = (
        ("/api/doctors", "SELECT * FROM doctors ORDER BY name"),
        ("/api/appointments", "SELECT * FROM appointments ORDER BY id"),
    )
    actions = (("/api/appointments/{id}/cancel", "DELETE FROM appointments WHERE id = :id"),)
    bugs = SCRIPT

    def fill(self, random: Random) -> None:
        for name in words.people(random, 3):
            self.database.insert("doctors", name=f"Dr. {name}")
        doctors = self.database.column("SELECT name FROM doctors")
        for name in words.people(random, 6):
            self.database.insert(
                "appointments",
                name=name,
                email=words.email(name),
                phone=f"0{random.randint(100_000, 999_999)}",
                day=words.date(random),
                doctor=random.choice(doctors),
            )

    @get("/pictures/{number}.svg")
    def picture(self, request: Request, number: str) -> Reply:
        if not number.isdigit():
            raise Refused(404, "There is no such picture")
        svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="18"/></svg>'
        return Reply(svg, 200, "image/svg+xml")

    @post("/api/appointments")
    def make(self, request: Request) -> None:
        asked = dict(request.json)
        wrong = {key: "Please fill this in" for key in ("name", "email", "phone", "day") if not asked.get(key)}
        if "@" not in asked.get("email", "") and "email" not in self.planted:
            wrong["email"] = "This is no email address"
        if wrong:
            raise Refused(422, "Please check what is marked", **wrong)
        if "phone" in self.planted:
            asked["phone"] = asked["phone"].lstrip("0")
        if "day" in self.planted:
            asked["day"] = f"{asked['day'][:-2]}{max(int(asked['day'][-2:]) - 1, 1):02}"
        self.database.insert(
            "appointments", **{key: asked[key] for key in ("name", "email", "phone", "day", "doctor")}
        )
