"""Find calendars in a snapshot, and the months of their days: days of several months read the same.

Range pickers show two months side by side (jQuery UI 1.14, daterangepicker 3.1). Nothing in a week tells its days
apart.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from gstack_browse.snapshot.items import FIELDS, ITEMS, SECTIONS
from gstack_browse.snapshot.tree import OPERABLE, Tree

_TABLES = frozenset({"table", "grid", "treegrid"})
_MAX_LINES = 400
"""A table with more lines is no month."""
_LINES_ABOVE = 15
"""Limit of lines above a calendar that are searched for its title."""
_LEAST_DAYS = 28
"""Days of the shortest month."""
_WEEK_LENGTHS = (7, 8)
"""Numbers of cells in a row: its days, and perhaps the number of the week."""
_DAY = re.compile(r"\d{1,2}")
_LETTER = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"\d{4}")
_LIST_ROLES = frozenset({"option", "group"})
_ENDS_ABOVE = SECTIONS | ITEMS


class Calendars:
    """The calendars of one tree, and the titles of their months."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._is_calendar_cache: dict[int, bool] = {}
        self._adjacent_days: dict[int, dict[range, str]] = {}

    def month_titles(self, group: Sequence[int]) -> list[str]:
        """Return the title of the month around each line, such as "May 2027"; "" outside of calendars.

        `group`: lines that read the same. Returns [] if none of them is in a calendar.
        """
        calendars = self._calendars_of(group)
        if max(calendars) < 0:
            return []
        return [
            self._month_title(line, calendar) if calendar >= 0 else ""
            for line, calendar in zip(group, calendars, strict=True)
        ]

    def are_days(self, group: Sequence[int]) -> bool:
        """Return whether all of these lines are days of calendars."""
        return min(self._calendars_of(group)) >= 0

    def _month_title(self, line: int, calendar: int) -> str:
        """Return the month of a day, "May 2027"; for a day of an adjacent month, such as "before May 2027"."""
        title = self._titles[calendar]
        if calendar not in self._adjacent_days:
            self._adjacent_days[calendar] = self._find_adjacent_days(calendar)
        side = next((side for cell, side in self._adjacent_days[calendar].items() if line in cell), "")
        return f"{side} {title}" if title and side else title

    def _find_adjacent_days(self, calendar: int) -> dict[range, str]:
        """Map lines of a calendar's cells with days of the adjacent months to "before" or "after".

        {} unless it shows one whole month.
        """
        months: list[list[range]] = [[]]
        for day, cell in self._days(calendar):
            if day == 1:
                months.append([])
            months[-1].append(cell)
        whole = [index for index, days in enumerate(months) if index and len(days) >= _LEAST_DAYS]
        if len(whole) != 1:
            return {}
        return {
            cell: "before" if index < whole[0] else "after"
            for index, days in enumerate(months)
            if index != whole[0]
            for cell in days
        }

    def _days(self, calendar: int) -> Iterator[tuple[int, range]]:
        """Yield (day of the month, lines of its cell) for a calendar in order, without week numbers."""
        tree = self._tree
        for row in self._rows(calendar):
            cells = tree.children(row)
            for cell in cells[len(cells) == max(_WEEK_LENGTHS) :]:
                lines = range(cell, tree.ends[cell])
                if name := next((tree.names[line] for line in lines if tree.names[line]), ""):
                    yield int(name), lines

    def _calendars_of(self, group: Sequence[int]) -> list[int]:
        """Return the calendar around each line, -1 for none."""
        if not _DAY.fullmatch(self._tree.names[group[0]]):
            return [-1] * len(group)
        return list(map(self._calendar_of, group))

    def _calendar_of(self, line: int) -> int:
        """Return the table around a line if it is a calendar, else -1."""
        tree, table = self._tree, self._tree.parents[line]
        while table >= 0 and tree.roles[table] not in _TABLES:
            table = tree.parents[table]
        return table if table >= 0 and self._is_calendar(table) else -1

    def _is_calendar(self, table: int) -> bool:
        """Return whether a table is a calendar. The answer is cached."""
        if table not in self._is_calendar_cache:
            self._is_calendar_cache[table] = self._first_week(table) >= 0
        return self._is_calendar_cache[table]

    def _first_week(self, table: int) -> int:
        """Return the line of the first row of seven days; -1 if any row has more than days and blanks."""
        first = -1
        if self._tree.ends[table] - table > _MAX_LINES:
            return -1
        for row in self._rows(table):
            cells = self._tree.children(row)
            if not self._contains_only_days(cells):
                return -1
            if first < 0 and len(cells) in _WEEK_LENGTHS:
                first = row
        return first

    def _rows(self, table: int) -> Iterator[int]:
        """Yield the rows of a table below its head, except rows of a single button."""
        tree = self._tree
        for row in range(table, tree.ends[table]):
            if tree.roles[row] != "row":
                continue
            cells = tree.children(row)
            if len(cells) > 1 and all(tree.roles[cell] != "columnheader" for cell in cells):
                yield row

    def _contains_only_days(self, cells: Sequence[int]) -> bool:
        """Return whether the cells are at most a week, and all their texts are days of a month."""
        tree = self._tree
        texts = [
            tree.names[line] for cell in cells for line in range(cell, tree.ends[cell]) if tree.names[line]
        ]
        return len(cells) <= max(_WEEK_LENGTHS) and all(map(_DAY.fullmatch, texts))

    @cached_property
    def _titles(self) -> dict[int, str]:
        """Return the title of each calendar: its name, the text in its head, or the text above it.

        Texts above count if each calendar has its own, and all of them name a year or none does: a text above
        the first calendar alone may be about all of them, and one between two may belong to the first.
        """
        tree = self._tree
        calendars = [
            line for line, role in enumerate(tree.roles) if role in _TABLES and self._is_calendar(line)
        ]
        own = {calendar: tree.names[calendar] or self._title_in_head(calendar) for calendar in calendars}
        above = {
            calendar: self._title_above(calendar, previous)
            for previous, calendar in zip([-1, *calendars], calendars, strict=False)
            if not own[calendar]
        }
        if all(above.values()) and len({bool(_YEAR.search(text)) for text in above.values()}) == 1:
            own |= above
        return own

    def _title_in_head(self, calendar: int) -> str:
        """Return the title above the days in the table itself, without the days of the week."""
        tree = self._tree
        lines: list[int] = []
        week = self._first_week(calendar)
        for row in (line for line in range(calendar, week) if tree.roles[line] == "row"):
            with_words = [cell for cell in tree.children(row) if any(tree.names[cell : tree.ends[cell]])]
            if len(with_words) < _WEEK_LENGTHS[0]:
                lines += range(row, tree.ends[row])
        return self._title_among(lines)

    def _title_above(self, calendar: int, previous: int) -> str:
        """Return the title between two calendars, given as lines; else the name of the section around.

        `previous`: -1 for none.
        """
        tree, around = self._tree, set(self._tree.ancestors(calendar))
        stop = tree.ends[previous] if previous >= 0 else 0
        lines: list[int] = []
        for line in range(calendar - 1, stop - 1, -1):
            if line in around and tree.roles[line] in _ENDS_ABOVE:
                return self._title_among(lines[::-1]) or tree.names[line]
            if tree.roles[line] in _LIST_ROLES:
                continue
            if len(lines) == _LINES_ABOVE or (line not in around and tree.roles[line] in _TABLES):
                break
            lines.append(line)
        return self._title_among(lines[::-1])

    def _title_among(self, lines: Sequence[int]) -> str:
        """Return the title in `lines`: the month and year chosen in fields, else the last text with a year.

        Without such a text, that of the last button with a year, else the last text with a letter; "" for none.
        """
        tree = self._tree
        chosen = [tree.values[line] for line in lines if tree.roles[line] in FIELDS and line in tree.values]
        texts = [tree.names[line] for line in lines if tree.roles[line] not in OPERABLE and tree.names[line]]
        if chosen:
            has_month = any(map(_LETTER.search, chosen))
            beside = [t for t in texts if (_YEAR.fullmatch(t) if has_month else _LETTER.search(t))][-1:]
            return " ".join([*chosen, *beside] if has_month else [*beside, *chosen])
        buttons = [tree.names[line] for line in lines if tree.roles[line] == "button"]
        for index in range(len(texts) - 1, -1, -1):
            if _YEAR.search(texts[index]):
                has_month_before = index and not _LETTER.search(texts[index])
                return " ".join(texts[index - 1 : index + 1]) if has_month_before else texts[index]
        years = [name for name in buttons if _YEAR.search(name) and _LETTER.search(name)]
        return next((text for text in (*years[-1:], *texts[::-1]) if _LETTER.search(text)), "")
