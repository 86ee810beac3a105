"""Tasks in a form of several steps."""

import json
from collections.abc import Mapping
from typing import Any

from tests.evals.posed import Facts, Posed
from tests.evals.sites import words
from tests.evals.sites.database import Row
from tests.evals.sites.wizard import Wizard
from tests.evals.task import Case, Task, Told
from tests.evals.tools.browser import Browser


def begin(page: Browser, told: Told) -> None:
    """Choose a bicycle's cover and say whose.

    The third step, the bicycle, has been looked at when this returns.
    """
    page.visit(told["url"])
    page.check(page.find("radio", "Bicycle"))
    page.fill_date("First day of cover", told["start"])
    page.click_button("Continue", says="Full name")
    page.look()
    page.fill_fields({"Full name": told["name"], "Email": told["email"]})
    page.fill_date("Date of birth", told["birth"])
    page.click_button("Continue", says="Frame number")
    page.look()


def agree(page: Browser) -> None:
    """Accept the terms in the last step, and order."""
    page.expect("I have read the terms")
    page.look()
    page.check(page.find("checkbox", "I have read the terms"))
    page.click_button("Order policy")


def _pose_person(case: Case, name: str = "") -> dict[str, Any]:
    random, name = case.random, name or words.person(case.random)
    start, birth = words.date(random), words.date(random, random.randint(1960, 2000))
    return {"start": start, "name": name, "email": words.email(name), "birth": birth}


def _policy(person: Facts, bicycle: Mapping[str, object], *extras: str) -> Row:
    """The row that an order makes."""
    details = json.dumps({key: str(value) for key, value in bicycle.items()})
    return {"cover": "Bicycle", **person, "details": details, "extras": json.dumps(extras)}


class WizardComplete(Task):
    """Order a policy in four steps, whose fields depend on what was chosen."""

    site = Wizard
    prompt = """\
On {url} order a bicycle policy: cover from {start}; for {name}, {email}, born on {birth}; frame number {frame},
worth {worth} euros, secured with a {lock} lock; with the extra “{extra}” and no other. Answer with the policy's number."""

    def pose(self, case: Case) -> Posed:
        facts = _pose_person(case)
        bicycle = {
            "frame": words.code(case.random, 3, 6),
            "worth": case.random.randint(300, 4000),
            "lock": case.random.choice(("Chain", "Folding")),
        }
        extra = case.random.choice(("Legal protection", "Worldwide cover"))
        policy = _policy(facts, bicycle, extra)
        return Posed({**facts, **bicycle, "extra": extra}, new={"policies": policy}, may_change=("numbers",))

    def solve(self, page: Browser, told: Told) -> str:
        begin(page, told)
        page.fill_fields({"Frame number": told["frame"], "Value in euros": told["worth"]})
        page.select(page.find("combobox", "Lock"), told["lock"])
        page.check(page.find("checkbox", told["extra"]))
        page.click_button("Continue")
        agree(page)
        page.expect("Your policy has the number")
        return page.text("main")


class WizardCorrect(Task):
    """Go back in a wizard, because its last step refuses what an earlier one took."""

    site = Wizard
    prompt = """\
On {url} order a bicycle policy: cover from {start}; for {name}, {email}, born on {birth}; frame number {frame}, worth {worth} euros,
secured with a Folding lock; no extras. If the insurance does not take that frame number, take {second} instead, which is written
below the saddle. Change nothing else."""

    def pose(self, case: Case) -> Posed:
        name, frame = words.person(case.random), words.code(case.random, 3, 6)
        case.database.insert("stolen", frame=frame)
        facts = _pose_person(case, name)
        second, worth = words.code(case.random, 3, 6), case.random.randint(300, 4000)
        policy = _policy(facts, {"frame": second, "worth": worth, "lock": "Folding"})
        facts |= {"frame": frame, "second": second, "worth": worth}
        return Posed(facts, new={"policies": policy}, may_change=("numbers",))

    def solve(self, page: Browser, told: Told) -> str:
        begin(page, told)
        frame, worth = page.find("textbox", "Frame number"), page.find("spinbutton", "Value in euros")
        page.fill_form({frame: told["frame"], worth: told["worth"]})
        page.select(page.find("combobox", "Lock"), "Folding")
        page.click_button("Continue")
        agree(page)
        page.expect("insured already")
        page.look()
        page.click_button("Back")
        page.look()
        page.fill(page.find("textbox", "Frame number"), told["second"])
        page.click_button("Continue", says="I have read the terms")
        page.look()
        page.click_button("Order policy", says="Your policy has the number")
        return page.text("main")
