"""What nobody can reach is freed when the process has grown, seldom enough to be in nobody's way."""

import gc
import weakref
from collections.abc import Callable, Iterator

import pytest

from gstack_browse.daemon import memory
from gstack_browse.daemon.memory import Memory

MORE_THAN_THERE_IS = 1 << 60


class Cycle:
    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def nothing_collects_by_itself() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def is_left(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], bool]:
    """Whether a cycle that nobody can reach is still there after a `tidy`."""
    monkeypatch.setattr(memory, "GROWTH", -MORE_THAN_THERE_IS)
    monkeypatch.setattr(memory, "MOST_GROWTH", MORE_THAN_THERE_IS)
    tidied = Memory()

    def left(is_idle: bool) -> bool:
        cycle = weakref.ref(Cycle())
        tidied.tidy(is_idle=is_idle)
        return cycle() is not None

    return left


def test_when_nobody_uses_the_daemon(is_left: Callable[[bool], bool]) -> None:
    assert not is_left(True)


def test_in_use_only_when_it_has_grown_a_lot(
    is_left: Callable[[bool], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_left(False)
    monkeypatch.setattr(memory, "MOST_GROWTH", -MORE_THAN_THERE_IS)
    assert not is_left(False)


def test_after_which_it_rests(is_left: Callable[[bool], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "SHARE", 1e-9)
    assert not is_left(True)
    assert is_left(True)


def test_what_has_not_grown_is_left_alone(
    is_left: Callable[[bool], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "GROWTH", MORE_THAN_THERE_IS)
    assert is_left(True)
