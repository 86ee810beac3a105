"""Serve figures of a company in tabs, with views that can be kept.

Tiles and a chart follow a period and a region.
"""

from random import Random
from typing import Any

from tests.evals.sites import words
from tests.evals.sites.site import Page, Request, Site, get, post, require

REGIONS = ("North", "East", "South", "West")
PERIODS = ("January", "February", "March", "April", "May", "June")


class Dashboard(Site):
    """All figures come from `sales`; the page fetches what it shows."""

    schema = """
    CREATE TABLE sales (id INTEGER PRIMARY KEY, region TEXT, period TEXT, orders INTEGER, euros INTEGER, returns INTEGER);
    CREATE TABLE agents (id INTEGER PRIMARY KEY, name TEXT, region TEXT, period TEXT, calls INTEGER);
    CREATE TABLE views (id INTEGER PRIMARY KEY, name TEXT, region TEXT, period TEXT, tab TEXT, shared INTEGER);
    """
    pages = (Page("/", "dashboard", "Figures"),)

    def fill(self, random: Random) -> None:
        people = words.people(random, 24)
        for index, (region, period) in enumerate((region, period) for region in REGIONS for period in PERIODS):
            orders = random.randint(100, 2_000)
            self.database.insert(
                "sales",
                region=region,
                period=period,
                orders=orders,
                euros=orders * random.randint(20, 90),
                returns=random.randint(0, 90),
            )
            for name in people[index % 4 * 6 : index % 4 * 6 + 6]:
                self.database.insert(
                    "agents", name=name, region=region, period=period, calls=random.randint(50, 5_000)
                )

    @get("/api/figures")
    def figures(self, request: Request) -> Any:
        self.take_time(0.15)
        region, period = request.query.get("region", ""), request.query.get("period", PERIODS[0])
        rows = self.database.rows(
            "SELECT * FROM sales WHERE period = ? AND (? = '' OR region = ?)", period, region, region
        )
        agents = self.database.rows(
            "SELECT name, sum(calls) AS calls FROM agents WHERE period = ? AND (? = '' OR region = ?) GROUP BY name "
            "ORDER BY calls DESC, name",
            period,
            region,
            region,
        )
        return {
            "agents": agents,
            **{key: sum(row[key] for row in rows) for key in ("orders", "euros", "returns")},
        }

    @post("/api/views")
    def keep(self, request: Request) -> None:
        asked = request.json
        require(asked, "name", said="The view needs a name")
        values = {key: asked[key] for key in ("name", "region", "period", "tab")}
        self.database.insert("views", **values, shared=int(bool(asked.get("shared"))))
