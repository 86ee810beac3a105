"""Tasks in frames."""

from collections.abc import Mapping

from tests.evals.posed import Posed
from tests.evals.sites import words
from tests.evals.sites.frames import Frames
from tests.evals.task import AGENT_BROWSER, Case, Task, Told
from tests.evals.tools.browser import Browser


class FrameCard(Task):
    """Pay with a card whose number a frame of another site asks for."""

    site = Frames
    prompt = """\
On {url} give {amount} euros to “{cause}”, with the card {number}, expires {expiry}, security code {cvc}, in the name of
{holder}."""

    def pose(self, case: Case) -> Posed:
        random = case.random
        facts = {
            "number": "4" + "".join(random.choices("0123456789", k=15)),
            "amount": random.randint(5, 400),
            "cause": random.choice(case.database.column("SELECT name FROM causes ORDER BY name")),
            "expiry": f"{random.randint(1, 12):02}/{random.randint(28, 34)}",
            "cvc": f"{random.randint(0, 999):03}",
            "holder": words.person(random),
        }
        card = {key: facts[key] for key in ("number", "expiry", "cvc", "holder")}
        given = {"cause": facts["cause"], "last4": card["number"][-4:], "holder": card["holder"]}
        return Posed(facts, new={"cards": card, "donations": {**given, "cents": facts["amount"] * 100}})

    def solve(self, page: Browser, told: Told) -> str:
        page.open(told["url"])
        page.look_until("textbox", "Card number")
        page.fill(page.find("spinbutton", "Amount in euros"), told["amount"])
        page.select(page.find("combobox", "Cause"), told["cause"])
        fields = {
            "Card number": told["number"],
            "Expires": told["expiry"],
            "Security code": told["cvc"],
            "Name on the card": told["holder"],
        }
        for label, value in fields.items():
            page.fill(page.find("textbox", label), value)
        page.click_button("Use this card", says="Card ending in")
        page.click_button("Give", says="Thank you")
        return page.text("main")


class FrameNested(Task):
    """Use one of two equal forms, each in a frame in a frame."""

    site = Frames
    prompt = "On {url}/rooms add the note “{words}” in the room {room}, and in no other room."
    cannot: Mapping[str, str] = {
        AGENT_BROWSER: "agent-browser shows no frames in frames: there is no reference to act on"
    }

    def pose(self, case: Case) -> Posed:
        thing, person = case.random.choice(words.NOUNS), words.person(case.random)
        said = f"{thing} for {person}, {case.random.randint(2, 40)} pieces"
        note = {"room": case.random.choice(("north", "south")), "words": said}
        return Posed(note, new={"notes": note})

    def solve(self, page: Browser, told: Told) -> None:
        page.open(f"{told['url']}/rooms")
        page.look_until("textbox", "New note")
        which = ("north", "south").index(told["room"])
        page.fill(page.find("textbox", "New note", nth=which), told["words"])
        page.click(page.find("button", "Add note", nth=which))
        page.look_for(told["words"])


class FrameSettings(Task):
    """Fill in a form in a frame of the same site."""

    site = Frames
    prompt = """\
On {url}/settings choose the theme “{theme}” and the digest “{digest}”, switch tips off, set the signature to “{signature}”,
and save."""

    def pose(self, case: Case) -> Posed:
        facts = {
            "theme": case.random.choice(("dark", "system")),
            "digest": case.random.choice(("daily", "never")),
            "signature": f"Regards, {words.person(case.random)}",
        }
        settings = {name: {"value": value} for name, value in {**facts, "tips": "off"}.items()}
        return Posed(facts, changed={"settings": settings})

    def solve(self, page: Browser, told: Told) -> None:
        page.open(f"{told['url']}/settings")
        page.look_until("combobox", "Theme")
        page.select(page.find("combobox", "Theme"), told["theme"])
        page.select(page.find("combobox", "Digest"), told["digest"])
        page.uncheck(page.find("switch", "Show tips"))
        page.fill(page.find("textbox", "Signature"), told["signature"])
        page.click_button("Save")
        page.look_again()
