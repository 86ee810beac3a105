"""Rename a file in its row of a file manager, and move it to another folder by a dialog."""

from collections.abc import Iterator

from tests.evals.sites.drive import Drive
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser

SITE = Drive
PROMPT = """\
In the files at {url} there is “{file}” in the folder “{folder}”. Rename it to “{name}”, then move it to the folder “{to}”. Change nothing
else."""


def prepare(case: Case) -> Facts:
    folders = case.database.rows("SELECT * FROM entries WHERE is_folder = 1 ORDER BY id")
    folder, to = case.random.sample(folders, 2)
    file = case.random.choice(
        case.database.rows("SELECT * FROM entries WHERE folder = ? ORDER BY id", folder["id"])
    )
    name = f"final-{case.random.randint(100, 999)}.{file['name'].rpartition('.')[2]}"
    names = {"file": file["name"], "folder": folder["name"], "to": to["name"], "name": name}
    return {**names, "id": file["id"], "place": to["id"]}


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"], told["folder"])
    page.click(page.find("button", told["folder"]))
    page.expect(told["file"])
    page.look_again()
    page.check(page.find("checkbox", f"Choose {told['file']}"))
    page.click(page.find("button", "Rename"))
    page.look_again()
    page.submit(page.find("textbox", f"New name of {told['file']}"), told["name"])
    page.expect(f"It is called {told['name']}")
    page.look_again()
    page.check(page.find("checkbox", f"Choose {told['name']}"))
    page.click(page.find("button", "Move"))
    page.expect("Move here")
    page.look_again()
    page.check(page.find("radio", told["to"]))
    page.click(page.find("button", "Move here"))
    page.expect(f"is in {told['to']}")
    return "It is moved."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    wanted = {"name": case.facts["name"], "folder": case.facts["place"]}
    yield from changed_only(case, "entries", {case.facts["id"]: wanted})
    yield from elsewhere(case, "entries")
