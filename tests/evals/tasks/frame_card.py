"""Pay with a card whose number a frame of another site asks for."""

from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.frames import Frames
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Frames
PROMPT = """\
On {url} give {amount} euros to “{cause}”, with the card {number}, expires {expiry}, security code {cvc}, in the name of
{holder}."""


def prepare(case: Case) -> Facts:
    random = case.random
    number = "4" + "".join(random.choices("0123456789", k=15))
    return {
        "amount": random.randint(5, 400),
        "cause": random.choice(case.database.column("SELECT name FROM causes ORDER BY name")),
        "number": number,
        "expiry": f"{random.randint(1, 12):02}/{random.randint(28, 34)}",
        "cvc": f"{random.randint(0, 999):03}",
        "holder": words.person(random),
    }


def solve(page: Browser, told: Told) -> str:
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
    page.click(page.find("button", "Use this card"))
    page.expect("Card ending in")
    page.click(page.find("button", "Give"))
    page.expect("Thank you")
    return page.text("main")


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts = case.facts
    expected = {"cause": facts["cause"], "last4": facts["number"][-4:], "holder": facts["holder"]}
    yield from one_new(case, "donations", {**expected, "cents": facts["amount"] * 100})
    card = case.database.rows("SELECT number, expiry, cvc FROM cards")
    if card != [{key: facts[key] for key in ("number", "expiry", "cvc")}]:
        yield f"the cards are {card}"
    yield from elsewhere(case, "donations", "cards")
