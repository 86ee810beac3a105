"""Boxes around lines that have no line themselves: cards, chips, the cells of a layout."""

import bisect
from collections.abc import Iterator, Sequence

from gstack_browse.snapshot.items import LARGEST_ITEM
from gstack_browse.snapshot.tree import Tree


class Boxes:
    """The boxes of a tree, nested as the elements are."""

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
        """Yield the boxes around a line, the innermost first."""
        index = bisect.bisect_right(self._starts, line) - 1
        while index >= 0:
            if line in self._boxes[index]:
                yield self._boxes[index]
            index = self._outer[index]

    def beside(self, box: range) -> list[range]:
        """Return the boxes in the same box and the same line as `box`, itself included."""
        place, parents = self._boxes.index(box), self._tree.parents
        outer, above = self._outer[place], parents[box.start]
        same = zip(self._boxes, self._outer, strict=True)
        return [other for other, around in same if around == outer and parents[other.start] == above]

    def belongs_to_similar_line(self, text: int, line: int) -> bool:
        """Return whether a text shares a box with another line of the same role and name, as in cards."""
        names, roles = self._tree.names, self._tree.roles
        return any(
            names[other] == names[line] and roles[other] == roles[line]
            for box in self.boxes_around(text)
            if line not in box
            for other in box
        )

    def exclusive_surroundings(self, group: Sequence[int]) -> list[list[range]]:
        """Return for each line of an ascending group what surrounds it and none of the others.

        The innermost comes first. Both boxes and lines with their content count. The paragraph of a link does not: the heading
        above is shorter.
        """
        edges = [-1, *group, len(self._tree)]
        return [
            list(self._walk_exclusive(edges[place], line, edges[place + 2])) for place, line in enumerate(group)
        ]

    def _walk_exclusive(self, last: int, line: int, following: int) -> Iterator[range]:
        """Yield the boxes around a line that hold neither line `last` nor `following`, innermost first."""
        roles = self._tree.roles
        for around, above in self.walk_outwards(line):
            if above >= 0 and roles[above] == "paragraph" and roles[line] == "link":
                continue
            if around.start <= last or around.stop > following or len(around) > LARGEST_ITEM:
                return
            yield around

    def walk_outwards(self, line: int) -> Iterator[tuple[range, int]]:
        """Yield (lines, line) of everything around a line, innermost first; line is -1 for a box."""
        tree, boxes = self._tree, self.boxes_around(line)
        box, above = next(boxes, None), tree.parents[line]
        while box or above >= 0:
            if box and (above < 0 or box.start > above):
                yield box, -1
                box = next(boxes, None)
            else:
                yield range(above, tree.ends[above]), above
                above = tree.parents[above]
