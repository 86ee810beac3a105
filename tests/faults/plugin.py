"""Runs the rows only, and prints each as a line with its result, how long it took, and what was seen."""

import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.faults import GROUPS, Row


class Matrix:
    """A plugin of pytest's, in the place of its own report. `only` chooses rows; with `lists` none is run."""

    def __init__(self, only: str = "", *, lists: bool = False) -> None:
        self._only = only.casefold()
        self._lists = lists
        self._rows: dict[str, Row] = {}
        self._left: Counter[Row] = Counter()
        self._reports: dict[Row, list[pytest.TestReport]] = {}
        self._counts: Counter[str] = Counter()
        self._group = ""
        self._complaints: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self._rows = {item.nodeid: row for item in items if (row := row_of(item)) and self._is_meant(item, row)}
        chosen = [item for item in items if item.nodeid in self._rows]
        items[:] = sorted(chosen, key=lambda item: GROUPS.index(self._rows[item.nodeid].group))
        self._left.update(self._rows[item.nodeid] for item in items)

    def pytest_runtestloop(self) -> bool | None:
        if not self._lists:
            return None
        for row, ways in self._left.items():
            self._print(row, _count_prefix(ways) + ("slow" if row.slow else ""))
        return True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._complaints.append(f"{report.nodeid}\n{report.longreprtext}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._complaints.append(f"{report.nodeid}\n{report.longreprtext}")
        row = self._rows[report.nodeid]
        self._reports.setdefault(row, []).append(report)
        if report.when == "teardown":
            self._left[row] -= 1
            if not self._left[row]:
                self._report(row, self._reports.pop(row))

    def pytest_sessionfinish(self) -> None:
        for complaint in self._complaints:
            print(f"\n{complaint}")
        if not self._lists:
            print("\n" + ", ".join(f"{count} {verdict}" for verdict, count in sorted(self._counts.items())))

    def _is_meant(self, item: pytest.Item, row: Row) -> bool:
        return self._only in f"{row.group} {row.done} {row.promised} {item.nodeid}".casefold()

    def _report(self, row: Row, reports: list[pytest.TestReport]) -> None:
        """Print a row that was done in each of its ways. One that was kept in no way is skipped."""
        calls = [report for report in reports if report.when == "call" and not report.skipped]
        verdict = "FAILED" if any(report.failed for report in reports) else "ok" if calls else "skipped"
        self._counts[verdict] += 1
        ways = _count_prefix(len({report.nodeid for report in reports}))
        facts = dict.fromkeys(fact for report in reports for fact in _details(report))
        self._print(row, f"{verdict} {ways}{sum(report.duration for report in calls):.1f}s", *facts)

    def _print(self, row: Row, result: str, *facts: str) -> None:
        if row.group != self._group:
            self._group = row.group
            print(f"\n{row.group}")
        print(f"  {result:16}{row.done}: {row.promised}")
        for fact in facts:
            print(f"  {'':16}→ {fact}")
        sys.stdout.flush()


def row_of(item: pytest.Item) -> Row | None:
    """Return the row that a test shows, or None."""
    mark = item.get_closest_marker("fault")
    return mark.args[0] if mark else None


def _count_prefix(count: int) -> str:
    return f"{count}x " if count > 1 else ""


def _details(report: pytest.TestReport) -> Iterator[str]:
    if report.skipped and isinstance(report.longrepr, tuple):
        yield str(report.longrepr[2]).removeprefix("Skipped: ")
    if report.when == "call":
        yield from (str(value) for name, value in report.user_properties if name == "seen")
