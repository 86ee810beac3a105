"""Serve a flow editor: boxes on a canvas are joined by wires.

Wires are drawn with the pointer, and kept by the button "Deploy".
"""

from random import Random
from typing import Any

from tests.evals.sites.site import Page, Request, Site, get, post

KINDS = ("Timer", "Thermometer", "Doorbell", "Filter", "Delay", "Counter", "Lamp", "Mail", "Archive")


class Automation(Site):
    """Nodes have a place, and wires lead from the output of one to the input of another."""

    schema = """
    CREATE TABLE nodes (id INTEGER PRIMARY KEY, name TEXT, x INTEGER, y INTEGER);
    CREATE TABLE wires (id INTEGER PRIMARY KEY, source INTEGER, target INTEGER);
    """
    pages = (Page("/", "automation", "Automation"),)

    def fill(self, random: Random) -> None:
        grid = [(40 + 240 * column, 30 + 100 * row) for column in range(4) for row in range(4)]
        places = zip(KINDS, random.sample(grid, 9), strict=True)
        nodes = [self.database.insert("nodes", name=name, x=x, y=y) for name, (x, y) in places]
        for _ in range(4):
            source, target = random.sample(nodes, 2)
            if not self.database.rows("SELECT id FROM wires WHERE source = ? AND target = ?", source, target):
                self.database.insert("wires", source=source, target=target)

    @get("/api/flow")
    def flow(self, request: Request) -> Any:
        return {name: self.database.rows(f"SELECT * FROM {name} ORDER BY id") for name in ("nodes", "wires")}

    @post("/api/flow")
    def deploy(self, request: Request) -> None:
        self.take_time(0.1)
        asked = {(int(wire["source"]), int(wire["target"])) for wire in request.json["wires"]}
        for wire in self.database.rows("SELECT * FROM wires"):
            ends = (wire["source"], wire["target"])
            if ends not in asked:
                self.database.change("DELETE FROM wires WHERE id = ?", wire["id"])
            asked.discard(ends)
        for source, target in sorted(asked):
            self.database.insert("wires", source=source, target=target)
