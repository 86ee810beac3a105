"""Define a task: a site, words for the agent, limits, and a check.

The check asks the site's database, never the answer's words.

A case is one seeded instance of a task: the site runs at an address of its own, with names and numbers that no other seed
gives. Solvers (`solve.py`) and agents (`runner.py`) get the case's prompt and nothing else of it.
"""

import json
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from tests.evals.sites.database import Database, Row
from tests.evals.sites.server import served
from tests.evals.sites.site import Site

if TYPE_CHECKING:
    from tests.evals.tools.browser import Browser

Facts = Mapping[str, Any]
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


@dataclass(frozen=True)
class Verdict:
    """Verdict of a check. The last four are known for bug hunts only."""

    problems: tuple[str, ...] = ()
    """Why the task is not done; none if it is."""
    detected_bugs: tuple[str, ...] | None = None
    missed_bugs: tuple[str, ...] | None = None
    false_positives: int | None = None
    evidence_quality: float | None = None

    @property
    def passed(self) -> bool:
        return not self.problems


Prepare = Callable[["Case"], Facts]
Check = Callable[["Case", Outcome], Iterable[str]]
Solver = Callable[["Browser", Told], str]


@dataclass(frozen=True)
class Task:
    """Something to be done on a site."""

    name: str
    site: Callable[[], Site]
    prompt: str
    """A template: {url} and the facts that `prepare` returns."""
    prepare: Prepare
    """Makes a case of the task out of what the seed made of the site, and returns its facts: what is asked, and what is true."""
    check: Check
    """Says what is wrong. Asks the site's database and files, and of the answer only fields of what was to be extracted."""
    solver: Solver
    """Does the task by commands alone, with any tool."""
    limits: Limits = Limits()
    solvers: Mapping[str, Solver] = field(default_factory=dict)
    """Tools whose best way is another one than `solver`."""
    cannot: Mapping[str, str] = field(default_factory=dict)
    """Tools that scripts cannot do it with, and why."""
    verdict: Callable[["Case", Outcome], Verdict] | None = None
    """In place of `check`, where more than problems is to be said: bug hunts."""

    def solver_for(self, tool: str) -> Solver:
        return self.solvers.get(tool, self.solver)

    def judge(self, case: "Case", outcome: Outcome) -> Verdict:
        """Whether the task is done, and what is wrong if not."""
        if self.verdict:
            return self.verdict(case, outcome)
        return Verdict(tuple(self.check(case, outcome)))


@dataclass
class Case:
    """A task on a site that runs."""

    task: Task
    seed: int
    random: Random
    site: Site
    url: str
    """Where the site is."""
    other: str
    """The same server as another site: another host name."""
    facts: Facts = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    """What lies in the workspace when the work begins, by relative path."""
    before: Mapping[str, list[Row]] = field(default_factory=dict)
    """The tables of the site when the work begins."""

    @property
    def database(self) -> Database:
        return self.site.database

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
            path = workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def count_requests(self, path: str, method: str = "GET") -> int:
        """Return how many requests of this path the site answered. `%` stands for anything."""
        count = "SELECT count(*) FROM log WHERE method = ? AND path LIKE ? AND status < 400"
        return int(self.database.value(count, method, path))


@contextmanager
def opened(task: Task, seed: int) -> Iterator[Case]:
    """A case of a task, its site running at an address of its own."""
    site = task.site()
    with served(site) as (url, other):
        yield make_case(task, seed, site, url, other)


def make_case(task: Task, seed: int, site: Site, url: str = "http://site.test", other: str = "") -> Case:
    """Make a case of a task: fill the site's database by random numbers, and prepare the task's facts."""
    random = Random(seed)
    site.other = other
    site.fill(random)
    case = Case(task, seed, random, site, url, other)
    case.facts = task.prepare(case)
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
