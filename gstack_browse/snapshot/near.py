"""The nearest text of fields that have no name: `@e5 [textbox] (near "Email:")`. A guess, and printed as one.

Of a cell that is clicked and has no words, as one with a tick in it, the header of its column.
"""

import re
from collections.abc import Iterable

from gstack_browse.snapshot.boxes import Boxes
from gstack_browse.snapshot.items import FIELDS, ITEMS, LARGEST_ITEM, SECTIONS, says
from gstack_browse.snapshot.sources import cut
from gstack_browse.snapshot.tree import OPERABLE, Tree

_BEFORE_THEIR_TEXT = frozenset({"checkbox", "radio", "switch"})
_TABLES = frozenset({"table", "grid", "treegrid"})
_BORDERS = ITEMS | SECTIONS | {"list", "listbox", "rowgroup", "tree", "menu"}
_FRAMES = _BORDERS - ITEMS
_NOT_BESIDE = _FRAMES | {"columnheader"}
"""What else stands in a row and says nothing of a box in it: lists, parts of the page, what other columns are called."""
_CELLS = frozenset({"cell", "gridcell"})
_MEASURES = frozenset({"slider", "spinbutton"})
_BOUND = re.compile(r"[-+\d.,\s%]+")
_LOOKED_AT = 6
_BESIDE = 3
"""How many lines may lie between a field and the text that names it."""


def near(tree: Tree, lines: Iterable[int]) -> tuple[dict[int, str], set[int]]:
    """For each field without a name the text beside it, where there is one; and the fields whose text is of their column."""
    nearness = _Nearness(tree)
    found = {}
    for line in lines:
        if tree.names[line]:
            continue
        if tree.roles[line] in FIELDS:
            text = nearness.of(line)
        elif tree.roles[line] in _CELLS and tree.nodes[line] < 0:
            text = nearness.column_of(line)
        else:
            continue
        if text:
            found[line] = cut(text)
    return found, nearness.in_columns


class _Nearness:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._headers: dict[int, list[int]] = {-1: []}
        self._turns: dict[int, bool] = {}
        self._columns: dict[int, dict[int, int]] = {}
        self._cells: dict[int, tuple[int, int]] = {}
        self._has_rows = "row" in tree.roles
        self._boxes = Boxes(tree)
        self.in_columns: set[int] = set()

    def of(self, line: int) -> str:
        """Behind a box that is ticked, else the header of the column, else what stands before.

        Behind any field where fields and texts take turns, a field first. What stands in the same row as a box that is ticked
        comes before what stands in another one, on whichever side.
        """
        if text := self._field_inside(line):
            return text
        is_ticked = self._tree.roles[line] in _BEFORE_THEIR_TEXT
        own = self._with_words(line) if is_ticked else None
        is_before = (
            not self._begins_with_texts(own)
            if own
            else is_ticked or self._begins_with_fields(self._tree.parents[line])
        )
        if is_before and (text := self._behind(line, own.stop if own else len(self._tree))):
            return text
        if text := self.column_of(line) or self._cell_name(line):
            return text
        if text := self._before(line, own.start if own else 0):
            return text
        has_hint = line in self._tree.hints  # which is its own, and its row is told beside that
        return self._in_row(line, own) if own and not has_hint else ""

    def column_of(self, line: int) -> str:
        """The header of the column that a field or a cell is in."""
        if text := self._column_header(line) if self._has_rows else "":
            self.in_columns.add(line)
        return text

    def _cell_name(self, line: int) -> str:
        """What the cell is called that a field is in."""
        cell = self._tree.parents[line]
        return self._tree.names[cell] if cell >= 0 and self._tree.roles[cell] in _CELLS else ""

    def _field_inside(self, line: int) -> str:
        """What the field is called that is in a box which takes its place, as ARIA 1.1 has comboboxes."""
        inside = range(line + 1, min(self._tree.ends[line], line + _LOOKED_AT))
        return next((self._tree.names[below] for below in inside if self._tree.roles[below] in FIELDS), "")

    def _with_words(self, line: int) -> range | None:
        """The innermost of what is around a field that has words which are no field's name, None where that is a large part of the page."""
        for around, above in self._boxes.enclosing(line):
            role = self._tree.roles[above] if above >= 0 else ""
            if len(around) > LARGEST_ITEM or role in FIELDS:
                return None
            if any(self._word(other) for other in around if other != line):
                return around
            if role in _BORDERS:
                return None
        return None

    def _word(self, line: int) -> str:
        """What a line says of what is beside it: a text, a link, or what is clicked."""
        tree, role = self._tree, self._tree.roles[line]
        if role == "link" or self._is_clickable(line):
            return "" if self._is_icon(line) else tree.names[line]
        return "" if role in _FRAMES else says(tree, line)

    def _begins_with_texts(self, own: range) -> bool:
        """True where texts and fields take turns in there, a text first and a field last."""
        fields = [
            self._tree.roles[line] in FIELDS
            for line in own
            if self._tree.roles[line] in FIELDS or (self._tree.roles[line] != "heading" and self._word(line))
        ]
        return len(fields) % 2 == 0 and fields == [False, True] * (len(fields) // 2)

    def _begins_with_fields(self, parent: int) -> bool:
        """True where fields and texts take turns below `parent`, a field first."""
        if parent not in self._turns:
            self._turns[parent] = self._take_turns(parent)
        return self._turns[parent]

    def _take_turns(self, parent: int) -> bool:
        tree, roles, count = self._tree, self._tree.roles, 0
        child, stop = (parent + 1, tree.ends[parent]) if parent >= 0 else (0, len(tree))
        while child < stop:
            if (is_field := roles[child] in FIELDS) or roles[child] == "text":
                if is_field == bool(count % 2):
                    return False
                count += 1
            child = tree.ends[child]
        return count >= 4 and count % 2 == 0

    def _behind(self, line: int, stop: int) -> str:
        """The text right after the field, in the same paragraph, cell or item, and before `stop`. The text may be clickable."""
        tree, after = self._tree, self._tree.ends[line]
        parent = tree.parents[line]
        while after < len(tree) and self._is_icon(after):
            after = tree.ends[after]
        if after >= min(tree.ends[parent] if parent >= 0 else stop, stop):
            return ""
        if self._is_clickable(after) and not self._has_field(after):
            return tree.names[after]
        return says(tree, after) if tree.roles[after] == "text" and not self._is_label(after) else ""

    def _before(self, line: int, start: int) -> str:
        """The text before the field, from `start` on. A number beside a slider is one of its bounds, and what it shows is its value."""
        tree, names = self._tree, []
        is_measure = tree.roles[line] in _MEASURES
        other = line
        for _ in range(_LOOKED_AT):
            other = self._list_of(other - 1)
            if other >= start and self._holds_nothing_else(other, line):
                continue
            if other < start or self._is_closed(other, line):
                return ""
            if self._is_icon(other):
                continue
            if tree.ends[other] > line and self._is_clickable(other):
                return tree.names[other]
            if tree.roles[other] in OPERABLE:
                names.append(tree.names[other].casefold())
            elif text := says(tree, other) if tree.ends[other] <= line else "":
                if (is_measure and _BOUND.fullmatch(text)) or text == tree.values.get(line):
                    continue
                word = _bare(text)
                return "" if any(word in name for name in names) or self._is_label(other) else text
        return ""

    def _in_row(self, line: int, own: range) -> str:
        """What else is said in there, behind the field or before it: the name of a link, as of what a row is about."""
        tree = self._tree
        behind = range(tree.ends[line], min(own.stop, tree.ends[line] + _LOOKED_AT))
        before = range(line - 1, max(own.start, line - _LOOKED_AT) - 1, -1)
        for side in (behind, before):
            for other in side:
                if tree.roles[other] in FIELDS or tree.roles[other] in _NOT_BESIDE:
                    break
                if (text := self._word(other)) and not self._is_label(other):
                    return text
        return ""

    def _is_label(self, line: int) -> bool:
        """Whether a text is what a field beside it is called."""
        tree, word = self._tree, _bare(says(self._tree, line))
        if not word:
            return False
        beside = range(max(line - _BESIDE, 0), min(line + _BESIDE + 1, len(tree)))
        return any(tree.roles[other] in FIELDS and _bare(tree.names[other]) == word for other in beside)

    def _is_clickable(self, line: int) -> bool:
        """Whether a line has no role, but words, and can be clicked (@c)."""
        return self._tree.nodes[line] < 0 and self._tree.roles[line] == "generic"

    def _is_icon(self, line: int) -> bool:
        """Whether a line is pressed and hidden from screen readers: the words of an icon are its glyph's name."""
        return self._tree.nodes[line] < 0 and "aria-hidden" in self._tree.states.get(line, "")

    def _list_of(self, line: int) -> int:
        """The list that an option is in, else the line itself."""
        while line >= 0 and self._tree.roles[line] in ("option", "group"):
            above = self._tree.parents[line]
            if above < 0 or self._tree.roles[above] not in ("combobox", "listbox", "group"):
                break
            line = above
        return line

    def _is_closed(self, other: int, line: int) -> bool:
        """True when the other line is, or is in, an item or a part of the page whose texts are not about `line`."""
        tree = self._tree
        if tree.ends[other] > line:
            return tree.roles[other] in _BORDERS
        for box in self._boxes.around(other):
            if line in box:
                break
            if any(tree.roles[inside] in FIELDS for inside in box):
                return True
        while other >= 0 and tree.ends[other] <= line:
            if tree.roles[other] in _BORDERS or (tree.roles[other] == "generic" and self._has_field(other)):
                return True
            other = tree.parents[other]
        return False

    def _holds_nothing_else(self, other: int, line: int) -> bool:
        """True for an item, or a list of one, that is but the frame of the field."""
        tree = self._tree
        return (
            tree.roles[other] in ("list", "listitem")
            and tree.ends[other] == tree.ends[line]
            and tree.depths[line] - tree.depths[other] == line - other
        )

    def _has_field(self, line: int) -> bool:
        inside = range(line + 1, min(self._tree.ends[line], line + 2 * _LOOKED_AT))
        return any(self._tree.roles[below] in FIELDS for below in inside)

    def _column_header(self, line: int) -> str:
        """Of the column that a field is in."""
        parent = self._tree.parents[line]
        place = line if parent >= 0 and self._tree.roles[parent] == "row" else parent
        if place not in self._cells:
            self._cells[place] = self._cell_of(line)
        row, index = self._cells[place]
        headers = self._headers_of(self._table_of(row)) if row >= 0 else []
        return self._words_in(headers[index]) if headers and len(headers) == len(self._columns[row]) else ""

    def _cell_of(self, line: int) -> tuple[int, int]:
        """The row that a line is in, -1 for none, and the column."""
        tree, cell, row = self._tree, line, self._tree.parents[line]
        while row >= 0 and tree.roles[row] != "row":
            cell, row = row, tree.parents[row]
        if row not in self._columns:
            self._columns[row] = (
                {cell: index for index, cell in enumerate(tree.children(row))} if row >= 0 else {}
            )
        return row, self._columns[row].get(cell, 0)

    def _table_of(self, row: int) -> int:
        table = self._tree.parents[row]
        while table >= 0 and self._tree.roles[table] not in _TABLES:
            table = self._tree.parents[table]
        return table

    def _words_in(self, cell: int) -> str:
        """Of a header, also of one that is a link or a button."""
        names = self._tree.names[cell : min(self._tree.ends[cell], cell + _LOOKED_AT)]
        return next(filter(None, names), "")

    def _headers_of(self, table: int) -> list[int]:
        """The cells of the table's first row if they are headers of columns."""
        tree = self._tree
        if table not in self._headers:
            inside = range(table, min(table + _LOOKED_AT, tree.ends[table]))
            row = next((line for line in inside if tree.roles[line] == "row"), -1)
            cells = tree.children(row) if row >= 0 else []
            is_head = any(tree.roles[cell] == "columnheader" for cell in cells)
            self._headers[table] = cells if is_head else []
        return self._headers[table]


def _bare(text: str) -> str:
    """A text as names are compared, without the marks that end it."""
    return text.casefold().rstrip(" :*")
