"""Compare two runs: what got worse, what was fixed, what each task costs; and say it in words. Pure.

A test is known by its suite and name. What a tool cannot do is no failure, so it is never a regression.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.evals.calls import PEERS, steps
from tests.evals.result import Result
from tests.evals.run import Run, total

SCRIPTED = "scripted"
"""The agent of runs without a model."""
TELLING_RATIO, TELLING_SCORE = 0.2, 1
"""How much more is a regression; how much a judge's 1 to 5 has to fall: an opinion moves less by itself."""
LATEST = 10
"""So many runs are looked at for what is flaky."""


@dataclass(frozen=True)
class Measure:
    """A number of a test."""

    name: str
    of: Callable[[Result], float | None]
    form: str
    unit: str = ""
    """What stands before the number of one test; `steps`: calls or, of an agent, turns."""
    few: float = 0
    """A regression has at least so many more, and a fifth more than before."""


STEPS = Measure("steps", steps, "{:,}", "steps", few=3)
CHARS = Measure("characters", lambda test: test.chars_out, "{:,}", "chars", few=500)
COST = Measure("cost", lambda test: test.cost_usd, "${:.2f}")
TIME = Measure("seconds", lambda test: test.duration_ms / 1000, "{:.1f}")


@dataclass(frozen=True)
class Change:
    """A number before and after, each None where it is not known."""

    before: float | None
    after: float | None

    @property
    def ratio(self) -> float | None:
        """How much more there is now: 0.2 for a fifth more. None where that cannot be said."""
        if not self.before or self.after is None:
            return None
        return self.after / self.before - 1

    @property
    def difference(self) -> float:
        return (self.after or 0) - (self.before or 0)


@dataclass(frozen=True)
class Pair:
    """A test in both runs."""

    before: Result
    after: Result

    @property
    def key(self) -> str:
        return self.after.key

    @property
    def is_regression(self) -> bool:
        return self.before.passed and self.after.is_failure

    @property
    def is_fixed(self) -> bool:
        return self.after.passed and self.before.is_failure

    @property
    def are_solved(self) -> bool:
        """Whether numbers of the two can be compared: a test that failed ended where it failed."""
        return self.before.passed and self.after.passed

    @property
    def is_dearer(self) -> bool:
        """Solved in both runs, with far more calls or characters than before."""
        changes = [(self.change(measure), measure) for measure in (STEPS, CHARS)]
        return self.are_solved and any(
            change.difference >= measure.few and (change.ratio or 0) >= TELLING_RATIO
            for change, measure in changes
        )

    def change(self, measure: Measure) -> Change:
        return Change(measure.of(self.before), measure.of(self.after))

    @property
    def scores(self) -> dict[str, Change]:
        """Of a judge, by criterion, where both runs have them."""
        before, after = self.before.judge_scores or {}, self.after.judge_scores or {}
        return {name: Change(before[name], after[name]) for name in before if name in after}


@dataclass(frozen=True)
class Comparison:
    """Differences between two runs."""

    before: Run
    after: Run
    pairs: tuple[Pair, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]

    @property
    def is_worse(self) -> bool:
        """Return whether a test fails now, or, without a model in between, costs far more calls or characters.

        Peers' tests do not count: they are not ours to mend.
        """
        return any(
            (pair.is_regression or (self.is_scripted and pair.is_dearer)) and pair.after.suite not in PEERS
            for pair in self.pairs
        )

    @property
    def is_scripted(self) -> bool:
        return self.after.setting.agent == SCRIPTED

    def named(self, name: str) -> str:
        """A measure's name or unit, for this kind of run."""
        return name.replace("steps", "calls" if self.is_scripted else "turns")


def compared(before: Run, after: Run) -> Comparison:
    """Two runs, test by test."""
    old, new = before.by_key(), after.by_key()
    return Comparison(
        before,
        after,
        pairs=tuple(Pair(old[key], new[key]) for key in new if key in old),
        new=tuple(key for key in new if key not in old),
        gone=tuple(key for key in old if key not in new),
    )


def baseline(runs: Sequence[Run], after: Run) -> Run | None:
    """Return the run to compare with, of all `runs` in their order.

    The last finished one before it of the same tier, agent, tasks and seed, of its branch if there is one.
    """
    before = runs[: runs.index(after)]
    alike = [run for run in before if run.tests and not run.is_partial and _kind(run) == _kind(after)]
    of_branch = [run for run in alike if run.setting.branch == after.setting.branch]
    return next(reversed(of_branch or alike), None)


def _kind(run: Run) -> tuple[object, ...]:
    return run.setting.tier, run.setting.agent, run.setting.tasks, run.seed


def flaky(runs: Sequence[Run]) -> list[str]:
    """Tests that both passed and failed in the last runs of one version of the code with one agent."""
    outcomes: dict[tuple[str, ...], set[bool]] = {}
    for run in runs[-LATEST:]:
        setting = run.setting
        if setting.git_dirty or not setting.git_sha:
            continue
        for test in run.tests:
            if not test.is_open:
                place = (test.key, setting.git_sha, setting.agent, setting.model or "")
                outcomes.setdefault(place, set()).add(test.passed)
    return sorted({place[0] for place, seen in outcomes.items() if len(seen) == 2})


def lines(comparison: Comparison, unsteady: Sequence[str] = ()) -> list[str]:
    """The comparison in words: what is worse first."""
    pairs = sorted(comparison.pairs, key=lambda pair: (not pair.is_regression, not pair.is_dearer, pair.key))
    return [
        f"{_title(comparison.before)}  →  {_title(comparison.after)}",
        "",
        *(_pair_line(comparison, pair) for pair in pairs),
        *(f"{key}  new" for key in comparison.new),
        *(f"{key}  not run" for key in comparison.gone),
        "",
        *_totals(comparison),
        *(f"flaky: {key} both passed and failed on one version of the code" for key in unsteady),
    ]


def _title(run: Run) -> str:
    sha = run.setting.git_sha[:8] + ("+" if run.setting.git_dirty else "")
    return f"{run.name} ({' '.join(filter(None, (run.setting.branch, sha)))}{', partial' if run.is_partial else ''})"


def _pair_line(comparison: Comparison, pair: Pair) -> str:
    before, after = (
        test.exit_reason if test.is_open else "PASS" if test.passed else "FAIL"
        for test in (pair.before, pair.after)
    )
    return f"{pair.key}  {before} → {after}  {_numbers(comparison, pair)}{_verdict(comparison, pair)}".rstrip()


def _verdict(comparison: Comparison, pair: Pair) -> str:
    """Return what to look at."""
    if pair.is_regression:
        return "  REGRESSION"
    if pair.is_fixed:
        return "  fixed"
    if pair.is_dearer:
        return "  REGRESSION in cost" if comparison.is_scripted else "  dearer"
    is_lower = any(change.difference <= -TELLING_SCORE for change in pair.scores.values())
    return "  lower" if is_lower else ""


def _numbers(comparison: Comparison, pair: Pair) -> str:
    parts = [
        _changed(comparison.named(measure.unit), pair.change(measure), measure.form)
        for measure in (STEPS, CHARS, COST)
    ]
    parts += [_changed(name, change, "{:g}") for name, change in pair.scores.items()]
    return " ".join(part for part in parts if part)


def _changed(unit: str, change: Change, form: str) -> str:
    if change.after is None and change.before is None:
        return ""
    before, after = ("?" if each is None else form.format(each) for each in (change.before, change.after))
    return f"{unit} {after if before == after else f'{before}→{after}'}".strip()


def _totals(comparison: Comparison) -> list[str]:
    """Sum over the tests that both runs solved: others end where they end."""
    before, after = comparison.before, comparison.after
    said = [f"passed {before.passed} of {len(before.tests)} → {after.passed} of {len(after.tests)}"]
    for measure in (STEPS, CHARS, TIME, COST):
        changes = [pair.change(measure) for pair in comparison.pairs if pair.are_solved]
        known = [change for change in changes if change.before is not None and change.after is not None]
        if known:
            sums = Change(total(change.before for change in known), total(change.after for change in known))
            shown = f"{measure.form.format(sums.before)} → {measure.form.format(sums.after)}"
            ratio = "" if sums.ratio is None else f" ({sums.ratio:+.0%})"
            said.append(f"{comparison.named(measure.name)} of what was solved in both: {shown}{ratio}")
    return said
