"""Run the rows of the matrix, or list or document them; see the package's docstring."""

import argparse
import sys

import pytest

import tests.faults
from tests.faults import GROUPS, ROOT, ROWS, row_of
from tests.faults.document import write


class Matrix:
    """Run only rows that have `words` in them, and print each with its result, its time and what was seen."""

    def __init__(self, words: str) -> None:
        self._words = words.casefold()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        rows = {item: row for item in items if (row := row_of(item))}
        meant = [item for item, row in rows.items() if self._words in f"{row} {item.nodeid}".casefold()]
        items[:] = sorted(meant, key=lambda item: GROUPS.index(rows[item].group))
        for item in items:
            row = rows[item]
            item.user_properties.append(("row", f"{row.group}: {row.done}: {row.promised}"))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            print(report.nodeid, report.longreprtext, sep="\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            facts = "".join(f"\n        → {value}" for name, value in report.user_properties if name == "seen")
            said = f"\n{report.longreprtext}" if report.failed else ""
            row = dict(report.user_properties)["row"]
            print(f"{report.outcome:8}{report.duration:.1f}s {row}{facts}{said}", flush=True)


def main() -> int:
    """Run what was asked for. Returns pytest's exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults",
        description=tests.faults.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="", metavar="WORDS", help="rows that have this in their words")
    docs = "write the table of docs/reliability.md, run none"
    parser.add_argument("--write-docs", action="store_true", help=docs)
    options = parser.parse_args()
    words = [str(ROOT / "tests"), f"--rootdir={ROOT}", "--slow", "-p", "no:terminal", "-p", "no:xdist"]
    # Without what is for pytest's own report.
    words += ["-o", "addopts=--strict-markers --import-mode=importlib"]
    words += ["--collect-only"] * options.write_docs
    status = pytest.main(words, plugins=[Matrix(options.only)])
    if options.write_docs and status == 0:
        write(ROWS)
    return int(status)


sys.exit(main())
