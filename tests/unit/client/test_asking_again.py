"""How long a client goes on asking a daemon that says that it is busy."""

import threading
import time

import pytest

from gstack_browse.client import main
from gstack_browse.client.relay import Relay
from gstack_browse.errors import Busy


@pytest.mark.parametrize("raises", [False, True])
def test_the_limit_is_time_however_long_each_answer_takes(
    monkeypatch: pytest.MonkeyPatch, raises: bool
) -> None:
    monkeypatch.setattr(main, "BUSY_SECONDS", 0.5)
    asked = []

    def busy(_: Relay) -> bool:
        asked.append(time.monotonic())
        threading.Event().wait(0.1)
        if raises:
            raise Busy("full")
        return False

    began = time.monotonic()
    if raises:
        with pytest.raises(Busy):
            main.until_taken(busy, Relay)
    else:
        main.until_taken(busy, Relay)
    assert len(asked) > 1
    assert asked[-1] - began < 0.5, "no question is asked after the limit"
