"""Tables as text: a cell stands in its column."""

import pytest

from tests.commands.conftest import Run, Show
from tests.each import each

pytestmark = pytest.mark.same_session

SPANNED = {
    "rows": (
        "<tr><th>City<th>Year<th>People<tr><td rowspan=2>Paris<td>2020<td>2100<tr id=r><td>2021<td>2200<tr><td>Rome<td>2020<td>2800",
        "City\tYear\tPeople\nParis\t2020\t2100\n\t2021\t2200\nRome\t2020\t2800",
        "\t2021\t2200",
    ),
    "columns": (
        "<tr><th>City<th>Year<th>People<tr id=r><td colspan=2>Total<td>4300<tr><td>Rome<td>2020<td>2800",
        "City\tYear\tPeople\nTotal\t\t4300\nRome\t2020\t2800",
        "Total\t\t4300",
    ),
    "both, beside each other": (
        "<tr><td rowspan=3 colspan=2>A<td>b<td rowspan=2>C<td>d<tr><td>e<td>f<tr id=r><td>g<td>h<td>i",
        "A\t\tb\tC\td\n\t\te\t\tf\n\t\tg\th\ti",
        "\t\tg\th\ti",
    ),
    "all rows of a section": (
        "<tbody><tr><td rowspan=0>A<td>b<tr><td>c<tbody><tr id=r><td>d<td>e",
        "A\tb\n\tc\nd\te",
        "d\te",
    ),
    "more rows than a section has": (
        "<thead><tr><th rowspan=9>A<th>b<tbody><tr id=r><td>d<td>e",
        "A\tb\nd\te",
        "d\te",
    ),
    "what is not shown": (
        "<tr><td rowspan=2>A<td rowspan=2 style='display:none'>b<td>c<tr style='display:none'><td>x<tr id=r><td>d",
        "A\tc\n\td",
        "\td",
    ),
    "in a table that is a block": (
        "<style>table{display:block}</style><tr><td rowspan=2>A<td>b<tr id=r><td>c",
        "A\tb\n\tc",
        "\tc",
    ),
}


@each(SPANNED)
async def test_cells_stand_in_their_column_whatever_others_span(what: str, run: Run, show: Show) -> None:
    markup, text, row = SPANNED[what]
    await show(f"<table>{markup}</table><p>After")
    assert await run("text") == f"{text}\n\nAfter"
    assert await run("text '#r'") == row
    lines = [line.split("\t") for line in text.split("\n")]
    wide = max(len(line) for line in lines)
    read = (await run("text --markdown")).partition("\n\n")[0].split("\n")
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in read]
    assert [line + [""] * (wide - len(line)) for line in lines] == [
        line + [""] * (wide - len(line)) for line in [table[0], *table[2:]]
    ]
    assert len(table[1]) == wide


async def test_heading_over_all_columns_or_table_in_a_cell_moves_no_column(run: Run, show: Show) -> None:
    await show("<table><tr><th colspan=100>Prices<tr><td>Tea<td>3<tr><td colspan=2>Coffee</table>")
    assert await run("text --markdown") == "| Prices |  |\n| --- | --- |\n| Tea | 3 |\n| Coffee |"
    inner = "<table style='display:inline-table'><tr><td>x<td>y</table>"
    await show(f"<table><tr><td rowspan=2>A<td>{inner}<td>b<tr><td>c<td>d</table>")
    assert await run("text") == "A\tx\ty\tb\n\tc\td"
