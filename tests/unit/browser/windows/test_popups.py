"""Which windows were asked for by a person's input, one for each action."""

from types import SimpleNamespace
from typing import cast

import pytest

from gstack_browse.browser.tab.effects import Effects
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.windows.popup_windows import BY_ITSELF, SURPLUS, WindowRequests

ASKED, UNASKED = {"userGesture": True}, {"userGesture": False}


def tab() -> Tab:
    """As much of a tab as counts its windows."""
    return cast("Tab", SimpleNamespace(effects=Effects(), adopted=0.0))


@pytest.fixture
def one() -> Tab:
    return tab()


@pytest.fixture
def popups() -> WindowRequests:
    return WindowRequests()


def problem(popups: WindowRequests, opener: Tab | None, window: str = "") -> str:
    asked = popups.take_request(opener, window) if window else popups.take_request(opener)
    assert asked
    return asked.problem


async def test_each_page_s_windows_are_judged_in_the_order_they_were_asked_for(
    one: Tab, popups: WindowRequests
) -> None:
    """Chromium may tell of the windows in another order."""
    two = tab()
    for event in (ASKED, UNASKED, ASKED):
        popups.note_request(one, event)
    popups.note_request(two, ASKED)
    assert problem(popups, two) == ""
    assert [problem(popups, one) for _ in range(3)] == ["", BY_ITSELF, SURPLUS]
    popups, one, two = WindowRequests(), tab(), tab()
    for opener, event in ((two, ASKED), (one, ASKED), (one, UNASKED), (one, ASKED)):
        popups.note_request(opener, event)
    for opener, window in ((two, "other"), (one, "first"), (one, "second"), (one, "third")):
        popups.on_window_opened(opener, window)
    taken = (one, "third"), (None, "first"), (one, "second"), (two, "other")
    assert [problem(popups, *window) for window in taken] == [SURPLUS, "", BY_ITSELF, ""]


async def test_a_window_that_chromium_blocks_takes_the_place_of_no_other_unless_settings_allow_it(
    one: Tab, popups: WindowRequests
) -> None:
    popups.chromium_blocks = True
    popups.note_request(one, UNASKED)
    popups.on_window_opened(one, "allowed")
    assert one.effects.blocked[BY_ITSELF] == 0
    assert popups.take_request(one, "allowed") is None
    popups.note_request(one, UNASKED)
    popups.note_request(one, ASKED)
    popups.on_window_opened(one, "asked for")
    assert one.effects.blocked[BY_ITSELF] == 1
    assert problem(popups, one, "asked for") == ""


async def test_requests_that_get_no_window_are_forgotten(
    one: Tab, popups: WindowRequests, monkeypatch: pytest.MonkeyPatch
) -> None:
    for second in range(100):
        monkeypatch.setattr(WindowRequests, "_read_clock", lambda _, now=float(second): now)
        popups.note_request(one, UNASKED)
    assert len(popups._requests) < 20
