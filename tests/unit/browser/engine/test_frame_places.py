from gstack_browse.browser.engine.world import FrameTransform, Iframe

BORDERED = Iframe((12, 22, 112, 22, 112, 72, 12, 72), 100, 50)
HALF = Iframe((100, 100, 150, 100, 150, 125, 100, 125), 100, 50)
TURNED = Iframe((100, 0, 100, 100, 50, 100, 50, 0), 100, 50)
"""By a quarter, clockwise."""


def test_a_point_is_moved_scaled_and_turned_with_its_iframes() -> None:
    assert FrameTransform((BORDERED,)).to_page_point(5, 5) == (17, 27)
    assert FrameTransform((BORDERED, BORDERED)).to_page_point(5, 5) == (29, 49)
    assert FrameTransform((HALF,)).to_page_point(40, 20) == (120, 110)
    assert FrameTransform((TURNED,)).to_page_point(10, 20) == (80, 10)
