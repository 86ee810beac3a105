"""Answer the browser's own question for a name."""

from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.dialogs import Dialogs
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser

SITE = Dialogs
PROMPT = "On {url} rename the notebook “{old}” to “{new}” and archive the notebook “{done}”."


def prepare(case: Case) -> Facts:
    old, done = case.random.sample(case.database.rows("SELECT * FROM notebooks ORDER BY id"), 2)
    new = f"{case.random.choice(words.CITIES)} {case.random.randint(2020, 2035)}"
    return {"id": old["id"], "old": old["name"], "new": new, "done": done["name"], "archived": done["id"]}


def solve(page: Browser, told: Told) -> str:
    page.open(told["url"])
    page.look_for(told["old"])
    page.answering(page.find("button", "Rename", near=told["old"]), accept=True, words=told["new"])
    page.expect(f"Renamed to {told['new']}")
    page.look_for(told["done"])
    page.answering(page.find("button", "Archive", near=told["done"]), accept=True)
    page.expect(f"{told['done']} is archived")
    return "Renamed and archived."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts = case.facts
    expected = {facts["id"]: {"name": facts["new"]}, facts["archived"]: {"state": "archived"}}
    yield from changed_only(case, "notebooks", expected)
    yield from elsewhere(case, "notebooks")
