import asyncio
from pathlib import Path

import pytest

from tests.each import each


def test_every_case_that_fails_is_reported_by_its_name() -> None:
    tried = []

    @each([1, 2, 3], name=lambda number: f"number {number}")
    def odd(number: int) -> None:
        tried.append(number)
        if number == 1:
            pytest.fail("the first")
        assert number != 3

    with pytest.raises(BaseExceptionGroup) as failed:
        odd()
    assert tried == [1, 2, 3]
    expected = [["The case is number 1."], ["The case is number 3."]]
    assert [error.__notes__ for error in failed.value.exceptions] == expected


async def test_cases_that_wait_or_are_none_are_reported_too() -> None:
    @each([1, 2])
    async def odd(number: int) -> None:
        await asyncio.sleep(0)
        assert number == 1

    with pytest.raises(BaseExceptionGroup, match="1 of 2 cases"):
        await odd()
    with pytest.raises(AssertionError, match="no case"):
        each([])(lambda case: None)()


@each(["a", "b"])
def test_fixtures_come_after_the_case(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
