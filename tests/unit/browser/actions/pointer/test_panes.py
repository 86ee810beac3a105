from gstack_browse.browser.actions.pointer.pointer import format_position
from gstack_browse.browser.engine.answer_types import Pane, RowsInView
from tests.each import each_row


@each_row(
    (RowsInView(first=40, last=58, total=10_000), "down", 600, "down 600 (rows 40–58 of 10,000)"),
    (RowsInView(first=4, last=4, total=0), "up", 9, "up 9 (rows 4)"),
    (RowsInView(first=1, last=2, total=9), "right", 50, "right 50 (50 of 800 pixels)"),
    (None, "down", 600, "down 600 (600 of 12,000 pixels)"),
)
def test_scrolling_is_told_by_the_page_s_row_numbers_or_else_in_pixels(
    rows: RowsInView | None, way: str, distance: int, told: str
) -> None:
    sizes = {
        "top": 600,
        "left": 50,
        "maxTop": 12_000,
        "maxLeft": 800,
        "visibleHeight": 100,
        "visibleWidth": 100,
    }
    pane = Pane(id=1, description="<div>", isTarget=True, rows=rows, **sizes)
    assert format_position(pane, way, distance) == told
