"""Runs the matrix; see the package's docstring."""

import argparse
import sys

import pytest

import tests.faults
from tests.faults import ROOT, ROWS
from tests.faults.document import write
from tests.faults.plugin import Matrix


def main() -> int:
    """Run or list what was asked for. Returns pytest's exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults",
        description=tests.faults.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="", metavar="WORDS", help="rows that have this in their words")
    parser.add_argument("--list", action="store_true", help="print the rows, run none")
    parser.add_argument(
        "--write-docs", action="store_true", help="write the table of docs/reliability.md, run none"
    )
    options = parser.parse_args()
    matrix = Matrix(options.only, lists=options.list or options.write_docs)
    words = [str(ROOT / "tests"), f"--rootdir={ROOT}", "--slow", "-p", "no:terminal", "-p", "no:xdist"]
    words += [
        "-o",
        "addopts=--strict-markers --import-mode=importlib",
    ]  # without what is for pytest's own report
    status = pytest.main(words, plugins=[matrix])
    if options.write_docs and status == 0:
        write(ROWS)
    return int(status)


sys.exit(main())
