"""Compute the costs of tasks with each tool, as a table in Markdown. Pure but for `write`.

Calls, characters to read and to type, time.

Sums are over the tasks that every tool solved: a tool that gives up early would be the cheapest otherwise.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from gstack_browse.text.units import format_count
from tests.evals import tasks
from tests.evals.calls import wasted
from tests.evals.result import CANNOT, Result
from tests.evals.run import Run
from tests.evals.task import TOOLS
from tests.regions import fill_region

SOLVED, FAILED = "solved", "failed"
BEGINNING = 2
"""gbrowse shows a page before its browser is wholly there, and the next command waits for that."""
DOCS = Path(__file__).parents[2] / "docs"
FIGURES = DOCS / "performance/tasks.json"
BEGIN, END = "<!-- written by bin/evals --write-docs -->\n", "<!-- until here, what a task costs -->\n"
DOCUMENTS = {DOCS / "performance.md": True, DOCS.parent / "README.md": False}
"""Documents with such a region, and whether it has a row for each task."""


@dataclass(frozen=True)
class Cost:
    """Cost of a task with a tool."""

    outcome: str
    """`solved`, `failed`, or `cannot`: the tool has no way to do it."""
    calls: int
    chars_in: int
    chars_out: int
    ms: int
    begin_ms: int
    """Of `ms`, what the first commands took, up to `BEGINNING`."""
    wasted: int
    """Calls that brought the solver no further: see `calls.wasted`."""

    @property
    def is_solved(self) -> bool:
        return self.outcome == SOLVED


Costs = Mapping[str, Mapping[str, Cost]]
"""By task, then by tool."""


def costs(run: Run) -> Costs:
    """Return the costs of the run's tasks."""
    found: dict[str, dict[str, Cost]] = {}
    for test in run.tests:
        if test.suite in TOOLS:
            found.setdefault(test.name, {})[test.suite] = _cost(test)
    return dict(sorted(found.items()))


def _cost(test: Result) -> Cost:
    outcome = SOLVED if test.passed else CANNOT if test.exit_reason == CANNOT else FAILED
    calls = len(test.tool_calls)
    begin = sum(call.ms or 0 for call in test.tool_calls[:BEGINNING])
    return Cost(outcome, calls, test.chars_in or 0, test.chars_out or 0, test.duration_ms, begin, wasted(test))


def markdown(table: Costs, *, with_tasks: bool) -> str:
    """The table, and if wanted a row for each task."""
    tools = [tool for tool in TOOLS if any(tool in row for row in table.values())]
    shared = [row for row in table.values() if all(tool in row and row[tool].is_solved for tool in tools)]
    columns = {tool: [row[tool] for row in table.values() if tool in row] for tool in tools}
    alike = {tool: [row[tool] for row in shared] for tool in tools}
    lines = [f"| | {' | '.join(tools)} |", f"|---|{'---:|' * len(tools)}"]
    for title, outcome in (("tasks solved", SOLVED), ("… failed", FAILED), ("… no way to do it", CANNOT)):
        counts = [sum(cost.outcome == outcome for cost in columns[tool]) for tool in tools]
        lines.append(_row(title, map(str, counts)))
    lines += [_row(title, (form(alike[tool]) for tool in tools)) for title, form in _SUMS]
    lines += [
        "",
        f"The rows from `calls` on are of the {format_count(len(shared), 'task')} that all of them solved.",
    ]
    return "\n".join([*lines, *(_each(table, tools) if with_tasks else ())]) + "\n"


_SUMS: tuple[tuple[str, Callable[[Sequence[Cost]], str]], ...] = (
    ("calls", lambda row: f"{sum(cost.calls for cost in row):,}"),
    ("… wasted", lambda row: f"{sum(cost.wasted for cost in row):,}"),
    ("characters to read", lambda row: f"{sum(cost.chars_out for cost in row):,}"),
    ("… of the median task", lambda row: f"{median([cost.chars_out for cost in row] or [0]):,.0f}"),
    ("characters to type", lambda row: f"{sum(cost.chars_in for cost in row):,}"),
    ("seconds", lambda row: f"{sum(cost.ms for cost in row) / 1000:,.1f}"),
    (
        f"… after the first {BEGINNING} commands, in which the browser starts",
        lambda row: f"{sum(cost.ms - cost.begin_ms for cost in row) / 1000:,.1f}",
    ),
)
"""Rows of the table over the tasks that all tools solved."""


def _each(table: Costs, tools: Sequence[str]) -> Iterable[str]:
    yield from ("", f"| task: calls · characters to read · seconds | {' | '.join(tools)} |")
    yield f"|---|{'---|' * len(tools)}"
    for name, row in table.items():
        yield _row(f"`{name}`", (_cell(row.get(tool)) for tool in tools))


def _cell(cost: Cost | None) -> str:
    if cost is None:
        return "–"
    if not cost.is_solved:
        return cost.outcome
    return f"{cost.calls} · {cost.chars_out:,} · {cost.ms / 1000:.1f}"


def _row(title: str, cells: Iterable[str]) -> str:
    return f"| {title} | {' | '.join(cells)} |"


def write(run: Run) -> None:
    """Write a run's figures and the documents' tables. Raises ValueError for a run that lacks some."""
    every = {f"{tool}/{task.name}" for tool in TOOLS for task in tasks.every()}
    if run.is_partial or not every <= {test.key for test in run.tests}:
        raise ValueError(f"{run.name} is not a whole run: bin/evals run --tool all --write-docs makes one")
    table = {task: {tool: asdict(cost) for tool, cost in row.items()} for task, row in costs(run).items()}
    kept = {"run": run.name, "version": run.setting.version, "costs": table}
    FIGURES.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    for path, content in document_texts().items():
        path.write_text(content, encoding="utf-8")


def document_texts() -> dict[Path, str]:
    """Return the texts of the documents, from the figures that are kept."""
    kept = json.loads(FIGURES.read_text(encoding="utf-8"))["costs"]
    table = {task: {tool: Cost(**cost) for tool, cost in row.items()} for task, row in kept.items()}
    return {
        path: fill_region(path, BEGIN, END, markdown(table, with_tasks=each))
        for path, each in DOCUMENTS.items()
    }
