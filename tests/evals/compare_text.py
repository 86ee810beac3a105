"""Two runs beside each other, in words for a terminal. Pure."""

from collections.abc import Iterable, Sequence

from tests.evals.amounts import Shown, dollars, seconds, thousands
from tests.evals.calls import by_command
from tests.evals.compare import TELLING, TELLING_COST, Change, Comparison, Pair
from tests.evals.result import Result
from tests.evals.run import Run, total

FEW_MS = 2000
"""A difference of time below this is noise."""


def lines(comparison: Comparison, unsteady: Sequence[str] = ()) -> list[str]:
    """The comparison in words."""
    said = [f"{_named(comparison.before)}  →  {_named(comparison.after)}", ""]
    unit = _unit(comparison)
    said += [_pair_line(pair, unit) for pair in sorted(comparison.pairs, key=_rank)]
    said += [f"{key}  new" for key in comparison.new] + [f"{key}  not run" for key in comparison.gone]
    return [*said, "", *_totals(comparison), "", *_by_command(comparison), "", *takeaways(comparison, unsteady)]


def takeaways(comparison: Comparison, unsteady: Sequence[str] = ()) -> list[str]:
    """Return what to look at, in a few lines."""
    said = []
    for title, pairs in (
        ("REGRESSION", comparison.regressions),
        ("fixed", comparison.fixed),
        ("REGRESSION in cost" if comparison.is_scripted else "dearer", comparison.dearer),
    ):
        said += [f"{title}: {pair.key} {_numbers(pair, _unit(comparison))}".rstrip() for pair in pairs]
    for pair in comparison.pairs:
        lower = [
            f"{name} {_score(change.before or 0)} → {_score(change.after or 0)}" for name, change in pair.lower
        ]
        said += [f"lower: {pair.key} {', '.join(lower)}"] if lower else []
    said += [f"flaky: {key} both passed and failed on one version of the code" for key in unsteady]
    for name, change, limit in _sums(comparison):
        if change.ratio is not None and abs(change.ratio) >= limit:
            said.append(f"{name} of what was solved in both: {change.ratio:+.0%}")
    return said or ["No difference worth a line"]


def _unit(comparison: Comparison) -> str:
    return "calls" if comparison.is_scripted else "turns"


def _rank(pair: Pair) -> tuple[int, str]:
    return (0 if pair.is_regression else 1 if pair.is_fixed else 2, pair.key)


def _pair_line(pair: Pair, unit: str) -> str:
    arrow = " ↓" if pair.is_regression else " ↑" if pair.is_fixed else ""
    return (
        f"{pair.key}  {_outcome(pair.before)} → {_outcome(pair.after)}{arrow}  {_numbers(pair, unit)}".rstrip()
    )


def _outcome(test: Result) -> str:
    if test.is_open:
        return test.exit_reason
    return "PASS" if test.passed else "FAIL"


def _numbers(pair: Pair, unit: str) -> str:
    parts = [
        _changed(unit, pair.calls, lambda number: f"{number:.0f}"),
        _changed("chars", pair.chars, thousands),
        _changed("", pair.cost, dollars),
        _changed("", pair.ms, seconds, few=FEW_MS),
        *(_changed(name, change, _score) for name, change in pair.scores.items()),
    ]
    return " ".join(part for part in parts if part)


def _score(number: float) -> str:
    return f"{number:g}"


def _changed(unit: str, change: Change, shown: Shown, few: float = 0) -> str:
    if change.after is None and change.before is None:
        return ""
    before, after = (_or_unknown(number, shown) for number in (change.before, change.after))
    is_same = before == after or abs(change.difference) < few
    return f"{unit} {after if is_same else f'{before}→{after}'}".strip()


def _or_unknown(number: float | None, shown: Shown) -> str:
    return "?" if number is None else shown(number)


def _sums(comparison: Comparison) -> list[tuple[str, Change, float]]:
    """Sums over the tests that both runs solved: others end where they end."""
    pairs = [pair for pair in comparison.pairs if pair.are_solved]
    return [
        (_unit(comparison), _sum(pair.calls for pair in pairs), TELLING),
        ("characters", _sum(pair.chars for pair in pairs), TELLING),
        ("time", _sum(pair.ms for pair in pairs), TELLING),
        ("cost", _sum(pair.cost for pair in pairs), TELLING_COST),
    ]


def _sum(changes: Iterable[Change]) -> Change:
    known = [change for change in changes if change.before is not None and change.after is not None]
    return Change(total(change.before for change in known), total(change.after for change in known))


def _totals(comparison: Comparison) -> list[str]:
    before, after = comparison.before, comparison.after
    said = [f"passed {before.passed} of {len(before.tests)} → {after.passed} of {len(after.tests)}"]
    shows: tuple[Shown, ...] = (lambda number: f"{number:,.0f}", thousands, seconds, dollars)
    for (name, change, _), shown in zip(_sums(comparison), shows, strict=True):
        if change.before is not None and change.after is not None:
            ratio = "" if change.ratio is None else f" ({change.ratio:+.0%})"
            said.append(
                f"{name} of what was solved in both: {shown(change.before)} → {shown(change.after)}{ratio}"
            )
    return said


def _by_command(comparison: Comparison) -> list[str]:
    old, new = by_command(comparison.before), by_command(comparison.after)
    names = sorted(
        set(old) | set(new), key=lambda name: (-max(old.get(name, (0, 0))[1], new.get(name, (0, 0))[1]), name)
    )
    width = max(map(len, names), default=0)
    return [
        f"{name:{width}}  calls {_pairing(old, new, name, 0)}  chars {_pairing(old, new, name, 1)}"
        for name in names[:30]
    ]


def _pairing(old: dict[str, tuple[int, int]], new: dict[str, tuple[int, int]], name: str, at: int) -> str:
    before, after = old.get(name, (0, 0))[at], new.get(name, (0, 0))[at]
    return f"{before:,}" if before == after else f"{before:,} → {after:,}"


def _named(run: Run) -> str:
    sha = run.setting.git_sha[:8] + ("+" if run.setting.git_dirty else "")
    return f"{run.name} ({' '.join(filter(None, (run.setting.branch, sha)))}{', partial' if run.is_partial else ''})"
