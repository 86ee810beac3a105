"""Tasks in long tables, lists and feeds."""

import json
import re

from tests.evals.posed import Posed
from tests.evals.sites import words
from tests.evals.sites.tables import MANY, Tables
from tests.evals.task import Case, Task, Told
from tests.evals.tools.browser import Browser, LostError

SCROLLS = 14
"""The post is always on the same page of the feed: what the task costs is not for the seed to say."""

STATES = ("waiting", "on its way", "delivered")

LOOKS = 12

ROW = 36
"""Pixels, as the first look shows."""


class FeedLike(Task):
    """Find a post in a feed that grows as one scrolls."""

    site = Tables
    prompt = "In the feed on {url}/feed like the post of {author} that says “{words}”. Like no other."

    def pose(self, case: Case) -> Posed:
        row = case.random.choice(case.database.rows("SELECT * FROM posts WHERE id BETWEEN 91 AND 105"))
        facts = {"author": row["author"], "words": row["words"]}
        return Posed(facts, changed={"posts": {row["id"]: {"liked": 1}}})

    def solve(self, page: Browser, told: Told) -> None:
        page.open(f"{told['url']}/feed")
        for _ in range(SCROLLS):
            if page.shows(told["words"]):
                if not page.all("button", "Like", near=told["words"]):
                    page.look_for(told["words"])
                page.click_button("Like", near=told["words"], says="Liked")
                return
            page.scroll()
            page.settle()
        raise LostError("the feed does not show the post")


class TableExtract(Task):
    """Extract sums from a table that comes by pages and has filters."""

    site = Tables
    prompt = """\
Look at the shipments on {url} that are “{state}” and weigh {weight} kg or more, in all cities. Answer with a JSON object: count (how
many there are), kg (their weight together), last (the number of the one that is due last; of several the one with the smallest
number)."""

    def pose(self, case: Case) -> Posed:
        state, weight = case.random.choice(STATES), case.random.randint(20, 70) * 100
        statement = "SELECT * FROM shipments WHERE state = ? AND weight >= ? ORDER BY due DESC, number"
        rows = case.database.rows(statement, state, weight)
        answer = {"count": len(rows), "kg": sum(row["weight"] for row in rows), "last": rows[0]["number"]}
        return Posed({"state": state, "weight": weight}, answer=answer, asked="/api/shipments")

    def solve(self, page: Browser, told: Told) -> str:
        page.visit(told["url"])
        page.select(page.find("combobox", "State"), told["state"])
        rows: list[tuple[int, str, str]] = []
        number = pages = 1
        while number <= pages:
            page.expect(f"Page {number} of")
            text = page.text("main")
            pages = int(re.findall(r"Page \d+ of (\d+)", text)[0])
            found = re.findall(r"(S\d{6})\b.*?\b(\d+) kg\s+(\d{4}-\d\d-\d\d)", text, re.S)
            rows += [
                (int(weight), due, name) for name, weight, due in found if int(weight) >= int(told["weight"])
            ]
            number += 1
            if number <= pages:
                page.look()
                page.click_button("Next")
        last = max(due for _, due, _ in rows)
        first = min(name for _, due, name in rows if due == last)
        return json.dumps({"count": len(rows), "kg": sum(weight for weight, _, _ in rows), "last": first})


class TableSort(Task):
    """Sort a table by a column and act on its first row."""

    site = Tables
    prompt = """\
Of all shipments on {url} to {city} that are not delivered, comment on the heaviest one: “{comment}”. Comment on no
other."""

    def pose(self, case: Case) -> Posed:
        city = case.random.choice(words.CITIES)
        statement = "SELECT id FROM shipments WHERE city = ? ORDER BY weight DESC, id"
        while len(ids := case.database.column(statement, city)) < 4:
            other = case.database.value("SELECT min(id) FROM shipments WHERE city != ?", city)
            case.database.change("UPDATE shipments SET city = ? WHERE id = ?", city, other)
        case.database.change("UPDATE shipments SET weight = 9500, state = 'delivered' WHERE id = ?", ids[0])
        case.database.change("UPDATE shipments SET weight = 9200, state = 'waiting' WHERE id = ?", ids[1])
        comment = f"Needs a lift, {case.random.randint(2, 9)} people; call {words.person(case.random)}"
        return Posed({"city": city, "comment": comment}, changed={"shipments": {ids[1]: {"comment": comment}}})

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(told["url"])
        page.select(page.find("combobox", "City"), told["city"])
        page.click_fresh("button", "Weight")
        page.click_fresh("button", "Weight")
        page.follow()
        page.expect("9500 kg")
        rows = [row for row in page.text("table").split(" kg") if " kg" not in row]
        index = next(number for number, row in enumerate(rows[1:]) if "delivered" not in row)
        page.look()
        page.click(page.all("button", "Comment")[-(len(rows) - 1) :][index])
        page.look()
        page.fill(page.find("textbox", "Comment"), told["comment"])
        page.click_button("Save comment", says="The comment was saved")


class TableVirtual(Task):
    """Find a row in a list of thousands that only has those in view."""

    site = Tables
    prompt = "On {url}/parts there is a list of thousands of parts, sorted by name. Put a star on “{part}”, and on no other."

    def pose(self, case: Case) -> Posed:
        row = case.random.choice(case.database.rows("SELECT * FROM parts ORDER BY name")[300:-300])
        return Posed({"part": row["name"]}, changed={"parts": {row["id"]: {"starred": 1}}})

    def solve(self, page: Browser, told: Told) -> None:
        """Guess how far it is, scroll, look which parts are there, and correct."""
        page.open(f"{told['url']}/parts")
        page.expect("Part")
        wanted = int(told["part"].split()[1])
        for _ in range(LOOKS):
            page.look()
            grid = page.find("grid", "Parts")
            shown = [int(re.findall(r"\d+", line.name)[0]) for line in page.all("button", "Star Part")]
            if wanted in shown:
                page.click_button(f"Star {told['part']}", says="is starred")
                return
            middle = shown[len(shown) // 2]
            page.scroll(grid, round((wanted - middle) * MANY / 90_000) * ROW)
        raise LostError(f"{told['part']} did not come into view")
