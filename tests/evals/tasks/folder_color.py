"""Open branches of a tree, and choose in a menu of a menu that comes up under the pointer."""

from collections.abc import Iterator

from tests.evals.sites.widgets import Widgets
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser

SITE = Widgets
PROMPT = """\
On {url}/folders give the folder “{folder}”, in “{inner}” in “{outer}”, the color {color}. Change no other folder. (The menu of a folder
shows when the pointer is on it.)"""


def prepare(case: Case) -> Facts:
    leaf = case.random.choice(case.database.rows("SELECT * FROM folders WHERE name LIKE 'Old %' ORDER BY id"))
    inner = case.database.one("SELECT * FROM folders WHERE id = ?", leaf["parent"])
    outer = case.database.one("SELECT * FROM folders WHERE id = ?", inner["parent"])
    color = case.random.choice(("Red", "Green", "Blue", "Yellow"))
    names = {"folder": leaf["name"], "inner": inner["name"], "outer": outer["name"]}
    return {**names, "color": color, "id": leaf["id"]}


def solve(page: Browser, told: Told) -> str:
    page.visit(f"{told['url']}/folders")
    page.click(page.find("button", f"Open {told['outer']}"))
    page.look()
    page.click(page.find("button", f"Open {told['inner']}"))
    page.look()
    page.hover(page.find("treeitem", told["folder"]))
    page.look_again()
    page.click(page.find("button", f"Menu of {told['folder']}"))
    page.look_again()
    page.click(page.find("menuitem", "Color"))
    page.look_again()
    page.click(page.find("menuitem", told["color"]))
    page.expect(f"is {told['color'].lower()}")
    return "The folder has its color."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from changed_only(case, "folders", {case.facts["id"]: {"color": case.facts["color"].lower()}})
    yield from elsewhere(case, "folders")
