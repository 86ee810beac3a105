"""Go back in a wizard, because its last step refuses what an earlier one took."""

import json
from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.wizard import Wizard
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, new_rows
from tests.evals.tasks.wizard_steps import agree, begin
from tests.evals.tools.browser import Browser

SITE = Wizard
PROMPT = """\
On {url} order a bicycle policy: cover from {start}; for {name}, {email}, born on {birth}; frame number {frame}, worth {worth} euros,
secured with a Folding lock; no extras. If the insurance does not take that frame number, take {second} instead, which is written
below the saddle. Change nothing else."""


def prepare(case: Case) -> Facts:
    name, frame = words.person(case.random), words.code(case.random, 3, 6)
    case.database.insert("stolen", frame=frame)
    return {
        "start": words.date(case.random),
        "name": name,
        "email": words.email(name),
        "birth": words.date(case.random, case.random.randint(1960, 2000)),
        "frame": frame,
        "second": words.code(case.random, 3, 6),
        "worth": case.random.randint(300, 4000),
    }


def solve(page: Browser, told: Told) -> str:
    begin(page, told)
    frame, worth = page.find("textbox", "Frame number"), page.find("spinbutton", "Value in euros")
    page.fill_form({frame: told["frame"], worth: told["worth"]})
    page.select(page.find("combobox", "Lock"), "Folding")
    page.click(page.find("button", "Continue"))
    agree(page)
    page.expect("insured already")
    page.look()
    page.click(page.find("button", "Back"))
    page.look()
    page.fill(page.find("textbox", "Frame number"), told["second"])
    page.click(page.find("button", "Continue"))
    page.expect("I have read the terms")
    page.look()
    page.click(page.find("button", "Order policy"))
    page.expect("Your policy has the number")
    return page.text("main")


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts, policies = case.facts, new_rows(case, "policies")
    if len(policies) != 1:
        yield f"{len(policies)} policies were ordered, not one"
        return
    for key in ("start", "name", "email", "birth"):
        if policies[0][key] != facts[key]:
            yield f"{key} is {policies[0][key]}, not {facts[key]}"
    wanted = {"frame": facts["second"], "worth": str(facts["worth"]), "lock": "Folding"}
    if json.loads(policies[0]["details"]) != wanted or json.loads(policies[0]["extras"]):
        yield f"the details are {policies[0]['details']}, the extras {policies[0]['extras']}"
    yield from elsewhere(case, "policies", "numbers")
