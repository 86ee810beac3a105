"""Show runs: a list of all, and one test by test. Pure."""

from collections.abc import Sequence
from datetime import datetime

from gstack_browse.text.units import format_duration
from tests.evals.calls import steps, wasted
from tests.evals.result import Result
from tests.evals.run import Run


def mark(result: Result) -> str:
    """Return a character for an outcome."""
    if result.is_open:
        return "·"
    return "✓" if result.passed else "✗"


def listed(runs: Sequence[Run], now: datetime) -> list[str]:
    """A line for each run, newest first."""
    return [
        f"{_headline(run)}  {format_duration((now - run.when).total_seconds())} ago" for run in reversed(runs)
    ]


def shown(run: Run) -> list[str]:
    """A run, test by test."""
    width = max((len(test.key) for test in run.tests), default=0)
    said = [_headline(run), ""]
    for test in run.tests:
        said.append(f"{mark(test)} {test.key:{width}}  {figures(test)}")
        if not test.passed:
            said.append(f"    {test.why[:400]}")
        said += [f"    {reason}" for reason in (test.judge_reasoning or "").splitlines()]
    return said


def _headline(run: Run) -> str:
    setting = run.setting
    cannot = sum(test.is_open for test in run.tests)
    cost = run.cost_usd
    parts = [
        run.name,
        "PARTIAL" if run.is_partial else "",
        f"tier {setting.tier} {setting.tasks}".strip(),
        " ".join(filter(None, (setting.agent, setting.model))),
        f"{setting.branch} {setting.git_sha[:8]}{'+' if setting.git_dirty else ''}".strip(),
        f"{run.passed} of {len(run.tests) - cannot} passed",
        f"{cannot} cannot" if cannot else "",
        f"{run.wall_clock_ms / 1000:.1f}s",
        "" if cost is None else f"${cost:.2f}",
    ]
    return "  ".join(part for part in parts if part)


def figures(test: Result) -> str:
    count = steps(test)
    parts = [
        "" if count is None else f"{count} {'turn' if test.model else 'call'}{'' if count == 1 else 's'}",
        f"{lost} wasted" if (lost := wasted(test)) else "",
        "" if test.chars_out is None else f"{test.chars_out:,} chars",
        f"{test.duration_ms / 1000:.1f}s",
        "" if test.cost_usd is None else f"${test.cost_usd:.2f}",
        *(f"{name} {score:g}" for name, score in (test.judge_scores or {}).items()),
    ]
    return "  ".join(part for part in parts if part)
