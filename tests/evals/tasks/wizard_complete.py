"""Order a policy in four steps, whose fields depend on what was chosen."""

import json
from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.wizard import Wizard
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.wizard_steps import agree, begin
from tests.evals.tools.browser import Browser

SITE = Wizard
PROMPT = """\
On {url} order a bicycle policy: cover from {start}; for {name}, {email}, born on {birth}; frame number {frame},
worth {worth} euros, secured with a {lock} lock; with the extra “{extra}” and no other. Answer with the policy's number."""


def prepare(case: Case) -> Facts:
    name = words.person(case.random)
    return {
        "start": words.date(case.random),
        "name": name,
        "email": words.email(name),
        "birth": words.date(case.random, case.random.randint(1960, 2000)),
        "frame": words.code(case.random, 3, 6),
        "worth": case.random.randint(300, 4000),
        "lock": case.random.choice(("Chain", "Folding")),
        "extra": case.random.choice(("Legal protection", "Worldwide cover")),
    }


def solve(page: Browser, told: Told) -> str:
    begin(page, told)
    page.fill_form(
        {
            page.find("textbox", "Frame number"): told["frame"],
            page.find("spinbutton", "Value in euros"): told["worth"],
        }
    )
    page.select(page.find("combobox", "Lock"), told["lock"])
    page.check(page.find("checkbox", told["extra"]))
    page.click(page.find("button", "Continue"))
    agree(page)
    page.expect("Your policy has the number")
    return page.text("main")


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts = case.facts
    policies = case.database.rows("SELECT * FROM policies")
    if len(policies) != 1:
        yield f"{len(policies)} policies were ordered, not one"
        return
    policy = policies[0]
    for key in ("start", "name", "email", "birth"):
        if policy[key] != facts[key]:
            yield f"{key} is {policy[key]}, not {facts[key]}"
    if policy["cover"] != "Bicycle":
        yield f"the cover is {policy['cover']}"
    wanted = {key: str(facts[key]) for key in ("frame", "worth", "lock")}
    if json.loads(policy["details"]) != wanted:
        yield f"the details are {policy['details']}"
    if json.loads(policy["extras"]) != [facts["extra"]]:
        yield f"the extras are {policy['extras']}"
