"""Which windows were asked for by a person's input."""

from typing import cast

from gstack_browse.browser.tabs.popups import Popups
from gstack_browse.browser.tabs.tab import Tab

ONE, TWO = cast("Tab", object()), cast("Tab", object())
ASKED, UNASKED = {"userGesture": True}, {"userGesture": False}


async def test_windows_are_judged_in_the_order_they_were_asked_for() -> None:
    popups = Popups()
    for event in (ASKED, UNASKED, ASKED):
        popups.ask(ONE, event)
    assert [popups.is_unwanted(ONE) for _ in range(3)] == [False, True, False]


async def test_each_page_answers_for_its_own() -> None:
    popups = Popups()
    popups.ask(ONE, UNASKED)
    popups.ask(TWO, ASKED)
    assert not popups.is_unwanted(TWO)
    assert popups.is_unwanted(ONE)


async def test_a_window_that_hides_its_opener_is_the_next_one_asked_for() -> None:
    popups = Popups()
    popups.ask(ONE, UNASKED)
    assert popups.is_unwanted(None)


async def test_a_window_nobody_asked_for_is_somebody_elses() -> None:
    assert not Popups().is_unwanted(ONE)
