"""Join two boxes of a flow editor by a wire that is drawn with the pointer, and deploy the flow."""

from collections.abc import Iterator

from tests.evals.sites.automation import Automation
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Automation
PROMPT = """\
In the flow editor at {url} draw a wire from the output of {source} to the input of {target}, and deploy the flow. Leave the other wires
as they are."""


def prepare(case: Case) -> Facts:
    nodes = case.database.rows("SELECT * FROM nodes ORDER BY id")
    wires = case.database.rows("SELECT * FROM wires")
    joined = {(wire["source"], wire["target"]) for wire in wires}
    source, target = case.random.choice(
        [
            (one, other)
            for one in nodes
            for other in nodes
            if one != other and (one["id"], other["id"]) not in joined
        ]
    )
    return {"source": source["name"], "target": target["name"], "ids": (source["id"], target["id"])}


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"], "Flow")
    page.drag(
        page.find("button", f"Output of {told['source']}"), page.find("button", f"Input of {told['target']}")
    )
    page.expect(f"leads to {told['target']}")
    page.look_again()
    page.click(page.find("button", "Deploy"))
    page.expect("The flow is deployed")
    return "The wire is deployed."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    source, target = case.facts["ids"]
    yield from one_new(case, "wires", {"source": source, "target": target})
    yield from elsewhere(case, "wires")
