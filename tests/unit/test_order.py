"""Files of tests: those of two kinds begin and end together, long ones first."""

import os
from pathlib import Path

from tests.order import SECONDS, USUAL, mixed

TESTS = Path(__file__).parents[1]


def test_two_kinds_begin_and_end_together_and_long_files_come_first() -> None:
    files = [("a", "waits"), ("b", "waits"), ("long", "waits"), ("c", "computes"), ("d", "computes")]
    begins = mixed(files, {"long": 2 * USUAL})
    order = [name for name, _ in sorted(begins, key=begins.__getitem__)]
    assert order == ["long", "c", "a", "d", "b"]
    assert [name for name in SECONDS if not (TESTS / name).is_file()] == []
    assert "PYTHONPYCACHEPREFIX" not in os.environ
