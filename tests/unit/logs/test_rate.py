import pytest

from gstack_browse.logs import rate
from gstack_browse.logs.rate import MOST_A_SECOND, MOST_CHARACTERS_A_SECOND, FloodDetector


def test_as_many_as_are_allowed_in_one_second_are_not_too_many() -> None:
    rate = FloodDetector()
    assert not any(rate.add_message(5.0, 10) for _ in range(MOST_A_SECOND))
    assert rate.add_message(5.9, 10)
    assert not rate.add_message(6.5, 10)


def test_a_steady_stream_is_never_too_much() -> None:
    rate = FloodDetector()
    assert not any(rate.add_message(number * 1.001 / MOST_A_SECOND, 10) for number in range(5 * MOST_A_SECOND))


def test_a_burst_is_one_wherever_a_second_begins() -> None:
    rate = FloodDetector()
    rate.add_message(0.0, 10)
    half = MOST_A_SECOND // 2
    assert not any(rate.add_message(0.9, 10) for _ in range(half))
    assert not any(rate.add_message(1.1, 10) for _ in range(half))
    assert rate.add_message(1.1, 10)


def test_a_few_enormous_ones_are_too_much() -> None:
    rate = FloodDetector()
    assert not rate.add_message(0.0, MOST_CHARACTERS_A_SECOND)
    assert rate.add_message(0.5, 1)
    assert not rate.add_message(1.0, 1)


def test_several_threads_and_a_clock_that_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate, "MOST_A_SECOND", 4)
    said = FloodDetector()
    assert [said.add_message(at, 1) for at in (10.0, 9.9, 10.1, 9.95, 10.0)] == [False] * 4 + [True]
    assert not said.add_message(3.0, 1)
    assert [said.add_message(3.1, 1) for _ in range(4)] == [False] * 3 + [True]


def test_memory_of_a_flood_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate, "MOST_A_SECOND", 4)
    said = FloodDetector()
    assert sum(said.add_message(1.0, 1) for _ in range(1000)) == 996
    assert len(said._messages) <= 5
