"""Make tasks of MiniWoB++: small pages that pose a task and judge it themselves.

By the Farama Foundation (MIT), from the PyPI package `miniwob`.

A solver reads the page's instruction and acts by commands alone, in the same form as those of our own tasks. What counts is
the reward that the page gives; the site hears of it. docs/evals-miniwob.md says what was changed about the pages, and which
tasks commands alone cannot do.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from tests.evals.miniwob.pages import names
from tests.evals.miniwob.site import Miniwob
from tests.evals.miniwob.solvers import SOLVERS, instruction
from tests.evals.posed import Posed
from tests.evals.sites.site import Site
from tests.evals.task import GBROWSE, Case, Limits, Outcome, Task, Told
from tests.evals.tools.browser import Browser, CannotError

PREFIX = "miniwob-"
REWARD_SECONDS = 2.0
"""How long the news of a reward may be on its way."""
UNSOLVED = {
    "click-checkboxes-soft": "asks for words of like meaning: that takes a dictionary",
    "hover-shape": "the page never gives a reward",
}
"""Tasks that commands alone cannot do, and why."""


@cache
def every(again: int = 1) -> tuple[Task, ...]:
    """Return all tasks of the package, each so many times with another seed.

    Fetches the package when first asked. Raises OSError.
    """
    return tuple(MiniwobTask(name, number) for name in names() for number in range(1, again + 1))


class MiniwobTask(Task):
    """The task of a page; the number makes another problem of the same seed."""

    prompt = "Open {page} and do what the page says in its yellow field."
    limits = Limits(turns=30, seconds=120)

    def __init__(self, page: str, number: int = 1) -> None:
        self._page, self._number = page, number
        self.cannot = {GBROWSE: UNSOLVED[page]} if page in UNSOLVED else {}

    @property
    def name(self) -> str:
        return f"{PREFIX}{self._page}" + (f".{self._number}" if self._number > 1 else "")

    def make_site(self) -> Site:
        return Miniwob(self._page, self._number)

    def pose(self, case: Case) -> Posed:
        return Posed({"page": f"{case.url}/miniwob/{self._page}.html"})

    def solve(self, page: Browser, told: Told) -> None:
        if self._page not in SOLVERS:
            raise CannotError("nobody has written a solver")
        page.open(told["page"])
        SOLVERS[self._page](page, instruction(page))

    def check(self, case: Case, outcome: Outcome) -> Iterator[str]:
        """The first episode counts: later ones are another problem."""
        assert isinstance(case.site, Miniwob)
        case.site.ended.wait(REWARD_SECONDS)
        episodes = case.database.rows("SELECT * FROM episodes ORDER BY id")
        if not episodes:
            yield "the page gave no reward: nothing ended its episode"
        elif episodes[0]["reward"] <= 0:
            yield f"the page's reward is {episodes[0]['reward']:.2f}"


for _path in Path(__file__).parent.glob("[a-z]*.py"):
    import_module(f"{__name__}.{_path.stem}")  # modules of solvers say which pages they are for
