"""Rows of a table as text, CSV and JSON; rows that come as a list is scrolled."""

import json

from gstack_browse.text.table_output import TableRow, merge_rows, render_rows

HEAD = TableRow("", True, ("Name", "", "Name"))
BODY = [TableRow("", False, ("Ann", "1, 2", 'say "x"')), TableRow("", False, ("Bob", "", "", "more"))]


def test_rows_are_rendered_in_three_ways() -> None:
    rows = [HEAD, *BODY]
    assert render_rows(rows, "text") == 'Name\t\tName\nAnn\t1, 2\tsay "x"\nBob\t\t\tmore'
    assert render_rows(rows, "csv") == 'Name,,Name\nAnn,"1, 2","say ""x"""\nBob,,,more'
    assert json.loads(render_rows(rows, "json")) == [
        {"Name": "Ann", "column 2": "1, 2", "Name (3)": 'say "x"'},
        {"Name": "Bob", "column 2": "", "Name (3)": "", "column 4": "more"},
    ]
    assert json.loads(render_rows(BODY[:1], "json")) == [["Ann", "1, 2", 'say "x"']]
    assert [render_rows([], form) for form in ("text", "csv", "json")] == ["", "", "[]"]


def numbered(*numbers: int) -> list[TableRow]:
    return [TableRow(str(number), False, (f"row {number}",)) for number in numbers]


def plain(*words: str) -> list[TableRow]:
    return [TableRow("", False, (word,)) for word in words]


def test_rows_that_come_by_scrolling_are_put_together() -> None:
    """Know rows by their numbers, else by where the ends of what was shown meet. Equal rows stay."""
    assert merge_rows(numbered(1, 2, 3), numbered(5, 3, 4)) == numbered(1, 2, 3, 4, 5)
    assert merge_rows(plain("a", "b", "b"), plain("b", "b", "c")) == plain("a", "b", "b", "c")
    assert merge_rows(plain("a", "b"), plain("a", "b", "c")) == plain("a", "b", "c"), "a list that grows"
    assert merge_rows(plain("a"), plain("c")) == plain("a", "c")
    assert merge_rows([HEAD, *plain("a")], [HEAD, *plain("a", "b")]) == [HEAD, *plain("a", "b")]
    assert merge_rows([], plain("a")) == plain("a")
