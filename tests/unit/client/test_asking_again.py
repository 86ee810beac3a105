import time
from contextlib import nullcontext

import pytest

from gstack_browse.client import main
from gstack_browse.client.reply_printer import ReplyPrinter
from gstack_browse.errors import Busy


class Clock:
    """Clock whose time passes only in `wait`."""

    now = 100.0

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(time, "sleep", clock.wait)
    return clock


@pytest.mark.parametrize("raises", [False, True])
@pytest.mark.parametrize("answer_seconds", [0.0, 0.1, 7.0])
def test_the_limit_is_time_whatever_an_answer_takes(clock: Clock, answer_seconds: float, raises: bool) -> None:
    asked = []

    def busy(_: ReplyPrinter) -> bool:
        asked.append(clock.now)
        clock.wait(answer_seconds)
        if raises:
            raise Busy("full")
        return False

    began = clock.now
    with pytest.raises(Busy) if raises else nullcontext():
        main.retry_while_busy(busy, ReplyPrinter)
    assert len(asked) > 1
    assert asked[-1] - began <= main.BUSY_SECONDS, "no question is asked after the limit"
