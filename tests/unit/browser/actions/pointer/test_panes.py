from gstack_browse.browser.actions.pointer.scrolling import format_position
from gstack_browse.browser.engine.answer_types import Pane, RowsInView


def pane(rows: RowsInView | None) -> Pane:
    return Pane(
        id=1,
        look="<div>",
        own=True,
        top=600,
        left=50,
        height=12_000,
        width=800,
        page=100,
        across=100,
        rows=rows,
    )


def test_scrolling_is_told_by_the_page_s_row_numbers_or_else_in_pixels() -> None:
    expected = "down 600 (rows 40–58 of 10,000)"
    assert format_position(pane(RowsInView(first=40, last=58, total=10_000)), "down", 600) == expected
    assert format_position(pane(RowsInView(first=4, last=4, total=0)), "up", 9) == "up 9 (rows 4)"
    assert format_position(pane(None), "down", 600) == "down 600 (600 of 12,000 pixels)"
    assert (
        format_position(pane(RowsInView(first=1, last=2, total=9)), "right", 50)
        == "right 50 (50 of 800 pixels)"
    )
