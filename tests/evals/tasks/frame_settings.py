"""Fill in a form in a frame of the same site."""

from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.frames import Frames
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import differences, elsewhere
from tests.evals.tools.browser import Browser

SITE = Frames
PROMPT = """\
On {url}/settings choose the theme “{theme}” and the digest “{digest}”, switch tips off, set the signature to “{signature}”,
and save."""


def prepare(case: Case) -> Facts:
    return {
        "theme": case.random.choice(("dark", "system")),
        "digest": case.random.choice(("daily", "never")),
        "signature": f"Regards, {words.person(case.random)}",
    }


def solve(page: Browser, told: Told) -> str:
    page.open(f"{told['url']}/settings")
    page.look_until("combobox", "Theme")
    page.select(page.find("combobox", "Theme"), told["theme"])
    page.select(page.find("combobox", "Digest"), told["digest"])
    page.uncheck(page.find("switch", "Show tips"))
    page.fill(page.find("textbox", "Signature"), told["signature"])
    page.click(page.find("button", "Save"))
    page.look_again()
    return "Saved."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    found = {row["name"]: row["value"] for row in case.database.rows("SELECT * FROM settings")}
    yield from differences(
        {**{key: case.facts[key] for key in ("theme", "digest", "signature")}, "tips": "off"}, found
    )
    yield from elsewhere(case, "settings")
