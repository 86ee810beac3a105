"""Find the text that names an unnamed field, by where it stands: `@e5 [textbox] (near "Email:")`.

That is a guess, and printed as one. For a clickable cell without text, such as one with a tick, it is the column's
header.
"""

import re
from collections.abc import Iterable

from gstack_browse.snapshot.disambiguation.item_texts import cut
from gstack_browse.snapshot.items import FIELDS, ITEMS, LARGEST_ITEM, SECTIONS, Boxes, text_of_line
from gstack_browse.snapshot.tree import OPERABLE, Tree
from gstack_browse.text.pattern import fold_label

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


def find_nearby_texts(tree: Tree, lines: Iterable[int]) -> tuple[dict[int, str], set[int]]:
    """Return line → text near it for unnamed fields, and the lines named by their column's header."""
    nearness = _NearbyTexts(tree)
    found = {}
    for line in lines:
        if tree.names[line]:
            continue
        if tree.roles[line] in FIELDS:
            text = nearness.text_for(line)
        elif tree.roles[line] in _CELLS and tree.nodes[line] < 0:
            text = nearness.column_header_for(line)
        else:
            continue
        if text:
            found[line] = cut(text)
    return found, nearness.in_columns


class _NearbyTexts:
    """Finds the texts that name the fields of one tree. `in_columns`: lines named by a column's header."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._headers: dict[int, list[int]] = {-1: []}
        self._turns: dict[int, bool] = {}
        self._columns: dict[int, dict[int, int]] = {}
        self._cells: dict[int, tuple[int, int]] = {}
        self._has_rows = "row" in tree.roles
        self._boxes = Boxes(tree)
        self.in_columns: set[int] = set()

    def text_for(self, line: int) -> str:
        """Return the text that names a field: after a tick box, else its column's header, else before it.

        Where fields and texts alternate, a field first, the text follows any field. A text in the row of a tick box
        takes precedence over one in another row.
        """
        if text := self._field_inside(line):
            return text
        is_ticked = self._tree.roles[line] in _BEFORE_THEIR_TEXT
        around = self._surroundings_with_text(line) if is_ticked else None
        if around:
            is_before = not self._begins_with_texts(around)
        else:
            is_before = is_ticked or self._begins_with_fields(self._tree.parents[line])
        if is_before and (text := self._text_after(line, around.stop if around else len(self._tree))):
            return text
        cell = self._tree.parents[line]
        cell_name = self._tree.names[cell] if cell >= 0 and self._tree.roles[cell] in _CELLS else ""
        if text := self.column_header_for(line) or cell_name:
            return text
        if text := self._text_before(line, around.start if around else 0):
            return text
        has_hint = line in self._tree.hints  # the hint is its text, and its row is printed beside that
        return self._text_in_row(line, around) if around and not has_hint else ""

    def column_header_for(self, line: int) -> str:
        """Return the header of the table column that a field or cell is in; "" for none."""
        if text := self._column_header(line) if self._has_rows else "":
            self.in_columns.add(line)
        return text

    def _field_inside(self, line: int) -> str:
        """Return the name of the field within a combobox element, as ARIA 1.1 nests them; "" for none."""
        inside = range(line + 1, min(self._tree.ends[line], line + _LOOKED_AT))
        return next((self._tree.names[below] for below in inside if self._tree.roles[below] in FIELDS), "")

    def _surroundings_with_text(self, line: int) -> range | None:
        """Return the lines of the smallest element around a field that holds a text.

        None if it has more than LARGEST_ITEM lines, or another field or a section's border is nearer.
        """
        for around, above in self._boxes.walk_outwards(line):
            role = self._tree.roles[above] if above >= 0 else ""
            if len(around) > LARGEST_ITEM or role in FIELDS:
                return None
            if any(self._text_of(other) for other in around if other != line):
                return around
            if role in _BORDERS:
                return None
        return None

    def _text_of(self, line: int) -> str:
        """Return the text of a line if it is a text, a link or a clickable element; else ""."""
        tree, role = self._tree, self._tree.roles[line]
        if role == "link" or self._is_clickable(line):
            return "" if self._is_icon(line) else tree.names[line]
        return "" if role in _FRAMES else text_of_line(tree, line)

    def _begins_with_texts(self, around: range) -> bool:
        """Return whether texts and fields on these lines alternate, a text first and a field last."""
        fields = [
            self._tree.roles[line] in FIELDS
            for line in around
            if self._tree.roles[line] in FIELDS or (self._tree.roles[line] != "heading" and self._text_of(line))
        ]
        return len(fields) % 2 == 0 and fields == [False, True] * (len(fields) // 2)

    def _begins_with_fields(self, parent: int) -> bool:
        """Return whether fields and texts alternate below line `parent`, a field first. The result is cached."""
        if parent not in self._turns:
            self._turns[parent] = self._has_alternating_fields(parent)
        return self._turns[parent]

    def _has_alternating_fields(self, parent: int) -> bool:
        """Return whether texts and fields alternate below `parent`, a field first, two or more times."""
        tree, roles, count = self._tree, self._tree.roles, 0
        child, stop = (parent + 1, tree.ends[parent]) if parent >= 0 else (0, len(tree))
        while child < stop:
            if (is_field := roles[child] in FIELDS) or roles[child] == "text":
                if is_field == bool(count % 2):
                    return False
                count += 1
            child = tree.ends[child]
        return count >= 4 and count % 2 == 0

    def _text_after(self, line: int, stop: int) -> str:
        """Return the text right after a field, in the same paragraph, cell or item and before line `stop`."""
        tree, after = self._tree, self._tree.ends[line]
        parent = tree.parents[line]
        while after < len(tree) and self._is_icon(after):
            after = tree.ends[after]
        if after >= min(tree.ends[parent] if parent >= 0 else stop, stop):
            return ""
        if self._is_clickable(after) and not self._has_field(after):
            return tree.names[after]
        is_text = tree.roles[after] == "text" and not self._is_label_of_field(after)
        return text_of_line(tree, after) if is_text else ""

    def _text_before(self, line: int, start: int) -> str:
        """Return the text, or a control's name, before the field on `line`, from line `start` on; "" for none.

        Left out are texts that belong to another part of the page, and numbers beside a slider: its bounds or value.
        """
        tree, names = self._tree, []
        is_measure = tree.roles[line] in _MEASURES
        other = line
        for _ in range(_LOOKED_AT):
            other = self._list_of(other - 1)
            if other >= start and self._only_wraps_field(other, line):
                continue
            if other < start or self._belongs_to_other_part(other, line):
                return ""
            if self._is_icon(other):
                continue
            if tree.ends[other] > line and self._is_clickable(other):
                return tree.names[other]
            if tree.roles[other] in OPERABLE:
                names.append(tree.names[other].casefold())
            elif text := text_of_line(tree, other) if tree.ends[other] <= line else "":
                if (is_measure and _BOUND.fullmatch(text)) or text == tree.values.get(line):
                    continue
                word = fold_label(text)
                return "" if any(word in name for name in names) or self._is_label_of_field(other) else text
        return ""

    def _text_in_row(self, line: int, around: range) -> str:
        """Return another text (after or before it) on the lines `around` a field, as a link's name; or ""."""
        tree = self._tree
        behind = range(tree.ends[line], min(around.stop, tree.ends[line] + _LOOKED_AT))
        before = range(line - 1, max(around.start, line - _LOOKED_AT) - 1, -1)
        for side in (behind, before):
            for other in side:
                if tree.roles[other] in FIELDS or tree.roles[other] in _NOT_BESIDE:
                    break
                if (text := self._text_of(other)) and not self._is_label_of_field(other):
                    return text
        return ""

    def _is_label_of_field(self, line: int) -> bool:
        """Return whether the text on a line is also the accessible name of a field close to it."""
        tree, word = self._tree, fold_label(text_of_line(self._tree, line))
        if not word:
            return False
        beside = range(max(line - _BESIDE, 0), min(line + _BESIDE + 1, len(tree)))
        return any(tree.roles[other] in FIELDS and fold_label(tree.names[other]) == word for other in beside)

    def _is_clickable(self, line: int) -> bool:
        """Return whether a line is a clickable element without a role."""
        return self._tree.nodes[line] < 0 and self._tree.roles[line] == "generic"

    def _is_icon(self, line: int) -> bool:
        """Return whether a line is clickable but hidden from screen readers: its text is the name of a glyph."""
        return self._tree.nodes[line] < 0 and "aria-hidden" in self._tree.states.get(line, "")

    def _list_of(self, line: int) -> int:
        """Return the line of the list around an option; for any other line, the line itself."""
        while line >= 0 and self._tree.roles[line] in ("option", "group"):
            above = self._tree.parents[line]
            if above < 0 or self._tree.roles[above] not in ("combobox", "listbox", "group"):
                break
            line = above
        return line

    def _belongs_to_other_part(self, other: int, line: int) -> bool:
        """Return whether `other` is in an item, section or box whose texts do not name the field on `line`.

        Such a box has a field of its own.
        """
        tree = self._tree
        if tree.ends[other] > line:
            return tree.roles[other] in _BORDERS
        for box in self._boxes.boxes_around(other):
            if line in box:
                break
            if any(tree.roles[inside] in FIELDS for inside in box):
                return True
        while other >= 0 and tree.ends[other] <= line:
            if tree.roles[other] in _BORDERS or (tree.roles[other] == "generic" and self._has_field(other)):
                return True
            other = tree.parents[other]
        return False

    def _only_wraps_field(self, other: int, line: int) -> bool:
        """Return whether line `other` is a list item, or a list of one item, with only the field in it."""
        tree = self._tree
        return (
            tree.roles[other] in ("list", "listitem")
            and tree.ends[other] == tree.ends[line]
            and tree.depths[line] - tree.depths[other] == line - other
        )

    def _has_field(self, line: int) -> bool:
        """Return whether a line has a field below it; only the first lines are looked at."""
        inside = range(line + 1, min(self._tree.ends[line], line + 2 * _LOOKED_AT))
        return any(self._tree.roles[below] in FIELDS for below in inside)

    def _column_header(self, line: int) -> str:
        """Return the header of a field's column; "" for none."""
        parent = self._tree.parents[line]
        place = line if parent >= 0 and self._tree.roles[parent] == "row" else parent
        if place not in self._cells:
            self._cells[place] = self._cell_of(line)
        row, index = self._cells[place]
        headers = self._headers_of(self._table_of(row)) if row >= 0 else []
        if not headers or len(headers) != len(self._columns[row]):
            return ""
        cell = headers[index]  # a link or a button in it may have the text
        texts = self._tree.names[cell : min(self._tree.ends[cell], cell + _LOOKED_AT)]
        return next(filter(None, texts), "")

    def _cell_of(self, line: int) -> tuple[int, int]:
        """Return (line of the row, index of the column) of a line; the row is -1 outside of tables."""
        tree, cell, row = self._tree, line, self._tree.parents[line]
        while row >= 0 and tree.roles[row] != "row":
            cell, row = row, tree.parents[row]
        if row not in self._columns:
            cells = tree.children(row) if row >= 0 else []
            self._columns[row] = {cell: index for index, cell in enumerate(cells)}
        return row, self._columns[row].get(cell, 0)

    def _table_of(self, row: int) -> int:
        """Return the table around a row; -1 for none."""
        table = self._tree.parents[row]
        while table >= 0 and self._tree.roles[table] not in _TABLES:
            table = self._tree.parents[table]
        return table

    def _headers_of(self, table: int) -> list[int]:
        """Return the cells of a table's first row if they are column headers."""
        tree = self._tree
        if table not in self._headers:
            inside = range(table, min(table + _LOOKED_AT, tree.ends[table]))
            row = next((line for line in inside if tree.roles[line] == "row"), -1)
            cells = tree.children(row) if row >= 0 else []
            is_head = any(tree.roles[cell] == "columnheader" for cell in cells)
            self._headers[table] = cells if is_head else []
        return self._headers[table]
