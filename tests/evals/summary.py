"""Summarise all runs, and list them. Pure.

How many, what they cost, and how each test went over time.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from tests.evals.amounts import Shown, dollars, seconds, thousands
from tests.evals.calls import steps, wasted
from tests.evals.compare import flaky
from tests.evals.result import Result
from tests.evals.run import Run, total

LATEST = 10
"""So many outcomes of a test are shown."""


def lines(runs: Sequence[Run]) -> list[str]:
    """The summary in words."""
    if not runs:
        return ["There are no runs yet"]
    tests = [test for run in sorted(runs, key=lambda run: run.order) for test in run.tests]
    spent = total(run.cost_usd for run in runs)
    over_time: dict[str, list[Result]] = {}
    for test in tests:
        over_time.setdefault(test.key, []).append(test)
    width = max(map(len, over_time), default=0)
    said = [
        f"{len(runs)} runs, {len(tests)} tests, {sum(test.passed for test in tests)} passed",
        f"spent: {'nothing that is known' if spent is None else dollars(spent)}",
        f"tests took: {seconds(sum(test.duration_ms for test in tests))}",
        "",
    ]
    for key, results in sorted(over_time.items()):
        marks = "".join(map(mark, results[-LATEST:]))
        said.append(f"{key:{width}}  {marks:{LATEST}}  {_averages(results)}".rstrip())
    unsteady = flaky(runs)
    return [*said, *([""] if unsteady else []), *(f"flaky: {key}" for key in unsteady)]


def mark(result: Result) -> str:
    """Return a character for an outcome."""
    if result.is_open:
        return "·"
    return "✓" if result.passed else "✗"


def listed(runs: Sequence[Run], now: datetime) -> list[str]:
    """A line for each run, newest first."""
    return [_line(run, now) for run in sorted(runs, key=lambda run: run.order, reverse=True)]


def shown(run: Run) -> list[str]:
    """A run, test by test."""
    width = max((len(test.key) for test in run.tests), default=0)
    said = [_headline(run), ""]
    for test in run.tests:
        said.append(f"{mark(test)} {test.key:{width}}  {figures(test)}")
        if not test.passed:
            said.append(f"    {test.why[:400]}")
        said += [f"    ours: {error}" for error in test.browse_errors]
        said += [f"    {reason}" for reason in (test.judge_reasoning or "").splitlines()]
    return said


def _headline(run: Run) -> str:
    setting = run.setting
    cannot = sum(test.is_open for test in run.tests)
    parts = [
        run.name,
        "PARTIAL" if run.is_partial else "",
        f"tier {setting.tier} {setting.tasks}".strip(),
        " ".join(filter(None, (setting.agent, setting.model))),
        f"{setting.branch} {setting.git_sha[:8]}{'+' if setting.git_dirty else ''}".strip(),
        f"{run.passed} of {len(run.tests) - cannot} passed",
        f"{cannot} cannot" if cannot else "",
        seconds(run.wall_clock_ms),
        "" if run.cost_usd is None else dollars(run.cost_usd),
    ]
    return "  ".join(part for part in parts if part)


def _line(run: Run, now: datetime) -> str:
    return f"{_headline(run)}  {seconds(max(0, (now - run.when).total_seconds()) * 1000)} ago"


def figures(test: Result) -> str:
    count = steps(test)
    parts = [
        "" if count is None else f"{count} {'turn' if test.model else 'call'}{'' if count == 1 else 's'}",
        f"{lost} wasted" if (lost := wasted(test)) else "",
        "" if test.chars_out is None else f"{thousands(test.chars_out)} chars",
        seconds(test.duration_ms),
        "" if test.cost_usd is None else dollars(test.cost_usd),
        *(f"{name} {score:g}" for name, score in (test.judge_scores or {}).items()),
    ]
    return "  ".join(part for part in parts if part)


def _averages(results: Sequence[Result]) -> str:
    """How many were solved, and the averages of those."""
    judged = [result for result in results if not result.is_open]
    solved = [result for result in judged if result.passed]
    said = [f"{len(solved)} of {len(judged)}"] if judged else ["cannot"]
    forms: tuple[tuple[Callable[[Result], float | None], Shown], ...] = (
        (steps, "{:.0f} steps".format),
        (lambda result: result.chars_out, lambda number: f"{thousands(number)} chars"),
        (lambda result: result.duration_ms, seconds),
        (lambda result: result.cost_usd, dollars),
    )
    for number_of, form in forms:
        if values := [number for result in solved if (number := number_of(result)) is not None]:
            said.append(form(sum(values) / len(values)))
    return "  ".join(said)
