"""Tasks that drag: cards between columns, steps of a list, wires between boxes."""

import re

from tests.evals.posed import Posed
from tests.evals.sites.automation import Automation
from tests.evals.sites.board import COLUMNS, Board
from tests.evals.task import Case, Task, Told
from tests.evals.tools.browser import Browser


class BoardMove(Task):
    """Drag cards between columns, as the browser drags."""

    site = Board
    prompt = "On the board at {url} move the card “{card}” to the column {column}, and no other."

    def pose(self, case: Case) -> Posed:
        card = case.random.choice(case.database.rows("SELECT * FROM cards ORDER BY id"))
        column = case.random.choice([name for name in COLUMNS if name != card["column_name"]])
        facts = {"card": card["name"], "column": column}
        return Posed(facts, changed={"cards": {card["id"]: {"column_name": column}}})

    def solve(self, page: Browser, told: Told) -> None:
        page.open(told["url"])
        page.expect(told["card"])
        page.look_for(told["card"])
        card = page.one_that_says("listitem|generic", told["card"])
        if not page.all("group", told["column"]):
            page.look_for(told["column"])
        page.drag(card, page.find("group", told["column"]))
        page.expect(f"is in {told['column']}")

    def solve_agent_browser(self, page: Browser, told: Told) -> None:
        """Items of lists have no references there: a selector says which list, and the how manieth."""
        page.open(told["url"])
        page.expect(told["card"])
        column, place = "", 0
        for row in page.look_for(told["card"]).splitlines():
            if group := re.search(r'- group "([^"]+)"', row):
                column, place = group[1], 0
            place += "- listitem" in row
            if told["card"] in row:
                break
        card = f'[aria-label="{column}"] li:nth-child({place})'
        page.run("drag", card, f'[aria-label="{told["column"]}"]')
        page.expect(f"is in {told['column']}")


class PlanOrder(Task):
    """Sort a list by dragging handles, which a script moves with the pointer."""

    site = Board
    prompt = "On {url}/plan move the step “{step}” so that it takes the place that “{other}” has now. Move nothing else."

    def pose(self, case: Case) -> Posed:
        steps = case.database.rows("SELECT * FROM steps ORDER BY place")
        start, end = case.random.sample(range(len(steps)), 2)
        order = [step for step in steps if step != steps[start]]
        order.insert(end, steps[start])
        places = {step["id"]: {"place": place} for place, step in enumerate(order)}
        facts = {"step": steps[start]["name"], "other": steps[end]["name"]}
        return Posed(facts, changed={"steps": places})

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(f"{told['url']}/plan")
        page.drag(page.find("button", f"Move {told['step']}"), page.find("button", f"Move {told['other']}"))
        page.expect("The plan was saved")


class FlowWire(Task):
    """Join two boxes of a flow editor by a wire that is drawn with the pointer, and deploy the flow."""

    site = Automation
    prompt = """\
In the flow editor at {url} draw a wire from the output of {source} to the input of {target}, and deploy the flow. Leave the other wires
as they are."""

    def pose(self, case: Case) -> Posed:
        nodes = case.database.rows("SELECT * FROM nodes ORDER BY id")
        joined = {(wire["source"], wire["target"]) for wire in case.database.rows("SELECT * FROM wires")}
        pairs = [(one, other) for one in nodes for other in nodes if one != other]
        free = [(one, other) for one, other in pairs if (one["id"], other["id"]) not in joined]
        source, target = case.random.choice(free)
        wire = {"source": source["id"], "target": target["id"]}
        return Posed({"source": source["name"], "target": target["name"]}, new={"wires": wire})

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(told["url"], "Flow")
        page.drag(
            page.find("button", f"Output of {told['source']}"),
            page.find("button", f"Input of {told['target']}"),
        )
        page.expect(f"leads to {told['target']}")
        page.look_again()
        page.click_button("Deploy", says="The flow is deployed")
