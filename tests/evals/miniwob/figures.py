"""Put the results of all pages of MiniWoB++ into a table in its document. Pure but for `write`."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median

from tests.evals.miniwob import PREFIX
from tests.evals.miniwob.solvers import SOLVERS
from tests.evals.result import CANNOT, Result
from tests.evals.run import Run
from tests.regions import fill_region

DOCUMENT = Path(__file__).parents[3] / "docs/evals-miniwob.md"
BEGIN, END = "<!-- written by bin/evals miniwob --write-docs -->\n", "<!-- until here, a run of all pages -->\n"
NOBODY = "no solver"
HEADS = ("solver", "pages", "solved", "failed", "cannot", "calls", "characters to read")


def write(run: Run) -> None:
    """Put a run into the document. Raises ValueError for one that is not of all pages, by commands alone."""
    pages = {page(test) for test in run.tests}
    if run.is_partial or run.setting.agent != "scripted" or not pages >= set(SOLVERS):
        raise ValueError("the document of MiniWoB++ wants a whole scripted run of it")
    DOCUMENT.write_text(fill_region(DOCUMENT, BEGIN, END, markdown(run)), encoding="utf-8")


def markdown(run: Run) -> str:
    """A row for each module of solvers, one for all, and what was not solved."""
    groups: dict[str, list[Result]] = {}
    for test in run.tests:
        groups.setdefault(solver(page(test)), []).append(test)
    lines = [_row(HEADS), f"|---|{'---:|' * (len(HEADS) - 1)}"]
    lines += [_row(_figures(f"`{name}`" if name != NOBODY else name, groups[name])) for name in sorted(groups)]
    lines += [_row(_figures("all", run.tests)), ""]
    lines.append(
        f"gbrowse {run.setting.version} on {run.when:%Y-%m-%d}, seed {run.seed}. Calls and characters are those of the median page."
    )
    return "\n".join([*lines, *_unsolved(run.tests)]) + "\n"


def page(test: Result) -> str:
    """The page's name, without the number of its problem."""
    return test.name.removeprefix(PREFIX).partition(".")[0]


def solver(name: str) -> str:
    """The module of a page's solver."""
    return SOLVERS[name].__module__.rpartition(".")[2] if name in SOLVERS else NOBODY


def _figures(title: str, tests: Sequence[Result]) -> Iterator[str]:
    cannot = sum(test.exit_reason == CANNOT for test in tests)
    solved = [test for test in tests if test.passed]
    yield from (title, str(len(tests)), str(len(solved)), str(len(tests) - len(solved) - cannot), str(cannot))
    yield f"{median([len(test.tool_calls) for test in solved] or [0]):,.0f}"
    yield f"{median([test.chars_out or 0 for test in solved] or [0]):,.0f}"


def _unsolved(tests: Iterable[Result]) -> Iterator[str]:
    names = [f"`{test.name.removeprefix(PREFIX)}`" for test in tests if not test.passed]
    if names:
        yield f"Not solved: {', '.join(names)}."


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
