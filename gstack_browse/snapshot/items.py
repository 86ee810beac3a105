"""Find the row, list item, card, section of the page or heading to which an element belongs."""

import bisect
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property

from gstack_browse.snapshot.tree import OPERABLE, Tree

ITEMS = frozenset({"row", "listitem", "option", "article", "treeitem", "menuitem"})
"""Roles of what repeats."""
SECTIONS = frozenset(
    {
        "alertdialog", "banner", "complementary", "contentinfo", "dialog", "figure", "form", "group", "iframe", "main",
        "navigation", "radiogroup", "region", "search", "tabpanel", "table", "toolbar", "grid", "treegrid", "menu",
    }
)  # fmt: skip
"""Roles of the parts of a page."""
FIELDS = frozenset(
    {"textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "slider", "spinbutton"}
)
"""Roles of what is filled in, ticked or set."""
LARGEST_ITEM = 60
"""Elements without a role that hold more lines are parts of the page, not items of a list."""
_ITEMS_OR_SMALL = ITEMS | {"generic"}
"""Elements without a role are listed only when they have many siblings."""
_ROW = frozenset({"row"})
_UNKNOWN = -2
_TRIED = 12
_LEVELS = 9


class Surroundings:
    """The rows, items, headings and sections around the lines of one tree. Results are cached."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._items: dict[int, int] = {}
        self._rows: dict[int, int] = {}
        self._sections: dict[int, int] = {}
        self._headed: dict[int, range] = {}

    def item(self, line: int) -> int:
        """Return the nearest row, list item, article … around a line; -1 for none."""
        return self._nearest(self._items, _ITEMS_OR_SMALL, line)

    def items(self, lines: Iterable[int]) -> dict[int, int]:
        """Return line → the nearest row, list item, article … around it, -1 for none."""
        known, parents = self._items, self._tree.parents
        found = {line: known.get(parents[line], _UNKNOWN) for line in lines}
        for line, item in found.items():
            if item == _UNKNOWN:
                found[line] = self.item(line)
        return found

    def row(self, line: int) -> int:
        """Return the nearest row that the line is in; -1 for none."""
        return self._nearest(self._rows, _ROW, line)

    def is_item(self, line: int) -> bool:
        """Return whether a line is a row, list item, article …, or a small element without a role.

        Elements without a role are listed only among many siblings.
        """
        return self._find_upwards(_ITEMS_OR_SMALL, line) == line

    def heading(self, line: int) -> int:
        """Return the line of the nearest heading that a line is below; -1 for none."""
        return self._nearest_above(self._all_headings, line, _LEVELS + 1)

    def outer_heading(self, line: int) -> int:
        """Return the next heading above of a higher level than the line's own heading; -1 for none."""
        nearest = self.heading(line)
        if nearest < 0:
            return -1
        return self._nearest_above(self._all_headings, nearest, _level(self._tree, nearest))

    def opener(self, line: int) -> int:
        """Return the nearest expanded button above a line, which may have opened the part around it; or -1.

        The line must be within the element around that button.
        """
        return self._nearest_above(self._expanded_buttons, line, _LEVELS + 1)

    def _nearest_above(self, lines: list[int], line: int, level: int) -> int:
        """Return the nearest of the sorted `lines` above `line` whose parent contains `line`; -1 for none.

        `level`: headings of this level, or a deeper one, do not count; `_LEVELS + 1` admits all lines. Looks at the nearest 12
        of `lines` only.
        """
        tree = self._tree
        index = bisect.bisect_left(lines, line)
        for above in reversed(lines[max(index - _TRIED, 0) : index]):
            parent = tree.parents[above]
            if (parent < 0 or tree.ends[parent] > line) and _level(tree, above) < level:
                return above
        return -1

    def section(self, line: int) -> int:
        """Return the line of the nearest section (form, dialog …) around a line; -1 for none."""
        return self._nearest(self._sections, SECTIONS, line)

    def _nearest(self, known: dict[int, int], wanted: Container[str], line: int) -> int:
        """Return the innermost line around `line` that has one of the roles `wanted`; -1 for none.

        `known`: cache of results by parent line: pages may be 700 levels deep.
        """
        above = self._tree.parents[line]
        if above not in known:
            known[above] = self._find_upwards(wanted, above)
        return known[above]

    def _find_upwards(self, wanted: Container[str], line: int) -> int:
        """Return `line` or the innermost line around it that has one of the roles; -1 for none.

        Large elements without a role do not count.
        """
        parents, roles, ends = self._tree.parents, self._tree.roles, self._tree.ends
        while line >= 0:
            role = roles[line]
            if role in wanted and (role != "generic" or ends[line] - line <= LARGEST_ITEM):
                return line
            line = parents[line]
        return -1

    def lines_under_heading(self, heading: int) -> range:
        """Return the lines from a heading up to the next one of its level or above (cached)."""
        if heading not in self._headed:
            self._headed[heading] = self._lines_below(heading)
        return self._headed[heading]

    def _lines_below(self, heading: int) -> range:
        """Return the lines from a heading up to the next of its level or above, within its parent."""
        headings, tree = self._all_headings, self._tree
        parent = tree.parents[heading]
        stop = tree.ends[parent] if parent >= 0 else len(tree)
        level = _level(tree, heading)
        for other in headings[bisect.bisect_right(headings, heading) :]:
            if other >= stop:
                break
            if _level(tree, other) <= level:
                while tree.parents[other] != parent:
                    other = tree.parents[other]
                return range(heading, other)
        return range(heading, stop)

    @cached_property
    def _all_headings(self) -> list[int]:
        """Return the lines of all headings, in order."""
        return [line for line, role in enumerate(self._tree.roles) if role == "heading"]

    @cached_property
    def _expanded_buttons(self) -> list[int]:
        """Return the lines of expanded buttons (`aria-expanded`), ascending."""
        tree = self._tree
        return sorted(
            line
            for line, states in tree.states.items()
            if "expanded" in states.split(", ") and tree.roles[line] == "button"
        )


def text_of_line(tree: Tree, line: int) -> str:
    """Return a line's name, or else its value; "" for a control."""
    if tree.roles[line] in OPERABLE:
        return ""
    return tree.names[line] or tree.values.get(line, "")


def _level(tree: Tree, heading: int) -> int:
    """Return a heading's level, from 1 to _LEVELS; 2 if it has none."""
    levels = [state[6:8] for state in tree.states.get(heading, "").split(", ") if state.startswith("level=")]
    return min(int(levels[0]), _LEVELS) if levels and levels[0].isdecimal() else 2


class Boxes:
    """Finds the boxes around lines: elements that have no line themselves, such as cards and chips."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._boxes = sorted(tree.boxes, key=lambda box: (box.start, -box.stop))
        self._starts = [box.start for box in self._boxes]
        self._outer: list[int] = []
        open_boxes: list[int] = []
        for index, box in enumerate(self._boxes):
            while open_boxes and self._boxes[open_boxes[-1]].stop <= box.start:
                open_boxes.pop()
            self._outer.append(open_boxes[-1] if open_boxes else -1)
            open_boxes.append(index)

    def boxes_around(self, line: int) -> Iterator[range]:
        """Yield line ranges of the boxes (elements without a line) around a line, innermost first."""
        index = bisect.bisect_right(self._starts, line) - 1
        while index >= 0:
            if line in self._boxes[index]:
                yield self._boxes[index]
            index = self._outer[index]

    def beside(self, box: range) -> list[range]:
        """Return `box` and the boxes (elements without a line) in the same outer box, below the same line."""
        place, parents = self._boxes.index(box), self._tree.parents
        outer, above = self._outer[place], parents[box.start]
        same = zip(self._boxes, self._outer, strict=True)
        return [other for other, around in same if around == outer and parents[other.start] == above]

    def belongs_to_similar_line(self, text: int, line: int) -> bool:
        """Return whether line `text` is in a box, as another card, with a line of `line`'s role and name."""
        names, roles = self._tree.names, self._tree.roles
        return any(
            names[other] == names[line] and roles[other] == roles[line]
            for box in self.boxes_around(text)
            if line not in box
            for other in box
        )

    def exclusive_surroundings(self, group: Sequence[int]) -> list[list[range]]:
        """Return for each line the boxes and elements that contain it and no other line of the group.

        The innermost comes first. `group` is ascending. The paragraph of a link is left out: the heading above is
        shorter.
        """
        edges = [-1, *group, len(self._tree)]
        return [
            list(self._walk_exclusive(edges[place], line, edges[place + 2])) for place, line in enumerate(group)
        ]

    def _walk_exclusive(self, last: int, line: int, following: int) -> Iterator[range]:
        """Yield the elements around `line` that contain neither line `last` nor `following`, innermost first."""
        roles = self._tree.roles
        for around, above in self.walk_outwards(line):
            if above >= 0 and roles[above] == "paragraph" and roles[line] == "link":
                continue
            if around.start <= last or around.stop > following or len(around) > LARGEST_ITEM:
                return
            yield around

    def walk_outwards(self, line: int) -> Iterator[tuple[range, int]]:
        """Yield each element around a line, innermost first, as (all its lines, its own line).

        The own line is -1 for a box: an element that has none.
        """
        tree, boxes = self._tree, self.boxes_around(line)
        box, above = next(boxes, None), tree.parents[line]
        while box or above >= 0:
            if box and (above < 0 or box.start > above):
                yield box, -1
                box = next(boxes, None)
            else:
                yield range(above, tree.ends[above]), above
                above = tree.parents[above]
