import pytest

from gstack_browse.browser.cdp import throttling
from gstack_browse.browser.cdp.throttling import MOST_A_SECOND, MOST_CHARACTERS_A_SECOND, FloodDetector


def test_more_than_is_allowed_in_any_second_is_too_much() -> None:
    throttling = FloodDetector()
    assert not any(throttling.add_message(5.0, 10) for _ in range(MOST_A_SECOND))
    assert throttling.add_message(5.9, 10)
    assert not throttling.add_message(6.5, 10)
    throttling, times = FloodDetector(), (number * 1.001 / MOST_A_SECOND for number in range(5 * MOST_A_SECOND))
    assert not any(throttling.add_message(at, 10) for at in times)
    throttling = FloodDetector()
    throttling.add_message(0.0, 10)
    half = MOST_A_SECOND // 2
    assert not any(throttling.add_message(0.9, 10) for _ in range(half))
    assert not any(throttling.add_message(1.1, 10) for _ in range(half))
    assert throttling.add_message(1.1, 10)
    throttling = FloodDetector()
    assert not throttling.add_message(0.0, MOST_CHARACTERS_A_SECOND)
    assert throttling.add_message(0.5, 1)
    assert not throttling.add_message(1.0, 1)


def test_a_flood_of_several_threads_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttling, "MOST_A_SECOND", 4)
    said = FloodDetector()
    assert [said.add_message(at, 1) for at in (10.0, 9.9, 10.1, 9.95, 10.0)] == [False] * 4 + [True]
    assert not said.add_message(3.0, 1)
    assert [said.add_message(3.1, 1) for _ in range(4)] == [False] * 3 + [True]
    said = FloodDetector()
    assert sum(said.add_message(1.0, 1) for _ in range(1000)) == 996
    assert len(said._messages) <= 5
