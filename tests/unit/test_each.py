"""Every case is tried, and all that fail are named: else tests would pass that have found something."""

import asyncio
from pathlib import Path

import pytest

from tests.each import each, each_row


async def test_every_case_that_fails_is_reported_by_its_name() -> None:
    tried = []

    @each([1, 2, 3], name=lambda number: f"number {number}")
    def odd(number: int) -> None:
        tried.append(number)
        if number == 1:
            pytest.fail("the first")
        assert number != 3

    @each_row((1, "one"), (2, "two"))
    async def first(number: int, word: str) -> None:
        await asyncio.sleep(0)
        assert (number, word) == (1, "one")

    with pytest.raises(BaseExceptionGroup) as failed:
        odd()
    assert tried == [1, 2, 3]
    notes = [error.__notes__ for error in failed.value.exceptions]
    assert notes == [["The case is number 1."], ["The case is number 3."]]
    with pytest.raises(BaseExceptionGroup, match="1 of 2 cases"):
        await first()
    with pytest.raises(AssertionError, match="no case"):
        each([])(lambda case: None)()


@each_row(("a", "b"), ("c", "d"))
def test_fixtures_come_after_the_values_of_a_row(name: str, other: str, tmp_path: Path) -> None:
    (tmp_path / name / other).mkdir(parents=True)
