"""Refuse what a dialog proposes: to accept it does something else than what was asked."""

from collections.abc import Iterator

from tests.evals.sites.dialogs import Dialogs
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, gone_rows, new_rows
from tests.evals.tools.browser import Browser

SITE = Dialogs
PROMPT = """\
On {url} delete the notebook “{name}”, with all of its pages: it shall not be kept or archived for anybody. Leave the others as they
are."""


def prepare(case: Case) -> Facts:
    book = case.random.choice(case.database.rows("SELECT * FROM notebooks ORDER BY id"))
    case.database.change("UPDATE notebooks SET keeps = 1 WHERE id = ?", book["id"])
    return {"id": book["id"], "name": book["name"]}


def solve(page: Browser, told: Told) -> str:
    page.open(told["url"])
    page.look_for(told["name"])
    page.answering(page.find("button", "Delete", near=told["name"]), accept=False)
    page.expect_gone(told["name"])
    return "Deleted."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    gone = [row["id"] for row in gone_rows(case, "notebooks")]
    if gone != [case.facts["id"]]:
        yield f"notebooks {gone} are gone, not {case.facts['id']}"
    if new_rows(case, "notebooks"):
        yield "a notebook was changed"
    yield from elsewhere(case, "notebooks")
