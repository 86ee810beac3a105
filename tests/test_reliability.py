"""Test that docs/reliability.md has each row of the fault matrix.

The known rows are those of modules that this run has imported.
"""

from tests.faults import ROWS
from tests.faults.document import line, written


def test_each_row_is_documented_and_no_other() -> None:
    known = {row.test.partition("::")[0] for row in ROWS}
    of_known = {text for text in written() if any(f"](../{path})" in text for path in known)}
    assert of_known == {line(row) for row in ROWS}, "python -m tests.faults --write-docs"
