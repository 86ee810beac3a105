"""Define a task: a site, words for the agent, limits, and what the site's database holds in the end.

A case is one seeded instance of a task: the site runs at an address of its own, with names and numbers that no other seed
gives. Solvers (`solve.py`) and agents (`runner.py`) get the case's prompt and nothing else of it.
"""

import json
import re
import string
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

from tests.evals.posed import Facts, Posed, Tables, differences, file_problems, table_problems
from tests.evals.sites.database import Database
from tests.evals.sites.server import served
from tests.evals.sites.site import Site

if TYPE_CHECKING:
    from tests.evals.tools.browser import Browser

Told = Mapping[str, str]
"""What a prompt says, by the names in its template: all that a scripted solver gets to know of a case."""
GBROWSE, AGENT_BROWSER, PLAYWRIGHT_CLI = TOOLS = ("gbrowse", "agent-browser", "playwright-cli")


@dataclass(frozen=True)
class Limits:
    """How much an agent gets."""

    turns: int = 40
    seconds: float = 300


@dataclass(frozen=True)
class Outcome:
    """Results that a worker on a task left behind, apart from what the site saw."""

    answer: str
    """The last message."""
    workspace: Path
    """The directory that the work was done in."""

    def data(self) -> Any:
        """Return the last JSON value in the answer, or None.

        In a fenced block, on lines of its own, or all of it.
        """
        blocks = [*re.findall(r"```(?:json)?\s*\n(.*?)```", self.answer, re.S), self.answer]
        for block in blocks[-2::-1] + blocks[-1:]:
            if (value := last_json(block)) is not None:
                return value
        return None


class Task(ABC):
    """Something to be done on a site; the docstring says what is tried.

    A tool whose best way is another one than `solve` has a method of its own: `solve_agent_browser`.
    """

    site: ClassVar[type[Site]]
    prompt: ClassVar[str]
    """A template: {url} and facts."""
    limits: ClassVar[Limits] = Limits()
    cannot: Mapping[str, str] = {}
    """Tools that scripts cannot do it with, and why."""

    @property
    def name(self) -> str:
        """`ShopOrder` is `shop-order`."""
        return re.sub(r"\B[A-Z]", r"-\g<0>", type(self).__name__).lower()

    def make_site(self) -> Site:
        return self.site()

    @abstractmethod
    def pose(self, case: "Case") -> Posed:
        """Make a case out of what the seed made of the site."""

    @abstractmethod
    def solve(self, page: "Browser", told: Told) -> str | None:
        """Do the task by commands alone, with any tool. Returns the answer, if one is asked for."""

    def solve_with(self, page: "Browser", told: Told) -> str:
        """Do the task in the best way of the tool."""
        solve = getattr(self, f"solve_{page.name.replace('-', '_')}", self.solve)
        return solve(page, told) or ""

    def check(self, case: "Case", outcome: Outcome) -> Iterator[str]:
        """Say what is wrong: in the site's tables, in files, and in fields of the answer; never in its words."""
        posed = case.posed
        yield from table_problems(posed, case.before, case.database.content())
        yield from file_problems(posed, outcome.workspace)
        if posed.answer is not None:
            yield from differences(posed.answer, outcome.data())
            if not case.count_requests(posed.asked):
                yield f"{posed.asked} was never asked for: the answer cannot be known"


@dataclass
class Case:
    """A task on a site that runs."""

    task: Task
    random: Random
    site: Site
    url: str
    """Where the site is."""
    other: str
    """The same server as another site: another host name."""
    posed: Posed = field(default_factory=lambda: Posed({}))
    files: dict[str, bytes] = field(default_factory=dict)
    """What lies in the workspace when the work begins, by relative path."""
    before: Tables = field(default_factory=dict)
    """The tables of the site when the work begins."""

    @property
    def database(self) -> Database:
        return self.site.database

    @property
    def facts(self) -> Facts:
        return self.posed.facts

    @property
    def told(self) -> Told:
        """The facts that the prompt names, as it says them."""
        named = {name for _, name, _, _ in string.Formatter().parse(self.task.prompt) if name}
        everything = {"url": self.url, "other": self.other, **self.facts}
        return {name: str(everything[name]) for name in named}

    @property
    def prompt(self) -> str:
        return self.task.prompt.format_map(dict(self.told))

    def lay_out(self, workspace: Path) -> None:
        """Put the case's files into a workspace."""
        for name, content in self.files.items():
            (workspace / name).write_bytes(content)

    def problems(self, outcome: Outcome) -> list[str]:
        """Return why the task is not done; nothing if it is."""
        return list(self.task.check(self, outcome))

    def count_requests(self, path: str, method: str = "GET") -> int:
        """Return how many requests of this path the site answered. `%` stands for anything."""
        count = "SELECT count(*) FROM log WHERE method = ? AND path LIKE ? AND status < 400"
        return int(self.database.value(count, method, path))


@contextmanager
def opened(task: Task, seed: int, site: Site | None = None) -> Iterator[Case]:
    """A case of a task, its site running at an address of its own. `site`: one that was changed."""
    site = site or task.make_site()
    with served(site) as (url, other):
        yield make_case(task, seed, site, url, other)


def make_case(task: Task, seed: int, site: Site, url: str = "http://site.test", other: str = "") -> Case:
    """Make a case of a task: fill the site's database by random numbers, and pose the task."""
    random = Random(seed)
    site.other = other
    site.fill(random)
    case = Case(task, random, site, url, other)
    case.posed = task.pose(case)
    case.before = site.database.content()
    return case


def last_json(text: str) -> Any:
    """The last object or array in the text that reaches to the end of what can be read, else None."""
    decoder = json.JSONDecoder()
    last, position = None, 0
    while (match := re.compile(r"[{\[]").search(text, position)) is not None:
        try:
            last, position = decoder.raw_decode(text, match.start())
        except ValueError:
            position = match.end()
    return last
