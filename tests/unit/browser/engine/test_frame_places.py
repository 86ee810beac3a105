"""Test where a point lies in a frame of another site.

It is computed from the corner of its iframe, which Playwright knows.
"""

from gstack_browse.browser.engine.frame_places import FramePlace, Iframe

BORDERED = Iframe((10, 20), (12, 22, 112, 22, 112, 72, 12, 72), 100, 50)
HALF = Iframe((100, 100), (100, 100, 150, 100, 150, 125, 100, 125), 100, 50)
TURNED = Iframe((50, 0), (100, 0, 100, 100, 50, 100, 50, 0), 100, 50)
"""By a quarter, clockwise."""


def test_the_border_is_added_once_for_each_iframe() -> None:
    assert FramePlace((BORDERED,)).in_page(15, 25) == (17, 27)
    assert FramePlace((BORDERED, BORDERED)).in_page(25, 45) == (29, 49)


def test_a_point_is_scaled_and_turned_with_its_iframe() -> None:
    assert FramePlace((HALF,)).in_page(140, 120) == (120, 110)
    assert FramePlace((TURNED,)).in_page(60, 20) == (80, 10)


def test_playwright_knows_where_a_frame_is_that_its_iframe_neither_moves_nor_scales() -> None:
    plain = Iframe((10, 20), (10, 20, 110, 20, 110, 70, 10, 70), 100, 50)
    places = [FramePlace(), FramePlace((plain,)), FramePlace((BORDERED,)), FramePlace((HALF,))]
    assert [place.is_known_to_playwright for place in places] == [True, True, False, False]
