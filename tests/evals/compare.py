"""Two runs beside each other: what got worse, what was fixed, what each task costs now. Pure.

A test is known by its suite and name. What a tool cannot do is no failure, so it is never a regression.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.evals.calls import PEERS, steps
from tests.evals.result import Result
from tests.evals.run import Run

SCRIPTED = "scripted"
"""The agent of runs without a model."""
TELLING, TELLING_COST = 0.20, 0.30
"""Changes of calls, characters and time, and of cost, that are worth a line."""
TELLING_SCORE = 1
"""Of a judge's 1 to 5."""
FEW_CALLS, FEW_CHARS = 3, 500
"""Changes below these are never worth a line, whatever part of the whole they are."""


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
    def calls(self) -> Change:
        return Change(steps(self.before), steps(self.after))

    @property
    def chars(self) -> Change:
        return Change(self.before.chars_out, self.after.chars_out)

    @property
    def cost(self) -> Change:
        return Change(self.before.cost_usd, self.after.cost_usd)

    @property
    def scores(self) -> dict[str, Change]:
        """Of a judge, by criterion, where both runs have them."""
        before, after = self.before.judge_scores or {}, self.after.judge_scores or {}
        return {name: Change(before[name], after[name]) for name in before if name in after}

    @property
    def lower(self) -> list[tuple[str, Change]]:
        """Scores that fell by as much as an opinion does not move by itself."""
        return [(name, change) for name, change in self.scores.items() if change.difference <= -TELLING_SCORE]

    @property
    def ms(self) -> Change:
        return Change(self.before.duration_ms, self.after.duration_ms)


@dataclass(frozen=True)
class Comparison:
    """Differences between two runs."""

    before: Run
    after: Run
    pairs: tuple[Pair, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]

    @property
    def regressions(self) -> list[Pair]:
        return [pair for pair in self.pairs if pair.is_regression]

    @property
    def fixed(self) -> list[Pair]:
        return [pair for pair in self.pairs if pair.is_fixed]

    @property
    def is_worse(self) -> bool:
        """Return whether a test fails now, or, without a model in between, costs far more calls or characters.

        Peers' tests do not count: they are not ours to mend.
        """
        found = [*self.regressions, *(self.dearer if self.is_scripted else ())]
        return any(pair.after.suite not in PEERS for pair in found)

    @property
    def is_scripted(self) -> bool:
        return self.after.setting.agent == SCRIPTED

    @property
    def dearer(self) -> list[Pair]:
        """Solved in both runs, with far more calls or characters than before."""
        return [pair for pair in self.pairs if pair.are_solved and _grew(pair)]


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
    """Return the run to compare with.

    The last finished one before it of the same tier, agent, tasks and seed, of its branch if there is one.
    """
    alike = [
        run
        for run in runs
        if run.name != after.name
        and not run.is_partial
        and run.tests
        and (run.when, run.name) < (after.when, after.name)
        and _kind(run) == _kind(after)
        and run.seed == after.seed
    ]
    of_branch = [run for run in alike if run.setting.branch == after.setting.branch]
    return max(of_branch or alike, key=lambda run: (run.when, run.name), default=None)


def _kind(run: Run) -> tuple[int, str, str]:
    return run.setting.tier, run.setting.agent, run.setting.tasks


def flaky(runs: Iterable[Run], most: int = 10) -> list[str]:
    """Tests that both passed and failed in the last runs of one version of the code with one agent."""
    latest = sorted(runs, key=lambda run: (run.when, run.name))[-most:]
    outcomes: dict[tuple[str, ...], set[bool]] = {}
    for run in latest:
        setting = run.setting
        if setting.git_dirty or not setting.git_sha:
            continue
        for test in run.tests:
            if not test.is_open:
                place = (test.key, setting.git_sha, setting.agent, setting.model or "")
                outcomes.setdefault(place, set()).add(test.passed)
    return sorted({place[0] for place, seen in outcomes.items() if len(seen) == 2})


def _grew(pair: Pair) -> bool:
    return any(
        change.difference >= few and (change.ratio or 0) >= TELLING
        for change, few in ((pair.calls, FEW_CALLS), (pair.chars, FEW_CHARS))
    )
