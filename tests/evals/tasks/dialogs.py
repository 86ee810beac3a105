"""Tasks with the browser's own dialogs."""

from tests.evals.posed import Posed
from tests.evals.sites import words
from tests.evals.sites.dialogs import Dialogs
from tests.evals.task import Case, Task, Told
from tests.evals.tools.browser import Browser


class DialogRefuse(Task):
    """Refuse what a dialog proposes: to accept it does something else than what was asked."""

    site = Dialogs
    prompt = """\
On {url} delete the notebook “{name}”, with all of its pages: it shall not be kept or archived for anybody. Leave the others as they
are."""

    def pose(self, case: Case) -> Posed:
        book = case.random.choice(case.database.rows("SELECT * FROM notebooks ORDER BY id"))
        case.database.change("UPDATE notebooks SET keeps = 1 WHERE id = ?", book["id"])
        return Posed({"name": book["name"]}, gone={"notebooks": [book["id"]]})

    def solve(self, page: Browser, told: Told) -> None:
        page.open(told["url"])
        page.look_for(told["name"])
        page.answering(page.find("button", "Delete", near=told["name"]), accept=False)
        page.expect_gone(told["name"])


class DialogRename(Task):
    """Answer the browser's own question for a name."""

    site = Dialogs
    prompt = "On {url} rename the notebook “{old}” to “{new}” and archive the notebook “{done}”."

    def pose(self, case: Case) -> Posed:
        old, done = case.random.sample(case.database.rows("SELECT * FROM notebooks ORDER BY id"), 2)
        new = f"{case.random.choice(words.CITIES)} {case.random.randint(2020, 2035)}"
        changes = {old["id"]: {"name": new}, done["id"]: {"state": "archived"}}
        return Posed({"old": old["name"], "new": new, "done": done["name"]}, changed={"notebooks": changes})

    def solve(self, page: Browser, told: Told) -> None:
        page.open(told["url"])
        page.look_for(told["old"])
        page.answering(page.find("button", "Rename", near=told["old"]), accept=True, words=told["new"])
        page.expect(f"Renamed to {told['new']}")
        page.look_for(told["done"])
        page.answering(page.find("button", "Archive", near=told["done"]), accept=True)
        page.expect(f"{told['done']} is archived")
