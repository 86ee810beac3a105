"""The month that a day is of: two months beside each other have the same numbers."""

import pytest

from gstack_browse.snapshot.render import render
from gstack_browse.snapshot.tree import Options
from tests.each import each
from tests.unit.snapshot.trees import tree

WEEKDAYS = "  row\n" + "".join(
    f'    columnheader "{day}"\n' for day in ("Su", "Mo", "Tu", "We", "Th", "Fr", "Sa")
)
CELLS = {
    "links": 'cell\n      link "{}"',
    "what is clicked in cells": 'cell\n      clickable "{}"',
    "buttons that are cells": 'gridcell\n      button "{}"',
    "buttons in named cells": 'gridcell "{0}"\n      button "{0}"',
}
HEADS = {
    "a caption": ("", ' "{}"', ""),
    "a heading above": ('heading "{}" [level=2]\n', "", ""),
    "a text above": ('text "{}"\n', "", ""),
    "a text above, with arrows": ('link "Prev"\nlink "Next"\ntext "{}"\n', "", ""),
    "a text above, with arrows behind it": ('button "<"\ntext "{}"\nbutton ">"\n', "", ""),
    "a row of the head": ("", "", '  row\n    columnheader "«"\n    columnheader "{}"\n    columnheader "»"\n'),
    "lists above": ('combobox "Month": {0[0]}\ncombobox "Year": {0[1]}\n', "", ""),
    "a list beside a text": ('text "{0[0]}"\ncombobox: {0[1]}\n', "", ""),
    "a text beside a list": ('combobox "Month": {0[0]}\ntext "{0[1]}"\n', "", ""),
    "a text of two parts": ('text "{0[0]}"\ntext "{0[1]}"\n', "", ""),
}
BARE = Options(interactive=True)


def week(cell: str, first: int, blank: int = 0) -> str:
    cells = [*["cell"] * blank, *(cell.format(day) for day in range(first, first + 7 - blank))]
    return "  row\n" + "".join(f"    {one}\n" for one in cells)


def month(title: str, head: str, cell: str, blank: int) -> str:
    above, name, row = (
        part.format(title.split() if "[" in part and "0[" in part else title) for part in HEADS[head]
    )
    return f"{above}table{name}\n{row}{WEEKDAYS}{week(cell, 1, blank)}{week(cell, 8 - blank)}"


def days(page: str) -> list[str]:
    """Return the printed lines that are called by a number, without their refs and roles."""
    lines = (line.strip().partition("] ")[2] for line in render(tree(page), BARE).split("\n"))
    return [line for line in lines if line[1:2].isdecimal()]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("cell", CELLS)
def test_days_of_two_months_are_told_by_these(head: str, cell: str) -> None:
    months = "November 2026", "December 2026"
    page = month(months[0], head, CELLS[cell], 0) + month(months[1], head, CELLS[cell], 2)
    told = [f'"{day}" ({months[0]})' if day < 13 else f'"{day}"' for day in range(1, 15)]
    assert days(page) == [*told, *(f'"{day}" ({months[1]})' for day in range(1, 13))]


def test_the_number_of_the_week_and_days_that_cannot_be_chosen_say_nothing_of_the_others() -> None:
    weeks = '  row\n    rowheader "{}"\n' + "".join(f'    cell "{day}"\n' for day in range(1, 5))
    weeks += "".join(f'    cell\n      link "{day}"\n' for day in range(5, 8))
    page = "".join(
        f'text "{name}"\ntable\n{weeks.format(number)}' for name, number in (("May", 18), ("June", 23))
    )
    assert days(page) == [f'"{day}" ({name})' for name in ("May", "June") for day in range(5, 8)]


def test_a_text_that_may_be_of_another_month_tells_nothing() -> None:
    def page(*parts: str) -> str:
        table = f"table\n{WEEKDAYS}{week(CELLS['links'], 1)}"
        return "".join(f'text "{part}"\n' if part else table for part in parts)

    bare = [f'"{day}"' for day in range(1, 8)] * 2
    assert days(page("May 2026", "June 2026", "", "")) == bare, "both above"
    assert days(page("Choose", "", "May 2026", "", "June 2026")) == bare, "each below"
    assert days(page("", "May 2026", "", "June 2026")) == bare


def test_rows_that_are_no_weeks_are_told_by_their_words() -> None:
    row = '  row\n    cell "{}"\n    cell\n      link "5"\n'
    expected = ['"5" (Apple)', '"5" (Cherry)']
    assert days(f'table "Orders"\n{row.format("Apple")}table "Bills"\n{row.format("Cherry")}') == expected
    assert days(f'table "Orders"\n{row.format("1001")}{row.format("1002")}') == ['"5" (1001)', '"5" (1002)']


@each(CELLS)
def test_days_of_the_month_before_and_after_are_told_from_those_of_the_month(cell: str) -> None:
    """Show a whole month: of a part it is open whether the days before its first one have passed in it."""

    def page(numbers: list[int], title: str) -> str:
        row = "  row\n" + "    {}\n" * 7
        cells = [CELLS[cell].format(number) for number in numbers]
        weeks = [row.format(*cells[at : at + 7]) for at in range(0, len(cells), 7)]
        return f'text "{title}"\ntable\n{WEEKDAYS}{"".join(weeks)}'

    may = [29, 30, *range(1, 32), *range(1, 3)]
    told = days(page(may, "May 2026"))
    assert told[:3] == ['"29" (before May 2026)', '"30" (before May 2026)', '"1" (May 2026)']
    assert told[28:] == [
        *('"27"', '"28"', '"29" (May 2026)', '"30" (May 2026)', '"31"'),
        *('"1" (after May 2026)', '"2" (after May 2026)'),
    ]
    both = days(page(may, "May 2026") + page([*range(1, 31), *range(1, 6)], "June 2026"))
    expected = ['"1" (May 2026)', '"1" (after May 2026)', '"1" (June 2026)', '"1" (after June 2026)']
    assert [line for line in both if line.startswith('"1"')] == expected
    part = [*range(22, 32), *range(1, 12)]
    assert days(page(part, "May 2026")) == [f'"{day}"' for day in part]


def test_chosen_month_is_read_across_a_long_list_of_years() -> None:
    options = "".join(f'  option "{year}"\n' for year in range(2000, 2040))
    head = "combobox: {}\n" + options + "combobox: 2026\n" + options
    page = "".join(f"{head.format(name)}table\n{week(CELLS['links'], 1)}" for name in ("May", "Jun"))
    assert days(page) == [f'"{day}" ({name} 2026)' for name in ("May", "Jun") for day in range(1, 8)]
